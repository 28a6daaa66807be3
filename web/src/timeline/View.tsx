// SPDX-License-Identifier: Apache-2.0
// The timeline: tools, the minimap, lanes with their names, and the stage on which spans are drawn.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Opened } from "../state/opened";
import { useShownTheme } from "../state/theme";
import { Bar, OneStep } from "./Bar";
import { Card } from "./Card";
import type { Source } from "./data";
import { Edges } from "./Edges";
import { Minimap } from "./Minimap";
import { Names } from "./Names";
import { useArranged } from "./arranged";
import { useStage } from "./useStage";
import { headOf } from "./scene";

/** `alone`: the one step that the source has; null: all. */
export function TimelineView({ source, of, alone }: { source: Source; of: Opened; alone: number | null }) {
  const scroll = useRef<HTMLDivElement>(null);
  const element = useRef<HTMLDivElement>(null);
  const under = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const [top, setTop] = useState(0);
  const theme = useShownTheme();
  const layout = useArranged(source, of);
  const { stage, seen, edges, picked, hover, said, size } = useStage({ source, of, layout, theme, scroll, element, under, over });
  useEffect(() => stage?.scroll(top), [stage, top]);
  const head = headOf({ lanes: source.lanes, layout });
  const notes = [...source.lanes.notes, source.summary].filter(Boolean);
  return (
    <div class="tl">
      <Bar stage={stage} seen={seen} source={source} notes={notes} steps={alone === null ? null : <OneStep shown={alone} all={of.facts.steps} />} />
      <Minimap stage={stage} source={source} seen={seen} theme={theme} />
      <div class="tl-scroll" ref={scroll} onScroll={(e) => setTop(e.currentTarget.scrollTop)}>
        <div class="tl-inner" style={{ height: `max(100%, ${head + layout.height}px)` }}>
          <div class="tl-stage" ref={element} tabIndex={0} role="img" aria-label={`Timeline of ${source.lanes.lanes.length} lanes: w and s zoom, a and d move, 0 shows all, full stop and comma go to the next and previous like the selected one, Enter selects the longest span, shift and an arrow the one beside it`}>
            <canvas ref={under} />
            <canvas ref={over} />
            <Edges names={edges} picked={picked} />
            <Card hit={hover} stage={stage} zero={source.lanes.all.from} />
          </div>
          <Names layout={layout} head={head} top={top} height={size.height} steps={source.lanes.steps.length > 0} source={source} />
        </div>
      </div>
      <p class="away" aria-live="polite">{said}</p>
    </div>
  );
}

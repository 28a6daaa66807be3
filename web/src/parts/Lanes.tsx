// SPDX-License-Identifier: Apache-2.0
// Lanes of events on a canvas, with details of the picked event and sums over the selection.
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Table } from "../api";
import { cellText } from "../api";
import { useFlows } from "../flows";
import { formatMicros, formatShare } from "../format";
import { coloursOf, draw, eventAt, heightOf } from "../lanes";
import type { Route } from "../route";
import { textsWith } from "../rows";
import type { Spans, Sum } from "../spans";
import { sumsIn } from "../spans";
import { useShownTheme } from "../theme";
import type { View } from "../view";
import { onTimelineKey, useView } from "../view";

const SUMS = 12; // operations listed for a selection
const CLICK_PX = 4; // a shorter drag is a click

function Sums({ sums, whole }: { sums: Sum[]; whole: number }) {
  return (
    <table class="list narrow">
      <caption>In the selected time</caption>
      <thead>
        <tr><th scope="col">Operation</th><th scope="col" class="number">Events</th><th scope="col" class="number">Time</th><th scope="col" class="number">Share</th></tr>
      </thead>
      <tbody>
        {sums.map((s) => (
          <tr key={s.name}>
            <td>{s.name}</td>
            <td class="number">{s.count.toLocaleString()}</td>
            <td class="number">{formatMicros(Math.round(s.micros))}</td>
            <td class="number">{formatShare(s.micros, whole)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}


/** Dragging selects, with shift it moves the visible time; a click picks an event. */
function usePointer(s: Spans, v: View, top: number, width: number, canvas: RefObject<HTMLCanvasElement | null>) {
  const drag = useRef<{ from: number; shift: boolean; seen: View["seen"] } | null>(null);
  const { seen } = v;
  const timeAt = (x: number): number => seen.from + (x / width) * (seen.to - seen.from);
  const pixels = (time: number): number => Math.abs(time) * (width / (seen.to - seen.from));
  return {
    onWheel: (e: WheelEvent): void => {
      if (!e.ctrlKey && !e.shiftKey && Math.abs(e.deltaX) < Math.abs(e.deltaY)) return; // the page scrolls
      e.preventDefault();
      if (e.ctrlKey) v.zoom(e.deltaY > 0 ? 1.2 : 1 / 1.2, timeAt(e.offsetX));
      else v.pan((e.deltaX || e.deltaY) / 1000);
    },
    onPointerDown: (e: PointerEvent): void => {
      drag.current = { from: timeAt(e.offsetX), shift: e.shiftKey, seen };
      canvas.current?.setPointerCapture(e.pointerId);
    },
    onPointerMove: (e: PointerEvent): void => {
      if (!drag.current) return;
      const { from, shift } = drag.current;
      const to = timeAt(e.offsetX);
      if (shift) v.show({ from: seen.from + from - to, to: seen.to + from - to });
      else if (pixels(to - from) > CLICK_PX) v.mark({ from: Math.max(0, Math.min(to, from)), to: Math.max(to, from) });
    },
    onPointerUp: (e: PointerEvent): void => {
      const from = drag.current?.from ?? 0;
      drag.current = null;
      if (pixels(timeAt(e.offsetX) - from) <= CLICK_PX) v.pick(eventAt(s, timeAt(e.offsetX), e.offsetY + top));
    },
  };
}

function Picked({ t, s, picked, flows }: { t: Table; s: Spans; picked: number; flows: [number, number][] }) {
  const [name, op] = [t.column("name"), t.column("op")];
  const source = picked >= 0 ? (s.source[picked] ?? 0) : -1;
  return (
    <p class="told" aria-live="polite">
      {source >= 0 && name && (
        <>
          <strong>{cellText(name, source)}</strong> {op ? cellText(op, source) : ""}: {formatMicros((s.end[picked] ?? 0) - (s.start[picked] ?? 0))} at {formatMicros(s.start[picked] ?? 0)}
          {flows.length > 0 && `; ${flows.filter(([, to]) => to === picked).length} before it, ${flows.filter(([from]) => from === picked).length} wait for it`}
        </>
      )}
    </p>
  );
}

function Zoom({ s, v }: { s: Spans; v: View }) {
  const { marked, seen } = v;
  return (
    <div class="tools">
      <button type="button" onClick={() => v.zoom(1 / 1.5)}>Zoom in</button>
      <button type="button" onClick={() => v.zoom(1.5)}>Zoom out</button>
      <button type="button" onClick={() => v.show(v.all)}>All</button>
      {marked && <button type="button" onClick={() => v.show(marked)}>Zoom to selection</button>}
      <span class="count">{s.count.toLocaleString()} events; {formatMicros(Math.round(seen.to - seen.from))} shown.</span>
      <span class="count hint">Drag selects, shift and drag moves, ctrl and wheel zooms; keys: arrows, + − 0, m, comma and full stop.</span>
    </div>
  );
}

export function Lanes({ t, s, route }: { t: Table; s: Spans; route: Route }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const v = useView(s, route, box);
  const { seen, marked, picked } = v;
  const [size, setSize] = useState({ width: 1000, height: 400 });
  const [top, setTop] = useState(0);
  const theme = useShownTheme();
  const search = route.params.get("q") ?? "";
  const [name, op] = [t.column("name"), t.column("op")];
  const colour = useMemo(() => coloursOf(op?.texts ?? []), [t]);
  const found = useMemo(() => (search && name?.texts ? textsWith(name.texts, search) : null), [t, search]);
  const sums = useMemo(() => (marked && op ? sumsIn(s, op, marked, SUMS) : []), [t, s, marked]);
  const flows = useFlows(t, s, route.id, picked);
  const pointer = usePointer(s, v, top, Math.max(1, size.width), canvas);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setSize({ width: entry.contentRect.width, height: entry.contentRect.height }));
    if (canvas.current) watch.observe(canvas.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    const frame = requestAnimationFrame(() => canvas.current && draw(canvas.current, { t, s, seen, top, marked, colour, found, picked, flows }));
    return () => cancelAnimationFrame(frame);
  }, [t, s, seen, top, marked, colour, found, picked, flows, size, theme]);
  const height = heightOf(s);
  return (
    <>
      <Zoom s={s} v={v} />
      <div ref={box} class="lanes" style={{ height: `min(${height}px, 75vh)` }} onScroll={(e) => setTop(e.currentTarget.scrollTop)}>
        <canvas
          ref={canvas}
          class="timeline"
          tabIndex={0}
          role="img"
          aria-label={`timeline of ${s.lanes.length} lanes; left and right move, plus and minus zoom, up and down pick an event, comma and full stop the one beside it, m selects what is shown, 0 shows all`}
          onKeyDown={(e) => onTimelineKey(e, s, v)}
          {...pointer}
        />
        <div style={{ height: `max(0px, calc(${height}px - 75vh))` }} />
      </div>
      <Picked t={t} s={s} picked={picked} flows={flows} />
      {marked && <Sums sums={sums} whole={marked.to - marked.from} />}
    </>
  );
}

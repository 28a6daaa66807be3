// SPDX-License-Identifier: Apache-2.0
// The dataflow graph with its controls: arrow keys go from box to box.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Column, Table } from "../answers/api";
import type { Box, Line } from "./flow";
import { formatShare, formatUnit } from "../text/format";
import { FlowPicture } from "./FlowShapes";
import type { Flow, Zoom } from "./useFlow";
import { useFlow, useZoom } from "./useFlow";
import { useDrag, useGraphPicture } from "./graphPicture";

const NEAR_MOST = 12; // most neighbours whose names are shown

/** The nearest box in a direction. */
function neighbour(boxes: Box[], of: Box, key: string): Box | undefined {
  const dx = Number(key === "ArrowRight") - Number(key === "ArrowLeft");
  const dy = Number(key === "ArrowDown") - Number(key === "ArrowUp");
  let [best, least]: [Box | undefined, number] = [undefined, Infinity];
  for (const box of boxes) {
    const [x, y] = [box.x - of.x, box.y - of.y];
    const ahead = x * dx + y * dy;
    const far = ahead + 3 * Math.abs(x * dy - y * dx);
    if (ahead > 1 && far < least) [best, least] = [box, far];
  }
  return best;
}

function Near({ lines, row, pathOf }: { lines: Line[]; row: number; pathOf: (row: number) => string }) {
  const named = (all: { row: number; count: number }[]): string => {
    const said = all.sort((a, b) => b.count - a.count).slice(0, NEAR_MOST).map((n) => `${pathOf(n.row)}${n.count > 1 ? ` (${n.count})` : ""}`);
    return said.join(", ") + (all.length > NEAR_MOST ? ` and ${all.length - NEAR_MOST} more` : "");
  };
  const from = lines.filter((l) => l.to === row).map((l) => ({ row: l.from, count: l.count }));
  const to = lines.filter((l) => l.from === row).map((l) => ({ row: l.to, count: l.count }));
  return (
    <>
      {from.length > 0 && <span> · reads {named(from)}</span>}
      {to.length > 0 && <span> · read by {named(to)}</span>}
    </>
  );
}

function Tools({ flow, zoom, children }: { flow: Flow; zoom: Zoom; children: ComponentChildren }) {
  return (
    <div class="tools">
      {children}
      <button type="button" onClick={zoom.farther} aria-label="smaller">−</button>
      <span class="count">{Math.round(100 * zoom.zoom)}{"\u00a0"}%</span>
      <button type="button" onClick={zoom.closer} aria-label="bigger">+</button>
      <button type="button" onClick={zoom.fit}>Fit</button>
      <span class="soft" role="status">{flow.told}</span>
    </div>
  );
}

/** Lists the open scopes, and the boxes whose many lines are hidden until the reader asks for them. */
function Opened({ flow }: { flow: Flow }) {
  const { opened, put, picture, pathOf } = flow;
  return (
    <>
      {opened.length > 0 && (
        <p class="tools">
          <span class="soft">Open:</span>
          {opened.map((row) => <button key={row} type="button" onClick={() => flow.toggle(row)} aria-label={`close ${pathOf(row)}`}>{pathOf(row)} ×</button>)}
          {opened.length > 1 && <button type="button" onClick={flow.closeAll}>Close all</button>}
        </p>
      )}
      {(picture.hubs.length > 0 || put.length > 0) && (
        <p class="tools">
          <span class="soft">Draw the lines of:</span>
          {[...picture.hubs, ...put].sort((a, b) => a - b).map((row) => (
            <label key={row}>
              <input type="checkbox" checked={put.includes(row)} onChange={() => flow.togglePut(row)} /> {pathOf(row)}
            </label>
          ))}
        </p>
      )}
      {picture.left > 0 && <p class="note">{picture.left.toLocaleString()} more boxes are not drawn, those with the least; close scopes or find a name to see others.</p>}
    </>
  );
}

interface Props {
  t: Table;
  edges: Table;
  total: Column;
  name: Column;
  children: ComponentChildren; // controls that are shown first
}

export function Drawing({ t, edges, total, name, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const flow = useFlow(t, edges, total, name, box);
  const { picture, picked, pathOf, tree } = flow;
  const zoom = useZoom(picture, box);
  useGraphPicture(box, picture, pathOf);
  const drag = useDrag(box);
  const whole = total.values[0] ?? 0;
  const valueOf = (row: number): { text: string; share: number } => {
    const value = total.values[row] ?? 0;
    return { text: formatUnit(total.unit, value), share: whole > 0 ? value / whole : 0 };
  };
  const open = (b: Box): void => {
    const inside = tree.children[tree.first[b.row] ?? 0];
    flow.focus(b.scope && inside !== undefined ? inside : b.row);
    flow.toggle(b.row);
  };
  const move = (b: Box, key: string): void => {
    const next = neighbour(picture.boxes, b, key);
    if (next) flow.focus(next.row);
  };
  const onKey = (event: KeyboardEvent): void => {
    const keys: Record<string, () => void> = { "+": zoom.closer, "-": zoom.farther, "0": zoom.fit };
    const act = event.ctrlKey || event.metaKey ? undefined : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  if (!picture.boxes.length) return <p class="empty">This profile has no nodes.</p>;
  const top = picture.boxes.reduce((a, b) => (b.y < a.y || (b.y === a.y && b.x < a.x) ? b : a));
  const current = picture.boxes.some((b) => b.row === picked) ? picked : top.row;
  return (
    <>
      <Tools flow={flow} zoom={zoom}>{children}</Tools>
      <Opened flow={flow} />
      <p class="told" aria-live="polite">
        <strong>{pathOf(picked)}</strong> {valueOf(picked).text} {formatShare(total.values[picked] ?? 0, whole)}
        <Near lines={picture.lines} row={picked} pathOf={pathOf} />
      </p>
      <div ref={box} class="drawing" {...drag} tabIndex={0} role="group" aria-label="dataflow graph: arrow keys go from box to box, the space bar selects, Enter opens a scope, + and - zoom" onKeyDown={onKey}>
        <FlowPicture picture={picture} zoom={zoom.zoom} picked={picked} current={current} pathOf={pathOf} valueOf={valueOf} away={flow.away} onOpen={open} onClose={flow.toggle} onPick={flow.pick} onMove={move} />
      </div>
    </>
  );
}

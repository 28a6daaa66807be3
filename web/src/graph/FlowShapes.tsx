// SPDX-License-Identifier: Apache-2.0
// The boxes and lines of the dataflow graph.
import type { Box, Line, Picture } from "./flow";
import { sel, select } from "../state/store";
import { plainName } from "../table/read";

interface Point {
  x: number;
  y: number;
}

/** A smooth curve through the midpoints between its points. */
function curve(points: Point[]): string {
  const at = (p: Point): string => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`;
  const [first, ...rest] = points;
  const last = rest.pop();
  if (!first || !last) return "";
  const bends = rest.map((p, i) => {
    const next = rest[i + 1];
    return ` Q${at(p)} ${at(next ? { x: (p.x + next.x) / 2, y: (p.y + next.y) / 2 } : last)}`;
  });
  return `M${at(first)}${bends.length ? bends.join("") : ` L${at(last)}`}`;
}

const middle = (points: Point[]): Point => points[points.length >> 1] ?? { x: 0, y: 0 };

interface ShapeProps {
  box: Box;
  path: string;
  value: string;
  share: number;
  current: boolean;
  chosen: boolean;
  away: boolean; // a search did not find it
  onOpen: () => void;
  onPick: () => void;
  onMove: (key: string) => void;
}

function Shape({ box: b, path, value, share, current, chosen, away, onOpen, onPick, onMove }: ShapeProps) {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter") onOpen();
    else if (event.key === " ") select({ kind: "scope", id: path });
    else if (event.key.startsWith("Arrow")) onMove(event.key);
    else return;
    event.preventDefault();
  };
  return (
    <g
      id={`box-${b.row}`}
      class={`box${b.scope ? " scope" : ""}${current ? " current" : ""}${chosen ? " picked" : ""}${away ? " unfound" : ""}`}
      data-kind="scope"
      data-id={path}
      tabindex={current ? 0 : -1}
      role="button"
      aria-label={`${b.text.endsWith("…") ? `${b.text} ` : ""}${path}, ${value}${b.scope ? ", a scope, opens" : ""}`}
      transform={`translate(${b.x - b.width / 2} ${b.y - b.height / 2})`}
      onClick={() => select({ kind: "scope", id: path })}
      onDblClick={onOpen}
      onMouseEnter={onPick}
      onFocus={onPick}
      onKeyDown={onKey}
    >
      <title>{`${path}\n${value}`}</title>
      <rect width={b.width} height={b.height} rx={b.scope ? 8 : 2} />
      {share > 0 && <rect class="share" width={Math.max(1, b.width * Math.min(1, share))} height={5} y={b.height - 5} />}
      <text x={b.width / 2} y={b.height / 2}>{plainName(b.text)}{b.scope ? " ▸" : ""}</text>
    </g>
  );
}

function Lines({ lines, picked }: { lines: Line[]; picked: number }) {
  return (
    <>
      {lines.map((l) => (
        <g key={`${l.from} ${l.to}`} class={l.from === picked || l.to === picked ? "edge near" : "edge"}>
          <path class="line" d={curve(l.points)} stroke-width={Math.min(3, 1 + Math.log2(l.count) / 3)} marker-end="url(#tip)" />
          {l.count > 1 && <text x={middle(l.points).x} y={middle(l.points).y}>{l.count}</text>}
        </g>
      ))}
    </>
  );
}

interface PictureProps {
  picture: Picture;
  zoom: number;
  picked: number; // the row whose numbers are shown
  current: number; // the box that the Tab key reaches first
  pathOf: (row: number) => string;
  valueOf: (row: number) => { text: string; share: number };
  away: (row: number) => boolean;
  onOpen: (box: Box) => void;
  onClose: (row: number) => void;
  onPick: (row: number) => void;
  onMove: (box: Box, key: string) => void;
}

export function FlowPicture({ picture, zoom, picked, current, pathOf, valueOf, away, onOpen, onClose, onPick, onMove }: PictureProps) {
  return (
    <svg width={picture.width * zoom} height={picture.height * zoom} viewBox={`0 0 ${picture.width} ${picture.height}`}>
      <defs>
        <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" class="tip" /></marker>
      </defs>
      {picture.frames.map((f) => (
        <g key={f.row} class="frame" transform={`translate(${f.x - f.width / 2} ${f.y - f.height / 2})`}>
          <rect width={f.width} height={f.height} rx={10} />
          <text x={8} y={13} onClick={() => onClose(f.row)}>{pathOf(f.row)} ▾</text>
        </g>
      ))}
      <Lines lines={picture.lines.filter((l) => l.points.length)} picked={picked} />
      {picture.strips.map((s) => <text key={s.y} class="strip" x={12} y={s.y}>{s.text}</text>)}
      {picture.boxes.map((b) => (
        <Shape
          key={b.row}
          box={b}
          path={pathOf(b.row)}
          value={valueOf(b.row).text}
          share={valueOf(b.row).share}
          current={b.row === current}
          chosen={sel.value?.kind === "scope" && sel.value.id === pathOf(b.row)}
          away={away(b.row)}
          onOpen={() => onOpen(b)}
          onPick={() => onPick(b.row)}
          onMove={(key) => onMove(b, key)}
        />
      ))}
    </svg>
  );
}

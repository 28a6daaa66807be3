// SPDX-License-Identifier: Apache-2.0
// The picture of a flame graph: a click selects, a double click or Enter fills the width with a bar.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatCount, formatShare, formatUnit } from "../text/format";
import { usePicture } from "../pictures/pictures";
import type { Kind } from "../state/store";
import { change, sel, select, state } from "../state/store";
import { useShownTheme } from "../state/theme";
import { draw } from "./draw";
import type { Box } from "./layout";
import { BAR_ROW, beside, layOut } from "./layout";
import type { FlameTree, Measure } from "./read";
import { BY_TIME } from "./read";

interface Props {
  of: FlameTree;
  kind: Kind;
  measure: Measure;
  found: Uint8Array | null;
  delta: ((row: number) => number | null) | null;
  look?: ((row: number) => string) | null; // of a row; null: that of the measure
  over?: string; // ", over 4 devices"
}

function useSize(): { box: { current: HTMLDivElement | null }; width: number } {
  const box = useRef<HTMLDivElement>(null);
  const [width, set] = useState(0);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && set(Math.floor(entry.contentRect.width)));
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return { box, width };
}

/** The text of a bar: its numbers, and the whole of which they are a share. */
function told({ of, measure, delta }: Props, row: number): string {
  const [total, self, by] = [of.total(row), of.self(row), delta?.(row)];
  const words = [of.name(row), `${formatUnit(measure.unit, total)}, ${formatShare(total, of.whole)} of ${measure.title}`, `${formatUnit(measure.unit, self)} of it itself`];
  if (of.count(row)) words.push(`${formatCount(of.count(row))}×`);
  if (by !== null && by !== undefined) words.push(`${by > 0 ? "+" : ""}${formatUnit(measure.unit, by)} a step`);
  return words.join(" · ");
}

export function Picture(p: Props) {
  const { of, kind, found, measure, delta, look } = p;
  const { box, width } = useSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hover, setHover] = useState(-1);
  const theme = useShownTheme();
  const rowOf = (id: string | undefined): number => (id === undefined ? -1 : Array.from({ length: of.tree.rows }, (_, i) => i).findIndex((row) => of.id(row) === id));
  const top = useMemo(() => rowOf(state.value.more.top), [of, state.value.more.top]);
  const chosen = useMemo(() => (sel.value?.kind === kind ? rowOf(sel.value.id) : -1), [of, sel.value]);
  const byTime = state.value.sort === BY_TIME;
  const boxes = useMemo(() => layOut(of.tree, of.total, { top, width, byTime }), [of, top, width, byTime]);
  const height = BAR_ROW * (1 + boxes.reduce((most, b) => Math.max(most, b.depth), 0));
  const most = useMemo(() => boxes.reduce((m, b) => Math.max(m, Math.abs(delta?.(b.row) ?? 0)), 0), [boxes, delta]);
  useEffect(() => {
    const part = delta && most > 0 ? (row: number): number => (delta(row) ?? 0) / most : null;
    if (canvas.current) draw(canvas.current, { boxes, name: of.name, look: look ?? (() => measure.look), found, chosen, hover, height, change: part });
  }, [boxes, found, chosen, hover, height, theme, delta, look]);
  usePicture("flame", () => canvas.current && box.current && { element: box.current, marks: () => marksOf(boxes, of, kind, canvas.current), view: () => ({ from: 0, to: of.whole }), frames: () => [] }, [boxes]);
  const at = (e: MouseEvent): number => boxes.find((b) => b.depth === Math.floor(e.offsetY / BAR_ROW) && e.offsetX >= b.x && e.offsetX < b.x + b.width)?.row ?? -1;
  const pick = (row: number): void => (row >= 0 ? select({ kind, id: of.id(row) }) : undefined);
  const zoom = (row: number): void => change({ more: { top: row >= 0 ? of.id(row) : "" } });
  const step = (sideways: number, down: number): void => pick(beside(boxes, of.tree, chosen, sideways, down)?.row ?? -1);
  const keys: Record<string, () => void> = {
    ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0), ArrowDown: () => step(0, 1), ArrowUp: () => step(0, -1), Enter: () => zoom(chosen), "0": () => zoom(-1),
  };
  const onKey = (e: KeyboardEvent): void => {
    const act = e.ctrlKey || e.metaKey || e.altKey ? undefined : keys[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  };
  const row = hover >= 0 ? hover : chosen;
  return (
    <>
      <p class="s told">{row >= 0 ? told(p, row) : `${formatUnit(measure.unit, of.whole)} of ${measure.title} in all${p.over ?? ""}`}{top >= 0 && <button type="button" onClick={() => zoom(-1)}>Show all</button>}</p>
      <div ref={box} class="fill-picture" tabIndex={0} role="application" aria-label="Flame graph: arrow keys go from bar to bar, Enter fills the width with one" onKeyDown={onKey}>
        <canvas ref={canvas} aria-hidden="true" style={{ width: "100%", height: `${height}px`, display: "block" }} onMouseMove={(e) => setHover(at(e))} onMouseLeave={() => setHover(-1)} onClick={(e) => pick(at(e))} onDblClick={(e) => zoom(at(e))} />
      </div>
    </>
  );
}

function marksOf(boxes: Box[], of: FlameTree, kind: Kind, canvas: HTMLCanvasElement | null) {
  const b = canvas?.getBoundingClientRect();
  return boxes.map((m) => ({ kind, id: of.id(m.row), name: of.name(m.row), x: (b?.x ?? 0) + m.x, y: (b?.y ?? 0) + m.depth * BAR_ROW, w: m.width, h: BAR_ROW - 1, count: 1 }));
}

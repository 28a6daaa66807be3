// SPDX-License-Identifier: Apache-2.0
// A tree as bars on a canvas: pointer and keys choose a bar, whose numbers are shown; a click zooms in.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Column, Table } from "../api";
import { cellText } from "../api";
import { BAR_ROW, barBeside, barCalled, barName, drawBars, layOutBars } from "../flame";
import { formatShare, formatUnit } from "../format";
import type { Route } from "../route";
import { go, withParams } from "../route";
import { findRows, makeTree, sortSiblings } from "../rows";
import { useShownTheme } from "../theme";

export function Bars({ t, route, total }: { t: Table; route: Route; total: Column }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(1000);
  const [focus, setFocus] = useState(-1);
  const theme = useShownTheme();
  const upward = route.params.get("shape") === "flame";
  const tree = useMemo(() => makeTree(t), [t]);
  const children = useMemo(() => sortSiblings(tree, { column: total, down: true }), [tree, total]);
  const found = useMemo(() => findRows(t, tree, route.params.get("q") ?? ""), [tree, route.params.get("q")]);
  const top = useMemo(() => barCalled(t, route.params.get("top") ?? ""), [t, route.params.get("top")]);
  const boxes = useMemo(() => layOutBars(tree, children, total, top, width), [tree, children, total, top, width]);
  const height = BAR_ROW * (1 + boxes.reduce((most, b) => Math.max(most, b.depth), 0));
  const name = t.columns[0];
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    if (canvas.current) watch.observe(canvas.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current) drawBars(canvas.current, { t, tree, total, boxes, upward, height }, found, focus);
  }, [boxes, found, focus, upward, height, theme]);
  const zoom = (row: number): void => go(withParams(route, { top: row > 0 && name ? barName(t, name, row) : null }));
  const at = (event: MouseEvent): number => {
    const depth = Math.floor((upward ? height - event.offsetY : event.offsetY) / BAR_ROW);
    return boxes.find((b) => b.depth === depth && event.offsetX >= b.x && event.offsetX < b.x + b.width)?.row ?? -1;
  };
  const step = (sideways: number, down: number): void => {
    const next = barBeside(boxes, tree, focus, sideways, down);
    if (next) setFocus(next.row);
  };
  const onKey = (event: KeyboardEvent): void => {
    const keys: Record<string, () => void> = {
      ArrowLeft: () => step(-1, 0),
      ArrowRight: () => step(1, 0),
      ArrowDown: () => step(0, upward ? -1 : 1),
      ArrowUp: () => step(0, upward ? 1 : -1),
      Enter: () => zoom(focus),
      Escape: () => zoom(Math.max(0, tree.parent[top] ?? 0)),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  if (!name || !boxes.length) return <p class="empty">This column is 0 everywhere in this profile.</p>;
  const told = focus >= 0 ? focus : top;
  const value = total.values[told] ?? 0;
  return (
    <>
      <p class="told" aria-live="polite">
        <strong>{cellText(name, told)}</strong> {formatUnit(total.unit, value)} ({formatShare(value, total.values[0] ?? 0)} of all)
        {top > 0 && <button type="button" onClick={() => zoom(Math.max(0, tree.parent[top] ?? 0))}>Zoom out</button>}
      </p>
      <canvas
        ref={canvas}
        class="bars"
        style={{ height: `${height}px` }}
        tabIndex={0}
        role="img"
        aria-label={`bars of ${total.name}; arrow keys go from bar to bar, Enter zooms in, Escape out`}
        onMouseMove={(e) => setFocus(at(e))}
        onMouseLeave={() => setFocus(-1)}
        onClick={(e) => zoom(at(e))}
        onKeyDown={onKey}
      />
    </>
  );
}

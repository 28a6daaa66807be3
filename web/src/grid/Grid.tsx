// SPDX-License-Identifier: Apache-2.0
// The one table of the page: sorts, opens trees by arrow, selects what is clicked, draws only the rows that can be seen.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { goToBest } from "../parts/Thing";
import { sameThing, sel, select } from "../state/store";
import type { Thing } from "../state/store";
import { Head } from "./Head";
import { Row } from "./Row";
import type { Column, RowSet } from "./model";
import { GAP, ROW, TRACK, WIDTH, fitting, hasBar, visible } from "./model";

export interface GridProps {
  label: string; // Table, Steps, Holders, Findings, Profiles, Jobs, Sums, Differences
  set: RowSet;
  columns: Column[];
  sort: string; // a column's name, "-" before it for descending
  onSort: (sort: string) => void;
  text?: string; // only rows whose name contains this
  asked?: string[]; // extra columns to show
  open?: string[]; // ids of opened rows
  onOpen?: (open: string[]) => void;
  lead?: (row: number) => ComponentChildren; // before the name: a tick, a button
  leadWidth?: number;
  tail?: (row: number) => ComponentChildren; // after the name
  foot?: (column: Column | null) => ComponentChildren; // the sum under each column; null: under the name
  nameTitle?: string;
  nameLeast?: number; // least pixels of the name
  every?: boolean; // all columns without bars, scrolled sideways where there is no room
  whole?: boolean; // as high as its rows instead of filling the place
  onPick?: (thing: Thing, row: number) => void; // instead of selecting
}

const AROUND = 8; // rows drawn above and below the visible ones

/** The visible part of the rows, by scroll position and height. */
function useWindow(count: number): { box: { current: HTMLDivElement | null }; from: number; to: number; width: number; onScroll: () => void } {
  const box = useRef<HTMLDivElement>(null);
  const [at, set] = useState({ top: 0, height: 900, width: 900 });
  const look = (): void => {
    const b = box.current;
    if (b) set((old) => (old.top === b.scrollTop && old.height === b.clientHeight && old.width === b.clientWidth ? old : { top: b.scrollTop, height: b.clientHeight, width: b.clientWidth }));
  };
  useLayoutEffect(() => {
    look();
    const watch = new ResizeObserver(look);
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const from = Math.max(0, Math.floor(at.top / ROW) - AROUND);
  return { box, from, to: Math.min(count, Math.ceil((at.top + at.height) / ROW) + AROUND), width: at.width, onScroll: look };
}

const template = (columns: Column[], sort: string, least: number, lead: number, bar: number): string =>
  [...(lead ? [`${lead}px`] : []), `minmax(${least}px,1fr)`, ...columns.map((c) => `${(c.width ?? WIDTH) + (c.name === sort.replace(/^-/, "") && hasBar(c) ? bar : 0)}px`)].join(" ");

export function Grid(p: GridProps) {
  const { set, sort } = p;
  const open = useMemo(() => new Set(p.open), [p.open]);
  const all = useMemo(() => visible(set, p.columns, sort, p.text ?? "", (row) => open.has(set.thing(row).id)), [set, p.columns, sort, p.text, open]);
  const { box, from, to, width, onScroll } = useWindow(all.rows.length);
  const by = p.columns.find((c) => c.name === sort.replace(/^-/, ""));
  // the name is as wide as asked where the column that sorts still fits
  const beside = (by?.width ?? WIDTH) + (by && hasBar(by) ? TRACK : 0) + (p.lead ? (p.leadWidth ?? 28) : 0) + 4 * GAP;
  const least = Math.min(p.nameLeast ?? Math.min(400, Math.max(120, Math.round(width * 0.42))), Math.max(100, width - beside));
  const columns = useMemo(() => fitting(p.columns, set, sort, p.asked ?? [], p.every ? Infinity : width, least), [p.columns, set, sort, p.asked, width, p.every, least]);
  const sorted = columns.find((c) => c.name === sort.replace(/^-/, ""));
  const most = useMemo(() => new Map(columns.map((c) => [c, c.most ?? (c === sorted ? mostOf(set, c) : 0)])), [set, sorted, columns]);
  const chosen = sel.value;
  const at = all.rows.findIndex((row) => sameThing(set.thing(row), chosen));
  const pick = (row: number): void => (p.onPick ? p.onPick(set.thing(row), row) : select(set.thing(row)));
  const turn = (row: number, to_: boolean): void => {
    const { id } = set.thing(row);
    if (open.has(id) !== to_) p.onOpen?.(to_ ? [...open, id] : [...open].filter((o) => o !== id));
  };
  const step = (by: number): void => {
    const next = Math.min(all.rows.length - 1, Math.max(0, at + by));
    pick(all.rows[next] ?? 0);
    reveal(box.current, next);
  };
  const onKey = (e: KeyboardEvent): void => {
    const row = all.rows[at];
    const acts: Record<string, () => void> = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      PageDown: () => step(20),
      PageUp: () => step(-20),
      Home: () => step(-all.rows.length),
      End: () => step(all.rows.length),
      ArrowRight: () => row !== undefined && turn(row, true),
      ArrowLeft: () => row !== undefined && turn(row, false),
      Enter: () => row !== undefined && goToBest(set.thing(row)),
    };
    const act = e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLInputElement || (e.key === "Enter" && e.target instanceof HTMLButtonElement) ? undefined : acts[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  };
  const tree = set.parent !== undefined;
  const style = { gridTemplateColumns: template(columns, sort, least, p.lead ? (p.leadWidth ?? 28) : 0, p.every ? 0 : TRACK) };
  const rows = Array.from(all.rows.subarray(from, to));
  return (
    <div
      ref={box}
      class={p.whole ? "tgrid whole" : "tgrid"}
      role={tree ? "treegrid" : "grid"}
      aria-label={p.label}
      aria-rowcount={all.rows.length + 1}
      aria-colcount={columns.length + 1}
      onScroll={onScroll}
      onKeyDown={onKey}
    >
      <Head columns={columns} sort={sort} onSort={p.onSort} style={style} nameTitle={p.nameTitle ?? "name"} lead={Boolean(p.lead)} />
      <div role="rowgroup" class="rows" style={{ height: `${all.rows.length * ROW}px` }}>
        {rows.map((row, i) => (
          <Row
            key={set.thing(row).id}
            set={set}
            row={row}
            index={from + i}
            columns={columns}
            sorted={sorted}
            most={most}
            style={style}
            chosen={from + i === at}
            focusable={from + i === at || (at < 0 && from + i === 0)}
            depth={tree ? (all.depth[row] ?? 0) : -1}
            opened={all.hasChildren[row] ? Boolean(p.text) || open.has(set.thing(row).id) : null}
            onPick={pick}
            onTurn={turn}
            lead={p.lead}
            tail={p.tail}
          />
        ))}
      </div>
      {p.foot && (
        <div role="rowgroup" class="foot">
          <div role="row" class="r" style={style}>
            {[null, ...columns].map((c) => <div key={c?.name ?? ""} role="gridcell" class={c && !c.text ? "num" : "nm"}>{p.foot?.(c)}</div>)}
          </div>
        </div>
      )}
    </div>
  );
}

function reveal(box: HTMLDivElement | null, index: number): void {
  if (!box) return;
  const [top, room] = [index * ROW, box.clientHeight - 2 * ROW];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top > box.scrollTop + room) box.scrollTop = top - room;
  requestAnimationFrame(() => box.querySelector<HTMLElement>('[aria-selected="true"]')?.focus({ preventScroll: true }));
}

/** The biggest value of a column with bars: its bar is full. */
function mostOf(set: RowSet, column: Column): number {
  let most = 0;
  if (!column.text) for (let i = 0; i < set.count; i++) most = Math.max(most, Math.abs(column.value(i) ?? 0));
  return most;
}

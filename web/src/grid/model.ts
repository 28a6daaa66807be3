// SPDX-License-Identifier: Apache-2.0
// The rows and columns that a grid shows, their order and which of them are visible. No DOM here.
import type { Thing } from "../state/store";

/** A part of a value, drawn in a bar beside the others. */
export interface Segment {
  look: string;
  title: string;
  value: number;
}

export interface Column {
  name: string; // of the landmarks: count, total, self, mean, min, max, share, bytes, before, now, difference ...
  title: string;
  unit: string | null; // us, step, bytes, count, share, percent, number, date
  value: (row: number) => number | null;
  text?: ((row: number) => string) | undefined; // a column of text; it has no value
  signed?: boolean; // differences: + and minus, red and green
  extra?: boolean; // shown only when the column menu asks for it
  width?: number; // pixels; 72 without
  bar?: false; // it has none, also where it sorts
  look?: string; // the kind of its bars, where it is not that of the row
  help?: string;
  segments?: (row: number) => Segment[]; // the parts of its values, drawn in a bar that takes the room beside the number
  most?: number; // fills such a bar; longer ones are cut
}

export interface RowSet {
  count: number;
  ordered?: boolean; // by the server, which has more rows than these
  parent?: ArrayLike<number> | undefined; // of trees: -1 at the roots; parents come before children
  thing: (row: number) => Thing;
  name: (row: number) => string; // as shown; the maker of a kernel comes after " · "
  full: (row: number) => string;
  href?: (row: number) => string; // where its link leads instead of selecting it
  look?: (row: number) => string; // the kind as a class: compute, communication, copy, host, memory
}

export interface Shown {
  rows: Int32Array; // visible rows in order
  depth: Uint8Array; // of each row of the set
  hasChildren: Uint8Array;
}

const absentLast = (a: number, b: number, down: boolean): number => {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1;
  if (Number.isNaN(b)) return -1;
  return down ? b - a : a - b;
};

/** Compares rows by a column; equal ones keep the order of the report. */
function comparison(set: RowSet, columns: Column[], sort: string): ((a: number, b: number) => number) | null {
  if (set.ordered) return null;
  const down = sort.startsWith("-");
  const name = sort.replace(/^-/, "");
  const column = columns.find((c) => c.name === name);
  if (!column && name !== "name") return null;
  const text = column ? column.text : set.name;
  if (text) {
    const texts = Array.from({ length: set.count }, (_, i) => text(i));
    const { compare } = new Intl.Collator("en", { numeric: true }); // step 2 before step 10
    return (a, b) => (down ? -1 : 1) * compare(texts[a] ?? "", texts[b] ?? "") || a - b;
  }
  const size = column?.signed ? Math.abs : (n: number): number => n; // of differences what changed most
  const keys = Float64Array.from({ length: set.count }, (_, i) => size(column?.value(i) ?? NaN));
  return (a, b) => absentLast(keys[a] ?? NaN, keys[b] ?? NaN, down) || a - b;
}

/** Rows whose name has the text, with all above them; null: every row. */
function matching(set: RowSet, text: string): Uint8Array | null {
  if (!text) return null;
  const wanted = text.toLowerCase();
  const found = new Uint8Array(set.count);
  for (let i = set.count - 1; i >= 0; i--) {
    const above = set.parent?.[i] ?? -1;
    if (!found[i] && (set.full(i).toLowerCase().includes(wanted) || set.name(i).toLowerCase().includes(wanted))) found[i] = 1;
    if (found[i] && above >= 0) found[above] = 1;
  }
  return found;
}

/** The rows from the roots down through open ones. `isOpen` decides for rows with children. */
export function visible(set: RowSet, columns: Column[], sort: string, text: string, isOpen: (row: number) => boolean): Shown {
  const children = new Map<number, number[]>();
  const depth = new Uint8Array(set.count);
  const hasChildren = new Uint8Array(set.count);
  const found = matching(set, text);
  for (let i = 0; i < set.count; i++) {
    const above = set.parent?.[i] ?? -1;
    if (above >= 0) [depth[i], hasChildren[above]] = [Math.min(255, (depth[above] ?? 0) + 1), 1];
    if (found && !found[i]) continue;
    const list = children.get(above);
    if (list) list.push(i);
    else children.set(above, [i]);
  }
  const compare = comparison(set, columns, sort);
  const rows: number[] = [];
  const pending: number[] = [];
  const push = (of: number): void => {
    const list = children.get(of) ?? [];
    if (compare) list.sort(compare);
    for (let i = list.length - 1; i >= 0; i--) pending.push(list[i] ?? 0);
  };
  push(-1);
  while (pending.length) {
    const row = pending.pop() ?? 0;
    rows.push(row);
    if (hasChildren[row] && (found || isOpen(row))) push(row);
  }
  return { rows: Int32Array.from(rows), depth, hasChildren };
}

/** The columns to show: those with a value in some row, as many as fit. The one that sorts is always shown, and the requested ones come before the
 * others. */
export function fitting(columns: Column[], set: RowSet, sort: string, asked: string[], width: number, nameLeast: number): Column[] {
  const used = (c: Column): boolean => {
    for (let i = 0; i < set.count; i++) if (c.text ? c.text(i) : c.value(i) !== null) return true;
    return set.count === 0;
  };
  const sorts = (c: Column): boolean => c.name === sort.replace(/^-/, "");
  const wanted = columns.filter((c) => (!c.extra || asked.includes(c.name) || sorts(c)) && used(c));
  let room = width - nameLeast - 8 - (columns.some((c) => sorts(c) && !hasBar(c)) ? 0 : TRACK);
  const worth = (c: Column): number => (sorts(c) ? 2 : asked.includes(c.name) ? 1 : 0);
  const byWorth = [...wanted].sort((a, b) => worth(b) - worth(a));
  const kept = new Set<Column>();
  for (const c of byWorth) {
    const takes = (c.width ?? WIDTH) + GAP;
    if (takes > room && kept.size) continue; // a narrower one may still fit
    room -= takes;
    kept.add(c);
  }
  return wanted.filter((c) => kept.has(c));
}

/** Whether bars make sense for a column's values: a date is not an amount. */
export const hasBar = (c: Column): boolean => !c.text && !c.segments && c.bar !== false && c.unit !== "date";

export const WIDTH = 72; // width of a column
export const GAP = 8; // between columns
export const TRACK = 60; // width of the bars beside the column by which rows are sorted
export const ROW = 24; // height

// SPDX-License-Identifier: Apache-2.0
// Events of lanes, laid out in rows so that none hides another, and found fast at any zoom.
import type { Column, Table } from "./api";

export interface Lane {
  name: string;
  rows: number; // events that overlap stand below each other
  firstRow: number; // of all rows of the page
}

export interface Spans {
  count: number;
  start: Float64Array; // microseconds, from the first one; in order within a row
  end: Float64Array;
  source: Uint32Array; // row of the table
  rowFirst: Uint32Array; // where each row's events begin; one more at the end
  lanes: Lane[];
  whole: number; // end of the last one
  origin: number; // microseconds of the first start
}

export interface Window {
  from: number;
  to: number;
}

const ROWS_MOST = 40;

/** Rows that have a place in time, by lane and start; as the server sends one step they are in that order already. */
function orderOf(lane: Column, start: Column): Uint32Array {
  const lanes = lane.values;
  const starts = start.values;
  const all = new Uint32Array(lanes.length);
  const met = new Uint8Array(lane.texts?.length ?? 0);
  let count = 0;
  let sorted = true;
  for (let i = 0, before = -1; i < all.length; i++) {
    if (!((starts[i] ?? 0) > 0)) continue; // no start was recorded
    const at = lanes[i] ?? 0;
    if (before >= 0 && lanes[before] === at) sorted &&= (starts[before] ?? 0) <= (starts[i] ?? 0);
    else sorted &&= !met[at];
    met[at] = 1;
    before = i;
    all[count++] = i;
  }
  const order = all.subarray(0, count);
  if (!sorted) order.sort((a, b) => (lanes[a] ?? 0) - (lanes[b] ?? 0) || (starts[a] ?? 0) - (starts[b] ?? 0) || a - b);
  return order;
}

/** Rows of one lane: each event goes into the first row that is free when it starts. */
function stack(order: Uint32Array, from: number, to: number, start: Column, duration: Column): { row: Uint8Array; rows: number } {
  const row = new Uint8Array(to - from);
  const free = new Float64Array(ROWS_MOST);
  let rows = 0;
  for (let i = from; i < to; i++) {
    const source = order[i] ?? 0;
    const at = start.values[source] ?? 0;
    let r = 0;
    while (r < rows && (free[r] ?? 0) > at) r++;
    if (r === rows) {
      if (rows < ROWS_MOST) rows++;
      else r = rows - 1;
    }
    free[r] = Math.max(free[r] ?? 0, at + Math.max(duration.values[source] ?? 0, 0));
    row[i - from] = r;
  }
  return { row, rows };
}

export function makeSpans(t: Table): Spans | null {
  const lane = t.column("lane");
  const start = t.column("start_us");
  const duration = t.column("duration_us");
  if (!lane?.texts || !start || !duration || !t.rows) return null;
  const order = orderOf(lane, start);
  const count = order.length;
  let origin = Infinity;
  for (let i = 0; i < count; i++) origin = Math.min(origin, start.values[order[i] ?? 0] ?? 0);
  const out: Spans = {
    count,
    start: new Float64Array(count),
    end: new Float64Array(count),
    source: new Uint32Array(count),
    rowFirst: new Uint32Array(0),
    lanes: [],
    whole: 0,
    origin,
  };
  const firsts: number[] = [];
  for (let from = 0; from < count; ) {
    const here = lane.values[order[from] ?? 0] ?? 0;
    let to = from + 1;
    while (to < count && lane.values[order[to] ?? 0] === here) to++;
    const { row, rows } = stack(order, from, to, start, duration);
    const at = new Uint32Array(rows + 1);
    for (let i = 0; i < row.length; i++) at[(row[i] ?? 0) + 1] = (at[(row[i] ?? 0) + 1] ?? 0) + 1;
    for (let r = 0; r < rows; r++) at[r + 1] = (at[r + 1] ?? 0) + (at[r] ?? 0);
    for (let r = 0; r < rows; r++) firsts.push(from + (at[r] ?? 0));
    for (let i = from; i < to; i++) {
      const source = order[i] ?? 0;
      const r = row[i - from] ?? 0;
      const place = from + (at[r] ?? 0);
      at[r] = (at[r] ?? 0) + 1;
      const begin = (start.values[source] ?? 0) - origin;
      const end = begin + Math.max(0, duration.values[source] ?? 0);
      out.source[place] = source;
      out.start[place] = begin;
      out.end[place] = end;
      if (end > out.whole) out.whole = end;
    }
    out.lanes.push({ name: lane.texts[here] ?? "", rows, firstRow: firsts.length - rows });
    from = to;
  }
  out.rowFirst = Uint32Array.from([...firsts, count]);
  return out;
}

/** The first event of [from, to) that ends after a time; events of a row do not overlap (but in a lane's last row). */
export function firstAfter(s: Spans, from: number, to: number, time: number): number {
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((s.end[middle] ?? 0) <= time) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The row of an event. */
export function rowOf(s: Spans, event: number): number {
  let from = 0;
  let to = s.rowFirst.length - 1;
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    if ((s.rowFirst[middle] ?? 0) <= event) from = middle;
    else to = middle - 1;
  }
  return from;
}

export interface Sum {
  name: string;
  count: number;
  micros: number;
}

/** By the texts of a column, of the events in a window: what of each lies inside. The largest first. */
export function sumsIn(s: Spans, by: Column, w: Window, most: number): Sum[] {
  const texts = by.texts ?? [];
  const counts = new Uint32Array(texts.length);
  const micros = new Float64Array(texts.length);
  for (let row = 0; row + 1 < s.rowFirst.length; row++) {
    const to = s.rowFirst[row + 1] ?? 0;
    for (let i = firstAfter(s, s.rowFirst[row] ?? 0, to, w.from); i < to; i++) {
      const start = s.start[i] ?? 0;
      if (start >= w.to) break;
      const inside = Math.min(s.end[i] ?? 0, w.to) - Math.max(start, w.from);
      if (inside < 0) continue;
      const key = by.values[s.source[i] ?? 0] ?? 0;
      counts[key] = (counts[key] ?? 0) + 1;
      micros[key] = (micros[key] ?? 0) + inside;
    }
  }
  return texts
    .map((name, i) => ({ name: name || "(none)", count: counts[i] ?? 0, micros: micros[i] ?? 0 }))
    .filter((sum) => sum.count)
    .sort((a, b) => b.micros - a.micros)
    .slice(0, most);
}

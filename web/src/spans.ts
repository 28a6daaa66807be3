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

interface Order {
  lane: Uint32Array;
  order: Uint32Array;
}

/** Of events without a start nobody knows where they belong. */
function orderOf(t: Table, lane: Column, start: Column): Order {
  const lanes = lane.values as Uint32Array;
  const all = new Uint32Array(t.rows);
  let count = 0;
  for (let i = 0; i < t.rows; i++) if ((start.values[i] ?? 0) > 0) all[count++] = i;
  const order = all.subarray(0, count);
  const names = lane.texts ?? [];
  const rank = new Uint32Array(names.length);
  [...names.keys()].sort((a, b) => ((names[a] ?? "") < (names[b] ?? "") ? -1 : 1)).forEach((at, i) => (rank[at] = i));
  order.sort((a, b) => (rank[lanes[a] ?? 0] ?? 0) - (rank[lanes[b] ?? 0] ?? 0) || (start.values[a] ?? 0) - (start.values[b] ?? 0));
  return { lane: lanes, order };
}

/** Rows of one lane: each event goes into the first row that is free when it starts. */
function stack(order: Uint32Array, from: number, to: number, start: Column, duration: Column, most: number): Uint16Array {
  const row = new Uint16Array(to - from);
  const free: number[] = [];
  for (let i = from; i < to; i++) {
    const at = start.values[order[i] ?? 0] ?? 0;
    let r = free.findIndex((end) => end <= at);
    if (r < 0) r = free.length < most ? free.length : most - 1;
    free[r] = at + Math.max(duration.values[order[i] ?? 0] ?? 0, 0);
    row[i - from] = r;
  }
  return row;
}

const ROWS_MOST = 40;

export function makeSpans(t: Table): Spans | null {
  const lane = t.column("lane");
  const start = t.column("start_us");
  const duration = t.column("duration_us");
  if (!lane?.texts || !start || !duration || !t.rows) return null;
  const { lane: lanes, order } = orderOf(t, lane, start);
  const count = order.length;
  let origin = Infinity;
  for (const i of order) origin = Math.min(origin, start.values[i] ?? 0);
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
    let to = from + 1;
    while (to < count && lanes[order[to] ?? 0] === lanes[order[from] ?? 0]) to++;
    const row = stack(order, from, to, start, duration, ROWS_MOST);
    const rows = 1 + row.reduce((most, r) => Math.max(most, r), 0);
    const size = new Uint32Array(rows + 1);
    for (const r of row) size[r + 1] = (size[r + 1] ?? 0) + 1;
    for (let r = 0; r < rows; r++) size[r + 1] = (size[r + 1] ?? 0) + (size[r] ?? 0);
    for (let r = 0; r < rows; r++) firsts.push(from + (size[r] ?? 0));
    for (let i = from; i < to; i++) {
      const source = order[i] ?? 0;
      const r = row[i - from] ?? 0;
      const place = from + (size[r] ?? 0);
      size[r] = (size[r] ?? 0) + 1;
      out.source[place] = source;
      out.start[place] = (start.values[source] ?? 0) - origin;
      out.end[place] = (out.start[place] ?? 0) + Math.max(0, duration.values[source] ?? 0);
      out.whole = Math.max(out.whole, out.end[place] ?? 0);
    }
    out.lanes.push({ name: lane.texts[lanes[order[from] ?? 0] ?? 0] ?? "", rows, firstRow: firsts.length - rows });
    from = to;
  }
  out.rowFirst = Uint32Array.from([...firsts, count]);
  return count ? out : null;
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

// SPDX-License-Identifier: Apache-2.0
// The data of a timeline: lanes, and for a window the items visible at its width, as in the server's answers (docs/http.md).
import type { Column, Table } from "./api";
import { cellText, json, profilePath, table } from "./api";
import { textsWith } from "./rows";

export interface Window {
  from: number; // microseconds from the start of the timeline
  to: number;
}

export interface Lane {
  name: string;
  firstRow: number; // index among all rows of the profile
  rows: number; // overlapping spans are in different rows
  spans: number;
}

export interface Lanes {
  lanes: Lane[];
  all: Window; // from the first start to the last end
  steps: Map<number, Window>;
  notes: string[];
}

/** Spans, or several narrower than a pixel as one, by row and start. */
export interface Items {
  window: Window;
  firstRow: number;
  lastRow: number;
  scale: number; // pixels for each microsecond: items narrower than a pixel may be merged
  search: string;
  count: number;
  row: ArrayLike<number>;
  span: ArrayLike<number>;
  times: ArrayLike<number>; // the number of spans in each item
  start: ArrayLike<number>;
  end: Float64Array;
  busy: ArrayLike<number>;
  name: Column;
  kind: Column;
  found: ArrayLike<number> | null; // how many of these contain the text searched for
  rowFirst: Uint32Array; // by row from firstRow on: where its items begin; one more at the end
  t: Table;
}

export interface Linked {
  relation: string;
  span: number;
  row: number;
  name: string;
  start_us: number;
  duration_us: number;
}

export interface Details {
  summary: {
    span: number;
    name: string;
    kind: string;
    class: string | null;
    lane: string;
    row: number;
    start_us: number;
    duration_us: number;
    self_us: number | null;
    step: number | null;
    node: string | null;
  };
  args: { key: string; value: string }[];
  rows: Linked[];
  notes?: string[];
}

export interface Sum {
  name: string;
  count: number;
  total_us: number;
}

export interface Match {
  span: number;
  place: number;
  matches: number;
}

/** The source of a timeline's answers: a server, or the report's own file. */
export interface Source {
  lanes: Lanes;
  summary: string; // a sentence about the spans included when some are missing; otherwise ""
  items(window: Window, firstRow: number, lastRow: number, px: number, search: string, signal: AbortSignal): Promise<Items>;
  details(span: number, signal: AbortSignal): Promise<Details>;
  sums(window: Window, signal: AbortSignal): Promise<Sum[]>;
  find(search: string, after: number | null, backward: boolean): Promise<Match>;
}

interface LaneRow {
  step: number | null;
  rank: number | null;
  process: string | null;
  lane: string;
  label: string | null;
  first_row: number;
  rows: number;
  spans: number;
  start_us: number;
  end_us: number;
}

export interface LaneAnswer {
  rows: LaneRow[];
  steps: { step: number; start_us: number; end_us: number }[];
  notes?: string[];
}

/** A lane's name, with the rank or process before it when there are several, and the file's own name for it. PyTorch's mark
 * of the recording's end belongs to no thread. */
function titleOf(l: LaneRow, several: boolean): string {
  const before = !several ? "" : l.rank !== null ? `rank ${l.rank} · ` : l.process ? `${l.process} · ` : "";
  return `${before}${l.lane.replace(/\/thread:$/, "/no thread")}${l.label && l.label !== l.lane ? ` · ${l.label}` : ""}`;
}

export function readLanes(answer: LaneAnswer): Lanes {
  const several = new Set(answer.rows.map((l) => `${l.rank} ${l.process}`)).size > 1;
  const lanes = answer.rows.map((l) => ({ name: titleOf(l, several), firstRow: l.first_row, rows: l.rows, spans: l.spans }));
  // a lane that only has marks without duration, such as that of a recording's end, does not widen the timeline
  const long = answer.rows.filter((l) => l.end_us > l.start_us);
  const [from, to] = [Math.min, Math.max].map((most, i) => most(...(long.length ? long : answer.rows).map((l) => (i ? l.end_us : l.start_us)))) as [number, number];
  const all = lanes.length ? { from, to: Math.max(to, from + 1) } : { from: 0, to: 1 };
  return { lanes, all, notes: answer.notes ?? [], steps: new Map(answer.steps.map((s) => [s.step, { from: s.start_us, to: Math.max(s.end_us, s.start_us + 1) }])) };
}

function rowsOf(row: ArrayLike<number>, firstRow: number, lastRow: number): Uint32Array {
  const first = new Uint32Array(lastRow - firstRow + 2);
  let at = 0;
  for (let r = firstRow; r <= lastRow + 1; r++) {
    while (at < row.length && (row[at] ?? 0) < r) at++;
    first[r - firstRow] = at;
  }
  return first;
}

export function makeItems(t: Table, about: Pick<Items, "window" | "firstRow" | "lastRow" | "scale" | "search">): Items | null {
  const [row, start, duration, name, kind] = [t.column("row"), t.column("start_us"), t.column("duration_us"), t.column("name"), t.column("kind")];
  const [span, times, busy] = [t.column("span"), t.column("count"), t.column("busy_us")];
  if (!row || !start || !duration || !name?.texts || !kind || !span || !times || !busy) return null;
  const end = Float64Array.from(start.values, (from, i) => from + (duration.values[i] ?? 0));
  const words = about.search ? textsWith(name.texts, about.search) : null;
  const found = t.column("found")?.values ?? (words && Float64Array.from(name.values, (text) => words[text] ?? 0));
  const rowFirst = rowsOf(row.values, about.firstRow, about.lastRow);
  return { ...about, count: t.rows, row: row.values, span: span.values, times: times.values, start: start.values, end, busy: busy.values, name, kind, found, rowFirst, t };
}

export const nameAt = (d: Items, i: number): string => cellText(d.name, i);

/** The first item of [from, to) that ends after a time; items of a row do not overlap. */
export function firstAfter(d: Items, from: number, to: number, time: number): number {
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((d.end[middle] ?? 0) <= time && (d.start[middle] ?? 0) < time) from = middle + 1;
    else to = middle;
  }
  return from;
}

export const lastRowOf = (l: Lanes): number => l.lanes.reduce((last, lane) => Math.max(last, lane.firstRow + lane.rows - 1), 0);
export const firstRowOf = (l: Lanes): number => l.lanes[0]?.firstRow ?? 0;

/** Asks a server. With a step only that step's lanes are listed, which matters where each step has its own. */
export async function servedSource(id: string, step: string, signal: AbortSignal, progress: (part: number) => void): Promise<Source> {
  const lanes = readLanes(await json<LaneAnswer>(profilePath(id, `lanes?step=${encodeURIComponent(step || "-1")}`), signal, progress));
  const rows = `first_row=${firstRowOf(lanes)}&last_row=${lastRowOf(lanes)}`;
  const window = (w: Window): string => `from=${Math.max(0, w.from)}&to=${Math.max(w.to, w.from + 0.001)}`;
  return {
    lanes,
    summary: "",
    async items(w, firstRow, lastRow, px, search, stop) {
      const q = search ? `&q=${encodeURIComponent(search)}` : "";
      const t = await table(profilePath(id, `spans?${window(w)}&px=${px}&first_row=${firstRow}&last_row=${lastRow}${q}&format=columns`), stop);
      const items = makeItems(t, { window: w, firstRow, lastRow, scale: px / (w.to - w.from), search });
      if (!items) throw new Error("not a window of a timeline");
      return items;
    },
    details: (span, stop) => json<Details>(profilePath(id, `spans/${span}`), stop),
    sums: async (w, stop) => (await json<{ rows: Sum[] }>(profilePath(id, `sums?${window(w)}`), stop)).rows,
    async find(search, after, backward) {
      const query = `q=${encodeURIComponent(search)}&${rows}&backward=${backward ? 1 : 0}${after === null ? "" : `&after=${after}`}`;
      const answer = await json<{ summary: { matches: number; place: number }; rows: { span: number }[] }>(profilePath(id, `find?${query}`));
      return { ...answer.summary, span: answer.rows[0]?.span ?? -1 };
    },
  };
}

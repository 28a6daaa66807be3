// SPDX-License-Identifier: Apache-2.0
// The data of a timeline: lanes, steps, and for a window the items visible at its width, as in the server's answers (docs/http.md).
import type { Column, Table } from "../answers/api";
import { cellText, json, profilePath, table } from "../answers/api";
import type { Window } from "../state/store";
import { textsWith } from "../tree/rows";

export type LaneKind = "compute" | "communication" | "copy" | "host" | "memory" | "derived";

export interface Lane {
  id: string; // number of its first row
  name: string; // "compute", "main"
  detail: string; // "stream 7", "4515"
  device: string; // "gpu:0", "cpu"
  process: string;
  rank: number; // -1: none
  kind: LaneKind; // what takes most of its time
  classes: string[]; // all kinds of its activities
  firstRow: number; // index among all rows of the profile
  rows: number; // overlapping spans are in different rows
  spans: number;
  start: number;
  end: number;
  busy: number;
}

export interface Step extends Window {
  step: number;
}

export interface Lanes {
  lanes: Lane[];
  all: Window; // range from the first start to the last end
  steps: Step[];
  notes: string[];
}

/** Spans sorted by row and start; several that are narrower than a pixel are one item. */
export interface Items {
  window: Window;
  rows: string; // the requested rows, as a list
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
  short: Column | undefined;
  kind: Column;
  class: Column | undefined;
  found: ArrayLike<number> | null; // for each item, how many of its spans contain the searched text
  at: Map<number, [number, number]>; // for each row the range of its items
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
  short: string;
  kind: string;
  device: boolean;
  count: number;
  total_us: number;
  mean_us: number;
  min_us: number;
  max_us: number;
  share: number;
  span: number;
}

export interface Sums {
  rows: Sum[];
  device_us: number;
  host_us: number;
}

export const GROUPINGS = ["name", "kind", "lane", "op"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface Match {
  span: number;
  place: number;
  matches: number;
}

/** The source of a timeline's answers: a server, or the report's own file. `rows`: a list such as "0-24,33". */
export interface Source {
  lanes: Lanes;
  summary: string; // a sentence about the spans included when some are missing; otherwise ""
  items(window: Window, rows: string, px: number, search: string, signal: AbortSignal): Promise<Items>;
  details(span: number, signal: AbortSignal): Promise<Details>;
  sums(window: Window, by: Grouping, search: string, rows: string, signal: AbortSignal): Promise<Sums>;
  find(search: string, after: number | null, backward: boolean): Promise<Match>;
}

interface LaneRow {
  rank: number | null;
  process: string | null;
  device: string | null;
  lane: string;
  title: string;
  detail: string | null;
  kind: LaneKind;
  first_row: number;
  rows: number;
  spans: number;
  start_us: number;
  end_us: number;
  busy_us: number;
  classes?: string | null;
}

export interface LaneAnswer {
  rows: LaneRow[];
  steps: { step: number; start_us: number; end_us: number }[];
  notes?: string[];
}

const laneOf = (l: LaneRow): Lane => ({
  id: String(l.first_row), name: l.title, detail: l.detail ?? "", device: l.device ?? "", process: l.process ?? "", rank: l.rank ?? -1, kind: l.kind, classes: l.classes?.split("|") ?? [],
  firstRow: l.first_row, rows: l.rows, spans: l.spans, start: l.start_us, end: l.end_us, busy: l.busy_us,
});

export function readLanes(answer: LaneAnswer): Lanes {
  const lanes = answer.rows.map(laneOf);
  // what does not widen the timeline: a lane of marks without duration, such as that of a recording's end, and lanes that count
  // nowhere, such as that of the profiler itself, which begins before anything runs and ends after it
  const long = lanes.filter((l) => l.end > l.start && l.kind !== "derived");
  const within = long.length ? long : lanes;
  const from = within.reduce((least, l) => Math.min(least, l.start), Infinity);
  const to = within.reduce((most, l) => Math.max(most, l.end), 0);
  const all = lanes.length ? { from, to: Math.max(to, from + 1) } : { from: 0, to: 1 };
  return { lanes, all, notes: answer.notes ?? [], steps: answer.steps.map((s) => ({ step: s.step, from: s.start_us, to: Math.max(s.end_us, s.start_us + 1) })) };
}

function placesOf(row: ArrayLike<number>): Map<number, [number, number]> {
  const at = new Map<number, [number, number]>();
  for (let i = 0, end; i < row.length; i = end) {
    for (end = i + 1; end < row.length && row[end] === row[i]; ) end++;
    at.set(row[i] ?? 0, [i, end]);
  }
  return at;
}

/** For each item, whether its name, or the name that people see, contains the text. */
function foundIn(words: Uint8Array, name: Column, short: Column | undefined, search: string): Float64Array {
  const seen = short?.texts ? textsWith(short.texts, search) : null;
  return Float64Array.from(name.values, (text, i) => (words[text] || (seen && !short?.absent?.[i] && seen[short?.values[i] ?? 0]) ? 1 : 0));
}

export function makeItems(t: Table, about: Pick<Items, "window" | "rows" | "scale" | "search">): Items | null {
  const [row, start, duration, name, kind] = [t.column("row"), t.column("start_us"), t.column("duration_us"), t.column("name"), t.column("kind")];
  const [span, times, busy] = [t.column("span"), t.column("count"), t.column("busy_us")];
  if (!row || !start || !duration || !name?.texts || !kind || !span || !times || !busy) return null;
  const end = Float64Array.from(start.values, (from, i) => from + (duration.values[i] ?? 0));
  const words = about.search ? textsWith(name.texts, about.search) : null;
  const found = t.column("found")?.values ?? (words && foundIn(words, name, t.column("short"), about.search));
  const [short, kinds] = [t.column("short"), t.column("class")];
  return {
    ...about, count: t.rows, row: row.values, span: span.values, times: times.values, start: start.values, end, busy: busy.values,
    name, short, kind, class: kinds, found, at: placesOf(row.values), t,
  };
}

export const nameAt = (d: Items, i: number): string => cellText(d.name, i);
/** The name that people see; a kernel is named by its meaning. */
export const shortAt = (d: Items, i: number): string => (d.short && cellText(d.short, i)) || nameAt(d, i);
/** The kind that decides the colour: an activity's class, otherwise host. */
export function kindAt(d: Items, i: number): LaneKind {
  const word = d.class ? cellText(d.class, i) : "";
  return word === "compute" || word === "communication" ? word : word ? "copy" : "host";
}

/** The first item of [from, to) that ends after a time; items of a row do not overlap. */
export function firstAfter(d: Items, from: number, to: number, time: number): number {
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((d.end[middle] ?? 0) <= time && (d.start[middle] ?? 0) < time) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The item of a row at a time, or within some time of it; -1: none. */
export function itemAt(d: Items, row: number, time: number, slack: number): number {
  const [from, to] = d.at.get(row) ?? [0, 0];
  const i = firstAfter(d, from, to, time - slack);
  if (i >= to || (d.start[i] ?? 0) > time + slack) return -1;
  // if two are within reach, the one under the pointer
  return i + 1 < to && (d.end[i] ?? 0) < time && (d.start[i + 1] ?? 0) <= time ? i + 1 : i;
}

/** Writes ascending numbers as a list: 0, 1, 2, 5 is "0-2,5". */
export function listOf(rows: number[]): string {
  const out: string[] = [];
  for (let i = 0, end; i < rows.length; i = end) {
    for (end = i + 1; end < rows.length && rows[end] === (rows[end - 1] ?? 0) + 1; ) end++;
    out.push(end - i > 1 ? `${rows[i]}-${rows[end - 1]}` : `${rows[i]}`);
  }
  return out.join(",");
}

interface SumRow extends Omit<Sum, "device" | "short"> {
  device: boolean | number;
  short?: string | null;
}
interface SumAnswer {
  rows: SumRow[];
  summary: { device_us: number; host_us: number };
}

const readSums = (answer: SumAnswer): Sums => ({ ...answer.summary, rows: answer.rows.map((r) => ({ ...r, device: Boolean(r.device), short: r.short || r.name })) });

const timesOf = (w: Window): string => `from=${Math.max(0, w.from)}&to=${Math.max(w.to, w.from + 0.001)}`;
const asked = (name: string, value: string): string => (value ? `&${name}=${encodeURIComponent(value)}` : "");

/** A source that asks a server. With a step only that step's lanes are listed, which matters if each step has
 * its own lanes. */
export async function servedSource(id: string, step: string, signal: AbortSignal, progress: (part: number) => void): Promise<Source> {
  const lanes = readLanes(await json<LaneAnswer>(profilePath(id, `lanes?step=${encodeURIComponent(step || "-1")}`), signal, progress));
  return {
    lanes,
    summary: "",
    async items(w, rows, px, search, stop) {
      const t = await table(profilePath(id, `spans?${timesOf(w)}&px=${px}${asked("rows", rows)}${asked("q", search)}&format=columns`), stop);
      const items = makeItems(t, { window: w, rows, scale: px / (w.to - w.from), search });
      if (!items) throw new Error("not a window of a timeline");
      return items;
    },
    details: (span, stop) => json<Details>(profilePath(id, `spans/${span}`), stop),
    sums: async (w, by, search, rows, stop) => readSums(await json<SumAnswer>(profilePath(id, `sums?${timesOf(w)}&by=${by}${asked("q", search)}${asked("rows", rows)}`), stop)),
    async find(search, after, backward) {
      const query = `q=${encodeURIComponent(search)}&backward=${backward ? 1 : 0}${after === null ? "" : `&after=${after}`}`;
      const answer = await json<{ summary: { matches: number; place: number }; rows: { span: number }[] }>(profilePath(id, `find?${query}`));
      return { ...answer.summary, span: answer.rows[0]?.span ?? -1 };
    },
  };
}

// SPDX-License-Identifier: Apache-2.0
// What the page shows of a store of `tfprof watch`: findings, and the steps of ranks in parts of time. No DOM here.
import type { Table } from "../answers/api";
import { numbers, texts } from "../table/read";

/** What the main thread did, from the bottom of a bar to its top; `look` is a class. */
export const CLASSES = [
  { column: "compute_us", title: "compute", look: "compute" },
  { column: "input_us", title: "input", look: "input" },
  { column: "gc_us", title: "garbage collector", look: "gc" },
  { column: "lock_us", title: "locks", look: "lock" },
  { column: "storage_us", title: "storage", look: "storage" },
  { column: "throttled_us", title: "throttled", look: "throttled" },
  { column: "wait_us", title: "waits for other ranks", look: "wait" },
] as const;

export interface Part {
  at: number; // milliseconds since 1970
  steps: number; // 0: a window without known steps
  duration: number; // of a step, microseconds
  late: number | null;
  times: number[]; // of CLASSES, in a step
}

export interface Band {
  run: string;
  rank: number | null;
  pid: number;
  parts: Part[];
}

export interface Picture {
  bands: Band[];
  from: number; // milliseconds since 1970
  to: number;
  length: number; // of a part, milliseconds
  high: number; // the duration that is as high as a band; longer ones are cut
}

export interface Finding {
  id: string;
  job: string;
  rank: number | null;
  kind: string;
  cause: string;
  line: string;
  evidence: string;
  waiting: string;
  ring: string;
  found: number; // milliseconds since 1970, as the next two
  since: number;
  ended: number | null;
  step: number | null;
  lateness: number | null;
  gain: number | null;
  certainty: number | null;
  chance: number | null;
}

function highOf(bands: Band[]): number {
  const all = bands.flatMap((b) => b.parts.filter((p) => p.steps > 0).map((p) => p.duration)).sort((a, b) => a - b);
  return 1.1 * (all[Math.floor(0.98 * (all.length - 1))] ?? 0);
}

/** The rows come sorted by rank and time. */
export function pictureOf(t: Table): Picture {
  const [run, start] = [texts(t, "run"), texts(t, "start")];
  const [rank, pid, steps, duration, late, length] = ["rank", "pid", "steps", "duration_us", "late_us", "length_us"].map((n) => numbers(t, n));
  const times = CLASSES.map((c) => numbers(t, c.column));
  const bands: Band[] = [];
  for (let i = 0; i < t.rows; i++) {
    let band = bands[bands.length - 1];
    if (band?.run !== run(i)) bands.push((band = { run: run(i), rank: rank?.(i) ?? null, pid: pid?.(i) ?? 0, parts: [] }));
    band.parts.push({ at: Date.parse(start(i)), steps: steps?.(i) ?? 0, duration: duration?.(i) ?? 0, late: late?.(i) ?? null, times: times.map((n) => n(i) ?? 0) });
  }
  const all = bands.flatMap((b) => b.parts.map((p) => p.at)).filter(Number.isFinite);
  const part = (length?.(0) ?? 1e6) / 1e3;
  const from = all.reduce((a, b) => Math.min(a, b), Infinity);
  return { bands, from: all.length ? from : 0, to: all.length ? all.reduce((a, b) => Math.max(a, b)) + part : 0, length: part, high: highOf(bands) };
}

/** A window without known steps may be longer than a part. */
export const widthOf = (p: Part, of: Picture): number => (p.steps ? of.length : Math.max(of.length, p.duration / 1e3));

/** The shape of each class in a band, for a picture that is as wide as its parts and 100 high. */
export function shapesOf(band: Band, of: Picture): string[] {
  const out = CLASSES.map(() => "");
  for (const p of band.parts) {
    const whole = p.times.reduce((a, b) => a + b, 0);
    const height = p.steps && of.high > 0 ? Math.min(100, (100 * p.duration) / of.high) : 100;
    const w = +(widthOf(p, of) / of.length).toFixed(2);
    let y = 100;
    p.times.forEach((us, i) => {
      const h = whole > 0 ? (height * us) / whole : 0;
      if (h < 0.5) return;
      y -= h;
      out[i] += `M${+((p.at - of.from) / of.length).toFixed(2)} ${y.toFixed(1)}h${w}v${h.toFixed(1)}h-${w}z`;
    });
  }
  return out;
}

/** Parts of time in which a rank came later than 2 % of its step. */
export const lateParts = (band: Band): Part[] => band.parts.filter((p) => p.steps > 0 && (p.late ?? 0) > 0.02 * p.duration);

export function findingsOf(t: Table): Finding[] {
  const text = Object.fromEntries(["run", "job", "kind", "cause", "line", "evidence", "waiting", "ring", "found", "since", "ended"].map((n) => [n, texts(t, n)]));
  const number = Object.fromEntries(["rank", "step", "lateness_us", "gain", "certainty", "chance"].map((n) => [n, numbers(t, n)]));
  const at = (name: string, row: number): string => text[name]?.(row) ?? "";
  const n = (name: string, row: number): number | null => number[name]?.(row) ?? null;
  return Array.from({ length: t.rows }, (_, i): Finding => ({
    id: `${at("kind", i)}-${at("since", i)}-${at("run", i).slice(0, 8)}`, job: at("job", i), rank: n("rank", i), kind: at("kind", i), cause: at("cause", i), line: at("line", i),
    evidence: at("evidence", i), waiting: at("waiting", i), ring: at("ring", i), found: Date.parse(at("found", i)), since: Date.parse(at("since", i)), ended: at("ended", i) ? Date.parse(at("ended", i)) : null,
    step: n("step", i), lateness: n("lateness_us", i), gain: n("gain", i), certainty: n("certainty", i), chance: n("chance", i),
  }));
}

/** "/src/train.py:59:Loader.load" as "train.py:59 Loader.load". */
export function shortLine(line: string): string {
  const [, file = "", number = "", name = ""] = /([^/]*):(\d+):(.*)$/.exec(line) ?? [];
  return file ? `${file}:${number} ${name}` : line;
}

export const saysOf = (f: Finding): string =>
  `${f.rank === null ? "all ranks" : `rank ${f.rank}`}: ${f.kind}${f.cause && f.cause !== f.kind ? ` (${f.cause})` : ""}${f.line ? ` at ${shortLine(f.line)}` : ""}`;

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800].map((s) => 1000 * s);

/** A time of day, UTC; of several days with the date. */
export function clockOf(at: number, span: number): string {
  const text = Number.isFinite(at) ? new Date(at).toISOString() : "";
  return span > 86_400_000 ? text.slice(5, 16).replace("T", " ") : span > 3_600_000 ? text.slice(11, 16) : text.slice(11, 19);
}

/** Round times, at most `most` of them. */
export function ticksOf(from: number, to: number, most = 8): number[] {
  const step = STEPS.find((s) => (to - from) / s <= most) ?? (to - from) / most;
  const first = Math.ceil(from / step) * step;
  return to > from ? Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, i) => first + i * step) : [];
}

/** Findings in lanes, so that those at one time do not cover each other. */
export function lanesOf(list: Finding[], to: number): Finding[][] {
  const lanes: { end: number; of: Finding[] }[] = [];
  for (const f of [...list].sort((a, b) => a.since - b.since)) {
    const free = lanes.find((l) => l.end <= f.since);
    if (free) free.of.push(f);
    else lanes.push({ end: 0, of: [f] });
    (free ?? (lanes[lanes.length - 1] as { end: number })).end = f.ended ?? to;
  }
  return lanes.map((l) => l.of);
}

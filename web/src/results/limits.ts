// SPDX-License-Identifier: Apache-2.0
// How far calls are from what their device can do (tfprof limits): requests, rows of the chosen ranks, and what a bar shows of a row.
import { jsonOnce } from "../answers/data";
import { profilePath } from "../answers/api";
import { isReport } from "../answers/embedded";
import type { Loaded } from "../answers/load";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import type { Filters, Kind } from "../state/store";
import { filters, state } from "../state/store";

export interface LimitsSummary {
  step_us: number | null;
  bound_us: number | null;
  bound_by: "replay" | "sum" | null;
  gain_us: number | null;
  device_us: number;
  judged_us: number;
  judged_share: number | null;
  ideal_us: number | null;
  loss_us: number | null;
  latency_calls: number | null;
  latency_us: number | null;
  not_judged_us: number;
  mfu: number | null;
  bandwidth_use: number | null;
  float_ops: number;
  bytes_moved: number;
  fuse_gain_us: number | null;
  device: string | null;
  peak_bandwidth: number | null;
  peak_flops: string | null; // "fp32=6.7e+13 bf16=9.895e+14"
  floor_us: number;
  steps: number;
}

/** A row by op, module, layer, line or kernel. */
export interface LimitRow {
  rank?: number;
  name: string;
  short: string;
  class: string;
  calls: number;
  device_us: number;
  share: number | null;
  ideal_us: number | null;
  loss_us: number | null;
  loss_share: number | null;
  efficiency: number | null;
  bound: string | null;
  float_ops: number;
  bytes_moved: number;
  latency_calls: number | null;
  latency_us: number | null;
  not_judged_us: number;
  why: string | null;
}

/** Products, convolutions and attention of one shape. */
export interface ShapeRow {
  rank?: number;
  class: string;
  op: string;
  shape: string;
  type: string;
  transposed: string | null;
  calls: number;
  device_us: number;
  share: number | null;
  mean_us: number;
  min_us: number;
  max_us: number;
  ideal_us: number | null;
  loss_us: number | null;
  efficiency: number | null;
  bound: string | null;
  float_ops: number;
  bytes_moved: number;
  tflops_mean: number;
  of_peak: number | null;
  kernels: string;
}

/** A chain of calls that one kernel could do. */
export interface ChainRow {
  rank?: number;
  chain: string;
  module: string | null;
  shape: string;
  calls: number;
  kernels: number;
  device_us: number;
  share: number | null;
  bytes_moved: number;
  bytes_saved: number;
  fused_us: number | null;
  gain_us: number | null;
  gain_share: number | null;
  same_rate_us: number | null;
  certainty: string;
}

interface Rows {
  op: LimitRow;
  module: LimitRow;
  layer: LimitRow;
  line: LimitRow;
  kernel: LimitRow;
  shape: ShapeRow;
  chain: ChainRow;
}
export type LimitsBy = keyof Rows;

export interface Limits<R = LimitRow> {
  summary: LimitsSummary;
  notes: string[];
  rows: R[];
}

interface Answer {
  summary: LimitsSummary;
  notes?: string[];
  columns: { name: string; short?: string[] }[];
  rows: object[];
}

/** What a row by this is, for the panel and the links. */
export const KIND_BY: Record<"op" | "module" | "layer" | "line" | "kernel", Kind> = { op: "op", module: "scope", layer: "layer", line: "line", kernel: "kernel" };

const PEAKS = ["peak_flops", "peak_bandwidth", "floor"]; // options that the address may have in this place

/** One step is a parameter; a report holds the answers over all steps only. */
export function limitsPath(id: string, by: LimitsBy): string {
  const { steps } = filters.value;
  const { more } = state.value;
  const step = steps && steps.from === steps.to && !isReport ? [`step=${steps.from}`] : [];
  const peaks = isReport ? [] : PEAKS.filter((name) => more[name]).map((name) => `${name}=${encodeURIComponent(more[name] ?? "")}`);
  return profilePath(id, `views/limits?${["format=json", `by=${by}`, ...step, ...peaks].join("&")}`);
}

/** Kernels have short names beside their own. */
async function answerTo<B extends LimitsBy>(path: string): Promise<Limits<Rows[B]>> {
  const { summary, notes = [], columns, rows } = await jsonOnce<Answer>(path);
  const short = columns.find((c) => c.short)?.short;
  return { summary, notes, rows: rows.map((row, i) => ("name" in row ? { ...row, short: short?.[i] ?? row.name } : row)) as Rows[B][] };
}

/** Of all that was recorded, whatever the filters choose. */
export const limitsOf = <B extends LimitsBy>(id: string, by: B): Promise<Limits<Rows[B]>> => answerTo<B>(profilePath(id, `views/limits?format=json&by=${by}`));

/** Undefined where the trace has no shapes. */
export function useLimits<B extends LimitsBy>(of: Opened, by: B): Loaded<Limits<Rows[B]> | undefined> {
  const path = of.facts.has?.shapes ? limitsPath(of.id, by) : "";
  return useLoaded(path, () => (path ? answerTo<B>(path) : Promise.resolve(undefined)));
}

/** What the numbers cover although filters are active: several steps and a range are no option of limits, ranks are columns of its tables. */
export function limitsCover({ steps, range, device }: Filters): string {
  const one = steps && steps.from === steps.to && !isReport;
  return [(steps && !one) || range ? "of the whole run" : "", device ? "over all devices" : ""].filter(Boolean).join(", ");
}

const plus = (a: number | null, b: number | null): number | null => (a === null && b === null ? null : (a ?? 0) + (b ?? 0));

function joined(a: LimitRow, b: LimitRow): LimitRow {
  const [ideal, judged] = [plus(a.ideal_us, b.ideal_us), a.device_us - a.not_judged_us + b.device_us - b.not_judged_us];
  return {
    ...a,
    calls: a.calls + b.calls,
    device_us: a.device_us + b.device_us,
    share: plus(a.share, b.share),
    ideal_us: ideal,
    loss_us: plus(a.loss_us, b.loss_us),
    loss_share: plus(a.loss_share, b.loss_share),
    efficiency: ideal !== null && judged > 0 ? ideal / judged : null,
    bound: (a.ideal_us ?? 0) >= (b.ideal_us ?? 0) ? a.bound : b.bound,
    float_ops: a.float_ops + b.float_ops,
    bytes_moved: a.bytes_moved + b.bytes_moved,
    latency_calls: plus(a.latency_calls, b.latency_calls),
    latency_us: plus(a.latency_us, b.latency_us),
    not_judged_us: a.not_judged_us + b.not_judged_us,
    why: a.why ?? b.why,
  };
}

/** The rows of the chosen ranks, one for each name. */
export function overRanks(rows: LimitRow[], ranks: number[]): LimitRow[] {
  const found = new Map<string, LimitRow>();
  for (const row of rows) {
    if (ranks.length && row.rank !== undefined && !ranks.includes(row.rank)) continue;
    const had = found.get(row.name);
    found.set(row.name, had ? joined(had, row) : row);
  }
  return [...found.values()];
}

/** The parts of a row's device time, which add up to it. Short kernels are apart: their limit is how short a kernel can be. */
export interface Parts {
  ideal: number;
  loss: number;
  latency: number;
  unjudged: number;
}

export function partsOf(row: LimitRow, floor: number): Parts {
  const [latency, unjudged] = [row.latency_us ?? 0, row.not_judged_us];
  const rest = Math.max(0, row.device_us - unjudged - latency);
  if (row.ideal_us === null) return { ideal: 0, loss: 0, latency: 0, unjudged: row.device_us };
  const inLatency = Math.min(latency, floor * (row.latency_calls ?? 0)); // the ideal time of the short kernels
  const ideal = Math.min(rest, Math.max(0, row.ideal_us - inLatency));
  return { ideal, loss: rest - ideal, latency, unjudged };
}

/** Peaks of float operations a second by type, the fastest last. */
export function peaksOf(text: string | null): { type: string; flops: number }[] {
  const all = (text ?? "").split(" ").filter(Boolean).map((word) => word.split("="));
  return all.map(([type = "", flops = "0"]) => ({ type, flops: Number(flops) })).filter((p) => p.flops > 0).sort((a, b) => a.flops - b.flops);
}

export const shapeId = (r: ShapeRow): string => [r.op, r.shape, r.type, r.transposed].filter(Boolean).join(" ");
export const chainId = (r: ChainRow): string => [r.chain, r.module ?? "", r.shape].join(" | ");

/** Whether a module is one of a layer: modules of one layer differ in numbers only, which are stars in its name. */
export const isOfLayer = (module: string, layer: string): boolean => module === layer || module.replace(/([_.])\d+(?=$|[/.])/g, "$1*") === layer;

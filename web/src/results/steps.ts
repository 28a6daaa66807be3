// SPDX-License-Identifier: Apache-2.0
// Steps, their parts and the quantities of the page: one definition, used by every place. Means are over steps, then over ranks.
import type { Table } from "../answers/api";
import { profilePath } from "../answers/api";
import { tableOnce } from "../answers/data";
import type { Loaded } from "../answers/load";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import type { Filters } from "../state/store";
import { filters } from "../state/store";
import { numbers, texts } from "../table/read";

/** A part of a step; the parts add up to its time. */
export type PartName = "compute" | "exposed_communication" | "exposed_copies" | "idle";

export interface StepRow {
  rank: number;
  step: number;
  device: string;
  start: number; // relative to the first step; the timeline's clock begins earlier
  duration: number; // where the host runs ahead of its devices, that of the work on the device, not of the marker
  communication: number;
  copy: number;
  kernels: number;
  parts: Record<PartName, number>;
}

export const PARTS: { name: PartName; title: string; look: string; column: string; leads: string }[] = [
  { name: "compute", title: "compute", look: "compute", column: "compute_us", leads: "kernel" },
  { name: "exposed_communication", title: "exposed communication", look: "communication", column: "exposed_communication_us", leads: "transfer" },
  { name: "exposed_copies", title: "exposed copies", look: "copy", column: "exposed_copy_us", leads: "transfer" },
  { name: "idle", title: "idle", look: "idle", column: "idle_us", leads: "wait" },
];

export function stepRows(t: Table): StepRow[] {
  const step = texts(t, "step");
  const device = texts(t, "device");
  const at = Object.fromEntries(["rank", "start_us", "duration_us", "step_us", "communication_us", "copy_us", "kernels", ...PARTS.map((p) => p.column)].map((n) => [n, numbers(t, n)]));
  const n = (name: string, row: number): number => at[name]?.(row) ?? 0;
  const out: StepRow[] = [];
  for (let i = 0; i < t.rows; i++) {
    if (!/^\d+$/.test(step(i))) continue; // skips the row for everything recorded
    const parts = Object.fromEntries(PARTS.map((p) => [p.name, n(p.column, i)])) as Record<PartName, number>;
    out.push({ rank: n("rank", i), step: Number(step(i)), device: device(i), start: n("start_us", i), duration: n("step_us", i) || n("duration_us", i), communication: n("communication_us", i), copy: n("copy_us", i), kernels: n("kernels", i), parts });
  }
  return out;
}

const mean = (list: number[]): number => (list.length ? list.reduce((a, b) => a + b, 0) / list.length : 0);

export function median(list: number[]): number {
  const sorted = [...list].sort((a, b) => a - b);
  const m = sorted.length >> 1;
  return sorted.length % 2 ? (sorted[m] ?? 0) : ((sorted[m - 1] ?? 0) + (sorted[m] ?? 0)) / 2;
}

export function groupBy<T, K>(list: T[], key: (of: T) => K): Map<K, T[]> {
  const out = new Map<K, T[]>();
  for (const one of list) {
    const group = out.get(key(one));
    if (group) group.push(one);
    else out.set(key(one), [one]);
  }
  return out;
}

/** The mean over steps, then over ranks, so that a rank with more steps has no more weight. */
const meanOf = (rows: StepRow[], value: (r: StepRow) => number): number => mean([...groupBy(rows, (r) => r.rank).values()].map((of) => mean(of.map(value))));

export interface Quantities {
  mean: number;
  median: number;
  spread: number; // standard deviation as a share of the mean
  parts: Record<PartName, number>;
  hidden: number; // communication that overlaps with compute
  steps: number;
  ranks: number;
}

export function quantitiesOf(rows: StepRow[]): Quantities {
  const all = meanOf(rows, (r) => r.duration);
  const variance = mean(rows.map((r) => (r.duration - all) ** 2));
  return {
    mean: all,
    median: median(rows.map((r) => r.duration)),
    spread: all > 0 ? Math.sqrt(variance) / all : 0,
    parts: Object.fromEntries(PARTS.map((p) => [p.name, meanOf(rows, (r) => r.parts[p.name])])) as Record<PartName, number>,
    hidden: meanOf(rows, (r) => Math.max(0, r.communication - r.parts.exposed_communication)),
    steps: new Set(rows.map((r) => r.step)).size,
    ranks: new Set(rows.map((r) => r.rank)).size,
  };
}

/** The rows that pass the filters. */
export function underFilters(rows: StepRow[], f: Filters): StepRow[] {
  return rows.filter(
    (r) => (!f.ranks.length || f.ranks.includes(r.rank)) && (!f.steps || (r.step >= f.steps.from && r.step <= f.steps.to)) && (!f.device || r.device === f.device),
  );
}

/** What a number is about, for the attribute data-of: all, rank:N, step:N or device:D; "": a mixture, which
 * has no name. */
export function ofWhat(f: Pick<Filters, "ranks" | "steps" | "device">): string {
  const one = f.steps && f.steps.from === f.steps.to ? `step:${f.steps.from}` : f.steps ? null : "";
  const named = [f.ranks.length === 1 ? `rank:${f.ranks[0]}` : f.ranks.length ? null : "", one, f.device && `device:${f.device}`];
  if (named.includes(null)) return "";
  const words = named.filter(Boolean);
  return words.length > 1 ? "" : (words[0] ?? "all");
}

/** The rows of all steps of a profile; none if no times were recorded. */
export const allSteps = async (of: Opened): Promise<StepRow[]> => (of.facts.has?.times ? stepRows(await tableOnce(profilePath(of.id, "views/steps?format=columns"))) : []);
export const useSteps = (of: Opened): Loaded<StepRow[]> => useLoaded(`steps ${of.id}`, () => allSteps(of));

/** Over how many devices a sum of device time is: of all ranks, or the mean of a rank. Not said where each rank has one. */
export function overDevices(rows: StepRow[], ofRank = false): string {
  const ranks = [...groupBy(rows, (r) => r.rank).values()].map((of) => new Set(of.map((r) => r.device)).size);
  const [all, least, most] = [ranks.reduce((a, n) => a + n, 0), Math.min(...ranks), Math.max(...ranks)];
  if (all <= ranks.length) return "";
  return `, over ${!ofRank ? all : least === most ? most : `${least} to ${most}`} devices`;
}
export const useOverDevices = (of: Opened): string => overDevices(underFilters(useSteps(of).value ?? [], { ...filters.value, steps: null }));

/** Steps under the filters, and the quantities of these. */
export function useQuantities(of: Opened): { rows: StepRow[]; all: StepRow[]; q: Quantities | null; of: string; known: boolean } {
  const loaded = useSteps(of);
  const all = loaded.value ?? [];
  const rows = underFilters(all, filters.value);
  return { rows, all, q: rows.length ? quantitiesOf(rows) : null, of: ofWhat(filters.value), known: !loaded.busy };
}

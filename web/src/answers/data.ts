// SPDX-License-Identifier: Apache-2.0
// Answers of the server that several places and the panel need: each is requested once and kept while the profile is shown.
import type { Progress, Table } from "./api";
import { json, profilePath, queryPath, table } from "./api";
import { isReport } from "./embedded";
import type { Loaded } from "./load";
import { useLoaded } from "./load";
import type { Filters, Steps, Window } from "../state/store";

const kept = new Map<string, Promise<unknown>>();
const MOST = 60; // answers kept at most; one more drops the oldest

/** The answer to a request; from memory if it was requested before. A failed request is repeated the next time. */
export function once<T>(key: string, get: () => Promise<T>): Promise<T> {
  const known = kept.get(key) as Promise<T> | undefined;
  if (known) {
    kept.delete(key);
    kept.set(key, known); // the newest
    return known;
  }
  const asked = get();
  kept.set(key, asked);
  asked.catch(() => kept.delete(key));
  for (const old of kept.keys()) {
    if (kept.size <= MOST) break;
    kept.delete(old);
  }
  return asked;
}

/** Whether the request was made before, so that its answer is known or on its way. */
export const isKept = (key: string): boolean => kept.has(key);

/** Called when the file has changed: all answers are requested again. */
export const forgetAll = (): void => kept.clear();

export const tableOnce = (path: string, progress?: Progress): Promise<Table> => once(path, () => table(path, undefined, progress));
export const jsonOnce = <T>(path: string): Promise<T> => once(`json ${path}`, () => json<T>(path));

/** Rows of a query, as objects. A report has no queries: its answer is then an error. */
export async function queryRows<T>(id: string, sql: string): Promise<T[]> {
  return (await jsonOnce<{ rows: T[] }>(queryPath(id, sql))).rows;
}

/** Loads a table; without a path there is none. */
export const useTable = (path: string): Loaded<Table | undefined> => useLoaded(path, (_, progress) => (path ? tableOnce(path, progress) : Promise.resolve(undefined)));
export const useQuery = <T>(id: string, sql: string): Loaded<T[]> => useLoaded(`${id} ${sql}`, () => (sql ? queryRows<T>(id, sql) : Promise.resolve([])));

/** The time from the start of one step to the end of another, on the clock of the timeline. */
export type StepWindows = Map<number, Window>;

/** Parameters for the filters of place, ranks and device. A report has only answers without these filters. */
function placeParams({ ranks, device }: Pick<Filters, "ranks" | "device">): string[] {
  if (isReport) return [];
  return [...(ranks.length ? [`ranks=${ranks.join(",")}`] : []), ...(device ? [`device=${encodeURIComponent(device)}`] : [])];
}

/** Parameters of a view for the filters: ranks and device; one step as `step`, several steps as the range of time that they cover. */
export function filterParams({ steps, range, ranks, device }: Filters, windows: StepWindows, timed = true): string {
  const out = placeParams({ ranks, device });
  if (!timed) return out.map((p) => `&${p}`).join("");
  const several = steps && steps.from !== steps.to ? spanOf(steps, windows) : null;
  if (steps && !several) out.push(`step=${steps.from}`);
  const time = range && several ? { from: Math.max(range.from, several.from), to: Math.min(range.to, several.to) } : (range ?? several);
  if (time) out.push(`range=${+time.from.toFixed(3)}:${+time.to.toFixed(3)}`);
  return out.map((p) => `&${p}`).join("");
}

function spanOf(steps: Steps, windows: StepWindows): Window | null {
  const inside = [...windows].filter(([step]) => step >= steps.from && step <= steps.to).map(([, w]) => w);
  return inside.length ? { from: Math.min(...inside.map((w) => w.from)), to: Math.max(...inside.map((w) => w.to)) } : null;
}

interface LanesAnswer {
  steps?: { step: number; start_us: number; end_us: number }[];
  rows: LaneRow[];
}

export interface LaneRow {
  rank: number | null;
  device: string;
  lane: string;
  label: string | null;
  spans: number;
  busy_us: number;
}

/** The windows of the steps in the timeline, and its lanes. */
export const lanesOf = (id: string): Promise<LanesAnswer> => jsonOnce<LanesAnswer>(profilePath(id, "lanes"));

export async function stepWindows(id: string): Promise<StepWindows> {
  try {
    return new Map((await lanesOf(id)).steps?.map((s) => [s.step, { from: s.start_us, to: s.end_us }]) ?? []);
  } catch {
    return new Map(); // a profile without a timeline
  }
}

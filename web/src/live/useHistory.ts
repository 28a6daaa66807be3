// SPDX-License-Identifier: Apache-2.0
// The values of running jobs since the page was opened, for their sparklines.
import { useRef } from "preact/hooks";
import type { Job } from "./live";

export const LOOKS_MOST = 60; // two minutes with one sample every two seconds

export interface History {
  rate: (number | null)[];
  cpu: (number | null)[];
  memory: (number | null)[];
}

/** The history with one more sample of each job; jobs that have ended are removed. */
export function withLook(before: Map<string, History>, jobs: Job[]): Map<string, History> {
  const add = (to: (number | null)[] | undefined, value: number | null): (number | null)[] => [...(to ?? []), value].slice(-LOOKS_MOST);
  return new Map(jobs.map((j) => {
    const h = before.get(j.job);
    return [j.job, { rate: add(h?.rate, j.steps_per_second), cpu: add(h?.cpu, j.cpu), memory: add(h?.memory, j.rss_bytes) }];
  }));
}

/** Each answer of the server is a new array of rows, and counts as one sample. */
export function useHistory(jobs: Job[]): Map<string, History> {
  const seen = useRef<{ jobs: Job[]; history: Map<string, History> }>({ jobs: [], history: new Map() });
  if (seen.current.jobs !== jobs) seen.current = { jobs, history: withLook(seen.current.history, jobs) };
  return seen.current.history;
}

// SPDX-License-Identifier: Apache-2.0
// Running jobs: the answers of `serve --live`, and the one request that changes something.
import { useEffect, useState } from "preact/hooks";
import { ApiError, json } from "../answers/api";

/** A row of the table `top`; docs/live.md has the columns. */
export interface Job {
  job: string;
  pid: number;
  user: string | null;
  framework: string | null;
  version: string | null;
  state: string;
  processes: number;
  threads: number;
  runnable: number;
  steps_per_second: number | null;
  steps_are: string | null;
  cpu: number | null;
  rss_bytes: number | null;
  gpus: string | null;
  gpu: number | null;
  gpu_memory_bytes: number | null;
  age_micros: number;
  container: string | null;
  capture: string;
  why: string | null;
  command: string | null;
}

export interface Frame {
  tid: number;
  thread: string;
  state: string;
  depth: number;
  name: string;
}

export interface Sampled {
  name: string;
  self: number;
  total: number;
  self_share: number;
  total_share: number;
}

export interface Recorded {
  pid: number | null;
  framework: string | null;
  via: string | null;
  status: string;
  code: string | null;
  message: string | null;
  file: string | null;
  bytes: number | null;
  window_micros: number | null;
}

export interface Rows<R> {
  rows: R[];
  notes?: string[];
}

export interface Recording {
  recording: number;
  state: "running" | "done" | "failed";
  began: number;
  folder: string;
  jobs: string[];
  error: string | null;
  table: Rows<Recorded> | null;
}

export interface LiveState {
  token: string;
  folder: string;
  commands: boolean;
  recordings: Recording[];
}

export interface Wish {
  ms: number;
  attach: boolean;
  align: boolean;
  stacks: boolean;
}

const jobPath = (job: string, rest: string): string => `/api/v1/live/jobs/${encodeURIComponent(job)}/${rest}`;

export const liveState = (signal?: AbortSignal): Promise<LiveState> => json("/api/v1/live", signal);
export const liveJobs = (signal?: AbortSignal): Promise<Rows<Job>> => json("/api/v1/live/jobs", signal);
export const liveThreads = (job: string, signal?: AbortSignal): Promise<Rows<Frame>> => json(jobPath(job, "threads"), signal);
export const liveStacks = (job: string, signal?: AbortSignal): Promise<Rows<Sampled>> => json(jobPath(job, "stacks?seconds=1"), signal);

/** Begins a recording and returns its number. The token goes into a header, which no other site can send. */
export async function record(token: string, jobs: string[], wish: Wish): Promise<number> {
  const query = new URLSearchParams(jobs.map((job) => ["job", job]));
  query.set("ms", String(wish.ms));
  if (wish.attach) query.set("attach", "1");
  if (wish.align) query.set("align", "1");
  if (wish.stacks) query.set("stacks", "1");
  const answer = await fetch(`/api/v1/live/record?${query}`, {
    method: "POST",
    credentials: "same-origin",
    headers: { Authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new ApiError(((await answer.json()) as { error: string }).error, answer.status);
  return ((await answer.json()) as { recording: number }).recording;
}

/** A number that grows every `ms` while the page is visible. */
export function useTick(ms: number): number {
  const [tick, set] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && set((t) => t + 1), ms);
    return () => clearInterval(timer);
  }, [ms]);
  return tick;
}

/** The reasons why the job cannot be recorded yet, in words. */
export function preparedness(capture: string): string {
  if (capture === "agent") return "prepared";
  return capture === "attach" ? "not prepared" : `refused: ${capture}`;
}

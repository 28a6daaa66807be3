// SPDX-License-Identifier: Apache-2.0
// What the list of profiles says about a profile beside its files: the time of a step, its devices, its framework. The server must
// read a profile for that, so only a bounded amount is asked for, one profile at a time, the newest first.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ProfileEntry } from "../answers/api";
import { json, profilePath, table } from "../answers/api";
import { isReport } from "../answers/embedded";
import type { Info } from "../details/ProfilePanel";
import { quantitiesOf, stepRows } from "./steps";

export interface Peek {
  step: number | null; // microseconds, the mean; null: no steps
  device: string;
  framework: string;
}

const EACH_BYTES = 64e6; // a bigger profile is read when it is opened
const ALL_BYTES = 512e6;

const keyOf = (p: ProfileEntry): string => `${p.id} ${p.modified} ${p.bytes}`;
export const peeks = signal<Map<string, Peek>>(new Map());
export const peekOf = (p: ProfileEntry): Peek | null => peeks.value.get(keyOf(p)) ?? null;

/** "A100-SXM4-80GB × 8", "gpu:0, gpu:1"; the CPU is named only where it is the only device. */
export function devicesShown(models: string, devices: string): string {
  if (models) return models;
  const all = devices.split(", ").filter(Boolean).map((d) => d.replace(/^.*\/device:/, ""));
  const others = all.filter((d) => !/^cpu/i.test(d));
  return (others.length ? others : all).join(", ");
}

async function peek(p: ProfileEntry, stop: AbortSignal): Promise<Peek> {
  const { summary: s } = await json<Info>(profilePath(p.id, "views/info?format=json"), stop);
  const rows = Number(s.step_count ?? 0) > 0 ? stepRows(await table(profilePath(p.id, "views/steps?format=columns"), stop)) : [];
  return { step: rows.length ? quantitiesOf(rows).mean : null, device: devicesShown(String(s.device_models ?? ""), String(s.devices ?? "")), framework: String(s.framework ?? "") };
}

/** The profiles to ask about, the newest first. */
export function peekable(all: ProfileEntry[]): ProfileEntry[] {
  let left = ALL_BYTES;
  return [...all].sort((a, b) => b.modified - a.modified).filter((p) => p.state !== "failed" && p.bytes <= EACH_BYTES && (left -= p.bytes) >= 0);
}

async function peekAll(all: ProfileEntry[], stop: AbortSignal): Promise<void> {
  for (const p of all) {
    if (stop.aborted) return;
    if (peeks.value.has(keyOf(p))) continue;
    const found = await peek(p, stop).catch(() => null); // the list says why a profile cannot be read
    if (found && !stop.aborted) peeks.value = new Map(peeks.value).set(keyOf(p), found);
  }
}

export function usePeeks(all: ProfileEntry[]): void {
  const wanted = isReport ? [] : peekable(all);
  useEffect(() => {
    const stop = new AbortController();
    void peekAll(wanted, stop.signal);
    return () => stop.abort();
  }, [wanted.map(keyOf).join()]);
}

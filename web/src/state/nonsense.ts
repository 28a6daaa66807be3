// SPDX-License-Identifier: Apache-2.0
// Parts of an address that can be read and mean nothing in this profile: another profile's ranks, a column that no table has.
import type { Place, State } from "./address";

export interface Known {
  ranks: number[];
  steps: number[];
  devices: string[];
  by: string[] | null; // what the place can be shown by; null: anything
}

/** Parameters that places own; More and Graph hand theirs to the server, which judges them. */
const OWN = ["at", "columns", "floor", "from", "half", "hide", "of", "on", "order", "peak_bandwidth", "peak_flops", "run", "side", "top", "with"];
const FREE: Place[] = ["more", "graph", "compare", "jobs", "runs", "watch", "profiles"];

export interface Nonsense {
  ignored: string[];
  absent: string[]; // they choose nothing
}

export function nonsenseOf(s: State, known: Known): Nonsense {
  const [ignored, absent]: [string[], string[]] = [[], []];
  const { steps, sel } = s;
  const says = (name: string, value: string | number, to = absent): void => void to.push(`${name}=${value}`);
  if (known.ranks.length) for (const rank of s.ranks) if (!known.ranks.includes(rank)) says("ranks", rank);
  if (steps && known.steps.length && !known.steps.some((n) => n >= steps.from && n <= steps.to)) says("steps", steps.from === steps.to ? steps.from : `${steps.from}-${steps.to}`);
  if (s.device && known.devices.length && !known.devices.includes(s.device)) says("device", s.device);
  if (s.by && known.by && !known.by.includes(s.by)) says("by", s.by, ignored);
  if (sel?.kind === "step" && known.steps.length && !known.steps.includes(Number(sel.id))) says("sel", `step:${sel.id}`);
  if (sel?.kind === "rank" && known.ranks.length && !known.ranks.includes(Number(sel.id))) says("sel", `rank:${sel.id}`);
  if (!FREE.includes(s.place)) for (const [name, value] of Object.entries(s.more)) if (!OWN.includes(name)) says(name, value, ignored);
  return { ignored, absent };
}

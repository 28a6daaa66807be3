// SPDX-License-Identifier: Apache-2.0
// Counters and memory over time, as lanes.
import type { Table } from "../answers/api";
import { cellText, profilePath } from "../answers/api";
import { tableOnce } from "../answers/data";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import type { Counter } from "./layout";

const NONE: Counter[] = [];

/** The table's rows are sorted by counter and time. */
export function readCounters(t: Table): Counter[] {
  const [rank, name, unit, at, value] = ["rank", "name", "unit", "at_us", "value"].map((n) => t.column(n));
  const out: Counter[] = [];
  if (!name || !at || !value) return out;
  const rankOf = (i: number): number => (rank && !rank.absent?.[i] ? (rank.values[i] ?? -1) : -1);
  for (let i = 0, end; i < t.rows; i = end) {
    const key = (k: number): string => `${rankOf(k)} ${cellText(name, k)} ${unit ? cellText(unit, k) : ""}`;
    for (end = i + 1; end < t.rows && key(end) === key(i); ) end++;
    const values = Float64Array.from(value.values.subarray(i, end));
    const bytes = Boolean(unit && cellText(unit, i) === "bytes");
    const word = cellText(name, i);
    out.push({
      id: `c ${key(i)}`.trim(), name: bytes ? `memory of ${word}` : word, group: bytes ? word : "", rank: rankOf(i), unit: bytes ? "bytes" : "",
      at: at.values.slice(i, end), value: values, most: values.reduce((a, b) => Math.max(a, b), 0),
    });
  }
  return out.filter((c) => c.most > 0);
}

/** None if the profile has no trace, or the report had no room for them. */
export function useCounters(of: Opened): Counter[] {
  const path = of.facts.has?.trace ? profilePath(of.id, "counters?format=columns") : "";
  const loaded = useLoaded(path, async () => (path ? readCounters(await tableOnce(path)) : NONE));
  return loaded.value ?? NONE;
}

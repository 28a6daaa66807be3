// SPDX-License-Identifier: Apache-2.0
// Why a step takes longer than the others, as the library says (`tfprof steps -why`): the part that grew most, and what did in it.
import type { Table } from "../answers/api";
import { profilePath } from "../answers/api";
import type { PartName } from "../results/steps";
import type { Thing } from "../state/store";
import type { Num } from "../table/read";
import { numbers, shortNames, texts } from "../table/read";

export interface Grown {
  thing: Thing;
  short: string;
  more: number; // microseconds above the mean of the other steps
}

export interface Why {
  duration: number;
  median: number;
  over: number; // of the median
  part: PartName;
  partMore: number; // above the median of this part
  grown: Grown[]; // at most three, the most first
}

/** One table has all steps; `params`: the ranks and the device that were chosen. */
export const whyPath = (id: string, params: string): string => profilePath(id, `views/steps?why=true${params}&format=columns`);

/** Null for a step that nothing can be compared with. */
export function whyOf(t: Table, step: number): Why | null {
  const [number, duration, median, over, partMore, more] = (["step", "duration_us", "median_us", "over", "part_more_us", "more_us"] as const).map((n) => numbers(t, n)) as [Num, Num, Num, Num, Num, Num];
  const [part, kind, name, short] = [texts(t, "part"), texts(t, "kind"), texts(t, "name"), shortNames(t, "name")];
  const rows = Array.from({ length: t.rows }, (_, row) => row).filter((row) => number(row) === step);
  const [first] = rows;
  if (first === undefined) return null;
  const grown = rows.filter(name).map((row): Grown => ({ thing: { kind: kind(row) === "op" ? "op" : "kernel", id: name(row) }, short: short(row), more: more(row) ?? 0 }));
  return { duration: duration(first) ?? 0, median: median(first) ?? 0, over: over(first) ?? 0, part: part(first) as PartName, partMore: partMore(first) ?? 0, grown };
}

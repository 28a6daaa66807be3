// SPDX-License-Identifier: Apache-2.0
// Why a step takes longer than the others: the part that grew most, and the kernels and ops that did.
import type { Table } from "../api";
import { stepWindows, tableOnce } from "../data";
import type { Opened } from "../opened";
import { pathOf } from "../places/Table";
import type { PartName, StepRow } from "../steps";
import { PARTS, median, quantitiesOf } from "../steps";
import type { Thing } from "../store";
import { kernelsOf } from "../table/kernels";
import { TABLES } from "../table/tables";

export interface Grown {
  thing: Thing;
  short: string;
  more: number; // microseconds above the mean of the other steps
}

export interface Why {
  duration: number;
  median: number;
  part: PartName;
  partMore: number; // above the median of this part
  grown: Grown[]; // the three that grew most
}

/** By name: how long in the step, and the mean of the other steps. */
function growth(all: Map<string, number>, here: Map<string, number>, steps: number): [string, number][] {
  return [...here].map(([name, time]): [string, number] => [name, time - ((all.get(name) ?? time) - time) / Math.max(1, steps - 1)]).sort((a, b) => b[1] - a[1]);
}

async function tableOf(of: Opened, by: string, params: string): Promise<Table | null> {
  const it = TABLES.find((t) => t.by === by && t.fits(of.facts));
  return it ? tableOnce(pathOf(of.id, it, params)).catch(() => null) : null;
}

async function grownBy(of: Opened, by: "kernel" | "op", step: number, ranks: number[]): Promise<Grown[]> {
  // what ran in the step's time: a kernel may be launched a step before it runs
  const window = (await stepWindows(of.id)).get(step);
  const during = window ? tableOf(of, by, `&range=${window.from}:${window.to}`) : Promise.resolve(null);
  const [all, here] = await Promise.all([tableOf(of, by, ""), during.then((t) => t ?? tableOf(of, by, `&step=${step}`))]);
  if (!all || !here) return [];
  const short = new Map<string, string>();
  const sums = (t: Table): Map<string, number> => {
    if (by === "kernel") return new Map(kernelsOf(t, ranks).map((k) => (short.set(k.name, k.short), [k.name, k.total])));
    const { set, columns } = (TABLES.find((x) => x.by === "op") as (typeof TABLES)[number]).read(t, []);
    const self = columns.find((c) => c.name === "self");
    return new Map(Array.from({ length: set.count }, (_, row) => [set.thing(row).id, self?.value(row) ?? 0]));
  };
  const ranksOf = Math.max(1, ranks.length || 1);
  return growth(sums(all), sums(here), of.facts.steps.length).filter(([, more]) => more > 0).slice(0, 3)
    .map(([name, more]) => ({ thing: { kind: by, id: name }, short: short.get(name) ?? name, more: more / ranksOf }));
}

/** Null for a profile with one step, which nothing can be compared with. */
export async function whyOf(of: Opened, step: number, rows: StepRow[], ranks: number[]): Promise<Why | null> {
  const here = rows.filter((r) => r.step === step);
  if (!here.length || new Set(rows.map((r) => r.step)).size < 2) return null;
  const q = quantitiesOf(here);
  const more = (p: PartName): number => q.parts[p] - median(rows.map((r) => r.parts[p]));
  const part = PARTS.map((p) => p.name).reduce((a, b) => (more(b) > more(a) ? b : a));
  const grown = await grownBy(of, part === "idle" ? "op" : "kernel", step, ranks);
  return { duration: q.mean, median: median(rows.map((r) => r.duration)), part, partMore: more(part), grown };
}

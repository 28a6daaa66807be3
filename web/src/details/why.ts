// SPDX-License-Identifier: Apache-2.0
// Why a step takes longer than the others: the part that grew most, and the kernels and ops that did.
import type { Table } from "../api";
import { stepWindows, tableOnce } from "../data";
import type { Opened } from "../opened";
import { pathOf } from "../places/Table";
import type { PartName, StepRow } from "../steps";
import { PARTS, median, quantitiesOf } from "../steps";
import type { Thing } from "../store";
import type { Kernel } from "../table/kernels";
import { kernelsOf } from "../table/kernels";
import { TABLES } from "../table/tables";

const WORTH_NAMING = 0.01; // of what the part grew: less is noise

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

/** The three that grew most: how much longer in the step than in the mean of the other steps; `all` and `here` are sums over `ranks` ranks. */
export function growth(all: Map<string, number>, here: Map<string, number>, steps: number, ranks: number, part: number): [string, number][] {
  const more = (name: string, time: number): number => (time - ((all.get(name) ?? time) - time) / Math.max(1, steps - 1)) / Math.max(1, ranks);
  return [...here].map(([name, time]): [string, number] => [name, more(name, time)])
    .filter(([, by]) => by > part * WORTH_NAMING).sort((a, b) => b[1] - a[1]).slice(0, 3);
}

/** Kernels of a part's kind, by name: how long in all. */
export function kernelTimes(t: Table, ranks: number[], look: string): Map<string, Kernel> {
  return new Map(kernelsOf(t, ranks).filter((k) => k.look === look).map((k) => [k.name, k]));
}

async function tableOf(of: Opened, by: string, params: string): Promise<Table | null> {
  const it = TABLES.find((t) => t.by === by && t.fits(of.facts));
  return it ? tableOnce(pathOf(of.id, it, params)).catch(() => null) : null;
}

/** What of a part grew: kernels of its kind, but for idle time ops. `ranks`: the chosen ones, none: all; sums are over `count` of them. */
async function grownBy(of: Opened, part: (typeof PARTS)[number], partMore: number, step: number, ranks: number[], count: number): Promise<Grown[]> {
  const by = part.name === "idle" ? "op" : "kernel";
  // what ran in the step's time: a kernel may be launched a step before it runs
  const window = (await stepWindows(of.id)).get(step);
  const during = window ? tableOf(of, by, `&range=${window.from}:${window.to}`) : Promise.resolve(null);
  const [all, here] = await Promise.all([tableOf(of, by, ""), during.then((t) => t ?? tableOf(of, by, `&step=${step}`))]);
  if (!all || !here) return [];
  const short = new Map<string, string>();
  const sums = (t: Table): Map<string, number> => {
    if (by === "kernel") return new Map([...kernelTimes(t, ranks, part.look)].map(([name, k]) => (short.set(name, k.short), [name, k.total])));
    const { set, columns } = (TABLES.find((x) => x.by === "op") as (typeof TABLES)[number]).read(t, []);
    const self = columns.find((c) => c.name === "self");
    return new Map(Array.from({ length: set.count }, (_, row) => [set.thing(row).id, self?.value(row) ?? 0]));
  };
  return growth(sums(all), sums(here), of.facts.steps.length, count, partMore).map(([name, more]) => ({ thing: { kind: by, id: name }, short: short.get(name) ?? name, more }));
}

/** Null for a profile with one step, which nothing can be compared with. */
export async function whyOf(of: Opened, step: number, rows: StepRow[], ranks: number[]): Promise<Why | null> {
  const here = rows.filter((r) => r.step === step);
  if (!here.length || new Set(rows.map((r) => r.step)).size < 2) return null;
  const q = quantitiesOf(here);
  const more = (p: PartName): number => q.parts[p] - median(rows.map((r) => r.parts[p]));
  const part = PARTS.reduce((a, b) => (more(b.name) > more(a.name) ? b : a));
  const partMore = more(part.name);
  const grown = await grownBy(of, part, partMore, step, ranks, new Set(here.map((r) => r.rank)).size);
  return { duration: q.mean, median: median(rows.map((r) => r.duration)), part: part.name, partMore, grown };
}

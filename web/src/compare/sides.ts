// SPDX-License-Identifier: Apache-2.0
// Two sides of a comparison: one row for each name on either side, with its amount per step before and now, and the change.
import { profile, profilePath, profiles } from "../answers/api";
import type { ProfileFacts } from "../answers/api";
import { tableOnce } from "../answers/data";
import { nameOf } from "../state/opened";
import { toldApart } from "./apart";
import type { StepRow } from "../results/steps";
import { stepRows } from "../results/steps";
import type { Kind } from "../state/store";
import type { LimitRow, Limits, LimitsBy } from "../results/limits";
import { limitsOf, overRanks } from "../results/limits";
import { kernelsOf } from "../table/kernels";
import type { Content } from "../table/tables";
import { col, numbers, plainName, texts } from "../table/read";

export interface Side {
  id: string;
  name: string;
  facts: ProfileFacts;
  steps: StepRow[];
}

export async function sideOf(id: string): Promise<Side> {
  const [facts, list] = await Promise.all([profile(id), profiles()]);
  const steps = facts.has?.times ? stepRows(await tableOnce(profilePath(id, "views/steps?format=columns"))) : [];
  const entry = list.profiles.find((p) => p.id === id);
  return { id, facts, steps, name: nameOf(entry?.name ?? facts.name ?? id, entry?.files ?? []) };
}

interface Amount {
  name: string; // as shown
  look: string;
  us: number;
}

export interface ComparedBy {
  by: string;
  title: string;
  kind: Kind;
  path: string; // of the view
  limits?: Exclude<LimitsBy, "shape" | "chain">; // the table of limits with these rows
  read: (t: Awaited<ReturnType<typeof tableOnce>>) => [string, Amount][];
}

const plain = (name: string, columns: string[], look: string) => (t: Awaited<ReturnType<typeof tableOnce>>): [string, Amount][] => {
  const [text, parent] = [texts(t, t.column(name) ? name : (t.columns[0]?.name ?? name)), numbers(t, "parent")];
  const values = columns.map((c) => numbers(t, c));
  return Array.from({ length: t.rows }, (_, row) => row)
    .filter((row) => (!t.tree || parent(row) !== null) && text(row) !== "_TFProfRoot")
    .map((row): [string, Amount] => [text(row), { name: plainName(text(row)), look, us: values.reduce((all, v) => all + (v(row) ?? 0), 0) }]);
};

export const COMPARED_BY: ComparedBy[] = [
  { by: "kernel", title: "by kernel", kind: "kernel", path: "views/kernel?format=columns", limits: "kernel", read: (t) => kernelsOf(t, []).map((k) => [k.name, { name: k.short, look: k.look, us: k.total }]) },
  { by: "device", title: "by op, device", kind: "op", path: "views/op?max_depth=100000&select=accelerator_micros&format=columns", limits: "op", read: plain("name", ["accelerator_micros"], "compute") },
  { by: "op", title: "by op, host", kind: "op", path: "views/op?max_depth=100000&select=cpu_micros&format=columns", read: plain("name", ["cpu_micros"], "host") },
  { by: "scope", title: "by scope, host", kind: "scope", path: "views/scope?max_depth=100000&select=cpu_micros&format=columns", read: plain("name", ["cpu_micros"], "host") },
  { by: "line", title: "by line", kind: "line", path: "views/lines?format=columns", read: plain("line", ["self_us"], "host") },
  { by: "rank", title: "by rank", kind: "rank", path: "views/steps?format=columns", read: (t) => byRank(stepRows(t)) },
];

/** The time of all steps of each rank. */
function byRank(rows: StepRow[]): [string, Amount][] {
  const found = new Map<string, Amount>();
  for (const r of rows) {
    const one = found.get(String(r.rank)) ?? { name: `rank ${r.rank}`, look: "compute", us: 0 };
    one.us += r.duration;
    found.set(String(r.rank), one);
  }
  return [...found];
}

/** The number of steps that a side's sums cover; each rank has its own steps. */
export const stepCount = (side: Side): number => Math.max(1, new Set(side.steps.map((r) => r.step)).size || side.facts.steps.length);

/** Without a trace the times of ops, scopes and lines are means over the steps already. */
const isMean = (side: Side, by: string): boolean => !side.facts.has?.trace && ["op", "scope", "line"].includes(by);

export const rankCount = (side: Side): number => Math.max(1, new Set(side.steps.map((r) => r.rank)).size);

/** The table that a comparison shows first: kernels if a side has any. */
export const firstBy = (before: Side, now: Side): string => ([before, now].some((s) => !s.steps.length || s.steps.some((r) => r.kernels > 0)) ? "kernel" : "op");

/** How far a side is from its limits; null where its trace has no shapes. */
export async function sideLimits(side: Side, by: LimitsBy): Promise<Limits | null> {
  return side.facts.has?.shapes ? ((await limitsOf(side.id, by).catch(() => null)) as Limits | null) : null;
}

/** The efficiency of each name. */
async function efficiencies(side: Side, it: ComparedBy): Promise<Map<string, LimitRow>> {
  const limits = it.limits ? await sideLimits(side, it.limits) : null;
  return new Map(overRanks(limits?.rows ?? [], []).map((r) => [r.name, r]));
}

export async function differencesOf(before: Side, now: Side, it: ComparedBy): Promise<Content> {
  const amounts = async (side: Side): Promise<Map<string, Amount>> => new Map(it.read(await tableOnce(profilePath(side.id, it.path))));
  const [was, is, limitsWas, limitsAre] = await Promise.all([amounts(before), amounts(now), efficiencies(before, it), efficiencies(now, it)]);
  const ids = [...new Set([...is.keys(), ...was.keys()])];
  const of = (map: Map<string, Amount>, row: number, steps: number): number | null => {
    const one = map.get(ids[row] ?? "");
    return one ? one.us / steps : null;
  };
  const steps = (side: Side): number => (isMean(side, it.by) ? 1 : stepCount(side));
  const parts = (side: Side): number => steps(side) * (it.by === "rank" ? 1 : rankCount(side));
  const [a, b] = [(row: number) => of(was, row, parts(before)), (row: number) => of(is, row, parts(now))];
  const shown = (row: number): Amount | undefined => is.get(ids[row] ?? "") ?? was.get(ids[row] ?? "");
  const names = toldApart(ids, ids.map((_, row) => shown(row)?.name ?? ""));
  return {
    set: { count: ids.length, thing: (row) => ({ kind: it.kind, id: ids[row] ?? "" }), name: (row) => names[row] ?? "", full: (row) => ids[row] ?? "", look: (row) => shown(row)?.look ?? "host" },
    columns: [
      col("before", "before", "us", a, { help: "a step" }),
      col("now", "now", "us", b, { help: "a step" }),
      col("difference", "difference", "us", (row) => (b(row) ?? 0) - (a(row) ?? 0), { signed: true, width: 96 }),
      col("efficiency_before", "of limit", "share", (row) => limitsWas.get(ids[row] ?? "")?.efficiency ?? null, { width: 56, help: "before: the time at the limits of the device, divided by the time that it took" }),
      col("efficiency_now", "→ now", "share", (row) => limitsAre.get(ids[row] ?? "")?.efficiency ?? null, { width: 56, help: "the same now" }),
    ],
    sort: "-difference",
  };
}

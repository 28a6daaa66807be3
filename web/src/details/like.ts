// SPDX-License-Identifier: Apache-2.0
// The next and the previous thing like the selected one: the next span of its name, the next step, the next row of its table.
import { tableOnce, queryRows } from "../answers/data";
import { findingsOf } from "../results/findings";
import { isReport } from "../answers/embedded";
import type { Opened } from "../state/opened";
import { pathOf } from "../places/Table";
import { chainId, limitsOf, overRanks, shapeId } from "../results/limits";
import { bestIds } from "../results/whatif";
import { beside, isName } from "../answers/sql";
import { filters, select } from "../state/store";
import type { Thing } from "../state/store";
import { allSteps } from "../results/steps";
import { visible } from "../grid/model";
import { TABLES } from "../table/tables";
import { spanDetails } from "./span";

async function spanBeside(of: Opened, span: number, back: boolean): Promise<Thing | null> {
  if (isReport) return null;
  const { summary } = await spanDetails(of, span);
  const same = `${isName("s.name", summary.name)} AND s.class IS ${summary.class ? "NOT NULL" : "NULL"}`;
  const [next] = await queryRows<{ span: number }>(of.id, beside(same, span, back));
  return next ? { kind: "span", id: String(next.span) } : null;
}

/** The ids of all things of a kind, in the order of its table. */
async function idsOf(of: Opened, thing: Thing): Promise<string[]> {
  if (thing.kind === "step") return of.facts.steps.map(String);
  if (thing.kind === "rank") return [...new Set((await allSteps(of)).map((r) => r.rank))].sort((a, b) => a - b).map(String);
  if (thing.kind === "finding") return (await findingsOf(of)).map((f) => f.id);
  if (thing.kind === "change") return bestIds(of);
  if (thing.kind === "shape") return (await limitsOf(of.id, "shape")).rows.map(shapeId);
  if (thing.kind === "layer") return overRanks((await limitsOf(of.id, "layer")).rows, []).map((r) => r.name);
  if (thing.kind === "chain") return (await limitsOf(of.id, "chain")).rows.map(chainId);
  const it = TABLES.find((t) => t.by === thing.kind);
  if (!it) return [];
  const { set, columns, sort } = it.read(await tableOnce(pathOf(of.id, it, "")), filters.value.ranks);
  return [...visible({ ...set, parent: undefined }, columns, sort, "", () => false).rows].map((row) => set.thing(row).id);
}

/** Selects the neighbour; at an end nothing changes. */
export async function neighbour(of: Opened, thing: Thing, back: boolean): Promise<void> {
  if (thing.kind === "span") {
    const next = await spanBeside(of, Number(thing.id), back);
    if (next) select(next);
    return;
  }
  const ids = await idsOf(of, thing);
  const at = ids.indexOf(thing.id);
  const next = at < 0 ? undefined : ids[at + (back ? -1 : 1)];
  if (next !== undefined) select({ kind: thing.kind, id: next });
}

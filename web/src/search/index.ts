// SPDX-License-Identifier: Apache-2.0
// What the search looks through: places, steps, and the names of ops, kernels, scopes and lines.
import type { Table } from "../answers/api";
import { tableOnce } from "../answers/data";
import { isOfStacks } from "../answers/api";
import type { Opened } from "../state/opened";
import { pathOf } from "../places/Table";
import type { Kind } from "../state/store";
import { TABLES } from "../table/tables";

export interface Entry {
  kind: Kind | "place";
  id: string; // for a place: its name
  text: string; // the text that is shown
  full: string; // the whole name
  worth: number; // the higher, the earlier it is listed
}

const MOST = 40_000; // most names of one kind

function entriesOf(by: string, t: Table): Entry[] {
  const it = TABLES.find((x) => x.by === by);
  if (!it) return [];
  const { set, columns } = it.read(t, []);
  const time = columns.find((c) => c.name === "total") ?? columns.find((c) => c.name === "self");
  return Array.from({ length: Math.min(MOST, set.count) }, (_, row) => {
    const { kind, id } = set.thing(row);
    return { kind, id, text: by === "scope" ? id.split("/").slice(-2).join(" › ") : set.name(row), full: set.full(row), worth: time?.value(row) ?? 0 };
  });
}

/** Everything that can be found; made once per profile. */
export async function entries(of: Opened, places: { name: string; title: string }[]): Promise<Entry[]> {
  const wanted = TABLES.filter((t) => ["op", "kernel", "scope", "line"].includes(t.by) && t.fits(of.facts) && (t.by !== "line" || of.facts.has?.stacks || isOfStacks(of.facts)));
  const found = await Promise.all(wanted.map((t) => tableOnce(pathOf(of.id, t, "")).then((table) => entriesOf(t.by, table), () => [])));
  return [
    ...places.map((p): Entry => ({ kind: "place", id: p.name, text: p.title, full: p.title, worth: Infinity })),
    ...of.facts.steps.slice(0, MOST).map((s): Entry => ({ kind: "step", id: String(s), text: `step ${s}`, full: `step ${s}`, worth: 0 })),
    ...found.flat(),
  ];
}

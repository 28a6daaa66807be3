// SPDX-License-Identifier: Apache-2.0
// The trees that a flame graph can show, without a root that stands for everything; and the sandwich of a name: what called it
// above, what it calls below.
import type { ProfileFacts, Table } from "../answers/api";
import { isOfStacks } from "../answers/api";
import type { Tree } from "../tree/rows";
import type { Kind } from "../state/store";
import { numbers, plainName, texts, treeOf } from "../table/read";

export interface FlameBy {
  by: string;
  title: string;
  view: string;
  kind: Kind;
  fits: (facts: ProfileFacts) => boolean;
}

export const FLAMES: FlameBy[] = [
  { by: "scope", title: "scopes", view: "scope", kind: "scope", fits: (f) => !isOfStacks(f) },
  { by: "call", title: "calls", view: "calls", kind: "call", fits: (f) => (f.has?.trace ?? false) || isOfStacks(f) },
  { by: "line", title: "lines", view: "code", kind: "line", fits: (f) => f.has?.code ?? false },
];

/** `sort` of the address, and -order_by of the rows: by first start. */
export const BY_TIME = "start";

/** The quantities that the widths can show, the first that a profile has at the start; host and device time are never added. */
export const MEASURES = [
  { name: "device", title: "device time", column: "accelerator_micros", look: "compute", unit: "us" },
  { name: "host", title: "host time", column: "cpu_micros", look: "host", unit: "us" },
  { name: "bytes", title: "memory", column: "bytes", look: "memory", unit: "bytes" },
  { name: "parameters", title: "parameters", column: "params", look: "compute", unit: "count" },
] as const;
export type Measure = (typeof MEASURES)[number];

export interface FlameTree {
  tree: Tree;
  name: (row: number) => string; // as drawn
  id: (row: number) => string; // of the thing
  total: (row: number) => number;
  self: (row: number) => number;
  count: (row: number) => number;
  whole: number;
}

function link(parent: Int32Array): Tree {
  const rows = parent.length;
  const first = new Uint32Array(rows + 2);
  const depth = new Uint32Array(rows);
  parent.forEach((above, row) => {
    const slot = above < 0 ? rows : above;
    first[slot + 1] = (first[slot + 1] ?? 0) + 1;
    if (above >= 0) depth[row] = (depth[above] ?? 0) + 1;
  });
  for (let i = 0; i <= rows; i++) first[i + 1] = (first[i + 1] ?? 0) + (first[i] ?? 0);
  const at = first.slice();
  const children = new Uint32Array(rows);
  parent.forEach((above, row) => {
    const slot = above < 0 ? rows : above;
    children[at[slot] ?? 0] = row;
    at[slot] = (at[slot] ?? 0) + 1;
  });
  return { rows, first, children, depth, parent };
}

/** Paths of calls are their identity, as in the table of calls; a scope's name is its path. */
function idsOf(kind: Kind, parent: Int32Array, full: (row: number) => string): string[] {
  const ids: string[] = [];
  parent.forEach((above, row) => (ids[row] = kind === "call" && above >= 0 ? `${ids[above]} › ${full(row)}` : full(row)));
  return ids;
}

export function readFlame(t: Table, it: FlameBy, measure: Measure): FlameTree {
  const { rows, parent } = treeOf(t);
  const text = texts(t, "name");
  const full = (row: number): string => text(rows[row] ?? 0);
  const at = (column: string): ((row: number) => number) => {
    const value = numbers(t, column);
    return (row) => value(rows[row] ?? 0) ?? 0;
  };
  const [total, self, tree, ids] = [at(`total_${measure.column}`), at(measure.column), link(parent), idsOf(it.kind, parent, full)];
  const last = (row: number): string => full(row).slice((parent[row] ?? -1) < 0 || it.kind !== "scope" ? 0 : full(parent[row] ?? 0).length + 1);
  let whole = 0;
  for (let i = tree.first[tree.rows] ?? 0; i < (tree.first[tree.rows + 1] ?? 0); i++) whole += total(tree.children[i] ?? 0);
  return { tree, name: (row) => plainName(last(row)), id: (row) => ids[row] ?? "", total, self, count: at("total_runs"), whole };
}

/** Merges all places of a name: what is called inside them (down), or what calls them (up), each with the time inside of the name. */
export function sandwich(f: FlameTree, name: string, up: boolean): FlameTree {
  const parent: number[] = [];
  const names: string[] = [];
  const [total, self, count]: number[][] = [[], [], []];
  const known = new Map<string, number>();
  const add = (above: number, row: number, part: { total: number; self: number; count: number }): number => {
    const key = `${above}\n${f.name(row)}`;
    const place = known.get(key) ?? names.length;
    if (place === names.length) {
      known.set(key, place);
      names.push(f.name(row));
      parent.push(above);
      for (const list of [total, self, count]) list?.push(0);
    }
    (total as number[])[place] = (total?.[place] ?? 0) + part.total;
    (self as number[])[place] = (self?.[place] ?? 0) + part.self;
    (count as number[])[place] = (count?.[place] ?? 0) + part.count;
    return place;
  };
  const place = new Int32Array(f.tree.rows).fill(-1);
  for (let row = 0; row < f.tree.rows; row++) {
    const above = f.tree.parent[row] ?? -1;
    const own = { total: f.total(row), self: f.self(row), count: f.count(row) };
    const within = above >= 0 ? (place[above] ?? -1) : -1;
    if (!up && (within >= 0 || f.name(row) === name)) place[row] = add(within, row, own);
    if (up && f.name(row) === name) for (let at = row, to = -1; at >= 0; at = f.tree.parent[at] ?? -1) to = add(to, at, own);
  }
  const at = (list: number[] | undefined) => (row: number): number => list?.[row] ?? 0;
  return { tree: link(Int32Array.from(parent)), name: (row) => names[row] ?? "", id: (row) => names[row] ?? "", total: at(total), self: at(self), count: at(count), whole: total?.[0] ?? 0 };
}

/** For each row, the change of its time per step against the other profile; null: the other profile has no such row. */
export function differences(now: FlameTree, before: FlameTree, steps: { now: number; before: number }): (row: number) => number | null {
  const other = new Map<string, number>();
  for (let row = 0; row < before.tree.rows; row++) other.set(before.id(row), before.total(row) / steps.before);
  return (row) => {
    const was = other.get(now.id(row));
    return was === undefined ? null : now.total(row) / steps.now - was;
  };
}

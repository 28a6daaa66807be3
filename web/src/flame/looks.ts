// SPDX-License-Identifier: Apache-2.0
// The kind of a bar by device time, which decides its colour: that of the kernel with its name, else of most kernels that its op launches;
// a bar that only contains others has the kind that takes most of its time. No number depends on it.
import type { Table } from "../answers/api";
import type { Kernel } from "../table/kernels";
import { kernelsOf } from "../table/kernels";
import type { FlameTree } from "./read";

type Sums = Map<string, number>;

const add = (to: Sums, look: string, us: number): Sums => to.set(look, (to.get(look) ?? 0) + us);
const most = (of: Sums | undefined): string => [...(of ?? [])].reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0] as [string, number])[0];

/** The time of each kind that each op launches. */
function looksByOp(kernels: Kernel[]): Map<string, Sums> {
  const byOp = new Map<string, Sums>();
  for (const k of kernels) for (const op of k.ops.split("|")) byOp.set(op, add(byOp.get(op) ?? new Map<string, number>(), k.look, k.total));
  return byOp;
}

/** The kind of most device time of an op. */
export const lookOfOp = (op: string, kernels: Table): string => most(looksByOp(kernelsOf(kernels, [])).get(op)) || "compute";

export function looksOf(f: FlameTree, kernels: Table): (row: number) => string {
  const all = kernelsOf(kernels, []);
  const byName = new Map(all.map((k) => [k.name, k.look]));
  const byOp = looksByOp(all);
  const ownOf = (name: string): string => byName.get(name) ?? most(byOp.get(name) ?? byOp.get(name.replace(/_\d+$/, "")));
  const held: Sums[] = Array.from({ length: f.tree.rows }, () => new Map<string, number>());
  const looks: string[] = [];
  for (let row = f.tree.rows - 1; row >= 0; row--) {
    const [own, within] = [f.self(row) > 0 ? ownOf(f.name(row)) || "compute" : "", held[row] ?? new Map<string, number>()];
    if (own) add(within, own, f.self(row));
    looks[row] = most(within) || "compute";
    const above = held[f.tree.parent[row] ?? -1];
    if (above) for (const [look, us] of within) add(above, look, us);
  }
  return (row) => looks[row] ?? "compute";
}

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import "../page";
import { COMPARED_BY, differencesOf, firstBy, rankCount, stepCount } from "../../src/compare/sides";
import type { Side } from "../../src/compare/sides";
import { ROWS } from "../limits/rows";
import { facts } from "../profile";
import { answer } from "../server";
import { reals, tableOf, words } from "../tables";

const ops = (device: number[]) => tableOf([
  words("name", ["_TFProfRoot", "aten::mm", "(no op)"]), reals("parent", [null, 0, 0]), reals("accelerator_micros", [0, ...device]), reals("cpu_micros", [0, 30, 10]),
  reals("runs", [0, 4, 0]), reals("bytes", [0, 0, 0]), reals("params", [0, 0, 0]),
], { tree: true });
test("sides of a comparison are counted in steps, of ranks in their own", () => {
  const side = (steps: object[], of: number[] = []): Side => ({ id: "", name: "", facts: { steps: of } as unknown as Side["facts"], steps: steps as Side["steps"] });
  assert.deepEqual([stepCount(side([{ step: 1, rank: 0 }, { step: 1, rank: 1 }, { step: 2, rank: 0 }])), stepCount(side([], [4, 5, 6])), stepCount(side([]))], [2, 3, 1]);
  assert.deepEqual([rankCount(side([{ step: 1, rank: 0 }, { step: 1, rank: 1 }])), rankCount(side([]))], [2, 1]); // sums become those of one rank
  const [host, gpu] = [side([{ step: 1, kernels: 0 }]), side([{ step: 1, kernels: 8 }])];
  assert.deepEqual([firstBy(host, host), firstBy(host, gpu), firstBy(side([]), side([]))], ["op", "kernel", "kernel"]);
  const by = COMPARED_BY.find((b) => b.by === "op");
  assert.deepEqual(by?.read(ops([0, 0])).map(([id, a]) => [id, a.name, a.us]), [["aten::mm", "aten::mm", 30], ["(no op)", "without op", 10]]);
});
test("an op has its efficiency on each side that can be judged", async () => {
  const side = (id: string, shapes: boolean): Side => ({ id, name: id, facts: facts({}, { shapes }), steps: [] });
  answer({ "views/op": ops([60, 20]), "views/limits": { summary: {}, columns: [], rows: ROWS } });
  const by = COMPARED_BY.find((b) => b.by === "device");
  const { columns } = await differencesOf(side("before", false), side("now", true), by ?? (COMPARED_BY[0] as NonNullable<typeof by>));
  assert.deepEqual(columns.slice(3).map((c) => [c.name, c.value(0)]), [["efficiency_before", null], ["efficiency_now", 0.6]]);
});

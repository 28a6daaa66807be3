// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { lookOfOp, looksOf } from "../../src/flame/looks";
import type { FlameTree } from "../../src/flame/read";
import { reals, tableOf, words } from "../tables";

const kernels = tableOf([
  reals("rank", [null, null, null]), words("name", ["copy-done.2", "fusion.1", "nccl AllReduce"]), words("class", ["copy", "compute", "communication"]), words("ops", ["copy-done", "dot", "c10d::allreduce_|dot"]),
  ...["count", "total_us", "min_us", "max_us"].map((n) => reals(n, [9, 7, 5])), reals("bytes", [null, null, null]),
]);
const tree = (names: string[], parent: number[], self: number[]): FlameTree => ({
  tree: { rows: names.length, parent: Int32Array.from(parent) } as FlameTree["tree"], name: (row) => names[row] ?? "", self: (row) => self[row] ?? 0, id: String, total: () => 0, count: () => 0, whole: 1,
});

test("a bar has the kind of the kernel with its name, or of most kernels of its op; one that holds others that of most of their time", () => {
  const look = looksOf(tree(["(hlo)", "jit_f", "copy-done.2", "dot_3", "c10d::allreduce_", "add"], [-1, 0, 1, 1, 1, -1], [0, 0, 30, 20, 5, 1]), kernels);
  assert.deepEqual([0, 1, 2, 3, 4, 5].map(look), ["copy", "copy", "copy", "compute", "communication", "compute"]);
});
test("an op has the kind of most of its device time", () => {
  assert.deepEqual(["copy-done", "dot", "c10d::allreduce_", "unknown"].map((op) => lookOfOp(op, kernels)), ["copy", "compute", "communication", "compute"]);
});

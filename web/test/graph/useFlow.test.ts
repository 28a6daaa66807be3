// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { foundRows } from "../../src/graph/useFlow";
import type { Tree } from "../../src/tree/rows";

const names = ["", "model", "model/dense", "model/dense/MatMul", "ArgMax"];
const tree = { rows: 5, parent: Int32Array.from([-1, 0, 1, 2, 0]) } as unknown as Tree;

test("a search finds rows by their names, and the scopes that hold them", () => {
  assert.deepEqual([...(foundRows(tree, (row) => names[row] ?? "", " matmul ") ?? [])], [0, 1, 1, 2, 0]);
  assert.deepEqual([...(foundRows(tree, (row) => names[row] ?? "", "nothing") ?? [])], [0, 0, 0, 0, 0]);
  assert.equal(foundRows(tree, (row) => names[row] ?? "", " "), null);
});

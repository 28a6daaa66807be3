// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { growth, kernelTimes } from "../src/details/why";
import { reals, tableOf, words } from "./tables";

const times = (of: Record<string, number>): Map<string, number> => new Map(Object.entries(of));

test("what grew is told beside the mean of the other steps, the most first", () =>
  assert.deepEqual(growth(times({ a: 10, b: 30, c: 4 }), times({ a: 4, b: 24, c: 1 }), 3, 1, 22), [["b", 21], ["a", 1]]));
test("sums over ranks are told of one", () => assert.deepEqual(growth(times({ a: 40 }), times({ a: 24 }), 3, 4, 4), [["a", 4]]));
test("less than a hundredth of the part is not named", () => assert.deepEqual(growth(times({ a: 30.0001, b: 30 }), times({ a: 10.0001, b: 10 }), 3, 1, 5), []));
test("at most three are named", () => assert.equal(growth(times({ a: 9, b: 9, c: 9, d: 9 }), times({ a: 9, b: 9, c: 9, d: 9 }), 2, 1, 30).length, 3));
test("kernels of another kind are no reason", () => {
  const t = tableOf([reals("rank", [0, 0, 1]), words("name", ["gemm", "nccl", "nccl"]), words("class", ["compute", "communication", "communication"]), words("ops", ["", "", ""]),
    ...["count", "total_us", "min_us", "max_us"].map((n) => reals(n, [5, 7, 9])), reals("bytes", [null, null, null])]);
  assert.deepEqual([...kernelTimes(t, [], "communication")].map(([name, k]) => [name, k.total]), [["nccl", 16]]);
  assert.deepEqual([...kernelTimes(t, [0], "communication").values()].map((k) => k.total), [7]);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { byName, kernelOps, kernelsOf } from "../../src/table/kernels";
import type { Content } from "../../src/table/tables";
import { reals, tableOf, words } from "../tables";

const cells = (c: Content, column: string): (number | null)[] => Array.from({ length: c.set.count }, (_, row) => c.columns.find((x) => x.name === column)?.value(row) ?? null);
const kernels = tableOf([
  reals("rank", [0, 1, 0, 1]), words("name", ["k", "k", "copy", "only1"]), words("class", ["compute", "compute", "copy", "communication"]), words("ops", ["aten::mm|(no op)", "aten::mm", "", "c10d"]),
  reals("count", [2, 3, 1, 1]), reals("total_us", [20, 90, 10, 80]), reals("min_us", [9, 25, 10, 80]), reals("max_us", [11, 40, 10, 80]), reals("bytes", [null, null, 64, 8]),
]);
test("a kernel of several ranks is one row, of those that are chosen", () => {
  const told = (ranks: number[]) => kernelsOf(kernels, ranks).map((k) => [k.name, k.count, k.total, k.min, k.max]);
  assert.deepEqual(told([]), [["k", 5, 110, 9, 40], ["only1", 1, 80, 80, 80], ["copy", 1, 10, 10, 10]]);
  assert.deepEqual(told([0]), [["k", 2, 20, 9, 11], ["copy", 1, 10, 10, 10]]);
});
test("shares of kernels are of what is shown, and what launched them keeps its order", () => {
  const c = byName(kernels, [0]);
  assert.deepEqual(cells(c, "share"), [2 / 3, 1 / 3]);
  assert.deepEqual(cells(c, "mean"), [10, 10]);
  assert.deepEqual(kernelOps(c, 0), ["aten::mm"]);
});
test("what runs on an asynchronous line is listed, and is in no sum and has no share", () => {
  const tpu = tableOf([
    words("name", ["copy-done.2", "copy-start.4 (async)", "fusion"]), words("class", ["copy", "copy", "compute"]), words("ops", ["", "", ""]),
    reals("count", [4, 1, 4]), reals("total_us", [90, 60, 30]), reals("min_us", [1, 60, 1]), reals("max_us", [9, 60, 9]), reals("share", [0.75, null, 0.25]),
  ]);
  const c = byName(tpu, []);
  assert.deepEqual([0, 1, 2].map((row) => c.set.name(row)), ["copy-done.2", "copy-start.4 (async)", "fusion"]);
  assert.deepEqual([cells(c, "total"), cells(c, "share")], [[90, 60, 30], [0.75, null, 0.25]]);
  assert.deepEqual([c.whole, c.says?.replaceAll("\u00a0", " ")], [120, "shares are of 120 µs of device time"]);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCounters } from "../../src/timeline/counters";
import { reals, tableOf, words } from "../tables";

test("counters are parted by rank and name; memory of a device belongs to it, and one that is always 0 is not shown", () => {
  const found = readCounters(tableOf([reals("rank", [0, 0, 1, 1]), words("name", ["gpu:0", "gpu:0", "gpu:0", "queue"]), words("unit", ["bytes", "bytes", "bytes", ""]), reals("at_us", [1, 2, 1, 1]), reals("value", [5, 9, 7, 0])]));
  assert.deepEqual(found.map((c) => [c.rank, c.name, c.group, c.most, c.at.length]), [[0, "memory of gpu:0", "gpu:0", 9, 2], [1, "memory of gpu:0", "gpu:0", 7, 1]]);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { whyOf, whyPath } from "../../src/details/why";
import { reals, tableOf, words } from "../tables";

const table = tableOf([
  reals("step", [7, 7, 3]), reals("duration_us", [300, 300, 100]), reals("median_us", [200, 200, 200]), reals("over", [0.5, 0.5, -0.5]), words("part", ["idle", "idle", "compute"]),
  reals("part_more_us", [80, 80, -5]), words("kind", ["op", "op", ""]), words("name", ["aten::item", "cudaMemcpyAsync", ""]), reals("more_us", [60, 12, null]),
]);

test("of the table of all steps the rows of one are its reasons, in their order", () => {
  const why = whyOf(table, 7);
  assert.deepEqual([why?.duration, why?.median, why?.over, why?.part, why?.partMore], [300, 200, 0.5, "idle", 80]);
  assert.deepEqual(why?.grown, [{ thing: { kind: "op", id: "aten::item" }, short: "aten::item", more: 60 }, { thing: { kind: "op", id: "cudaMemcpyAsync" }, short: "cudaMemcpyAsync", more: 12 }]);
});
test("a step in which nothing grew has its part only", () => assert.deepEqual([whyOf(table, 3)?.part, whyOf(table, 3)?.grown], ["compute", []]));
test("a step that is not in the table has no reasons", () => assert.equal(whyOf(table, 4), null));
test("ranks and the device go with the question", () => assert.equal(whyPath("x", "&ranks=0&device=gpu%3A1"), "/api/v1/profiles/x/views/steps?why=true&ranks=0&device=gpu%3A1&format=columns"));

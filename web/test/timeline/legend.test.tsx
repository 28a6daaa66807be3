// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Legend, OneStep } from "../../src/timeline/Bar";
import type { Source } from "../../src/timeline/data";
import { all, draw, textOf } from "../drawn";
import { lanesOf } from "./lanes";

test("the legend names every kind of a mixed lane", () => {
  const words = (...of: Parameters<typeof lanesOf>): string => textOf(draw(<Legend source={{ lanes: lanesOf(...of) } as Source} />)).replace(/\s+/g, " ").trim();
  assert.equal(words(["compute", "compute|communication|copy", 0, 9]), "compute communication copies");
  assert.equal(words(["compute", "compute", 0, 9], ["host", null, 0, 9]), "compute host");
});
test("of several steps the bar names the one that is shown, and offers the others", () => {
  assert.equal(draw(<OneStep shown={4} all={[4]} />).childElementCount, 0);
  assert.match(textOf(draw(<OneStep shown={4} all={[1, 4, 7]} />)), /^step .*of 3$/);
  assert.deepEqual(all("option").map((o) => o.textContent), ["1", "4", "7"]);
});

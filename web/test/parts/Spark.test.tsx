// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { sparkPath } from "../../src/parts/Spark";

test("a spark line goes from 0 to the largest value, and a gap begins a new line", () => {
  assert.equal(sparkPath([0, 10, null, 5, 10], 40, 12), "M0.0 11.0L10.0 1.0M30.0 6.0L40.0 1.0");
  assert.equal(sparkPath([0, 0], 10, 12), "M0.0 11.0L10.0 11.0");
});

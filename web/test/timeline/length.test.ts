// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { lanesOf } from "./lanes";

test("the profiler's own lane does not lengthen the run, unless nothing else is there", () => {
  assert.deepEqual(lanesOf(["derived", null, 0, 4290], ["host", null, 1000, 2840], ["host", null, 5000, 5000]).all, { from: 1000, to: 2840 });
  assert.deepEqual(lanesOf(["derived", null, 0, 4290]).all, { from: 0, to: 4290 });
});

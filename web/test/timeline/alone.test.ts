// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { stepShown } from "../../src/timeline/alone";

test("of steps that stand apart the last selected one is shown, if the context bar leaves it", () => {
  const steps = [0, 1, 4, 7];
  assert.deepEqual([stepShown(steps, null, null), stepShown(steps, null, 4), stepShown(steps, { from: 1, to: 3 }, 4), stepShown(steps, { from: 4, to: 7 }, 7)], [0, 4, 1, 7]);
  assert.deepEqual([stepShown(steps, { from: 2, to: 3 }, null), stepShown([], null, 3)], [0, 0]);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { noSums } from "../../src/timeline/embedded";

test("a report without sums of a range says so in one sentence", () =>
  assert.throws(() => noSums(new Error("they need all of its 1200000 spans, more than 1000000")), {
    message: "This report has no sums of a range: they need all of its 1200000 spans, more than 1000000. tfprof serve FILE has them.",
  }));

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { saidLines } from "../../src/text/said";

test("notes and warnings of the program are no errors, and a line that goes on belongs to the one before", () => {
  const text = "tfprof: note: the rows explain 98% of it\n  (2% without a launch)\ntfprof: warning: f: cut off\ntfprof: option -step: no step 9\n";
  assert.deepEqual(saidLines(text), [
    { text: "tfprof: note: the rows explain 98% of it\n  (2% without a launch)", error: false },
    { text: "tfprof: warning: f: cut off", error: false },
    { text: "tfprof: option -step: no step 9", error: true },
  ]);
  assert.deepEqual(saidLines(""), []);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { isName, ofOp, quoted } from "../../src/answers/sql";

test("a name is quoted, and a very long one is compared by its beginning", () => {
  assert.equal(quoted("it's"), "'it''s'");
  assert.match(isName("s.name", "x".repeat(3000)), /substr.*length\(s\.name\) = 3000/);
});
test("the time of an instruction leaves out lanes that run beside others, as the library does", () => {
  assert.match(ofOp("copy-start"), /s\.lane_number NOT IN \(SELECT lane_number FROM lanes WHERE role = 'async'\) AND s\.node IN/);
});

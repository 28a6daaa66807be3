// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { shownLines } from "../../src/pages/Source";

test("of a report's text the lines that it does not hold are one empty line", () => {
  assert.deepEqual(shownLines("\n\na\nb\n\n\n\nc\n", true).map((l) => l.i), [2, 3, 4, 7, 8]);
  assert.equal(shownLines("\n\na", false).length, 3);
});

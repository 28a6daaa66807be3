// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { notesOf } from "../../src/text/notes";
import { plain } from "../drawn";

const attributed = (note: string, ...codes: string[]) => notesOf({ notes: [note, ...codes], noteCodes: ["attributed", ...codes] }).map(plain);

test("how much device time has a place is one sentence, with the reason", () => {
  assert.deepEqual(attributed("device time attributed: 3.3 % (launch 3.3 %); not: 96.7 % (no capture 96.7 %)"), ["3.3 % of the device time has a known place in the model; 96.7 % has none: no file has the capture of the graph that replayed it"]);
  assert.deepEqual(attributed("device time attributed: 20.0 %; not: 80.0 % (no match 50.0 %, ambiguous 30.0 %); of 4 traces"), ["20.0 % of the device time of 4 traces has a known place in the model; 80.0 % has none: no captured graph fits (50.0 %), too many captured graphs fit (30.0 %)"]);
  assert.deepEqual(attributed("device time attributed: 100.0 % (launch 3.1 %, unique 96.9 %)"), ["all of the device time has a known place in the model"]);
});
test("it is not said twice; other notes stay as they are", () => {
  assert.deepEqual(attributed("device time attributed: 3.3 % (launch 3.3 %); not: 96.7 % (no match 96.7 %)", "coverage"), ["coverage"]);
  assert.deepEqual(attributed("device time attributed: as nobody writes it"), ["device time attributed: as nobody writes it"]);
  assert.deepEqual(notesOf({ notes: ["a", "b"], noteCodes: ["attributed", ""] }, "attributed"), ["b"]);
  assert.deepEqual(notesOf(undefined), []);
});

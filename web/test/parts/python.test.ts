// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { piecesOf } from "../../src/parts/python";

test("Python is coloured, and no letter is lost", () => {
  const line = 'def step(x=0x1F):  # "no string"';
  const pieces = piecesOf(line);
  assert.equal(pieces.map((p) => p.text).join(""), line);
  assert.deepEqual(pieces.filter((p) => p.look).map((p) => [p.look, p.text]), [["keyword", "def"], ["function", "step"], ["number", "0x1F"], ["comment", '# "no string"']]);
  assert.deepEqual(piecesOf("f'a # b' + 'open").map((p) => p.look), ["string", "", "string"]);
});

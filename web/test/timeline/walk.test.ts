// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { longest, neighbour } from "../../src/timeline/walk";

const mark = (id: string, x: number, y: number, w: number, more: object = {}) => ({ kind: "span", id, name: id, x, y, w, h: 18, count: 1, ...more });
const MARKS = [mark("step", 0, 0, 900, { kind: "step" }), mark("many", 0, 20, 500, { count: 9 }), mark("a", 0, 40, 100), mark("b", 150, 40, 20), mark("c", 300, 40, 10), mark("below", 140, 60, 40), mark("far", 0, 60, 20)];
const from = (id: string, across: number, down: number) => neighbour(MARKS, id, across, down)?.id;

test("the longest span is one that is drawn alone", () => {
  assert.deepEqual([longest(MARKS)?.id, longest([])], ["a", undefined]);
});
test("the neighbours in a row, and in the rows above and below", () => {
  assert.deepEqual([from("b", -1, 0), from("b", 1, 0), from("b", 0, 1), from("below", 0, -1)], ["a", "c", "below", "b"]);
  assert.deepEqual([from("c", 1, 0), from("a", 0, -1), from("gone", 1, 0)], [undefined, undefined, "a"]);
});

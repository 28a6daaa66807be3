// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { beside, layOut, matched, mixed, shadeOf } from "../../src/flame/layout";
import { makeTree } from "../../src/tree/rows";
import { reals, tableOf, words } from "../tables";

//      a 60 (a1 20, a2 40), b 40
const NAMES = ["a", "a1", "a2", "b"];
const tree = makeTree(tableOf([words("name", NAMES), reals("parent", [null, 0, 0, null])], { tree: true }));
const value = (row: number): number => [60, 20, 40, 40][row] ?? 0;
const boxes = (more: Partial<Parameters<typeof layOut>[2]> = {}) => layOut(tree, value, { top: -1, width: 1000, byTime: false, ...more });
const told = (list: ReturnType<typeof boxes>) => list.map((b) => `${NAMES[b.row]} ${b.x}+${b.width}@${b.depth}`).sort();

test("bars are as wide as their share, heavy ones at the left, children below their parents", () =>
  assert.deepEqual(told(boxes()), ["a 0+600@0", "a1 400+200@1", "a2 0+400@1", "b 600+400@0"]));
test("in order of time siblings stand as they began", () => assert.deepEqual(told(boxes({ byTime: true })), ["a 0+600@0", "a1 0+200@1", "a2 200+400@1", "b 600+400@0"]));
test("one bar can fill the width, with what it holds", () => assert.deepEqual(told(boxes({ top: 0 })).map((t) => t.replace(/\.\d+/g, "")), ["a 0+1000@0", "a1 666+333@1", "a2 0+666@1"]));
test("what is too narrow to be seen is not drawn, and nothing without a value", () => {
  assert.deepEqual(told(layOut(tree, (row) => (row === 3 ? 1e6 : value(row)), { top: -1, width: 1000, byTime: false })).length, 1);
  assert.deepEqual(layOut(tree, () => 0, { top: -1, width: 1000, byTime: false }), []);
});
test("what is inside of a match does not count again", () => {
  assert.equal(matched(tree, value, Uint8Array.of(2, 2, 0, 0)), 60);
  assert.equal(matched(tree, value, Uint8Array.of(0, 2, 2, 2)), 100);
});
test("arrow keys go to the next bar on either side, down to the heaviest child and up again", () => {
  const all = boxes();
  const went = (from: number, sideways: number, down: number) => NAMES[beside(all, tree, from, sideways, down)?.row ?? -1];
  assert.deepEqual([went(0, 1, 0), went(3, -1, 0), went(0, 0, 1), went(2, 1, 0), went(1, 0, -1), went(3, 1, 0), went(3, 0, 1)], ["b", "a", "a2", "a1", "a", undefined, undefined]);
  assert.equal(beside(all, tree, 99, 1, 0), all[0]);
});
test("a colour takes a part of another; a name has one of three shades", () => {
  assert.deepEqual([mixed("#000000", "#ffffff", 0), mixed("#000000", "#ff8000", 0.5)], ["rgb(0,0,0)", "rgb(128,64,0)"]);
  assert.ok(["mm", "relu", "conv", ""].every((n) => [0, 0.12, 0.24].includes(shadeOf(n)) && shadeOf(n) === shadeOf(n)));
});

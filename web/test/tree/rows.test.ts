// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Column } from "../../src/answers/api";
import { aloneIn, findRows, hasChildren, makeTree, sortSiblings, textsWith, visibleRows } from "../../src/tree/rows";
import { reals, tableOf, words } from "../tables";

const NAMES = ["all", "net", "net/a", "net/b", "loss"];
const t = tableOf([words("name", NAMES), reals("parent", [null, 0, 1, 1, 0]), reals("us", [0, 5, -1, null, 7]), words("op", ["", "b", "z", "a", "a"])], { tree: true });
const tree = makeTree(t);
const named = (rows: ArrayLike<number>): string[] => Array.from(rows, (row) => NAMES[row] ?? "");
const shown = (sort: [name: string, down: boolean] | null, open: number[] = [0, 1], search = ""): string[] => {
  const order = sort && { column: t.column(sort[0]) as Column, down: sort[1] };
  return named(visibleRows(tree, sortSiblings(tree, order), Uint8Array.from(NAMES, (_, i) => Number(open.includes(i))), findRows(t, tree, search)));
};

test("children stand below their parents, as deep as they are", () => {
  assert.deepEqual([[...tree.depth], NAMES.map((_, row) => hasChildren(tree, row))], [[0, 1, 2, 2, 1], [true, true, false, false, false]]);
  assert.deepEqual(shown(null), NAMES);
  assert.deepEqual(shown(null, [0]), ["all", "net", "loss"]);
});
test("without a tree every row is a root, whatever its parent column says", () => {
  assert.deepEqual([...makeTree({ ...t, tree: false }).depth], [0, 0, 0, 0, 0]);
});
test("siblings are sorted by numbers, negative ones below zero, absent ones last in both directions", () => {
  assert.deepEqual(shown(["us", true]), ["all", "loss", "net", "net/a", "net/b"]);
  assert.deepEqual(shown(["us", false]), ["all", "net", "net/a", "net/b", "loss"]);
});
test("siblings are sorted by text, equal ones in the table's order", () => {
  assert.deepEqual(shown(["op", false]), ["all", "loss", "net", "net/b", "net/a"]);
  assert.deepEqual(shown(["op", true]), ["all", "net", "net/a", "net/b", "loss"]);
});
test("the order of many numbers is that of the numbers themselves", () => {
  const values = Array.from({ length: 5000 }, (_, i) => ((i * 7919) % 5003) * (i % 2 ? -1e-6 : 1e9));
  const many = makeTree(tableOf([reals("x", values)]));
  const sorted = [...sortSiblings(many, { column: reals("x", values), down: false })].map((row) => values[row] ?? 0);
  assert.deepEqual(sorted, [...values].sort((a, b) => a - b));
});
test("a search finds letters of any case, opens what leads to a match, and marks it", () => {
  assert.deepEqual(shown(null, [], "NET/B"), ["all", "net", "net/b"]);
  assert.deepEqual([...(findRows(t, tree, "net/b") ?? [])], [1, 1, 0, 2, 0]);
  assert.equal(findRows(t, tree, ""), null);
});
test("letters that grow in lower case do not shift what is found", () => {
  assert.deepEqual([...textsWith(["İİİ", "ab", "cab"], "AB")], [0, 1, 1]);
});
test("a scope that alone is all there is begins open, down to where there is a choice", () => {
  const alone = makeTree(tableOf([words("n", ["root", "model", "block", "a", "b"]), reals("parent", [null, 0, 1, 2, 2])], { tree: true }));
  assert.deepEqual([aloneIn(alone), aloneIn(tree)], [[1, 2], []]);
});

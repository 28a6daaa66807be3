// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Column, RowSet } from "../../src/grid/model";
import { fitting, visible } from "../../src/grid/model";

const names = ["a", "a/x", "a/y", "b", "b/x"];
const set: RowSet = { count: 5, parent: [-1, 0, 0, -1, 3], thing: (row) => ({ kind: "scope", id: names[row] ?? "" }), name: (row) => names[row] ?? "", full: (row) => names[row] ?? "" };
const column = (name: string, values: (number | null)[], more: Partial<Column> = {}): Column => ({ name, title: name, unit: null, value: (row) => values[row] ?? null, ...more });
const total = column("total", [1, 5, 9, 4, null]);
const shown = (sort: string, text = "", open: string[] = []): string[] => [...visible(set, [total], sort, text, (row) => open.includes(names[row] ?? "")).rows].map((row) => names[row] ?? "");

test("closed rows hide what is below them", () => assert.deepEqual(shown(""), ["a", "b"]));
test("siblings are sorted below their own parent", () => assert.deepEqual(shown("-total", "", ["a", "b"]), ["b", "b/x", "a", "a/y", "a/x"]));
test("absent values come last in both directions", () => {
  const flat = { ...set, parent: undefined };
  for (const sort of ["total", "-total"]) assert.equal([...visible(flat, [total], sort, "", () => false).rows].pop(), 4);
});
test("a search opens what leads to a match, and leaves the rest out", () => assert.deepEqual(shown("", "y"), ["a", "a/y"]));
test("differences are sorted by their size", () => {
  const difference = column("difference", [1, -5, 3, -9, 0], { signed: true });
  assert.deepEqual([...visible({ ...set, parent: undefined }, [difference], "-difference", "", () => false).rows], [3, 1, 2, 0, 4]);
});
test("a column without a value is not shown, the one that sorts always is", () => {
  const columns = [column("empty", []), total, column("more", [1], { extra: true }), column("wide", [2], { width: 5000 })];
  assert.deepEqual(fitting(columns, set, "-total", [], 800, 400).map((c) => c.name), ["total"]);
  assert.deepEqual(fitting(columns, set, "-more", [], 800, 400).map((c) => c.name), ["total", "more"]);
});
test("a column that was asked for comes before those that nobody asked for", () => {
  const columns = [total, column("mean", [1]), column("max", [2]), column("min", [3], { extra: true })];
  assert.deepEqual(fitting(columns, set, "-total", ["min"], 640, 400).map((c) => c.name), ["total", "min"]);
});
test("a hundred thousand rows are sorted at once", () => {
  const many: RowSet = { count: 100_000, thing: (row) => ({ kind: "op", id: String(row) }), name: String, full: String };
  const { rows } = visible(many, [{ name: "n", title: "n", unit: null, value: (row) => (row * 7919) % 100_003 }], "-n", "", () => false);
  assert.equal(rows.length, 100_000);
  assert.ok([...rows.subarray(1)].every((row, i) => (row * 7919) % 100_003 <= ((rows[i] ?? 0) * 7919) % 100_003));
});

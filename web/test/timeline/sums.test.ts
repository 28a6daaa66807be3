// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lane, Lanes } from "../../src/timeline/data";
import { makeItems } from "../../src/timeline/data";
import { readLeaves, sumsOf } from "../../src/timeline/sums";
import { reals, tableOf, words } from "../tables";

const lane = (kind: Lane["kind"], name: string, firstRow: number, rows: number): Lane => ({ id: String(firstRow), name, detail: "7", device: "", process: "", rank: -1, kind, classes: [], firstRow, rows, spans: 0, start: 0, end: 40, busy: 0 });
const lanes: Lanes = { lanes: [lane("compute", "compute", 0, 1), lane("host", "main", 1, 3)], all: { from: 0, to: 40 }, steps: [], notes: [] };
// an op that contains a call, all of whose time belongs to an inner one; a kernel; an annotation on the device, which counts for nothing
const spans: [span: number, row: number, name: string, kind: string, start: number, duration: number][] = [
  [1, 0, "gemm<float>", "activity", 10, 20], [5, 0, "note", "annotation", 31, 5], [2, 1, "aten::mm", "op", 0, 40], [3, 2, "launch", "call", 5, 10], [4, 3, "inner", "frame", 5, 10],
];
const d = makeItems(tableOf([
  reals("row", spans.map((s) => s[1])), reals("span", spans.map((s) => s[0])), reals("count", spans.map(() => 1)), reals("start_us", spans.map((s) => s[4])), reals("duration_us", spans.map((s) => s[5])),
  reals("busy_us", spans.map((s) => s[5])), words("name", spans.map((s) => s[2])), words("short", ["gemm float", "", "", "", ""]), words("kind", spans.map((s) => s[3])), words("class", ["compute", "", "", "", ""]),
]), { window: lanes.all, rows: "", scale: Infinity, search: "" });
if (!d) throw new Error("no items");
const leaves = readLeaves(tableOf([
  reals("span", [1, 2, 2, 3, 4]), words("name", ["", "", "", "", ""]), words("op", ["aten::mm", "aten::mm", "aten::mm", "aten::mm", ""]),
  reals("start_us", [null, 0, 15, 5, null]), reals("duration_us", [null, 5, 25, 0, null]),
]), d);
const sums = (from: number, to: number, by: "name" | "kind" | "lane" | "op" = "name", search = "", rows = "") =>
  sumsOf(leaves, d, lanes, { from, to }, by, search, rows).rows.map((r) => [r.short, r.device, r.count, r.total_us]);

test("each moment of a thread is the innermost span's; one that has none of its time runs all the same", () =>
  assert.deepEqual(sums(0, 40), [["gemm float", true, 1, 20], ["aten::mm", false, 1, 30], ["inner", false, 1, 10], ["launch", false, 1, 0]]));
test("a range cuts what reaches into it", () => assert.deepEqual(sums(12, 20), [["gemm float", true, 1, 8], ["aten::mm", false, 1, 5], ["inner", false, 1, 3], ["launch", false, 1, 0]]));
test("outside of all spans there is nothing", () => assert.deepEqual(sums(41, 50), []));
test("by op a kernel counts to what launched it, and what has no op is said so", () =>
  assert.deepEqual(sums(0, 40, "op"), [["aten::mm", true, 1, 20], ["aten::mm", false, 2, 30], ["without op", false, 1, 10]]));
test("by lane and by kind", () => {
  assert.deepEqual(sums(0, 40, "lane"), [["compute · 7", true, 1, 20], ["main · 7", false, 3, 40]]);
  assert.deepEqual(sums(0, 40, "kind"), [["compute", true, 1, 20], ["op", false, 1, 30], ["frame", false, 1, 10], ["call", false, 1, 0]]);
});
test("a search leaves rows out, by whole and short names, and shares stay those of all", () => {
  const told = sumsOf(leaves, d, lanes, { from: 0, to: 40 }, "name", "GEMM FLOAT", "");
  assert.deepEqual(told.rows.map((r) => [r.name, r.share]), [["gemm<float>", 1]]);
  assert.equal(told.host_us, 40);
  assert.deepEqual(sums(0, 40, "op", "mm").map((r) => r[0]), ["aten::mm", "aten::mm"]);
});
test("only lanes of the rows asked for", () => assert.deepEqual(sums(0, 40, "lane", "", "1"), [["main · 7", false, 3, 40]]));

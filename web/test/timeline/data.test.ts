// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstAfter, itemAt, kindAt, listOf, nameAt, readLanes, servedSource, shortAt } from "../../src/timeline/data";
import { answer, asked } from "../server";
import { reals, tableOf, words } from "../tables";
import { itemsOf } from "./items";

const row = (more: object) => ({ rank: null, process: null, device: null, lane: "x", title: "main", detail: null, kind: "host" as const, first_row: 0, rows: 1, spans: 1, start_us: 10, end_us: 90, busy_us: 5, ...more });

test("the run goes from the first start to the last end; marks without length do not widen it", () => {
  const { all } = readLanes({ rows: [row({}), row({ first_row: 1, start_us: 20, end_us: 400 }), row({ first_row: 2, start_us: 9999, end_us: 9999 })], steps: [] });
  assert.deepEqual(all, { from: 10, to: 400 });
  assert.deepEqual([readLanes({ rows: [], steps: [] }).all, readLanes({ rows: [row({ start_us: 5, end_us: 5 })], steps: [] }).all], [{ from: 0, to: 1 }, { from: 5, to: 6 }]);
});
test("a step without length can be hit all the same", () =>
  assert.deepEqual(readLanes({ rows: [], steps: [{ step: 3, start_us: 7, end_us: 7 }] }).steps, [{ step: 3, from: 7, to: 8 }]));
test("rows are asked for as a list with ranges", () => assert.deepEqual([[], [4], [0, 1, 2, 5, 7, 8]].map(listOf), ["", "4", "0-2,5,7-8"]));

const d = itemsOf([{ row: 0, name: "a", start: 0, us: 10 }, { row: 0, name: "b", start: 10, us: 10 }, { row: 0, name: "c", start: 30, us: 10 }, { row: 2, name: "z", start: 0, us: 5 }]);
test("the item at a time is found, at a border the one that begins there", () =>
  assert.deepEqual([5, 10, 25, 39.9, 41].map((time) => itemAt(d, 0, time, 0)), [0, 1, -1, 2, -1]));
test("with some slack a near item is found, but never one of another row", () =>
  assert.deepEqual([itemAt(d, 0, 28, 3), itemAt(d, 0, 28, 1), itemAt(d, 1, 5, 99), itemAt(d, 2, 5.5, 1)], [2, -1, -1, 3]));
test("items that end before a time are skipped", () => assert.deepEqual([-1, 10, 20, 99].map((time) => firstAfter(d, 0, 3, time)), [0, 1, 2, 3]));
test("a kernel is called by its meaning where it has one; the class decides the colour", () => {
  const k = itemsOf([{ row: 0, name: "void gemm<>()", start: 0, us: 1, class: "compute" }, { row: 0, name: "x", start: 2, us: 1, class: "wait" }, { row: 0, name: "op", start: 4, us: 1 }]);
  assert.deepEqual([0, 1, 2].map((i) => kindAt(k, i)), ["compute", "copy", "host"]);
  assert.equal(shortAt(k, 0), "void gemm<>()");
  const short = { ...k, short: words("short", ["gemm", "", ""]) };
  assert.deepEqual([shortAt(short, 0), shortAt(short, 1), nameAt(short, 0)], ["gemm", "x", "void gemm<>()"]);
});

test("a server is asked for a window of rows at a width, with the search", async () => {
  answer({ "/lanes?": { rows: [row({})], steps: [] }, "/spans?": tableOf(["row", "span", "count", "start_us", "duration_us", "busy_us"].map((n) => reals(n, [0, 1])).concat(words("name", ["a", "b"]), words("kind", ["op", "op"]))) });
  const stop = new AbortController().signal;
  const source = await servedSource("a b", "", stop, () => undefined);
  const items = await source.items({ from: 100, to: 300 }, "0-4", 800, "ge mm", stop);
  assert.deepEqual(asked, ["/api/v1/profiles/a%20b/lanes?step=-1", "/api/v1/profiles/a%20b/spans?from=100&to=300&px=800&rows=0-4&q=ge%20mm&format=columns"]);
  assert.deepEqual([items.count, items.scale, items.rows, items.search], [2, 4, "0-4", "ge mm"]);
});
test("an answer that is no window of a timeline is a fault, not an empty picture", async () => {
  answer({ "/lanes?": { rows: [], steps: [] }, "/spans?": tableOf([words("name", ["a"])]) });
  const stop = new AbortController().signal;
  const source = await servedSource("a1", "2", stop, () => undefined);
  await assert.rejects(source.items({ from: 0, to: 1 }, "", 100, "", stop), /not a window/);
});
test("sums and matches of a search come from the server; no match is no span", async () => {
  const sum = { name: "void gemm<>()", kind: "compute", device: 1, count: 2, total_us: 5, mean_us: 2.5, min_us: 1, max_us: 4, share: 0.5, span: 3 };
  answer({ "/lanes?": { rows: [], steps: [] }, "/sums?": { rows: [{ ...sum, short: "gemm" }, { ...sum, name: "step", device: 0 }], summary: { device_us: 10, host_us: 20 } }, "/find?": { summary: { matches: 0, place: 0 }, rows: [] } });
  const stop = new AbortController().signal;
  const source = await servedSource("a1", "", stop, () => undefined);
  const sums = await source.sums({ from: 0, to: 9 }, "name", "", "", stop);
  assert.deepEqual([sums.device_us, sums.host_us, sums.rows.map((r) => [r.short, r.device])], [10, 20, [["gemm", true], ["step", false]]]);
  assert.deepEqual(await source.find("x", 7, true), { matches: 0, place: 0, span: -1 });
  assert.match(asked[asked.length - 1] ?? "", /find\?q=x&backward=1&after=7$/);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProfileFacts } from "../src/api";
import { COMPARED_BY, firstBy, rankCount, stepCount } from "../src/compare/sides";
import type { Side } from "../src/compare/sides";
import { itemAt, makeItems } from "../src/timeline/data";
import type { Lane } from "../src/timeline/data";
import { busyOf, rowsOfGroup } from "../src/timeline/busy";
import { readCounters } from "../src/timeline/counters";
import { byName, kernelOps, kernelsOf } from "../src/table/kernels";
import { TABLES, tableBy, tablesOf } from "../src/table/tables";
import type { Content } from "../src/table/tables";
import { reals, tableOf, words } from "./tables";

const cells = (c: Content, column: string): (number | null)[] => Array.from({ length: c.set.count }, (_, row) => c.columns.find((x) => x.name === column)?.value(row) ?? null);
const tableNamed = (by: string) => TABLES.find((t) => t.by === by) as (typeof TABLES)[number];

const kernels = tableOf([
  reals("rank", [0, 1, 0, 1]), words("name", ["k", "k", "copy", "only1"]), words("class", ["compute", "compute", "copy", "communication"]), words("ops", ["aten::mm|(no op)", "aten::mm", "", "c10d"]),
  reals("count", [2, 3, 1, 1]), reals("total_us", [20, 90, 10, 80]), reals("min_us", [9, 25, 10, 80]), reals("max_us", [11, 40, 10, 80]), reals("bytes", [null, null, 64, 8]),
]);
test("a kernel of several ranks is one row, of those that are chosen", () => {
  const told = (ranks: number[]) => kernelsOf(kernels, ranks).map((k) => [k.name, k.count, k.total, k.min, k.max]);
  assert.deepEqual(told([]), [["k", 5, 110, 9, 40], ["only1", 1, 80, 80, 80], ["copy", 1, 10, 10, 10]]);
  assert.deepEqual(told([0]), [["k", 2, 20, 9, 11], ["copy", 1, 10, 10, 10]]);
});
test("shares of kernels are of what is shown, and what launched them keeps its order", () => {
  const c = byName(kernels, [0]);
  assert.deepEqual(cells(c, "share"), [2 / 3, 1 / 3]);
  assert.deepEqual(cells(c, "mean"), [10, 10]);
  assert.deepEqual(kernelOps(c, 0), ["aten::mm"]);
});

const ops = (device: number[]) => tableOf([
  words("name", ["_TFProfRoot", "aten::mm", "(no op)"]), reals("parent", [null, 0, 0]), reals("accelerator_micros", [0, ...device]), reals("cpu_micros", [0, 30, 10]),
  reals("runs", [0, 4, 0]), reals("bytes", [0, 0, 0]), reals("params", [0, 0, 0]),
], { tree: true });
test("ops: shares are of the device where it ran anything, else of the host; columns of zeros have no values", () => {
  const [both, host] = [tableNamed("op").read(ops([60, 20]), []), tableNamed("op").read(ops([0, 0]), [])];
  assert.deepEqual([cells(both, "share"), both.sort], [[0.75, 0.25], "-total"]);
  assert.deepEqual([cells(host, "share"), host.sort, cells(host, "total")], [[0.75, 0.25], "-self", [null, null]]);
  assert.deepEqual([cells(both, "mean"), cells(both, "bytes")], [[7.5, null], [null, null]]);
  assert.deepEqual([both.set.name(1), both.set.full(1)], ["without op", "(no op)"]);
});
test("scopes: a row is named by its last part and known by its path; shares are of the roots", () => {
  const c = tableNamed("scope").read(tableOf([
    words("name", ["_TFProfRoot", "net", "net/a", "loss"]), reals("parent", [null, 0, 1, 0]), reals("total_accelerator_micros", [0, 75, 50, 25]), reals("total_cpu_micros", [0, 1, 1, 1]),
    reals("total_runs", [0, 1, 1, 1]), reals("cpu_micros", [0, 1, 1, 1]), reals("total_bytes", [0, 0, 0, 0]), reals("total_params", [0, 0, 0, 0]),
  ], { tree: true }), []);
  assert.deepEqual([0, 1, 2].map((row) => [c.set.name(row), c.set.full(row), c.set.parent?.[row]]), [["net", "net", -1], ["a", "net/a", 0], ["loss", "loss", -1]]);
  assert.deepEqual(cells(c, "share"), [0.75, 0.5, 0.25]);
});
test("calls are known by their path: one function is called from many places", () => {
  const c = tableNamed("call").read(tableOf([words("name", ["root", "f", "g", "g"]), reals("parent", [null, 0, 1, 0]), reals("total_micros", [0, 9, 4, 3]), reals("micros", [0, 5, 4, 3]), reals("total_runs", [0, 1, 1, 1])], { tree: true }), []);
  assert.deepEqual([0, 1, 2].map((row) => c.set.thing(row).id), ["f", "f › g", "g"]);
});
test("lines say how much of the time they explain, unless it is all", () => {
  const says = (all: number): string => (tableNamed("line").read(tableOf([words("line", ["a.py:1:f"]), reals("self_us", [10]), reals("self_share", [1]), reals("all_share", [all]), reals("total_us", [10]), reals("runs", [1]), reals("bytes", [0])]), []).says ?? "").replaceAll("\u00a0", " ");
  assert.match(says(0.371), /10(\.0)? µs with a line, 37.1 % of all$/);
  assert.match(says(1), /with a line$/);
});
test("only tables that a profile has are offered, and another is shown for one that it lacks", () => {
  const facts = { nodes: 5, steps: [], has: { graph: true } } as unknown as ProfileFacts;
  assert.deepEqual(tablesOf(facts).map((t) => t.by), ["op", "scope", "parameter"]);
  assert.deepEqual([tableBy("scope", facts)?.by, tableBy("kernel", facts)?.by], ["scope", "op"]);
});

test("sides of a comparison are counted in steps, of ranks in their own", () => {
  const side = (steps: object[], of: number[] = []): Side => ({ id: "", name: "", facts: { steps: of } as unknown as Side["facts"], steps: steps as Side["steps"] });
  assert.deepEqual([stepCount(side([{ step: 1, rank: 0 }, { step: 1, rank: 1 }, { step: 2, rank: 0 }])), stepCount(side([], [4, 5, 6])), stepCount(side([]))], [2, 3, 1]);
  assert.deepEqual([rankCount(side([{ step: 1, rank: 0 }, { step: 1, rank: 1 }])), rankCount(side([]))], [2, 1]); // sums become those of one rank
  const [host, gpu] = [side([{ step: 1, kernels: 0 }]), side([{ step: 1, kernels: 8 }])];
  assert.deepEqual([firstBy(host, host), firstBy(host, gpu), firstBy(side([]), side([]))], ["op", "kernel", "kernel"]);
  const by = COMPARED_BY.find((b) => b.by === "op");
  assert.deepEqual(by?.read(ops([0, 0])).map(([id, a]) => [id, a.name, a.us]), [["aten::mm", "aten::mm", 30], ["(no op)", "without op", 10]]);
});

const lane = (firstRow: number, rows: number, busy: number, kind: Lane["kind"] = "host"): Lane => ({ id: String(firstRow), name: "", detail: "", device: "", process: "", rank: -1, kind, firstRow, rows, spans: 0, start: 0, end: 0, busy });
test("a folded host shows its busiest thread, a device all that is no repetition", () => {
  assert.deepEqual(rowsOfGroup([lane(0, 3, 5), lane(3, 2, 9)], false), [3]);
  assert.deepEqual(rowsOfGroup([lane(0, 2, 5, "compute"), lane(2, 1, 9, "derived"), lane(3, 1, 1, "copy")], true), [0, 1, 3]);
  assert.deepEqual(rowsOfGroup([], false), []);
});
test("how busy parts of a window were: cut at its parts, no more than wholly, merged spans by what they fill", () => {
  const spans: [number, number, number, number][] = [[0, 0, 10, 10], [0, 15, 10, 5], [1, 0, 10, 10]]; // row, start, duration, busy
  const d = makeItems(tableOf([
    reals("row", spans.map((s) => s[0])), reals("span", [0, 1, 2]), reals("count", [1, 4, 1]), reals("start_us", spans.map((s) => s[1])), reals("duration_us", spans.map((s) => s[2])), reals("busy_us", spans.map((s) => s[3])),
    words("name", ["a", "b", "c"]), words("kind", ["op", "op", "op"]),
  ]), { window: { from: 0, to: 40 }, rows: "", scale: 1, search: "" });
  assert.ok(d);
  assert.deepEqual([...busyOf(d, [0], 4)], [1, 0.25, 0.25, 0]);
  assert.deepEqual([...busyOf(d, [0, 1], 4)], [1, 0.25, 0.25, 0]);
  assert.deepEqual([itemAt(d, 0, 12, 0), itemAt(d, 0, 12, 3), itemAt(d, 9, 12, 3)], [-1, 0, -1]);
});
test("counters are parted by rank and name; memory of a device belongs to it, and one that is always 0 is not shown", () => {
  const found = readCounters(tableOf([reals("rank", [0, 0, 1, 1]), words("name", ["gpu:0", "gpu:0", "gpu:0", "queue"]), words("unit", ["bytes", "bytes", "bytes", ""]), reals("at_us", [1, 2, 1, 1]), reals("value", [5, 9, 7, 0])]));
  assert.deepEqual(found.map((c) => [c.rank, c.name, c.group, c.most, c.at.length]), [[0, "memory of gpu:0", "gpu:0", 9, 2], [1, "memory of gpu:0", "gpu:0", 7, 1]]);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProfileFacts } from "../../src/answers/api";
import { tableBy, TABLES, tablesOf } from "../../src/table/tables";
import type { Content } from "../../src/table/tables";
import { reals, tableOf, words } from "../tables";

const cells = (c: Content, column: string): (number | null)[] => Array.from({ length: c.set.count }, (_, row) => c.columns.find((x) => x.name === column)?.value(row) ?? null);
const tableNamed = (by: string) => TABLES.find((t) => t.by === by) as (typeof TABLES)[number];
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
test("tables begin with device time where a device ran, and never add the host's time to it", () => {
  const calls = (device: number[]) => tableNamed("call").read(tableOf([
    words("name", ["root", "f", "g"]), reals("parent", [null, 0, 1]), reals("total_accelerator_micros", [0, ...device]), reals("total_cpu_micros", [0, 9, 4]), reals("cpu_micros", [0, 5, 4]), reals("total_runs", [0, 1, 1]),
  ], { tree: true }), []);
  const lines = (device: number) => tableNamed("line").read(tableOf([words("line", ["a.py:1:f"]), reals("self_us", [10]), reals("self_share", [1]), reals("all_share", [1]), reals("total_us", [10]), reals("host_us", [4]), reals("total_host_us", [5]), reals("device_us", [device]), reals("runs", [1]), reals("bytes", [0])]), []);
  for (const c of [calls([3, 2]), lines(7)]) assert.deepEqual([c.columns[0]?.title, c.sort], ["device", `-${c.columns[0]?.name}`]);
  assert.deepEqual([cells(calls([3, 2]), "total"), cells(calls([3, 2]), "host"), cells(calls([3, 2]), "share")], [[3, 2], [9, 4], [1, 2 / 3]]);
  assert.deepEqual([cells(calls([0, 0]), "total"), calls([0, 0]).sort, lines(0).sort], [[null, null], "-host", "-self"]);
  assert.deepEqual([cells(lines(7), "device"), cells(lines(7), "self"), cells(lines(7), "total"), cells(lines(0), "share")], [[7], [4], [5], [1]]);
  for (const by of ["op", "kernel", "scope"]) assert.equal(tableNamed(by).read(tableOf([words("name", []), reals("parent", [])], { tree: by !== "kernel" }), []).columns[0]?.title, "device");
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

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { busyOf, rowsOfGroup } from "../../src/timeline/busy";
import { itemAt, makeItems } from "../../src/timeline/data";
import type { Lane } from "../../src/timeline/data";
import { reals, tableOf, words } from "../tables";

const lane = (firstRow: number, rows: number, busy: number, kind: Lane["kind"] = "host"): Lane => ({ id: String(firstRow), name: "", detail: "", device: "", process: "", rank: -1, kind, classes: [], firstRow, rows, spans: 0, start: 0, end: 0, busy });
test("a folded host shows its busiest thread, a device all that is no repetition", () => {
  assert.deepEqual(rowsOfGroup([lane(0, 3, 5), lane(3, 2, 9)], false), [3]);
  assert.deepEqual(rowsOfGroup([lane(0, 2, 5, "compute"), lane(2, 1, 9, "derived"), lane(3, 1, 1, "copy")], true), [0, 1, 3]);
  assert.deepEqual(rowsOfGroup([], false), []);
});
test("how busy parts of a window were: cut at its parts, no more than wholly, merged spans by what they fill", () => {
  const spans: [number, number, number, number][] = [[0, 0, 10, 10], [0, 15, 10, 5], [1, 0, 10, 10]]; // row, start, duration, busy
  const d = makeItems(tableOf([
    reals("row", spans.map((s) => s[0])), reals("span", [0, 1, 2]), reals("count", [1, 4, 1]), reals("start_us", spans.map((s) => s[1])), reals("duration_us", spans.map((s) => s[2])), reals("busy_us", spans.map((s) => s[3])),
    words("name", ["a", "b", "c"]), words("kind", ["op", "op", "other"]),
  ]), { window: { from: 0, to: 40 }, rows: "", scale: 1, search: "" });
  assert.ok(d);
  assert.deepEqual([...busyOf(d, [0], 4, false)], [1, 0.25, 0.25, 0]);
  assert.deepEqual([...busyOf(d, [0, 1], 4, true)], [1, 0.25, 0.25, 0]); // what waits on a stream adds nothing
  assert.deepEqual([...busyOf(d, [1], 4, true)], [0, 0, 0, 0]);
  assert.deepEqual([itemAt(d, 0, 12, 0), itemAt(d, 0, 12, 3), itemAt(d, 9, 12, 3)], [-1, 0, -1]);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { layOut } from "../../src/timeline/layout";
import { batchOf } from "../../src/timeline/painter";
import { AXIS, BAND, has, headOf, hitAt, placeInStage, rowsSeen, sourcesOf, timeOf, tracksSeen, xOf } from "../../src/timeline/scene";
import { NOTHING, itemsOf, lane, lanesOf, sceneOf } from "./items";

const STEPS = [{ step: 7, from: 0, to: 400 }, { step: 8, from: 400, to: 900 }];
const lanes = lanesOf([lane(0, "compute", "compute"), lane(1, "host", "main", { rows: 40 })], STEPS);
const items = itemsOf([{ row: 0, name: "gemm", start: 100, us: 50, class: "compute" }, { row: 0, name: "relu", start: 151, us: 50, class: "compute" }, { row: 1, name: "step", start: 0, us: 900 }]);
const scene = sceneOf(lanes, items);
const middle = (row: number) => ((place) => (place?.y ?? 0) + (place?.h ?? 0) / 2)(placeInStage(scene, row));

test("pixels and times are the same place", () => {
  const s = { ...scene, seen: { from: 200, to: 300 } };
  assert.deepEqual([xOf(s, 250), timeOf(s, 500), xOf(s, 150)], [500, 250, -500]);
});
test("a point on a span is that span; beside it the nearest within two pixels, between two the one that is there", () => {
  const name = (x: number, y: number) => ((hit) => (hit?.is === "span" ? hit.items.name.texts?.[hit.items.name.values[hit.i] ?? 0] : hit?.is))(hitAt(scene, x, y));
  const y = middle(0);
  assert.deepEqual([name(120, y), name(99, y), name(97, y), name(152, y), name(202, y), name(300, y), name(50, middle(1))], ["gemm", "gemm", undefined, "relu", "relu", undefined, "step"]);
});
test("the band has the steps, the axis above it nothing, a group's line the group", () => {
  const hit = (x: number, y: number) => hitAt(scene, x, y);
  const [group] = tracksSeen(scene, "group");
  assert.deepEqual([hit(450, AXIS + 5), hit(950, AXIS + 5), hit(450, 5)].map((h) => (h?.is === "step" ? h.step.step : null)), [8, null, null]);
  const on = hit(10, (group?.y ?? 0) + 5);
  assert.equal(on?.is === "group" && on.track.name, "gpu:0");
});
test("outside of the width there is nothing", () => assert.deepEqual([hitAt(scene, -1, middle(0)), hitAt(scene, 1001, middle(0))], [null, null]));
test("scrolled lanes are hit where they are seen, and not under the head", () => {
  const s = { ...scene, top: 60 };
  const place = placeInStage(s, 6);
  assert.equal((placeInStage(scene, 6)?.y ?? 0) - (place?.y ?? 0), 60);
  assert.equal(hitAt(s, 50, headOf(s) - 1)?.is, "step");
  assert.equal(rowsSeen(s)[0]?.row, 1);
});
test("a pinned lane does not scroll, and is hit above the others", () => {
  const s = { ...scene, top: 200, layout: layOut(lanes, [], { ...NOTHING, pinned: ["0"] }) };
  assert.equal(placeInStage(s, 0)?.y, AXIS + BAND);
  assert.equal(hitAt(s, 120, AXIS + BAND + 8)?.is, "span");
});

test("what the window has is drawn of it, the rest of the coarse picture", () => {
  const own = batchOf(itemsOf([{ row: 0, name: "x", start: 300, us: 1 }], { window: { from: 250, to: 750 } }));
  const base = batchOf(items);
  assert.deepEqual(sourcesOf({ ...scene, batch: own, base }, 0).map((p) => [p.batch === own, p.clip]), [[false, [0, 250]], [true, [250, 750]], [false, [750, 1000]]]);
  assert.deepEqual(sourcesOf({ ...scene, batch: null, base }, 0).map((p) => p.clip), [[0, 1000]]);
  assert.deepEqual(sourcesOf({ ...scene, batch: null }, 0), []);
});
test("a row that was not asked for is drawn of the coarse picture", () => {
  const own = batchOf(itemsOf([], { rows: "0-3,9" }));
  assert.deepEqual([0, 3, 4, 9, 10].map((row) => has(own.items, row)), [true, true, false, true, false]);
  const base = batchOf(items);
  assert.equal(sourcesOf({ ...scene, batch: own, base }, 5)[0]?.batch, base);
});

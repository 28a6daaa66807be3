// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Glide } from "../../src/timeline/glide";
import { Minimap, partsOf, rowsOfMap } from "../../src/timeline/Minimap";
import type { Stage } from "../../src/timeline/stage";
import { fire, one, shown } from "../drawn";
import { penOf } from "../page";
import { itemsOf, lane, lanesOf, sourceOf } from "./items";

test("the map shows the first rank's device, or without one its busiest thread", () => {
  const host = [lane(5, "host", "main", { busy: 10, rows: 3 }), lane(8, "host", "loader", { busy: 90, rows: 2 }), lane(9, "derived", "marks", { busy: 1000 })];
  assert.deepEqual([rowsOfMap([...host, lane(0, "compute", "c", { rows: 2 }), lane(3, "copy", "x")]), rowsOfMap(host), rowsOfMap([])], [[0, 1, 3], [8], []]);
  assert.deepEqual(rowsOfMap([lane(0, "compute", "c", { rank: 0 }), lane(1, "compute", "c", { rank: 1 })]), [0]);
});
test("each pixel has the share that a kind took of it, at most all", () => {
  const d = itemsOf([{ row: 0, name: "a", start: 0, us: 150, class: "compute" }, { row: 1, name: "b", start: 50, us: 50, class: "compute" }, { row: 0, name: "c", start: 200, us: 100, class: "communication", times: 9, busy: 40 }]);
  const parts = partsOf(d, { from: 0, to: 400 }, 4, false);
  assert.deepEqual([...parts.compute].map((v) => +v.toFixed(2)), [1, 0.5, 0, 0]);
  assert.deepEqual([...parts.communication].map((v) => +v.toFixed(2)), [0, 0, 0.4, 0]);
});

const lanes = lanesOf([lane(0, "compute", "compute")], [{ step: 4, from: 0, to: 500 }]);
const map = async () => {
  const glide = new Glide(lanes.all, { from: 0, to: 100 }, () => true);
  await shown(<Minimap stage={{ glide, ask: () => undefined } as unknown as Stage} source={sourceOf(lanes, { items: () => Promise.resolve(itemsOf([{ row: 0, name: "a", start: 0, us: 500, class: "compute" }])) })} seen={glide.seen} theme="light" />);
  return glide;
};
test("a press or a drag brings the middle of what is seen there; moving without a button does nothing", async () => {
  const glide = await map();
  fire(one("canvas"), "pointermove", { offsetX: 600, buttons: 0, pointerId: 1 });
  assert.deepEqual(glide.seen, { from: 0, to: 100 });
  fire(one("canvas"), "pointerdown", { offsetX: 600, buttons: 1, pointerId: 1 });
  assert.deepEqual(glide.seen, { from: 450, to: 550 });
  fire(one("canvas"), "pointermove", { offsetX: 1300, buttons: 1, pointerId: 1 });
  assert.deepEqual(glide.seen, { from: 900, to: 1000 });
});
test("the steps have their numbers, and a frame says what is seen", async () => {
  await map();
  const pen = penOf(one("canvas"));
  assert.ok(pen.texts().includes("4"));
  assert.deepEqual(pen.strokes.filter((s) => s.act === "strokeRect").pop()?.args.slice(0, 3), [0.75, 0.75, 119.25]);
  assert.match(one("canvas").getAttribute("aria-label") ?? "", /^the whole run of 1.00.ms with 1 step/);
});

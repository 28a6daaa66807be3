// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Card } from "../../src/timeline/Card";
import { Edges } from "../../src/timeline/Edges";
import type { Details, Linked } from "../../src/timeline/data";
import { hitAt, placeInStage } from "../../src/timeline/scene";
import type { Stage } from "../../src/timeline/stage";
import { sel } from "../../src/state/store";
import { button, click, draw, one, texts } from "../drawn";
import { itemsOf, lane, lanesOf, sceneOf } from "./items";

const lanes = lanesOf([lane(0, "compute", "compute", { detail: "stream 7" })], [{ step: 3, from: 0, to: 500 }]);
const scene = sceneOf(lanes, itemsOf([{ row: 0, name: "gemm", start: 100, us: 50, class: "compute" }, { row: 0, name: "tiny", start: 300, us: 100, times: 40, busy: 25 }]));
function card(x: number, y = (placeInStage(scene, 0)?.y ?? 0) + 5) {
  const hit = hitAt(scene, x, y);
  draw(<Card hit={hit && { hit, x, y }} stage={{ scene } as unknown as Stage} zero={20} />);
  return texts(".tl-card > *");
}

test("the card of a span: name, how long, what it is, where and when", () => assert.deepEqual(card(120), ["gemm", "50 µs", "compute · compute stream 7 · at 80 µs"]));
test("merged spans say how many they are and how busy, and how to come closer", () =>
  assert.deepEqual(card(350), ["40 spans", "busy 25.0 % of 100 µs; the longest: tiny", "a click comes closer"]));
test("a step has its number and length; where nothing is there is no card", () => {
  assert.deepEqual(card(50, 30), ["step 3", "500 µs"]);
  assert.deepEqual(card(700), []);
});
test("the card stays inside of the stage", () => {
  card(120);
  assert.equal(one(".tl-card").style.left, "134px");
  scene.width = 400; // pixels: the span is at 48
  draw(<Card hit={{ hit: hitAt({ ...scene, width: 1000 }, 120, (placeInStage(scene, 0)?.y ?? 0) + 5) as NonNullable<ReturnType<typeof hitAt>>, x: 390, y: 390 }} stage={{ scene } as unknown as Stage} zero={0} />);
  assert.deepEqual([one(".tl-card").style.left, one(".tl-card").style.bottom], ["56px", "22px"]);
  scene.width = 1000;
});

test("names at the edges say how far it is, and a click goes there", () => {
  const link = (span: number, start: number): Linked => ({ relation: "launches", span, row: 0, name: `kernel ${span} ${"x".repeat(50)}`, start_us: start, duration_us: 5 });
  draw(<Edges names={[{ link: link(7, 100), left: true, y: 50 }, { link: link(8, 900), left: false, y: 80 }]} picked={{ summary: { start_us: 600 } } as Details} />);
  assert.match(texts("button")[0] ?? "", /^◂ kernel 7 x+…, 500 µs before$/);
  assert.match(texts("button")[1] ?? "", /^kernel 8 x+…, 300 µs after ▸$/);
  click(button(/^kernel 8/));
  assert.deepEqual(sel.value, { kind: "span", id: "8" });
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { layOut } from "../../src/timeline/layout";
import type { EdgeName } from "../../src/timeline/overlay";
import { Stage } from "../../src/timeline/stage";
import type { Window } from "../../src/state/store";
import { event, until } from "../drawn";
import { NOTHING, itemsOf, lane, lanesOf, sourceOf } from "./items";

const lanes = lanesOf([lane(0, "compute", "compute"), lane(1, "host", "main")], [{ step: 4, from: 100, to: 500 }]);
const spans = [{ row: 0, name: "gemm", start: 200, us: 100, class: "compute" }, { row: 1, name: "aten::mm", start: 150, us: 300 }];

/** A stage of 1,000 µs on 1,000 pixels whose items have arrived. */
async function staged(t: TestContext, seen: Window | null = null) {
  const asked: { rows: string; window: Window }[] = [];
  const told = { acts: [] as string[], seen: [] as Window[], rested: [] as Window[], edges: [] as EdgeName[][], drawn: 0 };
  const source = sourceOf(lanes, {
    items: (window, rows, px, search) => (asked.push({ rows, window }), Promise.resolve(itemsOf(spans, { window, rows, scale: px / (window.to - window.from), search }))),
  });
  const [element, under, over] = [document.createElement("div"), document.createElement("canvas"), document.createElement("canvas")];
  element.append(under, over);
  const stage = new Stage(element, under, over, source, layOut(lanes, [], NOTHING), seen, {
    seen: (w) => (told.acts.push("seen"), told.seen.push(w)), rested: (w) => (told.acts.push("rested"), told.rested.push(w)), edges: (e) => told.edges.push(e), drawn: () => told.drawn++,
  });
  t.after(() => stage.end());
  stage.resize(1000, 400);
  await until(() => stage.marks().length === 3);
  return { stage, asked, told, element, under };
}

test("what is in sight is asked for and drawn, and stands where marks say it does", async (t) => {
  const { stage, asked, told } = await staged(t);
  assert.ok(asked.some((a) => a.rows === "0-1"), JSON.stringify(asked));
  await until(() => told.drawn);
  const marks = stage.marks().map((m) => [m.kind, m.name, m.x, m.w]);
  assert.deepEqual(marks, [["step", "4", 100, 400], ["span", "gemm", 200, 100], ["span", "aten::mm", 150, 300]]);
});
test("a point is on the span that is drawn there, or on the step, or on nothing", async (t) => {
  const { stage } = await staged(t);
  const gemm = stage.marks().find((m) => m.name === "gemm");
  assert.ok(gemm);
  const hit = stage.at(250, gemm.y + gemm.h / 2);
  assert.ok(hit?.is === "span" && hit.items.span[hit.i] === 0);
  assert.equal(stage.at(600, gemm.y + gemm.h / 2)?.is === "span", false);
  assert.equal(stage.timeAt(250), 250);
});
test("the window of the address is the first one; a move is told on its frame, and once it rests", async (t) => {
  const { stage, told } = await staged(t, { from: 100, to: 300 });
  assert.equal(stage.timeAt(500), 200);
  assert.deepEqual(told.acts, []);
  stage.glide.jump({ from: 0, to: 500 });
  stage.ask();
  await until(() => told.rested.length);
  assert.deepEqual(told.acts, ["seen", "rested"]);
  assert.deepEqual([told.seen, told.rested], [[{ from: 0, to: 500 }], [{ from: 0, to: 500 }]]);
});
test("several requests make one frame, and frames keep their times", async (t) => {
  const { stage } = await staged(t);
  const [before, frame] = [stage.frames().length, globalThis.requestAnimationFrame];
  let asked = 0;
  globalThis.requestAnimationFrame = (run) => (asked++, frame(run));
  for (let i = 0; i < 5; i++) stage.ask();
  globalThis.requestAnimationFrame = frame;
  assert.ok(asked <= 1, String(asked)); // a frame may be asked for already
  await until(() => stage.frames().length > before);
  assert.ok(stage.frames().every((ms) => ms >= 0));
});
test("while the context is lost a second canvas is drawn; an ended stage leaves none behind", async (t) => {
  const { stage, element, under } = await staged(t);
  const lost = event("webglcontextlost");
  under.dispatchEvent(lost);
  assert.deepEqual([lost.defaultPrevented, under.hidden, element.querySelectorAll("canvas").length], [true, true, 3]);
  stage.end();
  assert.equal(element.querySelectorAll("canvas").length, 2);
});
test("a row out of sight has a scroll position, one in sight none", async (t) => {
  const { stage } = await staged(t);
  assert.equal(stage.scrollFor(0), null);
  stage.resize(1000, 60);
  assert.ok((stage.scrollFor(1) ?? 0) > 0);
  assert.equal(stage.scrollFor(99), null);
});

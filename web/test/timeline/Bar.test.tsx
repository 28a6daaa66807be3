// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Bar } from "../../src/timeline/Bar";
import { Glide } from "../../src/timeline/glide";
import type { Stage } from "../../src/timeline/stage";
import { state } from "../../src/state/store";
import { button, click, draw, one, press, textOf, texts } from "../drawn";
import { begin } from "../page";
import { lane, lanesOf, sourceOf } from "./items";

const lanes = lanesOf([lane(0, "compute", "compute"), lane(1, "host", "main")]);
function bar(hash = "#/p/a1/timeline", notes: string[] = []) {
  begin(hash);
  const glide = new Glide(lanes.all, { from: 400, to: 600 }, () => true);
  let frames = 0;
  draw(<Bar stage={{ glide, ask: () => frames++ } as unknown as Stage} seen={glide.seen} source={sourceOf(lanes)} notes={notes} steps={null} />);
  return { glide, frames: () => frames };
}

test("what is seen is told, of how much, and how many spans there are", () => {
  bar();
  assert.deepEqual([textOf(one("b")), textOf(one(".tl-of"))], ["400 µs – 600 µs", "200 µs of 1.00 ms · 10 spans"]);
});
test("the legend has the kinds that the run has, and no other", () => {
  bar();
  assert.deepEqual(texts(".tl-legend > span"), ["compute", "host"]);
});
test("buttons zoom about the middle and show all", () => {
  const { glide, frames } = bar();
  click(button("Zoom in"));
  assert.deepEqual(glide.seen, { from: 450, to: 550 });
  click(button("Zoom out"));
  assert.deepEqual(glide.seen, { from: 400, to: 600 });
  click(button("Show all: 0"));
  assert.deepEqual([glide.seen, frames()], [lanes.all, 3]);
});
test("arrow keys go around the tools", () => {
  bar();
  button("Zoom out").focus();
  press("ArrowRight", button("Zoom out"));
  assert.equal(document.activeElement, button("Zoom in"));
  press("ArrowLeft", button("Zoom in")), press("ArrowLeft", button("Zoom out"));
  assert.equal(textOf(document.activeElement), "Lanes ▾");
});
test("hidden lanes come back by the menu, one by one or all with the first order", () => {
  bar("#/p/a1/timeline?hide=1&pin=0&order=1,0");
  click(button("Lanes ▾"));
  click(button("Show main no. 1"));
  assert.equal(state.value.more.hide, undefined);
  click(button("All lanes as they begin"));
  assert.deepEqual([state.value.pin, state.value.more], [[], {}]);
});
test("the first note stands in the line, all of them in the list of lanes", () => {
  bar("#/p/a1/timeline", ["cut to 10ms", "another"]);
  assert.equal(textOf(one(".tl-note")), "cut to 10 ms");
  click(button("Lanes ▾"));
  assert.deepEqual(texts("[role=menu] p"), ["cut to 10ms", "another"]);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Window } from "../../src/state/store";
import { Gestures, around } from "../../src/timeline/gestures";
import { Glide } from "../../src/timeline/glide";
import { timeOf } from "../../src/timeline/scene";
import type { Stage } from "../../src/timeline/stage";
import { all, draw, event } from "../drawn";
import { lane, lanesOf, sceneOf } from "./items";

/** A stage of 1,000 µs on 1,000 pixels, without animation, and what the gestures ask of the place. */
function stage(t: TestContext) {
  const root = draw(<main><div class="tl"><div id="stage" /><button type="button" id="within" /></div><input type="text" /></main>);
  const element = all("#stage", root)[0] as HTMLElement;
  const lanes = lanesOf([lane(0, "host", "main")]);
  const glide = new Glide(lanes.all, lanes.all, () => true);
  const scene = sceneOf(lanes, null);
  const made = { element, glide, scene, ask: () => (scene.seen = glide.seen), timeAt: (x: number) => timeOf(scene, x) } as unknown as Stage;
  const acts: unknown[] = [];
  const round = (w: Window | null) => w && [Math.round(w.from), Math.round(w.to)];
  const gestures = new Gestures(made, {
    pick: (x, y) => acts.push(["pick", x, y]), open: (x) => acts.push(["open", x]), mark: (w, done) => acts.push([done ? "marked" : "mark", round(w)]), hover: (at) => at && acts.push(["hover", at.x]),
  });
  t.after(() => gestures.end());
  const pointer = (type: string, x: number, more: object = {}) => element.dispatchEvent(event(`pointer${type}`, { pointerId: 1, pointerType: "mouse", button: 0, clientX: x, clientY: 50, ...more }));
  const drag = (from: number, to: number, more: object = {}) => (pointer("down", from, more), pointer("move", (from + to) / 2, more), pointer("move", to, more), pointer("up", to, more));
  const wheel = (more: object) => element.dispatchEvent(event("wheel", { clientX: 250, clientY: 50, deltaX: 0, deltaY: 0, deltaMode: 0, ...more }));
  const key = (name: string, on: EventTarget = document.body, more: object = {}) => on.dispatchEvent(event("keydown", { key: name, ...more }));
  const show = (from: number, to: number) => (glide.jump({ from, to }), made.ask());
  return { show, gestures, element, glide, acts, pointer, drag, wheel, key, seen: () => round(glide.seen), root };
}

test("a click picks what is there; a small shake of the hand is no drag", (t) => {
  const s = stage(t);
  s.drag(300, 303);
  assert.deepEqual(s.acts, [["pick", 303, 50]]);
});
test("a drag marks a range, either way round, told while it goes and at its end", (t) => {
  const s = stage(t);
  s.drag(300, 700);
  assert.deepEqual(s.acts, [["mark", [300, 500]], ["mark", [300, 700]], ["marked", [300, 700]]]);
  s.acts.length = 0;
  s.drag(700, 300);
  assert.deepEqual(s.acts[2], ["marked", [300, 700]]);
});
test("a range ends at the ends of the run", (t) => {
  const s = stage(t);
  s.drag(900, 1400);
  assert.deepEqual(s.acts[2], ["marked", [900, 1000]]);
});
test("with shift or the middle button a drag moves the time under the pointer", (t) => {
  const s = stage(t);
  s.show(400, 600);
  s.drag(500, 300, { shiftKey: true });
  assert.deepEqual([s.seen(), s.acts], [[440, 640], []]);
  s.drag(500, 700, { button: 1 });
  assert.deepEqual(s.seen(), [400, 600]);
});
test("ctrl and wheel zoom about the pointer; the wheel alone scrolls the lanes", (t) => {
  const s = stage(t);
  assert.equal(s.wheel({ deltaY: 100 }), true);
  assert.deepEqual(s.seen(), [0, 1000]);
  assert.equal(s.wheel({ deltaY: -200, ctrlKey: true }), false);
  const [from = 0, to = 0] = s.seen() ?? [];
  assert.ok(to - from < 700 && Math.abs((250 - from) / (to - from) - 0.25) < 0.01, `${from} ${to}`);
});
test("shift and wheel, or a wheel sideways, move the time", (t) => {
  const s = stage(t);
  s.show(0, 500);
  s.wheel({ deltaY: 200, shiftKey: true });
  assert.deepEqual(s.seen(), [100, 600]);
  s.wheel({ deltaX: -200, deltaY: 10 });
  assert.deepEqual(s.seen(), [0, 500]);
});
test("two fingers keep their times under them, and leave no range or pick behind", (t) => {
  const s = stage(t);
  const finger = (id: number) => ({ pointerId: id, pointerType: "touch" });
  s.pointer("down", 400, finger(1)), s.pointer("down", 600, finger(2));
  s.pointer("move", 300, finger(1)), s.pointer("move", 700, finger(2));
  assert.deepEqual(s.seen(), [250, 750]);
  s.pointer("up", 300, finger(1)), s.pointer("up", 700, finger(2));
  assert.deepEqual(s.acts, []);
});
test("one finger moves the time, one that is held first marks", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const s = stage(t);
  s.show(0, 500);
  s.drag(500, 300, { pointerType: "touch" });
  assert.equal(s.acts.length, 0);
  assert.notDeepEqual(s.seen(), [0, 500]);
  s.pointer("down", 300, { pointerType: "touch" });
  t.mock.timers.tick(400);
  s.pointer("move", 400, { pointerType: "touch" }), s.pointer("up", 400, { pointerType: "touch" });
  assert.equal((s.acts[s.acts.length - 1] as unknown[])[0], "marked");
});
test("a double click opens; a press on a button of the stage is the button's", (t) => {
  const s = stage(t);
  s.element.dispatchEvent(event("dblclick", { clientX: 42, clientY: 1 }));
  const inner = document.createElement("button");
  s.element.append(inner);
  inner.dispatchEvent(event("pointerdown", { pointerId: 1, button: 0, clientX: 10, clientY: 1 }));
  inner.dispatchEvent(event("pointerup", { pointerId: 1, button: 0, clientX: 10, clientY: 1 }));
  assert.deepEqual(s.acts, [["open", 42]]);
});
test("the mouse above the stage is told, unless it drags", (t) => {
  const s = stage(t);
  s.pointer("move", 123);
  assert.deepEqual(s.acts, [["hover", 123]]);
});
test("w and s zoom, a and d move, wherever the focus is but in a text", (t) => {
  const s = stage(t);
  s.key("w");
  assert.deepEqual(s.seen(), [167, 833]);
  s.key("d");
  assert.deepEqual(s.seen(), [267, 933]);
  document.body.dispatchEvent(event("keyup", { key: "w" }));
  s.key("a", all("input", s.root)[0]);
  s.key("a", document.body, { ctrlKey: true });
  assert.deepEqual(s.seen(), [267, 933]);
  s.key("s");
  assert.deepEqual(s.seen(), [0, 1000]);
});
test("arrow keys belong to what has the focus, within the timeline to it", (t) => {
  const s = stage(t);
  s.show(0, 500);
  const outside = document.createElement("button");
  document.body.append(outside);
  s.key("ArrowRight", outside);
  outside.remove();
  assert.deepEqual(s.seen(), [0, 500]);
  s.key("ArrowRight", all("#within", s.root)[0]);
  assert.deepEqual(s.seen(), [75, 575]);
});
test("a key that repeats while it is held is one step, then it goes on by itself until it is released", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const s = stage(t);
  s.key("w"), s.key("w"), s.key("w");
  assert.deepEqual([s.seen(), s.glide.isHeld], [[167, 833], false]);
  t.mock.timers.tick(200);
  assert.equal(s.glide.isHeld, true);
  document.body.dispatchEvent(event("keyup", { key: "w" }));
  assert.equal(s.glide.isHeld, false);
  s.key("d");
  t.mock.timers.tick(200);
  dispatchEvent(new Event("blur"));
  assert.equal(s.glide.isHeld, false); // a key that is released elsewhere
});
test("a place that was left hears no more keys", (t) => {
  const s = stage(t);
  s.gestures.end();
  s.key("w");
  assert.deepEqual(s.seen(), [0, 1000]);
});
test("what is shown around something has it in the middle", () => {
  assert.deepEqual([around({ from: 100, to: 200 }), around({ from: 100, to: 200 }, 0.05)], [{ from: 50, to: 250 }, { from: 95, to: 205 }]);
  const w = around({ from: 7, to: 7 });
  assert.ok(w.from < 7 && w.to > 7);
});

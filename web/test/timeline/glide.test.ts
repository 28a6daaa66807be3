// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Glide, clampTo, zoomed } from "../../src/timeline/glide";

const ALL = { from: 0, to: 1000 };
const glide = (from = 0, to = 1000, still = false) => new Glide(ALL, { from, to }, () => still);
const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-6 * Math.max(1, Math.abs(b)), `${a} is not ${b}`);
/** Frames until it rests, at most so many. */
function frames(g: Glide, most = 200): number {
  let now = 1;
  for (let n = 1; n <= most; n++) if (!g.step((now += 16))) return n;
  return Infinity;
}

test("a window never shows what is before the start or behind the end, and keeps its length", () => {
  assert.deepEqual([clampTo(ALL, { from: -50, to: 50 }), clampTo(ALL, { from: 990, to: 1090 }), clampTo(ALL, { from: -500, to: 5000 })], [{ from: 0, to: 100 }, { from: 900, to: 1000 }, ALL]);
});
test("no window is so short that nothing can be told apart", () => {
  const w = clampTo(ALL, { from: 500, to: 500 });
  near(w.to - w.from, 0.01);
  near((w.from + w.to) / 2, 500);
});
test("zooming keeps the time under the pointer where it is", () => {
  const w = zoomed({ from: 100, to: 300 }, 0.5, 150);
  assert.deepEqual(w, { from: 125, to: 225 });
  near((150 - w.from) / (w.to - w.from), (150 - 100) / 200);
});
test("a jump is there at once, a wish is reached in a moment and smoothly", () => {
  const g = glide();
  g.jump({ from: 100, to: 200 });
  assert.deepEqual([g.seen, g.moves], [{ from: 100, to: 200 }, false]);
  g.show({ from: 300, to: 400 });
  assert.deepEqual([g.seen.from, g.moves], [100, true]);
  g.step(16);
  assert.ok(g.seen.from > 100 && g.seen.from < 300);
  assert.ok(frames(g) < 40);
  assert.deepEqual([g.seen, g.moves], [{ from: 300, to: 400 }, false]);
});
test("who prefers no motion is there at once", () => {
  const g = glide(0, 1000, true);
  g.zoom(0.5, null);
  assert.deepEqual([g.seen, g.step(16)], [{ from: 250, to: 750 }, false]);
});
test("quick turns of the wheel add up, about the time that is under the pointer now", () => {
  const g = glide();
  g.zoom(0.5, 250), g.zoom(0.5, 250);
  frames(g);
  near(g.seen.to - g.seen.from, 250);
  near((250 - g.seen.from) / (g.seen.to - g.seen.from), 0.25);
});
test("a pan moves by a part of the width, and stops at the end", () => {
  const g = glide(100, 200);
  g.pan(0.5);
  frames(g);
  assert.deepEqual([g.seen.from, g.seen.to].map(Math.round), [150, 250]);
  for (let i = 0; i < 30; i++) g.pan(0.5);
  frames(g);
  assert.deepEqual(g.seen, { from: 900, to: 1000 });
});
test("a held key goes on and on until it is released", () => {
  const g = glide(400, 600);
  g.hold({ pan: 1 }, null);
  assert.equal(frames(g, 30), Infinity);
  assert.ok(g.seen.from > 450, String(g.seen.from));
  g.hold({ pan: 0 }, null);
  assert.deepEqual([g.isHeld, g.step(1000)], [false, false]);
});
test("a held zoom is as fast on a slow screen as on a quick one", () => {
  const after = (ms: number, each: number): number => {
    const g = glide();
    g.hold({ zoom: -1 }, 500);
    for (let now = each; now <= ms; now += each) g.step(now);
    return g.seen.to - g.seen.from;
  };
  const [quick, slow] = [after(400, 10), after(400, 40)];
  assert.ok(Math.abs(quick / slow - 1) < 0.15, `${quick} ${slow}`);
  assert.ok(quick < 500);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Curve } from "../../src/memory/curve";
import { curvesOf, drawCurve, frameOf, indexAt } from "../../src/memory/curve";
import { penOf } from "../page";
import { reals, tableOf, words } from "../tables";

const t = tableOf([words("device", ["cpu", "cpu", "gpu:0", "gpu:0", "gpu:0", "gpu:1"]), reals("at_us", [0, 10, 0, 100, 200, 0]), reals("held_bytes", [5, 7, 1e6, 9e6, 3e6, null]), reals("in_use_bytes", [null, null, 2e6, 1e7, 1e7, 5])]);
const curves = curvesOf(t);
const gpu = curves[0] as Curve;

test("each device has its curve, the one that held most first; what only an allocator tells is none", () =>
  assert.deepEqual(curves.map((c) => [c.device, c.held[c.peak], c.at[c.peak], c.reserved.length]), [["gpu:0", 9e6, 100, 3], ["cpu", 7, 10, 0]]));
test("at a time holds what was last told", () => assert.deepEqual([-5, 0, 99, 100, 150, 1e9].map((us) => indexAt(gpu, us)), [0, 0, 0, 1, 1, 2]));
test("the picture goes from the first to the last time, a little higher than the peak", () => {
  assert.deepEqual(frameOf(gpu), { from: 0, to: 200, most: 1.05 * 9e6 });
  assert.equal(frameOf({ ...gpu, at: [7], held: [0], reserved: [], peak: 0 }).to, 8);
});
test("the axis has bytes at the side and times below, and a line stands at the chosen time", () => {
  const canvas = document.createElement("canvas");
  drawCurve(canvas, gpu, frameOf(gpu), 100, null);
  const pen = penOf(canvas);
  const texts = pen.texts().map((w) => w.replaceAll("\u00a0", " "));
  assert.deepEqual(texts.slice(0, 3), ["0 B", "4.50 MB", "9.00 MB"]);
  assert.ok(texts.includes("100 µs"), texts.join());
  const line = pen.strokes.filter((s) => s.act === "strokeRect").pop();
  assert.equal(line?.args[0], 64 + (1200 - 68) / 2); // halfway between the sides
});
test("memory changes in steps: it is held until the next time", () => {
  const canvas = document.createElement("canvas");
  drawCurve(canvas, gpu, frameOf(gpu), 0, null);
  const points = penOf(canvas).strokes.filter((s) => s.act === "lineTo").map((s) => s.args as number[]);
  const at100 = points.filter(([x]) => x === 630).map(([, y]) => y ?? 0);
  assert.ok(at100.length === 2 && (at100[0] ?? 0) > (at100[1] ?? 0), at100.join());
});

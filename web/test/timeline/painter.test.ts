// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "../../src/timeline/painter";
import { batchOf, painterOf } from "../../src/timeline/painter";
import { SHADES } from "../../src/timeline/palette";
import { penOf } from "../page";
import type { Span } from "./items";
import { itemsOf, palette } from "./items";

const kinds = (spans: Span[]): number[] => [...batchOf(itemsOf(spans)).tone].map((t) => Math.floor(t / SHADES));

/** The rectangles of one row, as the canvas was told: x, width, colour, strength. */
function drawn(spans: Span[], more: Partial<Frame> = {}, search = ""): { x: number; w: number; fill: string; alpha: number }[] {
  const canvas = document.createElement("canvas");
  const batch = batchOf(itemsOf(spans, { search }));
  const job = { batch, row: 0, y: 30, h: 18, clip: [0, 1000] as [number, number], top: 0 };
  painterOf(canvas, "flat")?.draw({ width: 1000, height: 100, ratio: 1, from: 0, scale: 1, palette: palette(), jobs: [job], lines: [], linesFrom: 0, ...more });
  return penOf(canvas).strokes.filter((s) => s.act === "fillRect").map((s) => ({ x: Number(s.args[0]), w: Number(s.args[2]), fill: s.fill, alpha: s.alpha }));
}

test("colour means kind: compute, communication, copies and sets, the host's", () =>
  assert.deepEqual(kinds([{ row: 0, name: "a", start: 0, us: 1, class: "compute" }, { row: 0, name: "b", start: 2, us: 1, class: "communication" }, { row: 0, name: "c", start: 4, us: 1, class: "set" }, { row: 0, name: "d", start: 6, us: 1 }]), [0, 1, 2, 3]));
test("one name has one shade everywhere, and names of one kind do not all have the same", () => {
  const spans = Array.from({ length: 20 }, (_, i) => ({ row: 0, name: `op${i % 10}`, start: i * 10, us: 5 }));
  const { tone } = batchOf(itemsOf(spans));
  assert.ok(spans.every((_, i) => tone[i] === tone[i % 10]));
  assert.ok(new Set(tone).size > 1);
});
test("merged spans have the plain tone, and are as strong as they are busy", () => {
  const { tone, strong } = batchOf(itemsOf([{ row: 0, name: "op1", start: 0, us: 100, times: 9, busy: 50 }, { row: 0, name: "op1", start: 200, us: 100, times: 2, busy: 100 }]));
  assert.deepEqual([tone[0], Math.round((strong[0] ?? 0) * 100), strong[1]], [3 * SHADES, 70, 1]);
});
test("what a search does not find is pale", () => {
  assert.deepEqual([...batchOf(itemsOf([{ row: 0, name: "gemm", start: 0, us: 1 }, { row: 0, name: "relu", start: 2, us: 1 }], { search: "GEMM" })).strong].map((s) => s > 0.5), [true, false]);
});

test("a span is drawn where and as long as it is, a short one a pixel wide", () => {
  const [long, short] = drawn([{ row: 0, name: "a", start: 100, us: 200 }, { row: 0, name: "b", start: 400, us: 0.01 }]);
  assert.deepEqual([long?.x, Math.round(long?.w ?? 0), short?.x, short?.w], [100, 199, 400, 1]); // a long one leaves room before the next
});
test("what is outside of the window is not drawn, what reaches into it is cut at its edge", () => {
  const boxes = drawn([{ row: 0, name: "a", start: 0, us: 90 }, { row: 0, name: "b", start: 95, us: 10 }, { row: 0, name: "c", start: 160, us: 100 }, { row: 0, name: "d", start: 300, us: 10 }], { from: 100, scale: 10 });
  assert.deepEqual(boxes.map((b) => [b.x, Math.round(b.x + b.w)]), [[0, 49], [600, 1000]]);
});
test("of spans much finer than a pixel one stands for its neighbours, but none that the search finds is left out", () => {
  const fine = Array.from({ length: 1000 }, (_, i) => ({ row: 0, name: i === 501 ? "needle" : "hay", start: i * 0.01, us: 0.01 }));
  assert.ok(drawn(fine).length < 30);
  assert.equal(drawn(fine, {}, "needle").filter((b) => b.alpha === 1).length, 1);
});
test("a row under the head that does not scroll is not drawn over it", () => {
  const canvas = document.createElement("canvas");
  const job = (y: number) => ({ batch: batchOf(itemsOf([{ row: 0, name: "a", start: 0, us: 10 }])), row: 0, y, h: 18, clip: [0, 1000] as [number, number], top: 44 });
  painterOf(canvas, "flat")?.draw({ width: 1000, height: 100, ratio: 1, from: 0, scale: 1, palette: palette(), jobs: [job(10), job(35), job(60)], lines: [], linesFrom: 0 });
  const boxes = penOf(canvas).strokes.filter((s) => s.act === "fillRect").map((s) => [s.args[1], s.args[3]]);
  assert.deepEqual(boxes, [[44, 8], [60, 17]]);
});
test("a sharp screen has a sharp picture", () => {
  const canvas = document.createElement("canvas");
  painterOf(canvas, "flat")?.draw({ width: 300, height: 100, ratio: 2, from: 0, scale: 1, palette: palette(), jobs: [], lines: [], linesFrom: 0 });
  assert.deepEqual([canvas.width, canvas.height], [600, 200]);
});
test("without a GPU it is drawn on a plain canvas", () => assert.equal(painterOf(document.createElement("canvas"), null)?.name, "2d"));

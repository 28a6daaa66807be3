// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Details, Linked } from "../../src/timeline/data";
import type { Counter } from "../../src/timeline/layout";
import { arrowsOf, counterText, drawOverlay, edgesOf, sampleAt, tickOf, ticksOf } from "../../src/timeline/overlay";
import type { Scene } from "../../src/timeline/scene";
import { headOf } from "../../src/timeline/scene";
import { penOn } from "../page";
import { COLOURS, itemsOf, lane, lanesOf, sceneOf } from "./items";

const STEPS = [{ step: 7, from: 0, to: 500 }, { step: 8, from: 500, to: 1000 }];
const lanes = lanesOf([lane(0, "compute", "compute"), lane(1, "host", "main")], STEPS);
const items = itemsOf([{ row: 0, name: "gemm", start: 100, us: 200, class: "compute" }, { row: 0, name: "tiny", start: 310, us: 5, class: "compute" }, { row: 1, name: "model/layer/mm", start: 90, us: 60 }, { row: 1, name: "a/b", start: 400, us: 300, times: 4 }]);
const scene = (more: Partial<Scene> = {}) => sceneOf(lanes, items, more);
const plain = (list: string[]): string[] => list.map((t) => t.replaceAll("\u00a0", " "));
const drawn = (s: Scene) => {
  const pen = penOn({ width: 0, height: 0 });
  const edges = drawOverlay(pen, s, 1);
  return { texts: plain(pen.texts()), strokes: pen.strokes, edges };
};

test("marks of the axis are round and their words have room", () => {
  for (const [span, width, tick] of [[1000, 1000, 100], [1000, 400, 500], [0.5, 900, 0.05], [3e6, 1200, 5e5]] as const) {
    const is = tickOf(span, width);
    assert.ok(Math.abs(is / tick - 1) < 1e-9, `${span} on ${width}: ${is}`);
    assert.ok((is / span) * width >= 90);
  }
});
test("times of the axis count from the start of the run", () => {
  const s = scene({ seen: { from: 250, to: 450 } });
  s.lanes = { ...lanes, all: { from: 50, to: 1050 } };
  assert.deepEqual(ticksOf(s).map((t) => [t.time, t.x]), [[200, 0], [220, 100], [240, 200], [260, 300], [280, 400], [300, 500], [320, 600], [340, 700], [360, 800], [380, 900], [400, 1000]]);
});
test("a span has its name where there is room, a merged one has none; of a path the last part", () => {
  const { texts } = drawn(scene());
  assert.deepEqual(["gemm", "mm", "tiny", "b", "a/b"].map((t) => texts.includes(t)), [true, true, false, false, false]);
});
test("a name that begins outside of the window stands at its edge", () => {
  const { strokes } = drawn(scene({ seen: { from: 200, to: 300 } }));
  assert.deepEqual(strokes.filter((s) => s.act === "fillText" && s.args[0] === "gemm").map((s) => s.args[1]), [4]);
});
test("the band tells a step's parts as far as there is room, and cuts none", () => {
  const facts = new Map([[7, { duration: 500, compute: 300, communication: 50, idle: 150 }]]);
  const told = (seen: Scene["seen"]) => drawn(scene({ facts, seen })).texts.find((t) => t.startsWith(" · 500 µs"));
  assert.equal(told({ from: 0, to: 1000 }), " · 500 µs · compute 60.0 % · exposed comm. 10.0 % · idle 30.0 %");
  assert.equal(told({ from: 0, to: 2500 }), " · 500 µs · compute 60.0 %");
  assert.ok(drawn(scene()).texts.includes(" · 500 µs")); // without facts its length
});
test("the selected step has the colour of the selection", () => {
  const fills = (step: number) => drawn(scene({ step })).strokes.filter((s) => s.act === "strokeRect").length;
  assert.equal(fills(7), fills(-1));
  const accent = sceneOf(lanes, items, { step: 8 });
  accent.palette = { ...accent.palette, accentPaper: "paper" };
  assert.equal(drawn(accent).strokes.filter((s) => s.act === "fillRect" && s.fill === "paper").length, 1);
});
test("spans of the selected kernel are underlined, all of them and no other", () => {
  const lit = drawn(scene({ lit: "gemm" })).strokes.filter((s) => s.act === "fillRect" && s.fill === COLOURS["--accent"]);
  assert.deepEqual(lit.map((s) => [s.args[0], s.args[2]]), [[100, 200]]);
});
test("a range has its length, and what is outside of it is pale", () => {
  const { texts, strokes } = drawn(scene({ range: { from: 200, to: 600 } }));
  assert.ok(texts.includes("400 µs"));
  assert.deepEqual(strokes.filter((s) => s.act === "fillRect" && s.alpha === 0.5).map((s) => [s.args[0], s.args[2]]), [[0, 200], [600, 1000]]);
});

const counter: Counter = { id: "c", name: "memory", group: "", rank: -1, unit: "bytes", at: [10, 20, 30], value: [1e6, 5e6, 0], most: 5e6 };
test("a counter has the value of its last sample, and none before the first", () =>
  assert.deepEqual([5, 10, 29, 1e9].map((time) => sampleAt(counter, time)), [-1, 0, 1, 2]));
test("counters are bytes or counts", () =>
  assert.deepEqual([counterText(counter, 12_400_000), counterText({ ...counter, unit: "" }, 67_219)].map((t) => t.replaceAll("\u00a0", " ")), ["12.4 MB", "67,219"]));

const link = (relation: string, span: number, start: number, row = 1): Linked => ({ relation, span, row, name: `s${span}`, start_us: start, duration_us: 10 });
const picked = (rows: Linked[]): Details => ({ summary: { span: 1, name: "gemm", kind: "activity", class: "compute", lane: "x", row: 0, start_us: 100, duration_us: 200, self_us: null, step: 7, node: null }, args: [], rows });
test("arrows go to what launched it and where data goes, not to what it lies in", () =>
  assert.deepEqual(arrowsOf(scene({ picked: picked([link("launched by", 2, 50), link("parent", 3, 0), link("operator", 4, 0), link("frame", 5, 0), link("backward", 6, 500)]) })).map((l) => l.span), [2, 6]));
test("the end of an arrow outside of the window has its name at the edge, at most four on a side", () => {
  const s = scene({ seen: { from: 100, to: 300 }, picked: picked([link("launched by", 2, 50), ...[3, 4, 5, 6, 7].map((n) => link("launches", n, 500 + n)), link("launches", 9, 150)]) });
  const edges = edgesOf(s);
  assert.deepEqual(edges.map((e) => [e.link.span, e.left]), [[2, true], [3, false], [4, false], [5, false], [6, false]]);
  const right = edges.filter((e) => !e.left).map((e) => e.y);
  assert.ok(right.every((y, i) => !i || y - (right[i - 1] ?? 0) >= 20), right.join());
  assert.ok(edges.every((e) => e.y > headOf(s)));
});
test("a selected span has its border, and an arrow its line and head", () => {
  const { strokes } = drawn(scene({ picked: picked([link("launched by", 2, 90)]) }));
  const border = strokes.filter((s) => s.act === "roundRect").map((s) => [s.args[0], s.args[2]]);
  assert.deepEqual(border, [[99, 202]]);
  const [curve] = strokes.filter((s) => s.act === "bezierCurveTo");
  assert.deepEqual([strokes.filter((s) => s.act === "bezierCurveTo").length, curve?.args[4]], [1, 100]); // it ends where the span begins
});
test("without a selection there is neither", () => assert.equal(drawn(scene()).strokes.some((s) => s.act === "roundRect" || s.act === "bezierCurveTo"), false));

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { HeatMap } from "../../src/overview/HeatMap";
import { all, draw, one, textOf, things } from "../drawn";
import { ranks, row, steps } from "./rows";

test("one rank has no map", () => assert.equal(draw(<HeatMap rows={steps} />).childElementCount, 0));
test("the heat map has the slowest ranks in their order, and a hole where a rank has no step", () => {
  const text = textOf(draw(<HeatMap rows={ranks(40).concat(row(39, 2, 5e3, 0))} />));
  assert.deepEqual(things().filter((t) => t.startsWith("rank:")).map((t) => Number(t.slice(5))), Array.from({ length: 32 }, (_, i) => i + 8));
  assert.equal(things().filter((t) => t === "step:2").length, 1);
  assert.equal(all(".heat > span").length, 31);
  assert.match(text, /the 32 slowest of 40 ranks/);
});
test("the shortest step is light, the longest dark, and each tells its numbers", () => {
  const text = textOf(draw(<HeatMap rows={[row(0, 1, 10e3, 0), row(0, 2, 20e3, 0), row(1, 1, 30e3, 0), row(1, 2, 10e3, 0)]} />));
  assert.deepEqual(all(".heat i").map((e) => Number(e.style.opacity).toFixed(1)), ["0.2", "0.6", "1.0", "0.2"]);
  assert.match(text, /10.0 ms light to 30.0 ms dark/);
  assert.match((one('a[data-hint^="rank 1, step 1"]').dataset.hint ?? ""), /30.0.ms$/);
});
test("where all take the same time nothing is dark", () => {
  draw(<HeatMap rows={[row(0, 1, 10e3, 0), row(1, 1, 10e3, 0)]} />);
  assert.deepEqual(all(".heat i").map((e) => e.style.opacity), ["0.2", "0.2"]);
});

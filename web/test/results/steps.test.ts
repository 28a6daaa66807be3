// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { median, ofWhat, overDevices, quantitiesOf, stepRows, underFilters } from "../../src/results/steps";
import type { StepRow } from "../../src/results/steps";
import { reals, tableOf, words } from "../tables";

const step = (rank: number, number: number, duration: number, communication = 0): StepRow => ({
  rank, step: number, device: `gpu:${rank}`, start: 0, duration, communication, copy: 0, kernels: 1, parts: { compute: duration / 2, exposed_communication: communication / 2, exposed_copies: 0, idle: duration / 2 - communication / 2 },
});
test("means are over steps, then over ranks", () => {
  const q = quantitiesOf([step(0, 1, 10), step(0, 2, 20), step(1, 1, 40, 8)]);
  assert.deepEqual([q.mean, q.median, q.hidden, q.steps, q.ranks], [27.5, 20, 2, 2, 2]);
  assert.equal(median([4, 1, 3, 2]), 2.5);
});
test("where the host runs ahead a step takes as long as its work on the device", () => {
  const columns = [words("step", ["4"]), words("device", ["gpu:0"]), reals("rank", [0]), reals("duration_us", [30], "us"), reals("compute_us", [490], "us"), reals("idle_us", [10], "us")];
  assert.equal(stepRows(tableOf([...columns, reals("step_us", [500], "us")]))[0]?.duration, 500);
  assert.equal(stepRows(tableOf(columns))[0]?.duration, 30);
});
test("filters leave the rows that they name, and name what is left", () => {
  const rows = [step(0, 1, 10), step(0, 2, 20), step(1, 1, 40)];
  const none = { ranks: [], steps: null, range: null, device: "" };
  assert.equal(underFilters(rows, { ...none, ranks: [1] }).length, 1);
  assert.equal(underFilters(rows, { ...none, steps: { from: 2, to: 9 } }).length, 1);
  assert.deepEqual([none, { ...none, ranks: [1] }, { ...none, ranks: [0, 1] }, { ...none, steps: { from: 2, to: 2 } }].map(ofWhat), ["all", "rank:1", "", "step:2"]);
});
test("sums of device time say over how many devices they are, unless each rank has one; means of a rank over those of a rank", () => {
  const rows = (of: [number, string][]): StepRow[] => of.map(([rank, device]) => ({ rank, device }) as StepRow);
  assert.equal(overDevices(rows([[0, "tpu:0"], [0, "tpu:1"], [0, "tpu:0"]])), ", over 2 devices");
  assert.equal(overDevices(rows([[0, "gpu:0"], [1, "gpu:0"]])), "");
  const two = rows([[0, "gpu:0"], [0, "gpu:1"], [1, "gpu:0"], [1, "gpu:1"]]);
  assert.deepEqual([overDevices(two), overDevices(two, true)], [", over 4 devices", ", over 2 devices"]);
  assert.equal(overDevices(two.slice(1), true), ", over 1 to 2 devices");
  assert.equal(overDevices([]), "");
});

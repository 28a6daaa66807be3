// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { filterParams, forgetAll, isKept, once, stepWindows } from "../../src/answers/data";

const windows = new Map([[1, { from: 10, to: 20 }], [2, { from: 20, to: 35 }], [3, { from: 35, to: 50 }]]);
const none = { ranks: [], steps: null, range: null, device: "" };
test("one step is asked as a step, several as their time, a range as it is", () => {
  assert.equal(filterParams({ ...none, steps: { from: 2, to: 2 }, range: null }, windows), "&step=2");
  assert.equal(filterParams({ ...none, steps: { from: 1, to: 2 }, range: null }, windows), "&range=10:35");
  assert.equal(filterParams({ ...none, steps: null, range: { from: 3, to: 4.5 } }, windows), "&range=3:4.5");
  assert.equal(filterParams({ ...none, steps: { from: 1, to: 2 }, range: { from: 15, to: 99 } }, windows), "&range=15:35");
});
test("ranks and a device are asked for in every table, a time where the table knows it", () => {
  const all = { ranks: [0, 3], steps: { from: 2, to: 2 }, range: null, device: "gpu:0" };
  assert.equal(filterParams(all, windows), "&ranks=0,3&device=gpu%3A0&step=2");
  assert.equal(filterParams(all, windows, false), "&ranks=0,3&device=gpu%3A0");
});

test("an answer is asked for once and kept; one that failed is asked for again", async () => {
  let asked = 0;
  const get = () => Promise.resolve(++asked);
  assert.deepEqual([await once("k", get), await once("k", get), isKept("k")], [1, 1, true]);
  const failing = () => Promise.reject(new Error(`no ${++asked}`));
  await assert.rejects(once("f", failing), /no 2/);
  await assert.rejects(once("f", failing), /no 3/);
  forgetAll();
  assert.equal(await once("k", get), 4);
});
test("of many answers those that were not used for longest are given up", async () => {
  const get = (n: number) => once(`${n}`, () => Promise.resolve(n));
  for (let n = 0; n < 60; n++) await get(n);
  await get(0); // used again
  await get(60);
  assert.deepEqual([isKept("0"), isKept("1"), isKept("60")], [true, false, true]);
});
test("the windows of steps are the timeline's; a profile without a timeline has none", async () => {
  assert.deepEqual((await stepWindows("a1")).get(2), { from: 101_000, to: 201_000 });
  assert.equal((await stepWindows("unknown")).size, 0);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Checkpoint } from "../../src/pages/Checkpoint";
import { useRoute } from "../../src/state/route";
import { all, button, click, erase, one, settled, shown, textOf, texts, write } from "../drawn";
import { begin } from "../page";
import { answer } from "../server";
import { reals, tableOf, words } from "../tables";

const TENSORS = tableOf([words("name", ["net/w", "net/b", "Step"]), words("shape", ["3x4", "4", ""]), reals("elements", [12, 4, 1])]);
const VALUE = { name: "net/w", dtype: "float", shape: "3x4", elements: 12, numbers: true, finite: 11, zeros: 2, nans: 1, infinities: 0, min: -1, max: 0.14814815000000001, mean: 0, deviation: 0.5, histogram: [1, 3, 7], values: [0.5, null] };
function Page() {
  return <Checkpoint route={useRoute()} />;
}
const page = (value: object = VALUE, hash = "#/p/a1/more?by=checkpoint") => (begin(hash), erase(), answer({ "/tensors?": TENSORS, "/tensors/value": value }), shown(<Page />));

test("tensors are listed with shape and size, and found by letters of any case", async () => {
  await page();
  assert.deepEqual(texts(".tensors li"), ["net/w 3x4 12", "net/b 4 4", "Step 1"]);
  write(one("input"), "STEP");
  assert.deepEqual(texts(".tensors li"), ["Step 1"]);
  assert.equal(textOf(one(".beside > .empty")), "Choose a tensor.");
});
test("a tensor tells its numbers, what is not finite, and its first values", async () => {
  await page();
  click(button("net/w"));
  await settled();
  const told = texts('section[aria-label="net/w"] p');
  assert.deepEqual(told, ["float, 3 × 4: 12 values", "From -1 to 0.148148, mean 0, standard deviation 0.5", "Among them: 2 zeros, 1 NaN", "First values: 0.5, not finite"]);
  assert.equal(button("net/w").getAttribute("aria-pressed"), "true");
});
test("the histogram has a bar for each part, the fullest one the highest", async () => {
  await page(VALUE, "#/p/a1/more?by=checkpoint&tensor=net/w");
  assert.deepEqual(all(".histogram rect:not(.reach)").map((r) => Math.round(Number(r.getAttribute("height")))), [18, 54, 125]);
  assert.equal(texts(".histogram title")[2], "-0.234568 to 0.148148: 7 values");
});
test("what is no number says so, and a single value is no histogram", async () => {
  await page({ ...VALUE, dtype: "string", numbers: false, finite: undefined, min: undefined }, "#/p/a1/more?by=checkpoint&tensor=net/w");
  assert.match(textOf(one('section[aria-label="net/w"] .empty')), /Its type is not a number/);
  await page({ ...VALUE, shape: "", elements: 1, min: 3, max: 3, values: [3] }, "#/p/a1/more?by=checkpoint&tensor=Step");
  assert.equal(all(".histogram").length, 0);
  assert.deepEqual(texts('section[aria-label="net/w"] p')[0], "float, scalar: 1 value");
});

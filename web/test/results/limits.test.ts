// SPDX-License-Identifier: Apache-2.0
import "../page";
import assert from "node:assert/strict";
import { test } from "node:test";
import { chainId, limitsCover, limitsPath, overRanks, partsOf, peaksOf, shapeId } from "../../src/results/limits";
import { change } from "../../src/state/store";
import { CHAIN, ROWS, SHAPE, row } from "../limits/rows";

const NONE = { ranks: [], steps: null, range: null, device: "" };

test("the parts of a row add up to its device time; short kernels are apart, with their own ideal time", () => {
  assert.deepEqual(partsOf(ROWS[0] ?? row(), 2), { ideal: 600, loss: 400, latency: 0, unjudged: 0 });
  assert.deepEqual(partsOf(ROWS[1] ?? row(), 2), { ideal: 292, loss: 308, latency: 100, unjudged: 100 });
  assert.deepEqual(partsOf(ROWS[2] ?? row(), 2), { ideal: 0, loss: 0, latency: 0, unjudged: 100 });
});
test("calls faster than the memory allows lose nothing", () => assert.deepEqual(partsOf(row({ ideal_us: 1200, loss_us: 0 }), 2), { ideal: 1000, loss: 0, latency: 0, unjudged: 0 }));
test("rows of ranks are one row a name, or those of the chosen ranks", () => {
  const ranks = [row({ rank: 0 }), row({ rank: 1, device_us: 500, ideal_us: 150, loss_us: 350, not_judged_us: 0 }), row({ rank: 1, name: "aten::add" })];
  const [mm] = overRanks(ranks, []);
  assert.deepEqual([mm?.device_us, mm?.calls, mm?.efficiency, mm?.loss_us], [1500, 4, 0.5, 750]);
  assert.deepEqual(overRanks(ranks, [1]).map((r) => [r.name, r.device_us]), [["aten::mm", 500], ["aten::add", 1000]]);
});
test("a rank without limits leaves those of the other", () => assert.equal(overRanks([row({ rank: 0 }), row({ rank: 1, ideal_us: null, loss_us: null, efficiency: null, device_us: 0 })], [])[0]?.efficiency, 0.6));
test("one step and peaks of the address are parameters", () => {
  change({ profile: "a1", place: "limits", steps: { from: 2, to: 2 }, more: { peak_flops: "312T" } });
  assert.match(limitsPath("a1", "op"), /views\/limits\?format=json&by=op&step=2&peak_flops=312T$/);
  change({ steps: { from: 1, to: 2 }, more: { peak_flops: "" } });
  assert.match(limitsPath("a1", "op"), /by=op$/);
  change({ steps: null });
});
test("what no option of limits chooses is said", () => {
  assert.equal(limitsCover(NONE), "");
  assert.equal(limitsCover({ ...NONE, steps: { from: 2, to: 2 } }), "");
  assert.equal(limitsCover({ ...NONE, steps: { from: 1, to: 2 }, device: "gpu:1" }), "of the whole run, over all devices");
});
test("peaks by type, the fastest last", () => assert.deepEqual(peaksOf("bf16=9.9e14 fp32=6.7e13 int8=0"), [{ type: "fp32", flops: 6.7e13 }, { type: "bf16", flops: 9.9e14 }]));
test("shapes and chains are told apart by all that names them", () => {
  assert.equal(shapeId(SHAPE), "aten::mm 4096x8192x2048 bf16 nt");
  assert.equal(chainId(CHAIN), "aten::pow > aten::mean > aten::mul | Norm | 4096x2048");
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { chainId, shapeId } from "../../src/results/limits";
import { all, one, pairs, section, textOf, things } from "../drawn";
import { ANSWERS, CHAIN, SHAPE } from "../limits/rows";
import { facts, opened } from "../profile";
import { answer } from "../server";
import { big, panel, sections } from "./panels";

const of = opened({ facts: facts({}, { shapes: true }) });

test("the panel of an op says how far it is from its limit, and which of its shapes are", async () => {
  answer(ANSWERS);
  await panel("op", "aten::mm", of);
  assert.ok(sections().indexOf("Limit") === sections().indexOf("Numbers") + 1, sections().join());
  assert.deepEqual(pairs(section("Limit")), [["of its limit", "60.0 %"], ["could take", "600 µs of 1.00 ms"], ["lost", "400 µs, 50.0 % of all that is lost"], ["bound by", "compute: 590 TFLOP/s"]]);
  assert.deepEqual(things("a[data-kind]", section("Limit")), [`shape:${shapeId(SHAPE)}`]);
});
test("short kernels, what is not judged, and the chain in which an op is", async () => {
  answer(ANSWERS);
  await panel("op", "aten::mul", of);
  assert.deepEqual(pairs(section("Limit")).slice(3), [["bound by", "memory: 2.29 TB/s of 3.35 TB/s"], ["short kernels", "4 calls, 100 µs"], ["not judged", "100 µs triton"]]);
  assert.match(textOf(section("Limit")), /in pow > mean > mul, which one kernel could do: at most 230 µs to gain/);
});
test("without shapes there is no such section", async () => {
  answer(ANSWERS);
  await panel("op", "aten::mm");
  assert.ok(!sections().includes("Limit"));
});
test("a shape has its rate beside the peak of its type, its op and its kernels", async () => {
  answer(ANSWERS);
  await panel("shape", shapeId(SHAPE), of);
  assert.equal(big(), "60.0 %");
  assert.deepEqual(pairs(section("Numbers")).slice(2), [["calls", "2 calls, 500 µs (490 µs – 510 µs)"], ["rate", "590 TFLOP/s of 990 TFLOP/s (bf16)"], ["bound by", "compute"], ["A, B", "as they are, transposed"]]);
  assert.deepEqual([things("a[data-kind]", section("Comes from")), things("a[data-kind]", section("Leads to"))], [["op:aten::mm"], ["kernel:gemm"]]);
});
test("a chain says what one kernel would gain at most, and how it is known", async () => {
  answer(ANSWERS);
  await panel("chain", chainId(CHAIN), of);
  assert.equal(big(), "≤ 230 µs");
  assert.match(textOf(one(".dhead")), /can be gained at most, 16.0 % of the steps/);
  assert.deepEqual(pairs(section("Numbers")).at(-1), ["known by", "shapes"]);
  assert.deepEqual(things("a[data-kind]", section("Leads to")), ["op:aten::pow", "op:aten::mean", "op:aten::mul"]);
});
test("a shape and a chain that no call has say so", async () => {
  answer(ANSWERS);
  await panel("shape", "aten::mm 1x1x1 bf16", of);
  assert.match(textOf(all(".dhead")[0]), /no call of this shape/);
  await panel("chain", "aten::exp > aten::log", of);
  assert.match(textOf(all(".dhead")[0]), /no such chain/);
});

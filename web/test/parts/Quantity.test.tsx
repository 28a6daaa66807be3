// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Quantity } from "../../src/parts/Quantity";
import { draw, one, textOf } from "../drawn";

test("a number with a definition is for people and for tools", () => {
  draw(<Quantity name="step.mean" of="all" value={214808.6} />);
  const data = one("data");
  assert.deepEqual([data.getAttribute("value"), data.dataset.quantity, data.dataset.of, textOf(data)], ["214808.6", "step.mean", "all", "214.8 ms"]);
});
test("the number of a mixture has no name, so that no tool takes it for another", () => {
  draw(<Quantity name="step.mean" of="" value={1} />);
  assert.deepEqual([one("data").dataset.quantity, one("data").dataset.of], [undefined, undefined]);
});
test("bytes and counts have their own units", () => {
  assert.equal(textOf(draw(<Quantity name="memory.peak" of="all" value={12_400_000} unit="bytes" />)), "12.4 MB");
  assert.equal(textOf(draw(<Quantity name="parameters" of="all" value={67_219} unit="count" />)), "67,219");
});

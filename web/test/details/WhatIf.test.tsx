// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { halvesOf } from "../../src/details/WhatIf";

test("what halves: a kernel itself; an op's launches and its host code, where it has a device", () => {
  assert.deepEqual(halvesOf({ kind: "kernel", id: "k<1>" }, true, null), ["faster k<1>=2"]);
  assert.deepEqual(halvesOf({ kind: "op", id: "aten::mm" }, true, 5), ["faster aten::mm=2", "faster host:aten::mm=2"]);
  assert.deepEqual(halvesOf({ kind: "op", id: "aten::t" }, true, 0), ["faster host:aten::t=2"]);
  assert.deepEqual(halvesOf({ kind: "line", id: "a.py:3:step" }, false, null), ["faster host:a\\.py:3=2"]);
});

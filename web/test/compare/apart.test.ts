// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { toldApart } from "../../src/compare/apart";

test("kernels of two profiles that are called alike are shown with what differs", () =>
  assert.deepEqual(toldApart(["gemm_32x32_tn_align1", "relu", "gemm_32x32_tn_align8"], ["gemm tn", "relu", "gemm tn"]), ["gemm tn · 1", "relu", "gemm tn · 8"]));
test("a name that is the beginning of another has a number", () => assert.deepEqual(toldApart(["k", "k_v2"], ["k", "k"]), ["k · no. 1", "k · _v2"]));
test("what differs only behind many letters is told by its number", () => {
  const long = (tail: string): string => `a${"x".repeat(100)}${tail}`;
  assert.equal(new Set(toldApart([`b${long("1")}`, `c${long("2")}`, `b${long("3")}`], ["k", "k", "k"])).size, 3);
});
test("names that differ stay", () => assert.deepEqual(toldApart(["a", "b"], ["A", "B"]), ["A", "B"]));

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../src/search";
import { haystackOf, hitsOf } from "../../src/search/match";

test("what is typed finds kernels before scopes, and the most expensive first", () => {
  const entry = (kind: Entry["kind"], id: string, worth: number): Entry => ({ kind, id, text: id, full: id, worth });
  const all = [entry("scope", "model/gemm", 9), entry("kernel", "gemm small", 1), entry("kernel", "gemm large", 5), entry("place", "Graph", 0), entry("op", "aten::mm", 2)];
  const hits = (text: string): string[] => hitsOf(all, haystackOf(all), text).map((h) => h.id);
  assert.deepEqual(hits("gemm"), ["gemm large", "gemm small", "model/gemm"]);
  assert.deepEqual(hits("GR"), ["Graph"]);
  assert.deepEqual(hits("atnmm"), ["aten::mm"]);
  assert.deepEqual(hits(" "), []);
});

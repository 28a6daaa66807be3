// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { besideMedian, counted, formatBytes, formatCount, formatMicros, formatPercent, formatStep, shortDecimals, signed, spacedUnits } from "../../src/text/format";

const plain = (text: string): string => text.replaceAll("\u00a0", " ");

test("times have three digits and a unit after a no-break blank", () => {
  assert.deepEqual([0.00595, 124, 38_100, 1_240_000, 5.95].map(formatMicros).map(plain), ["5.95 ns", "124 µs", "38.1 ms", "1.24 s", "5.95 µs"]);
  assert.ok(formatMicros(124).includes("\u00a0"));
});
test("steps have a fourth digit from 100 ms on", () => assert.deepEqual([214_808.6, 38_100, 1_240_000].map(formatStep).map(plain), ["214.8 ms", "38.1 ms", "1.24 s"]));
test("counts are exact below a million", () => assert.deepEqual([999, 67_219, 7_690_000].map(formatCount).map(plain), ["999", "67,219", "7.69 M"]));
test("bytes are decimal", () => assert.deepEqual([12_400_000, 0].map(formatBytes).map(plain), ["12.4 MB", "0 B"]));
test("shares have one decimal, and what rounds to nothing says so", () => assert.deepEqual([42.3, 100, 0.01, 0].map(formatPercent).map(plain), ["42.3 %", "100 %", "< 0.1 %", "0 %"]));
test("minus is U+2212, and differences show plus", () => assert.deepEqual([-1500, 1500].map((n) => plain(signed(formatMicros(n), n))), ["\u22121.50 ms", "+1.50 ms"]));
test("decimals that a recorder wrote in full are cut to six digits", () => assert.deepEqual(["0.14814815000000001", '["-0.10000000000000001", "1"]', "0.25", "12"].map(shortDecimals), ["0.148148", '["-0.1", "1"]', "0.25", "12"]));

test("units in sentences of the library stand after a blank, and names stay", () => {
  assert.equal(plain(spacedUnits("cpu: 7.66ms, accelerator: 0us (97%), 3 of 5 %, 1sec")), "cpu: 7.66 ms, accelerator: 0 µs (97 %), 3 of 5 %, 1 s");
  assert.equal(spacedUnits("sgemm_128x64s in v1.2ms_kernel, x4B"), "sgemm_128x64s in v1.2ms_kernel, x4B");
});
test("one thing is not many", () => assert.deepEqual([1, 0, 3, 67_219].map((n) => counted(n, "step")), ["1 step", "0 steps", "3 steps", "67,219 steps"]));
test("a time beside the median of others is over or under it, or as it is", () => {
  assert.deepEqual([[145.4, 100], [90, 100], [100.01, 100], [5, 0]].map(([us = 0, median = 0]) => plain(besideMedian(us, median))), ["45.4 % over the median", "10.0 % under the median", "as the median", "as the median"]);
  assert.equal(plain(formatMicros(2.27e-13)), "0 µs"); // sums that cancel
});

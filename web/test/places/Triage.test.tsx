// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { TriagePlace } from "../../src/places/Triage";
import { placesOf } from "../../src/places";
import { change } from "../../src/state/store";
import { all, shown, textOf, things } from "../drawn";
import { facts, opened } from "../profile";
import { answer } from "../server";

const kernel = { phase: "decode", name: "void gemm<float>(int)", class: "compute", family: "matmul", count: 36, device_us: 900, share: 0.9, mean_us: 25, lines: "/srt/layers/linear.py:13:apply 70%|(none)", modules: "Linear", efficiency: 0.35 };
const ANSWER = {
  columns: [{ name: "phase" }, { name: "name", short: ["gemm float"] }], rows: [kernel],
  head: [{ phase: "decode", steps: 3, step_us: 10_500, tokens_per_second: 3062.4, busy_share: 0.97, bound: "matmul 85 % of the device's time" }],
  overlap: [{ phase: "decode", name: "ncclAllReduce", class: "communication", device_us: 50, share: 0.05, alone_us: 45, beside_us: 5, depends: "yes", verdict: "exposed" }],
  fusion: [],
};

test("the place is listed only where steps have phases", () => {
  assert.ok(placesOf(facts({}, { phases: true })).some((p) => p.name === "triage"));
  assert.ok(!placesOf(facts()).some((p) => p.name === "triage"));
});
test("a phase has its head, its kernels with lines, what overlaps and what could be fused", async () => {
  change({ profile: "a1", place: "triage" });
  answer({ "views/triage": ANSWER });
  const page = textOf(await shown(<TriagePlace of={opened()} />));
  assert.match(page, /decode 3 steps of 10.5 ms · 3,062 tokens a second · busy 97.0 %matmul 85 % of the device's time/);
  assert.deepEqual(things("[role=row][data-kind]"), ["kernel:void gemm<float>(int)", "kernel:ncclAllReduce"]);
  const columns = (row: Element | undefined): Record<string, string> => Object.fromEntries(all("[data-column]", row).map((c) => [c.dataset.column ?? "", textOf(c)]));
  const [first, second] = all("[role=row][data-kind]");
  assert.deepEqual([columns(first).family, columns(first).efficiency, columns(first).line], ["matmul", "35.0 %", "linear.py:13:apply 70%"]);
  assert.equal(columns(second).verdict, "exposed");
  assert.match(page, /Fusion chains that one kernel could do ?none/);
});

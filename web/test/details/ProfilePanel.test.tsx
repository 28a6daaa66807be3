// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { chipRanks, fewRanks, spaced } from "../../src/details/ProfilePanel";
import type { Info } from "../../src/details/ProfilePanel";
import { place } from "../../src/state/store";
import { all, button, click, pairs, section, texts } from "../drawn";
import { copied } from "../page";
import { INFO, entry, facts, opened } from "../profile";
import { answer } from "../server";
import { panel, sections } from "./panels";

const info = (summary: object): Info => ({ summary: summary as Info["summary"], rows: [] });

test("with nothing selected the panel tells of the profile: when, by whom, how long, on what, which ranks are missing", async () => {
  await panel("profile", "a1");
  assert.deepEqual(pairs(section("Recorded")), [
    ["when", "2026-11-01T10:00:00"], ["by", "PyTorch 2.8 · kineto json"], ["length", "360 ms, 3 steps"], ["device", "NVIDIA A100-SXM4-80 GB: gpu:0, gpu:1"], ["host", "node7"], ["ranks", "0, 1 – 2 have no file"], ["file", "12.4 MB"],
  ]);
});
test("what a trace of PyTorch lacks says how to record it; what it never has is not listed", async () => {
  await panel("profile", "a1");
  assert.deepEqual(pairs(section("What it has")), [["times", "30 spans"], ["lines", "no – record with_stack=True"], ["memory", "no – record profile_memory=True"]]);
});
test("of other files the server's own words say it", async () => {
  answer({ "views/info": { ...INFO, summary: { ...INFO.summary, framework: "JAX" } } });
  await panel("profile", "a1");
  assert.deepEqual(pairs(section("What it has")).slice(1), [["lines", "no – no stacks"], ["memory", "no – no memory"], ["tensors", "no – no checkpoint"]]);
});
test("warnings of the file are notes of the panel", async () => {
  await panel("profile", "a1", opened({ facts: facts({ warnings: ["cut off at byte 9", "clock goes back"] }) }));
  assert.deepEqual(texts("p", section("Notes")), ["cut off at byte 9", "clock goes back"]);
  await panel("profile", "a1");
  assert.equal(sections().includes("Notes"), false);
});
test("several files are counted, and the facts can be copied", async () => {
  await panel("profile", "a1", opened({ entry: entry({ files: ["a", "b"] }) }));
  assert.deepEqual(pairs(section("Recorded")).pop(), ["file", "2 files, 12.4 MB"]);
  click(button("Copy facts"));
  assert.match(copied[0] ?? "", /^framework: PyTorch 2\.8\n/);
});
test("only what has a timeline offers it", async () => {
  await panel("profile", "a1");
  click(button("Open in timeline"));
  assert.equal(place.value, "timeline");
  await panel("profile", "a1", opened({ facts: facts({ steps: [] }, { trace: false }) }));
  assert.equal(all("button").filter((b) => b.textContent === "Open in timeline").length, 0);
});
test("few words tell ranks: one by its number, several by how many of the job", () => {
  assert.deepEqual([info({ ranks: "3", rank_count: 1, ranks_of_job: 16 }), info({ ranks: "0-7", rank_count: 8, ranks_of_job: 8 }), info({ ranks: "0-3", rank_count: 4, ranks_of_job: 128 }), info({})].map(fewRanks), ["3", "8", "4 of 128", ""]);
});
test("the name of a device has a blank before its unit", () => assert.equal(spaced("A100-SXM4-80GB, V100 16GBps"), "A100-SXM4-80\u00a0GB, V100 16GBps"));
test("of one rank of several the chip names the rank, since a bare number would count them", () => {
  const info = (summary: Record<string, string | number>) => ({ summary, rows: [] });
  assert.deepEqual([info({ ranks: "0 of 16", rank_count: 1, ranks_of_job: 16 }), info({ ranks: "0-3", rank_count: 4, ranks_of_job: 16 }), info({ ranks: "3", rank_count: 1 })].map(chipRanks), ["only rank 0 of 16", "4 of 16 ranks", "rank 3"]);
});

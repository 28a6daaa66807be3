// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { filterParams } from "../src/data";
import { nameOf, shortFile } from "../src/opened";
import { piecesOf } from "../src/parts/python";
import { shownLines } from "../src/pages/Source";
import { sparkPath } from "../src/parts/Spark";
import { LOOKS_MOST, withLook } from "../src/parts/useHistory";
import type { Job } from "../src/live";
import { haystackOf, hitsOf } from "../src/search/match";
import type { Entry } from "../src/search";
import { isName, quoted } from "../src/sql";
import { coverageRows } from "../src/details/Coverage";
import { halvesOf } from "../src/details/WhatIf";
import { fasterOf, optionOf, parameterOf, patternOf, plainRefusal, sentenceOf } from "../src/whatif";
import { median, ofWhat, quantitiesOf, underFilters } from "../src/steps";
import type { StepRow } from "../src/steps";

const windows = new Map([[1, { from: 10, to: 20 }], [2, { from: 20, to: 35 }], [3, { from: 35, to: 50 }]]);
const none = { ranks: [], steps: null, range: null, device: "" };
test("one step is asked as a step, several as their time, a range as it is", () => {
  assert.equal(filterParams({ ...none, steps: { from: 2, to: 2 }, range: null }, windows), "&step=2");
  assert.equal(filterParams({ ...none, steps: { from: 1, to: 2 }, range: null }, windows), "&range=10:35");
  assert.equal(filterParams({ ...none, steps: null, range: { from: 3, to: 4.5 } }, windows), "&range=3:4.5");
  assert.equal(filterParams({ ...none, steps: { from: 1, to: 2 }, range: { from: 15, to: 99 } }, windows), "&range=15:35");
});
test("ranks and a device are asked for in every table, a time where the table knows it", () => {
  const all = { ranks: [0, 3], steps: { from: 2, to: 2 }, range: null, device: "gpu:0" };
  assert.equal(filterParams(all, windows), "&ranks=0,3&device=gpu%3A0&step=2");
  assert.equal(filterParams(all, windows, false), "&ranks=0,3&device=gpu%3A0");
});

const step = (rank: number, number: number, duration: number, communication = 0): StepRow => ({
  rank, step: number, device: `gpu:${rank}`, start: 0, duration, communication, copy: 0, kernels: 1, parts: { compute: duration / 2, exposed_communication: communication / 2, exposed_copies: 0, idle: duration / 2 - communication / 2 },
});
test("means are over steps, then over ranks", () => {
  const q = quantitiesOf([step(0, 1, 10), step(0, 2, 20), step(1, 1, 40, 8)]);
  assert.deepEqual([q.mean, q.median, q.hidden, q.steps, q.ranks], [27.5, 20, 2, 2, 2]);
  assert.equal(median([4, 1, 3, 2]), 2.5);
});
test("filters leave the rows that they name, and name what is left", () => {
  const rows = [step(0, 1, 10), step(0, 2, 20), step(1, 1, 40)];
  const none = { ranks: [], steps: null, range: null, device: "" };
  assert.equal(underFilters(rows, { ...none, ranks: [1] }).length, 1);
  assert.equal(underFilters(rows, { ...none, steps: { from: 2, to: 9 } }).length, 1);
  assert.deepEqual([none, { ...none, ranks: [1] }, { ...none, ranks: [0, 1] }, { ...none, steps: { from: 2, to: 2 } }].map(ofWhat), ["all", "rank:1", "", "step:2"]);
});

test("a name is quoted, and a very long one is compared by its beginning", () => {
  assert.equal(quoted("it's"), "'it''s'");
  assert.match(isName("s.name", "x".repeat(3000)), /substr.*length\(s\.name\) = 3000/);
});

test("what is typed finds kernels before scopes, and the most expensive first", () => {
  const entry = (kind: Entry["kind"], id: string, worth: number): Entry => ({ kind, id, text: id, full: id, worth });
  const all = [entry("scope", "model/gemm", 9), entry("kernel", "gemm small", 1), entry("kernel", "gemm large", 5), entry("place", "Graph", 0), entry("op", "aten::mm", 2)];
  const hits = (text: string): string[] => hitsOf(all, haystackOf(all), text).map((h) => h.id);
  assert.deepEqual(hits("gemm"), ["gemm large", "gemm small", "model/gemm"]);
  assert.deepEqual(hits("GR"), ["Graph"]);
  assert.deepEqual(hits("atnmm"), ["aten::mm"]);
  assert.deepEqual(hits(" "), []);
});

test("Python is coloured, and no letter is lost", () => {
  const line = 'def step(x=0x1F):  # "no string"';
  const pieces = piecesOf(line);
  assert.equal(pieces.map((p) => p.text).join(""), line);
  assert.deepEqual(pieces.filter((p) => p.look).map((p) => [p.look, p.text]), [["keyword", "def"], ["function", "step"], ["number", "0x1F"], ["comment", '# "no string"']]);
  assert.deepEqual(piecesOf("f'a # b' + 'open").map((p) => p.look), ["string", "", "string"]);
});

test("a file is called without its endings, ranks by their folder", () => {
  assert.equal(shortFile("a/resnet.pt.trace.json.gz"), "a/resnet");
  assert.equal(nameOf("runs/rank-0.json", ["runs/rank-0.json", "runs/rank-1.json"]), "runs");
  assert.equal(nameOf("ddp_rank0.json", ["/a/ddp_rank0.json", "/a/ddp_rank1.json"]), "ddp");
  assert.equal(nameOf("rank-10.json", ["/a/job/rank-10.json", "/a/job/rank-11.json"]), "job");
  assert.equal(nameOf("graph.pb", ["/a/graph.pb", "/a/run_meta_0"]), "graph");
  assert.equal(nameOf("../runs/train.json.gz", ["/a/runs/train.json.gz"]), "train");
  assert.equal(nameOf("../a/job/rank-0.json", ["/a/job/rank-0.json", "/a/job/rank-1.json"]), "job");
});

test("a spark line goes from 0 to the largest value, and a gap begins a new line", () => {
  assert.equal(sparkPath([0, 10, null, 5, 10], 40, 12), "M0.0 11.0L10.0 1.0M30.0 6.0L40.0 1.0");
  assert.equal(sparkPath([0, 0], 10, 12), "M0.0 11.0L10.0 11.0");
});

test("the history of a job is its last looks, and ends with the job", () => {
  const job = (name: string, cpu: number | null): Job => ({ job: name, cpu, steps_per_second: null, rss_bytes: 1 }) as Job;
  let history = withLook(new Map(), [job("1@1", 0.5), job("2@1", 1)]);
  history = withLook(history, [job("1@1", null)]);
  assert.deepEqual(history.get("1@1")?.cpu, [0.5, null]);
  assert.equal(history.has("2@1"), false);
  for (let i = 0; i < 2 * LOOKS_MOST; i++) history = withLook(history, [job("1@1", i)]);
  assert.equal(history.get("1@1")?.cpu.length, LOOKS_MOST);
  assert.equal(history.get("1@1")?.cpu.at(-1), 2 * LOOKS_MOST - 1);
});

test("of a report's text the lines that it does not hold are one empty line", () => {
  assert.deepEqual(shownLines("\n\na\nb\n\n\n\nc\n", true).map((l) => l.i), [2, 3, 4, 7, 8]);
  assert.equal(shownLines("\n\na", false).length, 3);
});

test("a change is a parameter, words of a command, and a sentence", () => {
  assert.equal(parameterOf("faster rank:1/host:a b.*=1.5"), "faster=rank%3A1%2Fhost%3Aa%20b.*%3D1.5");
  assert.equal(parameterOf("no-sync"), "no_sync=true");
  assert.deepEqual(["nonsense", "no-sync 1", "faster", ""].map(parameterOf), ["", "", "", ""]);
  assert.deepEqual(optionOf("link comm=2x"), ["-link", "comm=2x"]);
  assert.equal(sentenceOf("faster a\\.b\\(c\\)=2"), "a.b(c) takes half of its time");
  assert.equal(sentenceOf("faster rank:3/host:load=0"), "Host code inside of load takes no time on rank 3");
  assert.equal(sentenceOf("overlap comm"), "Nothing but collectives waits for collectives");
  assert.equal(sentenceOf("link 2x"), "link 2x");
});
test("a name as a pattern comes back as the name", () => {
  const name = "void f<int, 4>(float*, char[2]) | a.b^c$ d+e? {g} \\x=y";
  assert.equal(fasterOf(`faster ${patternOf(name)}=2`)?.name, name);
  assert.equal(fasterOf("faster =2"), null);
  assert.equal(fasterOf("no-sync"), null);
});
test("what halves: a kernel itself; an op's launches and its host code, where it has a device", () => {
  assert.deepEqual(halvesOf({ kind: "kernel", id: "k<1>" }, true, null), ["faster k<1>=2"]);
  assert.deepEqual(halvesOf({ kind: "op", id: "aten::mm" }, true, 5), ["faster aten::mm=2", "faster host:aten::mm=2"]);
  assert.deepEqual(halvesOf({ kind: "op", id: "aten::t" }, true, 0), ["faster host:aten::t=2"]);
  assert.deepEqual(halvesOf({ kind: "line", id: "a.py:3:step" }, false, null), ["faster host:a\\.py:3=2"]);
});
test("a refusal is a sentence without the file's name", () => {
  assert.equal(plainRefusal("late.json: the replay is off", ["/x/late.json"]), "The replay is off.");
  assert.equal(plainRefusal("no step", ["/x/late.json"]), "No step.");
});

test("coverage names a class, or the reason why there is none, those with a place first", () => {
  const rows = [{ class: "none", reason: "no capture", us: 9 }, { class: "launch", reason: "", us: 1 }, { class: "unique", reason: "", us: 5 }, { class: "none", reason: "no launch", us: 0 }];
  assert.deepEqual(coverageRows(rows.length, (i) => rows[i] ?? { class: "", reason: "", us: 0 }).map((r) => r.word), ["unique", "launch", "no capture"]);
});

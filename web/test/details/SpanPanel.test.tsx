// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { place, sel, state } from "../../src/state/store";
import { button, click, one, pairs, section, textOf, texts, things } from "../drawn";
import { copied } from "../page";
import { answer, refusal } from "../server";
import { big, panel, sections } from "./panels";

const GEMM = "void gemm<float>(int)";
const link = (relation: string, span: number, name: string, start_us: number) => ({ relation, span, row: 1, name, start_us, duration_us: 10 });
const details = (more: object = {}, rows: object[] = []) => ({
  summary: { span: 7, name: GEMM, kind: "activity", class: "compute", lane: "gpu:0/stream:7", row: 0, start_us: 1000, duration_us: 400, self_us: 400, step: 2, node: "net/layer1", ...more },
  args: [{ key: "blocks per SM", value: "0.14814815000000001" }], rows,
});
const span = (more: object = {}, rows: object[] = []) => (answer({ "/spans/7": details(more, rows) }), panel("span", "7"));

test("a kernel's span: what and where it is, its short name with the whole one to copy, how long", async () => {
  await span();
  assert.deepEqual([texts(".s")[0], textOf(one("h2.title")), big()], ["compute · stream 7 · step 2", "gemm float cutlass", "400 µs"]);
  click(button("copy"));
  assert.deepEqual(copied, [GEMM]);
  assert.deepEqual(sections(), ["Numbers", "Over steps", "Comes from", "Leads to", "Spans", "Findings"]);
});
test("its numbers: start, arguments with no more digits than say something; self only where it differs", async () => {
  await span();
  assert.deepEqual(pairs(section("Numbers")), [["start", "1.00 ms"], ["blocks per SM", "0.148148"]]);
  await span({ self_us: 100 });
  assert.deepEqual(pairs(section("Numbers"))[1], ["self", "100 µs, 25.0 % of it"]);
});
test("what launched it and what it waits for stand apart from what it led to, each with how far it is", async () => {
  await span({}, [link("launched by", 3, "cudaLaunchKernel", 900), link("operator", 4, "aten::mm", 800), link("backward", 9, "AddmmBackward", 5000), link("frame", 5, "train.py(16): step", 0)]);
  assert.deepEqual(pairs(section("Comes from")).slice(0, 3), [["launch", "cudaLaunchKernel 10 µs, 100 µs before"], ["op", "aten::mm 10 µs, 200 µs before"], ["scope", "net › layer1"]]);
  assert.deepEqual(pairs(section("Leads to")), [["backward", "AddmmBackward 10 µs, 4.00 ms after"]]);
  assert.deepEqual(things("a[data-kind=line]", section("Comes from")), ["line:train.py:16:step"]);
  click(one("a", "cudaLaunchKernel"));
  assert.deepEqual(sel.value, { kind: "span", id: "3" });
});
test("of many links the first six are listed and the others counted", async () => {
  await span({ class: null, name: "aten::mm" }, Array.from({ length: 9 }, (_, i) => link("launches", 10 + i, `k${i}`, 2000)));
  assert.match(pairs(section("Leads to"))[0]?.[1] ?? "", /k5 10 µs, 1\.00 ms after ?and 3 more$/);
});
test("where it stands among the spans of its name", async () => {
  answer({ "/query?sql=": (path) => ({ rows: /place/.test(decodeURIComponent(path)) ? [{ of: 12, place: 3, total_us: 1200, min_us: 50, max_us: 400 }] : [] }) });
  await span();
  assert.equal(textOf(section("Spans").querySelector("p")), "3 of 12 all of this name: 1.20 ms, mean 100 µs (50 µs – 400 µs)");
});
test("in the table its name is found, in the timeline itself", async () => {
  await span();
  click(button("In table"));
  assert.deepEqual([place.value, state.value.by, sel.value], ["table", "kernel", { kind: "kernel", id: GEMM }]);
  await span();
  click(button("In timeline"));
  assert.deepEqual([place.value, sel.value], ["timeline", { kind: "span", id: "7" }]);
});
test("what is picked is told to readers of the screen", async () => {
  await span();
  assert.deepEqual(texts("p.away[role=status]"), [`${GEMM}, 400 µs, gpu:0/stream:7`]);
});
test("a span that is not there says why", async () => {
  answer({ "/spans/7": refusal("no span 7", 404) });
  await panel("span", "7");
  assert.equal(textOf(one("[role=alert]")), "no span 7");
});

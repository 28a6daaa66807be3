// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { place, sel, state } from "../../src/state/store";
import { button, click, one, pairs, section, settled, textOf, texts, things } from "../drawn";
import { facts, opened } from "../profile";
import { answer } from "../server";
import { big, panel, sections } from "./panels";

const GEMM = "void gemm<float>(int)";

test("a kernel is called by its meaning, its whole name below; the one number says of what it is a share", async () => {
  await panel("kernel", GEMM);
  assert.deepEqual([textOf(one("h2.title")), textOf(one(".full")), big()], ["gemm float cutlass", `${GEMM} copy`, "600 ms"]);
  assert.match(textOf(one(".dhead")), /75\.0 % of device time$/);
});
test("the sections stand in their order", async () => {
  await panel("kernel", GEMM);
  assert.deepEqual(sections(), ["Numbers", "Over steps", "Comes from", "Spans", "What if", "Findings"]);
});
test("its numbers are those of the chosen ranks, and say so", async () => {
  await panel("kernel", GEMM);
  assert.deepEqual(pairs(section("Numbers")), [["total", "600 ms, 75.0 % of device time"], ["count", "12, 4.00 a step"], ["mean", "50.0 ms (40.0 ms – 60.0 ms)"]]);
  await panel("kernel", GEMM, opened(), "#/p/a1/table?ranks=0");
  assert.deepEqual([big(), pairs(section("Numbers"))[1]], ["300 ms", ["count", "6"]]);
  assert.match(textOf(one(".dhead")), /75\.0 % of device time of rank 0$/);
});
test("a kernel that did not run in the chosen time says so instead of a number", async () => {
  await panel("kernel", "other", opened(), "#/p/a1/table?ranks=0");
  assert.match(textOf(one(".dhead")), /–it did not run in the chosen time$/);
  await panel("kernel", "other");
  assert.match(textOf(one(".dhead")), /–no kernel of this name ran$/);
});
test("where it comes from leads on: launch, op, scope", async () => {
  answer({ "/query?sql=": (path) => ({ rows: /launch/.test(decodeURIComponent(path)) ? [{ op: "aten::mm", scope: "net/layer1", launch: "cudaLaunchKernel", trace: null }] : [] }) });
  await panel("kernel", GEMM);
  assert.deepEqual(things("a[data-kind]", section("Comes from")).slice(0, 3), ["op:cudaLaunchKernel", "op:aten::mm", "scope:net/layer1"]);
  click(one("a", "aten::mm", section("Comes from")));
  assert.deepEqual(sel.value, { kind: "op", id: "aten::mm" });
});
test("what was not recorded says how to record it; the ops of the kernel's own row are known all the same", async () => {
  await panel("kernel", GEMM, opened({ facts: facts({}, { code: false }) }));
  assert.deepEqual(pairs(section("Comes from")).map(([, text]) => text), ["not recorded", "aten::mm", "not recorded", "not recorded (with_stack=True)"]);
});
test("bars over steps select their step", async () => {
  answer({ "/query?sql=": (path) => ({ rows: /GROUP BY/.test(decodeURIComponent(path)) && /step/.test(path) && !/launch/.test(decodeURIComponent(path)) ? [{ step: 1, total_us: 5e3, count: 2 }, { step: 2, total_us: 1e4, count: 2 }] : [] }) });
  await panel("kernel", GEMM);
  assert.deepEqual(texts(".overs a"), ["step 1: 5.00 ms", "step 2: 10.0 ms"]);
  assert.deepEqual([...section("Over steps").querySelectorAll("i")].map((i) => i.style.height), ["50%", "100%"]);
});
test("its buttons lead to the table and to the timeline with its name searched", async () => {
  await panel("kernel", GEMM);
  click(button("In table"));
  assert.deepEqual([place.value, state.value.by, sel.value?.id], ["table", "kernel", GEMM]);
  click(button("In timeline"));
  assert.deepEqual([place.value, state.value.q, sel.value?.id], ["timeline", GEMM, GEMM]);
});
test("next and previous like it go through the table of kernels", async () => {
  await panel("kernel", GEMM);
  click(button("Next like it"));
  await settled();
  assert.equal(sel.value?.id, "ncclAllReduce");
});
test("findings that name it are linked, others are not", async () => {
  answer({ "views/advise": { checkers: [{ name: "A", reports: ["gemm is slow"] }, { name: "B", reports: ["relu is slow"] }] } });
  await panel("kernel", GEMM);
  assert.deepEqual(things("a[data-kind=finding]"), ["finding:A:0"]);
  await panel("kernel", "Memcpy HtoD");
  assert.equal(textOf(section("Findings").querySelector("p")), "none names it");
});

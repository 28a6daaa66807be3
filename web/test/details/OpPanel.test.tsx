// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { sel } from "../../src/state/store";
import { all, click, one, pairs, section, textOf, texts, things } from "../drawn";
import { facts, opened } from "../profile";
import { answer, refusal } from "../server";
import { reals, tableOf, words } from "../tables";
import { big, panel, sections } from "./panels";

test("an op has the device time of what it launched, and never adds the host's to it", async () => {
  await panel("op", "aten::mm");
  assert.deepEqual([big(), texts(".dhead .s").pop()], ["600 ms", "75.0 % of device time"]);
  assert.deepEqual(pairs(section("Numbers")).slice(0, 2), [["device", "600 ms"], ["host", "30.0 ms"]]);
  assert.deepEqual(sections(), ["Numbers", "Over steps", "Comes from", "Leads to", "Spans", "What if", "Findings"]);
});
test("an op that launches nothing has the host's time, and says that it launches nothing", async () => {
  answer({ "views/op": refusal("none") });
  await panel("op", "aten::t");
  assert.equal(textOf(section("Leads to").querySelector("p")), "it launches nothing on a device");
  assert.deepEqual([big(), pairs(section("Comes from"))[0]], ["–", ["scope", "in no scope"]]);
});
test("what it launched is listed by its short names, with time and number", async () => {
  answer({ "/query?sql=": (path) => ({ rows: /total_us/.test(path) && /o\.name/.test(decodeURIComponent(path)) ? [{ name: "void gemm<float>(int)", total_us: 6e5, count: 12 }] : [] }) });
  await panel("op", "aten::mm");
  assert.deepEqual(texts(".pairrow"), ["gemm float cutlass600 ms, 12×"]);
  click(one(".pairrow a"));
  assert.deepEqual(sel.value, { kind: "kernel", id: "void gemm<float>(int)" });
});

test("a scope leads to the one around it; the outermost says that it is", async () => {
  await panel("scope", "net/layer1");
  assert.deepEqual([textOf(one("h2.title")), big()], ["layer1", "500 ms"]);
  assert.deepEqual(things("a", section("Comes from")), ["scope:net"]);
  assert.match(textOf(one(".dhead")), /62\.5 % of device time$/);
  await panel("scope", "net");
  assert.equal(textOf(section("Comes from").querySelector("p")), "an outermost scope");
});
test("a line tells its function and file, shows the text around it, and the ops that it called", async () => {
  answer({ "/files?file=": { files: [{ readable: true }] }, "/source?file=": Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join("\n"), "/query?sql=": { rows: [{ name: "aten::mm", total_us: 3e4, count: 3 }] } });
  await panel("line", "/src/net.py:7:forward");
  assert.deepEqual([textOf(one("h2.title")), big()], ["net.py:7", "600 ms"]);
  assert.match(textOf(section("Comes from").querySelector("p")), /^in forward of \/src\/net\.py$/);
  assert.deepEqual(texts("pre > div"), [4, 5, 6, 7, 8, 9, 10].map((n) => `${n}line ${n}`));
  assert.equal(textOf(one("pre .now")), "7line 7");
  assert.deepEqual(things("a", section("Leads to")), ["op:aten::mm"]);
});
test("a text that the server may not read is not asked for: the panel says how to give it", async () => {
  answer({ "/files?file=": { files: [{ readable: false }] } });
  await panel("line", "/src/net.py:7:forward");
  assert.match(textOf(section("Comes from")), /Its text: give the folder of the source to tfprof serve as well\./);
});
test("a call is the last of its path, and every call above it leads there", async () => {
  await panel("call", "main › step › forward", opened({ facts: facts({}, { stacks: false }) }));
  assert.equal(textOf(one("h2.title")), "forward");
  assert.deepEqual(things("a", section("Comes from")), ["call:main", "call:main › step"]);
  assert.deepEqual(things("a", section("Leads to")), ["op:forward"]);
  await panel("call", "main");
  assert.equal(textOf(section("Comes from").querySelector("p")), "called by nothing that was recorded");
});
test("a memory snapshot has no table, flame graph or timeline, so its panels offer none", async () => {
  const heap = opened({ facts: facts({ nodes: 0, steps: [] }, { trace: false, heap: true, times: false }) });
  for (const [kind, id] of [["line", "/src/net.py:7:forward"], ["op", "aten::mm"], ["kernel", "void gemm<float>(int)"], ["step", "1"], ["profile", "a1"]] as const) {
    await panel(kind, id, heap);
    assert.deepEqual(texts("button").filter((t) => /^(Open )?[Ii]n /.test(t)), [], kind);
  }
  await panel("op", "aten::mm");
  assert.deepEqual(all(".actions button").map((b) => textOf(b)), ["‹ Previous", "Next ›", "In table", "In timeline"]);
});
test("an instruction of a TPU has the colour of what it does, in its head and over steps", async () => {
  answer({
    "views/op": tableOf([words("name", ["_TFProfRoot", "copy-done"]), reals("parent", [null, 0]), reals("accelerator_micros", [0, 90], "us"), reals("cpu_micros", [0, 0], "us"), reals("runs", [0, 4]), reals("bytes", [0, 0]), reals("params", [0, 0])], { tree: true }),
    "views/kernel": tableOf([words("name", ["copy-done.2"]), words("class", ["copy"]), words("ops", ["copy-done"]), ...["count", "total_us", "min_us", "max_us"].map((n) => reals(n, [4])), reals("share", [1])]),
    "/query?sql=": (path) => ({ rows: /GROUP BY s.step/.test(decodeURIComponent(path)) ? [{ step: 1, total_us: 30, count: 2 }, { step: 2, total_us: 60, count: 2 }] : [] }),
  });
  await panel("op", "copy-done");
  assert.deepEqual([one(".dhead .dot").className, one(".overs").className], ["dot copy", "overs copy"]);
});

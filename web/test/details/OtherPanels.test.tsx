// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { change, place, sel, state } from "../../src/state/store";
import { all, button, click, one, pairs, section, settled, textOf, things } from "../drawn";
import { answer } from "../server";
import { reals, tableOf, words } from "../tables";
import { big, panel, sections } from "./panels";

test("a finding: what can be gained at most, why, its numbers as shares of a step, what to do, the evidence", async () => {
  await panel("finding", "IdleDevice:0");
  assert.deepEqual([textOf(one("h2.title")), big(), sections().slice(0, 3)], ["Idle Device", "≤ 30.0 ms", ["Why", "Numbers", "Leads to"]]);
  assert.equal(textOf(one(".why")), "The device waits for aten::mm in step 3.");
  assert.deepEqual(pairs(section("Numbers")), [["takes", "40.0 ms, 36.4 % of a step"], ["gain, at most", "30.0 ms, 27.3 % of a step"]]);
  assert.match(textOf(section("Leads to")), /^Leads toUse a larger batchrank 1, stream 7 at 200(\.0)? ms$/);
});
test("a sentence leads to what it names, and to the timeline where it can be seen", async () => {
  await panel("finding", "IdleDevice:0");
  click(one("a", "aten::mm"));
  assert.deepEqual(sel.value, { kind: "op", id: "aten::mm" });
  click(one("a[data-evidence]"));
  assert.deepEqual([place.value, sel.value, state.value.view], ["timeline", { kind: "span", id: "7" }, { from: 199_000, to: 201_500 }]);
});
test("a finding without a known gain says so", async () => {
  await panel("finding", "SmallKernels:0");
  assert.deepEqual([all(".big").length, pairs(section("Numbers"))], [0, [["gain", "not known"]]]);
});
test("next like it goes through the findings in the order of their place, and stops at the last", async () => {
  await panel("finding", "IdleDevice:0");
  const next = async () => (click(button("Next like it")), await settled(), sel.value?.id);
  assert.equal(await next(), "SmallKernels:0");
  await panel("finding", "Data:0");
  assert.equal(await next(), "Data:0");
});

const CATEGORY = tableOf([words("device", ["gpu:0", "gpu:0"]), words("category", ["forward", "other"]), reals("bytes", [6e6, 2e6], "bytes"), reals("share", [0.75, 0.25]), reals("holders", [3, 1])]);
const NODE = tableOf([words("device", ["gpu:0"]), words("name", ["net/layer1/w"]), words("op", ["aten::empty"]), reals("bytes", [4e6], "bytes"), reals("share", [0.5]), reals("holders", [1])]);
test("a category of memory says what it is, and its part of what the device held", async () => {
  answer({ "by=category": CATEGORY });
  await panel("tensor", "forward");
  assert.deepEqual([big(), pairs(section("Numbers"))], ["6.00 MB", [["holders", "3"]]]);
  assert.match(textOf(one(".dhead")), /75\.0 % of what gpu:0 held then$/);
  assert.match(textOf(section("Comes from")), /activations that the backward pass still needs/);
});
test("a tensor leads to its op and scope; of another time it may hold nothing", async () => {
  answer({ "by=node": NODE });
  await panel("tensor", "net/layer1/w");
  assert.deepEqual([big(), things("a", section("Comes from"))], ["4.00 MB", ["op:aten::empty", "scope:net/layer1/w"]]);
  await panel("tensor", "gone");
  assert.deepEqual([big(), things("a", section("Comes from"))], ["–", ["scope:gone"]]);
});

const WHATIF = { refused: null, table: { rows: [{ scenario: "today", step_us: 1e5, gain_us: 0, gain_share: 0, replay_us: 1e5, replay_error: -0.11, critical_path_share: null, note: "ranks wait" }, { scenario: "faster gemm=2", step_us: 8e4, gain_us: 2e4, gain_share: 0.2, replay_us: 8e4, replay_error: 0, critical_path_share: 0.3, note: null }] } };
test("a change: what would be gained, how far that can be trusted, and the command for it", async () => {
  answer({ "/whatif": WHATIF });
  await panel("change", "faster gemm=2");
  assert.deepEqual([textOf(one("h2.title")), big()], ["gemm takes half of its time", "20.0 ms"]);
  const told = new Map(pairs(section("Numbers")));
  assert.deepEqual([told.get("today"), told.get("with it"), told.get("gain")], ["100.0 ms a step", "80.0 ms a step", "20.0 ms, 20.0 % of a step"]);
  assert.match(told.get("replay error") ?? "", /^−11\.0 % .*a rough guide$/);
  assert.equal(textOf(one(".commandline code")), "tfprof whatif runs/ddp.json -faster gemm=2");
});
test("what is no change is asked for nowhere, and a refusal is a sentence", async () => {
  await panel("change", "nonsense");
  assert.match(textOf(one(".dhead")), /no change of tfprof whatif$/);
  answer({ "/whatif": { refused: "ddp.json: the replay is off by 40 %", table: null } });
  await panel("change", "faster gemm=2");
  assert.equal(textOf(section("Numbers").querySelector("p")), "The replay is off by 40 %.");
});
test("half of the time is asked for by a button, and the address remembers of what", async () => {
  answer({ "/whatif": WHATIF });
  await panel("kernel", "gemm");
  click(button("What if it took half of its time?"));
  await settled();
  assert.equal(state.value.more.half, "kernel:gemm");
  assert.match(textOf(section("What if")), /at half20\.0 ms gained \(20\.0 %\): 80\.0 ms a step/);
  change({ sel: { kind: "op", id: "aten::mm" } });
  await panel("op", "aten::mm");
  assert.match(textOf(section("What if")), /What if it took half of its time\?$/);
});

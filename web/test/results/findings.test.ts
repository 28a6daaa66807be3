// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { coveredWords, evidenceView, findingsOf } from "../../src/results/findings";
import { facts, opened } from "../profile";
import { answer, asked, refusal } from "../server";

const plain = (text: string): string => text.replaceAll("\u00a0", " ");
const advise = (...findings: object[]) => answer({ "views/advise": { checkers: [{ name: "Idle", reports: [], findings }] } });

test("findings stand by what can be gained, those on the data behind them", async () => {
  answer({ "views/advise": { checkers: [
    { name: "Small", reports: [], findings: [{ name: "Small", text: "small", gain_seconds: 0.001 }, { name: "Small", text: "none" }] }, { name: "Idle", reports: [], findings: [{ name: "Idle", text: "idle", gain_seconds: 0.5, seconds: 0.7 }] },
  ] } });
  const all = await findingsOf(opened());
  assert.deepEqual(all.map((f) => [f.id, f.gain, f.takes, f.quality]), [["Idle:0", 5e5, 7e5, false], ["Small:0", 1e3, null, false], ["Small:1", null, null, false], ["Data:0", null, null, true]]);
  assert.deepEqual([all[3]?.says, all[3]?.more], ["Spans without an end: 1,200", ["First: span 3"]]);
});
test("the problem is the first sentence, the remedy follows; units have their blank and the tool's own hint goes", async () => {
  advise({ name: "Idle", text: "x", problem: "the device idles 30ms (12%); it waits", remedy: "prefetch (tfprof whatif -input 0)" });
  const [f] = await findingsOf(opened());
  assert.deepEqual([f?.says, f?.more].flat().map((s) => plain(s ?? "")), ["The device idles 30 ms (12 %)", "It waits", "Prefetch"]);
});
test("a checker without findings of its own gives its reports as they are", async () => {
  answer({ "views/advise": { checkers: [{ name: "Old", reports: ["first; second", "third"] }] } });
  assert.deepEqual((await findingsOf(opened())).slice(0, 2).map((f) => [f.id, f.says, f.more.length]), [["Old:0", "First", 1], ["Old:1", "Third", 0]]);
});
test("without times the data is not checked, and of a memory snapshot nothing is asked", async () => {
  await findingsOf(opened({ facts: facts({}, { times: false }) }));
  assert.deepEqual(asked.map((p) => p.replace(/.*views\//, "")), ["advise?format=json"]);
  assert.deepEqual(await findingsOf(opened({ facts: facts({ nodes: 0 }, { heap: true, trace: false }) })), []);
  assert.equal(asked.length, 1);
});
test("a check that the server refuses leaves the advice", async () => {
  answer({ "views/check": refusal("no check") });
  assert.deepEqual((await findingsOf(opened())).map((f) => f.checker), ["IdleDevice", "SmallKernels"]);
});
test("evidence is shown with twice its length around it, but no less than 0.2 ms and never before the start", async () => {
  const view = async (timeline_us: number, duration_us: number) => {
    advise({ name: "Idle", text: "x", span: { span: 1, lane: "l", start_us: 0, timeline_us, duration_us } });
    const [f] = await findingsOf(opened({ id: `${timeline_us}` }));
    return f && evidenceView(f);
  };
  assert.deepEqual([await view(1e4, 1e3), await view(1000, 10), await view(50, 10)], [{ from: 8e3, to: 13e3 }, { from: 800, to: 1210 }, { from: 0, to: 260 }]);
});
test("what checkers do not know is said: chosen steps, ranks and devices", () => {
  const none = { ranks: [], steps: null, range: null, device: "" };
  const words = [none, { ...none, device: "gpu:0" }, { ...none, ranks: [1], device: "gpu:0" }, { ...none, steps: { from: 1, to: 1 } }, { ...none, range: { from: 0, to: 1 }, ranks: [0] }].map(coveredWords);
  assert.deepEqual(words, ["", "over all devices", "over all ranks and devices", "of the whole run", "of the whole run, over all ranks"]);
});

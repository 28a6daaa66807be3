// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { OverviewPlace } from "../../src/places/Overview";
import { place, sel } from "../../src/state/store";
import { all, click, erase, one, shown, textOf, texts, things } from "../drawn";
import { begin } from "../page";
import { facts, opened } from "../profile";
import { answer } from "../server";
import { tableOf, words } from "../tables";

const overview = (hash = "#/p/a1/overview", of = opened()) => (begin(hash), erase(), shown(<OverviewPlace of={of} />));
const list = (title: string) => one(".two > div", undefined, { querySelectorAll: () => all(".two > div").filter((d) => textOf(d).startsWith(title)) } as unknown as ParentNode);

test("the one number, and one sentence where it goes", async () => {
  await overview();
  assert.equal(textOf(one(".overview > .big")), "110.0 ms a step");
  assert.match(textOf(one(".sentence")), /^The GPU is idle for 36 % of a step; 55 % it computes\.$/);
  assert.match(textOf(one(".says")), /^mean of 3 steps, ± 20\.3 % · median 100\.0 ms · 2 ranks, gpu:0, gpu:1$/);
});
test("where the device is idle most, the sentence names what the host is in", async () => {
  const idle = tableOf([words("step", ["1"]), words("device", ["gpu:0"]), ...["rank", "start_us", "communication_us", "copy_us", "exposed_communication_us", "exposed_copy_us"].map((n) => ({ ...words(n, ["0"]), type: "number" as const, texts: null, values: Float64Array.of(0) })),
    ...([["duration_us", 1e5], ["compute_us", 2e4], ["idle_us", 8e4], ["kernels", 3]] as const).map(([n, v]) => ({ ...words(n, [""]), type: "number" as const, texts: null, values: Float64Array.of(v) }))]);
  answer({ "views/steps": idle });
  await overview();
  assert.match(textOf(one(".sentence")), /80 % it is idle, while the host is in c10d::allreduce for 75\.0 % of its time\.$/);
  click(one(".sentence a", "c10d::allreduce"));
  assert.deepEqual(sel.value, { kind: "op", id: "c10d::allreduce" });
});
test("the lists are of a step and rank: kernels, ops of the host, lines", async () => {
  await overview();
  assert.match(textOf(list("Device, by kernel")), /^Device, by kernel of 133 ms a step and rankgemm float cutlass2×100 ms75\.0 %/);
  assert.match(textOf(list("Host, by op")), /^Host, by op of 20\.0 ms a step and rank, all threadsc10d::allreduce/);
  assert.match(textOf(list("Lines")), /^Lines of 700 ms.*net\.py:7/);
});
test("in a range sums are of the range, not of a step", async () => {
  await overview("#/p/a1/overview?range=1000-2000");
  assert.match(textOf(list("Device, by kernel")), /^Device, by kernel of 800 ms/);
});
test("findings by what can be gained, at most five, the others one click away", async () => {
  answer({ "views/advise": { checkers: Array.from({ length: 7 }, (_, i) => ({ name: `C${i}`, reports: [], findings: [{ name: "x", text: `finding ${i}`, gain_seconds: i / 1e3 }] })) } });
  await overview();
  assert.deepEqual(things(".find"), ["finding:C6:0", "finding:C5:0", "finding:C4:0", "finding:C3:0", "finding:C2:0"]);
  click(one("a", "2 more"));
  assert.equal(place.value, "findings");
});
test("why the device is idle stands at the part, the biggest cause first", async () => {
  answer({ "views/wait": { step_parts: [{ part: "idle", a_step_us: 9 }, { part: "  of it before copies", a_step_us: 1e3 }, { part: "  of it launch", a_step_us: 5e3 }] } });
  await overview();
  assert.match(textOf(one(".parts")), /of step · 5\.00 ms launch$/);
});
test("without steps the whole run is told, of a graph its size", async () => {
  answer({ "views/steps": tableOf([words("step", [])]) });
  await overview("#/p/a1/overview", opened({ facts: facts({ steps: [] }) }));
  assert.equal(textOf(one(".overview > .big")), "800 ms in ops");
  assert.match(textOf(one(".sentence")), /^Time of the device in operations, the whole run; no steps were marked\. 6 operations\.$/);
  answer({ "views/op": tableOf([words("name", [])], { tree: true }) });
  await overview("#/p/a1/overview", opened({ id: "g", facts: facts({ steps: [] }, { times: false }) }));
  assert.equal(textOf(one(".overview > .big")), "6 ops");
});
test("everything named leads on", async () => {
  await overview();
  const links = all("a[data-kind]");
  assert.ok(links.length > 15 && links.every((a) => a.getAttribute("href")?.startsWith("#/p/a1/overview?sel=") || a.dataset.evidence !== undefined), texts("a").join());
});

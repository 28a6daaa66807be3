// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job, LiveState } from "../../src/live/live";
import { JobsPlace } from "../../src/places/Jobs";
import { place, profileId } from "../../src/state/store";
import { all, button, choose, click, erase, fire, one, settled, shown, textOf, texts, things } from "../drawn";
import { begin } from "../page";
import { entry } from "../profile";
import { answer, refusal, sent } from "../server";

const job = (pid: number, more: Partial<Job> = {}): Job => ({
  job: `${pid}@9`, pid, user: "me", framework: "torch", version: "2.8", state: "running", processes: 1, threads: 12, runnable: 2, steps_per_second: 4.25678, steps_are: "optimizer steps", cpu: 0.98, rss_bytes: 2e9, gpus: "0", gpu: 0.5,
  gpu_memory_bytes: 1, age_micros: 3_700e6, container: null, capture: "agent", why: null, command: "python train.py", ...more,
});
const live: LiveState = { token: "secret", folder: "/rec", commands: true, recordings: [] };
const jobs = (list: Job[], state: Partial<LiveState> = {}, hash = "#/jobs") => {
  begin(hash);
  answer({ "/api/v1/live$": { ...live, ...state }, "/live/jobs$": { rows: list } });
  erase();
  return shown(<JobsPlace />);
};
const cells = (id: string) => texts(`tr[data-id="${id}"] td`);

test("a job is a row: what it runs, how fast, what it takes, how it can be recorded", async () => {
  await jobs([job(7), job(8, { processes: 4, capture: "attach", age_micros: 59e6 })]);
  assert.deepEqual(cells("7@9").slice(1, -1), ["7", "torch 2.8", "running", "4.26", "0.98", "2.00 GB", "0: 50.0 %", "1 h 1 min", "prepared Record…"]);
  assert.deepEqual([cells("8@9")[3], cells("8@9")[8], cells("8@9")[9]], ["running 4 processes", "59 s", "not prepared Record…"]);
});
test("an empty cell says why it is", async () => {
  await jobs([job(7, { cpu: null, why: "cpu: another user's; gpus: no NVML" })]);
  assert.equal((one('tr[data-id="7@9"] td.absent').dataset.hint ?? ""), "another user's");
});
test("jobs keep their places when the answer has another order; new ones come behind", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  await jobs([job(7), job(8)]);
  answer({ "/live/jobs$": { rows: [job(9), job(8), job(7)] } });
  t.mock.timers.tick(2000);
  await settled();
  assert.deepEqual(things("tbody tr"), ["job:7@9", "job:8@9", "job:9@9"]);
});
test("without jobs the page says what it looks for", async () => {
  await jobs([]);
  assert.match(textOf(one(".empty")), /^No process of this machine that may be seen has loaded JAX/);
});
test("the button of a row chooses that job alone, ticks choose several", async () => {
  await jobs([job(7), job(8)]);
  assert.equal(button(/^Record 0 jobs/).disabled, true);
  fire(one('input[aria-label="choose 8"]'), "change"), fire(one('input[aria-label="choose 7"]'), "change");
  assert.equal(textOf(button(/^Record 2 jobs/)), "Record 2 jobs");
  click(button("Record 7"));
  assert.equal(textOf(button("Record this job")), "Record this job");
});
test("a recording asks for what was chosen; what a job that is not prepared means is said before", async () => {
  answer({ "/live/record": { recording: 1 } });
  await jobs([job(7, { capture: "attach" })]);
  click(button("Record 7"));
  assert.match(textOf(one(".tools [role=status]")), /^1 not prepared: refused, and nothing happens to it\.$/);
  const box = (says: RegExp) => all("section label").find((l) => says.test(textOf(l)))?.querySelector("input") as HTMLInputElement;
  for (const says of [/attach/, /stacks/]) ((box(says).checked = true), fire(box(says), "change"));
  assert.match(textOf(one(".tools [role=status]")), /an agent is started in each and leaves afterwards/);
  choose(all("section select")[0] as Element, "2000");
  click(button("Record this job"));
  await settled();
  assert.equal(sent[sent.length - 1]?.path, "/api/v1/live/record?job=7%409&ms=2000&attach=1&stacks=1");
});
test("a refusal stands at the form", async () => {
  answer({ "/live/record": refusal("job 7 has ended", 409) });
  await jobs([job(7)]);
  click(button("Record 7"));
  click(button("Record this job"));
  await settled();
  assert.equal(textOf(one("[role=alert]")), "job 7 has ended");
});
test("while one recording goes on another cannot begin", async () => {
  await jobs([job(7)], { recordings: [{ recording: 1, state: "running", began: 1, folder: "r1", jobs: ["7@9"], error: null, table: null }] });
  click(button("Record 7"));
  assert.equal(button("Recording…").disabled, true);
});
const done = { recording: 1, state: "done" as const, began: 1.7e9, folder: "r1", jobs: ["7@9"], error: null, table: { rows: [{ pid: 7, framework: "torch", via: "agent", status: "ok", code: null, message: null, file: "7/trace.json", bytes: 5e6, window_micros: 5e5 }] } };
test("the recording that was begun here opens by itself, one of before is a link", async () => {
  answer({ "/profiles$": { changed: 1, profiles: [entry({ id: "r", name: "r1/7/trace.json", folder: "/rec" })] }, "/live/record": { recording: 1 } });
  await jobs([job(7)], { recordings: [done] });
  assert.equal(place.value, "jobs");
  assert.deepEqual([textOf(one("table.list:not(.jobs) a")), one("table.list:not(.jobs) a").getAttribute("href")], ["Open r1/7/trace.json", "#/p/r/overview"]);
  click(button("Record 7"));
  click(button("Record this job"));
  await settled();
  assert.deepEqual([place.value, profileId.value], ["overview", "r"]);
});
test("a chosen job shows its threads; one that has ended says so", async () => {
  answer({ "/threads": { rows: [{ tid: 70, thread: "main", state: "running", depth: 0, name: "train.py:5:step" }, { tid: 70, thread: "main", state: "running", depth: 1, name: "train.py:90:main" }] } });
  await jobs([job(7)], {}, "#/live?job=7%409");
  assert.equal(textOf(one("section.job > h2")), "Process 7");
  assert.deepEqual([textOf(one("summary")), texts("ol.frames li")], ["70 main running, train.py:5:step", ["train.py:5:step", "train.py:90:main"]]);
  await jobs([job(8)], {}, "#/live?job=7%409");
  assert.match(textOf(one("section.old")), /Job 7@9 has ended\./);
});
test("where functions spend their time is asked for on demand only", async () => {
  answer({ "/threads": { rows: [] }, "/stacks": { rows: [{ name: "train.py:5:step", self: 3, total: 5, self_share: 0.3, total_share: 0.5 }] } });
  await jobs([job(7)], {}, "#/live?job=7%409");
  assert.equal(all(".sampled").length, 0);
  click(button("Look for a second"));
  await settled();
  assert.deepEqual(texts(".sampled tbody td"), ["train.py:5:step", "30.0 %", "50.0 %"]);
});

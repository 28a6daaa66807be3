// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { RunsPlace } from "../../src/places/Runs";
import { place, profileId, state } from "../../src/state/store";
import { button, click, erase, one, settled, shown, textOf, texts, write } from "../drawn";
import { begin, depth } from "../page";
import { answer, asked, askedFor, refusal } from "../server";

const run = (n: number) => ({ run: `r${n}`, path: `runs/${n}.json`, job: "llm", rank: n, started: "2026-11-01T10:00:00Z", duration_us: 1e6, truncated: n === 2, bytes: 1000 });
const runs = (hash = "#/runs", found = 500) => (begin(hash), erase(), answer({ "/api/v1/runs?": { total: 900, found, runs: { rows: [run(2), run(1)] } } }), shown(<RunsPlace />));

test("the server has filtered and sorted: the page keeps its order", async () => {
  await runs("#/runs?q=job%3Dllm&sort=-bytes");
  assert.deepEqual(texts(".row a"), ["runs/2.json", "runs/1.json"]);
  assert.equal(asked[0], "/api/v1/runs?filter=job%3Dllm&order=-bytes&from=0&count=200");
  assert.deepEqual(texts('.row [data-column="started"]'), ["2026-11-01 10:00:00", "2026-11-01 10:00:00"]);
});
test("pages go on and back, and say where one is", async () => {
  await runs();
  assert.match(textOf(one("[role=group]")), /1 to 2 of 500; 900 runs in all/);
  assert.equal(button("Previous").disabled, true);
  click(button("Next"));
  await settled();
  assert.match(asked[asked.length - 1] ?? "", /from=200/);
  click(button("Previous"));
  assert.equal(state.value.more.from, undefined);
});
test("a filter is sent when it is complete, and begins at the first page", async () => {
  await runs("#/runs?from=200");
  write(one("input"), "rank<8");
  assert.equal(askedFor("rank").length, 0);
  write(one("input"), "rank<8", "change");
  await settled();
  assert.match(asked[asked.length - 1] ?? "", /filter=rank%3C8&order=-started&from=0/);
});
test("the names are sorted by their path", async () => {
  await runs("#/runs?sort=-name");
  assert.match(asked[0] ?? "", /order=-path/);
});
test("a click opens the run's trace; one that is gone says so", async () => {
  answer({ "/runs/r1/profile": { id: "p1" }, "/runs/r2/profile": refusal("runs/2.json is gone", 404) });
  await runs();
  click(one('.row[data-id="r2"]'));
  await settled();
  assert.equal(textOf(one("[role=alert]")), "runs/2.json is gone");
  click(one('.row[data-id="r1"]'));
  await settled();
  assert.deepEqual([profileId.value, place.value], ["p1", "overview"]);
});
test("the link of a row opens its trace, and Back does not lead to the link again", async () => {
  answer({ "/runs/r1/profile": { id: "p1" } });
  await runs("#/runs?run=r1");
  assert.deepEqual([profileId.value, depth()], ["p1", 0]);
});

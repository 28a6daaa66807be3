// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { follow, found, goOn } from "../../src/search/go";
import type { Entry } from "../../src/search/index";
import { place, query, sel } from "../../src/state/store";
import { begin, depth } from "../page";
import { opened } from "../profile";
import { answer, askedFor, refusal } from "../server";

const hit = (kind: Entry["kind"], id: string): Entry => ({ kind, id, text: id, full: id, worth: 1 });
const HITS = [hit("kernel", "gemm a"), hit("kernel", "gemm b"), hit("op", "gemm c")];
const start = (hash: string) => (begin(hash), (found.value = null));

test("where matches are lit the search stays, and selects what was found", async () => {
  start("#/p/a1/table");
  await follow(opened(), "gemm", HITS, 1);
  assert.deepEqual([place.value, query.value, sel.value], ["table", "gemm", { kind: "kernel", id: "gemm b" }]);
});
test("elsewhere it goes to the best place of what was found", async () => {
  start("#/p/a1/overview");
  await follow(opened(), "gemm", HITS, 0);
  assert.deepEqual([place.value, query.value, sel.value?.id], ["table", "", "gemm a"]);
});
test("a place that was found is gone to", async () => {
  start("#/p/a1/overview?sel=op:x");
  await follow(opened(), "mem", [hit("place", "memory")], 0);
  assert.deepEqual([place.value, sel.value?.id], ["memory", "x"]);
});
test("a text that nothing has is searched for all the same", async () => {
  start("#/p/a1/table");
  await follow(opened(), "no such", [], 0);
  assert.deepEqual([query.value, sel.value], ["no such", null]);
});
test("in the timeline the first span is selected, as one act for Back", async () => {
  start("#/p/a1/timeline");
  answer({ "/find?": { rows: [{ span: 42 }] } });
  await follow(opened(), "gemm", HITS, 0);
  assert.deepEqual([sel.value, query.value, depth()], [{ kind: "span", id: "42" }, "gemm", 1]);
});
test("a name without a span stays selected itself", async () => {
  start("#/p/a1/timeline");
  answer({ "/find?": refusal("no spans") });
  await follow(opened(), "gemm", HITS, 0);
  assert.deepEqual(sel.value, { kind: "kernel", id: "gemm a" });
});

test("n and N go around the names that were found", async () => {
  start("#/p/a1/table");
  await follow(opened(), "gemm", HITS, 0);
  const went: (string | undefined)[] = [];
  for (const back of [false, false, false, true, true]) (await goOn(opened(), back), went.push(sel.value?.id));
  assert.deepEqual(went, ["gemm b", "gemm c", "gemm a", "gemm c", "gemm b"]);
});
test("in the timeline they go from the selected span to the next and the previous one", async () => {
  start("#/p/a1/timeline?q=gemm&sel=span:7");
  answer({ "/find?": { rows: [{ span: 9 }] } });
  await goOn(opened(), false);
  assert.equal(sel.value?.id, "9");
  await goOn(opened(), true);
  assert.deepEqual(askedFor("/find?").map((p) => p.replace(/.*find\?/, "")), ["q=gemm&backward=0&after=7", "q=gemm&backward=1&after=9"]);
});
test("behind the last span nothing changes, and without a search n is nothing", async () => {
  start("#/p/a1/timeline?q=gemm&sel=span:7");
  answer({ "/find?": { rows: [] } });
  await goOn(opened(), false);
  assert.equal(sel.value?.id, "7");
  start("#/p/a1/timeline");
  await goOn(opened(), false);
  assert.equal(askedFor("/find?").length, 1);
});

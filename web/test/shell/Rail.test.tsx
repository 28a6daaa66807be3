// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Rail } from "../../src/shell/Rail";
import { place, state } from "../../src/state/store";
import { click, one, shown, texts } from "../drawn";
import { begin } from "../page";
import { facts, opened } from "../profile";


const rail = (of = opened()) => (begin("#/p/a1/overview?sel=op:aten::mm&ranks=1&sort=-self&by=op"), shown(<Rail of={of} />));

test("the places stand in their order, with how many findings and steps there are", async () => {
  await rail();
  assert.deepEqual(texts("a"), ["Overview", "Findings2", "Timeline", "Steps3", "Memory", "Table", "Flame", "Graph", "Compare", "More"]);
  assert.deepEqual(texts(".group"), ["When", "Where"]);
});
test("a place without data is not listed", async () => {
  await rail(opened({ facts: facts({ steps: [] }, { memory: false, graph: false, times: false, trace: false, timeline: false }) }));
  assert.deepEqual(texts("a"), ["Overview", "Findings2", "Table", "Flame", "Compare", "More"]);
});
test("a memory snapshot has only what holds memory", async () => {
  await rail(opened({ facts: facts({ nodes: 0, steps: [] }, { heap: true, trace: false, times: false, graph: false }) }));
  assert.deepEqual(texts("a"), ["Overview", "Memory", "More"]);
});
test("a click goes there: selection and filters stay, the order of the old place does not", async () => {
  await rail();
  assert.equal(one('a[aria-current="page"]').textContent, "Overview");
  click(one("a", "Flame"));
  assert.deepEqual([place.value, state.value.sel?.id, state.value.ranks, state.value.sort, state.value.by], ["flame", "aten::mm", [1], "", ""]);
  assert.equal(one('a[aria-current="page"]').textContent, "Flame");
});
test("with ctrl the browser opens the same address", async () => {
  await rail();
  assert.equal(click(one("a", "Table"), { ctrlKey: true }), true);
  assert.deepEqual([place.value, one("a", "Table").getAttribute("href")], ["overview", "#/p/a1/table?sel=op:aten::mm&ranks=1"]);
});

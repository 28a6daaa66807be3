// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { filters, place, sel, state } from "../../src/state/store";
import { button, click, one, pairs, section, settled, textOf, texts, things } from "../drawn";
import { opened } from "../profile";
import { answer } from "../server";
import { reals, tableOf, words } from "../tables";
import { big, panel, sections } from "./panels";

test("a step has its parts, that add up, and the ranks that took part, the slowest first", async () => {
  await panel("step", "3");
  assert.deepEqual([textOf(one("h2.title")), big()], ["Step 3", "130.0 ms"]);
  assert.match(textOf(one(".dhead")), /30\.0 % over the median of 3 steps$/);
  assert.deepEqual(pairs(section("Numbers")).slice(0, 4).map(([word, text]) => [word, text.replace(/^ /, "")]), [["compute", "60.0 ms, 46.2 % of step"], ["exposed communication", "10.0 ms, 7.7 % of step"], ["exposed copies", "0 µs, 0 % of step"], ["idle", "60.0 ms, 46.2 % of step"]]);
  assert.deepEqual(texts(".pairrow", section("Ranks")), ["rank 1160.0 ms", "rank 0100.0 ms"]);
});
test("a step in which no part grew says so, as the table of the library has no name for it", async () => {
  const why = (part: string, more: number, name: string, grown: number | null) =>
    tableOf([reals("step", [3]), reals("duration_us", [13e4]), reals("median_us", [1e5]), reals("over", [0.3]), words("part", [part]), reals("part_more_us", [more]), words("kind", [name && "op"]), words("name", [name]), reals("more_us", [grown])]);
  answer({ "why=true": why("compute", 0, "", null) });
  await panel("step", "3");
  assert.equal(textOf(one(".why")), "130.0 ms, +30 % of the median (100.0 ms); no part of it is longer than its median. See it in the timeline");
  assert.deepEqual(things("a[data-kind=part]", section("Why")), []);
  answer({ "why=true": why("idle", 2e4, "aten::item", 18e3) });
  await panel("step", "3");
  assert.equal(textOf(one(".why")), "130.0 ms, +30 % of the median (100.0 ms); idle +20.0 ms, most in aten::item. See it in the timeline");
});
test("bars over the steps select theirs, the step itself is marked", async () => {
  await panel("step", "3");
  assert.deepEqual([...section("Over steps").querySelectorAll("i")].map((i) => Math.round(parseFloat(i.style.height))), [77, 77, 100]);
  assert.equal(textOf(section("Over steps").querySelector(".now")), "step 3: 130.0 ms");
  click(one('a[data-id="1"]', undefined, section("Over steps")));
  assert.deepEqual(sel.value, { kind: "step", id: "1" });
});
test("a step that the filters leave out says so", async () => {
  await panel("step", "9");
  assert.deepEqual([big(), sections().includes("Numbers")], ["–", false]);
  assert.match(textOf(one(".dhead")), /it is not among the chosen steps$/);
});
test("under a filter of ranks the numbers are of these, and have no name that stands for all", async () => {
  await panel("step", "3", opened(), "#/p/a1/table?ranks=1");
  assert.equal(big(), "160.0 ms");
  assert.equal(one(".big data").dataset.of, undefined);
});
test("only this step is a filter, next like it the next step", async () => {
  await panel("step", "2");
  click(button("Only this step"));
  assert.deepEqual([filters.value.steps, place.value], [{ from: 2, to: 2 }, "table"]);
  await panel("step", "2");
  click(button("Next like it"));
  await settled();
  assert.equal(sel.value?.id, "3");
});

test("a rank is told beside the median rank, and can be the only one", async () => {
  await panel("rank", "1");
  assert.deepEqual([textOf(one("h2.title")), big(), one(".big data").dataset.of], ["Rank 1", "120.0 ms", "rank:1"]);
  assert.match(textOf(one(".dhead")), /rank · gpu:1.*9\.1 % over the median rank$/);
  click(button("Only this rank"));
  assert.deepEqual(filters.value.ranks, [1]);
});
test("a part of a step leads to the table of what it consists of", async () => {
  await panel("part", "idle");
  assert.equal(big(), "40.0 ms");
  assert.deepEqual(pairs(section("Numbers")), [["mean", "40.0 ms"], ["min – max", "30.0 ms – 90.0 ms"]]);
  click(button("Table of what is waited for"));
  assert.deepEqual([place.value, state.value.by], ["table", "wait"]);
  await panel("part", "exposed_communication");
  assert.deepEqual(pairs(section("Numbers")).pop(), ["hidden", "10.0 ms more has something beside it"]);
  assert.ok(things(".overs a").length === 3);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { ContextBar } from "../../src/shell/ContextBar";
import { filters, state } from "../../src/state/store";
import { all, button, choose, click, fire, one, press, shown, textOf, texts } from "../drawn";
import { back, begin, depth } from "../page";
import { facts, opened } from "../profile";
import { answer } from "../server";
import { tableOf, words } from "../tables";

const bar = (hash = "#/p/a1/overview", of = opened()) => (begin(hash), shown(<ContextBar of={of} />));
const chips = () => texts(".chip > .menu-box > button");
const openChip = (name: string) => click(button(new RegExp(`^${name}: `)));

test("without filters the chips say what there is", async () => {
  await bar();
  assert.deepEqual(chips(), ["2 ranks", "3 steps", "whole run", "2 devices"]);
  assert.equal(all(".cross").length, 0);
});
test("an active chip says its choice, is coloured, and its cross clears it alone", async () => {
  await bar("#/p/a1/overview?ranks=1&steps=2&range=1000-51000&device=gpu:1");
  assert.deepEqual(chips(), ["rank 1", "step 2", "1.00 ms – 51.0 ms", "gpu:1"]);
  assert.equal(all(".chip.on").length, 4);
  click(button("Clear range"));
  assert.deepEqual(filters.value, { ranks: [1], steps: { from: 2, to: 2 }, range: null, device: "gpu:1" });
  click(button("Clear ranks")), click(button("Clear steps")), click(button("Clear device"));
  assert.deepEqual([filters.value, all(".chip.on").length], [{ ranks: [], steps: null, range: null, device: "" }, 0]);
});
test("step 6 is a step, 6 steps are a number of steps", async () => {
  await bar("#/p/a1/overview", opened({ facts: facts({ steps: [6] }) }));
  assert.equal(chips()[1], "step 6");
  await bar("#/p/a1/overview", opened({ facts: facts({ steps: [1, 2, 3, 4, 5, 6] }) }));
  assert.deepEqual([chips()[1], all(".chip button").map((b) => b.getAttribute("aria-label"))[1]], ["6 steps", "Steps: 6 steps"]);
  await bar("#/p/a1/overview?steps=2-4");
  assert.equal(chips()[1], "steps 2–4");
});
test("ranks are ticked one by one, in their order, and each tick is one act for Back", async () => {
  await bar();
  openChip("Ranks");
  const boxes = all("[role=dialog] input");
  fire(boxes[1] as Element, "change"), fire(boxes[0] as Element, "change");
  assert.deepEqual([filters.value.ranks, depth()], [[0, 1], 2]);
  back();
  assert.deepEqual(filters.value.ranks, [1]);
});
test("one step, or from a step to another; the wrong way round is turned", async () => {
  await bar();
  openChip("Steps");
  click(button("only step 2"));
  assert.deepEqual(filters.value.steps, { from: 2, to: 2 });
  const [from, to] = all("[role=dialog] select");
  choose(to as Element, "3");
  assert.deepEqual(filters.value.steps, { from: 2, to: 3 });
  choose(from as Element, "3"), choose(to as Element, "1");
  assert.deepEqual(filters.value.steps, { from: 1, to: 3 });
});
test("a device is chosen, and given up by a second click", async () => {
  await bar();
  openChip("Device");
  const listed = () => one("[role=dialog] button", "gpu:1");
  click(listed());
  assert.deepEqual([filters.value.device, listed().getAttribute("aria-pressed")], ["gpu:1", "true"]);
  click(listed());
  assert.equal(filters.value.device, "");
});
test("without a range the chip says how to choose one, with it how long it is", async () => {
  await bar();
  openChip("Range");
  assert.match(textOf(one("[role=dialog]")), /^Drag in the timeline/);
  await bar("#/p/a1/overview?range=1000-51000");
  assert.equal(textOf(one("[role=dialog]")), "50.0 ms long.");
});
test("Escape closes a chip's list and keeps the selection; the button has the focus again", async () => {
  await bar("#/p/a1/overview?sel=op:aten::mm");
  openChip("Device");
  press("Escape", one("[role=dialog]"));
  assert.deepEqual([all("[role=dialog]").length, state.value.sel?.id], [0, "aten::mm"]);
  assert.match(document.activeElement?.getAttribute("aria-label") ?? "", /^Device: /);
});
test("the step in numbers is of what the filters leave", async () => {
  await bar();
  assert.match(textOf(one(".stepfacts")), /^step 110.0 ms · compute 54.5 % · exposed comm. 9.1 % · idle 36.4 %$/);
  assert.equal(one(".stepfacts data").dataset.of, "all");
  await bar("#/p/a1/overview?ranks=0");
  assert.match(textOf(one(".stepfacts")), /^step 100.0 ms · compute 60.0 %/);
  assert.equal(one(".stepfacts data").dataset.of, "rank:0");
});
test("what the address had that nobody understands is said", async () => {
  await bar("#/p/a1/overview?ranks=x&sel=cow:1");
  assert.equal(textOf(one("[role=status]")), "ignored in the address: ranks=x, sel=cow:1");
});
test("what the address has that this profile has not is said", async () => {
  await bar("#/p/a1/table?ranks=0,9&steps=77&device=gpu:9&by=cow&sel=step:5&colour=red&top=x");
  assert.equal(textOf(one("[role=status]")), "ignored in the address: by=cow, colour=red; not in this profile: ranks=9, steps=77, device=gpu:9, sel=step:5");
  await bar("#/p/a1/more?ranks=1&steps=2-9&peak=1e12&by=flops");
  assert.deepEqual(texts("[role=status]"), []);
});
test("a profile without steps and devices says so in its lists", async () => {
  answer({ "views/steps": tableOf([words("step", [])]), "views/info": { summary: { ranks: "0" }, rows: [] } });
  await bar("#/p/a1/overview", opened({ facts: facts({ steps: [] }) }));
  assert.deepEqual(chips(), ["rank 0", "no steps", "whole run", "no device"]);
  for (const [name, says] of [["Ranks", "This profile has one rank."], ["Steps", "No steps were marked."], ["Device", "No device was recorded."]] as const) {
    openChip(name);
    assert.equal(textOf(one("[role=dialog]")), says);
    openChip(name);
  }
});

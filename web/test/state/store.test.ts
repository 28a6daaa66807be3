// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test as nodeTest } from "node:test";
import { change, giveUp, goTo, hrefOf, hrefOfProfile, range, select, sel, shown, state } from "../../src/state/store";
import { hidden, hideOrNot, move, pinOrNot, reset, toggle } from "../../src/timeline/arranged";
import { address, back, begin, depth } from "../page";

const test = (name: string, run: () => void): void => void nodeTest(name, () => (begin("#/p/a1/table"), run()));
const kernel = { kind: "kernel" as const, id: "gemm<int, 2>" };

test("a selection is an act that Back undoes; zoom and sort are none", () => {
  const before = depth();
  select(kernel);
  change({ view: { from: 1, to: 9 } });
  change({ sort: "-total" });
  assert.equal(depth(), before + 1);
  assert.match(address(), /view=1-9/);
  back();
  assert.deepEqual([sel.value, state.value.view, state.value.sort], [null, null, ""]);
});
test("what changes nothing is no act", () => {
  select(kernel);
  const before = depth();
  select({ ...kernel });
  change({ place: "table" });
  assert.equal(depth(), before);
});
test("a range that is selected stays when a thing is, and Escape gives up the thing first", () => {
  select({ kind: "range", id: "10-20.5" });
  assert.deepEqual([sel.value, range.value, shown.value], [null, { from: 10, to: 20.5 }, { kind: "range", id: "10-20.5" }]);
  select(kernel);
  assert.deepEqual([shown.value, range.value], [kernel, { from: 10, to: 20.5 }]);
  assert.deepEqual([giveUp(), sel.value, range.value], [true, null, { from: 10, to: 20.5 }]);
  assert.deepEqual([giveUp(), range.value, giveUp()], [true, null, false]);
  assert.deepEqual(shown.value, { kind: "profile", id: "a1" });
});
test("a range that is none selects nothing of the kind", () => {
  select({ kind: "range", id: "20-10" });
  assert.equal(range.value, null);
});
test("another place keeps selection and filters, and gives up what was the old one's", () => {
  change({ sel: kernel, ranks: [0, 2], steps: { from: 5, to: 5 }, by: "op", sort: "-self", open: ["x"], more: { side: "3" } });
  goTo("flame");
  const { sel: kept, ranks, steps, by, sort, open, more } = state.value;
  assert.deepEqual([kept, ranks, steps], [kernel, [0, 2], { from: 5, to: 5 }]);
  assert.deepEqual([by, sort, open, more], ["", "", [], {}]);
});
test("a link is the address to which the same change leads", () => {
  change({ ranks: [1] });
  const href = hrefOf({ place: "timeline", sel: kernel, view: { from: 0, to: 5 } });
  goTo("timeline", { sel: kernel, view: { from: 0, to: 5 } });
  assert.equal(address(), href);
  assert.equal(hrefOfProfile("b2"), "#/p/b2/overview");
});
test("what one place owns is merged, and given up by nothing", () => {
  change({ more: { at: "12", side: "up" } });
  change({ more: { side: "" } });
  assert.deepEqual(state.value.more, { at: "12" });
});
test("parts keep their identity while their content stays", () => {
  change({ sel: kernel });
  const before = sel.value;
  change({ sort: "name" });
  assert.equal(sel.value, before);
});

test("lanes fold, are pinned, hidden and moved, and come back", () => {
  change({ place: "timeline" });
  toggle("g"), toggle("h"), toggle("g");
  pinOrNot("3"), pinOrNot("4"), pinOrNot("3");
  hideOrNot("7"), hideOrNot("8"), hideOrNot("7");
  assert.deepEqual([state.value.open, state.value.pin, hidden()], [["h"], ["4"], ["8"]]);
  move("2", -1, ["1", "2", "3"]);
  assert.equal(state.value.more.order, "2,1,3");
  move("2", -1, ["2", "1", "3"]);
  move("9", 1, ["2", "1", "3"]);
  assert.equal(state.value.more.order, "2,1,3");
  move("6", -1, ["5", "6"]);
  assert.equal(state.value.more.order, "2,1,3,6,5");
  reset();
  assert.deepEqual([state.value.open, state.value.pin, hidden(), state.value.more.order], [[], [], [], undefined]);
});

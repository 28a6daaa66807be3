// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { hidden } from "../../src/timeline/arranged";
import { layOut } from "../../src/timeline/layout";
import { Names } from "../../src/timeline/Names";
import { state } from "../../src/state/store";
import { button, click, draw, one, press, texts } from "../drawn";
import { begin } from "../page";
import { NOTHING, lane, lanesOf, sourceOf } from "./items";

const lanes = lanesOf([lane(0, "compute", "compute", { rows: 2, detail: "stream 7" }), lane(2, "copy", "copies", { detail: "stream 8" }), lane(3, "host", "main", { detail: "4515" }), lane(4, "host", "loader", { busy: 5, detail: "4516" })], [{ step: 1, from: 0, to: 9 }]);
const names = (how: Partial<typeof NOTHING> = {}) => (begin("#/p/a1/timeline"), draw(<Names layout={layOut(lanes, [], { ...NOTHING, ...how })} head={44} top={0} height={400} steps source={sourceOf(lanes)} />));

test("groups, their lanes and what is folded stand one below the other, with how busy they are", () => {
  names();
  assert.deepEqual(texts(".tl-names > [role=row] .tl-words"), ["▾ gpu:0busy 100 %", "computestream 7", "copiesstream 8", "▾ host1 of 2 threads", "main4515", "▸ 1 thread, mostly idle"]);
});
test("a group and what is folded turn by a click, as the address keeps it", () => {
  names();
  click(button("▾ gpu:0"));
  assert.deepEqual(state.value.open, [".gpu:0"]);
  click(button("▸ 1 thread, mostly idle"));
  assert.deepEqual(state.value.open, [".gpu:0", ".host.quiet"]);
});
test("a lane of one row has nothing to fold", () => {
  names();
  click(button("main"));
  assert.deepEqual(state.value.open, []);
  click(button("compute"));
  assert.deepEqual(state.value.open, ["0"]);
});
test("buttons of a lane pin, move and hide it", () => {
  names();
  click(button("Pin compute stream 7"));
  assert.deepEqual(state.value.pin, ["0"]);
  click(button("Move down compute stream 7"));
  assert.equal(state.value.more.order, "2,0");
  click(button("Hide copies stream 8"));
  assert.deepEqual(hidden(), ["2"]);
});
test("a pinned lane stands in the head below the steps, and can be unpinned there", () => {
  names({ pinned: ["0"] });
  assert.deepEqual(texts(".tl-head .tl-words"), ["steps", "computestream 7"]);
  assert.equal(one('.tl-head button[aria-label="Unpin compute stream 7"]').textContent, "◆");
});
test("up and down keys go from name to name; the first is the stop of the Tab key", () => {
  names();
  const first = button("▾ gpu:0");
  assert.equal(first.tabIndex, 0);
  first.focus();
  press("ArrowDown", first);
  assert.equal(document.activeElement, button("compute"));
  press("ArrowUp", button("compute"));
  assert.equal(document.activeElement, first);
});

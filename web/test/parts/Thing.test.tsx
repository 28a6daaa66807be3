// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { ThingLink, goToBest } from "../../src/parts/Thing";
import { place, range, sel, state } from "../../src/state/store";
import { click, draw, fire, one } from "../drawn";
import { begin, depth } from "../page";

test("a link of a short name keeps the whole one", () => {
  draw(<ThingLink kind="kernel" id="void f<int>()" full="void f<int>()">f int</ThingLink>);
  assert.deepEqual([one("a").dataset.full, (one("a").dataset.hint ?? ""), one("a").getAttribute("data-evidence")], ["void f<int>()", "void f<int>()", null]);
});
test("a click selects the thing and stays in the place; the link says that it is selected", () => {
  begin("#/p/a1/table?by=op");
  draw(<ThingLink kind="op" id="aten::mm">mm</ThingLink>);
  assert.equal(click(one("a")), false); // the browser does not follow it
  assert.deepEqual([sel.value, place.value, state.value.by], [{ kind: "op", id: "aten::mm" }, "table", "op"]);
  assert.equal(one("a").getAttribute("aria-current"), "true");
});
test("the address of the link leads where the click leads", () => {
  begin("#/p/a1/overview");
  draw(<ThingLink kind="span" id="7" evidence also={{ view: { from: 1, to: 2 } }}>7</ThingLink>);
  const href = one("a").getAttribute("href");
  click(one("a"));
  assert.equal(location.hash, href);
  assert.deepEqual([place.value, sel.value, state.value.view], ["timeline", { kind: "span", id: "7" }, { from: 1, to: 2 }]);
});
test("ctrl, cmd, shift and the middle button are the browser's", () => {
  begin("#/p/a1/overview");
  draw(<ThingLink kind="op" id="aten::mm">mm</ThingLink>);
  for (const how of [{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { button: 1 }]) assert.equal(click(one("a"), how), true);
  assert.equal(sel.value, null);
});
test("a link inside of a row does not also pick the row", () => {
  let rows = 0;
  draw(<div onClick={() => rows++}><ThingLink kind="op" id="x">x</ThingLink></div>);
  click(one("a"));
  assert.equal(rows, 0);
});
test("every kind has its best place, and a double click goes there as one act", () => {
  const best = { span: "timeline", step: "timeline", op: "table", kernel: "table", scope: "flame", call: "flame", line: "table", rank: "steps", tensor: "memory", finding: "findings", change: "findings" } as const;
  for (const [kind, to] of Object.entries(best)) {
    begin("#/p/a1/overview");
    draw(<ThingLink kind={kind as keyof typeof best} id="1">1</ThingLink>);
    fire(one("a"), "dblclick");
    assert.deepEqual([place.value, sel.value, depth()], [to, { kind, id: "1" }, 1]);
  }
});
test("a range is shown in the timeline and stays a range", () => {
  begin("#/p/a1/overview?range=3-9");
  goToBest({ kind: "range", id: "3-9" });
  assert.deepEqual([place.value, range.value, sel.value], ["timeline", { from: 3, to: 9 }, null]);
});
test("a kind without a best place stays where it is", () => {
  begin("#/p/a1/overview");
  goToBest({ kind: "parameter", id: "w" });
  assert.deepEqual([place.value, depth()], ["overview", 0]);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Item, Menu } from "../../src/parts/Menu";
import { all, button, click, draw, fire, one, press } from "../drawn";

const menu = (acts: string[] = []) => draw(<div><Menu text="More" name="More actions">{(close) => <><Item onClick={() => (acts.push("first"), close())}>First</Item><Item href="#/x">Second</Item></>}</Menu><p>elsewhere</p></div>);
const open = () => all("[role=menu]").length === 1;

test("the button opens and closes the list, and says which", () => {
  menu();
  assert.deepEqual([open(), button("More").getAttribute("aria-expanded")], [false, "false"]);
  click(button("More"));
  assert.deepEqual([open(), button("More").getAttribute("aria-expanded"), one("[role=menu]").getAttribute("aria-label")], [true, "true", "More actions"]);
  click(button("More"));
  assert.equal(open(), false);
});
test("the first item has the focus; Escape gives it back to the button and reaches nothing else", () => {
  let heard = 0;
  const listen = () => heard++;
  addEventListener("keydown", listen);
  menu();
  click(button("More"));
  assert.equal(document.activeElement?.textContent, "First");
  press("Escape", document.activeElement as Element);
  removeEventListener("keydown", listen);
  assert.deepEqual([open(), document.activeElement?.textContent, heard], [false, "More", 0]);
});
test("a press elsewhere closes it, one inside of it does not", () => {
  menu();
  click(button("More"));
  fire(one("[role=menu]"), "pointerdown");
  assert.equal(open(), true);
  fire(one("p"), "pointerdown");
  assert.equal(open(), false);
});
test("an item acts and closes; one with an address is a link", () => {
  const acts: string[] = [];
  menu(acts);
  click(button("More"));
  assert.equal(one("a[role=menuitem]").getAttribute("href"), "#/x");
  click(one("[role=menuitem]", "First"));
  assert.deepEqual([acts, open()], [["first"], false]);
});

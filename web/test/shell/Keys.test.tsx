// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { PLACES } from "../../src/places";
import { Keys } from "../../src/shell/Keys";
import { place } from "../../src/state/store";
import { all, button, click, draw, one, press, texts } from "../drawn";
import { begin } from "../page";

test("? opens the sheet, its cross closes it", () => {
  draw(<Keys />);
  assert.equal(all("dialog").length, 0);
  press("?", document.body, { shiftKey: true });
  assert.equal((one("dialog") as HTMLDialogElement).open, true);
  click(button("Close keys"));
  assert.equal(all("dialog").length, 0);
  click(button("Keys"));
  assert.equal(all("dialog").length, 1);
});
test("the sheet has the key of every place, and no key twice", () => {
  draw(<Keys />);
  click(button("Keys"));
  assert.deepEqual(texts("section:last-of-type kbd"), PLACES.map((p) => `g ${p.key}`));
  assert.equal(new Set(PLACES.map((p) => p.key)).size, PLACES.length);
});
test("g and a letter go to a place of the profile, and nowhere without one", () => {
  begin("#/p/a1/overview");
  draw(<Keys />);
  press("g"), press("t");
  assert.equal(place.value, "timeline");
  press("t"); // without g it is nothing
  press("g"), press("b");
  assert.equal(place.value, "table");
  begin("#/jobs");
  press("g"), press("t");
  assert.equal(place.value, "jobs");
});
test("what is typed into a field is no key of the page", () => {
  begin("#/p/a1/overview");
  const root = draw(<div><Keys /><input type="text" /><input type="checkbox" /></div>);
  const [field, box] = all("input", root);
  press("g", field), press("t", field), press("?", field, { shiftKey: true });
  assert.deepEqual([place.value, all("dialog").length], ["overview", 0]);
  press("g", box), press("t", box);
  assert.equal(place.value, "timeline");
});

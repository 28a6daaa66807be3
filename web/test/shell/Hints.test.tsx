// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Hints, hintOf } from "../../src/shell/Hints";
import { all, fire, one, press, shown, textOf } from "../drawn";

test("a hint shows under the pointer at once, and goes with a key, a click or the pointer", async () => {
  await shown(<><Hints /><p data-hint="void f<int>()"><b>f</b></p><i>none</i></>);
  const over = (what: string) => fire(one(what), "pointerover", { bubbles: true });
  over("b");
  assert.equal(textOf(one("[role=tooltip]")), "void f<int>()");
  over("i");
  assert.equal(all("[role=tooltip]").length, 0);
  over("b"), press("x");
  assert.equal(all("[role=tooltip]").length, 0);
});
test("a row in focus has the hint of its name; what is read anyway is not repeated", async () => {
  await shown(<><div><span data-hint="whole name">name</span></div><p data-hint="same">same</p></>);
  assert.deepEqual([hintOf(one("div div, div"), true)?.text, hintOf(one("p"), false), hintOf(null, false)], ["whole name", null, null]);
});

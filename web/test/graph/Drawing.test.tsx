// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Column } from "../../src/answers/api";
import { Drawing } from "../../src/graph/Drawing";
import { sel, state } from "../../src/state/store";
import { all, button, click, draw, fire, one, press, textOf, texts } from "../drawn";
import { begin } from "../page";
import { reals, tableOf, words } from "../tables";

const t = tableOf([words("name", ["_TFProfRoot", "in", "net", "net/a", "net/b", "out"]), reals("parent", [null, 0, 0, 2, 2, 0]), reals("total_us", [100, 10, 60, 40, 20, 30], "us")], { tree: true });
const edges = tableOf([words("source", ["in", "net/a", "net/b"]), words("target", ["net/a", "net/b", "out"])]);
const drawing = (hash = "#/p/a1/graph") => (begin(hash), draw(<Drawing t={t} edges={edges} total={t.column("total_us") as Column} name={t.column("name") as Column}><b>first</b></Drawing>));
const boxes = (): string[] => all('[id^="box-"]').map((b) => b.id);
const told = (): string => textOf(one(".told"));

test("closed scopes are boxes; the line above tells of the whole until a box is picked", () => {
  drawing();
  assert.deepEqual(boxes().sort(), ["box-1", "box-2", "box-5"]);
  assert.equal(told(), "All 100 µs 100 %");
  fire(one("#box-2"), "focus");
  assert.equal(told(), "net 60 µs 60.0 % · reads in · read by out");
  click(one("#box-2"));
  assert.deepEqual(sel.value, { kind: "scope", id: "net" });
});
test("an opened scope is in the address, has its boxes, and a button that closes it", () => {
  drawing("#/p/a1/graph?open=net");
  assert.deepEqual(boxes().filter((id) => id !== "box-2").sort(), ["box-1", "box-3", "box-4", "box-5"]);
  click(button("close net"));
  assert.deepEqual(state.value.open.filter((name) => name === "net"), []);
});
test("plus and minus zoom, within limits; with a modifier they are the browser's", () => {
  drawing();
  const zoom = (): number => parseInt(texts(".tools .count")[0] ?? "", 10);
  const began = zoom();
  press("+", one(".drawing"));
  assert.equal(zoom(), Math.round(began * 1.25));
  press("+", one(".drawing"), { ctrlKey: true });
  assert.equal(zoom(), Math.round(began * 1.25));
  for (let i = 0; i < 30; i++) click(button("smaller"));
  assert.equal(zoom(), 10);
});
test("a search tells how many names have it, and opens the scope that holds one", () => {
  drawing("#/p/a1/graph?q=net%2Fa");
  assert.match(textOf(one('[role="status"]')), /^1 name with “net\/a”$/);
  assert.deepEqual(state.value.open, ["net"]);
});
test("a graph without nodes says so", () => {
  begin("#/p/a1/graph");
  const none = tableOf([words("name", ["_TFProfRoot"]), reals("parent", [null]), reals("total_us", [0], "us")], { tree: true });
  draw(<Drawing t={none} edges={tableOf([words("source", []), words("target", [])])} total={none.column("total_us") as Column} name={none.column("name") as Column}>{null}</Drawing>);
  assert.deepEqual(texts(".empty"), ["This profile has no nodes."]);
});

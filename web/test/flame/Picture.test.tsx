// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Picture } from "../../src/flame/Picture";
import type { FlameBy } from "../../src/flame/read";
import { FLAMES, MEASURES, readFlame } from "../../src/flame/read";
import { sel, state } from "../../src/state/store";
import { all, button, click, fire, one, press, shown, textOf } from "../drawn";
import { begin, penOf } from "../page";
import { SCOPES } from "../profile";

const tree = readFlame(SCOPES, FLAMES[0] as FlameBy, MEASURES[0]); // net 600 (layer1 500), loss 200 ms, on 1,200 pixels
const picture = (hash = "#/p/a1/flame", more: object = {}) => (begin(hash), shown(<Picture of={tree} kind="scope" measure={MEASURES[0]} found={null} delta={null} {...more} />));
const canvas = () => one("canvas") as HTMLCanvasElement;
const at = (type: string, x: number, depth: number) => fire(canvas(), type, { offsetX: x, offsetY: depth * 20 + 5, button: 0 });
const told = () => textOf(one(".told"));

test("every bar has its name where there is room", async () => {
  await picture();
  assert.deepEqual(penOf(canvas()).texts().slice(-3).sort(), ["layer1", "loss", "net"]);
  assert.equal(told(), "800 ms of device time in all");
});
test("a click selects the bar under the pointer, and its numbers say of what they are a share", async () => {
  await picture();
  at("click", 100, 1);
  assert.deepEqual(sel.value, { kind: "scope", id: "net/layer1" });
  assert.equal(told(), "layer1 · 500 ms, 62.5 % of device time · 500 ms of it itself · 10×");
  at("click", 1100, 0);
  assert.equal(sel.value?.id, "loss");
  at("click", 1100, 3); // nothing is there
  assert.equal(sel.value?.id, "loss");
});
test("the bar under the mouse tells its numbers without being selected", async () => {
  await picture();
  at("mousemove", 100, 0);
  assert.match(told(), /^net · 600 ms, 75\.0 %/);
  fire(canvas(), "mouseleave");
  assert.match(told(), /in all$/);
  assert.equal(sel.value, null);
});
test("a double click fills the width with a bar, the address keeps it, and all can be shown again", async () => {
  await picture();
  at("dblclick", 1000, 0);
  assert.equal(state.value.more.top, "loss");
  at("click", 10, 0);
  assert.equal(sel.value?.id, "loss");
  click(button("Show all"));
  assert.equal(state.value.more.top, undefined);
});
test("arrow keys go from bar to bar, Enter fills the width, 0 shows all", async () => {
  await picture("#/p/a1/flame?sel=scope:net");
  const box = one("[role=application]");
  press("ArrowDown", box);
  assert.equal(sel.value?.id, "net/layer1");
  press("ArrowUp", box), press("ArrowRight", box);
  assert.equal(sel.value?.id, "loss");
  press("Enter", box);
  assert.equal(state.value.more.top, "loss");
  press("0", box);
  assert.equal(state.value.more.top, undefined);
});
test("what a search does not find is pale", async () => {
  await picture("#/p/a1/flame", { found: Uint8Array.of(0, 2, 0) });
  const rects = penOf(canvas()).strokes.filter((s) => s.act === "fillRect").slice(-3);
  assert.deepEqual(rects.map((r) => r.alpha).sort(), [0.3, 0.3, 1]);
});
test("beside another profile a bar says by how much it changed", async () => {
  await picture("#/p/a1/flame?sel=scope:loss", { delta: (row: number) => (row === 2 ? 1500 : null) });
  assert.match(told(), /· \+1\.50 ms a step$/);
  assert.equal(all(".told button").length, 0);
});

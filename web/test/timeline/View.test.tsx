// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { TimelineView } from "../../src/timeline/View";
import { sel, view } from "../../src/state/store";
import { all, click, fire, one, press, shown, textOf, until } from "../drawn";
import { begin } from "../page";
import { facts, opened } from "../profile";
import { itemsOf, lane, lanesOf, sourceOf } from "./items";

const lanes = { ...lanesOf([lane(0, "compute", "compute"), lane(1, "host", "main")], [{ step: 1, from: 100, to: 500 }]), notes: ["a note"] };
const source = sourceOf(lanes, {
  items: (window, rows, px, search) => Promise.resolve(itemsOf([{ row: 0, name: "gemm", start: 200, us: 100, class: "compute" }], { window, rows, scale: px / (window.to - window.from), search })),
});
type Marks = { name: string; x: number; y: number; w: number; h: number }[];
const marks = (): Marks => (window as unknown as { tfprof: { pictures: { timeline?: { marks: () => Marks } } } }).tfprof.pictures.timeline?.marks() ?? [];
const gemm = () => marks().find((m) => m.name === "gemm");
async function timeline(hash = "#/p/a1/timeline", alone: number | null = null) {
  begin(hash);
  await shown(<TimelineView source={source} of={opened({ facts: facts({ steps: [1] }) })} alone={alone} />);
  await until(gemm);
}

test("the stage is named for readers of the screen and can have the focus; names, tools and the minimap stand around it", async () => {
  await timeline();
  const stage = one(".tl-stage");
  assert.match(stage.getAttribute("aria-label") ?? "", /^Timeline of 2 lanes: /);
  assert.equal(stage.tabIndex, 0);
  assert.equal(all("canvas", stage).length, 2);
  assert.match(textOf(one(".tl")), /compute.*main/);
});
test("a click on a span selects it, one beside it gives the selection up", async () => {
  await timeline();
  const mark = gemm();
  assert.ok(mark);
  const at = (x: number) => ({ button: 0, pointerId: 1, clientX: x, clientY: mark.y + mark.h / 2, offsetX: x, offsetY: mark.y + mark.h / 2 });
  const press = (x: number) => (fire(one(".tl-stage"), "pointerdown", at(x)), fire(one(".tl-stage"), "pointerup", at(x)), click(one(".tl-stage"), at(x)));
  press(mark.x + mark.w / 2);
  assert.deepEqual(sel.value, { kind: "span", id: "0" });
  press(mark.x + 3 * mark.w);
  assert.equal(sel.value, null);
});
test("the window of the address is the one that is seen; 0 shows all and takes it out of the address", async () => {
  await timeline("#/p/a1/timeline?view=100-300");
  assert.deepEqual(view.value, { from: 100, to: 300 });
  const close = gemm()?.w ?? 0;
  press("0");
  await until(() => view.value === null);
  assert.ok(Math.abs((gemm()?.w ?? 0) - close / 5) < 0.01); // 200 of 1,000 µs were seen
});

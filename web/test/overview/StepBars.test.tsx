// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { SlowestStep, StepBars } from "../../src/overview/StepBars";
import { place, sel } from "../../src/state/store";
import { all, click, draw, fire, one, textOf, texts, things } from "../drawn";
import { begin } from "../page";
import { row, steps } from "./rows";

test("steps are bars that lead to them; the longest is named, and one like the median has no word", () => {
  const text = textOf(draw(<StepBars rows={steps} />));
  assert.deepEqual(things(), ["step:1", "step:2", "step:3"]);
  assert.equal(text.match(/slowest/g)?.length, 1);
  assert.match(text, /200.0 ms slowest/);
});
test("a step that is shorter than the median says by how much", () => {
  draw(<StepBars rows={[row(0, 1, 50e3, 0), row(0, 2, 100e3, 0), row(0, 3, 100e3, 0)]} />);
  assert.match(texts("a")[0] ?? "", /50.0 ms −50.0 %/);
});
test("the mean of the ranks is a step's bar, and the tallest fills the height", () => {
  draw(<StepBars rows={[row(0, 1, 40e3, 0), row(1, 1, 60e3, 0), row(0, 2, 100e3, 0), row(1, 2, 100e3, 0)]} />);
  assert.deepEqual(all(".stack").map((e) => e.style.height), ["50%", "100%"]);
  assert.equal((one('a[data-id="1"]').dataset.hint ?? "").replaceAll("\u00a0", " "), "step 1: 50.0 ms");
});
test("the axis has two to five round marks", () => {
  for (const longest of [1, 9.9, 47, 130, 2400, 61_000]) {
    draw(<StepBars rows={[row(0, 1, longest * 1e3, 0)]} />);
    const marks = texts(".axis span");
    assert.ok(marks.length >= 2 && marks.length <= 6, `${longest}: ${marks.join()}`);
    assert.equal(new Set(marks).size, marks.length);
  }
});
test("of many steps the slowest of each group is drawn, and named above", () => {
  const many = Array.from({ length: 1000 }, (_, i) => row(0, i, i === 437 ? 9e3 : 1e3, 0));
  draw(<StepBars rows={many} />);
  const ids = things().map((t) => Number(t.slice(5)));
  assert.ok(ids.length <= 120 && ids.includes(437), String(ids.length));
  assert.match(textOf(draw(<SlowestStep rows={many} />)), /slowest: 437, 9.00 ms, 800 % over the median/);
  assert.equal(textOf(draw(<SlowestStep rows={steps} />)), "");
});
test("a click selects a step, a double click goes to it in the timeline", () => {
  begin("#/p/a1/steps");
  draw(<StepBars rows={steps} />);
  click(one('a[data-id="2"]'));
  assert.deepEqual([sel.value, one('a[data-id="2"]').getAttribute("aria-current")], [{ kind: "step", id: "2" }, "true"]);
  assert.equal(all('a[aria-current="true"]').length, 1);
  fire(one('a[data-id="3"]'), "dblclick");
  assert.deepEqual([place.value, sel.value?.id], ["timeline", "3"]);
});
test("a click with ctrl is the browser's: it opens the link", () => {
  begin("#/p/a1/steps");
  draw(<StepBars rows={steps} />);
  assert.equal(click(one('a[data-id="2"]'), { ctrlKey: true }), true);
  assert.equal(sel.value, null);
  assert.equal(one('a[data-id="2"]').getAttribute("href"), "#/p/a1/steps?sel=step:2");
});

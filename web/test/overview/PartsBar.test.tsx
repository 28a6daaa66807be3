// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { PartsBar } from "../../src/overview/PartsBar";
import { quantitiesOf } from "../../src/results/steps";
import { sel } from "../../src/state/store";
import { all, click, draw, one, textOf, things } from "../drawn";
import { row, steps } from "./rows";

test("the bar of a step prints every part, with its share, and the first cause of idle time", () => {
  const text = textOf(draw(<PartsBar q={quantitiesOf(steps)} what="all" causes={[{ name: "before copies", us: 5000 }]} />));
  assert.match(text, /compute.*60.0 ms 45.0 % of step/);
  assert.match(text, /idle.*73.3 ms 55.0 % of step · 5.00 ms before copies/);
});
test("parts are as wide as they are long, and one that took no time is not drawn", () => {
  draw(<PartsBar q={quantitiesOf([row(0, 1, 75e3, 25e3)])} what="all" causes={[]} />);
  assert.deepEqual(all(".bar .seg").map((e) => [e.className, e.style.flexGrow || e.style.flex]), [["seg compute", "0.75"], ["seg idle", "0.25"]]);
  assert.match(one(".bar").getAttribute("aria-label") ?? "", /A step of 100.0.ms: compute 75.0.ms/);
});
test("communication that something hides is told beside what nothing hides", () => {
  const hiding = { ...row(0, 1, 75e3, 5e3), communication: 30e3, parts: { compute: 75e3, exposed_communication: 20e3, exposed_copies: 0, idle: 5e3 } };
  assert.match(textOf(draw(<PartsBar q={quantitiesOf([hiding])} what="all" causes={[]} />)), /exposed communication.*· 10.0 ms is hidden/);
});
test("a click on a part selects it", () => {
  draw(<PartsBar q={quantitiesOf(steps)} what="all" causes={[]} />);
  assert.deepEqual(things(), ["part:compute", "part:exposed_communication", "part:exposed_copies", "part:idle"]);
  click(one("a", /^idle/));
  assert.deepEqual(sel.value, { kind: "part", id: "idle" });
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Headline } from "../../src/compare/Headline";
import type { Side } from "../../src/compare/sides";
import type { StepRow } from "../../src/results/steps";
import { all, draw, one, shown, textOf, texts } from "../drawn";
import { SUMMARY } from "../limits/rows";
import { facts } from "../profile";
import { answer } from "../server";
import { row, steps } from "../overview/rows";

const side = (rows: StepRow[]): Side => ({ id: "x", name: "x", facts: facts(), steps: rows });

test("a comparison says by how much, and by which part most", () => {
  const text = textOf(draw(<Headline before={side([row(0, 1, 60e3, 40e3)])} now={side([row(0, 1, 61e3, 89e3)])} />));
  assert.match(text, /^100.0 ms → 150.0 ms a step, ▲ \+50.0 %What changed most is idle: \+49.0 ms a step\./);
  assert.equal(one(".big span").className, "worse-text");
});
test("a faster step is better, and a shorter part has its minus", () => {
  draw(<Headline before={side([row(0, 1, 60e3, 40e3)])} now={side([row(0, 1, 30e3, 40e3)])} />);
  assert.match(textOf(one(".big")), /▼ −30.0 %/);
  assert.deepEqual([one(".big span").className, textOf(one(".sentence"))], ["better-text", "What changed most is compute: −30.0 ms a step."]);
});
test("without steps on a side the sentence says so", () => {
  assert.match(textOf(draw(<Headline before={side([])} now={side(steps)} />)), /No steps were recorded on both sides/);
});
test("the difference has its interval, where steps vary", () => {
  const varied = (us: number) => [row(0, 1, 90e3, us), row(0, 2, 110e3, us), row(0, 3, 90e3, us), row(0, 4, 110e3, us)];
  assert.match(textOf(draw(<Headline before={side(varied(0))} now={side(varied(1e3))} />)), /a step, ▲ \+1\.0 % ± 13.9 %/);
});
test("equal sides are told in words", () => {
  const text = textOf(draw(<Headline before={side(steps)} now={side(steps)} />));
  assert.match(text, /^[\d.]+ ms a step, the same on both sidesNo part of a step changed\./);
});
test("parts stand by how much they changed, their bars on one scale", () => {
  draw(<Headline before={side([row(0, 1, 50e3, 10e3)])} now={side([row(0, 1, 100e3, 20e3)])} />);
  assert.deepEqual(texts(".differ > div > span:first-child").slice(0, 2), ["compute", "idle"]);
  assert.deepEqual(all(".differ > div:nth-child(2) i").map((e) => e.style.width), ["10%", "20%"]);
});
test("how well each side uses its device is said where both can be judged", async () => {
  const judged = (id: string, rows: StepRow[]): Side => ({ ...side(rows), id, facts: facts({}, { shapes: true }) });
  answer({ "/a/views/limits": { summary: SUMMARY, columns: [], rows: [] }, "/b/views/limits": { summary: { ...SUMMARY, ideal_us: 1700, mfu: 0.5 }, columns: [], rows: [] } });
  const text = textOf(await shown(<Headline before={judged("a", steps)} now={judged("b", steps)} />));
  assert.match(text, /of what the device can do: 52.9 % → 100 % \(of judged time, 89.5 % and 89.5 % of all\); MFU 25.0 % → 50.0 %/);
  assert.doesNotMatch(textOf(await shown(<Headline before={judged("a", steps)} now={side(steps)} />)), /of what the device can do/);
});

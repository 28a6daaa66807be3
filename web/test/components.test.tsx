// SPDX-License-Identifier: Apache-2.0
import { elements, shownBy, textOf } from "./page";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Headline } from "../src/compare/Headline";
import type { Side } from "../src/compare/sides";
import { HeatMap } from "../src/overview/HeatMap";
import { PartsBar } from "../src/overview/PartsBar";
import { RankBars } from "../src/overview/RankBars";
import { StepBars } from "../src/overview/StepBars";
import { EvidenceLink } from "../src/parts/FindingRow";
import { Quantity } from "../src/parts/Quantity";
import { ThingLink } from "../src/parts/Thing";
import type { Finding } from "../src/findings";
import { quantitiesOf } from "../src/steps";
import type { StepRow } from "../src/steps";

const row = (rank: number, step: number, compute: number, idle: number): StepRow => ({
  rank, step, device: "gpu:0", start: 0, duration: compute + idle, communication: 0, copy: 0, kernels: 3, parts: { compute, exposed_communication: 0, exposed_copies: 0, idle },
});
const steps = [row(0, 1, 60e3, 40e3), row(0, 2, 60e3, 40e3), row(0, 3, 60e3, 140e3)];
const plain = (text: string): string => text.replaceAll("\u00a0", " ");
const things = (shown: ReturnType<typeof shownBy>): unknown[] => elements(shown, "a").map((a) => [a.props["data-kind"], a.props["data-id"]]);

test("a number with a definition tells its raw value; one of a mixture has no name", () => {
  const [all, mixture] = ["all", ""].map((of) => elements(shownBy(<Quantity name="step.mean" of={of} value={214808.6} />), "data")[0]?.props);
  assert.deepEqual([all?.value, all?.["data-quantity"], all?.["data-of"]], ["214808.6", "step.mean", "all"]);
  assert.deepEqual([mixture?.["data-quantity"], mixture?.["data-of"]], [undefined, undefined]);
});
test("a link of a short name keeps the whole one; evidence leads to the timeline", () => {
  const [short] = elements(shownBy(<ThingLink kind="kernel" id="void f<int>()" full="void f<int>()">f int</ThingLink>), "a");
  assert.deepEqual([short?.props["data-full"], short?.props.title], ["void f<int>()", "void f<int>()"]);
  const [evidence] = elements(shownBy(<ThingLink kind="span" id="7" evidence also={{ view: { from: 1, to: 2 } }}>7</ThingLink>), "a");
  assert.match(String(evidence?.props.href), /\/timeline\?sel=span:7&view=1-2$/);
});

test("the bar of a step prints every part, with its share, and the first cause of idle time", () => {
  const text = plain(textOf(shownBy(<PartsBar q={quantitiesOf(steps)} what="all" causes={[{ name: "before copies", us: 5000 }]} />)));
  assert.match(text, /compute.*60.0 ms 45.0 % of step/);
  assert.match(text, /idle.*73.3 ms 55.0 % of step · 5.00 ms before copies/);
});
test("steps are bars that lead to them; the longest is named, and one like the median has no word", () => {
  const shown = shownBy(<StepBars rows={steps} />);
  assert.deepEqual(things(shown), [["step", 1], ["step", 2], ["step", 3]]);
  const text = plain(textOf(shown));
  assert.equal(text.match(/slowest/g)?.length, 1);
  assert.match(text, /200.0 ms slowest|200 ms slowest/);
});
test("of many steps the slowest of each group is drawn", () => {
  const many = Array.from({ length: 1000 }, (_, i) => row(0, i, i === 437 ? 9e3 : 1e3, 0));
  const ids = things(shownBy(<StepBars rows={many} />)).map((t) => (t as unknown[])[1]);
  assert.ok(ids.length <= 120 && ids.includes(437), String(ids.length));
});
test("ranks: none for one, all of a few, three of many beside a strip of all", () => {
  assert.deepEqual(shownBy(<RankBars rows={steps} />), []);
  const ranks = (count: number) => shownBy(<RankBars rows={Array.from({ length: count }, (_, r) => row(r, 1, 1e3 * (r + 1), 0))} />);
  assert.deepEqual(things(ranks(3)), [["rank", "0"], ["rank", "1"], ["rank", "2"]]);
  assert.deepEqual(things(ranks(20)).slice(0, 3), [["rank", "0"], ["rank", "10"], ["rank", "19"]]);
  assert.equal(things(ranks(20)).length, 23);
});
test("the heat map has the slowest ranks in their order, and a hole where a rank has no step", () => {
  const rows = Array.from({ length: 40 }, (_, r) => row(r, 1, 1e3 * (r + 1), 0)).concat(row(39, 2, 5e3, 0));
  const shown = things(shownBy(<HeatMap rows={rows} />)) as [string, string][];
  const ranks = shown.filter(([kind]) => kind === "rank").map(([, id]) => Number(id));
  assert.deepEqual(ranks, Array.from({ length: 32 }, (_, i) => i + 8));
  assert.equal(shown.filter(([kind, id]) => kind === "step" && id === "2").length, 1);
});

const side = (rows: StepRow[]): Side => ({ id: "x", name: "x", facts: {} as Side["facts"], steps: rows });
test("a comparison says by how much, and by which part most", () => {
  const text = plain(textOf(shownBy(<Headline before={side([row(0, 1, 60e3, 40e3)])} now={side([row(0, 1, 61e3, 89e3)])} />)));
  assert.match(text, /^100.0 ms → 150.0 ms a step, ▲ \+50.0 %What changed most is idle: \+49.0 ms a step\./);
  assert.match(plain(textOf(shownBy(<Headline before={side([])} now={side(steps)} />))), /No steps were recorded on both sides/);
});

const finding = (more: Partial<Finding>): Finding => ({ id: "IdleDevice:0", checker: "IdleDevice", says: "Idle", more: [], text: "Idle", takes: 3e4, gain: 2e4, evidence: null, quality: false, look: "host", ...more });
const evidence = { span: 12, rank: 3, lane: "gpu:0/stream:7", start_us: 5, timeline_us: 1005, duration_us: 300 };
test("evidence stands where the timeline has it, with some time around, and says whose it is", () => {
  const [a] = elements(shownBy(<EvidenceLink f={finding({ evidence })} />), "a");
  assert.match(String(a?.props.href), /view=405-1905$/);
  assert.equal(plain(textOf(a ? [a] : [])), "rank 3, stream 7 at 1.00 ms");
  assert.deepEqual(shownBy(<EvidenceLink f={finding({})} />), []);
});

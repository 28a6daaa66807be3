// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { LimitsPlace } from "../../src/places/Limits";
import { placesOf } from "../../src/places";
import { change, state } from "../../src/state/store";
import { all, click, one, shown, textOf, texts } from "../drawn";
import { ANSWERS, ROWS, SUMMARY } from "../limits/rows";
import { facts, opened } from "../profile";
import { answer } from "../server";

const of = opened({ facts: facts({}, { shapes: true }) });
const at = (by = "") => (change({ profile: "a1", place: "limits", by }), answer(ANSWERS), shown(<LimitsPlace of={of} />));

test("the place is listed only where a trace has shapes and a device", () => {
  assert.ok(placesOf(of.facts).some((p) => p.name === "limits"));
  assert.ok(!placesOf(facts()).some((p) => p.name === "limits"));
});
test("without shapes the place says what to record", async () => {
  change({ profile: "a1", place: "limits", by: "" });
  assert.match(textOf(await shown(<LimitsPlace of={opened()} />)), /record_shapes=True/);
});
test("a step at its limits, what is judged, and what loses most", async () => {
  const page = textOf(await at());
  assert.match(page, /1.00 ms → 600 µs a step at the limits of its device: at most 40.0 % faster/);
  assert.match(page, /89.5 % of 1.90 ms of device time is judged: it takes 1.70 ms and could take 900 µs; most is lost in aten::mm \(400 µs, at 60.0 % of its limit\)/);
  assert.match(page, /MFU 25.0 % · bandwidth 30.0 % · 4 calls shorter than the shortest kernel, 100 µs · chains of kernels: at most 300 µs to gain in all steps/);
});
test("bars of device time have its parts, of all and of each row", async () => {
  await at();
  assert.deepEqual(texts(".parts > span"), ["at the limit892 µs 46.9 %", "lost708 µs 37.3 %", "short kernels100 µs 5.3 %", "not judged200 µs 10.5 %"]);
  const bars = all('[role=grid][aria-label="Limits"] .row .bar');
  assert.equal(bars[1]?.getAttribute("aria-label")?.replaceAll("\u00a0", " "), "at the limit 292 µs, lost 308 µs, short kernels 100 µs, not judged 100 µs");
});
test("shapes and chains stand below, and have tables of their own; ops have a roofline", async () => {
  await at();
  assert.deepEqual(all("[role=grid]").map((g) => g.getAttribute("aria-label")), ["Limits", "Shapes", "Chains"]);
  assert.equal(all(".roofline").length, 1);
  await at("shape");
  assert.deepEqual(all("[role=grid]").map((g) => g.getAttribute("aria-label")), ["Shapes"]);
  await at("chain");
  assert.match(textOf(all(".row")[0]), /pow > mean > mul/);
});
test("the order of a table below is that of its own table", async () => {
  await at();
  click(one('[aria-label="Shapes"] [role=columnheader][data-column="total"]'));
  assert.deepEqual([state.value.by, state.value.sort], ["shape", "-total"]);
});
test("an unknown device has fields for its peaks, and no limit", async () => {
  const unknown = { ...SUMMARY, device: null, ideal_us: null, loss_us: null, bound_us: null, peak_flops: null, peak_bandwidth: null };
  change({ profile: "a1", place: "limits", by: "" });
  answer({ "by=op": { summary: unknown, notes: ["the limits of the device are not known here: give -peak_flops and -peak_bandwidth"], columns: [], rows: ROWS.map((r) => ({ ...r, ideal_us: null, loss_us: null, efficiency: null, bound: null })) }, "by=shape": { summary: unknown, columns: [], rows: [] }, "by=chain": { summary: unknown, columns: [], rows: [] } });
  const page = await shown(<LimitsPlace of={of} />);
  assert.match(textOf(page), /the limits of the device are not known/);
  assert.deepEqual([all("input").length, all(".roofline").length], [2, 0]);
});

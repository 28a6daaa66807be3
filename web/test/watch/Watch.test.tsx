// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Watch } from "../../src/pages/Watch";
import { profileId, state } from "../../src/state/store";
import { clockOf, findingsOf, lanesOf, lateParts, pictureOf, shapesOf, shortLine, ticksOf } from "../../src/watch/model";
import { all, button, choose, click, erase, one, section, settled, shown, textOf, texts } from "../drawn";
import { begin } from "../page";
import { answer, askedFor, refusal } from "../server";
import { reals, tableOf, words } from "../tables";

const DAY = "2026-11-29T16:00:0";

/** Two ranks in two parts of five seconds; rank 1 is late and twice as long in the second one, by input. */
const bands = () => tableOf([
  words("run", ["a", "a", "b", "b"]), words("start", [`${DAY}0Z`, `${DAY}5Z`, `${DAY}0Z`, `${DAY}5Z`]), reals("rank", [0, 0, 1, 1]), reals("pid", [7, 7, 8, 8]),
  reals("length_us", [5e6, 5e6, 5e6, 5e6]), reals("steps", [10, 10, 10, 10]), reals("duration_us", [1000, 2000, 1000, 2000]), reals("late_us", [null, -900, 5, 900]),
  reals("compute_us", [600, 600, 600, 600]), reals("input_us", [200, 200, 200, 1200]), reals("gc_us", [0, 0, 0, 0]), reals("lock_us", [0, 0, 0, 0]), reals("storage_us", [0, 0, 0, 0]),
  reals("throttled_us", [0, 0, 0, 0]), reals("wait_us", [200, 1200, 200, 200]),
]);
const findings = (ring = "rings/x.tfprof") => tableOf([
  words("run", ["b1234567"]), words("job", ["train.py"]), words("kind", ["late"]), words("cause", ["input"]), words("line", ["/src/train.py:59:Loader.load"]),
  words("evidence", ["rank 1 came last 21 times in a row"]), words("waiting", ["0"]), words("ring", [ring]), words("found", [`${DAY}8Z`]), words("since", [`${DAY}5Z`]), words("ended", [""]),
  reals("rank", [1], null), reals("step", [284]), reals("lateness_us", [900], "us"), reals("gain", [0.5], "share"), reals("certainty", [1], "share"), reals("chance", [9.5e-7]),
]);
const jobs = () => tableOf([words("job", ["train.py", "other.py"]), words("started", [`${DAY}0Z`, `${DAY}1Z`]), reals("steps", [20, 20])]);
const page = (hash = "#/watch", found = findings()) => (begin(hash), erase(), answer({ "/watch/findings": found, "/watch/jobs": jobs(), "/watch/bands": bands() }), shown(<Watch />));

test("rows become a band for each process, on one scale of time", () => {
  const p = pictureOf(bands());
  assert.deepEqual(p.bands.map((b) => [b.run, b.rank, b.parts.length]), [["a", 0, 2], ["b", 1, 2]]);
  assert.equal(p.to - p.from, 10_000);
  const [zero, one] = p.bands;
  assert.ok(zero && one);
  assert.deepEqual([lateParts(zero).length, lateParts(one).length], [0, 1]);
  const shapes = shapesOf(one, p);
  assert.match(shapes[1] ?? "", /^M0 .*h1.*M1 .*h1/); // input, in both parts
  assert.equal(shapes[2], ""); // no garbage collector
  assert.deepEqual(pictureOf(tableOf([])).bands, []);
});

test("a window without known steps is as wide as it is long", () => {
  const t = tableOf([words("run", ["a"]), words("start", [`${DAY}0Z`]), reals("length_us", [1e6]), reals("steps", [0]), reals("duration_us", [1e7]), reals("compute_us", [1e7])]);
  const p = pictureOf(t);
  assert.match(shapesOf(p.bands[0] as (typeof p.bands)[0], p)[0] ?? "", /h10v100/);
});

test("texts of lines, clocks, and round times", () => {
  assert.deepEqual([shortLine("/a/b.py:3:f"), shortLine("odd")], ["b.py:3 f", "odd"]);
  assert.deepEqual(ticksOf(1500, 5200).length, 4);
  assert.deepEqual(ticksOf(5, 5), []);
  assert.deepEqual([clockOf(Date.parse(`${DAY}3Z`), 1000), clockOf(Date.parse(`${DAY}3Z`), 9e7), clockOf(NaN, 1)], ["16:00:03", "11-29 16:00", ""]);
});

test("findings at one time have lanes of their own", () => {
  const [f] = findingsOf(findings());
  assert.ok(f);
  assert.equal(lanesOf([f, { ...f, id: "2", since: f.since + 1 }], f.since + 100).length, 2);
  assert.equal(lanesOf([{ ...f, ended: f.since + 1 }, { ...f, id: "2", since: f.since + 1 }], f.since + 100).length, 1);
});

test("the page shows the findings, the ranks, and of a chosen finding what was compared", async () => {
  await page();
  assert.deepEqual(texts(".watch-found"), ["rank 1: late (input) at train.py:59 Loader.load"]);
  assert.deepEqual(texts(".watch-row .watch-name"), ["rank 0", "rank 1"]);
  assert.deepEqual(all(".watch-mark").map((m) => m.closest<HTMLElement>("[data-rank]")?.dataset.rank), ["1"]);
  assert.match(askedFor("/watch/bands")[0] ?? "", /job=train\.py&count=240&format=columns$/);
  click(one(".watch-found"));
  await settled();
  assert.match(textOf(section("Finding")), /rank 1 came last 21 times in a rowSince 2026-11-29 16:00:05, step 284; 900 µs more a step, 50.0 % of its time; ranks 0 wait/);
});

test("a ring opens as a profile; one that is gone says so", async () => {
  await page("#/watch?sel=finding:late-2026-11-29T16:00:05Z-b1234567");
  answer({ "/watch/rings/x.tfprof/profile": refusal("the store has no such ring", 404) });
  click(button("Open its last seconds"));
  await settled();
  assert.match(textOf(one("[role=alert]")), /no such ring/);
  answer({ "/watch/rings/x.tfprof/profile": { id: "p9" } });
  click(button("Open its last seconds"));
  await settled();
  assert.deepEqual([profileId.value, state.value.place], ["p9", "timeline"]);
});

test("another job, and a part of the time", async () => {
  await page("#/watch?job=train.py&from=1000&to=2000");
  assert.match(askedFor("/watch/bands")[0] ?? "", /from=1000&to=2000/);
  click(button("Whole time"));
  await settled();
  assert.equal(state.value.more["from"], undefined);
  choose(one("select"), "other.py");
  await settled();
  assert.match(askedFor("job=other.py")[0] ?? "", /bands/);
});

test("a store without findings says that nothing is wrong", async () => {
  await page("#/watch", tableOf([words("run", [])]));
  assert.match(textOf(one(".empty")), /Nothing was found/);
  erase(); // the page asks again every ten seconds
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Items } from "../../src/timeline/data";
import type { Wanted } from "../../src/timeline/loader";
import { Loader } from "../../src/timeline/loader";
import type { Window } from "../../src/state/store";
import { itemsOf, lanesOf, sourceOf } from "./items";

interface Asked {
  window: Window;
  rows: string;
  px: number;
  search: string;
  stop: AbortSignal;
  done: () => Promise<void>;
  fail: () => Promise<void>;
}

function loading(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const asked: Asked[] = [];
  const ready: string[] = [];
  const after = () => new Promise<void>((ok) => setImmediate(ok));
  const items = (window: Window, rows: string, px: number, search: string, stop: AbortSignal): Promise<Items> =>
    new Promise((ok, no) => {
      const made = () => itemsOf([], { window, rows, scale: px / (window.to - window.from), search });
      asked.push({ window, rows, px, search, stop, done: () => (ok(made()), after()), fail: () => (no(new Error("x")), after()) });
    });
  const loader = new Loader(sourceOf(lanesOf([]), { items }), (which) => ready.push(which));
  const want = (more: Partial<Wanted> = {}, ms = 30) => (loader.want({ seen: { from: 400, to: 500 }, all: { from: 0, to: 1000 }, width: 800, rows: [0, 1, 5], search: "", ...more }), t.mock.timers.tick(ms));
  return { loader, asked, ready, want, own: () => asked.filter((a) => a.window.to - a.window.from < 1000) };
}

test("first the whole run is asked for, coarse, and the window with half of its length on both sides, as fine as it is shown", (t) => {
  const { asked, want } = loading(t);
  want();
  assert.deepEqual(asked.map((a) => [a.window, a.rows, a.px]), [[{ from: 0, to: 1000 }, "0-1,5", 800], [{ from: 350, to: 550 }, "0-1,5", 1600]]);
});
test("a move within what is there asks for nothing; one beyond it does", async (t) => {
  const { own, want, asked } = loading(t);
  want();
  for (const a of asked) await a.done();
  want({ seen: { from: 360, to: 460 } });
  assert.equal(own().length, 1);
  want({ seen: { from: 300, to: 400 } });
  assert.deepEqual(own()[1]?.window, { from: 250, to: 450 });
});
test("while the window moves on, only where it comes to rest is asked for", async (t) => {
  const { own, want, asked } = loading(t);
  want();
  for (const a of asked) await a.done();
  for (const from of [100, 120, 140, 160]) want({ seen: { from, to: from + 100 } }, 5);
  assert.equal(own().length, 1);
  want({ seen: { from: 180, to: 280 } }, 30);
  assert.deepEqual(own().slice(1).map((a) => a.window), [{ from: 130, to: 330 }]);
});
test("closer than what is there is fine it is asked for again, somewhat farther away not", async (t) => {
  const { own, want, asked } = loading(t);
  want();
  for (const a of asked) await a.done();
  want({ seen: { from: 440, to: 460 } });
  assert.equal(own().length, 2);
  await own()[1]?.done();
  want({ seen: { from: 435, to: 465 } });
  assert.equal(own().length, 2);
});
test("other rows and another search are asked for again, also coarse", async (t) => {
  const { want, asked } = loading(t);
  want();
  for (const a of asked) await a.done();
  want({ search: "gemm" });
  assert.deepEqual(asked.slice(2).map((a) => a.search), ["gemm", "gemm"]);
  for (const a of asked.slice(2)) await a.done();
  want({ search: "gemm", rows: [0, 1, 5, 6] });
  assert.deepEqual(asked.slice(4).map((a) => a.rows), ["0-1,5-6", "0-1,5-6"]);
});
test("an answer that a newer wish has overtaken is not shown", async (t) => {
  const { loader, own, want, ready } = loading(t);
  want();
  want({ seen: { from: 700, to: 800 } });
  assert.equal(own()[0]?.stop.aborted, true);
  await own()[0]?.done();
  assert.deepEqual(ready, []);
  await own()[1]?.done();
  assert.deepEqual([loader.own.items?.window, ready], [{ from: 650, to: 850 }, ["own"]]);
});
test("what failed is asked for again by the next wish", async (t) => {
  const { own, want } = loading(t);
  want();
  await own()[0]?.fail();
  want();
  assert.equal(own().length, 2);
});
test("without a width or rows there is nothing to ask for, and after the end nothing comes", async (t) => {
  const { loader, asked, want, ready } = loading(t);
  want({ width: 0 }), want({ rows: [] });
  assert.equal(asked.length, 0);
  want();
  loader.end();
  for (const a of asked) await a.done();
  assert.deepEqual(ready, []);
});

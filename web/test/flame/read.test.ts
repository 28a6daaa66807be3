// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlameBy, FlameTree } from "../../src/flame/read";
import { FLAMES, MEASURES, differences, readFlame, sandwich } from "../../src/flame/read";
import { SCOPES, facts } from "../profile";
import { reals, tableOf, words } from "../tables";

const flame = (by: string) => FLAMES.find((f) => f.by === by) as FlameBy;
const [device, host] = MEASURES;
const rows = (f: FlameTree) => Array.from({ length: f.tree.rows }, (_, row) => [f.name(row), f.total(row), f.self(row)]);
//   main 100: step 60 (load 20, step 30), load 40
const calls = (names = ["root", "main", "step", "load", "step", "load"], scale = 1) => readFlame(tableOf([
  words("name", names), reals("parent", [null, 0, 1, 2, 2, 1]), reals("total_cpu_micros", [100, 100, 60, 20, 30, 40].map((n) => n * scale)), reals("cpu_micros", [0, 0, 10, 20, 30, 40].map((n) => n * scale)), reals("total_runs", [1, 1, 3, 1, 2, 1]),
], { tree: true }), flame("call"), host);

test("the root that stands for everything is left out; host and device time are read apart", () => {
  assert.deepEqual(rows(readFlame(SCOPES, flame("scope"), device)), [["net", 6e5, 1e5], ["layer1", 5e5, 5e5], ["loss", 2e5, 2e5]]);
  assert.deepEqual([readFlame(SCOPES, flame("scope"), device).whole, readFlame(SCOPES, flame("scope"), host).whole], [8e5, 12e4]);
});
test("a scope is known by its path, a call by all calls above it", () => {
  const scopes = readFlame(SCOPES, flame("scope"), device);
  assert.deepEqual([0, 1, 2].map(scopes.id), ["net", "net/layer1", "loss"]);
  assert.deepEqual([0, 1, 3].map(calls().id), ["main", "main › step", "main › step › step"]);
});
test("a sandwich has all places of a name in one: below what they call, time inside of itself counted once", () => {
  const down = sandwich(calls(), "step", false);
  assert.deepEqual(rows(down), [["step", 60, 10], ["load", 20, 20], ["step", 30, 30]]);
  assert.equal(down.whole, 60);
});
test("above stands what calls it, each caller with the time of the calls below it", () => {
  const up = sandwich(calls(), "load", true);
  assert.deepEqual(rows(up).map(([name, total]) => [name, total]), [["load", 60], ["step", 20], ["main", 20], ["main", 40]]);
  assert.deepEqual([...up.tree.depth], [0, 1, 2, 1]);
});
test("a name that is nowhere has an empty sandwich", () => assert.deepEqual([sandwich(calls(), "none", false).whole, sandwich(calls(), "none", true).tree.rows], [0, 0]));
test("a difference is of a step each; what the other profile has not is none", () => {
  const by = differences(calls(), calls(["root", "main", "step", "other", "step", "load"], 4), { now: 1, before: 2 });
  assert.deepEqual([0, 1, 2, 4].map(by), [100 - 200, 60 - 120, null, 40 - 80]);
});
test("what a profile has decides which flames it can show", () => {
  const fits = (f: ReturnType<typeof facts>) => FLAMES.filter((x) => x.fits(f)).map((x) => x.by);
  assert.deepEqual([fits(facts()), fits(facts({ nodes: 0, steps: [] }, { trace: false })), fits(facts({}, { trace: false, code: false }))], [["scope", "call", "line"], ["call", "line"], ["scope"]]);
});

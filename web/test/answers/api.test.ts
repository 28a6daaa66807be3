// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, cellText, hasTimeline, isOfHeap, isOfStacks, json, profilePath, queryPath, readTable, table } from "../../src/answers/api";
import type { Column } from "../../src/answers/api";
import { serverGone } from "../../src/answers/alive";
import { settled } from "../drawn";
import { facts } from "../profile";
import { answer, askedFor, packed, refusal } from "../server";
import { reals, tableOf, words } from "../tables";

const sample = tableOf([words("name", ["größer", "a", "", "größer"]), reals("us", [1.5, null, -3, 0], "us"), { ...reals("found", [1, 0, 1, 1]), type: "bool", values: Uint8Array.of(1, 0, 1, 1) } as Column],
  { tree: true, notes: ["a note"], noteCodes: ["NOTE"], view: "op" });

test("a table is read as the server packed it: texts in any language, absent cells, notes", () => {
  const t = readTable(packed(sample));
  assert.deepEqual([t.rows, t.tree, t.view, t.notes, t.noteCodes], [4, true, "op", ["a note"], ["NOTE"]]);
  const cells = (name: string): string[] => [0, 1, 2, 3].map((row) => cellText(t.column(name) as Column, row));
  assert.deepEqual([cells("name"), cells("us"), cells("found")], [["größer", "a", "", "größer"], ["1.5", "", "-3", "0"], ["yes", "no", "yes", "yes"]]);
  assert.deepEqual([t.column("us")?.unit, t.column("no such")], ["us", undefined]);
});
test("only wanted columns are decoded", () => {
  assert.deepEqual(readTable(packed(sample), (name) => name === "us").columns.map((c) => c.name), ["us"]);
});
test("what is no table is refused", () => {
  assert.throws(() => readTable(new ArrayBuffer(4)), ApiError);
  assert.throws(() => readTable(new TextEncoder().encode("<html>not a table at all").buffer as ArrayBuffer), /not a table of tfprof/);
});
test("an id and a question of any letters make one part of a path", () => {
  assert.equal(profilePath("a/b?c", "views/op"), "/api/v1/profiles/a%2Fb%3Fc/views/op");
  assert.equal(queryPath("x", "SELECT '&'"), "/api/v1/profiles/x/query?sql=SELECT%20'%26'");
});

test("a refusal has the server's words and its status; one that is no JSON its text", async () => {
  answer({ "/one": refusal("no such column", 400) });
  await assert.rejects(json("/one"), (e: ApiError) => e.message === "no such column" && e.status === 400);
  assert.equal(serverGone.value, false);
});
test("a file that is being read is asked for again, and its progress is told", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told: number[] = [];
  answer({ "/slow": { status: 202, progress: 0.25 } });
  const asked = json("/slow", undefined, (part) => told.push(part));
  await settled();
  answer({ "/slow": { done: 1 } });
  t.mock.timers.tick(200);
  assert.deepEqual([await asked, told, askedFor("/slow").length], [{ done: 1 }, [0.25], 2]);
});
test("a busy server is asked a few times, then its words are shown", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  answer({ "/busy": refusal("too many questions", 503) });
  const asked = json("/busy");
  asked.catch(() => undefined);
  for (let i = 0; i < 20; i++) (await settled(), t.mock.timers.tick(1000));
  await assert.rejects(asked, /too many questions/);
  assert.equal(askedFor("/busy").length, 8);
});
test("a request that is given up while it waits ends at once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  answer({ "/slow": { status: 202, progress: 0 } });
  const stop = new AbortController();
  const asked = json("/slow", stop.signal);
  asked.catch(() => undefined);
  await settled();
  stop.abort();
  await assert.rejects(asked, { name: "AbortError" });
  assert.equal(serverGone.value, false);
});
test("a server that cannot be reached is gone", async () => {
  answer({ "/x": () => Promise.reject(new TypeError("fetch failed")) });
  await assert.rejects(table("/x"), /tfprof serve does not answer/);
  assert.equal(serverGone.value, true);
  serverGone.value = false;
});

test("what a profile has decides what it is", () => {
  const stacks = facts({ nodes: 0, steps: [] }, { trace: false });
  const heap = facts({ nodes: 0, steps: [] }, { trace: false, heap: true, code: false });
  assert.deepEqual([facts(), stacks, heap].map((f) => [hasTimeline(f), isOfStacks(f), isOfHeap(f)]), [[true, false, false], [false, true, false], [false, false, true]]);
  assert.equal(hasTimeline(facts({ steps: [0] }, { trace: false })), true);
});

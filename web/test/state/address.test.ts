// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { START, parseAddress, writeAddress } from "../../src/state/address";

test("an address is read as it was written", () => {
  const state = {
    ...START, profile: "ab12", place: "table" as const, sel: { kind: "kernel" as const, id: "void f<a, b>(int*, 50%)" }, ranks: [0, 3], steps: { from: 5, to: 7 },
    range: { from: 1.5, to: 20 }, view: { from: 0, to: 99.25 }, device: "gpu:0", q: "a b&c=d", by: "kernel", sort: "-total", open: ["a/b,c", "d%e"], pin: ["x"], vs: "cd34@2", more: { at: "12" },
  };
  assert.deepEqual(parseAddress(writeAddress(state)), { state, ignored: [] });
});

test("names in an address stay readable", () => {
  assert.equal(writeAddress({ ...START, profile: "a", place: "table", sel: { kind: "op", id: "aten::mul" } }), "#/p/a/table?sel=op:aten::mul");
});

test("nonsense is ignored, and said", () => {
  const { state, ignored } = parseAddress("#/p/a/table?steps=x&range=9-3&sel=cow:1&ranks=-1&sort=%3Cb%3E&by=op");
  assert.deepEqual({ ...state, by: "", more: {} }, { ...START, profile: "a", place: "table" });
  assert.deepEqual(ignored, ["steps=x", "range=9-3", "sel=cow:1", "ranks=-1", "sort=<b>"]);
});

test("a broken escape is no fault", () => assert.equal(parseAddress("#/p/%E0%A4%A/table").state.profile, "%E0%A4%A"));

test("old addresses lead to the places that have their content", () => {
  for (const [old, place, by] of [["kernel", "table", "kernel"], ["lines", "table", "line"], ["advice", "findings", ""], ["transfer", "table", "transfer"], ["dataflow", "graph", ""], ["query", "more", "query"]]) {
    const { state, ignored } = parseAddress(`#/p/a/${old}`);
    assert.deepEqual([state.place, state.by, ignored], [place, by, []]);
  }
  assert.deepEqual(parseAddress("#/p/a/cow").ignored, ["cow"]);
});

test("sides of an old comparison: the last is shown, the first is compared with", () => {
  const { state } = parseAddress("#/compare?side=a&side=b");
  assert.deepEqual([state.profile, state.place, state.vs], ["b", "compare", "a"]);
});

test("a selected range is the range", () => assert.deepEqual(parseAddress("#/p/a/timeline?sel=range:3-9").state.range, { from: 3, to: 9 }));

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals";
import { again } from "../../src/answers/alive";
import { ApiError } from "../../src/answers/api";
import { BusyContext } from "../../src/answers/busy";
import { useLoaded } from "../../src/answers/load";
import { act } from "preact/test-utils";
import { draw, erase, settled, textOf } from "../drawn";

const busy = signal(0);
type Get = Parameters<typeof useLoaded<string>>[1];
function Asks({ of, get }: { of: string; get: Get }) {
  const { value, error, progress, status, busy: waits } = useLoaded(of, get);
  return <p>{[value ?? "-", error || "-", progress, status ?? "-", waits ? "busy" : "idle"].join(" ")}</p>;
}
const ask = (of: string, get: Get) => textOf(draw(<BusyContext.Provider value={busy}><Asks of={of} get={get} /></BusyContext.Provider>));
const now = () => textOf(document.body);

test("while a request is on its way the region is busy; then it has the value", async () => {
  let done: (v: string) => void = () => undefined;
  assert.equal(ask("a", () => new Promise((ok) => (done = ok))), "- - 0 - busy");
  assert.equal(busy.value, 1);
  done("first");
  await settled();
  assert.deepEqual([now(), busy.value], ["first - 1 - idle", 0]);
});
test("the old value stays until the next one comes, and a late answer to an older question is not shown", async () => {
  const answers: Record<string, (v: string) => void> = {};
  const get = (key: string): Get => (stop) => new Promise((ok) => ((answers[key] = ok), stop.addEventListener("abort", () => (answers[`${key} ended`] = ok))));
  ask("a", get("a"));
  answers.a?.("A");
  await settled();
  assert.equal(ask("b", get("b")), "A - 0 - busy");
  ask("c", get("c"));
  assert.ok(answers["b ended"]);
  answers.c?.("C");
  answers.b?.("B, late");
  await settled();
  assert.deepEqual([now(), busy.value], ["C - 1 - idle", 0]);
});
test("the same question is not asked again when a component is drawn again", async () => {
  let asked = 0;
  const get: Get = () => Promise.resolve(String(++asked));
  ask("a", get), ask("a", get);
  await settled();
  ask("a", get);
  await settled();
  assert.equal(asked, 1);
});
test("an error has its words and status, and is asked again when the server is back", async () => {
  let asked = 0;
  ask("a", () => (++asked === 1 ? Promise.reject(new ApiError("gone", 502)) : Promise.resolve("back")));
  await settled();
  assert.equal(now(), "- gone 0 502 idle");
  act(() => void again.value++);
  await settled();
  assert.deepEqual([now(), asked], ["back - 1 - idle", 2]);
  act(() => void again.value++);
  await settled();
  assert.equal(asked, 2); // what did not fail is not asked again
});
test("progress is told while a file is read", async () => {
  ask("a", (_, progress) => (progress(0.4), new Promise(() => undefined)));
  await settled();
  assert.equal(now(), "- - 0.4 - busy");
  erase();
  assert.equal(busy.value, 0); // what is gone waits for nothing
});

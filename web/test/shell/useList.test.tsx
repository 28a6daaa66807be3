// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { useListVersion } from "../../src/shell/useList";
import { erase, settled, shown, textOf } from "../drawn";
import { answer, askedFor } from "../server";

function Version() {
  return <p>{useListVersion()}</p>;
}

test("the version follows the server's list, and asks from the version that is known", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  answer({ "/changes": { changed: 5 } });
  const root = await shown(<Version />);
  assert.deepEqual([textOf(root), askedFor("/changes")], ["5", ["/api/v1/changes?since=0"]]);
  answer({ "/changes": { changed: 6 } });
  t.mock.timers.tick(499);
  assert.equal(askedFor("/changes").length, 1);
  t.mock.timers.tick(1);
  await settled();
  assert.deepEqual([textOf(root), askedFor("/changes")[1]], ["6", "/api/v1/changes?since=5"]);
});
test("a list that cannot be had is asked for again after a longer pause", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  answer({ "/changes": () => Promise.reject(new DOMException("x", "AbortError")) });
  const root = await shown(<Version />);
  t.mock.timers.tick(2999);
  assert.equal(askedFor("/changes").length, 1);
  answer({ "/changes": { changed: 2 } });
  t.mock.timers.tick(1);
  await settled();
  assert.equal(textOf(root), "2");
});
test("a page that is hidden asks nothing, and one that is gone no more", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  answer({ "/changes": { changed: 1 } });
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  await shown(<Version />);
  assert.equal(askedFor("/changes").length, 0);
  Object.defineProperty(document, "hidden", { value: false, configurable: true });
  t.mock.timers.tick(3000);
  await settled();
  assert.equal(askedFor("/changes").length, 1);
  erase();
  t.mock.timers.tick(60_000);
  await settled();
  assert.equal(askedFor("/changes").length, 1);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { App } from "../../src/shell/App";
import { range, sel } from "../../src/state/store";
import { all, click, one, press, shown, textOf } from "../drawn";
import { begin } from "../page";
import { ALL_TABLES } from "../profile";
import { answer, refusal } from "../server";

const app = (hash: string) => (begin(hash), shown(<App />));

test("without a profile the list of profiles is shown, with its title", async () => {
  await app("#/");
  assert.deepEqual([one("main").dataset.place, document.title, document.body.dataset.shape], ["profiles", "Profiles · tfprof", "list"]);
});
test("jobs are shown only by a server of jobs; another one has its profiles there", async () => {
  await app("#/jobs");
  assert.equal(one("main").dataset.place, "profiles");
  answer({ "/tables$": { ...ALL_TABLES, live: true }, "/live": { token: "", folder: "", commands: true, recordings: [] }, "/live/jobs": { rows: [] } });
  await shown(<div key="other"><App /></div>);
  assert.equal(one("main").dataset.place, "jobs");
});
test("Escape gives up the selection first, then the range", async () => {
  await app("#/p/a1/findings?sel=op:aten::mm&range=1000-2000");
  press("Escape");
  assert.deepEqual([sel.value, range.value], [null, { from: 1000, to: 2000 }]);
  press("Escape");
  assert.equal(range.value, null);
});
test("the first stop of the Tab key skips to the content", async () => {
  await app("#/p/a1/findings");
  assert.equal(all("a,button")[0]?.textContent, "Skip to the content");
  click(one("a.skip"));
  assert.equal(document.activeElement?.id, "main");
});
test("a server that refuses says why instead of an empty page", async () => {
  answer({ "/tables$": refusal("wrong token", 403) });
  await app("#/");
  assert.equal(textOf(one("[role=alert]")), "wrong token");
});

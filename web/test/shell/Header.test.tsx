// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Header } from "../../src/shell/Header";
import { place, profileId, state } from "../../src/state/store";
import { all, button, click, one, settled, shown, textOf, texts } from "../drawn";
import { begin } from "../page";
import { ALL_TABLES, entry, opened } from "../profile";
import { answer } from "../server";

const LIST = { changed: 1, profiles: [entry(), entry({ id: "b2", name: "old.json.gz", files: ["old.json.gz"], modified: 1 }), entry({ id: "c3", name: "new/rank0.json", files: ["new/rank0.json", "new/rank1.json"], modified: 2e9 })] };
const header = (of = opened()) => (begin("#/p/a1/table?sel=op:aten::mm&ranks=1"), answer({ "/api/v1/profiles$": LIST }), shown(<Header of={of} />));
const menu = async (says: string | RegExp) => (click(button(says)), await settled());

test("the facts in one line: ranks of the job, device with its unit, framework, day", async () => {
  await header();
  assert.equal(textOf(one(".model")), "2 of 4 ranks · A100-SXM4-80 GB · PyTorch 2.8 · 2026-11-01");
});
test("the other profiles are listed, the newest first, ranks by their folder", async () => {
  await header();
  await menu(/^Profile runs/);
  assert.deepEqual(texts("[role=menuitem]"), ["All profiles", "new", "old"]);
  click(one("[role=menuitem]", "old"));
  assert.deepEqual([profileId.value, place.value, state.value.sel], ["b2", "overview", null]);
});
test("Compare with another keeps the profile and makes the other one the side before", async () => {
  await header();
  await menu("Compare with…");
  click(one("[role=menuitem]", "new"));
  assert.deepEqual([profileId.value, place.value, state.value.vs], ["a1", "compare", "c3"]);
});
test("without another profile the menu says so", async () => {
  await header();
  answer({ "/api/v1/profiles$": { changed: 1, profiles: [entry()] } });
  await menu("Compare with…");
  assert.equal(textOf(one("[role=menu]")), "There is no other profile.");
});
test("the theme goes from the system's to light to dark, and is kept", async () => {
  localStorage.removeItem("theme");
  await header();
  const root = document.documentElement.dataset;
  const themes = [root.theme];
  for (let i = 0; i < 3; i++) (click(button("Theme")), themes.push(root.theme));
  assert.deepEqual(themes, ["auto", "light", "dark", "auto"]);
  assert.equal(localStorage.getItem("theme"), "auto");
});
test("a server of jobs and of an index has links to both lists, others have none", async () => {
  begin("#/jobs");
  await shown(<Header of={null} tables={{ ...ALL_TABLES, live: true, index: "/i" }} />);
  assert.deepEqual(all("header > a").map((a) => [textOf(a), a.getAttribute("aria-current")]), [["tfprof", null], ["Runs", null], ["Jobs", "page"]]);
  await shown(<Header of={null} tables={ALL_TABLES} />);
  assert.deepEqual(texts("header > a"), ["tfprof"]);
});

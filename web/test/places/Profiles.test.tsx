// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { ProfilesPlace } from "../../src/places/Profiles";
import { place, profileId, state } from "../../src/state/store";
import { all, button, click, erase, fire, one, shown, textOf, texts, things, until, write } from "../drawn";
import { begin } from "../page";
import { entry } from "../profile";
import { answer, askedFor } from "../server";
import { reals, tableOf, words } from "../tables";

const LIST = [
  entry({ id: "old", name: "old.json", files: ["old.json"], modified: 1e9, bytes: 5 }), entry({ id: "new", name: "job/rank0.json", files: ["job/rank0.json", "job/rank1.json"], modified: 1.8e9 }),
  entry({ id: "bad", name: "bad.pb", files: ["bad.pb"], modified: 1.5e9, state: "failed", error: "cut off", steps: 0 }), entry({ id: "busy", name: "busy.json", files: ["busy.json"], modified: 1.2e9, state: "loading", progress: 0.4 }),
];
const profiles = (list = LIST, notes: string[] = []) => (begin("#/"), erase(), answer({ "/profiles$": { changed: 1, profiles: list, notes } }), shown(<ProfilesPlace />));
const tick = (id: string) => fire(one(`.row[data-id="${id}"] input`), "change");

test("the newest profile stands first, ranks are one row of their folder", async () => {
  await profiles();
  assert.deepEqual([texts(".row a"), textOf(one("h1"))], [["job", "bad", "busy", "old"], "4 profiles"]);
  assert.equal(all('.row [data-column="state"]').length, 4);
  await profiles(LIST.slice(0, 2));
  assert.equal(all('.row [data-column="state"]').length, 0); // a column without news takes no room
});
test("a profile tells the time of a step, its device and its format in words, once it is read", async () => {
  begin("#/"), erase();
  answer({
    "/profiles$": { changed: 1, profiles: LIST.map((p) => ({ ...p, id: `${p.id}2`, state: p.state === "failed" ? p.state : "ready", format: "kineto" })) }, "new2/views/info": { summary: { framework: "PyTorch", devices: "cpu, gpu:0", step_count: 2 }, rows: [] },
    "new2/views/steps": tableOf([words("step", ["1", "2"]), words("device", ["gpu:0", "gpu:0"]), reals("rank", [0, 0]), reals("duration_us", [2000, 3000])]),
    "old2/views/info": { summary: { devices: "cpu" }, rows: [] }, "busy2/views/info": { summary: {}, rows: [] },
  });
  await shown(<ProfilesPlace />);
  await until(() => texts('.row [data-column="device"]')[3] === "cpu");
  assert.deepEqual(["step", "device", "format"].map((c) => texts(`.row [data-column="${c}"]`)), [["2.50 ms", "–", "–", "–"], ["gpu:0", "–", "–", "cpu"], ["PyTorch trace", "trace in JSON", "trace in JSON", "trace in JSON"]]);
  assert.deepEqual(askedFor("bad2/"), []); // it cannot be read
});
test("what is being read says how far, what cannot be read says why", async () => {
  await profiles();
  assert.deepEqual(texts('.row [data-column="state"]'), ["–", "cannot be read: cut off", "being read, 40 %", "–"]);
});
test("a click opens a profile, and gives up what was filtered", async () => {
  await profiles();
  write(one("input[type=search]"), "old");
  assert.deepEqual(things(".row"), ["profile:old"]);
  click(one(".row"));
  assert.deepEqual([profileId.value, place.value, state.value.q], ["old", "overview", ""]);
});
test("two ticks compare: the first is before; a third tick replaces the older one", async () => {
  await profiles();
  assert.match(textOf(one(".bar-line")), /tick two to compare/);
  tick("old");
  assert.match(textOf(one(".bar-line")), /tick one more to compare/);
  tick("bad"), tick("new");
  assert.deepEqual(all("input[type=checkbox]").map((b) => (b as HTMLInputElement).checked), [true, true, false, false]);
  click(button("Compare these two"));
  assert.deepEqual([profileId.value, state.value.vs, place.value], ["new", "bad", "compare"]);
});
test("an empty folder says what to put there", async () => {
  await profiles([], ["1,203 files are no profiles"]);
  assert.deepEqual([texts(".note"), /^No profile was found yet\./.test(textOf(one(".empty")))], [["1,203 files are no profiles"], true]);
});

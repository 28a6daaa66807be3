// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "../../src/state/address";
import { placeInReport, reportPath, saveReport } from "../../src/answers/saving";
import { opened } from "../profile";
import { answer } from "../server";

const at = (hash: string) => parseAddress(hash).state;

test("a report begins at the place, with what is selected, sorted and searched there", () => {
  assert.equal(placeInReport(at("#/p/a/table?by=op&sel=op:mm&sort=-self&q=mm&ranks=1&device=gpu:0&vs=b")), "table?sel=op:mm&q=mm&by=op&sort=-self");
});
test("a range is kept only where the report can show it", () => {
  assert.equal(placeInReport(at("#/p/a/timeline?range=1-9&view=0-20")), "timeline?range=1-9&view=0-20");
  assert.equal(placeInReport(at("#/p/a/memory?range=1-9")), "memory");
});
test("places that a report has not begin at the overview", () => {
  assert.deepEqual(["compare?vs=b", "more?by=query"].map((p) => placeInReport(at(`#/p/a/${p}`))), ["overview", "overview"]);
});
test("one chosen step makes a report of that step, several the mean of all", () => {
  assert.equal(reportPath("a b", at("#/p/x/table?steps=7")), "/api/v1/profiles/a%20b/report?place=table&step=7");
  assert.equal(reportPath("a", at("#/p/x/table?steps=7-9")), "/api/v1/profiles/a/report?place=table");
});
test("the file has the profile's name in letters that every system takes", async (t) => {
  t.mock.method(URL, "createObjectURL", () => "blob:1");
  t.mock.method(globalThis, "setTimeout", () => 0 as never);
  answer({ "/report?": "<html>" });
  const name = async (of: string) => saveReport(opened({ name: of }), at("#/p/a1/table"));
  assert.deepEqual([await name("../runs/größe 1.json"), await name("///"), (await name("x".repeat(300))).length < 120], ["runs_gr_e_1.json.report.html is saved.", "profile.report.html is saved.", true]);
});

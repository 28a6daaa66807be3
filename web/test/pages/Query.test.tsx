// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { MorePlace } from "../../src/places/More";
import { state } from "../../src/state/store";
import { all, button, click, erase, fire, one, press, settled, shown, texts, write } from "../drawn";
import { begin } from "../page";
import { opened } from "../profile";
import { answer, askedFor } from "../server";
import { reals, tableOf, words } from "../tables";

const ANSWER = tableOf([words("name", ["b", "a", "c"]), reals("us", [2, 30, 1], "us")]);
const query = (hash = "#/p/a1/more?by=query") => (begin(hash), erase(), answer({ "/query?sql=": ANSWER }), shown(<MorePlace of={opened()} />));
const names = () => texts(".row .name");

test("an example writes its question and runs it", async () => {
  await query();
  click(button("tables and columns"));
  await settled();
  assert.equal((one("textarea") as HTMLTextAreaElement).value, "SELECT * FROM columns");
  assert.equal(state.value.more.sql, "SELECT * FROM columns");
  assert.equal(askedFor("SELECT * FROM columns").length, 1);
});
test("ctrl and Enter run what is written, Enter alone is a new line", async () => {
  await query();
  write(one("textarea"), "SELECT 1");
  assert.equal(press("Enter", one("textarea")), true);
  assert.equal(askedFor("SELECT 1").length, 0);
  assert.equal(press("Enter", one("textarea"), { ctrlKey: true }), false);
  await settled();
  assert.equal(askedFor("SELECT 1").length, 1);
});
test("an empty question is not asked", async () => {
  await query();
  write(one("textarea"), "  ");
  fire(one("form"), "submit");
  await settled();
  assert.equal(state.value.more.sql, undefined);
});
test("the answer can be sorted by each head, and goes back to its own order", async () => {
  await query("#/p/a1/more?by=query&sql=SELECT+x");
  assert.deepEqual(names(), ["b", "a", "c"]);
  const head = one('[role=columnheader][data-column="us"] button');
  click(head);
  await settled();
  assert.deepEqual([names(), one('[data-column="us"]').getAttribute("aria-sort")], [["a", "b", "c"], "descending"]);
  click(one('[role=columnheader][data-column="us"] button'));
  await settled();
  assert.deepEqual(names(), ["c", "b", "a"]);
  click(one('[role=columnheader][data-column="us"] button'));
  await settled();
  assert.deepEqual(names(), ["b", "a", "c"]);
});
test("the same question on the command line is one line, its files behind it", async () => {
  await query("#/p/a1/more?by=query&sql=SELECT+1%0AFROM+x");
  assert.deepEqual(texts(".commandline code"), ["tfprof query 'SELECT 1 FROM x' runs/ddp.json"]);
  assert.deepEqual(all(".saves a").map((a) => [a.textContent, a.getAttribute("download")]), [["text", "query.txt"], ["CSV", "query.csv"], ["JSON", "query.json"]]);
});
test("only what the profile has is offered beside", async () => {
  await query();
  assert.deepEqual(texts(".more-choice button"), ["SQL", "Float operations", "Source", "Command line"]);
});

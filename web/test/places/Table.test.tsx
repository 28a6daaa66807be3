// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { TablePlace } from "../../src/places/Table";
import { state } from "../../src/state/store";
import { all, button, click, erase, one, settled, shown, textOf, texts, things } from "../drawn";
import { begin, copied } from "../page";
import { LINES, facts, opened } from "../profile";
import { answer, asked, askedFor, refusal } from "../server";
import { reals, tableOf, words } from "../tables";

const table = (hash: string, of = opened()) => (begin(hash), erase(), shown(<TablePlace of={of} />));
const rows = () => things(".row");

test("ops by the device time of what they launched; shares are of it, and what they are of is said", async () => {
  await table("#/p/a1/table?by=op");
  assert.deepEqual(rows(), ["op:aten::mm", "op:c10d::allreduce", "op:(no op)"]);
  assert.deepEqual(texts('.row [data-column="share"]'), ["75.0 %", "12.5 %", "12.5 %"]);
  assert.match(textOf(one(".says")), /^shares are of 800 ms of device time; the host is in ops for 120 ms$/);
});
test("the tables that the profile has can be chosen; another one gives up order and opened rows", async () => {
  await table("#/p/a1/table?by=scope&sort=-host&open=net");
  assert.deepEqual(texts("nav a"), ["ops", "kernels", "scopes", "lines", "calls", "transfers", "waits"]);
  const kernels = one("nav a", /kernel/i);
  assert.equal(kernels.getAttribute("href"), "#/p/a1/table?by=kernel");
  assert.equal(one('nav a[aria-current="true"]').textContent?.toLowerCase().includes("scope"), true);
});
test("opened scopes stay open in the address", async () => {
  await table("#/p/a1/table?by=scope");
  assert.deepEqual(rows(), ["scope:net", "scope:loss"]);
  click(one('.row[data-id="net"] .twist'));
  assert.deepEqual([state.value.open, rows()], [["net"], ["scope:net", "scope:net/layer1", "scope:loss"]]);
});
test("ranks and device are asked of the server, one step as a step, several as their time", async () => {
  await table("#/p/a1/table?by=op&ranks=1&device=gpu:1&steps=2");
  assert.match(askedFor("views/op")[0] ?? "", /&ranks=1&device=gpu%3A1&step=2$/);
  await table("#/p/a1/table?by=op&steps=1-2");
  assert.match(askedFor("views/op")[1] ?? "", /&range=1000:201000$/);
});
test("a search leaves rows out", async () => {
  await table("#/p/a1/table?by=op&q=ALLRED");
  assert.deepEqual(rows(), ["op:c10d::allreduce"]);
});
test("more columns by the menu, kept in the address; the command line that gives the same", async () => {
  await table("#/p/a1/table?by=kernel&steps=2");
  assert.equal(all('[role=columnheader][data-column="min"]').length, 0);
  click(button("More actions"));
  click(one("[role=menuitemcheckbox]", "Column min"));
  assert.deepEqual([state.value.more.columns, all('[role=columnheader][data-column="min"]').length], ["min", 1]);
  assert.equal(one("[role=menuitem]", "Save as CSV").getAttribute("href"), asked.find((p) => p.includes("views/kernel"))?.replace("format=columns", "format=csv"));
  click(one("[role=menuitem]", /^Copy the command line/));
  assert.deepEqual(copied, ["tfprof kernel runs/ddp.json -step 2"]);
});
test("an empty table says how to record what it is of", async () => {
  answer({ "views/lines": { ...LINES, ...tableOf([words("line", []), reals("self_us", [])]) } });
  await table("#/p/a1/table?by=line");
  assert.match(textOf(one(".empty")), /^No lines were recorded\. PyTorch: profile\(with_stack=True\)/);
});
test("what the profile lacks is no fault, what the server cannot do is one", async () => {
  answer({ "views/op": refusal("no times here", 400) });
  await table("#/p/a1/table?by=op");
  assert.deepEqual([textOf(one(".empty")), all("[role=alert]").length], ["no times here", 0]);
  answer({ "views/scope": refusal("out of memory", 500) });
  await table("#/p/a1/table?by=scope");
  assert.match(textOf(one("[role=alert]")), /out of memory/);
});
test("a profile without the asked table has another one", async () => {
  await table("#/p/a1/table?by=kernel", opened({ facts: facts({}, { times: false, trace: false }) }));
  assert.match(textOf(one("h1")), /^Table by op/);
  await settled();
});

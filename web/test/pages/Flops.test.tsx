// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Flops } from "../../src/pages/Flops";
import { parseRoute } from "../../src/state/route";
import { all, draw, fire, one, settled, textOf, texts, write } from "../drawn";
import { address, begin } from "../page";
import { ALL_TABLES } from "../profile";
import { answer, askedFor, refusal } from "../server";
import { reals, tableOf, words } from "../tables";

const tables = { ...ALL_TABLES, options: [{ name: "assume_batch", help: "the size of a batch" }] } as unknown as typeof ALL_TABLES;
async function flops(hash = "#/p/a1/flops") {
  begin(hash);
  answer({
    "format=text": "note: a shape is missing\n\nfloat operations  7.69 G\nof them counted   99 %\n\nrest",
    "format=columns": tableOf([words("op", ["MatMul", "Add"]), reals("float_ops", [7e9, 6e8])], { notes: ["a shape is missing"] }),
  });
  draw(<Flops route={parseRoute(address())} files={["net.pb"]} tables={tables} />);
  await settled();
}

test("the facts of the command stand above its table, the note once", async () => {
  await flops();
  assert.deepEqual(texts("dl.fact-lines > div"), ["float operations7.69 G", "of them counted99 %"]);
  assert.deepEqual(texts(".note"), ["a shape is missing"]);
  assert.match(textOf(one("table, [role=treegrid], [role=grid]")), /MatMul.*Add/);
});
test("what is assumed goes into the address and with the question, and its help is the option's", async () => {
  await flops();
  assert.equal((one("#assume_batch").dataset.hint ?? ""), "the size of a batch");
  write(one("#assume_batch"), " 32 ", "change");
  assert.match(address(), /assume_batch=32/);
  await flops(address());
  assert.equal(askedFor("views/flops?assume_batch=32&format=columns").length, 1);
  assert.equal((one("#assume_batch") as HTMLInputElement).value, "32");
});
test("a row for each node is asked for by its box, and taken back", async () => {
  await flops();
  const box = (checked: boolean) => (((one('input[type="checkbox"]') as HTMLInputElement).checked = checked), fire(one('input[type="checkbox"]'), "change"));
  box(true);
  assert.match(address(), /nodes=true/);
  await flops(address());
  assert.ok(askedFor("nodes=true").length > 0);
  box(false);
  assert.doesNotMatch(address(), /nodes=/);
});
test("a refusal is shown instead of the table", async () => {
  begin("#/p/a1/flops");
  answer({ "views/flops": refusal("no shapes are known", 422) });
  draw(<Flops route={parseRoute(address())} files={["net.pb"]} tables={tables} />);
  await settled();
  assert.match(textOf(one("section.old")), /no shapes are known/);
  assert.equal(all(".fact-lines").length, 0);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellText, json, table } from "../../src/answers/api";
import type { Column } from "../../src/answers/api";
import { filterParams, queryRows } from "../../src/answers/data";
import { embeddedColumns, embeddedParts, embeddedSteps, isReport, selectedBy, whyNot } from "../../src/answers/embedded";
import { asked } from "../server";
import { LONG } from "./begin";

const one = "/api/v1/profiles/a1";

test("a report answers from itself, and asks no server", async () => {
  assert.equal(isReport, true);
  const { profiles } = await json<{ profiles: { id: string }[] }>("/api/v1/profiles");
  assert.deepEqual([profiles.map((p) => p.id), asked], [["a1"], []]);
});
test("a view is found whatever the order of its parameters, its columns and their order", async () => {
  for (const query of ["format=columns&max_depth=100000", "max_depth=100000&select=cpu_micros&order_by=name&format=columns", "max_depth=100000&format=columns&device="]) {
    const t = await table(`${one}/views/op?${query}`);
    assert.deepEqual([t.rows, cellText(t.columns[0] as Column, 1)], [4, "aten::mm"], query);
  }
});
test("columns that were worked out apart join those of the file, with the notes of both", async () => {
  const t = await table(`${one}/views/op?float_ops_source=own&max_depth=100000&select=cpu_micros,float_ops&format=columns`);
  assert.deepEqual([t.column("float_ops")?.values[1], t.column("cpu_micros")?.values[1], t.notes], [7, 3e4, ["worked out"]]);
  assert.equal(t.columns.filter((c) => c.name === "name").length, 1);
});
test("a long table whose bytes stand by their place in a number is read as it was", async () => {
  const t = await table(`${one}/leaves?format=columns`);
  const same = (name: string) => t.column(name)?.values.every((v, i) => v === LONG.column(name)?.values[i]);
  assert.deepEqual([t.rows, same("n"), t.column("n")?.values.at(-1), same("name"), t.column("name")?.texts], [20_000, true, 13_748.75, true, ["first", "other"]]);
});
test("what it does not hold says where to see it; what had no room says that", async () => {
  await assert.rejects(table(`${one}/views/scope?format=columns`), /This report does not hold it; tfprof serve FILE shows it\./);
  await assert.rejects(table(`${one}/views/lines?format=columns`), /The lines had no room in this report\./);
  assert.equal(whyNot(embeddedParts(`${one}/views/kernel?format=columns`)), "");
});
test("other parameters are another question, which it has not", () => {
  assert.equal(embeddedParts(`${one}/views/op?format=columns&max_depth=100000&step=2`), null);
  assert.equal(embeddedParts(`${one}/views/op?format=columns&max_depth=100000&select=tensor_value`), null);
});
test("questions in SQL have no answer", async () => {
  await assert.rejects(queryRows("a1", "SELECT 1"), /does not hold it/);
});
test("columns that belong to one option are selected by it", () =>
  assert.deepEqual(["runs", "total_runs", "tensor_shape", "total_cpu_micros", "cpu_micros"].map(selectedBy), ["occurrence", "occurrence", "tensor_value", "cpu_micros", "cpu_micros"]));
test("it knows which columns and answers it holds, and its one step", () => {
  assert.deepEqual([embeddedColumns().sort(), embeddedSteps([4, 5, 6])], [["accelerator_micros", "bytes", "cpu_micros", "float_ops", "occurrence", "params"], [4]]);
});
test("a report holds all ranks and devices together: filters of a place ask for nothing else", () => {
  assert.equal(filterParams({ ranks: [1], device: "gpu:0", steps: null, range: null }, new Map()), "");
});

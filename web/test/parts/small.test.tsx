// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../src/answers/api";
import { Boundary } from "../../src/parts/Boundary";
import { CommandLine } from "../../src/parts/CommandLine";
import { FactLines, firstPart } from "../../src/parts/FactLines";
import { Highlighted } from "../../src/parts/Highlighted";
import { ScopeName } from "../../src/parts/ScopeName";
import { Status } from "../../src/parts/Status";
import type { Loaded } from "../../src/answers/load";
import { all, button, click, draw, one, pairs, settled, textOf, texts } from "../drawn";
import { copied } from "../page";

test("Boundary: a fault stays in its region, and it can be tried again", (t) => {
  t.mock.method(console, "error", () => undefined);
  let broken = true;
  const Part = () => {
    if (broken) throw new Error("no column name");
    return <p>drawn</p>;
  };
  draw(<><Boundary what="Table"><Part /></Boundary><p>beside</p></>);
  assert.deepEqual([textOf(one("[role=alert]")), texts("p")], ["Table cannot be drawn. no column name Try again", ["beside"]]);
  broken = false;
  click(button("Try again"));
  assert.deepEqual(texts("p"), ["drawn", "beside"]);
});

const loaded = (more: Partial<Loaded<string>>): Loaded<string> => ({ value: undefined, error: "", progress: 0, busy: false, ...more });
const status = (of: Loaded<string>, more: object = {}) => textOf(draw(<Status of={of} {...more}>{(v) => <b>{v}</b>}</Status>));
test("Status: progress, then the content; calm keeps the old one meanwhile", () => {
  assert.equal(status(loaded({ busy: true, progress: 0.42 })), "reading the file: 42 %");
  assert.equal(status(loaded({ value: "old", busy: true }), { calm: true }), "old");
  assert.equal(all("progress").length, 0);
  status(loaded({ value: "old", busy: true }));
  assert.equal(all("progress").length, 1);
});
test("Status: what a profile lacks is told, a fault is an alert", () => {
  assert.equal(status(loaded({ error: "no times", status: 400 }), { missing: true }), "no times");
  assert.equal(all("[role=alert]").length, 0);
  assert.equal(status(loaded({ error: "no times", status: 400 })), "That did not work. no times");
  assert.equal(status(loaded({ error: new ApiError("x", 500).message, status: 500 }), { missing: true }), "That did not work. x");
});

test("CommandLine: the line is what a shell takes, and copying says that it did", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  draw(<CommandLine words={["tfprof", "query", "SELECT 1", "a b.json"]} />);
  click(button("copy the command line"));
  await settled();
  assert.deepEqual([copied, textOf(one("[role=status]"))], [["tfprof query 'SELECT 1' 'a b.json'"], "Copied"]);
  t.mock.timers.tick(2000);
  await settled();
  assert.equal(textOf(one("[role=status]")), "");
});
test("CommandLine: a browser that does not let it copy says so", async (t) => {
  t.mock.method(navigator.clipboard, "writeText", () => Promise.reject(new Error("no")));
  draw(<CommandLine words={["tfprof"]} />);
  click(button("copy the command line"));
  await settled();
  assert.equal(textOf(one("[role=status]")), "Select it by hand");
});

test("FactLines: labels and values of the head; notes before it and the table behind it are not in it", () => {
  const [lines, rest] = firstPart("note: a note\n\nfloat ops   7.69G  in all\nbatch  32\n\nname  count\nmm  3");
  draw(<FactLines lines={lines} />);
  assert.deepEqual([pairs(), rest], [[["float ops", "7.69G in all"], ["batch", "32"]], "name  count\nmm  3"]);
});
test("Highlighted: lines have their numbers, and the one that is meant is marked", () => {
  draw(<Highlighted lines={["def f():", "  return 1"]} first={15} now={16} />);
  assert.deepEqual([texts(".number"), textOf(one(".now")), texts(".py-keyword")], [["15", "16"], "16 return 1", ["def", "return"]]);
});
test("ScopeName: the last three parts are shown, the whole path is in the tip and selects it", () => {
  draw(<ScopeName path="model/encoder/layer1/mm" />);
  assert.deepEqual([textOf(one("a")), (one("a").dataset.hint ?? ""), one("a").dataset.id], ["… › encoder › layer1 › mm", "model › encoder › layer1 › mm", "model/encoder/layer1/mm"]);
});

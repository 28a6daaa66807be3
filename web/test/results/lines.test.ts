// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, startOf } from "../../src/results/lines";
import { reals, tableOf, words } from "../tables";

const rows: [name: string, file: string, self: number, total: number, gradient: number, runs: number][] = [
  ["a.py:9:step", "/home/me/a.py", 5, 15, 3, 3],
  ["a.py:4:<lambda>", "/home/me/a.py", 10, 10, 0, 2],
  ["a.py:4:apply", "/home/me/a.py", 1, 11, 0, 1],
  ["/home/me/b.py:77:f", "/home/me/b.py", 100, 115, 0, 4],
  ["other.py:12:f", "/home/me/a.py", 7, 7, 0, 1], // not the file's line
];
const t = tableOf([
  words("line", rows.map((r) => r[0])), words("file", rows.map((r) => r[1])), reals("self_us", rows.map((r) => r[2])), reals("total_us", rows.map((r) => r[3])),
  reals("gradient_us", rows.map((r) => r[4])), reals("runs", rows.map((r) => r[5])),
]);

test("files stand by what their own lines cost", () => assert.deepEqual(filesOf(t).map((f) => [f.name, f.own]), [["/home/me/b.py", 100], ["/home/me/a.py", 16]]));
test("functions of one line are one line, and no time of it counts twice", () => {
  const a = filesOf(t)[1];
  assert.deepEqual(a?.lines.get(4), { micros: 11, own: 11, gradient: 0, runs: 3 });
  assert.deepEqual(a?.lines.get(9), { micros: 15, own: 5, gradient: 3, runs: 3 });
  assert.equal(a?.lines.has(12), false);
});
test("the text begins at the most expensive line", () => assert.equal(startOf(filesOf(t)[1] as Parameters<typeof startOf>[0]), 4));
test("without lines there are no files", () => assert.deepEqual(filesOf(tableOf([words("line", [])])), []));

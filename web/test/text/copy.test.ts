// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsAsCsv, rowsAsText } from "../../src/text/copy";
import { reals, tableOf, words } from "../tables";

const t = tableOf([words("name", ['say "a, b"', "plain", "two\nlines"]), reals("us", [1234.5678, null, 7], "us"), words("op", ["mm", "copy", ""])]);
const columns = t.columns.slice(1);

test("CSV has every digit, empty cells for what is absent, and quotes what would end a cell", () =>
  assert.equal(rowsAsCsv(t, columns, [0, 1, 2]), 'name,us,op\n"say ""a, b""",1234.5678,mm\nplain,,copy\n"two\nlines",7,\n'));
test("only the shown rows are copied, in their order", () => {
  assert.equal(rowsAsCsv(t, [], [1, 0]), 'name\nplain\n"say ""a, b"""\n');
});
test("text has the numbers of the page in columns, and shows how deep a row stands", () => {
  const lines = rowsAsText(t, columns, [1, 0], [1, 0, 0]).replaceAll("\u00a0", " ").split("\n");
  assert.deepEqual(lines, ["name               us  op", "plain               -  copy", '  say "a, b"  1.23 ms  mm', ""]);
});
test("a table without columns is empty text", () => assert.deepEqual([rowsAsCsv(tableOf([]), [], []), rowsAsText(tableOf([]), [], [], [])], ["", ""]));

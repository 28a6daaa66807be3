// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { besidesOf, commandWords, optionWords, quoteWord } from "../../src/text/command";

test("a word is quoted for a shell only where it must be", () => {
  assert.deepEqual(["runs/a.json", "a b", "it's", "", "$HOME", "x=1,2"].map(quoteWord), ["runs/a.json", "'a b'", "'it'\\''s'", "''", "'$HOME'", "x=1,2"]);
});
test("parameters are options; what is on has no value", () => {
  assert.deepEqual(optionWords(new URLSearchParams("select=micros&critical_path=true&step=3")), ["-select", "micros", "-critical_path", "-step", "3"]);
});
test("patterns of one filter are one option, and a comma in them is no separator", () => {
  assert.deepEqual(optionWords(new URLSearchParams([["show_name_regexes", "a,b"], ["show_name_regexes", "c"]])), ["-show_name_regexes", "a\\x2cb,c"]);
  assert.deepEqual(optionWords(new URLSearchParams([["show_name_regexes", "a,b"]])), ["-show_name_regexes", "a,b"]);
});
test("a command has its files before its options", () => {
  assert.deepEqual(commandWords("op", ["a.json", "b.json"], new URLSearchParams("step=1")), ["tfprof", "op", "a.json", "b.json", "-step", "1"]);
});
test("what only the page does is said beside the command", () => {
  assert.deepEqual([besidesOf(true, true), besidesOf(false, true), besidesOf(false, false)], ["sorted and searched on the page only", "searched on the page only", ""]);
});

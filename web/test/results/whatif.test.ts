// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { fasterOf, optionOf, parameterOf, patternOf, plainRefusal, sentenceOf } from "../../src/results/whatif";

test("a change is a parameter, words of a command, and a sentence", () => {
  assert.equal(parameterOf("faster rank:1/host:a b.*=1.5"), "faster=rank%3A1%2Fhost%3Aa%20b.*%3D1.5");
  assert.equal(parameterOf("no-sync"), "no_sync=true");
  assert.deepEqual(["nonsense", "no-sync 1", "faster", ""].map(parameterOf), ["", "", "", ""]);
  assert.deepEqual(optionOf("link comm=2x"), ["-link", "comm=2x"]);
  assert.equal(sentenceOf("faster a\\.b\\(c\\)=2"), "a.b(c) takes half of its time");
  assert.equal(sentenceOf("faster rank:3/host:load=0"), "Host code inside of load takes no time on rank 3");
  assert.equal(sentenceOf("faster copy-done(\\.[0-9]+)?=2"), "copy-done with any number takes half of its time");
  assert.equal(sentenceOf("overlap comm"), "Nothing but collectives waits for collectives");
  assert.equal(sentenceOf("link 2x"), "link 2x");
  assert.equal(sentenceOf("fuse all"), "Each chain of kernels is one kernel");
  assert.equal(parameterOf("ideal device"), "ideal=device");
});
test("a name as a pattern comes back as the name", () => {
  const name = "void f<int, 4>(float*, char[2]) | a.b^c$ d+e? {g} \\x=y";
  assert.equal(fasterOf(`faster ${patternOf(name)}=2`)?.name, name);
  assert.equal(fasterOf("faster =2"), null);
  assert.equal(fasterOf("no-sync"), null);
});
test("a refusal is a sentence without the file's name", () => {
  assert.equal(plainRefusal("late.json: the replay is off", ["/x/late.json"]), "The replay is off.");
  assert.equal(plainRefusal("no step", ["/x/late.json"]), "No step.");
});

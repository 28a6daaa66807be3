// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Prompt } from "../../src/pages/Prompt";
import { parseRoute } from "../../src/state/route";
import { all, erase, fire, one, press, settled, shown, textOf, texts, write } from "../drawn";
import { answer, asked, refusal } from "../server";

const prompt = () => (erase(), shown(<Prompt route={parseRoute("#/p/a1/more")} />));
const field = () => one("input") as HTMLInputElement;
const run = async (line: string) => (write(field(), line), fire(one("form"), "submit"), await settled());

test("a command's output and what it says beside it stand below the line; errors are told apart from notes", async () => {
  answer({ "/command?": { output: "node name\n", error: "tfprof: note: shares are of 98 %\ntfprof: option -step: no step 9\n" } });
  await prompt();
  await run("op -step 9");
  assert.equal(asked[asked.length - 1], "/api/v1/command?profile=a1&line=op+-step+9");
  assert.deepEqual([texts(".asked"), texts(".said pre"), texts(".said .s"), texts(".said .fault")], [["tfprof> op -step 9"], ["node name"], ["tfprof: note: shares are of 98 %"], ["tfprof: option -step: no step 9"]]);
  assert.equal(field().value, "");
});
test("a refused command leaves its line and says why", async () => {
  answer({ "/command?": refusal("the page writes no files", 403) });
  await prompt();
  await run("op -output x");
  assert.deepEqual(texts(".said .fault"), ["the page writes no files"]);
});
test("the up key brings back what was run before, the down key goes on again", async () => {
  answer({ "/command?": { output: "", error: "" } });
  await prompt();
  await run("first"), await run("second");
  const after = (key: string) => (press(key, field()), field().value);
  assert.deepEqual(["ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown"].map(after), ["second", "first", "first", "second", ""]);
});
test("an empty line is no command", async () => {
  await prompt();
  await run("   ");
  assert.deepEqual([asked.length, all(".asked").length, textOf(one(".said"))], [0, 0, ""]);
});

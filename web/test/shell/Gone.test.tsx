// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { again, serverGone } from "../../src/answers/alive";
import { json } from "../../src/answers/api";
import { useLoaded } from "../../src/answers/load";
import { Gone } from "../../src/shell/Gone";
import { all, button, click, one, settled, shown, textOf } from "../drawn";
import { answer, asked } from "../server";

const away = () => Promise.reject(new TypeError("fetch failed"));
function Names() {
  const loaded = useLoaded("names", (signal) => json<{ names: string[] }>("/names", signal));
  return <p class="names">{loaded.error || loaded.value?.names.join()}</p>;
}
const page = () => ((serverGone.value = false), shown(<><Gone /><Names /></>));

test("while the server answers there is no alert", async () => {
  answer({ "/names": { names: ["a"] } });
  await page();
  assert.deepEqual([all("[role=alert]").length, textOf(one(".names"))], [0, "a"]);
});
test("a server that is gone is one alert; when it is back, what failed is asked for again", async () => {
  answer({ "/names": away, "/tables": away });
  await page();
  assert.match(textOf(one("[role=alert]")), /^The server does not answer\./);
  assert.equal(textOf(one(".names")), "tfprof serve does not answer");
  click(button("Try again"));
  await settled();
  assert.equal(all("[role=alert]").length, 1);
  const before = again.value;
  answer({ "/names": { names: ["a", "b"] }, "/tables": {} });
  click(button("Try again"));
  await settled();
  assert.deepEqual([all("[role=alert]").length, again.value, textOf(one(".names"))], [0, before + 1, "a,b"]);
});
test("it is tried again by itself now and then, until it answers", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  answer({ "/names": away, "/tables": away });
  await page();
  const tries = () => asked.filter((path) => path.includes("/tables")).length;
  t.mock.timers.tick(3000);
  await settled();
  assert.equal(tries(), 1);
  answer({ "/tables": {}, "/names": { names: [] } });
  t.mock.timers.tick(3000);
  await settled();
  assert.deepEqual([tries(), all("[role=alert]").length], [2, 0]);
  t.mock.timers.tick(9000);
  assert.equal(tries(), 2);
});
test("what is answered by a refusal is no server that is gone", async () => {
  await page(); // no answer: 404
  assert.deepEqual([serverGone.value, textOf(one(".names"))], [false, "no answer to /names"]);
});

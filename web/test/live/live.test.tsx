// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { act } from "preact/test-utils";
import { liveStacks, preparedness, record, useTick } from "../../src/live/live";
import { draw, textOf } from "../drawn";
import { answer, asked, refusal, sent } from "../server";

const wish = { ms: 500, attach: false, align: false, stacks: false };

test("a recording is asked for by POST, with the token in a header and every job by name", async () => {
  answer({ "/live/record": { recording: 3 } });
  assert.equal(await record("secret", ["1@10", "2@20"], { ...wish, attach: true, stacks: true }), 3);
  const last = sent[sent.length - 1];
  assert.deepEqual([last?.method, last?.headers], ["POST", { Authorization: "Bearer secret" }]);
  assert.equal(last?.path, "/api/v1/live/record?job=1%4010&job=2%4020&ms=500&attach=1&stacks=1");
  assert.equal(last?.path.includes("secret"), false);
});
test("a refused recording has the server's words", async () => {
  answer({ "/live/record": refusal("job 1@10 has ended", 409) });
  await assert.rejects(record("t", ["1@10"], wish), /job 1@10 has ended/);
});
test("the name of a job is one part of the path", async () => {
  answer({ "/live/jobs/": { rows: [] } });
  await liveStacks("7@a/b");
  assert.equal(asked[asked.length - 1], "/api/v1/live/jobs/7%40a%2Fb/stacks?seconds=1");
});
test("how a job can be recorded is said in words", () => {
  assert.deepEqual(["agent", "attach", "another user's"].map(preparedness), ["prepared", "not prepared", "refused: another user's"]);
});
test("the tick goes on while the page is seen, and rests while it is hidden", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  function Tick() {
    return <p>{useTick(2000)}</p>;
  }
  const root = draw(<Tick />);
  const wait = (ms: number) => (act(() => t.mock.timers.tick(ms)), textOf(root));
  assert.deepEqual([wait(1999), wait(1), wait(4000)], ["0", "1", "3"]);
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  assert.equal(wait(10_000), "3");
  Object.defineProperty(document, "hidden", { value: false, configurable: true });
  assert.equal(wait(2000), "4");
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "../../src/live/live";
import { LOOKS_MOST, withLook } from "../../src/live/useHistory";

test("the history of a job is its last looks, and ends with the job", () => {
  const job = (name: string, cpu: number | null): Job => ({ job: name, cpu, steps_per_second: null, rss_bytes: 1 }) as Job;
  let history = withLook(new Map(), [job("1@1", 0.5), job("2@1", 1)]);
  history = withLook(history, [job("1@1", null)]);
  assert.deepEqual(history.get("1@1")?.cpu, [0.5, null]);
  assert.equal(history.has("2@1"), false);
  for (let i = 0; i < 2 * LOOKS_MOST; i++) history = withLook(history, [job("1@1", i)]);
  assert.equal(history.get("1@1")?.cpu.length, LOOKS_MOST);
  assert.equal(history.get("1@1")?.cpu.at(-1), 2 * LOOKS_MOST - 1);
});

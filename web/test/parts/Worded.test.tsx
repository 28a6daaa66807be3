// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Worded } from "../../src/parts/Worded";
import { all, draw, textOf } from "../drawn";

test("an option is never broken at its hyphens, other words are plain", () => {
  const text = "a checkpoint (--checkpoint_path), or -step N of a run-time trace";
  assert.equal(textOf(draw(<Worded text={text} />)), text);
  assert.deepEqual(all(".option").map((e) => e.textContent), ["--checkpoint_path", "-step"]);
});

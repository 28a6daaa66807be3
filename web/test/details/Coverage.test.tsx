// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { coverageRows } from "../../src/details/Coverage";

test("coverage names a class, or the reason why there is none, those with a place first", () => {
  const rows = [{ class: "none", reason: "no capture", us: 9 }, { class: "launch", reason: "", us: 1 }, { class: "unique", reason: "", us: 5 }, { class: "none", reason: "no launch", us: 0 }];
  assert.deepEqual(coverageRows(rows.length, (i) => rows[i] ?? { class: "", reason: "", us: 0 }).map((r) => r.word), ["unique", "launch", "no capture"]);
});

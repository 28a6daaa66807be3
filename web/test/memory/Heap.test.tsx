// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { HeapFacts, Segments } from "../../src/memory/Heap";
import { all, shown, texts } from "../drawn";
import { opened } from "../profile";
import { answer } from "../server";
import { reals, tableOf, words } from "../tables";

const segments = tableOf([
  words("device", ["gpu:0", "gpu:1", "gpu:0"]), words("type", ["large", "large", ""]), words("pool", ["0,0", "0,0", "3,1"]), reals("stream", [7, 0, null]), reals("segments", [4, 1, 2]),
  reals("total_bytes", [4e6, 1e6, 2e6]), reals("active_bytes", [3e6, 1e6, 2e6]), reals("free_bytes", [1e6, 0, 0]), reals("largest_free_bytes", [25e4, 0, null]),
]);
const cells = (column: string): string[] => all(`[role="gridcell"][data-column="${column}"]`).map((c) => c.dataset.value ?? "");

test("the facts of a snapshot are the first part of the command's answer", async () => {
  answer({ "by=segment&format=text": "failed allocation  2.00 GB\nfree in pieces     300 MB\n\nsegments follow\n" });
  await shown(<HeapFacts of={opened()} />);
  assert.deepEqual(texts("dl.fact-lines > div"), ["failed allocation2.00 GB", "free in pieces300 MB"]);
});
test("segments are those of the device, by type, stream and pool", async () => {
  answer({ "by=segment&format=columns": segments });
  await shown(<Segments of={opened()} device="gpu:0" />);
  assert.deepEqual(all(".row").map((e) => e.dataset.id), ["large, stream 7", "all, stream 0, pool 3,1"]);
  assert.deepEqual([cells("count"), cells("bytes")], [["4", "2"], ["3000000", "2000000"]]);
});
test("in pieces is what is free outside of the largest piece, and of nothing free there is none", async () => {
  answer({ "by=segment&format=columns": segments });
  await shown(<Segments of={opened()} device="gpu:0" />);
  assert.deepEqual(cells("share").map((v) => v || "absent"), ["0.75", "absent"]);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { LinkedName, LinkedText } from "../../src/parts/Linked";
import { erase, shown, textOf, texts, things } from "../drawn";
import { opened } from "../profile";

const text = (says: string) => (erase(), shown(<LinkedText text={says} of={opened()} />));

test("names of the profile in a sentence are links, everything else stays text", async () => {
  const root = await text("aten::mm waits for ncclAllReduce, not for aten::relu.");
  assert.deepEqual(things(), ["op:aten::mm", "kernel:ncclAllReduce"]);
  assert.equal(textOf(root), "aten::mm waits for AllReduce · nccl, not for aten::relu.");
});
test("a kernel is known without its parameters, and shown by its short name", async () => {
  await text("Most of it is gemm2 or Memcpy HtoD.");
  assert.deepEqual(things(), ["kernel:Memcpy HtoD"]);
});
test("a name inside of a longer word is not that name", async () => {
  await text("aten::mm_out and my_aten::mm are others");
  assert.deepEqual(things(), []);
});
test("a whole name that nothing has stays text", async () => {
  const root = await shown(<><LinkedName name="aten::mm" of={opened()} /> <LinkedName name="none" of={opened()} /></>);
  assert.deepEqual([texts("a"), textOf(root)], [["aten::mm"], "aten::mm none"]);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryPlace } from "../../src/places/Memory";
import { all, choose, one, shown, texts, textOf } from "../drawn";
import { begin } from "../page";
import { facts, opened } from "../profile";
import { answer, askedFor } from "../server";
import { reals, tableOf, words } from "../tables";

const over = tableOf([words("device", ["gpu:0", "gpu:0", "gpu:1", "gpu:1"]), reals("at_us", [0, 2e3, 0, 1e3]), reals("held_bytes", [1e6, 4e6, 2e6, 3e6]), reals("in_use_bytes", [null, null, null, null])]);
const holders = tableOf([words("device", ["gpu:0", "gpu:1"]), words("scope", ["net", "loss"]), reals("bytes", [4e6, 3e6], "bytes"), reals("share", [1, 1]), reals("holders", [2, 1])]);
const place = async (hash = "#/p/a1/memory"): Promise<HTMLElement> => {
  answer({ "by=time": over, "by=scope": holders });
  begin(hash);
  return shown(<MemoryPlace of={opened()} />);
};
const peak = (): (string | undefined)[] => [textOf(one(".bar-line > span:first-child")), one("data").dataset.of, (one("data") as HTMLDataElement).getAttribute("value") ?? ""];
const held = (): string[] => all('[role="row"] [data-kind="scope"], [role="row"][data-kind="scope"]').map((e) => e.dataset.id ?? "");

test("the device that held most comes first; its peak stands for all", async () => {
  await place();
  assert.deepEqual(peak(), ["4.00 MB at the peak, 2.00 ms · gpu:0", "all", "4000000"]);
  assert.deepEqual([...new Set(held())], ["net"]);
});
test("the chosen device has its own curve, peak and holders", async () => {
  await place("#/p/a1/memory?device=gpu:1");
  assert.deepEqual(peak(), ["3.00 MB at the peak, 1.00 ms · gpu:1", "device:gpu:1", "3000000"]);
  assert.deepEqual([...new Set(held())], ["loss"]);
});
test("the names of TensorFlow's devices have a task before the device", async () => {
  answer({ "by=scope": holders, "by=time": tableOf([words("device", ["/job:w/device:gpu:0", "/job:w/device:gpu:1"]), reals("at_us", [0, 1e3]), reals("held_bytes", [4e6, 3e6]), reals("in_use_bytes", [null, null])]) });
  begin("#/p/a1/memory?device=gpu:1");
  await shown(<MemoryPlace of={opened()} />);
  assert.deepEqual(peak(), ["3.00 MB at the peak, 1.00 ms · /job:w/device:gpu:1", "device:/job:w/device:gpu:1", "3000000"]);
});
test("another device can be looked at without a filter, and the number is its own", async () => {
  await place();
  choose(one('select[aria-label="device"]'), "gpu:1");
  assert.deepEqual(peak(), ["3.00 MB at the peak, 1.00 ms · gpu:1", "device:gpu:1", "3000000"]);
});
test("a chosen device without a record of its memory says which have one", async () => {
  await place("#/p/a1/memory?device=gpu:7");
  assert.deepEqual(texts(".empty"), ["Of gpu:7 no memory was recorded; of gpu:0, gpu:1 it was."]);
});
test("a profile without memory asks nothing and says how to record it", async () => {
  await shown(<MemoryPlace of={opened({ facts: facts({}, { memory: false }) })} />);
  assert.match(textOf(one(".empty")), /^No memory was recorded\. PyTorch: profile\(profile_memory=True\)/);
  assert.deepEqual(askedFor("views/memory"), []);
});

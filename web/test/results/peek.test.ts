// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { devicesShown, peekable } from "../../src/results/peek";
import { formatWords } from "../../src/text/formats";
import { entry } from "../profile";

test("the newest are read first, big ones and more than 512 MB not at all", () => {
  const all = Array.from({ length: 12 }, (_, i) => entry({ id: String(i), modified: i, bytes: 60e6 }));
  const ids = (list = all) => peekable(list).map((p) => p.id);
  assert.deepEqual(ids(), ["11", "10", "9", "8", "7", "6", "5", "4"]);
  assert.deepEqual(ids([entry({ id: "big", bytes: 65e6 }), entry({ id: "bad", state: "failed" }), entry({ id: "good", bytes: 1 })]), ["good"]);
});
test("models name the devices; a CPU only where nothing else is", () => {
  assert.deepEqual([devicesShown("A100", "cpu, gpu:0"), devicesShown("", "cpu, gpu:0"), devicesShown("", "cpu"), devicesShown("", "/job:a/replica:0/task:0/device:gpu:1"), devicesShown("", "")], ["A100", "gpu:0", "cpu", "gpu:1", ""]);
});
test("formats are words, traces have the name of their framework", () => {
  assert.deepEqual([formatWords("kineto"), formatWords("kineto", "PyTorch"), formatWords("xplane", "JAX"), formatWords("safetensors", "PyTorch"), formatWords("new_one")], ["trace in JSON", "PyTorch trace", "JAX trace", "safetensors weights", "new one"]);
});

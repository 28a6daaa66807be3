// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawFitting } from "../../src/pictures/canvas";
import { penOn } from "../page";

const drawn = (text: string, room: number): string[] => {
  const pen = penOn({});
  drawFitting(pen, text, 0, 0, room);
  return pen.texts();
};

test("a text that fits is drawn whole, a longer one is cut with a mark", () => {
  assert.deepEqual([drawn("aten::mm", 48), drawn("aten::addmm", 48)], [["aten::mm"], ["aten::…"]]);
});
test("where not even a few letters fit, nothing is drawn", () => {
  assert.deepEqual([drawn("aten::mm", 19), drawn("a", 10), drawn("aten::addmm", 21)], [[], [], []]);
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { SHADES, TONES, paletteOf, readColour } from "../../src/timeline/palette";
import { palette } from "./items";

test("colours of the style are read in long and short form", () => {
  assert.deepEqual([readColour("#ff8000"), readColour(" #fff "), readColour("#000")], [[1, 128 / 255, 0], [1, 1, 1], [0, 0, 0]]);
});
test("each kind has three shades: 0, 12 and 24 % of the text's colour", () => {
  const p = palette(); // text is black
  assert.equal(p.tones.length, TONES);
  assert.deepEqual(p.tones.slice(0, SHADES), ["rgb(0 0 255)", "rgb(0 0 224)", "rgb(0 0 194)"]);
  assert.deepEqual([p.tones[SHADES], p.tones[2 * SHADES]], ["rgb(255 0 0)", "rgb(0 255 0)"]);
});
test("the GPU has the same colours as the canvas", () => {
  const p = palette();
  const asWritten = Array.from({ length: TONES }, (_, i) => `rgb(${[...p.values.subarray(3 * i, 3 * i + 3)].map((v) => Math.round(v * 255)).join(" ")})`);
  assert.deepEqual(asWritten, p.tones);
});
test("a style without a colour leaves grey, not nothing", () => assert.equal(paletteOf({ getPropertyValue: () => "" }).kind.compute, "#888888"));

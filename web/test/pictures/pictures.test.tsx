// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Picture } from "../../src/pictures/pictures";
import { usePicture } from "../../src/pictures/pictures";
import { draw, erase } from "../drawn";

const told = (globalThis as unknown as { tfprof: { version: number; pictures: Record<string, Picture | undefined> } }).tfprof;
const picture = (): Picture => ({ element: document.body, marks: () => [], view: () => ({ from: 0, to: 1 }), frames: () => [] });
function Shows({ of }: { of: Picture | null }) {
  usePicture("flame", () => of, [of]);
  return null;
}

test("a picture is told to tools while it is shown", () => {
  const one = picture();
  draw(<Shows of={one} />);
  assert.deepEqual([told.version, told.pictures.flame === one], [1, true]);
  erase();
  assert.equal("flame" in told.pictures, false);
});
test("a picture that has nothing to show yet is none, and the next one replaces it", () => {
  draw(<Shows of={null} />);
  assert.equal(told.pictures.flame, undefined);
  const two = picture();
  draw(<Shows of={two} />);
  assert.equal(told.pictures.flame, two);
});
test("an old picture that goes does not take its successor with it", () => {
  const [old, next] = [picture(), picture()];
  draw(<><Shows key="old" of={old} /><Shows key="new" of={next} /></>);
  draw(<><Shows key="new" of={next} /></>);
  assert.equal(told.pictures.flame, next);
});
test("tools can read, not change what the page is", () => assert.throws(() => Object.assign(told, { version: 2 }), TypeError));

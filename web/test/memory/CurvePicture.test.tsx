// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { CurvePicture } from "../../src/memory/CurvePicture";
import { fire, one, press, shown } from "../drawn";

const curve = { device: "gpu:0", at: [0, 500, 1000], held: [1, 9, 2], reserved: [], peak: 1 };
const picture = async (at = 500) => {
  const asked: (number | null)[] = [];
  await shown(<CurvePicture curve={curve} at={at} range={null} onAt={(us) => asked.push(us)} onRange={(r) => asked.push(r.from, r.to)} />);
  return asked;
};
const point = (what: "down" | "move" | "up", x: number) => fire(one("[role=application]"), `pointer${what}`, { offsetX: x, button: 0, pointerId: 1 });

test("a click asks for the time under the pointer, beside the axis for the first one", async () => {
  const asked = await picture();
  for (const x of [64, 64 + 1132 / 2, 1196, 3]) point("down", x), point("up", x);
  assert.deepEqual(asked, [0, 500, 1000, 0]);
});
test("keys move by a hundredth and stay within the recording", async () => {
  const asked = await picture();
  press("ArrowRight", one("[role=application]")), press("ArrowLeft", one("[role=application]")), press("x", one("[role=application]"));
  assert.deepEqual(asked, [510, 490]);
  const last = await picture(1000);
  press("ArrowRight", one("[role=application]"));
  assert.deepEqual(last, [1000]);
});
test("a drag to either side is a range, within the recording; keys with shift make one too", async () => {
  const asked = await picture();
  point("down", 64 + 1132 / 2), point("move", 64 + 1132 / 4), point("up", 64 + 1132 / 4);
  point("down", 64 + 1132 / 2), point("move", 5000), point("up", 5000);
  press("ArrowRight", one("[role=application]"), { shiftKey: true });
  assert.deepEqual(asked, [250, 500, 500, 1000, 500, 510]);
});
test("tools are told where the peak is", async () => {
  await picture();
  const { memory } = (globalThis as unknown as { tfprof: { pictures: { memory: { marks: () => { kind: string; id: string; x: number }[]; view: () => object } } } }).tfprof.pictures;
  assert.deepEqual([memory.marks().map((m) => [m.kind, m.id, m.x]), memory.view()], [[["peak", "500", 64 + 1132 / 2]], { from: 0, to: 1000 }]);
});

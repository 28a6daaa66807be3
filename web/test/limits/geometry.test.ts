// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf, labelsOf, marksOf, pointsOf, radiusOf, roofsOf, slopeOf, xOf, yOf } from "../../src/limits/geometry";
import { isOfLayer, peaksOf } from "../../src/results/limits";
import { ROWS, SUMMARY, row } from "./rows";

const roofs = roofsOf(peaksOf(SUMMARY.peak_flops), ["bf16"]);
const points = pointsOf(ROWS);
const frame = frameOf(points, roofs, 3.35e12, 600, 280);

test("types with one peak are one roof; of the others only fp32 and the types of the products are drawn", () => {
  assert.deepEqual(roofs, [{ name: "bf16", flops: 9.895e14 }, { name: "fp32", flops: 6.7e13 }]);
  assert.deepEqual(roofsOf(peaksOf(SUMMARY.peak_flops), ["bf16", "fp16"]).map((r) => r.name), ["fp16, bf16", "fp32"]);
});
test("the name of a roof close below another stands below its line", () => assert.deepEqual(roofsOf([{ type: "bf16", flops: 9.9e14 }, { type: "tf32", flops: 4.9e14 }], ["bf16", "tf32"]).map((r) => r.below), [undefined, true]));
test("a row with float operations and bytes is a point, by its rate in judged time", () => {
  assert.deepEqual(points.map((p) => [p.row.name, +p.intensity.toPrecision(4), +p.flops.toPrecision(4)]), [["aten::mm", 1475, 5.9e14], ["aten::mul", 0.625, 1.429e12]]);
});
test("every point, and the corner of slope and roof, lies in the frame; a point below its roof lies below the line", () => {
  for (const p of points) assert.ok(xOf(frame, p.intensity) >= frame.left && xOf(frame, p.intensity) <= frame.right && yOf(frame, p.flops) >= frame.top && yOf(frame, p.flops) <= frame.bottom);
  const slope = slopeOf(frame, 3.35e12, 9.895e14);
  assert.ok(Math.abs(slope.x2 - xOf(frame, 9.895e14 / 3.35e12)) < 1e-6 && Math.abs(slope.y2 - yOf(frame, 9.895e14)) < 1e-6);
  assert.ok(slope.x1 >= frame.left - 1e-6 && slope.y1 <= frame.bottom + 1e-6);
  assert.ok(yOf(frame, points[1]?.flops ?? 0) > yOf(frame, (points[1]?.intensity ?? 0) * 3.35e12));
});
test("marks are powers of ten, and fewer on a long axis", () => {
  assert.deepEqual(marksOf({ from: -1, to: 2 }), [0.1, 1, 10, 100]);
  assert.deepEqual(marksOf({ from: 8, to: 15.1 }), [1e8, 1e10, 1e12, 1e14]);
});
test("names of points do not lie on each other, and stay in the frame", () => {
  const same = pointsOf([row(), row({ name: "aten::bmm", share: 0.4 })]);
  assert.deepEqual(labelsOf(frame, same, (r) => r.name).map((l) => l.text), ["aten::mm"]);
  const far = labelsOf(frame, points, () => "a name that is much too long for the right side of the frame");
  assert.ok(far.every((l) => !l.end || l.x <= frame.right));
});
test("the area of a point tells its share", () => assert.ok(Math.abs((radiusOf(0.4) - 3) / (radiusOf(0.1) - 3) - 2) < 1e-9));
test("modules of a layer differ in numbers only", () => {
  assert.deepEqual(["Net_0/Layer_12/Norm_7", "Net_0/Layer_12", "Net_0/Layer_a/Norm_7"].map((m) => isOfLayer(m, "Net_*/Layer_*/Norm_*")), [true, false, false]);
  assert.ok(isOfLayer("Net_0", "Net_0"));
});

// SPDX-License-Identifier: Apache-2.0
// The roofline on logarithmic axes: where points, roofs and marks of the axes lie. No DOM here.
import type { LimitRow } from "../results/limits";
import { rate } from "./content";

export interface Point {
  row: LimitRow;
  intensity: number; // float operations a byte
  flops: number; // a second
  share: number; // of the device's time
}

export interface Peak {
  name: string; // "bf16", or several types with one peak: "fp16, bf16"
  flops: number;
  below?: boolean; // its name stands below its line, because another one is close above
}

const CLOSE = 3; // times: the names of two roofs would lie on each other
const MOST = 24; // points: the others are too small to be seen

export function pointsOf(rows: LimitRow[]): Point[] {
  const all = rows.map((row): Point => ({ row, intensity: row.bytes_moved > 0 ? row.float_ops / row.bytes_moved : 0, flops: rate(row.float_ops, row) ?? 0, share: row.share ?? 0 }));
  return all.filter((p) => p.intensity > 0 && p.flops > 0).sort((a, b) => b.share - a.share).slice(0, MOST);
}

/** Types with the same peak are one roof. */
export function roofsOf(peaks: { type: string; flops: number }[], types: string[]): Peak[] {
  const found = new Map<number, string[]>();
  for (const p of peaks) if (p.type === "fp32" || types.includes(p.type)) found.set(p.flops, [...(found.get(p.flops) ?? []), p.type]);
  const roofs = [...found].map(([flops, names]): Peak => ({ name: names.join(", "), flops })).sort((a, b) => b.flops - a.flops);
  return roofs.map((r, i) => ({ ...r, ...((roofs[i - 1]?.flops ?? Infinity) < CLOSE * r.flops ? { below: true } : {}) }));
}

export interface Frame {
  x: { from: number; to: number }; // powers of ten
  y: { from: number; to: number };
  left: number;
  right: number;
  top: number;
  bottom: number; // pixels
}

const log = Math.log10;

/** The axes contain all points, and where the slope meets the highest roof. */
export function frameOf(points: Point[], roofs: Peak[], bandwidth: number, width: number, height: number): Frame {
  const most = Math.max(...roofs.map((r) => r.flops));
  const xs = [...points.map((p) => p.intensity), most / bandwidth];
  const ys = [...points.map((p) => p.flops), most];
  const x = { from: Math.floor(log(Math.min(...xs))), to: Math.ceil(log(Math.max(...xs) * 2)) };
  const y = { from: Math.floor(log(Math.min(...ys))), to: log(most * 2.2) };
  return { x, y, left: 56, right: width - 24, top: 8, bottom: height - 36 };
}

export const xOf = (f: Frame, intensity: number): number => f.left + ((log(intensity) - f.x.from) / (f.x.to - f.x.from)) * (f.right - f.left);
export const yOf = (f: Frame, flops: number): number => f.bottom - ((log(flops) - f.y.from) / (f.y.to - f.y.from)) * (f.bottom - f.top);

/** The line of the bandwidth up to the highest roof, as two points; it begins at an edge of the frame. */
export function slopeOf(f: Frame, bandwidth: number, most: number): { x1: number; y1: number; x2: number; y2: number } {
  const from = Math.max(10 ** f.x.from, 10 ** f.y.from / bandwidth);
  return { x1: xOf(f, from), y1: yOf(f, from * bandwidth), x2: xOf(f, most / bandwidth), y2: yOf(f, most) };
}

/** Every power of ten, or every second one where they are many. */
export function marksOf(axis: { from: number; to: number }): number[] {
  const by = axis.to - axis.from > 6 ? 2 : 1;
  const out: number[] = [];
  for (let n = axis.from; n <= axis.to; n += by) out.push(10 ** n);
  return out;
}

/** The radius of a point, whose area tells its share of time. */
export const radiusOf = (share: number): number => 3 + 17 * Math.sqrt(Math.max(0, share));

const LETTER = 6.2; // pixels, about
const LINE = 14;
const NAMED = 5;

export interface Label {
  text: string;
  x: number;
  y: number;
  end: boolean; // it ends at x
}

/** Names of the biggest points; one that would lie on another is left out. */
export function labelsOf(f: Frame, points: Point[], name: (row: LimitRow) => string): Label[] {
  const taken: { x: number; y: number; w: number }[] = [];
  const out: Label[] = [];
  for (const p of points.slice(0, 2 * NAMED)) {
    const text = name(p.row);
    const [x, y, r, w] = [xOf(f, p.intensity), yOf(f, p.flops), radiusOf(p.share), text.length * LETTER];
    const end = x + r + 4 + w > f.right;
    const at = { x: end ? x - r - 4 - w : x + r + 4, y, w };
    const over = taken.some((t) => Math.abs(t.y - at.y) < LINE && t.x < at.x + at.w && at.x < t.x + t.w);
    if (over || at.x < f.left || out.length >= NAMED) continue;
    taken.push(at);
    out.push({ text, x: end ? x - r - 4 : at.x, y: y + 4, end });
  }
  return out;
}

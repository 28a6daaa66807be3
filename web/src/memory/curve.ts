// SPDX-License-Identifier: Apache-2.0
// The memory that a device held over time, and its curve.
import type { Table } from "../answers/api";
import { formatBytes, markMicros } from "../text/format";
import { tickOf } from "../timeline/overlay";
import type { Window } from "../state/store";
import { numbers, texts } from "../table/read";

export interface Curve {
  device: string;
  at: number[]; // microseconds from the first start
  held: number[]; // bytes, until the next
  reserved: number[]; // all memory that the allocator reserved; empty: unknown
  peak: number; // index
}

/** Rows come by device and time; rows known only from an allocator have no held bytes. */
export function curvesOf(t: Table): Curve[] {
  const found = new Map<string, Curve>();
  const [device, at, held, use] = [texts(t, "device"), numbers(t, "at_us"), numbers(t, "held_bytes"), numbers(t, "in_use_bytes")];
  for (let i = 0; i < t.rows; i++) {
    const bytes = held(i);
    if (bytes === null) continue;
    const c = found.get(device(i)) ?? { device: device(i) || "memory", at: [], held: [], reserved: [], peak: 0 };
    c.at.push(at(i) ?? 0);
    c.held.push(bytes);
    const all = use(i);
    if (all !== null) c.reserved.push(all);
    if (bytes > (c.held[c.peak] ?? 0)) c.peak = c.held.length - 1;
    found.set(device(i), c);
  }
  return [...found.values()].sort((a, b) => (b.held[b.peak] ?? 0) - (a.held[a.peak] ?? 0));
}

export interface Frame {
  from: number;
  to: number;
  most: number;
}

export const frameOf = (c: Curve): Frame => ({ from: c.at[0] ?? 0, to: Math.max((c.at[0] ?? 0) + 1, c.at[c.at.length - 1] ?? 0), most: 1.05 * Math.max(1, ...c.reserved.slice(0, 1), c.held[c.peak] ?? 0) });
export const PAD = { left: 64, bottom: 20, top: 6 };

/** The index of the sample in effect at a time. */
export function indexAt(c: Curve, us: number): number {
  let [low, high] = [0, c.at.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((c.at[middle] ?? 0) <= us) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function drawCurve(canvas: HTMLCanvasElement, c: Curve, f: Frame, at: number, range: Window | null): void {
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  [canvas.width, canvas.height] = [width * scale, height * scale];
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const x = (us: number): number => PAD.left + ((us - f.from) / (f.to - f.from)) * (width - PAD.left - 4);
  const y = (bytes: number): number => height - PAD.bottom - (bytes / f.most) * (height - PAD.bottom - PAD.top);
  pen.scale(scale, scale);
  pen.font = "12px system-ui, sans-serif";
  pen.fillStyle = colour("ink2");
  pen.strokeStyle = colour("line");
  pen.textAlign = "right";
  for (const part of [0, 0.5, 1]) {
    const bytes = ((f.most / 1.05) * part) as number;
    pen.strokeRect(PAD.left, y(bytes), width - PAD.left, 0);
    pen.fillText(formatBytes(bytes), PAD.left - 6, y(bytes) + 4);
  }
  pen.textAlign = "left";
  const tick = tickOf(f.to - f.from, width - PAD.left);
  for (let at = Math.ceil(f.from / tick) * tick; at < f.to; at += tick) {
    const text = markMicros(at, tick);
    if (x(at) + pen.measureText(text).width <= width) pen.fillText(text, x(at), height - 5);
  }
  const line = (values: number[]): void => {
    pen.beginPath();
    pen.moveTo(x(f.from), y(0));
    values.forEach((v, i) => {
      pen.lineTo(x(c.at[i] ?? 0), y(values[i - 1] ?? 0));
      pen.lineTo(x(c.at[i] ?? 0), y(v));
    });
    pen.lineTo(x(f.to), y(values[values.length - 1] ?? 0));
    pen.lineTo(x(f.to), y(0));
  };
  line(c.held);
  pen.fillStyle = pen.strokeStyle = colour("memory");
  pen.globalAlpha = 0.25;
  pen.fill();
  pen.globalAlpha = 1;
  pen.stroke();
  if (range) {
    const [left, right] = [range.from, range.to].map((us) => Math.min(width, Math.max(PAD.left, x(us))));
    pen.globalAlpha = 0.2;
    pen.fillStyle = colour("accent");
    pen.fillRect(left ?? 0, PAD.top, (right ?? 0) - (left ?? 0), height - PAD.bottom - PAD.top);
    pen.globalAlpha = 1;
  }
  pen.strokeStyle = colour("accent");
  pen.lineWidth = 2;
  pen.strokeRect(x(at), PAD.top, 0, height - PAD.bottom - PAD.top);
}

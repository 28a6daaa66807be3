// SPDX-License-Identifier: Apache-2.0
// How lanes of events are drawn on a canvas: only what can be seen, and of events that share a pixel one.
import type { Table } from "./api";
import { cellText } from "./api";
import { drawFitting } from "./canvas";
import { markMicros } from "./format";
import type { Spans, Window } from "./spans";
import { firstAfter, rowOf } from "./spans";

export const ROW = 18;
export const AXIS = 22;
const LANE_GAP = 22; // room for a lane's name above its rows
const COLOURS = ["#e69f00", "#56b4e9", "#4cc59a", "#f0e442", "#7fb2dd", "#f2a07b", "#d9a3c4", "#b5c35a"];
const FLOW = "#d55e00";
const TICK_PX = 100;

export interface Scene {
  t: Table;
  s: Spans;
  seen: Window;
  top: number; // pixels that are scrolled away
  marked: Window | null;
  colour: Uint8Array; // per text of the column "op"
  found: Uint8Array | null; // per text of the column "name"
  picked: number; // an event; -1: none
  flows: [number, number][]; // events: from, to
}

export function coloursOf(texts: string[]): Uint8Array {
  return Uint8Array.from(texts, (text) => Math.abs([...text].reduce((h, c) => (h * 31 + c.charCodeAt(0)) | 0, 7)) % COLOURS.length);
}

function laneTop(s: Spans, lane: number): number {
  return AXIS + lane * LANE_GAP + (s.lanes[lane]?.firstRow ?? 0) * ROW;
}

export function heightOf(s: Spans): number {
  return AXIS + s.lanes.length * LANE_GAP + (s.rowFirst.length - 1) * ROW + 6;
}

/** Where a row of the page begins. */
export function rowTop(s: Spans, row: number): number {
  let lane = s.lanes.length - 1;
  while (lane > 0 && (s.lanes[lane]?.firstRow ?? 0) > row) lane--;
  return laneTop(s, lane) + LANE_GAP + (row - (s.lanes[lane]?.firstRow ?? 0)) * ROW;
}

/** The event at a time and a height; -1: none. */
export function eventAt(s: Spans, time: number, y: number): number {
  for (let lane = 0; lane < s.lanes.length; lane++) {
    const row = Math.floor((y - laneTop(s, lane) - LANE_GAP) / ROW);
    if (row < 0 || row >= (s.lanes[lane]?.rows ?? 0)) continue;
    const at = (s.lanes[lane]?.firstRow ?? 0) + row;
    const to = s.rowFirst[at + 1] ?? 0;
    const i = firstAfter(s, s.rowFirst[at] ?? 0, to, time);
    return i < to && (s.start[i] ?? 0) <= time ? i : -1;
  }
  return -1;
}

/** A round number of microseconds, of which as many fit as there is room to tell. */
function tickOf(span: number, width: number): number {
  const rough = (span * TICK_PX) / width;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-3)));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? power * 10;
}

interface Pen {
  pen: CanvasRenderingContext2D;
  ink: string;
  line: string;
  paper: string;
  width: number;
  height: number;
  scale: number; // pixels a microsecond
}

function drawAxis({ pen, ink, line, paper, width, height, scale }: Pen, seen: Window): void {
  const tick = tickOf(seen.to - seen.from, width);
  pen.fillStyle = paper;
  pen.fillRect(0, 0, width, AXIS);
  pen.fillStyle = ink;
  pen.strokeStyle = line;
  pen.lineWidth = 1;
  for (let i = Math.ceil(seen.from / tick); i * tick <= seen.to; i++) {
    const at = i * tick;
    const x = Math.round((at - seen.from) * scale) + 0.5;
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, height);
    pen.stroke();
    pen.fillText(markMicros(at, tick), x + 3, AXIS / 2);
  }
}

function drawRow({ pen, ink, scale }: Pen, d: Scene, row: number, y: number): void {
  const { s, seen } = d;
  const name = d.t.column("name");
  const op = d.t.column("op");
  const to = s.rowFirst[row + 1] ?? 0;
  let i = firstAfter(s, s.rowFirst[row] ?? 0, to, seen.from);
  while (i < to) {
    const start = s.start[i] ?? 0;
    if (start >= seen.to) break;
    const x = Math.max(0, (start - seen.from) * scale);
    const right = Math.max(x + 1, ((s.end[i] ?? 0) - seen.from) * scale);
    const source = s.source[i] ?? 0;
    pen.globalAlpha = d.found && !d.found[name?.values[source] ?? 0] ? 0.25 : 1;
    pen.fillStyle = COLOURS[d.colour[op?.values[source] ?? 0] ?? 0] ?? FLOW;
    pen.fillRect(x, y, right - x - (right - x > 3 ? 0.6 : 0), ROW - 2);
    if (i === d.picked) {
      pen.strokeStyle = ink;
      pen.lineWidth = 2;
      pen.strokeRect(x + 1, y + 1, Math.max(1, right - x - 2), ROW - 4);
    }
    if (right - x > 24 && name) {
      const path = cellText(name, source);
      pen.fillStyle = "#16202b";
      drawFitting(pen, path.slice(path.lastIndexOf("/") + 1), x + 3, y + ROW / 2 - 0.5, right - x - 6);
    }
    i++;
    const free = seen.from + (right + 0.5) / scale;
    if (i < to && (s.end[i] ?? 0) <= free) i = firstAfter(s, i, to, free); // skips the events of the same pixel
  }
  pen.globalAlpha = 1;
}

function drawFlows({ pen, scale }: Pen, d: Scene): void {
  pen.strokeStyle = FLOW;
  pen.lineWidth = 1.5;
  for (const [from, to] of d.flows) {
    const x1 = ((d.s.end[from] ?? 0) - d.seen.from) * scale;
    const x2 = ((d.s.start[to] ?? 0) - d.seen.from) * scale;
    const y1 = rowTop(d.s, rowOf(d.s, from)) - d.top + ROW / 2;
    const y2 = rowTop(d.s, rowOf(d.s, to)) - d.top + ROW / 2;
    const bend = Math.max(20, Math.abs(x2 - x1) / 3);
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    pen.stroke();
  }
}

export function draw(canvas: HTMLCanvasElement, d: Scene): void {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d", { alpha: true });
  if (!context) return;
  const style = getComputedStyle(canvas);
  const pen: Pen = {
    pen: context,
    ink: style.color,
    line: style.getPropertyValue("--line"),
    paper: style.getPropertyValue("--panel"),
    width,
    height,
    scale: width / (d.seen.to - d.seen.from),
  };
  context.scale(ratio, ratio);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  drawAxis(pen, d.seen);
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height);
  context.clip();
  d.s.lanes.forEach((lane, i) => {
    const top = laneTop(d.s, i) - d.top;
    if (top > height || top + LANE_GAP + lane.rows * ROW < AXIS) return;
    context.fillStyle = style.color;
    context.fillText(lane.name, 4, top + LANE_GAP / 2 + 1);
    for (let r = 0; r < lane.rows; r++) {
      const y = top + LANE_GAP + r * ROW;
      if (y > -ROW && y < height) drawRow(pen, d, lane.firstRow + r, y);
    }
  });
  drawFlows(pen, d);
  if (d.marked) {
    context.globalAlpha = 0.18;
    context.fillStyle = style.color;
    context.fillRect((d.marked.from - d.seen.from) * pen.scale, AXIS, (d.marked.to - d.marked.from) * pen.scale, height);
  }
  context.restore();
}

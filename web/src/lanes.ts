// SPDX-License-Identifier: Apache-2.0
// Drawing lanes of spans on a canvas, and finding the item at a point.
import { cellText } from "./api";
import { drawFitting } from "./canvas";
import { markMicros } from "./format";
import type { Items, Lane, Linked, Window } from "./timeline";
import { firstAfter, nameAt } from "./timeline";

export const ROW = 18;
export const AXIS = 22;
const LANE_GAP = 22; // room for a lane's name above its rows
const COLOURS = ["#e69f00", "#56b4e9", "#4cc59a", "#f0e442", "#7fb2dd", "#f2a07b", "#d9a3c4", "#b5c35a"];
const FLOW = "#d55e00";
const TICK_PX = 100;
const INSTANT_PX = 3; // width of items without duration
const UNLINKED = new Set(["parent", "operator"]); // relations listed in text, without an arrow
const BEFORE = new Set(["launched by", "forward", "from", "waited for"]); // relations whose arrow comes from the other span

export interface Picked {
  span: number;
  row: number;
  start: number;
  end: number;
}

export interface Scene {
  lanes: Lane[];
  base: Items | null; // the whole time, coarse: shown while the window is loading
  items: Items | null;
  seen: Window;
  zero: number; // the time labelled 0 on the axis
  top: number; // scrolled pixels
  marked: Window | null;
  picked: Picked | null;
  links: Linked[]; // links of the picked span
}

function colourOf(text: string): string {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  return COLOURS[Math.abs(hash) % COLOURS.length] ?? FLOW;
}

/** The colour of each text of a column; cached with the texts. */
const kept = new WeakMap<string[], string[]>();
function coloursOf(texts: string[]): string[] {
  const colours = kept.get(texts) ?? texts.map(colourOf);
  kept.set(texts, colours);
  return colours;
}

/** Where each lane begins, in pixels below the axis; one more for the end. */
export function topsOf(lanes: Lane[]): number[] {
  const tops = [AXIS];
  for (const lane of lanes) tops.push((tops[tops.length - 1] ?? 0) + LANE_GAP + lane.rows * ROW);
  return tops;
}

export const heightOf = (lanes: Lane[]): number => (topsOf(lanes)[lanes.length] ?? 0) + 6;

/** The top of a row in pixels; -1 when no lane has it. */
export function rowTop(lanes: Lane[], row: number): number {
  const at = lanes.findIndex((l) => row >= l.firstRow && row < l.firstRow + l.rows);
  return at < 0 ? -1 : (topsOf(lanes)[at] ?? 0) + LANE_GAP + (row - (lanes[at]?.firstRow ?? 0)) * ROW;
}

/** The row at a height; -1: none. */
export function rowAt(lanes: Lane[], y: number): number {
  const tops = topsOf(lanes);
  const at = lanes.findIndex((_, i) => y >= (tops[i] ?? 0) && y < (tops[i + 1] ?? 0));
  const row = at < 0 ? -1 : Math.floor((y - (tops[at] ?? 0) - LANE_GAP) / ROW);
  return row < 0 ? -1 : (lanes[at]?.firstRow ?? 0) + row;
}

/** The item of a row at a time, or within some pixels of it; -1: none. */
export function itemAt(d: Items, row: number, time: number, slack: number): number {
  if (row < d.firstRow || row > d.lastRow) return -1;
  const to = d.rowFirst[row - d.firstRow + 1] ?? 0;
  const i = firstAfter(d, d.rowFirst[row - d.firstRow] ?? 0, to, time - slack);
  return i < to && (d.start[i] ?? 0) <= time + slack ? i : -1;
}

/** A round number of microseconds between marks of the axis, chosen so that their labels fit. */
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

function penOf(canvas: HTMLCanvasElement, seen: Window): Pen | null {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext("2d");
  if (!pen) return null;
  const style = getComputedStyle(canvas);
  pen.scale(ratio, ratio);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  return { pen, ink: style.color, line: style.getPropertyValue("--line"), paper: style.getPropertyValue("--panel"), width, height, scale: width / (seen.to - seen.from) };
}

function drawAxis({ pen, ink, line, paper, width, height, scale }: Pen, { seen, zero }: Scene): void {
  const tick = tickOf(seen.to - seen.from, width);
  pen.fillStyle = paper;
  pen.fillRect(0, 0, width, AXIS);
  pen.fillStyle = ink;
  pen.strokeStyle = line;
  pen.lineWidth = 1;
  for (let i = Math.ceil((seen.from - zero) / tick); i * tick + zero <= seen.to; i++) {
    const x = Math.round((i * tick + zero - seen.from) * scale) + 0.5;
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, height);
    pen.stroke();
    pen.fillText(markMicros(i * tick, tick), x + 3, AXIS / 2);
  }
}

/** The items of a row that begin in a window. Merged items are drawn as strongly as they were busy. */
function drawRow({ pen, width, scale }: Pen, d: Items, seen: Window, row: number, y: number): void {
  const colours = coloursOf(d.name.texts ?? []);
  const to = d.rowFirst[row - d.firstRow + 1] ?? 0;
  for (let i = firstAfter(d, d.rowFirst[row - d.firstRow] ?? 0, to, seen.from); i < to; i++) {
    const [start, end, times] = [d.start[i] ?? 0, d.end[i] ?? 0, d.times[i] ?? 1];
    if (start >= seen.to) break;
    const x = Math.max(0, Math.min(width - INSTANT_PX, (start - seen.from) * scale));
    const right = Math.min(width, Math.max(x + (end > start ? 1 : INSTANT_PX), (end - seen.from) * scale));
    const strong = times > 1 && end > start ? 0.4 + 0.6 * Math.min(1, (d.busy[i] ?? 0) / (end - start)) : 1;
    pen.globalAlpha = d.found && !d.found[i] ? 0.2 : strong;
    pen.fillStyle = colours[d.name.values[i] ?? 0] ?? FLOW;
    pen.fillRect(x, y, right - x - (right - x > 3 ? 0.6 : 0), ROW - 2);
    if (right - x > 24 && times === 1) {
      const name = nameAt(d, i);
      pen.fillStyle = "#16202b";
      drawFitting(pen, name.slice(name.lastIndexOf("/") + 1) || name, x + 3, y + ROW / 2 - 0.5, right - x - 6);
    }
  }
  pen.globalAlpha = 1;
}

/** The window's items, surrounded by those of the whole time. */
function drawItems(pen: Pen, d: Scene, row: number, y: number): void {
  const { seen, base, items } = d;
  const has = (x: Items | null): x is Items => x !== null && row >= x.firstRow && row <= x.lastRow;
  const fits = has(items) && items.window.from < seen.to && items.window.to > seen.from;
  const whole = fits && items.window.from <= seen.from && items.window.to >= seen.to;
  if (!whole && has(base)) drawRow(pen, base, seen, row, y);
  if (fits) drawRow(pen, items, seen, row, y);
}

function drawLink({ pen, scale }: Pen, d: Scene, picked: Picked, link: Linked): void {
  const before = BEFORE.has(link.relation);
  const other = { row: link.row, start: link.start_us, end: link.start_us + link.duration_us };
  const [from, to] = before ? [other, picked] : [picked, other];
  const launch = link.relation === "launches" || link.relation === "launched by";
  const x1 = ((launch ? from.start : Math.min(from.end, to.start)) - d.seen.from) * scale;
  const x2 = (to.start - d.seen.from) * scale;
  const y1 = rowTop(d.lanes, from.row) - d.top + ROW / 2;
  const y2 = rowTop(d.lanes, to.row) - d.top + ROW / 2;
  const bend = Math.max(20, Math.abs(x2 - x1) / 3);
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x2, y2);
  pen.lineTo(x2 - 7, y2 - 4);
  pen.lineTo(x2 - 7, y2 + 4);
  pen.fill();
}

function drawPicked(pen: Pen, d: Scene, picked: Picked): void {
  const y = rowTop(d.lanes, picked.row) - d.top;
  const x = (picked.start - d.seen.from) * pen.scale;
  const width = Math.max(3, (picked.end - picked.start) * pen.scale);
  pen.pen.strokeStyle = pen.ink;
  pen.pen.lineWidth = 2;
  pen.pen.strokeRect(x + 1, y + 1, width - 2, ROW - 4);
  pen.pen.strokeStyle = pen.pen.fillStyle = FLOW;
  pen.pen.lineWidth = 1.5;
  for (const link of d.links) if (!UNLINKED.has(link.relation)) drawLink(pen, d, picked, link);
}

export function draw(canvas: HTMLCanvasElement, d: Scene): void {
  const pen = penOf(canvas, d.seen);
  if (!pen) return;
  const { pen: context, width, height, ink, scale } = pen;
  drawAxis(pen, d);
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height);
  context.clip();
  const tops = topsOf(d.lanes);
  d.lanes.forEach((lane, i) => {
    const top = (tops[i] ?? 0) - d.top;
    if (top > height || (tops[i + 1] ?? 0) - d.top < AXIS) return;
    context.fillStyle = ink;
    context.fillText(lane.name, 4, top + LANE_GAP / 2 + 1);
    for (let r = 0; r < lane.rows; r++) {
      const y = top + LANE_GAP + r * ROW;
      if (y > -ROW && y < height) drawItems(pen, d, lane.firstRow + r, y);
    }
  });
  if (d.picked) drawPicked(pen, d, d.picked);
  if (d.marked) {
    context.globalAlpha = 0.18;
    context.fillStyle = ink;
    context.fillRect((d.marked.from - d.seen.from) * scale, AXIS, (d.marked.to - d.marked.from) * scale, height);
  }
  context.restore();
}

/** The whole time in small: how many lanes were busy, and the visible part. */
export function drawMap(canvas: HTMLCanvasElement, base: Items, all: Window, seen: Window): void {
  const pen = penOf(canvas, all);
  if (!pen) return;
  const { pen: context, ink, width, height, scale } = pen;
  const busy = new Float64Array(Math.ceil(width) + 1);
  for (let i = 0; i < base.count; i++) {
    const [from, to] = [((base.start[i] ?? 0) - all.from) * scale, ((base.end[i] ?? 0) - all.from) * scale];
    const strong = (base.busy[i] ?? 0) / Math.max((base.end[i] ?? 0) - (base.start[i] ?? 0), 1e-9);
    for (let x = Math.max(0, Math.floor(from)); x <= Math.min(to, width); x++) busy[x] = (busy[x] ?? 0) + Math.min(1, strong) * Math.min(1, Math.max(to - from, 0.2));
  }
  const most = busy.reduce((a, b) => Math.max(a, b), 1);
  context.fillStyle = "#56b4e9";
  busy.forEach((n, x) => context.fillRect(x, height - (n / most) * (height - 2), 1, (n / most) * (height - 2)));
  const [left, right] = [(seen.from - all.from) * scale, Math.max((seen.to - all.from) * scale, (seen.from - all.from) * scale + 2)];
  context.fillStyle = ink;
  context.globalAlpha = 0.15;
  context.fillRect(0, 0, left, height);
  context.fillRect(right, 0, width - right, height);
  context.globalAlpha = 1;
  context.strokeStyle = ink;
  context.strokeRect(left + 0.5, 0.5, Math.max(1, right - left - 1), height - 1);
}

export const labelAt = (d: Items, i: number): string => `${nameAt(d, i)}${cellText(d.kind, i) ? ` (${cellText(d.kind, i)})` : ""}`;

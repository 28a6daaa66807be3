// SPDX-License-Identifier: Apache-2.0
// Everything that is drawn over the rectangles: axis, steps, names of spans, utilisation, counters, arrows, the selection and the range.
import { drawFitting } from "../pictures/canvas";
import { formatBytes, formatCount, formatMicros, formatShare, markMicros } from "../text/format";
import type { Linked } from "./data";
import { firstAfter, nameAt, shortAt } from "./data";
import type { Counter } from "./layout";
import type { Batch } from "./painter";
import type { Scene } from "./scene";
import { AXIS, BAND, headOf, placeInStage, pinnedTop, rowsSeen, sourcesOf, timeOf, tracksSeen, xOf } from "./scene";

type Pen = CanvasRenderingContext2D;
const TICK_PX = 90;
const TEXT_PX = 26; // narrower spans have no name
const FONT = '12px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
const BOLD = `600 ${FONT}`;

/** A round number of microseconds between marks of the axis, chosen so that their labels fit. */
export function tickOf(span: number, width: number): number {
  const rough = (span * TICK_PX) / width;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-3)));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? power * 10;
}

/** The marks of the axis: time from the start of all, pixel. */
export function ticksOf(s: Scene): { time: number; x: number; tick: number }[] {
  const tick = tickOf(s.seen.to - s.seen.from, s.width);
  const zero = s.lanes.all.from;
  const out = [];
  for (let i = Math.ceil((s.seen.from - zero) / tick); i * tick + zero <= s.seen.to; i++) out.push({ time: i * tick, x: Math.round(xOf(s, i * tick + zero)), tick });
  return out;
}

function drawAxis(pen: Pen, s: Scene): void {
  pen.fillStyle = s.palette.soft;
  for (const t of ticksOf(s)) {
    const text = markMicros(t.time, t.tick);
    if (t.x + 3 + pen.measureText(text).width <= s.width) pen.fillText(text, t.x + 3, AXIS / 2);
  }
}

/** The text about a step: as many whole parts as fit. */
function stepText(pen: Pen, s: Scene, step: number, length: number, room: number): string {
  const f = s.facts.get(step);
  const share = (n: number): string => formatShare(n, f?.duration ?? 0);
  const parts = f?.duration ? [formatMicros(f.duration), `compute ${share(f.compute)}`, `exposed comm. ${share(f.communication)}`, `idle ${share(f.idle)}`] : [formatMicros(length)];
  return parts.reduce((text, part) => (pen.measureText(`${text} · ${part}`).width <= room ? `${text} · ${part}` : text), "");
}

function drawSteps(pen: Pen, s: Scene): void {
  const { palette } = s;
  for (const [i, step] of s.lanes.steps.entries()) {
    const next = s.lanes.steps[i + 1];
    const [left, right] = [Math.max(-4, xOf(s, step.from)), Math.min(s.width + 4, xOf(s, step.to))];
    if (right < 0 || left > s.width || right - left < 0.5) continue;
    const on = step.step === s.step;
    pen.fillStyle = on ? palette.accentPaper : palette.panel;
    pen.fillRect(left, AXIS + 1, Math.max(1, right - left - 1), BAND - 4);
    pen.strokeStyle = on ? palette.accent : palette.line;
    pen.lineWidth = 1;
    pen.strokeRect(Math.round(left) + 0.5, AXIS + 1.5, Math.max(1, Math.round(right - left) - 2), BAND - 5);
    const room = Math.min(right, next ? xOf(s, next.from) : right) - Math.max(0, left) - 10; // steps of ranks may overlap
    if (room < 14) continue;
    pen.fillStyle = palette.ink;
    pen.font = BOLD;
    const x = Math.max(0, left) + 6;
    const name = String(step.step);
    const width = pen.measureText(name).width;
    if (width < room) pen.fillText(name, x, AXIS + BAND / 2 - 1);
    pen.font = FONT;
    pen.fillText(stepText(pen, s, step.step, step.to - step.from, room - width), x + width, AXIS + BAND / 2 - 1);
  }
}

function drawNames(pen: Pen, s: Scene): void {
  const head = headOf(s);
  for (const row of rowsSeen(s)) {
    if (!row.pinned && row.y + row.h / 2 < head) continue;
    for (const { batch, clip } of sourcesOf(s, row.row)) drawRowNames(pen, s, batch, row.row, row.y + (row.h - 1) / 2, clip);
  }
}

function drawRowNames(pen: Pen, s: Scene, batch: Batch, row: number, y: number, clip: [number, number]): void {
  const { items, strong } = batch;
  const [from, to] = items.at.get(row) ?? [0, 0];
  const least = (TEXT_PX * (s.seen.to - s.seen.from)) / s.width;
  const until = timeOf(s, clip[1]);
  for (let i = firstAfter(items, from, to, timeOf(s, clip[0])); i < to && (items.start[i] ?? 0) < until; i++) {
    if (items.times[i] !== 1 || (items.end[i] ?? 0) - (items.start[i] ?? 0) < least) continue;
    const left = Math.max(clip[0], xOf(s, items.start[i] ?? 0));
    const room = Math.min(clip[1], xOf(s, items.end[i] ?? 0)) - left - 8;
    if (room < TEXT_PX - 8) continue;
    pen.fillStyle = (strong[i] ?? 1) < 0.3 ? s.palette.ink : s.palette.onmark;
    const name = shortAt(items, i);
    drawFitting(pen, name.startsWith("/") ? name : name.slice(name.lastIndexOf("/") + 1) || name, left + 4, y, room);
  }
}

/** How busy a group was, as an area; the pixels are those of the batch's window. */
function drawBusy(pen: Pen, s: Scene): void {
  const { batch } = s;
  if (!batch) return;
  const { window } = batch.items;
  for (const { track, y } of tracksSeen(s, "group")) {
    const busy = s.busy.get(track.id);
    if (!busy || y < headOf(s) - track.h || (track.open && !track.device)) continue;
    const [bottom, full] = [y + track.h - 3, track.h - 6];
    const each = (window.to - window.from) / busy.length;
    pen.beginPath();
    pen.moveTo(0, bottom);
    for (let x = 0; x <= s.width; x++) {
      const [a, b] = [timeOf(s, x), timeOf(s, x + 1)];
      let sum = 0;
      const [first, last] = [Math.floor((a - window.from) / each), Math.max(Math.floor((a - window.from) / each), Math.ceil((b - window.from) / each) - 1)];
      for (let k = first; k <= last; k++) sum += busy[k] ?? 0;
      pen.lineTo(x, bottom - (full * sum) / (last - first + 1));
    }
    pen.lineTo(s.width, bottom);
    pen.closePath();
    pen.fillStyle = track.device ? s.palette.kind.compute : s.palette.kind.host;
    pen.globalAlpha = 0.35;
    pen.fill();
    pen.globalAlpha = 1;
    pen.fillStyle = s.palette.line;
    pen.fillRect(0, bottom, s.width, 1);
  }
}

/** The last sample until a time; -1: none. */
export function sampleAt(c: Counter, time: number): number {
  let low = 0;
  let high = c.at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((c.at[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export const counterText = (c: Counter, value: number): string => (c.unit === "bytes" ? formatBytes(value) : formatCount(value));

function drawCounters(pen: Pen, s: Scene): void {
  for (const { track, y } of tracksSeen(s, "counter")) {
    const { counter: c } = track;
    const [bottom, full] = [y + track.h - 5, track.h - 10];
    const heightOf = (i: number): number => (full * Math.max(0, c.value[i] ?? 0)) / (c.most || 1);
    pen.beginPath();
    pen.moveTo(0, bottom);
    let i = Math.max(0, sampleAt(c, s.seen.from));
    for (let x = 0; x <= s.width; x++) {
      const until = timeOf(s, x);
      let most = i < c.at.length && (c.at[i] ?? 0) <= until ? heightOf(i) : 0;
      while (i + 1 < c.at.length && (c.at[i + 1] ?? 0) <= until) most = Math.max(most, heightOf(++i));
      pen.lineTo(x, bottom - most);
    }
    pen.lineTo(s.width, bottom);
    pen.closePath();
    pen.fillStyle = s.palette.kind.memory;
    pen.globalAlpha = 0.4;
    pen.fill();
    pen.globalAlpha = 1;
  }
}

// ---- the selection ----

const UNLINKED = new Set(["parent", "operator", "frame", "library frame"]); // relations listed in text, without an arrow
const BEFORE = new Set(["launched by", "forward", "from", "waited for"]); // their arrow comes from the other span

/** A name at the edge for the end of an arrow outside the window; it can be clicked. */
export interface EdgeName {
  link: Linked;
  left: boolean;
  y: number;
}

const MOST_ARROWS = 24;

export function arrowsOf(s: Scene): Linked[] {
  return (s.picked?.rows ?? []).filter((l) => !UNLINKED.has(l.relation)).slice(0, MOST_ARROWS);
}

/** The ends of arrows outside of the window of time, one below the other at the edges. */
export function edgesOf(s: Scene): EdgeName[] {
  const out: EdgeName[] = [];
  const own = s.picked && placeInStage(s, s.picked.summary.row);
  const seen = { left: 0, right: 0 };
  for (const link of arrowsOf(s)) {
    const [a, b] = [xOf(s, link.start_us), xOf(s, link.start_us + link.duration_us)];
    if (b >= 0 && a <= s.width) continue;
    const left = b < 0;
    const n = left ? seen.left++ : seen.right++;
    if (n > 3) continue;
    const place = placeInStage(s, link.row);
    const wanted = place ? place.y : (own?.y ?? 0) + 26;
    out.push({ link, left, y: Math.min(s.height - 24, Math.max(headOf(s) + 4, wanted)) + n * 22 });
  }
  return out;
}

function drawArrow(pen: Pen, s: Scene, link: Linked, edges: EdgeName[]): void {
  const own = s.picked?.summary;
  const here = own && placeInStage(s, own.row);
  if (!own || !here) return;
  const edge = edges.find((e) => e.link === link);
  const there = placeInStage(s, link.row);
  if (!edge && !there) return;
  const otherY = edge ? edge.y + 9 : (there?.y ?? 0) + (there?.h ?? 0) / 2;
  const ownY = here.y + here.h / 2;
  const before = BEFORE.has(link.relation);
  const launch = link.relation === "launches" || link.relation === "launched by";
  const [from, to] = before ? [link, own] : [own, link];
  const at = (time: number): number => Math.min(s.width, Math.max(0, xOf(s, time)));
  const x1 = at(launch ? from.start_us : Math.min(from.start_us + from.duration_us, to.start_us));
  const x2 = at(to.start_us);
  const [y1, y2] = before ? [otherY, ownY] : [ownY, otherY];
  const bend = Math.max(20, Math.abs(x2 - x1) / 3);
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x2, y2);
  pen.lineTo(x2 - 6, y2 - 3.5);
  pen.lineTo(x2 - 6, y2 + 3.5);
  pen.fill();
}

function drawPicked(pen: Pen, s: Scene, edges: EdgeName[]): void {
  const own = s.picked?.summary;
  const place = own && placeInStage(s, own.row);
  if (!own || !place) return;
  pen.strokeStyle = pen.fillStyle = s.palette.accent;
  pen.lineWidth = 1.5;
  for (const link of arrowsOf(s)) drawArrow(pen, s, link, edges);
  const left = Math.max(-4, xOf(s, own.start_us));
  const right = Math.min(s.width + 4, Math.max(left + 3, xOf(s, own.start_us + own.duration_us)));
  pen.lineWidth = 2;
  pen.beginPath();
  pen.roundRect(left - 1, place.y - 1, right - left + 2, place.h + 1, 2);
  pen.stroke();
}

/** Spans of a selected kernel or op. */
function drawLit(pen: Pen, s: Scene): void {
  if (!s.lit) return;
  pen.fillStyle = s.palette.accent;
  for (const row of rowsSeen(s)) {
    for (const { batch, clip } of sourcesOf(s, row.row)) {
      const { items } = batch;
      const [from, to] = items.at.get(row.row) ?? [0, 0];
      const until = timeOf(s, clip[1]);
      for (let i = firstAfter(items, from, to, timeOf(s, clip[0])); i < to && (items.start[i] ?? 0) < until; i++)
        if (nameAt(items, i) === s.lit) pen.fillRect(Math.max(clip[0], xOf(s, items.start[i] ?? 0)), row.y + row.h - 4, Math.max(1.5, xOf(s, items.end[i] ?? 0) - xOf(s, items.start[i] ?? 0)), 2.5);
    }
  }
}

function drawRange(pen: Pen, s: Scene): void {
  if (!s.range) return;
  const [left, right] = [xOf(s, s.range.from), xOf(s, s.range.to)];
  pen.fillStyle = s.palette.background;
  pen.globalAlpha = 0.5;
  if (left > 0) pen.fillRect(0, AXIS, Math.min(left, s.width), s.height);
  if (right < s.width) pen.fillRect(Math.max(0, right), AXIS, s.width, s.height);
  pen.globalAlpha = 1;
  pen.fillStyle = s.palette.accent;
  for (const x of [left, right]) if (x >= 0 && x <= s.width) pen.fillRect(Math.round(x) - 0.5, 0, 1.5, s.height);
  const [a, b] = [Math.max(0, left), Math.min(s.width, right)];
  if (b <= a) return;
  pen.fillRect(a, 0, b - a, 2);
  const text = formatMicros(s.range.to - s.range.from);
  pen.font = BOLD;
  const width = pen.measureText(text).width + 10;
  const x = Math.min(s.width - width, Math.max(0, (a + b - width) / 2));
  pen.fillStyle = s.palette.accent;
  pen.beginPath();
  pen.roundRect(x, 2, width, 17, 3);
  pen.fill();
  pen.fillStyle = s.palette.background;
  pen.fillText(text, x + 5, 11);
  pen.font = FONT;
}

export function drawOverlay(pen: Pen, s: Scene, ratio: number): EdgeName[] {
  const { canvas } = pen;
  const [width, height] = [Math.round(s.width * ratio), Math.round(s.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, s.width, s.height);
  pen.font = FONT;
  pen.textBaseline = "middle";
  const edges = edgesOf(s);
  const head = headOf(s);
  drawAxis(pen, s);
  drawSteps(pen, s);
  pen.save();
  pen.beginPath();
  pen.rect(0, pinnedTop(s), s.width, s.height);
  pen.clip();
  drawBusy(pen, s);
  drawCounters(pen, s);
  drawNames(pen, s);
  drawLit(pen, s);
  if (s.layout.pinnedHeight) {
    pen.fillStyle = s.palette.line;
    pen.fillRect(0, head - 2, s.width, 1.5);
  }
  pen.restore();
  drawRange(pen, s);
  pen.save();
  pen.beginPath();
  pen.rect(0, AXIS, s.width, s.height);
  pen.clip();
  drawPicked(pen, s, edges);
  pen.restore();
  return edges;
}

// SPDX-License-Identifier: Apache-2.0
// Helpers shared by drawings on a canvas.

const widths = new Map<string, number>(); // of texts, in the one font that all drawings have
const KEPT_MOST = 20000;

function widthOf(pen: CanvasRenderingContext2D, text: string): number {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size >= KEPT_MOST) widths.clear();
    widths.set(text, (width = pen.measureText(text).width));
  }
  return width;
}

/** Draws a text, cut to a width; nothing if not even a few letters fit. */
export function drawFitting(pen: CanvasRenderingContext2D, text: string, x: number, y: number, room: number): void {
  const width = room < 20 ? Infinity : widthOf(pen, text);
  if (width <= room) {
    pen.fillText(text, x, y);
    return;
  }
  const letters = Math.floor((text.length * (room - 10)) / width);
  if (room >= 20 && letters >= 2) pen.fillText(`${text.slice(0, letters)}…`, x, y, room);
}

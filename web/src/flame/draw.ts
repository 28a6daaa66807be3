// SPDX-License-Identifier: Apache-2.0
// Drawing of a flame graph.
import { drawFitting } from "../pictures/canvas";
import type { Box } from "./layout";
import { BAR_ROW, mixed, shadeOf } from "./layout";

export interface Scene {
  boxes: Box[];
  name: (row: number) => string;
  look: (row: number) => string; // a kind: host, compute, communication, memory
  found: Uint8Array | null;
  chosen: number;
  hover: number;
  height: number;
  change: ((row: number) => number) | null; // -1 to 1, from faster to slower, relative to the biggest change
}

export function draw(canvas: HTMLCanvasElement, s: Scene): void {
  const scale = devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * scale;
  canvas.height = s.height * scale;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const [ink, page, text, accent] = [colour("ink"), colour("bg"), colour("onmark"), colour("accent")];
  const kinds = new Map<string, string>();
  const base = (look: string): string => kinds.get(look) ?? (kinds.set(look, colour(look)), colour(look));
  pen.scale(scale, scale);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  const fill = (row: number): string => {
    const c = s.change?.(row);
    if (c === undefined) return mixed(base(s.look(row)), ink, shadeOf(s.name(row)));
    return mixed(page, colour(c > 0 ? "worse" : "better"), 0.15 + 0.85 * Math.abs(c));
  };
  for (const box of s.boxes) {
    const y = box.depth * BAR_ROW;
    const [away, strong] = [s.found !== null && s.found[box.row] !== 2, Math.abs(s.change?.(box.row) ?? 1) > 0.5];
    pen.globalAlpha = away ? 0.3 : 1;
    pen.fillStyle = fill(box.row);
    pen.fillRect(box.x, y, Math.max(0.4, box.width - 0.5), BAR_ROW - 1);
    pen.globalAlpha = 1;
    pen.fillStyle = away || !strong ? ink : text;
    drawFitting(pen, s.name(box.row), box.x + 4, y + BAR_ROW / 2, box.width - 8);
    if (box.row !== s.chosen && box.row !== s.hover) continue;
    pen.lineWidth = 2;
    pen.strokeStyle = box.row === s.chosen ? accent : ink;
    pen.strokeRect(box.x + 1, y + 1, Math.max(0, box.width - 2.5), BAR_ROW - 3);
  }
}

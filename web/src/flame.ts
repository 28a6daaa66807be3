// SPDX-License-Identifier: Apache-2.0
// Layout and drawing of a flame graph, and the names of its bars in an address.
import type { Column, Table } from "./api";
import { cellText } from "./api";
import { drawFitting } from "./canvas";
import type { Tree } from "./rows";

export const BAR_ROW = 20;
const LEAST = 0.4; // pixels below which a bar is not drawn

export interface Box {
  row: number;
  x: number;
  width: number;
  depth: number;
}

/** Okabe and Ito's colours, which colour-blind readers can tell apart; text on them is dark. */
const COLOURS = ["#e69f00", "#56b4e9", "#4cc59a", "#f0e442", "#7fb2dd", "#f2a07b", "#d9a3c4"];

function colourOf(name: string): string {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return COLOURS[Math.abs(hash) % COLOURS.length] ?? "#56b4e9";
}

/** The bars below `top` that are wide enough to be seen. */
export function layOutBars(tree: Tree, children: Uint32Array, total: Column, top: number, width: number): Box[] {
  const out: Box[] = [];
  const whole = total.values[top] ?? 0;
  if (!(whole > 0)) return out;
  const stack: Box[] = [{ row: top, x: 0, width, depth: 0 }];
  for (let box = stack.pop(); box; box = stack.pop()) {
    out.push(box);
    let x = box.x;
    for (let i = tree.first[box.row] ?? 0; i < (tree.first[box.row + 1] ?? 0); i++) {
      const row = children[i] ?? 0;
      const part = ((total.values[row] ?? 0) / whole) * width;
      if (part >= LEAST) stack.push({ row, x, width: Math.min(part, box.x + box.width - x), depth: box.depth + 1 });
      x += part;
    }
  }
  return out;
}

export interface Drawn {
  t: Table;
  tree: Tree;
  total: Column;
  boxes: Box[];
  upward: boolean;
  height: number;
}

export function drawBars(canvas: HTMLCanvasElement, d: Drawn, found: Uint8Array | null, focus: number): void {
  const scale = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  canvas.width = width * scale;
  canvas.height = d.height * scale;
  const pen = canvas.getContext("2d");
  const name = d.t.columns[0];
  if (!pen || !name) return;
  pen.scale(scale, scale);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  for (const box of d.boxes) {
    const y = d.upward ? d.height - (box.depth + 1) * BAR_ROW : box.depth * BAR_ROW;
    const path = cellText(name, box.row);
    const text = path.slice(path.lastIndexOf("/") + 1);
    pen.globalAlpha = found && found[box.row] !== 2 ? 0.35 : 1;
    pen.fillStyle = colourOf(text);
    pen.fillRect(box.x, y, Math.max(LEAST, box.width - 0.5), BAR_ROW - 1);
    pen.globalAlpha = 1;
    if (box.row === focus) {
      pen.lineWidth = 2;
      pen.strokeStyle = getComputedStyle(canvas).color;
      pen.strokeRect(box.x + 1, y + 1, Math.max(0, box.width - 2.5), BAR_ROW - 3);
    }
    pen.fillStyle = "#16202b";
    drawFitting(pen, text, box.x + 3, y + BAR_ROW / 2, box.width - 6);
  }
}

/** A row's name in an address: lines of code may occur more than once, so theirs include the row's number. */
export function barName(t: Table, name: Column, row: number): string {
  return t.view === "code" ? `${row} ${cellText(name, row)}` : cellText(name, row);
}

export function barCalled(t: Table, called: string): number {
  const name = t.columns[0];
  if (!called || !name) return 0;
  if (t.view === "code") return Math.min(parseInt(called, 10) || 0, t.rows - 1);
  const text = name.texts?.indexOf(called) ?? -1;
  return text < 0 ? 0 : Math.max(0, (name.values as Uint32Array).indexOf(text));
}

/** The neighbour of a bar: sideways by -1 or 1, or up or down the tree by -1 or 1. */
export function barBeside(boxes: Box[], tree: Tree, from: number, sideways: number, down: number): Box | undefined {
  const here = boxes.find((b) => b.row === from) ?? boxes[0];
  if (!here) return undefined;
  const isLink = (b: Box): boolean => (down > 0 ? tree.parent[b.row] === here.row : b.row === tree.parent[here.row]);
  const fits = boxes.filter((b) => (down ? b.depth === here.depth + down && isLink(b) : b.depth === here.depth && (sideways > 0 ? b.x > here.x : b.x < here.x)));
  return fits.sort((a, b) => (sideways < 0 ? b.x - a.x : a.x - b.x))[0];
}

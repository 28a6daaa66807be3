// SPDX-License-Identifier: Apache-2.0
// Layout of a flame graph: boxes whose widths are shares of a column, their colours, and the matches of a search.
import type { Tree } from "../tree/rows";

export const BAR_ROW = 20;
const LEAST = 0.4; // pixels below which a bar is not drawn

export interface Box {
  row: number;
  x: number;
  width: number;
  depth: number;
}

type Value = (row: number) => number;

export interface Shape {
  top: number; // the row that fills the width; -1: all roots
  width: number;
  byTime: boolean; // siblings are in the order of the rows, that is, of their first starts; otherwise the heaviest are at the left
}

/** The boxes below the roots, or below a row, that are wide enough to be seen. */
export function layOut(tree: Tree, value: Value, { top, width, byTime }: Shape): Box[] {
  const out: Box[] = [];
  const childrenOf = (slot: number): number[] => {
    const rows = Array.from(tree.children.subarray(tree.first[slot], tree.first[slot + 1]));
    return byTime ? rows : rows.sort((a, b) => value(b) - value(a));
  };
  const roots = top >= 0 ? [top] : childrenOf(tree.rows);
  const whole = roots.reduce((all, row) => all + value(row), 0);
  if (!(whole > 0)) return out;
  const stack: Box[] = [];
  const put = (rows: number[], from: number, end: number, depth: number): void => {
    let x = from;
    for (const row of rows) {
      const part = (value(row) / whole) * width;
      if (part >= LEAST) stack.push({ row, x, width: Math.min(part, end - x), depth });
      x += part;
    }
  };
  put(roots, 0, width, 0);
  for (let box = stack.pop(); box; box = stack.pop()) {
    out.push(box);
    put(childrenOf(box.row), box.x, box.x + box.width, box.depth + 1);
  }
  return out;
}

/** The time of the rows that match a search; rows inside other matches do not count again. */
export function matched(tree: Tree, value: Value, found: Uint8Array): number {
  const inside = new Uint8Array(tree.rows);
  let all = 0;
  for (let row = 0; row < tree.rows; row++) {
    const above = tree.parent[row] ?? -1;
    const within = above >= 0 && inside[above] === 1;
    if (found[row] === 2 && !within) all += value(row);
    inside[row] = within || found[row] === 2 ? 1 : 0;
  }
  return all;
}

const channels = (hex: string): number[] => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/** A colour mixed with a part of another one. */
export function mixed(colour: string, other: string, part: number): string {
  const [a, b] = [channels(colour), channels(other)];
  return `rgb(${a.map((n, i) => Math.round(n * (1 - part) + (b[i] ?? 0) * part)).join(",")})`;
}

/** Which of three shades a name has, so that neighbours can be told apart: 0, 12 or 24 % of the text's colour. */
export function shadeOf(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return (Math.abs(hash) % 3) * 0.12;
}

/** The neighbour of a box: sideways by -1 or 1, or up or down the tree by -1 or 1. */
export function beside(boxes: Box[], tree: Tree, from: number, sideways: number, down: number): Box | undefined {
  const here = boxes.find((b) => b.row === from);
  if (!here) return boxes[0];
  const linked = (b: Box): boolean => (down > 0 ? tree.parent[b.row] === here.row : b.row === tree.parent[here.row]);
  const fits = boxes.filter((b) => (down ? b.depth === here.depth + down && linked(b) : b.depth === here.depth && (sideways > 0 ? b.x > here.x : b.x < here.x)));
  return fits.sort((a, b) => (sideways < 0 ? b.x - a.x : a.x - b.x))[0];
}

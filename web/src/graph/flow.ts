// SPDX-License-Identifier: Apache-2.0
// Layout of the dataflow graph: closed scopes are boxes, open ones are frames around their contents.
import dagre from "@dagrejs/dagre";
import type { Column, Table } from "../answers/api";
import { cellText } from "../answers/api";
import type { Tree } from "../tree/rows";
import { hasChildren } from "../tree/rows";

const BOXES_MOST = 220;
const HUB_LEAST = 12; // a box with at least so many neighbours is set apart
const HUB_TIMES = 2; // and this many times those of the median box
const GAP = 18;
const HEIGHT = 34;
const MARGIN = 12;
const STRIP_LEAST = 900; // least width in which boxes without lines are arranged

export interface Place {
  x: number; // the middle of the box
  y: number;
  width: number;
  height: number;
}

export interface Box extends Place {
  row: number;
  text: string;
  scope: boolean; // can be opened
}

export interface Frame extends Place {
  row: number;
}

export interface Line {
  from: number;
  to: number;
  count: number;
  points: { x: number; y: number }[]; // empty: not drawn because one of its ends is set apart
}

export interface Strip {
  y: number;
  text: string;
}

export interface Picture {
  boxes: Box[];
  frames: Frame[];
  lines: Line[];
  strips: Strip[];
  hubs: number[];
  width: number;
  height: number;
  left: number; // boxes that did not fit
}

/** Edges by rows of the tree. */
export interface Ends {
  source: Int32Array;
  target: Int32Array;
  isNode: Uint8Array; // rows at which edges begin or end
}

export function endsOf(tree: Tree, name: Column, edges: Table): Ends {
  const places = new Map<string, number>();
  for (let row = 1; row < tree.rows; row++) places.set(cellText(name, row), row);
  const isNode = new Uint8Array(tree.rows);
  const rowsOf = (column: Column | undefined): Int32Array => {
    const rows = column?.texts?.map((text) => places.get(text) ?? -1) ?? [];
    const out = new Int32Array(edges.rows).fill(-1);
    for (let i = 0; i < edges.rows; i++) {
      const row = rows[column?.values[i] ?? 0] ?? -1;
      out[i] = row;
      if (row >= 0) isNode[row] = 1;
    }
    return out;
  };
  return { source: rowsOf(edges.column("source")), target: rowsOf(edges.column("target")), isNode };
}

/** The box that represents each row: itself, or the closed scope around it. Row 0 contains all. */
function shownAs(tree: Tree, open: Set<number>): Int32Array {
  const out = new Int32Array(tree.rows);
  for (let row = 1; row < tree.rows; row++) {
    const above = tree.parent[row] ?? 0;
    const seen = above <= 0 || (open.has(above) && out[above] === above);
    out[row] = seen ? row : (out[above] ?? 0);
  }
  return out;
}

function linesOf(ends: Ends, as: Int32Array, kept: Set<number>): Line[] {
  const lines = new Map<number, Line>();
  for (let i = 0; i < ends.source.length; i++) {
    const from = as[ends.source[i] ?? -1] ?? -1;
    const to = as[ends.target[i] ?? -1] ?? -1;
    if (from === to || !kept.has(from) || !kept.has(to)) continue;
    const key = from * as.length + to;
    const line = lines.get(key);
    if (line) line.count++;
    else lines.set(key, { from, to, count: 1, points: [] });
  }
  return [...lines.values()];
}

/** Boxes with so many readers or inputs that their lines would hide the rest, such as gradients or a saver: the biggest
 * is set apart first, then the biggest of the rest. */
function hubsOf(lines: Line[], kept: number[], put: Set<number>): number[] {
  const near = new Map<number, Set<number>>(kept.map((row) => [row, new Set<number>()]));
  for (const l of lines) {
    near.get(l.from)?.add(l.to);
    near.get(l.to)?.add(l.from);
  }
  const hubs: number[] = [];
  for (;;) {
    const left = [...near].filter(([, n]) => n.size).sort((a, b) => b[1].size - a[1].size);
    const least = Math.max(HUB_LEAST, HUB_TIMES * (left[left.length >> 1]?.[1].size ?? 0));
    const hub = left.find(([row, n]) => n.size >= least && !put.has(row));
    if (!hub) return hubs.sort((a, b) => a - b);
    hubs.push(hub[0]);
    for (const other of hub[1]) near.get(other)?.delete(hub[0]);
    near.delete(hub[0]);
  }
}

/** Arranges boxes side by side in lines; returns the height. */
function putStrip(boxes: Box[], width: number, top: number): number {
  let [x, y] = [MARGIN, top];
  for (const box of boxes) {
    if (x > MARGIN && x + box.width > width) [x, y] = [MARGIN, y + HEIGHT + 10];
    box.x = x + box.width / 2;
    box.y = y + HEIGHT / 2;
    x += box.width + 10;
  }
  return y + HEIGHT;
}

function putLinked(boxes: Box[], lines: Line[], frames: number[], tree: Tree): { frames: Frame[]; width: number; height: number } {
  if (!boxes.length) return { frames: [], width: 0, height: 0 };
  const graph = new dagre.graphlib.Graph({ compound: true });
  const frameId = (row: number): string => `frame ${row}`;
  const inside = new Set(frames);
  graph.setGraph({ rankdir: "TB", nodesep: GAP, ranksep: 30, marginx: MARGIN, marginy: MARGIN });
  const used = new Set<number>();
  for (const box of boxes) {
    graph.setNode(String(box.row), { width: box.width, height: box.height });
    let child = String(box.row);
    let above = inside.has(box.row) ? box.row : (tree.parent[box.row] ?? 0);
    for (; above > 0 && inside.has(above); above = tree.parent[above] ?? 0) {
      const known = used.has(above);
      if (!known) graph.setNode(frameId(above), {});
      used.add(above);
      graph.setParent(child, frameId(above));
      if (known) break;
      child = frameId(above);
    }
  }
  for (const l of lines)
    graph.setEdge(String(l.from), String(l.to), l.count > 1 ? { width: 10 + 7 * String(l.count).length, height: 14, labelpos: "c" } : {});
  dagre.layout(graph);
  for (const box of boxes) Object.assign(box, { x: (graph.node(String(box.row)) as Place).x, y: (graph.node(String(box.row)) as Place).y });
  for (const l of lines) l.points = (graph.edge(String(l.from), String(l.to)) as { points: { x: number; y: number }[] }).points;
  const size = graph.graph() as { width?: number; height?: number };
  const at = (row: number): Frame => {
    const { x, y, width, height } = graph.node(frameId(row)) as Place;
    return { row, x, y, width, height };
  };
  return { frames: [...used].sort((a, b) => a - b).map(at), width: size.width ?? 0, height: size.height ?? 0 };
}

/** `put`: hubs to draw among the others all the same. When there are too many boxes the most important ones are kept. */
export function layOut(tree: Tree, name: Column, total: Column, ends: Ends, open: Set<number>, put: Set<number>): Picture {
  const as = shownAs(tree, open);
  const shown: number[] = [];
  const frames: number[] = [];
  for (let row = 1; row < tree.rows; row++) {
    if (as[row] !== row) continue;
    const opened = open.has(row) && hasChildren(tree, row);
    if (opened) frames.push(row);
    if (!opened || ends.isNode[row]) shown.push(row);
  }
  const kept = shown.slice().sort((a, b) => (total.values[b] ?? 0) - (total.values[a] ?? 0) || a - b).slice(0, BOXES_MOST);
  kept.sort((a, b) => a - b);
  const all = linesOf(ends, as, new Set(kept));
  const hubs = hubsOf(all, kept, put);
  const isHub = new Set(hubs);
  const lines = all.filter((l) => !isHub.has(l.from) && !isHub.has(l.to));
  const linked = new Set(lines.flatMap((l) => [l.from, l.to]));
  const boxes = kept.map((row): Box => {
    const path = cellText(name, row);
    const last = path.slice(path.lastIndexOf("/") + 1);
    const text = last.length > 26 ? `${last.slice(0, 25)}…` : last;
    return { row, text, scope: hasChildren(tree, row) && !open.has(row), x: 0, y: 0, width: Math.max(48, 34 + text.length * 7.4), height: HEIGHT };
  });
  const main = putLinked(boxes.filter((b) => linked.has(b.row)), lines, frames, tree);
  const width = Math.max(main.width, STRIP_LEAST);
  const strips: Strip[] = [];
  let bottom = main.height;
  const strip = (text: string, fits: (b: Box) => boolean): void => {
    const those = boxes.filter((b) => !linked.has(b.row) && fits(b));
    if (!those.length) return;
    strips.push({ text, y: bottom + 24 });
    bottom = putStrip(those, width, bottom + 36);
  };
  strip("Set apart, because very many others are connected with them:", (b) => isHub.has(b.row));
  strip("Not connected with what is drawn:", (b) => !isHub.has(b.row));
  return { boxes, frames: main.frames, lines: all, strips, hubs, width, height: bottom + MARGIN, left: shown.length - kept.length };
}

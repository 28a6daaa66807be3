// SPDX-License-Identifier: Apache-2.0
// The rows of a tree in the order in which they are shown: open ones, sorted among their siblings, found by a search.
import type { Column, Table } from "../answers/api";

export interface Tree {
  rows: number;
  first: Uint32Array; // for each row its first index in `children`; the last element is where the roots begin
  children: Uint32Array;
  depth: Uint32Array;
  parent: Int32Array; // -1: it is a root
}

/** Fills the children in the order of `order`, by default the table's. */
function gather(tree: Omit<Tree, "children">, order: Uint32Array | null): Uint32Array {
  const { rows, parent, first } = tree;
  const at = first.slice();
  const children = new Uint32Array(rows);
  for (let i = 0; i < rows; i++) {
    const row = order ? (order[i] ?? 0) : i;
    const above = parent[row] ?? -1;
    const slot = above < 0 ? rows : above;
    const place = at[slot] ?? 0;
    children[place] = row;
    at[slot] = place + 1;
  }
  return children;
}

/** In a table parents come before their children; without a parent column every row is a root. */
export function makeTree(t: Table): Tree {
  const { rows } = t;
  const parents = t.tree ? t.column("parent") : undefined;
  const parent = new Int32Array(rows).fill(-1);
  const depth = new Uint32Array(rows);
  const first = new Uint32Array(rows + 2);
  for (let i = 0; i < rows; i++) {
    if (parents && !parents.absent?.[i]) parent[i] = parents.values[i] ?? -1;
    const above = parent[i] ?? -1;
    if (above >= 0) depth[i] = (depth[above] ?? 0) + 1;
    const slot = above < 0 ? rows : above;
    first[slot + 1] = (first[slot + 1] ?? 0) + 1;
  }
  for (let i = 0; i <= rows; i++) first[i + 1] = (first[i + 1] ?? 0) + (first[i] ?? 0);
  const tree = { rows, first, depth, parent };
  return { ...tree, children: gather(tree, null) };
}

export function hasChildren(tree: Tree, row: number): boolean {
  return (tree.first[row + 1] ?? 0) > (tree.first[row] ?? 0);
}

/** From the root down, rows with children that are the only child of the row above: if such a row were closed, nothing else
 * would be shown. */
export function aloneIn(tree: Tree): number[] {
  const rows: number[] = [];
  for (let row = 0; ; ) {
    const from = tree.first[row] ?? 0;
    const child = tree.children[from] ?? 0;
    if ((tree.first[row + 1] ?? 0) - from !== 1 || !hasChildren(tree, child)) return rows;
    rows.push(child);
    row = child;
  }
}

export interface Order {
  column: Column;
  down: boolean;
}

/** Converts numbers to 64-bit keys with the same order; absent numbers are last in both
 * directions. */
function keysOf(column: Column, rows: number, down: boolean): Uint16Array {
  const keys = Float64Array.from(column.values);
  const words = new Uint32Array(keys.buffer);
  const turn = down ? 0xffffffff : 0;
  for (let i = 0; i < rows; i++) {
    if (column.absent?.[i]) {
      words[2 * i] = words[2 * i + 1] = 0xffffffff;
      continue;
    }
    // of negative numbers all bits are flipped, of others only the sign
    const below = (words[2 * i + 1] ?? 0) >>> 31 !== 0;
    words[2 * i] = (words[2 * i] ?? 0) ^ (below ? 0xffffffff : 0) ^ turn;
    words[2 * i + 1] = (words[2 * i + 1] ?? 0) ^ (below ? 0xffffffff : 0x80000000) ^ turn;
  }
  return new Uint16Array(keys.buffer);
}

/** Sorts all rows by a column of numbers, equal ones in the table's order: a radix sort, linear in
 * the rows. */
function byNumber(column: Column, rows: number, down: boolean): Uint32Array {
  const keys = keysOf(column, rows, down);
  let order = new Uint32Array(rows);
  for (let i = 0; i < rows; i++) order[i] = i;
  let next = new Uint32Array(rows);
  const at = new Uint32Array(65537);
  for (let digit = 0; digit < 4; digit++) {
    at.fill(0);
    for (let i = 0; i < rows; i++) {
      const key = keys[4 * i + digit] ?? 0;
      at[key + 1] = (at[key + 1] ?? 0) + 1;
    }
    if (at[(keys[digit] ?? 0) + 1] === rows) continue; // this digit is the same in all rows
    for (let i = 0; i < 65536; i++) at[i + 1] = (at[i + 1] ?? 0) + (at[i] ?? 0);
    for (let i = 0; i < rows; i++) {
      const row = order[i] ?? 0;
      const key = keys[4 * row + digit] ?? 0;
      const place = at[key] ?? 0;
      next[place] = row;
      at[key] = place + 1;
    }
    [order, next] = [next, order];
  }
  return order;
}

/** Sorts siblings by their texts; groups already in order cost one pass. */
function byText(tree: Tree, column: Column, down: boolean): Uint32Array {
  const texts = column.texts ?? [];
  const { values } = column;
  const sign = down ? -1 : 1;
  const compare = (a: number, b: number): number => {
    const x = texts[values[a] ?? 0] ?? "";
    const y = texts[values[b] ?? 0] ?? "";
    return x === y ? a - b : x < y ? -sign : sign;
  };
  const sorted = tree.children.slice();
  for (let slot = 0; slot <= tree.rows; slot++) {
    const from = tree.first[slot] ?? 0;
    const to = tree.first[slot + 1] ?? 0;
    for (let i = from + 1; i < to; i++) {
      if (compare(sorted[i - 1] ?? 0, sorted[i] ?? 0) <= 0) continue;
      sorted.subarray(from, to).sort(compare);
      break;
    }
  }
  return sorted;
}

/** Sorts siblings by a column; absent cells are last. Replaces tree.children. */
export function sortSiblings(tree: Tree, order: Order | null): Uint32Array {
  if (!order) return tree.children;
  if (order.column.texts) return byText(tree, order.column, order.down);
  return gather(tree, byNumber(order.column, tree.rows, order.down));
}

interface Lowered {
  whole: string; // all texts in lower case, one on each line
  ends: Uint32Array;
}

const lowered = new WeakMap<string[], Lowered>();

function lower(texts: string[]): Lowered {
  let whole = texts.join("\n").toLowerCase();
  const size = texts.reduce((sum, t) => sum + t.length + 1, -1);
  const small = whole.length === size ? texts : texts.map((t) => t.toLowerCase()); // some letters become two in lower case
  if (small !== texts) whole = small.join("\n");
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (let i = 0; i < ends.length; i++) ends[i] = end += (small[i] ?? "").length + 1;
  return { whole, ends };
}

/** Marks the texts that contain another text, ignoring case. */
export function textsWith(texts: string[], text: string): Uint8Array {
  let low = lowered.get(texts);
  if (!low) lowered.set(texts, (low = lower(texts)));
  const { whole, ends } = low;
  const wanted = text.toLowerCase();
  const out = new Uint8Array(texts.length);
  let i = 0;
  for (let at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, ends[i])) {
    while ((ends[i] ?? Infinity) <= at) i++;
    out[i] = 1;
  }
  return out;
}

/** Marks rows whose name contains the text (2), and their ancestors (1); null: every row. */
export function findRows(t: Table, tree: Tree, text: string): Uint8Array | null {
  const name = t.columns[0];
  if (!text || !name?.texts) return null;
  const fits = textsWith(name.texts, text);
  const found = new Uint8Array(t.rows);
  for (let i = t.rows - 1; i >= 0; i--) {
    if (fits[name.values[i] ?? 0]) found[i] = 2;
    const above = tree.parent[i] ?? -1;
    if (found[i] && above >= 0 && !found[above]) found[above] = 1;
  }
  return found;
}

/** The rows to show: from the roots down through open rows. */
export function visibleRows(tree: Tree, children: Uint32Array, open: Uint8Array, found: Uint8Array | null): Uint32Array {
  const out = new Uint32Array(tree.rows);
  const stack = new Uint32Array(tree.rows);
  let height = 0;
  let count = 0;
  const push = (slot: number): void => {
    for (let i = (tree.first[slot + 1] ?? 0) - 1; i >= (tree.first[slot] ?? 0); i--) stack[height++] = children[i] ?? 0;
  };
  push(tree.rows);
  while (height) {
    const row = stack[--height] ?? 0;
    if (found && !found[row]) continue;
    out[count++] = row;
    if (open[row] || found) push(row);
  }
  return out.subarray(0, count);
}


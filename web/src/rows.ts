// The rows of a tree in the order in which they are shown: open ones, sorted among their siblings, found by a search.
import type { Column, Table } from "./api";
import { cellText } from "./api";

export interface Tree {
  rows: number;
  first: Uint32Array; // where a row's children begin in `children`; one more at the end
  children: Uint32Array;
  depth: Uint32Array;
  parent: Int32Array;
}

/** Parents come before their children in a table; without a parent column it is a list below row 0, or flat. */
export function makeTree(t: Table): Tree {
  const parents = t.tree ? t.column("parent") : undefined;
  const parent = new Int32Array(t.rows).fill(-1);
  const depth = new Uint32Array(t.rows);
  const first = new Uint32Array(t.rows + 2);
  for (let i = 0; i < t.rows; i++) {
    if (parents && !parents.absent?.[i]) parent[i] = parents.values[i] ?? -1;
    const above = parent[i] ?? -1;
    if (above >= 0) {
      depth[i] = (depth[above] ?? 0) + 1;
      first[above + 1] = (first[above + 1] ?? 0) + 1;
    }
  }
  for (let i = 0; i < t.rows; i++) first[i + 1] = (first[i + 1] ?? 0) + (first[i] ?? 0);
  const at = first.slice();
  const children = new Uint32Array(first[t.rows] ?? 0);
  for (let i = 0; i < t.rows; i++) {
    const above = parent[i] ?? -1;
    if (above >= 0) {
      const place = at[above] ?? 0;
      children[place] = i;
      at[above] = place + 1;
    }
  }
  return { rows: t.rows, first, children, depth, parent };
}

export interface Order {
  column: Column;
  down: boolean;
}

/** Siblings by a column; absent cells last. A new array beside tree.children. */
export function sortSiblings(tree: Tree, order: Order | null): Uint32Array {
  if (!order) return tree.children;
  const { column, down } = order;
  const sorted = tree.children.slice();
  const sign = down ? -1 : 1;
  const values = column.values;
  const texts = column.texts;
  const compare = (a: number, b: number): number => {
    const lacks = (column.absent?.[a] ?? 0) - (column.absent?.[b] ?? 0);
    if (lacks) return lacks;
    const x = values[a] ?? 0;
    const y = values[b] ?? 0;
    if (texts) return sign * ((texts[x] ?? "") < (texts[y] ?? "") ? -1 : x === y ? 0 : 1);
    return sign * (x - y) || a - b;
  };
  for (let i = 0; i < tree.rows; i++) {
    const from = tree.first[i] ?? 0;
    const to = tree.first[i + 1] ?? 0;
    if (to - from > 1) sorted.subarray(from, to).sort(compare);
  }
  return sorted;
}

/** Rows whose name has the text, and all above them; null: every row. */
export function findRows(t: Table, tree: Tree, text: string): Uint8Array | null {
  const name = t.columns[0];
  if (!text || !name) return null;
  const wanted = text.toLowerCase();
  const found = new Uint8Array(t.rows);
  for (let i = t.rows - 1; i >= 0; i--) {
    if (!found[i] && cellText(name, i).toLowerCase().includes(wanted)) found[i] = 2;
    const above = tree.parent[i] ?? -1;
    if (found[i] && above >= 0 && !found[above]) found[above] = 1;
  }
  return found;
}

/** The rows to show: from the roots down through open rows. */
export function visibleRows(tree: Tree, children: Uint32Array, open: Uint8Array, found: Uint8Array | null): Uint32Array {
  const out = new Uint32Array(tree.rows);
  const stack: number[] = [];
  let count = 0;
  for (let root = 0; root < tree.rows; root++) {
    if ((tree.parent[root] ?? -1) >= 0) continue;
    stack.push(root);
    while (stack.length) {
      const row = stack.pop() ?? 0;
      if (found && !found[row]) continue;
      out[count++] = row;
      if (!open[row] && !found) continue;
      for (let i = (tree.first[row + 1] ?? 0) - 1; i >= (tree.first[row] ?? 0); i--) stack.push(children[i] ?? 0);
    }
  }
  return out.subarray(0, count);
}

export const hasChildren = (tree: Tree, row: number): boolean => (tree.first[row + 1] ?? 0) > (tree.first[row] ?? 0);

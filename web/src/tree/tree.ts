// SPDX-License-Identifier: Apache-2.0
// The state of a table of rows: open, found, chosen and visible rows, and the keys.
import type { RefObject } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Table } from "../answers/api";
import type { Order, Tree } from "./rows";
import { aloneIn, findRows, hasChildren, makeTree, sortSiblings, visibleRows } from "./rows";

export const ROW_PX = 26;
const BEYOND = 10; // rows drawn above and below the visible ones

export interface Seen {
  from: number;
  to: number;
  slots: number; // DOM elements, reused for rows that become visible
}

/** The visible rows. All have the same height, so a division finds them. */
export function useSeen(count: number, box: RefObject<HTMLDivElement | null>): Seen {
  const [first, setFirst] = useState(0);
  const [height, setHeight] = useState(900);
  useEffect(() => {
    const here = box.current;
    if (!here) return;
    const follow = (): void => setFirst(Math.floor(here.scrollTop / ROW_PX));
    const watch = new ResizeObserver(() => setHeight(here.clientHeight));
    watch.observe(here);
    here.addEventListener("scroll", follow, { passive: true });
    return () => {
      watch.disconnect();
      here.removeEventListener("scroll", follow);
    };
  }, []);
  const slots = Math.ceil(height / ROW_PX) + 2 * BEYOND + 1;
  const from = Math.max(0, Math.min(first - BEYOND, count - slots));
  return { from, to: Math.min(count, from + slots), slots };
}

function orderOf(table: Table, sort: string): Order | null {
  const column = table.column(sort.replace(/^-/, ""));
  return column ? { column, down: sort.startsWith("-") } : null;
}

function openAbove(tree: Tree, depth: number, also: number[]): Uint8Array {
  const open = new Uint8Array(tree.rows);
  for (let i = 0; i < tree.rows; i++) if ((tree.depth[i] ?? 0) < depth) open[i] = 1;
  for (const row of also) open[row] = 1;
  return open;
}

export interface TreeState {
  tree: Tree;
  rows: Uint32Array; // indexes of the shown rows, in order
  found: Uint8Array | null;
  current: number; // index of the chosen row in rows
  isOpen: (row: number) => boolean;
  toggle: (row: number, to?: boolean) => void;
  openAll: () => void;
  closeAll: () => void;
  choose: (row: number) => void;
}

export function useTree(table: Table, search: string, sort: string, openDepth: number): TreeState {
  const tree = useMemo(() => makeTree(table), [table]);
  const children = useMemo(() => sortSiblings(tree, orderOf(table, sort)), [tree, sort]);
  const found = useMemo(() => findRows(table, tree, search), [tree, search]);
  const start = useMemo(() => openAbove(tree, openDepth, table.tree ? aloneIn(tree) : []), [tree, openDepth]);
  const [changed, setChanged] = useState({ of: start, open: start });
  const open = changed.of === start ? changed.open : start;
  const rows = useMemo(() => visibleRows(tree, children, open, found), [tree, children, open, found]);
  const [chosen, choose] = useState(-1);
  const set = (next: Uint8Array): void => setChanged({ of: start, open: next });
  return {
    tree,
    rows,
    found,
    current: Math.max(0, rows.indexOf(chosen)), // the same row stays chosen when it moves
    isOpen: (row) => Boolean(open[row]) || Boolean(found),
    toggle: (row, to) => {
      const next = open.slice();
      next[row] = (to ?? !open[row]) ? 1 : 0;
      set(next);
    },
    openAll: () => set(new Uint8Array(tree.rows).fill(1)),
    closeAll: () => set(openAbove(tree, 1, [])),
    choose,
  };
}

/** Chooses the row at an index and scrolls it into view. */
function moveTo(s: TreeState, box: HTMLDivElement | null, to: number): void {
  const at = Math.max(0, Math.min(s.rows.length - 1, to));
  s.choose(s.rows[at] ?? 0);
  if (!box) return;
  const room = box.clientHeight - 2 * ROW_PX; // without the head and a horizontal scroll bar
  if (at * ROW_PX < box.scrollTop) box.scrollTop = at * ROW_PX;
  else if (at * ROW_PX > box.scrollTop + room - ROW_PX) box.scrollTop = (at + 1) * ROW_PX - room;
}

export function onTreeKey(event: KeyboardEvent, s: TreeState, box: HTMLDivElement | null, onPick?: (row: number) => void): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
  const row = s.rows[s.current] ?? 0;
  const page = Math.max(1, Math.floor((box?.clientHeight ?? 400) / ROW_PX) - 2);
  const move = (by: number): void => moveTo(s, box, s.current + by);
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    PageDown: () => move(page),
    PageUp: () => move(-page),
    Home: () => moveTo(s, box, 0),
    End: () => moveTo(s, box, s.rows.length - 1),
    ArrowRight: () => hasChildren(s.tree, row) && (s.isOpen(row) ? move(1) : s.toggle(row, true)),
    ArrowLeft: () => {
      const parent = s.rows.indexOf(s.tree.parent[row] ?? -1);
      if (s.isOpen(row) && !s.found && hasChildren(s.tree, row)) s.toggle(row, false);
      else if (parent >= 0) moveTo(s, box, parent);
    },
    Enter: () => onPick?.(row),
    " ": () => hasChildren(s.tree, row) && s.toggle(row),
    "*": s.openAll,
  };
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

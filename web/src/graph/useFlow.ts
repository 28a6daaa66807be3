// SPDX-License-Identifier: Apache-2.0
// The state of the dataflow graph: open scopes, the picked box, the zoom.
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Column, Table } from "../answers/api";
import { cellText } from "../answers/api";
import type { Picture } from "./flow";
import { endsOf, layOut } from "./flow";
import type { Tree } from "../tree/rows";
import { counted } from "../text/format";
import { aloneIn, hasChildren, makeTree } from "../tree/rows";
import { change, query, sel, state } from "../state/store";

const NONE_OPEN = ["-"]; // value in the address: scopes that stand alone are closed too
const ZOOM_STEP = 1.25;
const BEGIN_LEAST = 0.7; // at a smaller zoom the drawing starts at its left edge instead

export interface Zoom {
  zoom: number;
  closer: () => void;
  farther: () => void;
  fit: () => void;
}

/** The zoom of the drawing; it begins as large as fits. */
export function useZoom(picture: Picture, box: RefObject<HTMLDivElement | null>): Zoom {
  const [zoom, setZoom] = useState(1);
  const set = (to: number): void => setZoom(Math.max(0.1, Math.min(3, to)));
  const room = (): [number, number] => [((box.current?.clientWidth ?? 900) - 4) / picture.width, ((box.current?.clientHeight ?? 600) - 4) / picture.height];
  useEffect(() => set(Math.max(BEGIN_LEAST, Math.min(1, room()[0]))), [picture]);
  const [closer, farther] = [(): void => set(zoom * ZOOM_STEP), (): void => set(zoom / ZOOM_STEP)];
  useEffect(() => {
    const here = box.current;
    const turn = (event: WheelEvent): void => {
      event.preventDefault();
      if (event.deltaY < 0) closer();
      else farther();
    };
    here?.addEventListener("wheel", turn, { passive: false });
    return () => here?.removeEventListener("wheel", turn);
  }, [zoom]);
  return { zoom, closer, farther, fit: () => set(Math.min(1, ...room())) };
}

export interface Flow {
  tree: Tree;
  picture: Picture;
  opened: number[]; // rows of open scopes
  put: number[]; // rows whose lines are drawn although they have many
  picked: number;
  told: string; // the result of the page's search, as text
  away: (row: number) => boolean; // a search is on, and neither the row nor what it holds has the text
  pathOf: (row: number) => string;
  pick: (row: number) => void;
  focus: (row: number) => void; // chooses the row, and moves the keyboard's focus to its box
  toggle: (row: number) => void;
  togglePut: (row: number) => void;
  closeAll: () => void;
}

/** Rows whose name has the text, and those that hold such rows: 2 and 1; null: no text. */
export function foundRows(tree: Tree, name: (row: number) => string, text: string): Uint8Array | null {
  const word = text.trim().toLowerCase();
  if (!word) return null;
  const found = new Uint8Array(tree.rows);
  for (let row = 1; row < tree.rows; row++) {
    if (!name(row).toLowerCase().includes(word)) continue;
    found[row] = 2;
    for (let at = tree.parent[row] ?? 0; at > 0 && !found[at]; at = tree.parent[at] ?? 0) found[at] = 1;
  }
  return found;
}

export function useFlow(t: Table, edges: Table, total: Column, name: Column, box: RefObject<HTMLDivElement | null>): Flow {
  const tree = useMemo(() => makeTree(t), [t]);
  const ends = useMemo(() => endsOf(tree, name, edges), [tree, edges]);
  const rowsNamed = (of: string[]): number[] => {
    const names = new Set(of);
    const rows: number[] = [];
    if (names.size) for (let row = 1; row < t.rows; row++) if (names.has(cellText(name, row))) rows.push(row);
    return rows;
  };
  const alone = useMemo(() => aloneIn(tree), [tree]);
  const opened = useMemo(() => (state.value.open.length ? rowsNamed(state.value.open) : alone), [t, state.value.open.join()]);
  const put = useMemo(() => rowsNamed((state.value.more.with ?? "").split(",").map(decodeURIComponent)), [t, state.value.more.with]);
  const picture = useMemo(() => layOut(tree, name, total, ends, new Set(opened), new Set(put)), [tree, ends, total, opened.join(), put.join()]);
  const [picked, pick] = useState(0);
  const pathOf = (row: number): string => (row > 0 ? cellText(name, row) : "All");
  const wanted = useRef(0); // the row whose box gets the focus once it is drawn
  const focus = (row: number): void => {
    pick(row);
    wanted.current = row;
  };
  useEffect(() => {
    const element = wanted.current ? box.current?.querySelector<SVGGElement>(`#box-${wanted.current}`) : null;
    if (!element) return;
    wanted.current = 0;
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
    element.focus();
  });
  const goOpen = (rows: number[]): void => change({ open: rows.length || !alone.length ? rows.map(pathOf) : NONE_OPEN }, "push");
  const toggled = (rows: number[], row: number): number[] => (rows.includes(row) ? rows.filter((r) => r !== row) : [...rows, row]);
  const text = query.value;
  const found = useMemo(() => foundRows(tree, (row) => cellText(name, row), text), [tree, text]);
  const count = found?.reduce((n, f) => n + Number(f === 2), 0) ?? 0;
  const show = (row: number): void => {
    const above: number[] = [];
    for (let at = tree.parent[row] ?? 0; at > 0; at = tree.parent[at] ?? 0) above.push(at);
    if (above.some((at) => !opened.includes(at))) change({ open: [...new Set([...opened, ...above])].map(pathOf) }, "replace");
    focus(row);
  };
  // what the search of the page found, or selected, is opened
  const chosen = sel.value?.kind === "scope" ? sel.value.id : "";
  useEffect(() => {
    if (!found || !count) return;
    const [named = 0] = chosen ? rowsNamed([chosen]) : [];
    show(named && found[named] === 2 ? named : found.indexOf(2));
  }, [found]);
  return {
    tree,
    picture,
    opened,
    put,
    picked,
    told: found ? (count ? `${counted(count, "name")} with “${text}”` : `No name has “${text}” in it.`) : "",
    away: (row) => found !== null && !found[row],
    pathOf,
    pick,
    focus,
    toggle: (row) => hasChildren(tree, row) && goOpen(toggled(opened, row)),
    togglePut: (row) => change({ more: { with: toggled(put, row).map((r) => encodeURIComponent(pathOf(r))).join(",") } }),
    closeAll: () => goOpen([]),
  };
}

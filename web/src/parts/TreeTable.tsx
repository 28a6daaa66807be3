// A table whose rows form a tree: only what is on the screen is in the document, whatever the number of rows.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Column, Table } from "../api";
import { cellText } from "../api";
import { formatUnit } from "../format";
import type { Order, Tree } from "../rows";
import { findRows, hasChildren, makeTree, sortSiblings, visibleRows } from "../rows";

const ROW_PX = 26;
const HEAD_PX = 48; // with a sideways bar
const BEYOND = 10; // rows above and below what is seen
const UNITS: Record<string, string> = { us: "time", bytes: "bytes", percent: "%" }; // told where the name does not

interface Props {
  table: Table;
  columns: Column[]; // behind the name
  label: string;
  search: string;
  sort: string; // name of a column, "-" before it: downwards; "" as the table has it
  onSort: (sort: string) => void;
  openDepth: number; // rows above it begin open
  shortName?: boolean; // of a path only what is behind the last slash
  onPick?: ((row: number) => void) | undefined;
  pickHint?: string | undefined; // what picking a row does
}

interface Seen {
  from: number;
  to: number;
  slots: number; // elements that are used again and again for the rows that come into sight
}

/** The rows that can be seen. All are of one height, so this is a division. */
function useSeen(count: number, box: { current: HTMLDivElement | null }): Seen {
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

function openAbove(tree: Tree, depth: number): Uint8Array {
  const open = new Uint8Array(tree.rows);
  for (let i = 0; i < tree.rows; i++) if ((tree.depth[i] ?? 0) < depth) open[i] = 1;
  return open;
}

function Cell({ column, row, most }: { column: Column; row: number; most: number }) {
  if (column.type === "text") return <span class="cell text">{cellText(column, row)}</span>;
  if (column.absent?.[row]) return <span class="cell number absent">–</span>;
  const value = column.values[row] ?? 0;
  const share = most > 0 ? Math.max(0, Math.min(1, value / most)) : 0;
  return (
    <span class="cell number" title={`${value}${column.unit ? ` ${column.unit}` : ""}`}>
      <span class="bar" style={{ width: `calc(${share.toFixed(4)} * (100% - 0.6rem))` }} />
      <span class="value">{formatUnit(column.unit, value)}</span>
    </span>
  );
}

function mostOf(column: Column): number {
  let most = 0;
  if (column.type === "text") return most;
  for (let i = 0; i < column.values.length; i++) most = Math.max(most, column.values[i] ?? 0);
  return most;
}

function nextSort(column: Column, sort: string): string {
  if (sort === `-${column.name}`) return column.name;
  if (sort === column.name) return "";
  return column.type === "text" ? column.name : `-${column.name}`;
}

/** Wide enough for its head, in rem. */
function widthOf(column: Column): number {
  return column.type === "text" ? 14 : Math.max(7, column.name.length * 0.55 + 1.9);
}

function Head({ column, sort, onSort }: { column: Column; sort: string; onSort: (sort: string) => void }) {
  const up = sort === column.name;
  const down = sort === `-${column.name}`;
  const unit = column.type === "number" && !/micros|bytes|percent/.test(column.name) ? UNITS[column.unit ?? ""] : undefined;
  return (
    <span
      role="columnheader"
      data-column={column.name}
      class={column.type === "text" ? "text" : "number"}
      aria-sort={up ? "ascending" : down ? "descending" : "none"}
    >
      <button type="button" onClick={() => onSort(nextSort(column, sort))} title={`sort by ${column.name.replaceAll("_", " ")}`}>
        {column.name.replaceAll("_", " ")}
        {unit && <span class="unit"> {unit}</span>}
        <span aria-hidden="true">{up ? " ▲" : down ? " ▼" : ""}</span>
      </button>
    </span>
  );
}

export function TreeTable(props: Props) {
  const { table, columns, search, sort } = props;
  const name = table.columns[0];
  const box = useRef<HTMLDivElement>(null);
  const tree = useMemo(() => makeTree(table), [table]);
  const children = useMemo(() => sortSiblings(tree, orderOf(table, sort)), [tree, sort]);
  const found = useMemo(() => findRows(table, tree, search), [tree, search]);
  const most = useMemo(() => columns.map(mostOf), [table, columns]);
  const start = useMemo(() => openAbove(tree, props.openDepth), [tree, props.openDepth]);
  const [changed, setChanged] = useState({ of: start, open: start });
  const open = changed.of === start ? changed.open : start;
  const rows = useMemo(() => visibleRows(tree, children, open, found), [tree, children, open, found]);
  const [chosen, setChosen] = useState(-1);
  const current = Math.max(0, rows.indexOf(chosen)); // the row stays chosen when it goes to another place
  const seen = useSeen(rows.length, box);

  const setOpen = (next: Uint8Array): void => setChanged({ of: start, open: next });
  const openAll = (): void => setOpen(new Uint8Array(tree.rows).fill(1));
  const toggle = (row: number, to?: boolean): void => {
    const next = open.slice();
    next[row] = (to ?? !open[row]) ? 1 : 0;
    setOpen(next);
  };
  const move = (to: number): void => {
    const at = Math.max(0, Math.min(rows.length - 1, to));
    const here = box.current;
    setChosen(rows[at] ?? 0);
    if (!here) return;
    const room = here.clientHeight - 2 * ROW_PX; // the head, and what a sideways bar takes
    if (at * ROW_PX < here.scrollTop) here.scrollTop = at * ROW_PX;
    else if (at * ROW_PX > here.scrollTop + room - ROW_PX) here.scrollTop = (at + 1) * ROW_PX - room;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[current] ?? 0;
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 400) / ROW_PX) - 2);
    const isOpen = Boolean(open[row]) || Boolean(found);
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(current + 1),
      ArrowUp: () => move(current - 1),
      PageDown: () => move(current + page),
      PageUp: () => move(current - page),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      ArrowRight: () => hasChildren(tree, row) && (isOpen ? move(current + 1) : toggle(row, true)),
      ArrowLeft: () => {
        const parent = rows.indexOf(tree.parent[row] ?? -1);
        if (open[row] && !found && hasChildren(tree, row)) toggle(row, false);
        else if (parent >= 0) move(parent);
      },
      Enter: () => props.onPick?.(row),
      " ": () => hasChildren(tree, row) && toggle(row),
      "*": openAll,
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  if (!name || !table.rows) return <p class="empty">No row fits these options.</p>;
  const widths = columns.map(widthOf);
  const width = { gridTemplateColumns: `var(--name-width) ${widths.map((w) => `${w.toFixed(1)}rem`).join(" ")}` };
  const least = { minWidth: `calc(var(--name-least) + ${widths.reduce((sum, w) => sum + w, 0).toFixed(1)}rem)` };
  const items = Array.from({ length: Math.max(0, seen.to - seen.from) }, (_, i) => seen.from + i);
  const here = rows[current] ?? 0;
  return (
    <div class="table">
      <div class="tools">
        <button type="button" onClick={openAll}>Open all</button>
        <button type="button" onClick={() => setOpen(openAbove(tree, 1))}>Close all</button>
        <span class="count" aria-live="polite">{rows.length.toLocaleString()} of {table.rows.toLocaleString()} rows</span>
        {props.pickHint && <span class="count hint">Enter or a double click: {props.pickHint}</span>}
      </div>
      {!rows.length && <p class="empty">No row has “{search}” in its name.</p>}
      <div
        class="scroll"
        hidden={!rows.length}
        ref={box}
        style={{ height: `min(${rows.length * ROW_PX + HEAD_PX}px, var(--most))` }}
        role="treegrid"
        aria-label={props.label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={current >= seen.from && current < seen.to ? `row-${here}` : undefined}
        tabIndex={0}
        onKeyDown={onKey}
      >
        <div class="head" role="row" aria-rowindex={1} style={{ ...width, ...least }}>
          {[name, ...columns].map((c) => <Head key={c.name} column={c} sort={sort} onSort={props.onSort} />)}
        </div>
        <div class="body" style={{ ...least, height: `${rows.length * ROW_PX}px` }} role="rowgroup">
          {items.map((at) => {
            const row = rows[at] ?? 0;
            const path = cellText(name, row);
            const parent = hasChildren(tree, row);
            return (
              <div
                key={at % seen.slots}
                id={`row-${row}`}
                role="row"
                class={`row${at === current ? " current" : ""}${found?.[row] === 2 ? " found" : ""}`}
                aria-rowindex={at + 2}
                aria-level={(tree.depth[row] ?? 0) + 1}
                aria-expanded={parent ? Boolean(open[row]) || Boolean(found) : undefined}
                aria-selected={at === current}
                style={{ ...width, transform: `translateY(${at * ROW_PX}px)` }}
                onClick={() => setChosen(row)}
                onDblClick={() => props.onPick?.(row)}
              >
                <span role="gridcell" class="name" style={{ paddingLeft: `${(tree.depth[row] ?? 0) * 0.9 + 0.25}rem` }} title={path}>
                  {parent ? (
                    <button
                      type="button"
                      class="twist"
                      tabIndex={-1}
                      aria-hidden="true"
                      onClick={() => toggle(row)}
                      onDblClick={(e) => e.stopPropagation()}
                    >
                      {open[row] || found ? "▾" : "▸"}
                    </button>
                  ) : (
                    <span class="twist" />
                  )}
                  {props.shortName ? path.slice(path.lastIndexOf("/") + 1) : path}
                </span>
                {columns.map((c, i) => (
                  <span role="gridcell" key={c.name}>
                    <Cell column={c} row={row} most={most[i] ?? 0} />
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

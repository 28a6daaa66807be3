// A table whose rows form a tree: only what is on the screen is in the document, whatever the number of rows.
import { Virtualizer, elementScroll, observeElementOffset, observeElementRect } from "@tanstack/virtual-core";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Column, Table } from "../api";
import { cellText } from "../api";
import { formatUnit } from "../format";
import type { Order } from "../rows";
import { findRows, hasChildren, makeTree, sortSiblings, visibleRows } from "../rows";

const ROW_PX = 26;

interface Props {
  table: Table;
  columns: Column[]; // behind the name
  label: string;
  search: string;
  sort: string; // name of a column, "-" before it: downwards; "" as the table has it
  onSort: (sort: string) => void;
  openDepth: number; // rows above it begin open
  shortName?: boolean; // of a path only what is behind the last slash
  onPick?: (row: number) => void;
}

function useVirtual(count: number, box: { current: HTMLDivElement | null }): Virtualizer<HTMLDivElement, Element> {
  const [, redraw] = useState(0);
  const options = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw((n) => n + 1),
  };
  const virtual = useMemo(() => new Virtualizer<HTMLDivElement, Element>(options), []);
  virtual.setOptions(options);
  useEffect(() => virtual._didMount(), []);
  useEffect(() => virtual._willUpdate());
  return virtual;
}

function orderOf(table: Table, sort: string): Order | null {
  const column = table.column(sort.replace(/^-/, ""));
  return column ? { column, down: sort.startsWith("-") } : null;
}

function Cell({ column, row, most }: { column: Column; row: number; most: number }) {
  if (column.type === "text") return <span class="cell text">{cellText(column, row)}</span>;
  if (column.absent?.[row]) return <span class="cell number absent">–</span>;
  const value = column.values[row] ?? 0;
  const share = most > 0 ? Math.max(0, Math.min(1, value / most)) : 0;
  return (
    <span class="cell number" title={`${value}${column.unit ? ` ${column.unit}` : ""}`}>
      <span class="bar" style={{ width: `${(share * 100).toFixed(1)}%` }} />
      <span class="value">{formatUnit(column.unit, value)}</span>
    </span>
  );
}

function mostOf(column: Column): number {
  let most = 0;
  if (column.type !== "text") for (const value of column.values) if (value > most) most = value;
  return most;
}

function nextSort(column: Column, sort: string): string {
  if (sort === `-${column.name}`) return column.name;
  if (sort === column.name) return "";
  return column.type === "text" ? column.name : `-${column.name}`;
}

export function TreeTable(props: Props) {
  const { table, columns, search, sort } = props;
  const name = table.columns[0];
  const box = useRef<HTMLDivElement>(null);
  const tree = useMemo(() => makeTree(table), [table]);
  const children = useMemo(() => sortSiblings(tree, orderOf(table, sort)), [tree, sort]);
  const found = useMemo(() => findRows(table, tree, search), [tree, search]);
  const most = useMemo(() => columns.map(mostOf), [table, columns]);
  const [open, setOpen] = useState<Uint8Array>(new Uint8Array(0));
  useEffect(() => setOpen(Uint8Array.from(tree.depth, (d) => (d < props.openDepth ? 1 : 0))), [tree, props.openDepth]);
  const rows = useMemo(() => visibleRows(tree, children, open, found), [tree, children, open, found]);
  const [current, setCurrent] = useState(0);
  const virtual = useVirtual(rows.length, box);

  const toggle = (row: number, to?: boolean): void => {
    const next = open.slice();
    next[row] = (to ?? !open[row]) ? 1 : 0;
    setOpen(next);
  };
  const move = (to: number): void => {
    const at = Math.max(0, Math.min(rows.length - 1, to));
    setCurrent(at);
    virtual.scrollToIndex(at);
  };
  const onKey = (event: KeyboardEvent): void => {
    const row = rows[current] ?? 0;
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 400) / ROW_PX) - 2);
    const parent = rows.indexOf(tree.parent[row] ?? -1);
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(current + 1),
      ArrowUp: () => move(current - 1),
      PageDown: () => move(current + page),
      PageUp: () => move(current - page),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      ArrowRight: () => (hasChildren(tree, row) && !open[row] ? toggle(row, true) : move(current + 1)),
      ArrowLeft: () => (open[row] && hasChildren(tree, row) ? toggle(row, false) : parent >= 0 && move(parent)),
      Enter: () => props.onPick?.(row),
      "*": () => setOpen(new Uint8Array(tree.rows).fill(1)),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  if (!name || !table.rows) return <p class="empty">No row fits these options.</p>;
  const width = { gridTemplateColumns: `minmax(14rem, 1fr) ${columns.map((c) => (c.type === "text" ? "14rem" : "8.5rem")).join(" ")}` };
  return (
    <div class="table">
      <div class="tools">
        <button type="button" onClick={() => setOpen(new Uint8Array(tree.rows).fill(1))}>Open all</button>
        <button type="button" onClick={() => setOpen(Uint8Array.from(tree.depth, (d) => (d < 1 ? 1 : 0)))}>Close all</button>
        <span class="count" aria-live="polite">{rows.length.toLocaleString()} of {table.rows.toLocaleString()} rows</span>
      </div>
      <div
        class="scroll"
        ref={box}
        role="treegrid"
        aria-label={props.label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={`row-${rows[current] ?? 0}`}
        tabIndex={0}
        onKeyDown={onKey}
      >
        <div class="head" role="row" aria-rowindex={1} style={width}>
          {[name, ...columns].map((c) => (
            <span
              key={c.name}
              role="columnheader"
              data-column={c.name}
              class={c.type === "text" ? "text" : "number"}
              aria-sort={sort === c.name ? "ascending" : sort === `-${c.name}` ? "descending" : "none"}
            >
              <button type="button" onClick={() => props.onSort(nextSort(c, sort))} title={`sort by ${c.name}`}>
                {c.name.replaceAll("_", " ")}
                {sort === c.name ? " ▲" : sort === `-${c.name}` ? " ▼" : ""}
              </button>
            </span>
          ))}
        </div>
        <div class="body" style={{ height: `${virtual.getTotalSize()}px` }} role="rowgroup">
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index] ?? 0;
            const path = cellText(name, row);
            const parent = hasChildren(tree, row);
            return (
              <div
                key={row}
                id={`row-${row}`}
                role="row"
                class={`row${item.index === current ? " current" : ""}${found?.[row] === 2 ? " found" : ""}`}
                aria-rowindex={item.index + 2}
                aria-level={(tree.depth[row] ?? 0) + 1}
                aria-expanded={parent ? Boolean(open[row]) || Boolean(found) : undefined}
                aria-selected={item.index === current}
                style={{ ...width, transform: `translateY(${item.start}px)` }}
                onClick={() => setCurrent(item.index)}
                onDblClick={() => props.onPick?.(row)}
              >
                <span role="gridcell" class="name" style={{ paddingLeft: `${(tree.depth[row] ?? 0) * 0.9 + 0.25}rem` }} title={path}>
                  {parent ? (
                    <button type="button" class="twist" tabIndex={-1} aria-hidden="true" onClick={() => toggle(row)}>
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

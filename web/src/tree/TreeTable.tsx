// SPDX-License-Identifier: Apache-2.0
// A table whose rows form a tree. Only the visible rows are in the document, whatever their number.
import { useMemo, useRef } from "preact/hooks";
import type { Column, Table } from "../answers/api";
import { cellText } from "../answers/api";
import { rowsAsCsv, rowsAsText } from "../text/copy";
import { Copies } from "../parts/Copies";
import { TreeHead, nameWidthOf, widthOf } from "./TreeHead";
import { TreeRow, reachOf } from "./TreeRow";
import { ROW_PX, onTreeKey, useSeen, useTree } from "./tree";

const HEAD_PX = 48; // including a horizontal scroll bar

interface Props {
  table: Table;
  columns: Column[]; // the columns after the name
  label: string;
  search: string;
  sort: string; // a column's name, with "-" for largest first; "": the table's order
  onSort: (sort: string) => void;
  openDepth: number; // rows of smaller depth are open at first
  shortName?: boolean; // of a path shows only the part after the last slash
  onPick?: ((row: number) => void) | undefined;
  pickHint?: string | undefined; // tells what choosing a row does
}

export function TreeTable(props: Props) {
  const { table, columns, search, sort } = props;
  const name = table.columns[0];
  const box = useRef<HTMLDivElement>(null);
  const state = useTree(table, search, sort, props.openDepth);
  const { rows, current } = state;
  const reach = useMemo(() => {
    const isSum = (row: number): boolean => name?.name === "step" && cellText(name, row) === "all";
    return columns.map((c) => reachOf(c, isSum));
  }, [table, columns]);
  const seen = useSeen(rows.length, box);
  if (!name || !table.rows) return <p class="empty">{table.notes.length ? "No rows." : "No row fits these options."}</p>;
  const widths = columns.map(widthOf);
  const narrow = table.tree ? 0 : nameWidthOf(name);
  const names = narrow ? { first: `minmax(min(var(--name-least), ${narrow.toFixed(1)}rem), ${narrow.toFixed(1)}rem)`, least: `min(var(--name-least), ${narrow.toFixed(1)}rem)` } : { first: "var(--name-width)", least: "var(--name-least)" };
  const width = { gridTemplateColumns: `${names.first} ${widths.map((w) => `${w.toFixed(1)}rem`).join(" ")}` };
  const least = { minWidth: `calc(${names.least} + ${widths.reduce((sum, w) => sum + w, 0).toFixed(1)}rem)` };
  const items = Array.from({ length: Math.max(0, seen.to - seen.from) }, (_, i) => seen.from + i);
  const copies = { text: () => rowsAsText(table, columns, rows, state.tree.depth), CSV: () => rowsAsCsv(table, columns, rows) };
  return (
    <div class="table">
      <div class="tools">
        {table.tree && <button type="button" onClick={state.openAll}>Open all</button>}
        {table.tree && <button type="button" onClick={state.closeAll}>Close all</button>}
        <span class="count" aria-live="polite">{rows.length.toLocaleString()} of {table.rows.toLocaleString()} {table.rows === 1 ? "row" : "rows"}</span>
        {props.pickHint && <span class="count hint">Enter or a double click: {props.pickHint}</span>}
        <span class="right"><Copies kinds={copies} /></span>
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
        aria-activedescendant={current >= seen.from && current < seen.to ? `row-${rows[current] ?? 0}` : undefined}
        tabIndex={0}
        onKeyDown={(event) => onTreeKey(event, state, box.current, props.onPick)}
      >
        <div class="head" role="row" aria-rowindex={1} style={{ ...width, ...least }}>
          <TreeHead columns={[name, ...columns]} sort={sort} onSort={props.onSort} />
        </div>
        <div class="body" style={{ ...least, height: `${rows.length * ROW_PX}px` }} role="rowgroup">
          {items.map((at) => (
            <TreeRow key={at % seen.slots} state={state} at={at} name={name} columns={columns} reach={reach} style={width} shortName={props.shortName ?? false} onPick={props.onPick} />
          ))}
        </div>
      </div>
    </div>
  );
}

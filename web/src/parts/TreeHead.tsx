// SPDX-License-Identifier: Apache-2.0
// The head of a table of rows: a button for each column, which sorts by it.
import type { Column } from "../api";

const UNITS: Record<string, string> = { us: "time", bytes: "bytes", percent: "%" }; // shown where the name does not imply it

/** Each click takes the next order: numbers from the largest, from the smallest, then the table's own order. */
function nextSort(column: Column, sort: string): string {
  if (sort === `-${column.name}`) return column.name;
  if (sort === column.name) return "";
  return column.type === "text" ? column.name : `-${column.name}`;
}

function Head({ column, sort, onSort }: { column: Column; sort: string; onSort: (sort: string) => void }) {
  const up = sort === column.name;
  const down = sort === `-${column.name}`;
  const unit = column.type === "number" && !/micros|bytes|percent/.test(column.name) ? UNITS[column.unit ?? ""] : undefined;
  const title = column.name.replaceAll("_", " ");
  return (
    <span role="columnheader" data-column={column.name} class={column.type === "text" ? "text" : "number"} aria-sort={up ? "ascending" : down ? "descending" : "none"}>
      <button type="button" onClick={() => onSort(nextSort(column, sort))} title={`sort by ${title}`}>
        {title}
        {unit && <span class="unit"> {unit}</span>}
        <span aria-hidden="true">{up ? " ▲" : down ? " ▼" : ""}</span>
      </button>
    </span>
  );
}

export function TreeHead({ columns, sort, onSort }: { columns: Column[]; sort: string; onSort: (sort: string) => void }) {
  return <>{columns.map((c) => <Head key={c.name} column={c} sort={sort} onSort={onSort} />)}</>;
}

/** Wide enough for its head, in rem. */
export function widthOf(column: Column): number {
  return column.type === "text" ? 14 : Math.max(7, column.name.length * 0.55 + (column.unit ? 3.9 : 1.9));
}

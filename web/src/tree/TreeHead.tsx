// SPDX-License-Identifier: Apache-2.0
// The head of a table of rows: a button for each column, which sorts by it.
import type { Column } from "../answers/api";

/** A column's name as words, without the unit, which the cells show. */
const titleOf = (column: Column): string => (column.type === "number" ? column.name.replace(/(?<=.)_(us|bytes)$/, column.unit ? "" : "$&") : column.name).replaceAll("_", " ");

/** The next order on each click: numbers from the largest, from the smallest, then the table's own order. */
function nextSort(column: Column, sort: string): string {
  if (sort === `-${column.name}`) return column.name;
  if (sort === column.name) return "";
  return column.type === "text" ? column.name : `-${column.name}`;
}

function Head({ column, sort, onSort }: { column: Column; sort: string; onSort: (sort: string) => void }) {
  const up = sort === column.name;
  const down = sort === `-${column.name}`;
  const title = titleOf(column);
  return (
    <span role="columnheader" data-column={column.name} class={column.type === "text" ? "text" : "number"} aria-sort={up ? "ascending" : down ? "descending" : "none"}>
      <button type="button" onClick={() => onSort(nextSort(column, sort))}>
        {title}
        <span aria-hidden="true">{up ? " ▲" : down ? " ▼" : ""}</span>
      </button>
    </span>
  );
}

export function TreeHead({ columns, sort, onSort }: { columns: Column[]; sort: string; onSort: (sort: string) => void }) {
  return <>{columns.map((c) => <Head key={c.name} column={c} sort={sort} onSort={onSort} />)}</>;
}

const CHARACTER_REM = 0.56;
const longest = (column: Column): number => (column.texts ?? []).reduce((most, text) => Math.max(most, text.length), 0);

/** The width in rem: enough for its heading and, up to a limit, for its texts. */
export function widthOf(column: Column): number {
  const head = titleOf(column).length * 0.6 + 1.5; // 0.6 because headings are bold
  return column.type === "text" ? Math.max(head, Math.min(24, longest(column) * CHARACTER_REM + 1.2)) : Math.max(6.5, head);
}

/** The width of the first column in a table without a tree: no wider than its names. */
export const nameWidthOf = (column: Column): number => Math.max(5, titleOf(column).length * 0.6 + 2, Math.min(46, longest(column) * CHARACTER_REM + 2.5));

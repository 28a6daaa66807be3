// SPDX-License-Identifier: Apache-2.0
// A row of a table: its name, indented as deep as it stands, and a cell with a bar for each column.
import type { Column } from "../answers/api";
import { cellText } from "../answers/api";
import { formatUnit } from "../text/format";
import { hasChildren } from "./rows";
import type { TreeState } from "./tree";
import { ROW_PX } from "./tree";

export interface Reach {
  most: number; // the largest absolute value
  signed: boolean; // some values are negative
}

/** The least and greatest value of a column, without rows that are sums of others. */
export function reachOf(column: Column, isSum: (row: number) => boolean): Reach {
  let [most, least] = [0, 0];
  if (column.type === "number" && !column.name.startsWith("start"))
    for (let row = 0; row < column.values.length; row++) {
      const value = column.values[row] ?? 0;
      if (value > most && !isSum(row)) most = value;
      if (value < least && !isSum(row)) least = value;
    }
  return { most: Math.max(most, -least), signed: least < 0 };
}

/** Bars grow from the left; in columns with negative numbers from the middle to either side. A row that is a sum has
 * none. */
function Bar({ value, reach }: { value: number; reach: Reach }) {
  const share = reach.most > 0 ? Math.abs(value) / reach.most : 0;
  if (!share || share > 1) return null;
  const width = (room: string): string => `calc(${share.toFixed(4)} * (${room}))`;
  if (!reach.signed) return <span class="bar" style={{ width: width("100% - 0.6rem") }} />;
  return <span class={value < 0 ? "bar less" : "bar more"} style={{ width: width("50% - 0.3rem") }} />;
}

function Cell({ column, row, reach }: { column: Column; row: number; reach: Reach }) {
  if (column.type === "text") return <span class="cell text" data-hint={cellText(column, row)}>{cellText(column, row)}</span>;
  if (column.absent?.[row]) return <span class="cell number absent">–</span>;
  const value = column.values[row] ?? 0;
  return (
    <span class={value ? "cell number" : "cell number zero"} data-hint={`${value}${column.unit ? ` ${column.unit}` : ""}`}>
      <Bar value={value} reach={reach} />
      <span class="value">{formatUnit(column.unit, value)}</span>
    </span>
  );
}

function Name({ state, row, path, text }: { state: TreeState; row: number; path: string; text: string }) {
  return (
    <span role="gridcell" class="name" style={{ paddingLeft: `${(state.tree.depth[row] ?? 0) * 0.9 + 0.25}rem` }} data-hint={path}>
      {hasChildren(state.tree, row) ? (
        <button type="button" class="twist" tabIndex={-1} aria-hidden="true" onClick={() => state.toggle(row)} onDblClick={(e) => e.stopPropagation()}>
          {state.isOpen(row) ? "▾" : "▸"}
        </button>
      ) : (
        <span class="twist" />
      )}
      {text}
    </span>
  );
}

interface Props {
  state: TreeState;
  at: number; // index among the shown rows
  name: Column;
  columns: Column[];
  reach: Reach[];
  style: Record<string, string>; // the columns' widths
  shortName: boolean; // of a path shows only the part after the last slash
  onPick?: ((row: number) => void) | undefined;
}

export function TreeRow({ state, at, name, columns, reach, style, shortName, onPick }: Props) {
  const row = state.rows[at] ?? 0;
  const path = cellText(name, row);
  return (
    <div
      id={`row-${row}`}
      role="row"
      class={`row${at === state.current ? " current" : ""}${state.found?.[row] === 2 ? " found" : ""}`}
      aria-rowindex={at + 2}
      aria-level={(state.tree.depth[row] ?? 0) + 1}
      aria-expanded={hasChildren(state.tree, row) ? state.isOpen(row) : undefined}
      aria-selected={at === state.current}
      style={{ ...style, transform: `translateY(${at * ROW_PX}px)` }}
      onClick={() => state.choose(row)}
      onDblClick={() => onPick?.(row)}
    >
      <Name state={state} row={row} path={path} text={name.short?.[row] ?? (shortName ? path.slice(path.lastIndexOf("/") + 1) : path)} />
      {columns.map((c, i) => (
        <span role="gridcell" key={c.name}>
          <Cell column={c} row={row} reach={reach[i] ?? { most: 0, signed: false }} />
        </span>
      ))}
    </div>
  );
}

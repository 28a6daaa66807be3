// SPDX-License-Identifier: Apache-2.0
// Reading the columns of an answer as grids need them.
import type { Table } from "../answers/api";
import { cellText } from "../answers/api";
import type { Column, RowSet } from "../grid/model";
import type { Kind } from "../state/store";

export type Num = (row: number) => number | null;

/** A column of numbers; null where a cell is absent, or everywhere if the column is missing. */
export function numbers(t: Table, name: string): Num {
  const c = t.column(name);
  return c && c.type !== "text" ? (row) => (c.absent?.[row] ? null : (c.values[row] ?? null)) : () => null;
}

export function texts(t: Table, name: string): (row: number) => string {
  const c = t.column(name);
  return c ? (row) => cellText(c, row) : () => "";
}

/** The short name of a row: what the server made of a kernel's name, otherwise the name itself. */
export function shortNames(t: Table, name: string): (row: number) => string {
  const c = t.column(name);
  return c?.short ? (row) => c.short?.[row] ?? "" : texts(t, name);
}

export const sum = (value: Num, count: number): number => {
  let all = 0;
  for (let i = 0; i < count; i++) all += value(i) ?? 0;
  return all;
};

/** The column, if some row has a value other than 0; otherwise a column without values. */
export function unlessAllZero(value: Num, count: number): Num {
  for (let i = 0; i < count; i++) if (value(i)) return value;
  return () => null;
}

export const col = (name: string, title: string, unit: string | null, value: Num, more: Partial<Column> = {}): Column => ({ name, title, unit, value, ...more });
export const textCol = (name: string, title: string, text: (row: number) => string, more: Partial<Column> = {}): Column => ({ name, title, unit: null, value: () => null, text, width: 110, ...more });

/** Each value as a share of the sum over the roots. */
export const shareOf = (value: Num, whole: number): Num => (row) => {
  const v = value(row);
  return v === null || !(whole > 0) ? null : v / whole;
};

/** PAGE.md's word for the row without an op. */
export const plainName = (name: string): string => (name === "(no op)" ? "without op" : name);

/** Rows of a view that is a list. */
export function listRows(t: Table, name: string, kind: Kind, look?: (row: number) => string): RowSet {
  const [full, short] = [texts(t, name), shortNames(t, name)];
  return { count: t.rows, thing: (row) => ({ kind, id: full(row) }), name: (row) => plainName(short(row)), full, ...(look ? { look } : {}) };
}

export interface Tree {
  rows: Int32Array; // rows of the table, except its root
  parent: Int32Array; // indexes in rows
}

/** The tree without the root, which stands for everything. */
export function treeOf(t: Table): Tree {
  const parents = numbers(t, "parent");
  const rows: number[] = [];
  const place = new Int32Array(t.rows).fill(-1);
  const parent: number[] = [];
  for (let i = 0; i < t.rows; i++) {
    const above = parents(i);
    if (above === null || above < 0) continue; // the root
    place[i] = rows.length;
    rows.push(i);
    parent.push(place[above] ?? -1);
  }
  return { rows: Int32Array.from(rows), parent: Int32Array.from(parent) };
}

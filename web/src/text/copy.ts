// SPDX-License-Identifier: Apache-2.0
// The shown rows of a table as text for the clipboard, in the order in which they are shown.
import type { Column, Table } from "../answers/api";
import { cellText } from "../answers/api";
import { formatUnit } from "./format";

const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Every number with all its digits. */
export function rowsAsCsv(t: Table, columns: Column[], rows: ArrayLike<number>): string {
  const name = t.columns[0];
  if (!name) return "";
  const all = [name, ...columns];
  const lines = [all.map((c) => csvCell(c.name)).join(",")];
  for (let i = 0; i < rows.length; i++) lines.push(all.map((c) => csvCell(cellText(c, rows[i] ?? 0))).join(","));
  return `${lines.join("\n")}\n`;
}

/** Numbers as on the page, in aligned columns. */
export function rowsAsText(t: Table, columns: Column[], rows: ArrayLike<number>, depth: ArrayLike<number>): string {
  const name = t.columns[0];
  if (!name) return "";
  const shown = (c: Column, row: number): string => {
    if (c.absent?.[row]) return "-";
    return c.type === "number" ? formatUnit(c.unit, c.values[row] ?? 0) : cellText(c, row);
  };
  const lines = [[name.name, ...columns.map((c) => c.name)]];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0;
    lines.push(["  ".repeat(depth[row] ?? 0) + cellText(name, row), ...columns.map((c) => shown(c, row))]);
  }
  const widths = [name, ...columns].map((_, i) => lines.reduce((most, l) => Math.max(most, l[i]?.length ?? 0), 0));
  const pad = (text: string, i: number): string => (i && columns[i - 1]?.type !== "text" ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0));
  return `${lines.map((l) => l.map(pad).join("  ").trimEnd()).join("\n")}\n`;
}

// SPDX-License-Identifier: Apache-2.0
// The first rows of a report by one column, as a small table.
import type { Table } from "../api";
import { cellText } from "../api";
import { formatShare, formatUnit } from "../format";

interface Props {
  t: Table;
  by: string; // the column that orders and is shown
  whole: number;
  caption: string;
  most: number;
  link?: (name: string) => string;
}

export function TopTable({ t, by, whole, caption, most, link }: Props) {
  const name = t.columns[0];
  const column = t.column(by);
  if (!name || !column) return null;
  const rows = Array.from({ length: t.rows }, (_, i) => i).filter((i) => cellText(name, i) !== "_TFProfRoot" && (column.values[i] ?? 0) > 0);
  rows.sort((a, b) => (column.values[b] ?? 0) - (column.values[a] ?? 0));
  if (!rows.length) return null;
  return (
    <table class="list">
      <caption>{caption}</caption>
      <thead>
        <tr><th scope="col">Name</th><th scope="col" class="number">{by.replaceAll("_", " ")}</th><th scope="col" class="number">Share</th></tr>
      </thead>
      <tbody>
        {rows.slice(0, most).map((i) => {
          const value = column.values[i] ?? 0;
          const text = cellText(name, i);
          return (
            <tr key={i}>
              <td class="meter">
                <span class="bar" style={{ width: `${whole > 0 ? Math.min(100, (100 * value) / whole) : 0}%` }} />
                <span>{link ? <a href={link(text)}>{text}</a> : text}</span>
              </td>
              <td class="number">{formatUnit(column.unit, value)}</td>
              <td class="number">{formatShare(value, whole)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

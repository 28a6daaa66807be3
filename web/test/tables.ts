// SPDX-License-Identifier: Apache-2.0
// Tables for the tests of the page's modules, as an answer of the server becomes one (src/answers/api.ts).
import type { Column, Table } from "../src/answers/api";

export function words(name: string, values: string[], short?: string[]): Column {
  const all = [...new Set(values)];
  return { name, unit: null, type: "text", texts: all, absent: null, values: Uint32Array.from(values, (v) => all.indexOf(v)), ...(short ? { short } : {}) } as Column;
}

export function reals(name: string, values: (number | null)[], unit: string | null = null): Column {
  const absent = values.includes(null) ? Uint8Array.from(values, (v) => Number(v === null)) : null;
  return { name, unit, type: "number", texts: null, absent, values: Float64Array.from(values, (v) => v ?? 0) } as Column;
}

export function tableOf(columns: Column[], more: Partial<Table> = {}): Table {
  return { view: "", rows: columns[0]?.values.length ?? 0, tree: false, notes: [], noteCodes: [], columns, column: (name: string) => columns.find((c) => c.name === name), ...more } as Table;
}

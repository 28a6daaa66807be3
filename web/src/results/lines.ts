// SPDX-License-Identifier: Apache-2.0
// The cost of lines of code, file by file: the rows of `tfprof lines`, which knows whose line each call is.
import type { Table } from "../answers/api";
import { numbers, texts } from "../table/read";

export interface LineCost {
  micros: number; // of everything that the line made, directly or through its calls
  own: number; // the part in which it is the innermost line of the user's own code
  gradient: number; // the part from gradients
  runs: number;
}

export interface FileCost {
  name: string;
  lines: Map<number, LineCost>;
  micros: number; // of the most expensive line: costs include called lines, so a sum would count them twice
  own: number; // of all lines
}

/** The number in "nets.py:57:dense" or "/home/me/nets.py:57:dense"; 0: none, a function without lines. */
function numberIn(row: string, file: string): number {
  const base = file.slice(file.lastIndexOf("/") + 1);
  const known = [file, base].find((f) => f && row.startsWith(`${f}:`));
  return known === undefined ? 0 : Number(/^:(\d+)/.exec(row.slice(known.length))?.[1] ?? 0);
}

/** Several functions may share a line, such as a lambda and the one that calls it: the longest of them is what the line took. */
function add(lines: Map<number, LineCost>, number: number, more: LineCost): void {
  const had = lines.get(number) ?? { micros: 0, own: 0, gradient: 0, runs: 0 };
  const own = had.own + more.own;
  lines.set(number, { own, micros: Math.max(had.micros, more.micros, own), gradient: had.gradient + more.gradient, runs: had.runs + more.runs });
}

/** The files whose own lines cost most come first. */
export function filesOf(t: Table): FileCost[] {
  const [row, file] = [texts(t, t.columns[0]?.name ?? "line"), texts(t, "file")];
  const column = (name: string): ((row: number) => number) => {
    const value = numbers(t, name);
    return (i) => value(i) ?? 0;
  };
  const [total, self, gradient, runs] = [column("total_us"), column("self_us"), column("gradient_us"), column("runs")];
  const by = new Map<string, FileCost>();
  for (let i = 0; i < t.rows; i++) {
    const number = numberIn(row(i), file(i));
    if (!number) continue;
    const of = by.get(file(i)) ?? { name: file(i), lines: new Map(), micros: 0, own: 0 };
    add(of.lines, number, { micros: total(i), own: self(i), gradient: gradient(i), runs: runs(i) });
    of.micros = Math.max(of.micros, total(i));
    of.own += self(i);
    by.set(of.name, of);
  }
  return [...by.values()].sort((a, b) => b.own - a.own || b.micros - a.micros);
}

/** The line to show first: the one with the highest own cost, or else the highest cost. */
export function startOf(file: FileCost): number {
  const all = [...file.lines].sort((a, b) => b[1].own - a[1].own || b[1].micros - a[1].micros || a[0] - b[0]);
  return all[0]?.[0] ?? 1;
}

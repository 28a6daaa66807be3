// What lines of code cost, file by file.
import type { Table } from "./api";
import { cellText } from "./api";

export interface LineCost {
  micros: number; // of all that the line made, directly or by way of what it calls
  own: number; // the part that no other line of the user's code stands between
  gradient: number; // the part of gradients
  nodes: number;
}

export interface FileCost {
  name: string;
  lines: Map<number, LineCost>;
  micros: number; // the most expensive line's: a line holds what the lines that it calls hold, so that a sum would say nothing
  own: number; // of all lines
}

/** The files whose own lines cost most come first. */
export function costsOf(t: Table): FileCost[] {
  const [file, line, ...rest] = ["file", "line", "micros", "own_micros", "gradient_micros", "nodes"].map((n) => t.column(n));
  const out = new Map<string, FileCost>();
  for (let i = 0; i < t.rows && file && line; i++) {
    const name = cellText(file, i);
    const of = out.get(name) ?? { name, lines: new Map<number, LineCost>(), micros: 0, own: 0 };
    const [micros = 0, own = 0, gradient = 0, nodes = 0] = rest.map((c) => (c?.absent?.[i] ? 0 : (c?.values[i] ?? 0)));
    of.lines.set(line.values[i] ?? 0, { micros, own, gradient, nodes });
    of.micros = Math.max(of.micros, micros);
    of.own += own;
    out.set(name, of);
  }
  return [...out.values()].sort((a, b) => b.own - a.own || b.micros - a.micros);
}

/** Where to begin to read: at the line that costs most by itself, or at all. */
export function startOf(file: FileCost): number {
  const all = [...file.lines].sort((a, b) => b[1].own - a[1].own || b[1].micros - a[1].micros || a[0] - b[0]);
  return all[0]?.[0] ?? 1;
}

// SPDX-License-Identifier: Apache-2.0
// The cost of lines of code, file by file.
import type { Column, Table } from "./api";

export interface LineCost {
  micros: number; // of everything that the line made, directly or through its calls
  own: number; // the part in which it is the innermost line of the user's own code
  gradient: number; // the part from gradients
  nodes: number;
}

export interface FileCost {
  name: string;
  lines: Map<number, LineCost>;
  micros: number; // of the most expensive line: costs include called lines, so a sum would count them twice
  own: number; // of all lines
}

/** Files of Python and its packages; all others are the user's own. */
const LIBRARY = /(^|\/)(site|dist)-packages\/|\/lib\/python|^</;

interface Costs {
  of: LineCost;
  last: number; // the trace added last: a line counts once for each trace, however often it occurs in it
}

function add(to: LineCost, more: LineCost): void {
  to.micros += more.micros;
  to.gradient += more.gradient;
  to.nodes += more.nodes;
}

const none = (): LineCost => ({ micros: 0, own: 0, gradient: 0, nodes: 0 });

function sumsOf(traces: Table): Map<number, LineCost> {
  const [trace, micros, gradient, nodes] = ["trace", "micros", "gradient_micros", "nodes"].map((n) => traces.column(n));
  const at = (c: Column | undefined, i: number): number => (!c || c.absent?.[i] ? 0 : (c.values[i] ?? 0));
  const out = new Map<number, LineCost>();
  for (let i = 0; i < traces.rows; i++) out.set(at(trace, i), { micros: at(micros, i), own: 0, gradient: at(gradient, i), nodes: at(nodes, i) });
  return out;
}

/** Costs by file and line. `code` has the lines of each trace together, the outermost first. */
function linesOf(code: Table, sums: Map<number, LineCost>): Map<number, Map<number, Costs>> {
  const [trace, file, line] = ["trace", "file", "line"].map((n) => code.column(n));
  const library = (file?.texts ?? []).map((text) => LIBRARY.test(text));
  const out = new Map<number, Map<number, Costs>>();
  let own: LineCost | undefined; // the innermost line of the user's in the trace
  for (let i = 0; i < code.rows && trace && file && line; i++) {
    const here = trace.values[i] ?? 0;
    const sum = sums.get(here);
    const of = file.values[i] ?? 0;
    const lines = out.get(of) ?? new Map<number, Costs>();
    const number = line.values[i] ?? 0;
    const costs = lines.get(number) ?? { of: none(), last: -1 };
    lines.set(number, costs);
    out.set(of, lines);
    if (sum && costs.last !== here) add(costs.of, sum);
    costs.last = here;
    if (!library[of]) own = costs.of;
    if (i + 1 < code.rows && trace.values[i + 1] === here) continue;
    if (own && sum) own.own += sum.micros;
    own = undefined;
  }
  return out;
}

/** The files whose own lines cost most come first. */
export function costsOf(code: Table, traces: Table): FileCost[] {
  const file = code.column("file");
  const out: FileCost[] = [];
  for (const [of, lines] of linesOf(code, sumsOf(traces))) {
    const costs = new Map([...lines].map(([number, l]) => [number, l.of]));
    let [micros, own] = [0, 0];
    for (const l of costs.values()) {
      micros = Math.max(micros, l.micros);
      own += l.own;
    }
    out.push({ name: file?.texts?.[of] ?? "", lines: costs, micros, own });
  }
  return out.sort((a, b) => b.own - a.own || b.micros - a.micros);
}

/** The line to show first: the one with the highest own cost, or else the highest cost. */
export function startOf(file: FileCost): number {
  const all = [...file.lines].sort((a, b) => b[1].own - a[1].own || b[1].micros - a[1].micros || a[0] - b[0]);
  return all[0]?.[0] ?? 1;
}

// SPDX-License-Identifier: Apache-2.0
// Which events an event of the timeline waited for, and which waited for it: along the edges of the graph.
import { useEffect, useState } from "preact/hooks";
import type { Table } from "./api";
import { queryPath, table } from "./api";
import type { Spans } from "./spans";

const FLOWS_MOST = 40;

/** Pairs of events, from and to: of each node beside the picked one the run that is nearest. */
function flowsOf(t: Table, s: Spans, edges: Table, picked: number): [number, number][] {
  const [node, source, target] = [t.column("node"), edges.column("source"), edges.column("node")];
  if (!node || !source || !target) return [];
  const here = node.values[s.source[picked] ?? 0] ?? -1;
  const wanted = new Map<number, boolean>(); // node: it comes before
  for (let i = 0; i < edges.rows; i++) {
    const before = target.values[i] === here;
    wanted.set((before ? source.values[i] : target.values[i]) ?? -1, before);
  }
  const best = new Map<number, number>();
  for (let i = 0; i < s.count; i++) {
    const row = s.source[i] ?? 0;
    const other = node.values[row] ?? -1;
    const before = node.absent?.[row] ? undefined : wanted.get(other);
    if (before === undefined || i === picked) continue;
    const old = best.get(other);
    if (before && (s.start[i] ?? 0) <= (s.start[picked] ?? 0) && (old === undefined || (s.start[i] ?? 0) > (s.start[old] ?? 0))) best.set(other, i);
    if (!before && (s.start[i] ?? 0) >= (s.start[picked] ?? 0) && (old === undefined || (s.start[i] ?? 0) < (s.start[old] ?? 0))) best.set(other, i);
  }
  return [...best].slice(0, FLOWS_MOST).map(([other, i]) => (wanted.get(other) ? [i, picked] : [picked, i]));
}export function useFlows(t: Table, s: Spans, id: string, picked: number): [number, number][] {
  const [flows, set] = useState<[number, number][]>([]);
  useEffect(() => {
    set([]);
    const node = t.column("node");
    const row = picked >= 0 ? (s.source[picked] ?? 0) : -1;
    if (!node || row < 0 || node.absent?.[row]) return;
    const stop = new AbortController();
    const sql = `SELECT source, node FROM edges WHERE node = ${node.values[row] ?? -1} OR source = ${node.values[row] ?? -1}`;
    table(`${queryPath(id, sql)}&format=columns`, stop.signal).then(
      (edges) => set(flowsOf(t, s, edges, picked)),
      () => undefined, // without edges the event is shown all the same
    );
    return () => stop.abort();
  }, [t, s, picked]);
  return flows;
}

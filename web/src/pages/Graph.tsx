// The dataflow graph, scopes closed to boxes; an open scope shows what is in it. Coloured by a column.
import dagre from "@dagrejs/dagre";
import { useMemo, useState } from "preact/hooks";
import type { Column, Table, Tables } from "../api";
import { cellText, table } from "../api";
import { EDGES_SQL } from "../asks";
import { formatShare, formatUnit } from "../format";
import { useLoaded } from "../load";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go, withParams } from "../route";
import type { Tree } from "../rows";
import { hasChildren, makeTree } from "../rows";

const BOXES_MOST = 220;

interface Box {
  row: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Line {
  from: number;
  to: number;
  count: number;
  points: { x: number; y: number }[];
}

interface Picture {
  boxes: Box[];
  lines: Line[];
  width: number;
  height: number;
  left: number; // boxes that did not fit
}

/** The box that stands for each row: itself, or the closed scope around it; -1 outside of what is shown. */
function shownAs(tree: Tree, open: Set<number>): Int32Array {
  const out = new Int32Array(tree.rows).fill(-1);
  for (let row = 1; row < tree.rows; row++) {
    const above = tree.parent[row] ?? -1;
    out[row] = above > 0 && !open.has(above) ? (out[above] ?? -1) : row;
    if (above > 0 && !open.has(above) && out[above] === above) out[row] = above;
  }
  return out;
}

function layOut(tree: Tree, name: Column, open: Set<number>, edges: Table): Picture {
  const as = shownAs(tree, open);
  const places = new Map<string, number>();
  for (let row = 0; row < tree.rows; row++) places.set(cellText(name, row), row);
  const shown: number[] = [];
  for (let row = 1; row < tree.rows; row++) if (as[row] === row && !open.has(row)) shown.push(row);
  const kept = new Set(shown.slice(0, BOXES_MOST));
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 36 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const row of kept) {
    const path = cellText(name, row);
    const text = path.slice(path.lastIndexOf("/") + 1);
    graph.setNode(String(row), { width: Math.min(220, 30 + text.length * 7.4), height: 34 });
  }
  const source = edges.column("source");
  const target = edges.column("target");
  const sourceRow = source?.texts?.map((text) => as[places.get(text) ?? 0] ?? -1) ?? [];
  const targetRow = target?.texts?.map((text) => as[places.get(text) ?? 0] ?? -1) ?? [];
  const lines = new Map<string, Line>();
  for (let i = 0; i < edges.rows; i++) {
    const from = sourceRow[source?.values[i] ?? 0] ?? -1;
    const to = targetRow[target?.values[i] ?? 0] ?? -1;
    if (from === to || !kept.has(from) || !kept.has(to)) continue;
    const key = `${from} ${to}`;
    const line = lines.get(key) ?? { from, to, count: 0, points: [] };
    line.count++;
    lines.set(key, line);
  }
  for (const line of lines.values()) graph.setEdge(String(line.from), String(line.to));
  dagre.layout(graph);
  const boxes = [...kept].map((row) => {
    const at = graph.node(String(row)) as { x: number; y: number; width: number; height: number };
    return { row, x: at.x, y: at.y, width: at.width, height: at.height };
  });
  for (const line of lines.values()) line.points = (graph.edge(String(line.from), String(line.to)) as { points: { x: number; y: number }[] }).points;
  const size = graph.graph() as { width?: number; height?: number };
  return { boxes, lines: [...lines.values()], width: (size.width ?? 0) + 60, height: (size.height ?? 0) + 20, left: shown.length - kept.size };
}

const path = (points: { x: number; y: number }[]): string => points.map((p, i) => `${i ? "L" : "M"}${(p.x + 10).toFixed(1)} ${(p.y + 10).toFixed(1)}`).join("");

function Drawing({ t, edges, route, total }: { t: Table; edges: Table; route: Route; total: Column }) {
  const name = t.columns[0];
  const tree = useMemo(() => makeTree(t), [t]);
  const [picked, setPicked] = useState(0);
  const open = useMemo(() => {
    const names = new Set(route.params.getAll("open"));
    const rows = new Set<number>([0]);
    if (name) for (let row = 0; row < t.rows; row++) if (names.has(cellText(name, row))) rows.add(row);
    return rows;
  }, [t, route.params.toString()]);
  const picture = useMemo(() => (name ? layOut(tree, name, open, edges) : null), [tree, open, edges]);
  if (!name || !picture?.boxes.length) return <p class="empty">This profile has no nodes.</p>;
  const toggle = (row: number): void => {
    if (!hasChildren(tree, row)) return;
    const params = new URLSearchParams(route.params);
    const scope = cellText(name, row);
    const names = params.getAll("open");
    params.delete("open");
    for (const n of names.includes(scope) ? names.filter((o) => o !== scope) : [...names, scope]) params.append("open", n);
    go({ ...route, params });
  };
  const whole = total.values[0] ?? 0;
  const opened = [...open].filter((row) => row > 0);
  return (
    <>
      {opened.length > 0 && (
        <p class="tools">
          Open:
          {opened.map((row) => <button key={row} type="button" onClick={() => toggle(row)} title="close it">{cellText(name, row)} ×</button>)}
        </p>
      )}
      {picture.left > 0 && <p class="note">{picture.left.toLocaleString()} more boxes are not drawn; close scopes to see others.</p>}
      <p class="told" aria-live="polite">
        <strong>{cellText(name, picked)}</strong> {formatUnit(total.unit, total.values[picked] ?? 0)} {formatShare(total.values[picked] ?? 0, whole)}
      </p>
      <div class="drawing" tabIndex={0} role="group" aria-label="dataflow graph">
        <svg width={picture.width} height={picture.height} aria-hidden={false}>
          <defs>
            <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" class="tip" /></marker>
          </defs>
          {picture.lines.map((l) => (
            <path key={`${l.from} ${l.to}`} class="line" d={path(l.points)} stroke-width={Math.min(6, 1 + Math.log2(l.count))} marker-end="url(#tip)">
              <title>{l.count} {l.count === 1 ? "edge" : "edges"}</title>
            </path>
          ))}
          {picture.boxes.map((b) => {
            const share = whole > 0 ? (total.values[b.row] ?? 0) / whole : 0;
            const scope = hasChildren(tree, b.row);
            const full = cellText(name, b.row);
            const text = full.slice(full.lastIndexOf("/") + 1);
            return (
              <g
                key={b.row}
                class={`box${scope ? " scope" : ""}`}
                tabIndex={0}
                role="button"
                aria-label={`${full}, ${formatUnit(total.unit, total.values[b.row] ?? 0)}${scope ? ", opens" : ""}`}
                transform={`translate(${b.x - b.width / 2 + 10} ${b.y - b.height / 2 + 10})`}
                onClick={() => toggle(b.row)}
                onMouseEnter={() => setPicked(b.row)}
                onFocus={() => setPicked(b.row)}
                onKeyDown={(e) => {
                  if (e.key !== "Enter" && e.key !== " ") return;
                  e.preventDefault();
                  toggle(b.row);
                }}
              >
                <rect width={b.width} height={b.height} rx={scope ? 8 : 2} />
                <rect class="share" width={Math.max(share > 0 ? 1 : 0, b.width * Math.min(1, share))} height={5} y={b.height - 5} />
                <text x={b.width / 2} y={b.height / 2}>{text.length > 26 ? `${text.slice(0, 25)}…` : text}{scope ? " ▸" : ""}</text>
              </g>
            );
          })}
        </svg>
      </div>
    </>
  );
}

const VALUES = ["micros", "bytes", "peak_bytes", "params", "float_ops"];

export function Graph({ route, tables }: { route: Route; tables: Tables }) {
  const column = route.params.get("by") ?? "micros";
  const query = new URLSearchParams({ select: column, max_depth: "100000", format: "columns" });
  if (column === "float_ops") query.set("float_ops_source", "own");
  const scopes = `/api/v1/profiles/${route.id}/views/scope?${query.toString()}`;
  const edges = `/api/v1/profiles/${route.id}/query?format=columns&sql=${encodeURIComponent(EDGES_SQL)}`;
  const loaded = useLoaded(scopes + edges, async (signal, progress) => {
    const t = await table(scopes, signal, progress);
    return { t, e: await table(edges, signal) };
  });
  const known = VALUES.filter((v) => tables.columns.some((c) => c.name === v));
  return (
    <main>
      <h1>Dataflow graph</h1>
      <form class="controls" onSubmit={(e) => e.preventDefault()}>
        <div class="field">
          <label for="by">share of</label>
          <select id="by" value={column} onChange={(e) => go(withParams(route, { by: e.currentTarget.value }))}>
            {known.map((v) => <option key={v} value={v}>{v.replaceAll("_", " ")}</option>)}
          </select>
        </div>
      </form>
      <Status of={loaded}>
        {({ t, e }) => {
          const total = t.column(`total_${column}`);
          return total ? <Drawing t={t} edges={e} route={route} total={total} /> : <p class="empty">There is no column {column}.</p>;
        }}
      </Status>
    </main>
  );
}

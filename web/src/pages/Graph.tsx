// The dataflow graph, scopes closed to boxes; an open scope shows what is in it. Each box tells its share of a column.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Column, ProfileFacts, Table, Tables } from "../api";
import { cellText, table } from "../api";
import { EDGES_SQL } from "../asks";
import type { Box, Line, Picture } from "../flow";
import { endsOf, layOut } from "../flow";
import { formatShare, formatUnit } from "../format";
import { useLoaded } from "../load";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go, withList, withParams } from "../route";
import { hasChildren, makeTree } from "../rows";

const ZOOM_STEP = 1.25;
const BEGIN_LEAST = 0.7; // a drawing that is wider than that begins at its left
const NEAR_MOST = 12; // neighbours that are named

interface Point {
  x: number;
  y: number;
}

/** A line through the middles between its points, so that it has no corners. */
function curve(points: Point[]): string {
  const at = (p: Point): string => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`;
  const [first, ...rest] = points;
  const last = rest.pop();
  if (!first || !last) return "";
  const bends = rest.map((p, i) => {
    const next = rest[i + 1];
    return ` Q${at(p)} ${at(next ? { x: (p.x + next.x) / 2, y: (p.y + next.y) / 2 } : last)}`;
  });
  return `M${at(first)}${bends.length ? bends.join("") : ` L${at(last)}`}`;
}

const middle = (points: Point[]): Point => points[points.length >> 1] ?? { x: 0, y: 0 };

/** The nearest box in a direction. */
function neighbour(boxes: Box[], of: Box, key: string): Box | undefined {
  const dx = Number(key === "ArrowRight") - Number(key === "ArrowLeft");
  const dy = Number(key === "ArrowDown") - Number(key === "ArrowUp");
  let [best, least]: [Box | undefined, number] = [undefined, Infinity];
  for (const box of boxes) {
    const [x, y] = [box.x - of.x, box.y - of.y];
    const ahead = x * dx + y * dy;
    const far = ahead + 3 * Math.abs(x * dy - y * dx);
    if (ahead > 1 && far < least) [best, least] = [box, far];
  }
  return best;
}

interface ShapeProps {
  box: Box;
  path: string;
  value: string;
  share: number;
  current: boolean;
  onOpen: () => void;
  onPick: () => void;
  onMove: (key: string) => void;
}

function Shape({ box: b, path, value, share, current, onOpen, onPick, onMove }: ShapeProps) {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter" || event.key === " ") onOpen();
    else if (event.key.startsWith("Arrow")) onMove(event.key);
    else return;
    event.preventDefault();
  };
  return (
    <g
      id={`box-${b.row}`}
      class={`box${b.scope ? " scope" : ""}${current ? " current" : ""}`}
      tabindex={current ? 0 : -1}
      role="button"
      aria-label={`${path}, ${value}${b.scope ? ", a scope, opens" : ""}`}
      transform={`translate(${b.x - b.width / 2} ${b.y - b.height / 2})`}
      onClick={onOpen}
      onMouseEnter={onPick}
      onFocus={onPick}
      onKeyDown={onKey}
    >
      <title>{`${path}\n${value}`}</title>
      <rect width={b.width} height={b.height} rx={b.scope ? 8 : 2} />
      {share > 0 && <rect class="share" width={Math.max(1, b.width * Math.min(1, share))} height={5} y={b.height - 5} />}
      <text x={b.width / 2} y={b.height / 2}>{b.text}{b.scope ? " ▸" : ""}</text>
    </g>
  );
}

function Lines({ lines, picked }: { lines: Line[]; picked: number }) {
  return (
    <>
      {lines.map((l) => (
        <g key={`${l.from} ${l.to}`} class={l.from === picked || l.to === picked ? "edge near" : "edge"}>
          <path class="line" d={curve(l.points)} stroke-width={Math.min(3, 1 + Math.log2(l.count) / 3)} marker-end="url(#tip)" />
          {l.count > 1 && <text x={middle(l.points).x} y={middle(l.points).y}>{l.count}</text>}
        </g>
      ))}
    </>
  );
}

function Near({ lines, row, pathOf }: { lines: Line[]; row: number; pathOf: (row: number) => string }) {
  const named = (all: { row: number; count: number }[]): string => {
    const said = all.sort((a, b) => b.count - a.count).slice(0, NEAR_MOST).map((n) => `${pathOf(n.row)}${n.count > 1 ? ` (${n.count})` : ""}`);
    return said.join(", ") + (all.length > NEAR_MOST ? ` and ${all.length - NEAR_MOST} more` : "");
  };
  const from = lines.filter((l) => l.to === row).map((l) => ({ row: l.from, count: l.count }));
  const to = lines.filter((l) => l.from === row).map((l) => ({ row: l.to, count: l.count }));
  return (
    <>
      {from.length > 0 && <span> · reads {named(from)}</span>}
      {to.length > 0 && <span> · read by {named(to)}</span>}
    </>
  );
}

/** How big the drawing is shown; it begins as wide as there is room. */
function useZoom(picture: Picture | null, box: { current: HTMLDivElement | null }): { zoom: number; set: (to: number) => void; fit: () => void } {
  const [zoom, setZoom] = useState(1);
  const set = (to: number): void => setZoom(Math.max(0.1, Math.min(3, to)));
  const room = (): [number, number] => [((box.current?.clientWidth ?? 900) - 4) / (picture?.width ?? 900), ((box.current?.clientHeight ?? 600) - 4) / (picture?.height ?? 600)];
  useEffect(() => set(Math.max(BEGIN_LEAST, Math.min(1, room()[0]))), [picture]);
  return { zoom, set, fit: () => set(Math.min(1, ...room())) };
}

interface DrawingProps {
  t: Table;
  edges: Table;
  route: Route;
  total: Column;
  name: Column;
  children: ComponentChildren; // controls that come first
}

function Drawing({ t, edges, route, total, name, children }: DrawingProps) {
  const tree = useMemo(() => makeTree(t), [t]);
  const ends = useMemo(() => endsOf(tree, name, edges), [tree, edges]);
  const rowsNamed = (param: string): number[] => {
    const names = new Set(route.params.getAll(param));
    const rows: number[] = [];
    if (names.size) for (let row = 1; row < t.rows; row++) if (names.has(cellText(name, row))) rows.push(row);
    return rows;
  };
  const opened = useMemo(() => rowsNamed("open"), [t, route.params.toString()]);
  const put = useMemo(() => rowsNamed("with"), [t, route.params.toString()]);
  const picture = useMemo(() => layOut(tree, name, total, ends, new Set(opened), new Set(put)), [tree, ends, total, opened.join(), put.join()]);
  const [picked, setPicked] = useState(0);
  const [told, setTold] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const { zoom, set, fit } = useZoom(picture, box);
  const pathOf = (row: number): string => (row > 0 ? cellText(name, row) : "All");
  const wanted = useRef(0); // the box that gets the focus when it is there
  const focus = (row: number): void => {
    setPicked(row);
    wanted.current = row;
  };
  useEffect(() => {
    const element = wanted.current ? box.current?.querySelector<SVGGElement>(`#box-${wanted.current}`) : null;
    if (!element) return;
    wanted.current = 0;
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
    element.focus();
  });
  const goList = (param: string, rows: number[]): void => go(withList(route, param, rows.map(pathOf)));
  const toggle = (row: number): void => {
    if (hasChildren(tree, row)) goList("open", opened.includes(row) ? opened.filter((o) => o !== row) : [...opened, row]);
  };
  const find = (text: string): void => {
    const wanted = text.trim().toLowerCase();
    let row = 1;
    while (row < t.rows && !cellText(name, row).toLowerCase().includes(wanted)) row++;
    setTold(row < t.rows || !wanted ? "" : `No name has “${text}” in it.`);
    if (row === t.rows || !wanted) return;
    const above: number[] = [];
    for (let at = tree.parent[row] ?? 0; at > 0; at = tree.parent[at] ?? 0) above.push(at);
    goList("open", [...new Set([...opened, ...above])]);
    focus(row);
  };
  const onKey = (event: KeyboardEvent): void => {
    const keys: Record<string, () => void> = { "+": () => set(zoom * ZOOM_STEP), "-": () => set(zoom / ZOOM_STEP), "0": fit };
    const act = event.ctrlKey || event.metaKey ? undefined : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  useEffect(() => {
    const here = box.current;
    const turn = (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      set(event.deltaY < 0 ? zoom * ZOOM_STEP : zoom / ZOOM_STEP);
    };
    here?.addEventListener("wheel", turn, { passive: false });
    return () => here?.removeEventListener("wheel", turn);
  }, [zoom]);
  if (!picture.boxes.length) return <p class="empty">This profile has no nodes.</p>;
  const whole = total.values[0] ?? 0;
  const top = picture.boxes.reduce((a, b) => (b.y < a.y || (b.y === a.y && b.x < a.x) ? b : a));
  const current = picture.boxes.some((b) => b.row === picked) ? picked : top.row;
  return (
    <>
      <form
        class="tools"
        onSubmit={(e) => {
          e.preventDefault();
          find(String(new FormData(e.currentTarget).get("find") ?? ""));
        }}
      >
        {children}
        <label>Find <input name="find" type="search" /></label>
        <button type="submit">Show</button>
        <button type="button" onClick={() => set(zoom / ZOOM_STEP)} aria-label="smaller">−</button>
        <span class="count">{Math.round(100 * zoom)}%</span>
        <button type="button" onClick={() => set(zoom * ZOOM_STEP)} aria-label="bigger">+</button>
        <button type="button" onClick={fit}>Fit</button>
        <span class="soft" role="status">{told}</span>
      </form>
      {opened.length > 0 && (
        <p class="tools">
          <span class="soft">Open:</span>
          {opened.map((row) => <button key={row} type="button" onClick={() => toggle(row)} aria-label={`close ${pathOf(row)}`}>{pathOf(row)} ×</button>)}
          {opened.length > 1 && <button type="button" onClick={() => goList("open", [])}>Close all</button>}
        </p>
      )}
      {(picture.hubs.length > 0 || put.length > 0) && (
        <p class="tools">
          <span class="soft">Draw the lines of:</span>
          {[...picture.hubs, ...put].sort((a, b) => a - b).map((row) => (
            <label key={row}>
              <input type="checkbox" checked={put.includes(row)} onChange={() => goList("with", put.includes(row) ? put.filter((p) => p !== row) : [...put, row])} /> {pathOf(row)}
            </label>
          ))}
        </p>
      )}
      {picture.left > 0 && <p class="note">{picture.left.toLocaleString()} more boxes are not drawn, those with the least; close scopes or find a name to see others.</p>}
      <p class="told" aria-live="polite">
        <strong>{pathOf(picked)}</strong> {formatUnit(total.unit, total.values[picked] ?? 0)} {formatShare(total.values[picked] ?? 0, whole)}
        <Near lines={picture.lines} row={picked} pathOf={pathOf} />
      </p>
      <div ref={box} class="drawing" tabIndex={0} role="group" aria-label="dataflow graph: arrow keys go from box to box, Enter opens a scope, + and - zoom" onKeyDown={onKey}>
        <svg width={picture.width * zoom} height={picture.height * zoom} viewBox={`0 0 ${picture.width} ${picture.height}`}>
          <defs>
            <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" class="tip" /></marker>
          </defs>
          {picture.frames.map((f) => (
            <g key={f.row} class="frame" transform={`translate(${f.x - f.width / 2} ${f.y - f.height / 2})`}>
              <rect width={f.width} height={f.height} rx={10} />
              <text x={8} y={13} onClick={() => toggle(f.row)}>{pathOf(f.row)} ▾</text>
            </g>
          ))}
          <Lines lines={picture.lines.filter((l) => l.points.length)} picked={picked} />
          {picture.strips.map((s) => <text key={s.y} class="strip" x={12} y={s.y}>{s.text}</text>)}
          {picture.boxes.map((b) => (
            <Shape
              key={b.row}
              box={b}
              path={pathOf(b.row)}
              value={formatUnit(total.unit, total.values[b.row] ?? 0)}
              share={whole > 0 ? (total.values[b.row] ?? 0) / whole : 0}
              current={b.row === current}
              onOpen={() => {
                const inside = tree.children[tree.first[b.row] ?? 0];
                focus(b.scope && inside !== undefined ? inside : b.row);
                toggle(b.row);
              }}
              onPick={() => setPicked(b.row)}
              onMove={(key) => {
                const next = neighbour(picture.boxes, b, key);
                if (next) focus(next.row);
              }}
            />
          ))}
        </svg>
      </div>
    </>
  );
}

const VALUES = ["micros", "bytes", "peak_bytes", "params", "float_ops"];

export function Graph({ route, facts, tables }: { route: Route; facts: ProfileFacts; tables: Tables }) {
  const column = route.params.get("by") ?? (facts.steps.length ? "micros" : "params");
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
      <Status of={loaded}>
        {({ t, e: edgesOf }) => {
          const total = t.column(`total_${column}`);
          const name = t.columns[0];
          if (!total || !name) return <p class="empty">There is no column {column}.</p>;
          return (
            <Drawing t={t} edges={edgesOf} route={route} total={total} name={name}>
              <label>
                Share of{" "}
                <select value={column} onChange={(e) => go(withParams(route, { by: e.currentTarget.value }))}>
                  {known.map((v) => <option key={v} value={v}>{v.replaceAll("_", " ")}</option>)}
                </select>
              </label>
            </Drawing>
          );
        }}
      </Status>
    </main>
  );
}

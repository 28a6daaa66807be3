// A tree as stacked bars: as wide as a row's share of a column. Icicle: from the top down; flame: from the bottom up.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Column, Table, Tables } from "../api";
import { cellText, table } from "../api";
import { commandWords } from "../command";
import { formatShare, formatUnit } from "../format";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { CommandLine } from "../parts/CommandLine";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go, withParams } from "../route";
import type { Tree } from "../rows";
import { findRows, makeTree, sortSiblings } from "../rows";

const ROW = 20;
const LEAST = 0.4; // pixels below which a bar is not drawn

interface Box {
  row: number;
  x: number;
  width: number;
  depth: number;
}

/** Okabe and Ito's colours, told apart by all; text on them is dark. */
const COLOURS = ["#e69f00", "#56b4e9", "#4cc59a", "#f0e442", "#7fb2dd", "#f2a07b", "#d9a3c4"];

function colourOf(name: string): string {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return COLOURS[Math.abs(hash) % COLOURS.length] ?? "#56b4e9";
}

/** The bars below `top`, as far as they can be seen. */
function layOut(tree: Tree, children: Uint32Array, total: Column, top: number, width: number): Box[] {
  const out: Box[] = [];
  const whole = total.values[top] ?? 0;
  if (!(whole > 0)) return out;
  const stack: Box[] = [{ row: top, x: 0, width, depth: 0 }];
  for (let box = stack.pop(); box; box = stack.pop()) {
    out.push(box);
    let x = box.x;
    for (let i = tree.first[box.row] ?? 0; i < (tree.first[box.row + 1] ?? 0); i++) {
      const row = children[i] ?? 0;
      const part = ((total.values[row] ?? 0) / whole) * width;
      if (part >= LEAST) stack.push({ row, x, width: Math.min(part, box.x + box.width - x), depth: box.depth + 1 });
      x += part;
    }
  }
  return out;
}

interface Drawn {
  t: Table;
  tree: Tree;
  total: Column;
  boxes: Box[];
  upward: boolean;
  height: number;
}

function draw(canvas: HTMLCanvasElement, d: Drawn, found: Uint8Array | null, focus: number): void {
  const scale = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  canvas.width = width * scale;
  canvas.height = d.height * scale;
  const pen = canvas.getContext("2d");
  const name = d.t.columns[0];
  if (!pen || !name) return;
  pen.scale(scale, scale);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  for (const box of d.boxes) {
    const y = d.upward ? d.height - (box.depth + 1) * ROW : box.depth * ROW;
    const path = cellText(name, box.row);
    const text = path.slice(path.lastIndexOf("/") + 1);
    pen.globalAlpha = found && found[box.row] !== 2 ? 0.35 : 1;
    pen.fillStyle = colourOf(text);
    pen.fillRect(box.x, y, Math.max(LEAST, box.width - 0.5), ROW - 1);
    pen.globalAlpha = 1;
    if (box.row === focus) {
      pen.lineWidth = 2;
      pen.strokeStyle = getComputedStyle(canvas).color;
      pen.strokeRect(box.x + 1, y + 1, Math.max(0, box.width - 2.5), ROW - 3);
    }
    const letters = Math.floor((box.width - 6) / 6.6);
    if (letters < 3) continue;
    pen.fillStyle = "#16202b";
    pen.fillText(text.length > letters ? `${text.slice(0, letters - 1)}…` : text, box.x + 3, y + ROW / 2);
  }
}

/** What a row is called in an address: lines of code may come more than once, so theirs have the row's number too. */
function nameOf(t: Table, name: Column, row: number): string {
  return t.view === "code" ? `${row} ${cellText(name, row)}` : cellText(name, row);
}

function rowCalled(t: Table, called: string): number {
  const name = t.columns[0];
  if (!called || !name) return 0;
  if (t.view === "code") return Math.min(parseInt(called, 10) || 0, t.rows - 1);
  const text = name.texts?.indexOf(called) ?? -1;
  return text < 0 ? 0 : Math.max(0, (name.values as Uint32Array).indexOf(text));
}

function Bars({ t, route, total }: { t: Table; route: Route; total: Column }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(1000);
  const [focus, setFocus] = useState(-1);
  const upward = route.params.get("shape") === "flame";
  const tree = useMemo(() => makeTree(t), [t]);
  const children = useMemo(() => sortSiblings(tree, { column: total, down: true }), [tree, total]);
  const found = useMemo(() => findRows(t, tree, route.params.get("q") ?? ""), [tree, route.params.get("q")]);
  const top = useMemo(() => rowCalled(t, route.params.get("top") ?? ""), [t, route.params.get("top")]);
  const boxes = useMemo(() => layOut(tree, children, total, top, width), [tree, children, total, top, width]);
  const height = ROW * (1 + boxes.reduce((most, b) => Math.max(most, b.depth), 0));
  const name = t.columns[0];
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    if (canvas.current) watch.observe(canvas.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current) draw(canvas.current, { t, tree, total, boxes, upward, height }, found, focus);
  }, [boxes, found, focus, upward, height]);
  const zoom = (row: number): void => go(withParams(route, { top: row > 0 && name ? nameOf(t, name, row) : null }));
  const at = (event: MouseEvent): number => {
    const depth = Math.floor((upward ? height - event.offsetY : event.offsetY) / ROW);
    return boxes.find((b) => b.depth === depth && event.offsetX >= b.x && event.offsetX < b.x + b.width)?.row ?? -1;
  };
  const step = (sideways: number, down: number): void => {
    const here = boxes.find((b) => b.row === focus) ?? boxes[0];
    if (!here) return;
    const fits = boxes.filter((b) =>
      down ? b.depth === here.depth + down && (down > 0 ? tree.parent[b.row] === here.row : b.row === tree.parent[here.row]) : b.depth === here.depth && (sideways > 0 ? b.x > here.x : b.x < here.x),
    );
    fits.sort((a, b) => (sideways < 0 ? b.x - a.x : a.x - b.x));
    if (fits[0]) setFocus(fits[0].row);
  };
  const onKey = (event: KeyboardEvent): void => {
    const keys: Record<string, () => void> = {
      ArrowLeft: () => step(-1, 0),
      ArrowRight: () => step(1, 0),
      ArrowDown: () => step(0, upward ? -1 : 1),
      ArrowUp: () => step(0, upward ? 1 : -1),
      Enter: () => zoom(focus),
      Escape: () => zoom(Math.max(0, tree.parent[top] ?? 0)),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  if (!name || !boxes.length) return <p class="empty">This column is 0 everywhere in this profile.</p>;
  const told = focus >= 0 ? focus : top;
  const value = total.values[told] ?? 0;
  return (
    <>
      <p class="told" aria-live="polite">
        <strong>{cellText(name, told)}</strong> {formatUnit(total.unit, value)} ({formatShare(value, total.values[0] ?? 0)} of all)
        {top > 0 && <button type="button" onClick={() => zoom(Math.max(0, tree.parent[top] ?? 0))}>Zoom out</button>}
      </p>
      <canvas
        ref={canvas}
        class="bars"
        style={{ height: `${height}px` }}
        tabIndex={0}
        role="img"
        aria-label={`bars of ${total.name}; arrow keys go from bar to bar, Enter zooms in, Escape out`}
        onMouseMove={(e) => setFocus(at(e))}
        onMouseLeave={() => setFocus(-1)}
        onClick={(e) => zoom(at(e))}
        onKeyDown={onKey}
      />
    </>
  );
}

const VALUES = ["micros", "accelerator_micros", "cpu_micros", "bytes", "peak_bytes", "output_bytes", "residual_bytes", "params", "float_ops"];

export function Flame({ route, files, tables }: { route: Route; files: string[]; tables: Tables }) {
  const view = route.params.get("of") === "code" ? "code" : "scope";
  const column = route.params.get("by") ?? "micros";
  const query = new URLSearchParams({ select: column, max_depth: "100000" });
  for (const name of ["step", "float_ops_source", "assume_batch"]) {
    const value = route.params.get(name);
    if (value) query.set(name, value);
  }
  const asked = new URLSearchParams(query);
  query.set("format", "columns");
  const path = `/api/v1/profiles/${route.id}/views/${view}?${query.toString()}`;
  const loaded = useLoaded(path, (signal, progress) => table(path, signal, progress));
  const set = (name: string, value: string): void => go(withParams(route, { [name]: value || null, top: null }));
  const known = VALUES.filter((v) => tables.columns.some((c) => c.name === v));
  return (
    <main>
      <h1>Flame graph</h1>
      <form class="controls" onSubmit={(e) => e.preventDefault()}>
        <div class="field">
          <label for="of">of</label>
          <select id="of" value={view} onChange={(e) => set("of", e.currentTarget.value === "code" ? "code" : "")}>
            <option value="scope">scopes</option>
            <option value="code">code</option>
          </select>
        </div>
        <div class="field">
          <label for="by">by</label>
          <select id="by" value={column} onChange={(e) => set("by", e.currentTarget.value)}>
            {known.map((v) => <option key={v} value={v}>{v.replaceAll("_", " ")}</option>)}
          </select>
        </div>
        <div class="field">
          <label for="shape">shape</label>
          <select id="shape" value={route.params.get("shape") ?? "icicle"} onChange={(e) => set("shape", e.currentTarget.value === "flame" ? "flame" : "")}>
            <option value="icicle">icicle</option>
            <option value="flame">flame</option>
          </select>
        </div>
        {!isReport && (
          <div class="field">
            <label for="step">step</label>
            <input id="step" type="text" placeholder="-1" value={route.params.get("step") ?? ""} onChange={(e) => set("step", e.currentTarget.value)} />
          </div>
        )}
        <div class="field wide">
          <label for="search">find</label>
          <input id="search" type="search" value={route.params.get("q") ?? ""} onInput={(e) => go(withParams(route, { q: e.currentTarget.value || null }), true)} />
        </div>
      </form>
      <CommandLine words={commandWords(view, files, asked)} />
      <Status of={loaded}>
        {(t) => {
          const total = t.column(`total_${column}`);
          return total ? <Bars t={t} route={route} total={total} /> : <p class="empty">This view has no column {column}.</p>;
        }}
      </Status>
    </main>
  );
}

// What ran when: a lane for each device, stream or thread.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ProfileFacts, Table } from "../api";
import { cellText, table } from "../api";
import { formatMicros, formatShare } from "../format";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go, withParams } from "../route";
import type { Spans } from "../spans";
import { firstAfter, makeSpans } from "../spans";

const ROW = 18;
const LANE_GAP = 22; // room for a lane's name above its rows
const AXIS = 22;
const COLOURS = ["#e69f00", "#56b4e9", "#4cc59a", "#f0e442", "#7fb2dd", "#f2a07b", "#d9a3c4", "#b5c35a"];

interface Window {
  from: number;
  to: number;
}

interface Scene {
  t: Table;
  s: Spans;
  seen: Window;
  marked: Window | null;
  colour: Uint8Array; // per row of the table
  found: Uint8Array | null;
  picked: number; // place of an event, -1
}

function laneTop(s: Spans, lane: number): number {
  return AXIS + lane * LANE_GAP + (s.lanes[lane]?.firstRow ?? 0) * ROW;
}

function heightOf(s: Spans): number {
  return AXIS + s.lanes.length * LANE_GAP + (s.rowFirst.length - 1) * ROW + 6;
}

function tickOf(span: number): number {
  const rough = span / 8;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-3)));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? power * 10;
}

function drawAxis(pen: CanvasRenderingContext2D, d: Scene, width: number, height: number, ink: string, soft: string): void {
  const scale = width / (d.seen.to - d.seen.from);
  const tick = tickOf(d.seen.to - d.seen.from);
  pen.fillStyle = ink;
  for (let at = Math.ceil(d.seen.from / tick) * tick; at <= d.seen.to; at += tick) {
    const x = (at - d.seen.from) * scale;
    pen.strokeStyle = soft;
    pen.lineWidth = 0.5;
    pen.beginPath();
    pen.moveTo(x, AXIS - 6);
    pen.lineTo(x, height);
    pen.stroke();
    pen.fillText(formatMicros(Math.round(at * 1000) / 1000), x + 3, AXIS / 2);
  }
}

/** Events of one row: those that share a pixel with the one before are not drawn again. */
function drawRow(pen: CanvasRenderingContext2D, d: Scene, from: number, to: number, y: number, scale: number): void {
  const { s, seen } = d;
  const name = d.t.column("name");
  let last = -1;
  for (let i = firstAfter(s, from, to, seen.from); i < to; i++) {
    const start = s.start[i] ?? 0;
    if (start >= seen.to) break;
    const x = Math.max(0, (start - seen.from) * scale);
    const right = Math.max(x + 1, ((s.end[i] ?? 0) - seen.from) * scale);
    if (right - last < 0.5) continue;
    last = right;
    const source = s.source[i] ?? 0;
    pen.globalAlpha = d.found && !d.found[source] ? 0.25 : 1;
    pen.fillStyle = COLOURS[d.colour[source] ?? 0] ?? "#56b4e9";
    pen.fillRect(x, y, right - x - (right - x > 3 ? 0.6 : 0), ROW - 2);
    if (i === d.picked) {
      pen.strokeStyle = getComputedStyle(pen.canvas).color;
      pen.lineWidth = 2;
      pen.strokeRect(x + 1, y + 1, Math.max(1, right - x - 2), ROW - 4);
    }
    const letters = Math.floor((right - x - 6) / 6.4);
    if (letters < 4 || !name) continue;
    const path = cellText(name, source);
    const text = path.slice(path.lastIndexOf("/") + 1);
    pen.fillStyle = "#16202b";
    pen.fillText(text.length > letters ? `${text.slice(0, letters - 1)}…` : text, x + 3, y + ROW / 2 - 0.5);
  }
  pen.globalAlpha = 1;
}

function draw(canvas: HTMLCanvasElement, d: Scene): void {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = heightOf(d.s);
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const style = getComputedStyle(canvas);
  pen.scale(ratio, ratio);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  drawAxis(pen, d, width, height, style.color, style.borderTopColor);
  const scale = width / (d.seen.to - d.seen.from);
  d.s.lanes.forEach((lane, i) => {
    const top = laneTop(d.s, i);
    pen.fillStyle = style.color;
    pen.fillText(lane.name, 4, top + LANE_GAP / 2 + 1);
    for (let r = 0; r < lane.rows; r++) {
      const row = lane.firstRow + r;
      drawRow(pen, d, d.s.rowFirst[row] ?? 0, d.s.rowFirst[row + 1] ?? 0, top + LANE_GAP + r * ROW, scale);
    }
  });
  if (!d.marked) return;
  pen.globalAlpha = 0.18;
  pen.fillStyle = style.color;
  pen.fillRect((d.marked.from - d.seen.from) * scale, AXIS, (d.marked.to - d.marked.from) * scale, height);
  pen.globalAlpha = 1;
}

function eventAt(s: Spans, time: number, y: number): number {
  for (let lane = 0; lane < s.lanes.length; lane++) {
    const row = Math.floor((y - laneTop(s, lane) - LANE_GAP) / ROW);
    const rows = s.lanes[lane]?.rows ?? 0;
    if (row < 0 || row >= rows) continue;
    const at = (s.lanes[lane]?.firstRow ?? 0) + row;
    const to = s.rowFirst[at + 1] ?? 0;
    const i = firstAfter(s, s.rowFirst[at] ?? 0, to, time);
    return i < to && (s.start[i] ?? 0) <= time ? i : -1;
  }
  return -1;
}

interface Sum {
  name: string;
  count: number;
  micros: number;
}

/** By operation, of the events in a window: what of each lies inside. */
function sumsIn(t: Table, s: Spans, w: Window): Sum[] {
  const op = t.column("op");
  const sums = new Map<number, Sum>();
  for (let i = 0; i < s.count; i++) {
    const inside = Math.min(s.end[i] ?? 0, w.to) - Math.max(s.start[i] ?? 0, w.from);
    if (inside < 0 || !op) continue;
    const key = op.values[s.source[i] ?? 0] ?? 0;
    const sum = sums.get(key) ?? { name: op.texts?.[key] || "(none)", count: 0, micros: 0 };
    sum.count++;
    sum.micros += inside;
    sums.set(key, sum);
  }
  return [...sums.values()].sort((a, b) => b.micros - a.micros).slice(0, 12);
}

function Sums({ sums, whole }: { sums: Sum[]; whole: number }) {
  return (
    <table class="list narrow">
      <caption>In the selected time</caption>
      <thead>
        <tr><th scope="col">Operation</th><th scope="col" class="number">Events</th><th scope="col" class="number">Time</th><th scope="col" class="number">Share</th></tr>
      </thead>
      <tbody>
        {sums.map((s) => (
          <tr key={s.name}>
            <td>{s.name}</td>
            <td class="number">{s.count.toLocaleString()}</td>
            <td class="number">{formatMicros(Math.round(s.micros))}</td>
            <td class="number">{formatShare(s.micros, whole)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Lanes({ t, s, route }: { t: Table; s: Spans; route: Route }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [seen, setSeen] = useState<Window>({ from: 0, to: Math.max(s.whole, 1) });
  const [marked, setMarked] = useState<Window | null>(null);
  const [picked, setPicked] = useState(-1);
  const [width, setWidth] = useState(1000);
  const drag = useRef<{ from: number; shift: boolean; seen: Window } | null>(null);
  const search = (route.params.get("q") ?? "").toLowerCase();
  const name = t.column("name");
  const op = t.column("op");
  const colour = useMemo(() => {
    const of = Uint8Array.from(op?.texts ?? [], (text) => Math.abs([...text].reduce((h, c) => (h * 31 + c.charCodeAt(0)) | 0, 7)) % COLOURS.length);
    return Uint8Array.from({ length: t.rows }, (_, i) => of[op?.values[i] ?? 0] ?? 0);
  }, [t]);
  const found = useMemo(() => {
    if (!search || !name) return null;
    const fits = Uint8Array.from(name.texts ?? [], (text) => (text.toLowerCase().includes(search) ? 1 : 0));
    return Uint8Array.from({ length: t.rows }, (_, i) => fits[name.values[i] ?? 0] ?? 0);
  }, [t, search]);
  const sums = useMemo(() => (marked ? sumsIn(t, s, marked) : []), [t, s, marked]);
  useEffect(() => setSeen({ from: 0, to: Math.max(s.whole, 1) }), [s]);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    if (canvas.current) watch.observe(canvas.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    const frame = requestAnimationFrame(() => canvas.current && draw(canvas.current, { t, s, seen, marked, colour, found, picked }));
    return () => cancelAnimationFrame(frame);
  }, [t, s, seen, marked, colour, found, picked, width]);
  const timeAt = (x: number): number => seen.from + (x / width) * (seen.to - seen.from);
  const clamp = (w: Window): Window => {
    const size = Math.min(Math.max(w.to - w.from, 0.01), Math.max(s.whole, 1));
    const from = Math.min(Math.max(w.from, 0), Math.max(0, s.whole - size));
    return { from, to: from + size };
  };
  const zoom = (factor: number, around: number): void =>
    setSeen(clamp({ from: around - (around - seen.from) * factor, to: around + (seen.to - around) * factor }));
  const pan = (part: number): void => {
    const by = (seen.to - seen.from) * part;
    setSeen(clamp({ from: seen.from + by, to: seen.to + by }));
  };
  const onWheel = (e: WheelEvent): void => {
    if (!e.ctrlKey && !e.shiftKey && Math.abs(e.deltaX) < Math.abs(e.deltaY)) return; // the page scrolls
    e.preventDefault();
    if (e.ctrlKey) zoom(e.deltaY > 0 ? 1.2 : 1 / 1.2, timeAt(e.offsetX));
    else pan((e.deltaX || e.deltaY) / 1000);
  };
  const onKey = (e: KeyboardEvent): void => {
    const middle = (seen.from + seen.to) / 2;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => pan(-0.15),
      ArrowRight: () => pan(0.15),
      a: () => pan(-0.15),
      d: () => pan(0.15),
      "+": () => zoom(1 / 1.5, middle),
      w: () => zoom(1 / 1.5, middle),
      "-": () => zoom(1.5, middle),
      s: () => zoom(1.5, middle),
      "0": () => setSeen({ from: 0, to: Math.max(s.whole, 1) }),
      m: () => setMarked(seen),
      Escape: () => setMarked(null),
    };
    const act = keys[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  };
  const onDown = (e: PointerEvent): void => {
    drag.current = { from: timeAt(e.offsetX), shift: e.shiftKey, seen };
    canvas.current?.setPointerCapture(e.pointerId);
  };
  const onMove = (e: PointerEvent): void => {
    if (!drag.current) return;
    const to = timeAt(e.offsetX);
    if (drag.current.shift) setSeen(clamp({ from: seen.from + drag.current.from - to, to: seen.to + drag.current.from - to }));
    else if (Math.abs(to - drag.current.from) * (width / (seen.to - seen.from)) > 4) setMarked({ from: Math.min(to, drag.current.from), to: Math.max(to, drag.current.from) });
  };
  const onUp = (e: PointerEvent): void => {
    const from = drag.current?.from ?? 0;
    drag.current = null;
    if (Math.abs(timeAt(e.offsetX) - from) * (width / (seen.to - seen.from)) <= 4) setPicked(eventAt(s, timeAt(e.offsetX), e.offsetY));
  };
  const source = picked >= 0 ? (s.source[picked] ?? 0) : -1;
  return (
    <>
      <div class="tools">
        <button type="button" onClick={() => zoom(1 / 1.5, (seen.from + seen.to) / 2)}>Zoom in</button>
        <button type="button" onClick={() => zoom(1.5, (seen.from + seen.to) / 2)}>Zoom out</button>
        <button type="button" onClick={() => setSeen({ from: 0, to: Math.max(s.whole, 1) })}>All</button>
        {marked && <button type="button" onClick={() => setSeen(clamp(marked))}>Zoom to selection</button>}
        <span class="count">{s.count.toLocaleString()} events; {formatMicros(Math.round(seen.to - seen.from))} shown. Drag selects, shift and drag moves, ctrl and wheel zooms.</span>
      </div>
      <canvas
        ref={canvas}
        class="timeline"
        style={{ height: `${heightOf(s)}px` }}
        tabIndex={0}
        role="img"
        aria-label={`timeline of ${s.lanes.length} lanes; arrow keys move, plus and minus zoom, m selects what is shown, 0 shows all`}
        onWheel={onWheel}
        onKeyDown={onKey}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={onUp}
      />
      <p class="told" aria-live="polite">
        {source >= 0 && name && (
          <>
            <strong>{cellText(name, source)}</strong> {op ? cellText(op, source) : ""}: {formatMicros((s.end[picked] ?? 0) - (s.start[picked] ?? 0))} at {formatMicros(s.start[picked] ?? 0)}
          </>
        )}
      </p>
      {marked && <Sums sums={sums} whole={marked.to - marked.from} />}
    </>
  );
}

export function Timeline({ route, facts }: { route: Route; facts: ProfileFacts }) {
  const step = route.params.get("step") ?? String(facts.steps[0] ?? 0);
  const path = `/api/v1/profiles/${route.id}/timeline?step=${encodeURIComponent(step)}&format=columns`;
  const loaded = useLoaded(path, (signal, progress) => table(path, signal, progress));
  const spans = useMemo(() => (loaded.value ? makeSpans(loaded.value) : null), [loaded.value]);
  return (
    <main>
      <h1>Timeline</h1>
      <form class="controls" onSubmit={(e) => e.preventDefault()}>
        <div class="field">
          <label for="step">step</label>
          <select id="step" value={step} onChange={(e) => go(withParams(route, { step: e.currentTarget.value }))}>
            {facts.steps.map((s) => <option key={s} value={String(s)}>{s}</option>)}
          </select>
        </div>
        <div class="field wide">
          <label for="search">find</label>
          <input id="search" type="search" value={route.params.get("q") ?? ""} onInput={(e) => go(withParams(route, { q: e.currentTarget.value || null }), true)} />
        </div>
        {!isReport && <a class="button" href={`/api/v1/profiles/${route.id}/download/timeline.json?step=${encodeURIComponent(step)}`}>Download for chrome://tracing</a>}
      </form>
      <Status of={loaded}>
        {(t) => (spans ? <Lanes t={t} s={spans} route={route} /> : <p class="empty">Nothing ran in this step.</p>)}
      </Status>
    </main>
  );
}

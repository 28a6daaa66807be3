// What ran when: a lane for each device, stream or thread.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ProfileFacts, Table } from "../api";
import { cellText, table } from "../api";
import { commandWords } from "../command";
import { formatMicros, formatShare } from "../format";
import { isReport } from "../held";
import { AXIS, ROW, coloursOf, draw, eventAt, heightOf, rowTop } from "../lanes";
import { useLoaded } from "../load";
import { CommandLine } from "../parts/CommandLine";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go, parseRoute, withParams } from "../route";
import { textsWith } from "../rows";
import type { Spans, Sum, Window } from "../spans";
import { firstAfter, makeSpans, rowOf, sumsIn } from "../spans";

const SUMS = 12; // operations told of a selection
const FLOWS_MOST = 40;

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


/** Two numbers of a parameter, "1.5-20"; null without. */
function windowIn(route: Route, name: string): Window | null {
  const [from, to] = (route.params.get(name) ?? "").split("-").map(Number);
  return from !== undefined && to !== undefined && to > from && from >= 0 ? { from, to } : null;
}

function windowText(w: Window | null): string | null {
  return w && `${+w.from.toFixed(3)}-${+w.to.toFixed(3)}`;
}

/** Events that an event waited for, and those that waited for it: along the edges of the graph. */
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
}

function useFlows(t: Table, s: Spans, id: string, picked: number): [number, number][] {
  const [flows, set] = useState<[number, number][]>([]);
  useEffect(() => {
    set([]);
    const node = t.column("node");
    const row = picked >= 0 ? (s.source[picked] ?? 0) : -1;
    if (!node || row < 0 || node.absent?.[row]) return;
    const stop = new AbortController();
    const sql = `SELECT source, node FROM edges WHERE node = ${node.values[row] ?? -1} OR source = ${node.values[row] ?? -1}`;
    table(`/api/v1/profiles/${id}/query?format=columns&sql=${encodeURIComponent(sql)}`, stop.signal).then(
      (edges) => set(flowsOf(t, s, edges, picked)),
      () => undefined, // without edges the event is shown all the same
    );
    return () => stop.abort();
  }, [t, s, picked]);
  return flows;
}

function Lanes({ t, s, route }: { t: Table; s: Spans; route: Route }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const all = { from: 0, to: Math.max(s.whole, 1) };
  const [seen, setSeen] = useState<Window>(windowIn(route, "time") ?? all);
  const [marked, setMarked] = useState<Window | null>(windowIn(route, "selected"));
  const [picked, setPicked] = useState(() => s.source.indexOf(Number(route.params.get("event") ?? -1)));
  const [size, setSize] = useState({ width: 1000, height: 400 });
  const [top, setTop] = useState(0);
  const drag = useRef<{ from: number; shift: boolean; seen: Window } | null>(null);
  const search = route.params.get("q") ?? "";
  const name = t.column("name");
  const op = t.column("op");
  const colour = useMemo(() => coloursOf(op?.texts ?? []), [t]);
  const found = useMemo(() => (search && name?.texts ? textsWith(name.texts, search) : null), [t, search]);
  const sums = useMemo(() => (marked && op ? sumsIn(s, op, marked, SUMS) : []), [t, s, marked]);
  const flows = useFlows(t, s, route.id, picked);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setSize({ width: entry.contentRect.width, height: entry.contentRect.height }));
    if (canvas.current) watch.observe(canvas.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    const frame = requestAnimationFrame(() => canvas.current && draw(canvas.current, { t, s, seen, top, marked, colour, found, picked, flows }));
    return () => cancelAnimationFrame(frame);
  }, [t, s, seen, top, marked, colour, found, picked, flows, size, document.documentElement.dataset.theme]);
  useEffect(() => {
    // what is seen stands in the address, once it is at rest
    const rest = setTimeout(() => {
      const now = parseRoute(location.hash);
      if (now.page !== "timeline" || now.id !== route.id) return;
      const whole = seen.from <= 0 && seen.to >= all.to;
      const event = picked >= 0 ? String(s.source[picked] ?? 0) : null;
      go(withParams(now, { time: whole ? null : windowText(seen), selected: windowText(marked), event }), true);
    }, 250);
    return () => clearTimeout(rest);
  }, [seen, marked, picked]);
  const width = Math.max(1, size.width);
  const timeAt = (x: number): number => seen.from + (x / width) * (seen.to - seen.from);
  const clamp = (w: Window): Window => {
    const length = Math.min(Math.max(w.to - w.from, 0.01), all.to);
    const from = Math.min(Math.max(w.from, 0), Math.max(0, all.to - length));
    return { from, to: from + length };
  };
  const middle = (seen.from + seen.to) / 2;
  const zoom = (factor: number, around: number): void =>
    setSeen((w) => clamp({ from: around - (around - w.from) * factor, to: around + (w.to - around) * factor }));
  const pan = (part: number): void => setSeen((w) => clamp({ from: w.from + (w.to - w.from) * part, to: w.to + (w.to - w.from) * part }));
  const pick = (event: number): void => {
    if (event < 0 || event >= s.count) return;
    setPicked(event);
    const [start, end] = [s.start[event] ?? 0, s.end[event] ?? 0];
    const length = seen.to - seen.from;
    if (end < seen.from || start > seen.to) setSeen(clamp({ from: start - length / 3, to: start + (length * 2) / 3 }));
    const y = rowTop(s, rowOf(s, event));
    const here = box.current;
    if (here && (y - AXIS < here.scrollTop || y + ROW > here.scrollTop + here.clientHeight)) here.scrollTop = y - here.clientHeight / 2;
  };
  /** The event of another row that runs when the picked one begins, or the next after it. */
  const pickRow = (by: number): void => {
    const from = picked < 0 ? -1 : rowOf(s, picked);
    const row = Math.max(0, Math.min(s.rowFirst.length - 2, from + by));
    const time = picked < 0 ? seen.from : (s.start[picked] ?? 0);
    const to = s.rowFirst[row + 1] ?? 0;
    pick(Math.min(to - 1, firstAfter(s, s.rowFirst[row] ?? 0, to, time)));
  };
  const beside = (by: number): void => {
    if (picked < 0) return pickRow(1);
    if (rowOf(s, picked + by) === rowOf(s, picked)) pick(picked + by);
  };
  const onWheel = (e: WheelEvent): void => {
    if (!e.ctrlKey && !e.shiftKey && Math.abs(e.deltaX) < Math.abs(e.deltaY)) return; // the page scrolls
    e.preventDefault();
    if (e.ctrlKey) zoom(e.deltaY > 0 ? 1.2 : 1 / 1.2, timeAt(e.offsetX));
    else pan((e.deltaX || e.deltaY) / 1000);
  };
  const onKey = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => pan(-0.15),
      ArrowRight: () => pan(0.15),
      a: () => pan(-0.15),
      d: () => pan(0.15),
      "+": () => zoom(1 / 1.5, middle),
      "=": () => zoom(1 / 1.5, middle),
      w: () => zoom(1 / 1.5, middle),
      "-": () => zoom(1.5, middle),
      s: () => zoom(1.5, middle),
      "0": () => setSeen(all),
      m: () => setMarked(seen),
      ".": () => beside(1),
      ",": () => beside(-1),
      ArrowDown: () => pickRow(1),
      ArrowUp: () => pickRow(-1),
      Enter: () => picked >= 0 && setSeen(clamp({ from: (s.start[picked] ?? 0) - 1, to: (s.end[picked] ?? 0) + 1 })),
      Escape: () => (marked ? setMarked(null) : setPicked(-1)),
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
    else if (Math.abs(to - drag.current.from) * (width / (seen.to - seen.from)) > 4) setMarked({ from: Math.max(0, Math.min(to, drag.current.from)), to: Math.max(to, drag.current.from) });
  };
  const onUp = (e: PointerEvent): void => {
    const from = drag.current?.from ?? 0;
    drag.current = null;
    if (Math.abs(timeAt(e.offsetX) - from) * (width / (seen.to - seen.from)) <= 4) setPicked(eventAt(s, timeAt(e.offsetX), e.offsetY + top));
  };
  const source = picked >= 0 ? (s.source[picked] ?? 0) : -1;
  const height = heightOf(s);
  return (
    <>
      <div class="tools">
        <button type="button" onClick={() => zoom(1 / 1.5, middle)}>Zoom in</button>
        <button type="button" onClick={() => zoom(1.5, middle)}>Zoom out</button>
        <button type="button" onClick={() => setSeen(all)}>All</button>
        {marked && <button type="button" onClick={() => setSeen(clamp(marked))}>Zoom to selection</button>}
        <span class="count">{s.count.toLocaleString()} events; {formatMicros(Math.round(seen.to - seen.from))} shown.</span>
        <span class="count hint">Drag selects, shift and drag moves, ctrl and wheel zooms; keys: arrows, + − 0, m, comma and full stop.</span>
      </div>
      <div ref={box} class="lanes" style={{ height: `min(${height}px, 75vh)` }} onScroll={(e) => setTop(e.currentTarget.scrollTop)}>
        <canvas
          ref={canvas}
          class="timeline"
          tabIndex={0}
          role="img"
          aria-label={`timeline of ${s.lanes.length} lanes; left and right move, plus and minus zoom, up and down pick an event, comma and full stop the one beside it, m selects what is shown, 0 shows all`}
          onWheel={onWheel}
          onKeyDown={onKey}
          onPointerDown={onDown}
          onPointerMove={onMove}
          onPointerUp={onUp}
        />
        <div style={{ height: `max(0px, calc(${height}px - 75vh))` }} />
      </div>
      <p class="told" aria-live="polite">
        {source >= 0 && name && (
          <>
            <strong>{cellText(name, source)}</strong> {op ? cellText(op, source) : ""}: {formatMicros((s.end[picked] ?? 0) - (s.start[picked] ?? 0))} at {formatMicros(s.start[picked] ?? 0)}
            {flows.length > 0 && `; ${flows.filter(([, to]) => to === picked).length} before it, ${flows.filter(([from]) => from === picked).length} wait for it`}
          </>
        )}
      </p>
      {marked && <Sums sums={sums} whole={marked.to - marked.from} />}
    </>
  );
}

export function Timeline({ route, files, facts }: { route: Route; files: string[]; facts: ProfileFacts }) {
  const step = route.params.get("step") ?? String(facts.steps[0] ?? 0);
  const path = `/api/v1/profiles/${route.id}/timeline?step=${encodeURIComponent(step)}&format=columns`;
  const loaded = useLoaded(path, async (signal, progress) => {
    const t = await table(path, signal, progress);
    return { t, spans: makeSpans(t), step };
  });
  return (
    <main>
      <h1>Timeline</h1>
      <form class="controls" onSubmit={(e) => e.preventDefault()}>
        <div class="field">
          <label for="step">step</label>
          <select id="step" value={step} onChange={(e) => go(withParams(route, { step: e.currentTarget.value, time: null, selected: null, event: null }))}>
            {facts.steps.map((s) => <option key={s} value={String(s)}>{s}</option>)}
          </select>
        </div>
        <div class="field wide">
          <label for="search">find</label>
          <input id="search" type="search" value={route.params.get("q") ?? ""} onInput={(e) => go(withParams(route, { q: e.currentTarget.value || null }), true)} />
        </div>
        {!isReport && <a class="button" href={`/api/v1/profiles/${route.id}/download/timeline.json?step=${encodeURIComponent(step)}`}>Download for chrome://tracing</a>}
      </form>
      <CommandLine words={commandWords("graph", files, new URLSearchParams({ step, max_depth: "100000", output: "timeline:outfile=timeline.json" }))} />
      <Status of={loaded}>
        {({ t, spans, step: shown }) => (spans?.count ? <Lanes key={shown} t={t} s={spans} route={route} /> : <p class="empty">Nothing ran in this step.</p>)}
      </Status>
    </main>
  );
}

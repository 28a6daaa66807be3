// SPDX-License-Identifier: Apache-2.0
// Lanes of spans on a canvas: the visible window is requested, and a coarse picture of the whole is shown until it arrives.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatMicros, formatShare } from "../format";
import { draw, drawMap, heightOf, itemAt, labelAt, rowAt } from "../lanes";
import { useLoaded } from "../load";
import type { Route } from "../route";
import { useShownTheme } from "../theme";
import type { Items, Source, Window } from "../timeline";
import { lastRowOf, firstRowOf } from "../timeline";
import type { View } from "../view";
import { onTimelineKey, take, useView } from "../view";
import { PickedSpan } from "./Picked";

const SUMS = 12; // names listed for a selection
const CLICK_PX = 4; // a shorter drag is a click
const REST_MS = 30; // pause after the last change before a window is requested
const FINER = 4; // a window may be this many times as fine as needed
const BASE_ROWS = 200; // rows of the coarse picture
const PX_MOST = 8000;

function Sums({ source, marked }: { source: Source; marked: Window }) {
  const sums = useLoaded(`${marked.from} ${marked.to}`, (signal) => source.sums(marked, signal));
  return (
    <table class="list narrow">
      <caption>In the selected {formatMicros(marked.to - marked.from)}</caption>
      <thead>
        <tr><th scope="col">Name</th><th scope="col" class="number">Spans</th><th scope="col" class="number">Time</th><th scope="col" class="number">Share</th></tr>
      </thead>
      <tbody>
        {sums.value?.slice(0, SUMS).map((s) => (
          <tr key={s.name}>
            <td>{s.name || "(none)"}</td>
            <td class="number">{s.count.toLocaleString()}</td>
            <td class="number">{formatMicros(s.total_us)}</td>
            <td class="number">{formatShare(s.total_us, marked.to - marked.from)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Dragging selects, with shift it moves the visible time; a click picks a span. */
function usePointer(d: Items | null, source: Source, v: View, top: number, width: number, canvas: RefObject<HTMLCanvasElement | null>) {
  const drag = useRef<{ from: number; shift: boolean; seen: Window } | null>(null);
  const { seen } = v;
  const timeAt = (x: number): number => seen.from + (x / width) * (seen.to - seen.from);
  const pixels = (time: number): number => Math.abs(time) * (width / (seen.to - seen.from));
  const at = (e: PointerEvent): number => (d ? itemAt(d, rowAt(source.lanes.lanes, e.offsetY + top), timeAt(e.offsetX), (seen.to - seen.from) / width) : -1);
  return {
    onWheel: (e: WheelEvent): void => {
      if (!e.ctrlKey && !e.shiftKey && Math.abs(e.deltaX) < Math.abs(e.deltaY)) return; // the page scrolls
      e.preventDefault();
      if (e.ctrlKey) v.zoom(e.deltaY > 0 ? 1.2 : 1 / 1.2, timeAt(e.offsetX));
      else v.pan((e.deltaX || e.deltaY) / 1000);
    },
    onPointerDown: (e: PointerEvent): void => {
      drag.current = { from: timeAt(e.offsetX), shift: e.shiftKey, seen };
      canvas.current?.setPointerCapture(e.pointerId);
    },
    onPointerMove: (e: PointerEvent): void => {
      const i = drag.current ? -1 : at(e);
      if (canvas.current) canvas.current.title = d && i >= 0 ? told(d, i) : "";
      if (!drag.current) return;
      const { from, shift } = drag.current;
      const to = timeAt(e.offsetX);
      if (shift) v.show({ from: seen.from + from - to, to: seen.to + from - to });
      else if (pixels(to - from) > CLICK_PX) v.mark({ from: Math.max(v.all.from, Math.min(to, from)), to: Math.max(to, from) });
    },
    onPointerUp: (e: PointerEvent): void => {
      const from = drag.current?.from ?? 0;
      drag.current = null;
      if (pixels(timeAt(e.offsetX) - from) <= CLICK_PX) take(v, d, at(e));
    },
  };
}

/** The item under the mouse. */
function told(d: Items, i: number): string {
  const [times, length] = [d.times[i] ?? 1, (d.end[i] ?? 0) - (d.start[i] ?? 0)];
  if (times === 1) return `${labelAt(d, i)}: ${formatMicros(length)}`;
  return `${times.toLocaleString()} spans, busy ${formatShare(d.busy[i] ?? 0, length)} of ${formatMicros(length)}; the longest: ${labelAt(d, i)}. A click comes closer.`;
}

interface Size {
  width: number;
  height: number;
}

/** The items of the window and of the whole; older ones until new ones arrive. No request is made before the width is known. */
function useItems(source: Source, v: View, size: Size, rows: [number, number], search: string): { base: Items | null; items: Items | null } {
  const [base, setBase] = useState<Items | null>(null);
  const [items, set] = useState<Items | null>(null);
  const [firstRow, lastRow] = rows;
  const [first, last] = [firstRowOf(source.lanes), lastRowOf(source.lanes)];
  const width = size.width && Math.max(100, Math.round(size.width));
  useEffect(() => {
    if (!width) return;
    const stop = new AbortController();
    source.items(v.all, first, Math.min(last, first + BASE_ROWS), Math.min(width, PX_MOST), search, stop.signal).then(setBase, () => undefined);
    return () => stop.abort();
  }, [source, width, search]);
  const { from, to } = v.seen;
  useEffect(() => {
    if (!width) return;
    const scale = width / (to - from);
    const has = items && items.search === search && items.firstRow <= firstRow && items.lastRow >= lastRow && items.window.from <= from && items.window.to >= to;
    if (has && items.scale >= 0.999 * scale && (items.scale <= FINER * scale || items.scale === Infinity)) return;
    const stop = new AbortController();
    const window = { from: Math.max(v.all.from, from - (to - from) / 2), to: Math.min(v.all.to, to + (to - from) / 2) };
    const px = Math.min(PX_MOST, Math.ceil((window.to - window.from) * scale));
    const margin = Math.ceil((lastRow - firstRow) / 2);
    const rest = setTimeout(() => {
      source.items(window, Math.max(first, firstRow - margin), Math.min(last, lastRow + margin), px, search, stop.signal).then(set, () => undefined);
    }, items ? REST_MS : 0);
    return () => {
      clearTimeout(rest);
      stop.abort();
    };
  }, [source, from, to, firstRow, lastRow, width, search]);
  return { base, items };
}

/** The rows that can be seen. */
function rowsSeen(source: Source, top: number, height: number): [number, number] {
  const { lanes } = source.lanes;
  let y = 0;
  let [first, last] = [lastRowOf(source.lanes), firstRowOf(source.lanes)];
  for (const lane of lanes) {
    const end = y + heightOf([lane]);
    if (end >= top && y <= top + height) {
      first = Math.min(first, lane.firstRow + Math.max(0, Math.floor((top - y) / 18) - 3));
      last = Math.max(last, Math.min(lane.firstRow + lane.rows - 1, lane.firstRow + Math.ceil((top + height - y) / 18)));
    }
    y = end - 28;
  }
  return [Math.min(first, last), last];
}

function Minimap({ base, v, theme, width }: { base: Items | null; v: View; theme: string; width: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current && base) drawMap(canvas.current, base, v.all, v.seen);
  }, [base, v.seen, theme, width]);
  const move = (e: PointerEvent): void => {
    if (!e.buttons) return;
    const [time, length] = [v.all.from + (e.offsetX / Math.max(1, width)) * (v.all.to - v.all.from), v.seen.to - v.seen.from];
    v.show({ from: time - length / 2, to: time + length / 2 });
  };
  return <canvas ref={canvas} class="minimap" role="img" aria-label="all of the time, and the part that is shown" onPointerDown={move} onPointerMove={move} />;
}

function Tools({ source, v, search, next, place }: { source: Source; v: View; search: string; next: (backward: boolean) => void; place: string }) {
  const { marked, seen } = v;
  const spans = source.lanes.lanes.reduce((sum, l) => sum + l.spans, 0);
  return (
    <div class="tools">
      <button type="button" onClick={() => v.zoom(1 / 1.5)}>Zoom in</button>
      <button type="button" onClick={() => v.zoom(1.5)}>Zoom out</button>
      <button type="button" onClick={() => v.show(v.all)}>All</button>
      {marked && <button type="button" onClick={() => v.show(marked)}>Zoom to selection</button>}
      {search && <button type="button" onClick={() => next(true)}>Previous match</button>}
      {search && <button type="button" onClick={() => next(false)}>Next match</button>}
      {search && <span class="count matches" aria-live="polite">{place}</span>}
      <span class="count">{spans.toLocaleString()} events; {formatMicros(Math.round(seen.to - seen.from))} shown.</span>
      <span class="count hint">Drag selects, shift and drag moves, ctrl and wheel zooms; keys: w a s d or arrows, + − 0, f, m, n, comma and full stop.</span>
    </div>
  );
}

/** Goes from match to match. */
function useMatches(source: Source, v: View, search: string): { place: string; next: (backward: boolean) => void } {
  const [place, setPlace] = useState("");
  const next = (backward: boolean): void => {
    if (!search) return;
    source.find(search, v.picked?.span ?? null, backward).then(
      (m) => {
        setPlace(m.span < 0 ? `no further one of ${m.matches.toLocaleString()}` : `${m.place.toLocaleString()} of ${m.matches.toLocaleString()}`);
        if (m.span >= 0) v.lead(m.span);
      },
      () => setPlace(""),
    );
  };
  useEffect(() => setPlace(""), [search]);
  return { place, next };
}

export function Lanes({ source, route }: { source: Source; route: Route }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const v = useView(source, route, box);
  const [size, setSize] = useState<Size>({ width: 0, height: 400 }); // no width: not measured yet
  const [top, setTop] = useState(0);
  const theme = useShownTheme();
  const search = route.params.get("q") ?? "";
  const { lanes } = source.lanes;
  const { base, items } = useItems(source, v, size, rowsSeen(source, top, size.height), search);
  const { place, next } = useMatches(source, v, search);
  const pointer = usePointer(items ?? base, source, v, top, Math.max(1, size.width), canvas);
  const { seen, marked, picked, details } = v;
  const zero = v.all.from;
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setSize({ width: entry.contentRect.width, height: entry.contentRect.height }));
    if (canvas.current) watch.observe(canvas.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    const scene = { lanes, base, items, seen, zero, top, marked, picked, links: details?.rows ?? [] };
    const frame = requestAnimationFrame(() => canvas.current && (base ?? items) && draw(canvas.current, scene));
    return () => cancelAnimationFrame(frame);
  }, [base, items, seen, top, marked, picked, details, size, theme]);
  const height = heightOf(lanes);
  return (
    <>
      {[...source.lanes.notes, source.summary].filter(Boolean).map((note) => <p key={note} class="note">{note}</p>)}
      <Tools source={source} v={v} search={search} next={next} place={place} />
      <Minimap base={base} v={v} theme={theme} width={size.width} />
      <div ref={box} class="lanes" style={{ height: `min(${height}px, 65vh)` }} onScroll={(e) => setTop(e.currentTarget.scrollTop)}>
        <canvas
          ref={canvas}
          class="timeline"
          tabIndex={0}
          role="img"
          aria-label={`timeline of ${lanes.length} lanes; left and right move, plus and minus zoom, up and down pick a span, comma and full stop the one beside it, n the next match, m selects what is shown, 0 shows all`}
          onKeyDown={(e) => onTimelineKey(e, items ?? base, v, next)}
          {...pointer}
        />
        <div style={{ height: `max(0px, calc(${height}px - 65vh))` }} />
      </div>
      <PickedSpan details={details} zero={zero} lead={v.lead} />
      {marked && <Sums source={source} marked={marked} />}
    </>
  );
}

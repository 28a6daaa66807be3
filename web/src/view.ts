// SPDX-License-Identifier: Apache-2.0
// The state of a timeline: the visible time, the selection, the picked span. Kept in the address.
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Picked } from "./lanes";
import { AXIS, ROW, itemAt, rowTop } from "./lanes";
import type { Route } from "./route";
import { go, parseRoute, withParams } from "./route";
import type { Details, Items, Source, Window } from "./timeline";

const LEAST_US = 0.01; // shortest visible time
const AROUND = 4; // a span reached by a link is shown with this many times its length around it

/** Two numbers of a parameter, "1.5-20"; null without. */
function windowIn(route: Route, name: string): Window | null {
  const [from, to] = (route.params.get(name) ?? "").split("-").map(Number);
  return from !== undefined && to !== undefined && to > from && from >= 0 ? { from, to } : null;
}

function windowText(w: Window | null): string | null {
  return w && `${+w.from.toFixed(3)}-${+w.to.toFixed(3)}`;
}

export interface View {
  all: Window;
  seen: Window;
  marked: Window | null; // selected
  picked: Picked | null;
  details: Details | null; // details of the picked span, once loaded
  mark: (w: Window | null) => void;
  show: (w: Window) => void;
  zoom: (factor: number, around?: number) => void;
  pan: (part: number) => void; // moves by a part of the visible time
  pick: (to: Picked | null) => void;
  lead: (span: number) => void; // picks a span, anywhere in the timeline, and shows it
}

/** The first window: from the address, or the chosen step. */
function startOf(route: Route, { lanes }: Source): Window {
  const step = lanes.steps.get(Number(route.params.get("step") ?? NaN));
  return windowIn(route, "time") ?? step ?? lanes.all;
}

const placeOf = ({ summary: s }: Details): Picked => ({ span: s.span, row: s.row, start: s.start_us, end: s.start_us + s.duration_us });

export function useView(source: Source, route: Route, box: RefObject<HTMLDivElement | null>): View {
  const { all } = source.lanes;
  const [seen, setSeen] = useState<Window>(() => startOf(route, source));
  const [marked, mark] = useState<Window | null>(windowIn(route, "selected"));
  const [span, setSpan] = useState<number | null>(route.params.has("event") ? Number(route.params.get("event")) : null);
  const [picked, setPicked] = useState<Picked | null>(null);
  const [details, setDetails] = useState<Details | null>(null);
  const clamp = (w: Window): Window => {
    const length = Math.min(Math.max(w.to - w.from, LEAST_US), all.to - all.from);
    const from = Math.min(Math.max(w.from, all.from), all.to - length);
    return { from, to: from + length };
  };
  const show = (w: Window): void => setSeen(clamp(w));
  const scrollTo = (row: number): void => {
    const [here, y] = [box.current, rowTop(source.lanes.lanes, row)];
    if (here && y >= 0 && (y - AXIS < here.scrollTop || y + ROW > here.scrollTop + here.clientHeight)) here.scrollTop = y - here.clientHeight / 2;
  };
  useEffect(() => {
    setDetails(null);
    if (span === null) return;
    const stop = new AbortController();
    source.details(span, stop.signal).then(
      (d) => {
        const place = placeOf(d);
        const far = place.end < seen.from || place.start > seen.to || place.end - place.start < (seen.to - seen.from) / 2000;
        if (!picked && far && !windowIn(route, "time")) show({ from: place.start - AROUND * (place.end - place.start + 1), to: place.end + AROUND * (place.end - place.start + 1) });
        if (!picked) scrollTo(place.row);
        setPicked(place);
        setDetails(d);
      },
      () => undefined, // a missing span is not shown
    );
    return () => stop.abort();
  }, [source, span]);
  useEffect(() => {
    const rest = setTimeout(() => {
      const now = parseRoute(location.hash);
      if (now.page !== "timeline" || now.id !== route.id) return;
      const whole = seen.from <= all.from && seen.to >= all.to;
      go(withParams(now, { time: whole ? null : windowText(seen), selected: windowText(marked), event: span === null ? null : String(span) }), true);
    }, 250);
    return () => clearTimeout(rest);
  }, [seen, marked, span]);
  const zoom = (factor: number, around = (seen.from + seen.to) / 2): void =>
    setSeen((w) => clamp({ from: around - (around - w.from) * factor, to: around + (w.to - around) * factor }));
  const pan = (part: number): void => setSeen((w) => clamp({ from: w.from + (w.to - w.from) * part, to: w.to + (w.to - w.from) * part }));
  const pick = (to: Picked | null): void => {
    setPicked(to);
    setSpan(to?.span ?? null);
    if (!to) return;
    const length = seen.to - seen.from;
    if (to.end < seen.from || to.start > seen.to) show({ from: to.start - length / 3, to: to.start + (length * 2) / 3 });
    scrollTo(to.row);
  };
  const lead = (to: number): void => {
    setPicked(null);
    setSpan(to);
    go(withParams(parseRoute(location.hash), { time: null }), true);
  };
  return { all, seen, marked, picked, details, mark, show, zoom, pan, pick, lead };
}

const pickedAt = (d: Items, i: number): Picked => ({ span: d.span[i] ?? 0, row: d.row[i] ?? 0, start: d.start[i] ?? 0, end: d.end[i] ?? 0 });

/** A click: on several spans in one pixel it zooms in. */
export function take(v: View, d: Items | null, i: number): void {
  if (!d || i < 0) return v.pick(null);
  const { start, end } = pickedAt(d, i);
  const around = Math.max(end - start, (v.seen.to - v.seen.from) / 200);
  if ((d.times[i] ?? 1) > 1) v.show({ from: start - around / 4, to: end + around / 4 });
  else v.pick(pickedAt(d, i));
}

/** The item of the next row that is running when the picked one begins, or the next one after. */
function pickRow(v: View, d: Items | null, by: number): void {
  if (!d) return;
  const time = v.picked?.start ?? v.seen.from;
  for (let row = v.picked ? v.picked.row + by : d.firstRow; row >= d.firstRow && row <= d.lastRow; row += by || 1) {
    const to = d.rowFirst[row - d.firstRow + 1] ?? 0;
    const from = d.rowFirst[row - d.firstRow] ?? 0;
    let i = itemAt(d, row, time, 0);
    for (let k = from; i < 0 && k < to; k++) if ((d.start[k] ?? 0) >= time) i = k;
    if (i < 0) i = to - 1;
    if (i >= from && (d.times[i] ?? 1) === 1) return v.pick(pickedAt(d, i));
  }
}

function pickBeside(v: View, d: Items | null, by: number): void {
  const { picked } = v;
  if (!d || !picked) return pickRow(v, d, 1);
  const [from, to] = [d.rowFirst[picked.row - d.firstRow] ?? 0, d.rowFirst[picked.row - d.firstRow + 1] ?? 0];
  for (let i = from; i < to; i++) {
    const next = i + by;
    if (d.span[i] === picked.span && next >= from && next < to) return (d.times[next] ?? 1) > 1 ? undefined : v.pick(pickedAt(d, next));
  }
}

/** The keys. */
export function onTimelineKey(e: KeyboardEvent, d: Items | null, v: View, next: (backward: boolean) => void): void {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const [closer, farther] = [(): void => v.zoom(1 / 1.5), (): void => v.zoom(1.5)];
  const [left, right] = [(): void => v.pan(-0.15), (): void => v.pan(0.15)];
  const { picked } = v;
  const keys: Record<string, () => void> = {
    ArrowLeft: left,
    ArrowRight: right,
    a: left,
    d: right,
    "+": closer,
    "=": closer,
    w: closer,
    "-": farther,
    s: farther,
    "0": () => v.show(v.all),
    m: () => v.mark(picked && !v.marked ? { from: picked.start, to: picked.end } : v.seen),
    ".": () => pickBeside(v, d, 1),
    ",": () => pickBeside(v, d, -1),
    ArrowDown: () => pickRow(v, d, 1),
    ArrowUp: () => pickRow(v, d, -1),
    n: () => next(false),
    N: () => next(true),
    f: () => picked && v.show({ from: picked.start - (picked.end - picked.start) / 2, to: picked.end + (picked.end - picked.start) / 2 }),
    Enter: () => picked && v.show({ from: picked.start - 1, to: picked.end + 1 }),
    Escape: () => (v.marked ? v.mark(null) : v.pick(null)),
  };
  const act = keys[e.key];
  if (!act) return;
  e.preventDefault();
  act();
}

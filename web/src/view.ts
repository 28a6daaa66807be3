// SPDX-License-Identifier: Apache-2.0
// The state of a timeline: the visible time, the selection, the picked event. Kept in the address.
import { useEffect, useState } from "preact/hooks";
import type { RefObject } from "preact";
import { AXIS, ROW, rowTop } from "./lanes";
import type { Route } from "./route";
import { go, parseRoute, withParams } from "./route";
import type { Spans, Window } from "./spans";
import { firstAfter, rowOf } from "./spans";

const LEAST_US = 0.01; // that is shown

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
  picked: number; // an event; -1: none
  mark: (w: Window | null) => void;
  show: (w: Window) => void;
  zoom: (factor: number, around?: number) => void;
  pan: (part: number) => void; // of the visible time
  pick: (event: number) => void;
  pickRow: (by: number) => void; // in another row
  pickBeside: (by: number) => void; // in the same row
}

export function useView(s: Spans, route: Route, box: RefObject<HTMLDivElement | null>): View {
  const all = { from: 0, to: Math.max(s.whole, 1) };
  const [seen, setSeen] = useState<Window>(windowIn(route, "time") ?? all);
  const [marked, mark] = useState<Window | null>(windowIn(route, "selected"));
  const [picked, setPicked] = useState(() => s.source.indexOf(Number(route.params.get("event") ?? -1)));
  useEffect(() => {
    const rest = setTimeout(() => {
      const now = parseRoute(location.hash);
      if (now.page !== "timeline" || now.id !== route.id) return;
      const whole = seen.from <= 0 && seen.to >= all.to;
      const event = picked >= 0 ? String(s.source[picked] ?? 0) : null;
      go(withParams(now, { time: whole ? null : windowText(seen), selected: windowText(marked), event }), true);
    }, 250);
    return () => clearTimeout(rest);
  }, [seen, marked, picked]);
  const clamp = (w: Window): Window => {
    const length = Math.min(Math.max(w.to - w.from, LEAST_US), all.to);
    const from = Math.min(Math.max(w.from, 0), Math.max(0, all.to - length));
    return { from, to: from + length };
  };
  const show = (w: Window): void => setSeen(clamp(w));
  const zoom = (factor: number, around = (seen.from + seen.to) / 2): void =>
    setSeen((w) => clamp({ from: around - (around - w.from) * factor, to: around + (w.to - around) * factor }));
  const pan = (part: number): void => setSeen((w) => clamp({ from: w.from + (w.to - w.from) * part, to: w.to + (w.to - w.from) * part }));
  const pick = (event: number): void => {
    if (event >= s.count) return;
    setPicked(Math.max(-1, event));
    if (event < 0) return;
    const [start, end] = [s.start[event] ?? 0, s.end[event] ?? 0];
    const length = seen.to - seen.from;
    if (end < seen.from || start > seen.to) show({ from: start - length / 3, to: start + (length * 2) / 3 });
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
  const pickBeside = (by: number): void => {
    if (picked < 0) pickRow(1);
    else if (picked + by >= 0 && rowOf(s, picked + by) === rowOf(s, picked)) pick(picked + by);
  };
  return { all, seen, marked, picked, mark, show, zoom, pan, pick, pickRow, pickBeside };
}

/** What keys do. */
export function onTimelineKey(e: KeyboardEvent, s: Spans, v: View): void {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const [closer, farther] = [(): void => v.zoom(1 / 1.5), (): void => v.zoom(1.5)];
  const keys: Record<string, () => void> = {
    ArrowLeft: () => v.pan(-0.15),
    ArrowRight: () => v.pan(0.15),
    a: () => v.pan(-0.15),
    d: () => v.pan(0.15),
    "+": closer,
    "=": closer,
    w: closer,
    "-": farther,
    s: farther,
    "0": () => v.show(v.all),
    m: () => v.mark(v.seen),
    ".": () => v.pickBeside(1),
    ",": () => v.pickBeside(-1),
    ArrowDown: () => v.pickRow(1),
    ArrowUp: () => v.pickRow(-1),
    Enter: () => v.picked >= 0 && v.show({ from: (s.start[v.picked] ?? 0) - 1, to: (s.end[v.picked] ?? 0) + 1 }),
    Escape: () => (v.marked ? v.mark(null) : v.pick(-1)),
  };
  const act = keys[e.key];
  if (!act) return;
  e.preventDefault();
  act();
}

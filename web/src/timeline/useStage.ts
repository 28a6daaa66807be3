// SPDX-License-Identifier: Apache-2.0
// Connects the stage with the page: the address holds the selection and the visible window, and the user's actions change the address.
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { mainBusy } from "../answers/busy";
import { formatMicros } from "../text/format";
import { useKeys } from "../state/keys";
import type { Opened } from "../state/opened";
import type { Mark } from "../pictures/pictures";
import { usePicture } from "../pictures/pictures";
import { goToBest } from "../parts/Thing";
import { groupBy, useSteps } from "../results/steps";
import { change, filters, query, range, sel, select, view } from "../state/store";
import type { Window } from "../state/store";
import type { Details, Source } from "./data";
import { Gestures, around } from "./gestures";
import type { Layout } from "./layout";
import type { EdgeName } from "./overlay";
import type { Hit, StepFacts } from "./scene";
import { Stage } from "./stage";
import { longest, neighbour } from "./walk";

interface Parts {
  source: Source;
  of: Opened;
  layout: Layout;
  theme: string;
  scroll: RefObject<HTMLDivElement | null>;
  element: RefObject<HTMLDivElement | null>;
  under: RefObject<HTMLCanvasElement | null>;
  over: RefObject<HTMLCanvasElement | null>;
}

export interface Hover {
  hit: Hit;
  x: number;
  y: number;
}

const HOVER_MS = 80;
const CLOSER = 0.3; // merged spans are shown with this part of their length around them

const same = (a: Window | null, b: Window | null): boolean => a === b || (a !== null && b !== null && Math.abs(a.from - b.from) < 0.002 && Math.abs(a.to - b.to) < 0.002);

/** The parts of each step, as means over the ranks. */
function useStepFacts(of: Opened): Map<number, StepFacts> {
  const rows = useSteps(of).value;
  return useMemo(() => {
    const mean = (list: number[]): number => list.reduce((a, b) => a + b, 0) / list.length;
    return new Map(
      [...groupBy(rows ?? [], (r) => r.step)].map(([step, list]) => [
        step,
        { duration: mean(list.map((r) => r.duration)), compute: mean(list.map((r) => r.parts.compute)), communication: mean(list.map((r) => r.parts.exposed_communication)), idle: mean(list.map((r) => r.parts.idle)) },
      ]),
    );
  }, [rows]);
}

/** The facts about the selected span. */
function usePicked(source: Source): Details | null {
  const thing = sel.value;
  const [picked, set] = useState<Details | null>(null);
  useEffect(() => {
    if (thing?.kind !== "span") return set(null);
    const stop = new AbortController();
    source.details(Number(thing.id), stop.signal).then((d) => !stop.signal.aborted && set(d), () => !stop.signal.aborted && set(null));
    return () => stop.abort();
  }, [source, thing]);
  return picked && thing?.kind === "span" && String(picked.summary.span) === thing.id ? picked : null;
}

/** The first visible window: the address's view, otherwise the selected step, the filters, or everything. */
function firstSeen(source: Source): Window | null {
  const { lanes } = source;
  const stepOf = (n: number): Window | undefined => lanes.steps.find((s) => s.step === n);
  if (view.value) return view.value;
  const thing = sel.value;
  const one = thing?.kind === "step" ? stepOf(Number(thing.id)) : undefined;
  if (one) return around(one, 0.05);
  const { steps } = filters.value;
  const [a, b] = steps ? [stepOf(steps.from), stepOf(steps.to)] : [];
  return a && b ? around({ from: a.from, to: b.to }, 0.02) : null;
}

function pick(stage: Stage, x: number, y: number): void {
  const hit = stage.at(x, y);
  if (!hit) return select(null);
  if (hit.is === "step") return select({ kind: "step", id: String(hit.step.step) });
  if (hit.is !== "span") return;
  const { items, i } = hit;
  const own = { from: items.start[i] ?? 0, to: items.end[i] ?? 0 };
  if ((items.times[i] ?? 1) === 1) return select({ kind: "span", id: String(items.span[i]) });
  stage.glide.show(around({ from: own.from, to: Math.max(own.to, own.from + (stage.scene.seen.to - stage.scene.seen.from) / 500) }, CLOSER));
  stage.ask();
}

export function useStage(p: Parts) {
  const { source, of, layout } = p;
  const [stage, setStage] = useState<Stage | null>(null);
  const [seen, setSeen] = useState<Window>(() => firstSeen(source) ?? source.lanes.all);
  const [edges, setEdges] = useState<EdgeName[]>([]);
  const [hover, setHover] = useState<Hover | null>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [marking, setMarking] = useState<Window | null>(null);
  const [ready, setReady] = useState(false);
  const written = useRef<Window | null>(view.value);
  const picked = usePicked(source);
  const facts = useStepFacts(of);

  useEffect(() => {
    const [element, under, over] = [p.element.current, p.under.current, p.over.current];
    if (!element || !under || !over) return undefined;
    const made = new Stage(element, under, over, source, layout, firstSeen(source), {
      seen: setSeen,
      rested: (w) => {
        const { all } = source.lanes;
        written.current = w.from <= all.from && w.to >= all.to ? null : { from: +w.from.toFixed(3), to: +w.to.toFixed(3) };
        change({ view: written.current });
      },
      edges: setEdges,
      drawn: () => setReady(true),
    });
    let timer = 0;
    const gestures = new Gestures(made, {
      pick: (x, y) => pick(made, x, y),
      open: (x, y) => {
        const hit = made.at(x, y);
        if (hit?.is === "span") made.glide.show(around({ from: hit.items.start[hit.i] ?? 0, to: hit.items.end[hit.i] ?? 0 }));
        if (hit?.is === "step") made.glide.show(around(hit.step, 0.05));
        made.ask();
      },
      mark: (w, done) => {
        setMarking(done ? null : w);
        if (done && w) change({ sel: null, range: { from: +w.from.toFixed(3), to: +w.to.toFixed(3) } });
      },
      hover: (at) => {
        clearTimeout(timer);
        setHover(null);
        if (at) timer = window.setTimeout(() => setHover(((hit) => hit && { hit, ...at })(made.at(at.x, at.y))), HOVER_MS);
      },
    });
    const watch = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      setSize({ width, height });
      made.resize(width, height);
    });
    watch.observe(element);
    setStage(made);
    return () => {
      clearTimeout(timer);
      watch.disconnect();
      gestures.end();
      made.end();
    };
  }, [source]);

  // the region is busy until the first items are drawn
  useEffect(() => {
    if (ready) return undefined;
    mainBusy.value++;
    return () => void mainBusy.value--;
  }, [ready]);

  useEffect(() => stage?.arrange(layout), [stage, layout]);
  useEffect(() => stage?.repaint(), [stage, p.theme]);
  const thing = sel.value;
  useEffect(
    () =>
      stage?.show({
        range: marking ?? range.value,
        picked,
        lit: thing?.kind === "kernel" || thing?.kind === "op" ? thing.id : "",
        step: thing?.kind === "step" ? Number(thing.id) : -1,
        search: query.value,
        facts,
      }),
    [stage, marking, range.value, picked, thing, query.value, facts],
  );
  useEffect(() => {
    if (!stage || same(view.value, written.current)) return;
    written.current = view.value;
    stage.glide.show(view.value ?? source.lanes.all);
    stage.ask();
  }, [stage, view.value]);
  useReveal(stage, picked, layout, p.scroll);
  useTimelineKeys(stage, source, picked);
  usePicture(
    "timeline",
    () => stage && { element: stage.element, marks: () => stage.marks(), view: () => ({ ...stage.scene.seen }), frames: () => stage.frames(), lanes: () => lanesOf(stage) },
    [stage],
  );
  return { stage, seen, edges, picked, hover, size, said: saidOf(picked, source) };
}

function lanesOf(stage: Stage) {
  const { layout } = stage.scene;
  const out = [];
  for (const t of [...layout.pinned, ...layout.tracks]) {
    const group = layout.tracks.find((g) => g.is === "group" && t.is === "lane" && g.lanes.includes(t.lane));
    const named = { group: group?.is === "group" ? group.name : "" };
    if (t.is === "lane") out.push({ id: t.id, name: [t.lane.name, t.lane.detail].filter(Boolean).join(" · "), kind: t.lane.kind, rank: Math.max(0, t.lane.rank), ...named, open: t.open, pinned: t.pinned, spans: t.lane.spans });
    if (t.is === "counter") out.push({ id: t.id, name: t.counter.name, kind: "memory", rank: Math.max(0, t.counter.rank), ...named, open: true, pinned: t.pinned, spans: 0 });
    if ((t.is === "fold" || t.is === "group") && !t.open)
      for (const lane of t.lanes) out.push({ id: lane.id, name: [lane.name, lane.detail].filter(Boolean).join(" · "), kind: lane.kind, rank: Math.max(0, lane.rank), group: t.name, open: false, pinned: false, spans: lane.spans });
  }
  return out;
}

function saidOf(picked: Details | null, source: Source): string {
  const s = picked?.summary;
  return s ? `${s.name}, ${s.class ?? s.kind}, ${formatMicros(s.duration_us)} at ${formatMicros(s.start_us - source.lanes.all.from)}` : "";
}

/** Moves the window to a selected span that is not visible. */
function useReveal(stage: Stage | null, picked: Details | null, layout: Layout, scroll: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    if (!stage || !picked) return;
    const { start_us: from, duration_us: length, row } = picked.summary;
    const { seen } = stage.scene;
    if (from + length < seen.from || from > seen.to || length < (seen.to - seen.from) / 5000) {
      const wide = Math.max(length * 3, Math.min(seen.to - seen.from, Math.max(length * 50, 100)));
      stage.glide.show({ from: from + length / 2 - wide / 2, to: from + length / 2 + wide / 2 });
      stage.ask();
    }
    const top = stage.scrollFor(row);
    if (top !== null && scroll.current) scroll.current.scrollTop = top;
  }, [stage, picked, layout]);
}

function useTimelineKeys(stage: Stage | null, source: Source, picked: Details | null): void {
  const act = (w: Window | null | undefined, part = 0.5): void => {
    if (!w || !stage) return;
    stage.glide.show(part ? around(w, part) : w);
    stage.ask();
  };
  const pickMark = (mark: Mark | undefined): void => mark && select({ kind: "span", id: mark.id });
  const walk = (across: number, down: number) => (e: KeyboardEvent): void => {
    if (e.target !== stage?.element) return;
    e.preventDefault();
    pickMark(neighbour(stage.marks(), sel.value?.kind === "span" ? sel.value.id : "", across, down));
  };
  const own = (): Window | null => {
    const s = picked?.summary;
    if (s) return { from: s.start_us, to: s.start_us + s.duration_us };
    const step = sel.value?.kind === "step" ? source.lanes.steps.find((one) => String(one.step) === sel.value?.id) : undefined;
    return step ?? range.value;
  };
  useKeys(
    {
      "0": () => act(source.lanes.all, 0),
      f: () => act(own()),
      m: () => {
        const w = picked || sel.value?.kind === "step" ? own() : stage?.scene.seen;
        if (w) change({ sel: null, range: { from: +w.from.toFixed(3), to: +w.to.toFixed(3) } });
      },
      Enter: (e) => {
        if (!sel.value && e.target === stage?.element) return pickMark(longest(stage.marks()));
        if (sel.value && e.target === stage?.element) goToBest(sel.value);
        act(own());
      },
      "Shift+ArrowRight": walk(1, 0), "Shift+ArrowLeft": walk(-1, 0), "Shift+ArrowDown": walk(0, 1), "Shift+ArrowUp": walk(0, -1),
    },
    [stage, source, picked],
  );
}


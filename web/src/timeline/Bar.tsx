// SPDX-License-Identifier: Apache-2.0
// The line above the timeline: the visible range, the meaning of the colours, zoom, and the menu of lanes. It is one stop of the Tab key.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { counted, formatMicros, markMicros, spacedUnits } from "../text/format";
import { embeddedSteps } from "../answers/embedded";
import { Item, Menu } from "../parts/Menu";
import type { Window } from "../state/store";
import { change } from "../state/store";
import { hidden, hideOrNot, reset } from "./arranged";
import type { Source } from "./data";
import type { Stage } from "./stage";

const LEGEND = [["compute", "compute"], ["communication", "communication"], ["copy", "copies"], ["host", "host"]] as const;

export function Legend({ source }: { source: Source }) {
  const kinds = new Set(source.lanes.lanes.flatMap((l) => [l.kind, ...l.classes]));
  return (
    <span class="tl-legend">
      {LEGEND.filter(([kind]) => kinds.has(kind)).map(([kind, word]) => <span key={kind} class={kind}><span class="dot" /> {word}</span>)}
    </span>
  );
}

/** Executions may have been recorded hours apart, so each step has a timeline of its own: this says which one it is, and offers the others. */
export function OneStep({ shown, all }: { shown: number; all: number[] }) {
  const held = embeddedSteps(all);
  const choose = (step: number): void => change({ steps: { from: step, to: step }, sel: null, view: null });
  if (all.length < 2) return null;
  return (
    <label class="s choice">
      step {held.length > 1 ? <select value={String(shown)} onChange={(e) => choose(Number(e.currentTarget.value))}>{held.map((s) => <option key={s} value={String(s)}>{s}</option>)}</select> : shown} of {all.length}
      {held.length < 2 && "; the others are in tfprof serve FILE"}
    </label>
  );
}

/** The arrow keys move from button to button. */
function onArrow(e: KeyboardEvent): void {
  const by = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
  const all = [...(e.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".tl-tools > button, .tl-tools > .menu-box > button")];
  const at = all.indexOf(e.target as HTMLElement);
  if (!by || at < 0) return;
  e.preventDefault();
  all[(at + by + all.length) % all.length]?.focus();
}

function LanesMenu({ source, notes }: { source: Source; notes: string[] }) {
  const gone = hidden();
  const named = (id: string): string => ((l) => (l ? `${l.name} ${l.detail}` : id))(source.lanes.lanes.find((one) => one.id === id));
  return (
    <Menu text="Lanes ▾" name="Lanes">
      {(close) => (
        <>
          {gone.map((id) => <Item key={id} onClick={() => hideOrNot(id)}>Show {named(id)}</Item>)}
          <Item onClick={() => (reset(), close())}>All lanes as they begin</Item>
          {notes.map((note) => <p key={note} class="s">{note}</p>)}
        </>
      )}
    </Menu>
  );
}

interface BarProps {
  stage: Stage | null;
  seen: Window;
  source: Source;
  notes: string[];
  steps: ComponentChildren;
}

export function Bar({ stage, seen, source, notes, steps }: BarProps) {
  const box = useRef<HTMLDivElement>(null);
  const { all } = source.lanes;
  const length = seen.to - seen.from;
  const act = (what: (s: Stage) => void) => () => {
    if (!stage) return;
    what(stage);
    stage.ask();
  };
  const spans = source.lanes.lanes.reduce((sum, l) => sum + l.spans, 0);
  return (
    <div class="tl-bar" ref={box} onKeyDown={onArrow}>
      <b>{seen.from > all.from ? markMicros(seen.from - all.from, length / 100) : 0} – {markMicros(seen.to - all.from, length / 100)}</b>
      <span class="s tl-of">{formatMicros(length)} of {formatMicros(all.to - all.from)} · {counted(spans, "span")}</span>
      {steps}
      <span class="s tl-note">{spacedUnits(notes[0] ?? "")}</span>
      <span class="fill" />
      <Legend source={source} />
      <span class="tl-tools" role="toolbar" aria-label="Zoom and lanes">
        <button type="button" aria-label="Zoom out" data-hint="Zoom out: s" tabIndex={-1} onClick={act((s) => s.glide.zoom(2, null))}>−</button>
        <button type="button" aria-label="Zoom in" data-hint="Zoom in: w" tabIndex={-1} onClick={act((s) => s.glide.zoom(0.5, null))}>+</button>
        <button type="button" data-hint="Show all: 0" tabIndex={-1} onClick={act((s) => s.glide.show(all))}>All <span class="s">0</span></button>
        <LanesMenu source={source} notes={notes} />
      </span>
    </div>
  );
}

// SPDX-License-Identifier: Apache-2.0
// A line of time with the findings, and below it a band for each rank: how long its steps were, and what its main thread did. Dragging over
// a part of it shows that part.
import { useRef, useState } from "preact/hooks";
import { formatMicros } from "../text/format";
import { sameThing, sel, select } from "../state/store";
import type { Band, Finding, Picture } from "./model";
import { CLASSES, clockOf, lanesOf, lateParts, saysOf, shapesOf, ticksOf, widthOf } from "./model";

export interface Range {
  from: number;
  to: number;
}

const percent = (at: number, of: Range): number => Math.min(100, Math.max(0, (100 * (at - of.from)) / (of.to - of.from)));

function place(f: Finding, of: Range): { left: string; width: string } {
  const left = percent(f.since, of);
  return { left: `${left}%`, width: `${percent(f.ended ?? of.to, of) - left}%` };
}

function Lane({ list, of }: { list: Finding[]; of: Range }) {
  return (
    <div class="watch-lane">
      {list.map((f) => {
        const thing = { kind: "finding", id: f.id } as const;
        return (
          <button key={f.id} type="button" class={`watch-found ${f.kind}`} style={place(f, of)} aria-pressed={sameThing(sel.value, thing)} data-hint={`${saysOf(f)}\n${f.evidence}`} onClick={() => select(thing)}>
            <span>{saysOf(f)}</span>
          </button>
        );
      })}
    </div>
  );
}

const name = (b: Band): string => (b.rank === null ? `process ${b.pid}` : `rank ${b.rank}`);

/** What a band says where the pointer is. */
function hintOf(b: Band, at: number, of: Picture): string {
  const part = b.parts.find((p) => at >= p.at && at < p.at + widthOf(p, of));
  if (!part) return `${name(b)}: nothing was seen`;
  const whole = part.times.reduce((a, x) => a + x, 0);
  const times = CLASSES.map((c, i) => ({ title: c.title, us: part.times[i] ?? 0 })).filter((c) => c.us > 0.01 * whole).sort((x, y) => y.us - x.us);
  const head = part.steps ? `${part.steps} steps, ${formatMicros(part.duration)} each` : "no known steps";
  const late = part.late !== null && part.steps ? `, ${formatMicros(Math.abs(part.late))} ${part.late < 0 ? "before" : "after"} the median rank` : "";
  return `${name(b)}, ${clockOf(part.at, 0)}: ${head}${late}\n${times.map((c) => `${c.title} ${part.steps ? formatMicros(c.us) : `${Math.round((100 * c.us) / whole)}\u00a0%`}`).join(", ")}`;
}

function BandRow({ b, of, range, list }: { b: Band; of: Picture; range: Range; list: Finding[] }) {
  const [hint, say] = useState("");
  const parts = (of.to - of.from) / of.length;
  const steps = b.parts.reduce((a, p) => a + p.steps, 0);
  const at = (e: PointerEvent): number => {
    const box = (e.currentTarget as Element).getBoundingClientRect();
    return range.from + ((range.to - range.from) * (e.clientX - box.left)) / box.width;
  };
  return (
    <>
      <span class="watch-name" role="rowheader">{name(b)}</span>
      <div class="watch-band" role="cell" data-rank={b.rank ?? ""} data-hint={hint} onPointerMove={(e) => say(hintOf(b, at(e), of))}>
        <svg viewBox={`0 0 ${parts} 100`} preserveAspectRatio="none" aria-hidden="true">
          {shapesOf(b, of).map((d, i) => d && <path key={CLASSES[i]?.look} class={`watch-${CLASSES[i]?.look}`} d={d} />)}
        </svg>
        {lateParts(b).map((p) => <i key={p.at} class="watch-late" style={{ left: `${percent(p.at, range)}%`, width: `${100 / parts}%` }} />)}
        {list.filter((f) => f.rank === b.rank && f.rank !== null).map((f) => <i key={f.id} class={`watch-mark ${f.kind}`} style={place(f, range)} />)}
        <span class="away">{steps} steps{lateParts(b).length ? ", late in some" : ""}</span>
      </div>
    </>
  );
}

/** What is dragged over, in pixels of the plot. */
function useDrag(range: Range, onZoom: (to: Range) => void) {
  const box = useRef<HTMLDivElement>(null);
  const [drag, set] = useState<[number, number] | null>(null);
  const x = (e: PointerEvent): number => {
    const b = box.current?.getBoundingClientRect();
    return b ? Math.min(b.width, Math.max(0, e.clientX - b.left)) : 0;
  };
  const end = (): void => {
    const wide = box.current?.clientWidth ?? 0;
    if (drag && wide > 0 && Math.abs(drag[1] - drag[0]) > 6) {
      const time = (px: number): number => range.from + ((range.to - range.from) * px) / wide;
      onZoom({ from: time(Math.min(...drag)), to: time(Math.max(...drag)) });
    }
    set(null);
  };
  const on = {
    onPointerDown: (e: PointerEvent) => e.button === 0 && !(e.target as Element).closest("button") && (set([x(e), x(e)]), (e.currentTarget as Element).setPointerCapture(e.pointerId)),
    onPointerMove: (e: PointerEvent) => drag && set([drag[0], x(e)]),
    onPointerUp: end,
    onPointerCancel: () => set(null),
  };
  return { box, drag, on };
}

const MOST = 64; // bands that are drawn

export function Bands({ of, list, onZoom }: { of: Picture; list: Finding[]; onZoom: (to: Range) => void }) {
  const range = { from: of.from, to: of.to };
  const { box, drag, on } = useDrag(range, onZoom);
  const span = of.to - of.from;
  const seen = list.filter((f) => f.since < of.to && (f.ended ?? of.to) >= of.from);
  return (
    <div class="watch-plot" {...on}>
      <span />
      <div class="watch-axis" ref={box}>
        {ticksOf(of.from, of.to).map((t) => <span key={t} class={percent(t, range) > 90 ? "last" : ""} style={{ left: `${percent(t, range)}%` }}>{clockOf(t, span)}</span>)}
        {drag && <i class="watch-drag" style={{ left: `${Math.min(...drag)}px`, width: `${Math.abs(drag[1] - drag[0])}px` }} />}
      </div>
      <span class="watch-name">findings</span>
      <div>{seen.length ? lanesOf(seen, of.to).map((lane, i) => <Lane key={i} list={lane} of={range} />) : <div class="watch-lane s">none</div>}</div>
      <div class="watch-rows" role="table" aria-label="Ranks">
        {of.bands.slice(0, MOST).map((b) => <div key={b.run} class="watch-row" role="row"><BandRow b={b} of={of} range={range} list={seen} /></div>)}
      </div>
      {of.bands.length > MOST && <p class="note">The first {MOST} of {of.bands.length} processes: choose a shorter time.</p>}
    </div>
  );
}

export function Legend({ high }: { high: number }) {
  return (
    <p class="watch-legend s">
      {CLASSES.map((c) => <span key={c.look}><i class={`dot watch-${c.look}`} /> {c.title}</span>)}
      <span><i class="dot watch-late" /> later than the median rank by over 2 % of a step</span>
      {high > 0 && <span>A band is as high as a step of {formatMicros(high)}. Times are UTC.</span>}
    </p>
  );
}

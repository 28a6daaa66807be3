// SPDX-License-Identifier: Apache-2.0
// Bars of steps with an axis and numbers; the slowest one is marked. A click selects a step.
import { besideMedian, formatPercent, formatStep, markMicros, signed } from "../text/format";
import { sameThing, sel, select, hrefOf } from "../state/store";
import { isPlainClick, goToBest, ThingLink } from "../parts/Thing";
import type { StepRow } from "../results/steps";
import { PARTS, groupBy, median, quantitiesOf } from "../results/steps";

const MOST = 120; // bars; of more steps the slowest of each group is shown
const NUMBERED = 12;
const SEVERAL = 5; // more have no numbers on a phone
const SMALL = 0.004; // a part with a smaller share of the step is too low to be drawn
const EVEN = 1.0005; // a step up to this many times the median counts as equal to it

interface Bar {
  step: number;
  duration: number;
  parts: Record<string, number>;
}

function barsOf(rows: StepRow[]): Bar[] {
  const all = [...groupBy(rows, (r) => r.step)].sort(([a], [b]) => a - b).map(([step, of]): Bar => {
    const q = quantitiesOf(of);
    return { step, duration: q.mean, parts: q.parts };
  });
  if (all.length <= MOST) return all;
  const size = Math.ceil(all.length / MOST);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size).reduce((a, b) => (b.duration > a.duration ? b : a)));
}

/** A round distance between marks, so that two to four marks fit. */
function roundStep(most: number): number {
  const base = 10 ** Math.floor(Math.log10(most || 1));
  return [0.2, 0.5, 1, 2, 5].map((f) => f * base).find((s) => most / s <= 4) ?? base;
}

/** The slowest step as a link, where the bars are too many to have words. */
export function SlowestStep({ rows }: { rows: StepRow[] }) {
  const bars = barsOf(rows);
  if (bars.length <= NUMBERED) return null;
  const { step, duration } = bars.reduce((a, b) => (b.duration > a.duration ? b : a));
  const mid = median(bars.map((b) => b.duration));
  if (duration <= EVEN * mid) return null;
  return <span class="s">slowest: <ThingLink kind="step" id={String(step)}>{`${step}, ${formatStep(duration)}, ${besideMedian(duration, mid)}`}</ThingLink></span>;
}

export function StepBars({ rows, height = 100 }: { rows: StepRow[]; height?: number }) {
  const bars = barsOf(rows);
  if (!bars.length) return null;
  const longest = Math.max(...bars.map((b) => b.duration));
  const mid = median(bars.map((b) => b.duration));
  const every = roundStep(longest);
  const marks = Array.from({ length: Math.floor(longest / every) + 1 }, (_, i) => i * every);
  const numbered = bars.length <= NUMBERED;
  const labelled = Math.ceil(bars.length / 16);
  return (
    <div class="stepbars" style={{ "--h": `${height}px` }}>
      <div class="axis" aria-hidden="true">
        {marks.map((m) => <span key={m} style={{ bottom: `${(100 * m) / longest}%` }}>{markMicros(m, every)}</span>)}
      </div>
      <div class={`plot ${!numbered ? "many" : bars.length > SEVERAL ? "several" : ""}`}>
        <div class="lines" aria-hidden="true">{marks.map((m) => <i key={m} style={{ bottom: `${(100 * m) / longest}%` }} />)}</div>
        {bars.map((b, i) => {
          const slowest = b.duration === longest && longest > EVEN * mid;
          const note = slowest ? "slowest" : Math.abs(b.duration / mid - 1) >= 0.02 ? signed(formatPercent(100 * (b.duration / mid - 1)), b.duration - mid) : "";
          const thing = { kind: "step", id: String(b.step) } as const;
          return (
            <a
              key={b.step}
              href={hrefOf({ sel: thing })}
              data-kind="step"
              data-id={b.step}
              aria-current={sameThing(sel.value, thing) ? "true" : undefined}
              data-hint={`step ${b.step}: ${formatStep(b.duration)}`}
              onClick={(e) => isPlainClick(e) && (e.preventDefault(), select(thing))}
              onDblClick={() => goToBest(thing)}
            >
              <span class="column"><span class="stack" style={{ height: `${(100 * b.duration) / longest}%` }}>
                {[...PARTS].reverse().filter((p) => (b.parts[p.name] ?? 0) > SMALL * b.duration).map((p) => <i key={p.name} class={`seg ${p.look}`} style={{ flex: `${(b.parts[p.name] ?? 0) / b.duration}` }} />)}
              </span></span>
              <span class="label">{numbered ? b.step : i % labelled === 0 && <b class={(i / labelled) % 4 ? "more" : undefined}>{b.step}</b>}{!numbered && <span class="away">step {b.step}</span>}</span>
              {numbered && <span class="s">{formatStep(b.duration)} {note}</span>}
            </a>
          );
        })}
      </div>
    </div>
  );
}

// SPDX-License-Identifier: Apache-2.0
// The change of the step time in one line, and the change of its parts as bars on one scale.
import { formatPercent, formatStep, signed } from "../text/format";
import { PARTS, quantitiesOf } from "../results/steps";
import type { Quantities } from "../results/steps";
import { useLoaded } from "../answers/load";
import type { LimitsSummary } from "../results/limits";
import type { Side } from "./sides";
import { sideLimits } from "./sides";

const spread = (s: Side, q: Quantities): number => (q.steps > 1 ? ((q.spread * q.mean) ** 2) / Math.max(1, s.steps.length) : 0);

/** The difference as a share, with the interval in which it lies in 95 of 100 cases. */
function change(before: Side, now: Side, a: Quantities, b: Quantities): string {
  const [by, off] = [100 * (b.mean / a.mean - 1), (196 * Math.sqrt(spread(before, a) + spread(now, b))) / a.mean];
  return `${signed(formatPercent(by), by)}${off > 0 ? ` ± ${formatPercent(off)}` : ""}`;
}

const lookOf = (by: number): string => (by > 0 ? "worse-text" : by < 0 ? "better-text" : "s");

function Part({ title, look, was, is, most }: { title: string; look: string; was: number; is: number; most: number }) {
  const by = is - was;
  return (
    <div>
      <span>{title}</span>
      <span>
        {[was, is].map((n, i) => <span key={i} class="bar" data-hint={`${i ? "now" : "before"}: ${formatStep(n)}`}><i class={`seg ${look}`} style={{ width: `${most > 0 ? (100 * n) / most : 0}%` }} /></span>)}
      </span>
      <span class="num">{formatStep(was)} → {formatStep(is)} <span class={lookOf(by)}>{signed(formatStep(by), by)}</span></span>
    </div>
  );
}

/** How well each side uses its device, where both can be judged. */
function Efficiency({ before, now }: { before: Side; now: Side }) {
  const loaded = useLoaded(`limits ${before.id} ${now.id}`, () => Promise.all([sideLimits(before, "op"), sideLimits(now, "op")]));
  const [a, b] = (loaded.value ?? []).map((l) => l?.summary);
  const of = (s: LimitsSummary): number => (s.ideal_us ?? 0) / s.judged_us;
  if (!a?.ideal_us || !b?.ideal_us) return null;
  const mfu = a.mfu !== null && b.mfu !== null ? `; MFU ${formatPercent(100 * a.mfu)} → ${formatPercent(100 * b.mfu)}` : "";
  const judged = [a, b].map((s) => formatPercent(100 * (s.judged_share ?? 0)));
  return <p class="s says">of what the device can do: {formatPercent(100 * of(a))} → {formatPercent(100 * of(b))} <span>(of judged time, {judged[0]} and {judged[1]} of all)</span>{mfu}</p>;
}

export function Headline({ before, now }: { before: Side; now: Side }) {
  if (!before.steps.length || !now.steps.length) return <p class="sentence">No steps were recorded on both sides: the table compares all that was.</p>;
  const [a, b] = [quantitiesOf(before.steps), quantitiesOf(now.steps)];
  const parts = PARTS.map((p) => ({ ...p, was: a.parts[p.name], is: b.parts[p.name] })).sort((x, y) => Math.abs(y.is - y.was) - Math.abs(x.is - x.was));
  const most = Math.max(...parts.flatMap((p) => [p.was, p.is]));
  const [first] = parts;
  return (
    <>
      {a.mean === b.mean ? (
        <p class="big">{formatStep(b.mean)} a step, the same on both sides</p>
      ) : (
        <p class="big">{formatStep(a.mean)} → {formatStep(b.mean)} a step, <span class={lookOf(b.mean - a.mean)}>{b.mean > a.mean ? "▲" : "▼"} {change(before, now, a, b)}</span></p>
      )}
      {first && <p class="sentence">{first.is === first.was ? "No part of a step changed." : <>What changed most is {first.title}: {signed(formatStep(first.is - first.was), first.is - first.was)} a step.</>}</p>}
      <Efficiency before={before} now={now} />
      <div class="differ">{parts.map((p) => <Part key={p.name} title={p.title} look={p.look} was={p.was} is={p.is} most={most} />)}</div>
    </>
  );
}

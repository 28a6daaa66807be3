// SPDX-License-Identifier: Apache-2.0
// The panels of a step (why it takes so long, and its parts), of a rank, and of a part of a step.
import { filterParams, useTable } from "../answers/data";
import { besideMedian, counted, formatPercent, formatStep, signed } from "../text/format";
import type { Opened } from "../state/opened";
import { Quantity } from "../parts/Quantity";
import { ShortName } from "../parts/ShortName";
import { ThingLink } from "../parts/Thing";
import { change, filters } from "../state/store";
import type { Quantities, StepRow } from "../results/steps";
import { PARTS, median, quantitiesOf, underFilters, useSteps } from "../results/steps";
import { FindingsOf, Head, OneStep, PanelActions } from "./parts";
import { Pair, Section } from "./Section";
import type { PanelProps } from "./kinds";
import { useWindows } from "./useWindows";
import { whyOf, whyPath } from "./why";

const SLOWEST = 16; // ranks of a step

const plus = (us: number): string => signed(formatStep(us), us);

function Why({ of, step }: { of: Opened; step: number }) {
  const windows = useWindows(of);
  const loaded = useTable(whyPath(of.id, filterParams(filters.value, new Map(), false)));
  const why = loaded.value && whyOf(loaded.value, step);
  const window = windows?.get(step);
  const evidence = (text: string) => <ThingLink kind="step" id={String(step)} evidence also={{ view: window ?? null }}>{text}</ThingLink>;
  if (!why) return <Section name="Why"><p>{loaded.error || (loaded.busy ? "…" : "The only step here")}; {evidence("see it in the timeline")}.</p></Section>;
  const part = PARTS.find((p) => p.name === why.part);
  return (
    <Section name="Why">
      <p class="why">
        {formatStep(why.duration)}, {Math.abs(why.over) < 0.005 ? "as" : <>{signed(`${Math.round(100 * why.over)}`.replace("-", "\u2212"), why.over)}{"\u00a0"}% of</>} the median ({formatStep(why.median)});{" "}
        {why.partMore > 0 ? <><ThingLink kind="part" id={why.part}>{part?.title}</ThingLink> {plus(why.partMore)}</> : "no part of it is longer than its median"}
        {why.grown[0] && <>, most in <ThingLink kind={why.grown[0].thing.kind} id={why.grown[0].thing.id} full={why.grown[0].thing.id}>{why.grown[0].short}</ThingLink></>}. {evidence("See it in the timeline")}
      </p>
      {why.grown.map((g) => (
        <div key={g.thing.id} class="pairrow">
          <ThingLink kind={g.thing.kind} id={g.thing.id} full={g.thing.id}>{g.thing.kind === "kernel" ? <ShortName of={of} name={g.thing.id} /> : g.short}</ThingLink>
          <span class="s">{plus(g.more)}</span>
        </div>
      ))}
    </Section>
  );
}

function Parts({ q, what }: { q: Quantities; what: string }) {
  return (
    <Section name="Numbers">
      <dl>
        {PARTS.map((p) => (
          <Pair key={p.name} word={p.title}>
            <ThingLink kind="part" id={p.name} class=""><span class={`dot ${p.look}`} /> </ThingLink>
            <Quantity name={`step.${p.name}`} of={what} value={q.parts[p.name]} />, {formatPercent((100 * q.parts[p.name]) / q.mean)} of step
          </Pair>
        ))}
        <Pair word="hidden comm.">{formatStep(q.hidden)}</Pair>
      </dl>
    </Section>
  );
}

function Series({ rows, value, now, look = "host" }: { rows: StepRow[]; value: (r: StepRow) => number; now?: number; look?: string }) {
  const steps = [...new Set(rows.map((r) => r.step))].slice(0, 60);
  const at = (step: number): number => {
    const of = rows.filter((r) => r.step === step);
    return of.reduce((a, r) => a + value(r), 0) / Math.max(1, of.length);
  };
  const most = Math.max(...steps.map(at), 0);
  if (steps.length === 1) return <OneStep />;
  return (
    <Section name="Over steps">
      <div class={`overs ${look}`}>
        {steps.map((s) => (
          <ThingLink key={s} kind="step" id={String(s)} class={s === now ? "now" : ""} hint={`step ${s}: ${formatStep(at(s))}`}>
            <i style={{ height: `${most ? Math.max(2, (100 * at(s)) / most) : 0}%` }} /><span class="away">step {s}: {formatStep(at(s))}</span>
          </ThingLink>
        ))}
      </div>
    </Section>
  );
}

export function StepPanel({ of, thing }: PanelProps) {
  const all = underFilters(useSteps(of).value ?? [], { ...filters.value, steps: null });
  const step = Number(thing.id);
  const here = all.filter((r) => r.step === step);
  const q = quantitiesOf(here);
  const ranks = [...new Set(here.map((r) => r.rank))];
  const { ranks: chosen, device } = filters.value;
  const what = chosen.length || device ? "" : `step:${step}`;
  return (
    <>
      <Head kind={`step${here.length ? ` · ${counted(here.reduce((n, r) => n + r.kernels, 0), "kernel")}` : ""}`} name={`Step ${step}`} big={here.length ? <Quantity name="step.mean" of={what} value={q.mean} /> : "–"} says={here.length ? `${besideMedian(q.mean, median(all.map((r) => r.duration)))} of ${counted(new Set(all.map((r) => r.step)).size, "step")}` : "it is not among the chosen steps"} />
      {here.length > 0 && <Why of={of} step={step} />}
      {here.length > 0 && <Parts q={q} what={what} />}
      <Series rows={all} value={(r) => r.duration} now={step} />
      {ranks.length > 1 && (
        <Section name="Ranks" aside={ranks.length > SLOWEST ? `the ${SLOWEST} slowest of ${ranks.length}` : undefined}>
          {[...here].sort((x, y) => y.duration - x.duration).slice(0, SLOWEST).map((r) => <div key={`${r.rank} ${r.device}`} class="pairrow"><ThingLink kind="rank" id={String(r.rank)}>rank {r.rank}</ThingLink><span class="s">{formatStep(r.duration)}</span></div>)}
        </Section>
      )}
      <FindingsOf of={of} names={[`step ${step}`]} />
      <PanelActions of={of} thing={thing} best="In timeline" also={[{ text: "Only this step", to: { place: "table", steps: { from: step, to: step } } }]} />
    </>
  );
}

export function RankPanel({ of, thing }: PanelProps) {
  const all = useSteps(of).value ?? [];
  const rank = Number(thing.id);
  const rows = all.filter((r) => r.rank === rank);
  const q = quantitiesOf(rows);
  const others = median([...new Set(all.map((r) => r.rank))].map((r) => quantitiesOf(all.filter((x) => x.rank === r)).mean));
  return (
    <>
      <Head kind={`rank · ${[...new Set(rows.map((r) => r.device))].join(", ")}`} name={`Rank ${rank}`} big={<Quantity name="step.mean" of={`rank:${rank}`} value={q.mean} />} says={`a step · ${besideMedian(q.mean, others)} rank`} />
      <Parts q={q} what={`rank:${rank}`} />
      <Series rows={rows} value={(r) => r.duration} />
      <FindingsOf of={of} names={[`Rank ${rank} `, `rank ${rank} `, `rank ${rank}'s`]} />
      <div class="actions">
        <button type="button" onClick={() => change({ ranks: [rank] })}>Only this rank</button>
      </div>
      <PanelActions of={of} thing={thing} best="In steps" />
    </>
  );
}

const LEADS: Record<string, { kind: string; by: string; text: string }> = {
  compute: { kind: "kernel", by: "kernel", text: "kernels that compute" },
  exposed_communication: { kind: "transfer", by: "transfer", text: "transfers" },
  exposed_copies: { kind: "transfer", by: "transfer", text: "copies" },
  idle: { kind: "wait", by: "wait", text: "what is waited for" },
};

export function PartPanel({ of, thing }: PanelProps) {
  const all = useSteps(of).value ?? [];
  const rows = underFilters(all, filters.value);
  const q = quantitiesOf(rows);
  const part = PARTS.find((p) => p.name === thing.id) ?? PARTS[0];
  const lead = LEADS[thing.id];
  if (!part) return null;
  const values = rows.map((r) => r.parts[part.name]);
  return (
    <>
      <Head look={part.look} kind="part of a step" name={part.title} big={formatStep(q.parts[part.name])} says={`a step · ${formatPercent((100 * q.parts[part.name]) / q.mean)} of ${formatStep(q.mean)}`} />
      <Section name="Numbers">
        <dl>
          <Pair word="mean">{formatStep(q.parts[part.name])}</Pair>
          <Pair word="min – max">{formatStep(Math.min(...values))} – {formatStep(Math.max(...values))}</Pair>
          {part.name === "exposed_communication" && <Pair word="hidden">{formatStep(q.hidden)} more has something beside it</Pair>}
        </dl>
      </Section>
      <Series rows={rows} look={part.look} value={(r) => r.parts[part.name]} />
      <FindingsOf of={of} names={[part.name === "idle" ? "idle" : part.name === "exposed_communication" ? "ommunication" : part.title]} />
      <PanelActions of={of} thing={thing} like={false} also={[...(lead ? [{ text: `Table of ${lead.text}`, to: { place: "table" as const, by: lead.by } }] : []), { text: "In steps", to: { place: "steps" as const } }]} />
    </>
  );
}

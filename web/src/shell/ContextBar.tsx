// SPDX-License-Identifier: Apache-2.0
// The context bar: four filters with one meaning in all places, and the step in numbers under them.
import type { ComponentChildren } from "preact";
import type { ProfileFacts } from "../answers/api";
import type { Info } from "../details/ProfilePanel";
import { chipRanks, useInfo } from "../details/ProfilePanel";
import { FLAMES } from "../flame/read";
import { counted, formatMicros, formatPercent } from "../text/format";
import type { Opened } from "../state/opened";
import { Menu } from "../parts/Menu";
import { Quantity } from "../parts/Quantity";
import type { Steps } from "../state/store";
import { nonsenseOf } from "../state/nonsense";
import { change, filters, ignored, state } from "../state/store";
import { tablesOf } from "../table/tables";
import { useQuantities } from "../results/steps";

interface ChipProps {
  name: string; // of the button, before its words
  says: string; // complete words: "step 6", "6 steps"
  on: boolean;
  clear: () => void;
  children: ComponentChildren;
}

function Chip({ name, says, on, clear, children }: ChipProps) {
  return (
    <span class={on ? "chip on" : "chip"}>
      <Menu label={`${name}: ${says}`} text={says} role="dialog" name={name}>{() => children}</Menu>
      {on && <button type="button" class="cross" aria-label={`Clear ${name.toLowerCase()}`} onClick={clear}>×</button>}
    </span>
  );
}

const MOST = 256; // most ranks or steps in a list

function Ranks({ all }: { all: number[] }) {
  const { ranks } = filters.value;
  const turn = (rank: number): void => change({ ranks: ranks.includes(rank) ? ranks.filter((r) => r !== rank) : [...ranks, rank].sort((a, b) => a - b) });
  if (all.length < 2) return <p class="s">This profile has one rank.</p>;
  return <>{all.slice(0, MOST).map((r) => <label key={r}><span><input type="checkbox" checked={ranks.includes(r)} onChange={() => turn(r)} /> rank {r}</span></label>)}</>;
}

function StepsList({ all }: { all: number[] }) {
  const { steps } = filters.value;
  const set = (to: Partial<Steps>): void => {
    const next = { from: steps?.from ?? all[0] ?? 0, to: steps?.to ?? all[all.length - 1] ?? 0, ...to };
    change({ steps: next.from <= next.to ? next : { from: next.to, to: next.from } });
  };
  if (!all.length) return <p class="s">No steps were marked.</p>;
  const choice = (name: "from" | "to", value: number) => (
    <label><span>{name} <select value={String(value)} onChange={(e) => set({ [name]: Number(e.currentTarget.value) })}>{all.map((s) => <option key={s} value={String(s)}>{s}</option>)}</select></span></label>
  );
  return (
    <>
      {choice("from", steps?.from ?? all[0] ?? 0)}
      {choice("to", steps?.to ?? all[all.length - 1] ?? 0)}
      {all.slice(0, MOST).map((s) => <button key={s} type="button" onClick={() => change({ steps: { from: s, to: s } })}>only step {s}</button>)}
    </>
  );
}

/** "step 6" is one of them, "6 steps" are all. */
function stepsWords(s: Steps | null, all: number[]): string {
  if (s) return s.from === s.to ? `step ${s.from}` : `steps ${s.from}–${s.to}`;
  return all.length === 1 ? `step ${all[0]}` : all.length ? counted(all.length, "step") : "no steps";
}

function ranksWords(chosen: number[], known: number[], info: Info | null | undefined): string {
  if (chosen.length) return `${chosen.length > 1 ? "ranks" : "rank"} ${chosen.join(", ")}`;
  return known.length > 1 ? counted(known.length, "rank") : (info && chipRanks(info)) || "one rank";
}

const deviceWords = (chosen: string, known: string[]): string => chosen || (known.length === 1 ? (known[0] ?? "") : "") || (known.length ? counted(known.length, "device") : "no device");

function Facts({ of }: { of: Opened }) {
  const { q, of: what } = useQuantities(of);
  if (!q) return null;
  const share = (us: number): string => formatPercent((100 * us) / q.mean);
  return (
    <span class="stepfacts">
      step <b><Quantity name="step.mean" of={what} value={q.mean} /></b>
      <span class="x"> · compute <b>{share(q.parts.compute)}</b> · exposed comm. <b>{share(q.parts.exposed_communication)}</b></span> · idle <b>{share(q.parts.idle)}</b>
    </span>
  );
}

/** What the place can be shown by. */
function bysOf(facts: ProfileFacts): string[] | null {
  if (state.value.place === "table") return tablesOf(facts).map((t) => t.by);
  return state.value.place === "flame" ? FLAMES.filter((f) => f.fits(facts)).map((f) => f.by) : null;
}

export function ContextBar({ of }: { of: Opened }) {
  const { ranks, steps, range, device } = filters.value;
  const { all, known: read } = useQuantities(of);
  const info = useInfo(of);
  const known = [...new Set(all.map((r) => r.rank))].sort((a, b) => a - b);
  const devices = [...new Set(all.map((r) => r.device))];
  const nonsense = nonsenseOf(state.value, { ranks: known, steps: of.facts.steps, devices, by: bysOf(of.facts) });
  const wrong = [...ignored.value, ...nonsense.ignored];
  const words = [wrong.length ? `ignored in the address: ${wrong.join(", ")}` : "", read && nonsense.absent.length ? `not in this profile: ${nonsense.absent.join(", ")}` : ""].filter(Boolean).join("; ");
  return (
    <div class="ctx" role="region" aria-label="Context">
      <Chip name="Ranks" says={ranksWords(ranks, known, info)} on={ranks.length > 0} clear={() => change({ ranks: [] })}><Ranks all={known} /></Chip>
      <Chip name="Steps" says={stepsWords(steps, of.facts.steps)} on={steps !== null} clear={() => change({ steps: null })}><StepsList all={of.facts.steps} /></Chip>
      <Chip name="Range" says={range ? `${formatMicros(range.from)} – ${formatMicros(range.to)}` : "whole run"} on={range !== null} clear={() => change({ range: null })}>
        <p class="s">{range ? `${formatMicros(range.to - range.from)} long.` : "Drag in the timeline to choose a range; it stays in all places until it is cleared."}</p>
      </Chip>
      <Chip name="Device" says={deviceWords(device, devices)} on={device !== ""} clear={() => change({ device: "" })}>
        {devices.map((d) => <button key={d} type="button" aria-pressed={d === device} onClick={() => change({ device: d === device ? "" : d })}>{d}</button>)}
        {!devices.length && <p class="s">No device was recorded.</p>}
      </Chip>
      {words && <span class="s wrong" role="status">{words}</span>}
      <Facts of={of} />
    </div>
  );
}

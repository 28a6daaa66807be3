// SPDX-License-Identifier: Apache-2.0
// By how much a step would become shorter if the selected thing took half of its time: computed on demand; the address remembers the request.
import { BusyContext, quietBusy } from "../answers/busy";
import { formatPercent, formatStep } from "../text/format";
import type { Opened } from "../state/opened";
import { ReplayLine } from "../parts/Changes";
import { ThingLink } from "../parts/Thing";
import { change, state } from "../state/store";
import type { Thing } from "../state/store";
import { useSteps } from "../results/steps";
import type { WhatIf as Prediction } from "../results/whatif";
import { fasterOf, patternOf, plainRefusal, useChanges } from "../results/whatif";
import { partsOfLine } from "./CodeLines";
import { Pair, Section } from "./Section";

/** The changes to predict: for a thing with device time its kernels and its host code, each alone and both together. */
export function halvesOf(thing: Thing, hasDevice: boolean, deviceTime: number | null): string[] {
  const { file, line } = partsOfLine(thing.id);
  const pattern = patternOf(thing.kind === "line" ? `${file}:${line}` : thing.id);
  const [device, host] = [`faster ${pattern}=2`, `faster host:${pattern}=2`];
  if (thing.kind === "kernel") return [device];
  if (!hasDevice || deviceTime === 0) return [host];
  return [device, host];
}

const WORDS: Record<string, string> = { kernel: "at half" };

function wordsOf(scenario: string, kind: string): string {
  if (scenario === "all") return "both";
  return fasterOf(scenario)?.host ? "host code" : (WORDS[kind] ?? "on devices");
}

function Rows({ a, of, kind }: { a: Prediction; of: Opened; kind: string }) {
  const [today, ...rows] = a.table?.rows ?? [];
  if (a.refused || !today) return <p>{a.refused ? plainRefusal(a.refused, of.files) : "No prediction."}</p>;
  return (
    <>
      <dl>
        {rows.map((r) => (
          <Pair key={r.scenario} word={wordsOf(r.scenario, kind)}>
            {r.scenario === "all" ? formatStep(r.gain_us) : <ThingLink kind="change" id={r.scenario}>{formatStep(r.gain_us)}</ThingLink>} gained ({formatPercent(100 * r.gain_share)}): {formatStep(r.step_us)} a step
          </Pair>
        ))}
      </dl>
      <p class="s"><ReplayLine today={today} /></p>
    </>
  );
}

function Asked({ of, thing, scenarios }: { of: Opened; thing: Thing; scenarios: string[] }) {
  const loaded = useChanges(of, scenarios);
  if (loaded.error) return <p class="s">{loaded.error}</p>;
  if (!loaded.value) return <p role="status">Steps are replayed … <button type="button" onClick={() => change({ more: { half: "" } })}>Cancel</button></p>;
  return <Rows a={loaded.value} of={of} kind={thing.kind} />;
}

interface Props {
  of: Opened;
  thing: Thing;
  deviceTime?: number | null; // null: not known
}

/** The replay of a long recording takes seconds: nothing waits for it, and leaving the panel cancels it. */
export function WhatIf({ of, thing, deviceTime = null }: Props) {
  const steps = useSteps(of).value;
  const id = `${thing.kind}:${thing.id}`;
  if (!of.facts.has?.trace || !steps?.length) return null;
  const asked = state.value.more.half === id;
  return (
    <Section name="What if">
      <BusyContext.Provider value={quietBusy}>
        {asked ? <Asked of={of} thing={thing} scenarios={halvesOf(thing, steps.some((s) => s.kernels > 0), deviceTime)} /> : (
          <button type="button" onClick={() => change({ more: { half: id } })}>What if it took half of its time?</button>
        )}
      </BusyContext.Provider>
    </Section>
  );
}

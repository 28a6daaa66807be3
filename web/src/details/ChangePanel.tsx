// SPDX-License-Identifier: Apache-2.0
// A change of `tfprof whatif`: the predicted step time, the error of the replay, and the command line.
import { formatPercent, formatStep } from "../text/format";
import { BusyContext, quietBusy } from "../answers/busy";
import type { Opened } from "../state/opened";
import { CommandLine } from "../parts/CommandLine";
import { ChangeSentence } from "../parts/Changes";
import type { WhatIf } from "../results/whatif";
import { OVER, optionOf, parameterOf, plainRefusal, sentenceOf, useChanges } from "../results/whatif";
import { Head, PanelActions } from "./parts";
import { Pair, Section } from "./Section";
import type { PanelProps } from "./kinds";

function Numbers({ a, of }: { a: WhatIf | undefined; of: Opened }) {
  const [today, row] = a?.table?.rows ?? [];
  if (a?.refused) return <Section name="Numbers"><p>{plainRefusal(a.refused, of.files)}</p></Section>;
  if (!today || !row) return <Section name="Numbers"><p class="s">…</p></Section>;
  const off = Math.abs(today.replay_error);
  return (
    <Section name="Numbers">
      <dl>
        <Pair word="today">{formatStep(today.step_us)} a step</Pair>
        <Pair word="with it">{formatStep(row.step_us)} a step</Pair>
        <Pair word="gain">{formatStep(row.gain_us)}, {formatPercent(100 * row.gain_share)} of a step</Pair>
        {row.critical_path_share !== null && <Pair word="longest path">{formatPercent(100 * row.critical_path_share)} <span class="s">of it is affected by the change: no factor can gain more</span></Pair>}
        <Pair word="replay error">{formatPercent(100 * today.replay_error)} <span class="s">{off > OVER ? "even without a change the replay differs from the recording: a rough guide" : "of the replay without a change"}</span></Pair>
      </dl>
      {today.note && <p class="s">{today.note}</p>}
    </Section>
  );
}

function Replayed({ of, thing }: PanelProps) {
  const known = parameterOf(thing.id) !== "";
  const loaded = useChanges(of, known ? [thing.id] : []);
  const row = loaded.value?.table?.rows[1];
  return (
    <>
      <Head look="compute" kind="change" name={sentenceOf(thing.id)} big={row ? formatStep(row.gain_us) : loaded.busy ? "…" : "–"} says={row ? `${formatPercent(100 * row.gain_share)} of a step would be gained` : known ? "" : "no change of tfprof whatif"} />
      {loaded.error ? <Section name="Numbers"><p>{loaded.error}</p></Section> : known && <Numbers a={loaded.value} of={of} />}
    </>
  );
}

export function ChangePanel({ of, thing }: PanelProps) {
  const files = of.files.length > 4 ? ["FILE..."] : of.files;
  return (
    <>
      <BusyContext.Provider value={quietBusy}><Replayed of={of} thing={thing} /></BusyContext.Provider>
      <Section name="Comes from"><p><ChangeSentence scenario={thing.id} of={of} />.</p></Section>
      <Section name="Leads to"><CommandLine words={["tfprof", "whatif", ...files, ...optionOf(thing.id)]} /></Section>
      <PanelActions of={of} thing={thing} best="In findings" />
    </>
  );
}

// SPDX-License-Identifier: Apache-2.0
// The ten single changes that would help most, each with the predicted step time; or why nothing can be predicted.
import { BusyContext, quietBusy } from "../answers/busy";
import { formatPercent, formatStep } from "../text/format";
import type { Loaded } from "../answers/load";
import type { Opened } from "../state/opened";
import { sameThing, sel, select } from "../state/store";
import type { WhatIf, WhatIfRow } from "../results/whatif";
import { partsOfSentence, plainRefusal, useBest } from "../results/whatif";
import { LinkedName } from "./Linked";

const LEAST = 0.001; // of the step; a smaller gain is none

/** A change in words, with a link to the op or kernel that it is about. */
export function ChangeSentence({ scenario, of }: { scenario: string; of: Opened }) {
  const [before, name, after] = partsOfSentence(scenario);
  return <>{before}{name && <LinkedName name={name} of={of} />}{after}</>;
}

function ChangeRow({ r, most, of }: { r: WhatIfRow; most: number; of: Opened }) {
  const thing = { kind: "change", id: r.scenario } as const;
  return (
    <div role="row" class="find compute" data-kind="change" data-id={r.scenario} aria-selected={sameThing(sel.value, thing)} onClick={(e) => !(e.target as Element).closest("a") && select(thing)}>
      <span role="gridcell" data-column="gain" data-value={r.gain_us}>
        <button type="button" class="gain" data-hint={`tfprof whatif: ${r.scenario}`} onClick={() => select(thing)}>{formatStep(r.gain_us)}</button>
      </span>
      <span role="gridcell" data-column="share" data-value={r.gain_share}><span class="track" aria-hidden="true"><i style={{ width: `${most > 0 ? Math.max(0, (100 * r.gain_us) / most) : 0}%` }} /></span></span>
      <div role="gridcell" data-column="name"><ChangeSentence scenario={r.scenario} of={of} /></div>
      <span role="gridcell" data-column="step" data-value={r.step_us} class="s">{formatPercent(100 * r.gain_share)}, to {formatStep(r.step_us)} a step</span>
    </div>
  );
}

/** The recorded step time, the error of its replay, and notes about the replay. */
export function ReplayLine({ today }: { today: WhatIfRow }) {
  return <>of a step of {formatStep(today.step_us)}; replayed without a change it is {today.replay_error === 0 ? "the same" : `${formatPercent(100 * Math.abs(today.replay_error))} ${today.replay_error > 0 ? "longer" : "shorter"}`}{today.note && `; ${today.note}`}</>;
}

function Answer({ a, of }: { a: WhatIf; of: Opened }) {
  const [today, ...rows] = a.table?.rows ?? [];
  if (a.refused || !today) return <p class="sentence" role="note">{a.refused ? plainRefusal(a.refused, of.files) : "No prediction."}</p>;
  const helping = rows.filter((r) => r.gain_us > 0 && r.gain_share >= LEAST);
  if (!helping.length) return <p class="sentence">None of the changes that were tried makes a step shorter.</p>;
  const most = Math.max(...helping.map((r) => r.gain_us));
  return (
    <>
      <p class="s"><ReplayLine today={today} /></p>
      <div role="grid" aria-label="Changes" aria-rowcount={helping.length + 1}>
        <div role="row" class="away">
          {["gain", "share", "name", "step"].map((c) => <span key={c} role="columnheader" data-column={c} aria-sort={c === "gain" ? "descending" : "none"}>{c}</span>)}
        </div>
        {helping.map((r) => <ChangeRow key={r.scenario} r={r} most={most} of={of} />)}
      </div>
    </>
  );
}

function Best({ of }: { of: Opened }) {
  const loaded: Loaded<WhatIf | undefined> = useBest(of);
  if (loaded.error) return <p class="s">{loaded.error}</p>;
  if (!loaded.value) return <p class="s" role="status">{loaded.busy ? "Steps are replayed with changes …" : ""}</p>;
  return <Answer a={loaded.value} of={of} />;
}

/** Nothing waits for it, because the replay of a long recording takes seconds. */
export function Changes({ of }: { of: Opened }) {
  if (!of.facts.has?.trace) return null;
  return (
    <BusyContext.Provider value={quietBusy}>
      <h2>What would help <span class="s">one change each, by what it would gain in a step</span></h2>
      <Best of={of} />
    </BusyContext.Provider>
  );
}

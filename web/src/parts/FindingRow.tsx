// SPDX-License-Identifier: Apache-2.0
// A finding in one line: the possible gain, a bar, the sentence, a link to the evidence.
import type { Finding } from "../results/findings";
import { evidenceView } from "../results/findings";
import { formatMicros, formatStep } from "../text/format";
import type { Opened } from "../state/opened";
import { sameThing, sel, select } from "../state/store";
import { LinkedText } from "./Linked";
import { ThingLink } from "./Thing";

interface Props {
  f: Finding;
  most: number; // the biggest gain
  of: Opened;
  whole?: boolean; // with all sentences
}

/** "cpu/thread:python/7" is the thread python, "gpu:0/stream:7" the stream 7. */
const laneWord = (lane: string): string => (/thread:[^/]+/.exec(lane)?.[0] ?? lane.replace(/^.*\//, "")).replace(":", " ");

/** The link to the timeline, with the span selected. */
export function EvidenceLink({ f }: { f: Finding }) {
  const [view, evidence] = [evidenceView(f), f.evidence];
  return evidence && (
    <ThingLink kind="span" id={String(evidence.span)} class="s lk" evidence also={{ view }}>
      {evidence.rank === undefined ? "" : `rank ${evidence.rank}, `}{laneWord(evidence.lane)} at {formatMicros(evidence.timeline_us)}
    </ThingLink>
  );
}

export function FindingHead() {
  return (
    <div role="row" class="away">
      {["gain", "share", "name", "evidence"].map((c) => <span key={c} role="columnheader" data-column={c} aria-sort={c === "gain" ? "descending" : "none"}>{c}</span>)}
    </div>
  );
}

export function FindingRow({ f, most, of, whole }: Props) {
  const thing = { kind: "finding", id: f.id } as const;
  const chosen = sameThing(sel.value, thing);
  const gain = f.gain === null ? (f.takes === null ? "–" : formatStep(f.takes)) : `≤ ${formatStep(f.gain)}`;
  return (
    <div role="row" class={`find ${f.look}`} data-kind="finding" data-id={f.id} aria-selected={chosen} onClick={(e) => !(e.target as Element).closest("a") && select(thing)}>
      <span role="gridcell" data-column="gain" data-value={f.gain ?? undefined}>
        <button type="button" class="gain" data-hint={`Finding ${f.checker}`} onClick={() => select(thing)}>{gain}</button>
      </span>
      <span role="gridcell" data-column="share"><span class="track" aria-hidden="true"><i style={{ width: `${most > 0 ? (100 * (f.gain ?? 0)) / most : 0}%` }} /></span></span>
      <div role="gridcell" data-column="name">
        <div><LinkedText text={f.says} of={of} /></div>
        {whole && f.more.map((m) => <div key={m} class="s"><LinkedText text={m} of={of} /></div>)}
      </div>
      <span role="gridcell" data-column="evidence"><EvidenceLink f={f} /></span>
    </div>
  );
}

// SPDX-License-Identifier: Apache-2.0
// The panels of a finding, and of things that are rows of a table: a transfer, a wait, a parameter, a lane.
import { useFindings } from "../results/findings";
import { formatPercent, formatStep } from "../text/format";
import { cellText } from "../grid/Row";
import { EvidenceLink } from "../parts/FindingRow";
import { LinkedText } from "../parts/Linked";
import { quantitiesOf, useSteps } from "../results/steps";
import { Head, PanelActions } from "./parts";
import { Pair, Section } from "./Section";
import type { PanelProps } from "./kinds";
import { useRow } from "./rows";

export function FindingPanel({ of, thing }: PanelProps) {
  const steps = useSteps(of).value;
  const f = (useFindings(of).value ?? []).find((x) => x.id === thing.id);
  if (!f) return <Head kind="finding" name={thing.id.replace(/:.*$/, "")} says="…" />;
  const mean = steps?.length ? quantitiesOf(steps).mean : 0;
  const share = (us: number): string => (mean > 0 ? `, ${formatPercent((100 * us) / mean)} of a step` : "");
  return (
    <>
      <Head look={f.look} kind={f.quality ? "finding on the data" : "finding"} name={f.checker.replace(/(?<=[a-z])(?=[A-Z])/g, " ")} {...(f.gain !== null ? { big: `≤ ${formatStep(f.gain)}`, says: "a step can be gained at most" } : {})} />
      <Section name="Why"><p class="why"><LinkedText text={f.says} of={of} />.</p></Section>
      <Section name="Numbers">
        <dl>
          {f.takes !== null && <Pair word="takes">{formatStep(f.takes)}{share(f.takes)}</Pair>}
          {f.gain !== null && <Pair word="gain, at most">{formatStep(f.gain)}{share(f.gain)}</Pair>}
          {f.takes === null && f.gain === null && <Pair word="gain">not known</Pair>}
        </dl>
      </Section>
      <Section name="Leads to">
        {f.more.map((m) => <p key={m}><LinkedText text={m} of={of} /></p>)}
        <p><EvidenceLink f={f} /></p>
      </Section>
      <PanelActions of={of} thing={thing} best="In findings" />
    </>
  );
}

/** A row of a table, all its columns one below the other. */
export function RowPanel({ of, thing }: PanelProps) {
  const r = useRow(of, thing);
  const columns = r.content?.columns ?? [];
  const name = r.content && r.row >= 0 ? r.content.set.name(r.row) : thing.id;
  return (
    <>
      <Head look={r.row >= 0 ? r.content?.set.look?.(r.row) : undefined} kind={thing.kind} name={name} full={thing.id} />
      <Section name="Numbers">
        <dl>{r.row >= 0 && columns.map((c) => <Pair key={c.name} word={c.title}>{cellText(c, r.row)}</Pair>)}</dl>
        {r.row < 0 && <p class="s">{r.busy ? "…" : "not in the chosen time"}</p>}
      </Section>
      <Section name="Comes from"><p class="s">{r.content?.says ?? ""}</p></Section>
      <PanelActions of={of} thing={thing} also={[{ text: "In table", to: { place: "table", by: thing.kind } }, { text: "In timeline", to: { place: "timeline" } }]} />
    </>
  );
}

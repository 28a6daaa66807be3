// SPDX-License-Identifier: Apache-2.0
// Facts about the picked span: its times, its lane and step, its arguments, and the spans linked to it.
import { isReport } from "../held";
import { formatMicros } from "../format";
import type { Details, Linked } from "../timeline";

const WORDS: Record<string, string> = {
  parent: "inside",
  "launched by": "launched by",
  operator: "of the operator",
  launches: "launches",
  forward: "backward of",
  backward: "its backward",
  from: "from",
  to: "to",
  "waited for": "waited for",
  "waits for it": "waits for it",
};

function Links({ rows, lead }: { rows: Linked[]; lead: (span: number) => void }) {
  const relations = [...new Set(rows.map((r) => r.relation))];
  return (
    <>
      {relations.map((relation) => (
        <div key={relation}>
          <dt>{WORDS[relation] ?? relation}</dt>
          <dd>
            {rows.filter((r) => r.relation === relation).map((r) => (
              <button key={r.span} type="button" class="link" onClick={() => lead(r.span)}>{r.name} ({formatMicros(r.duration_us)})</button>
            ))}
          </dd>
        </div>
      ))}
    </>
  );
}

export function PickedSpan({ details, zero, lead }: { details: Details | null; zero: number; lead: (span: number) => void }) {
  const s = details?.summary;
  if (!details || !s) return <p class="told" aria-live="polite" />;
  const facts: [string, string][] = [
    ["where", s.lane],
    ["self time", s.self_us === null ? "" : formatMicros(s.self_us)],
    ["step", s.step === null ? "" : String(s.step)],
    ["in the model", s.node === s.name ? "" : (s.node ?? "")],
  ];
  return (
    <section class="picked">
      <p class="told" aria-live="polite">
        <strong>{s.name}</strong> {s.class ?? s.kind}: {formatMicros(s.duration_us)} at {formatMicros(s.start_us - zero)}
      </p>
      <dl class="facts">
        {facts.filter(([, value]) => value).map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
        <Links rows={details.rows} lead={lead} />
      </dl>
      {details.notes?.map((note) => <p key={note} class="note">{note}</p>)}
      {details.args.length > 0 && (
        <table class="list narrow">
          <caption>Arguments</caption>
          <tbody>{details.args.map((a, i) => <tr key={i}><th scope="row">{a.key}</th><td>{a.value}</td></tr>)}</tbody>
        </table>
      )}
      {isReport && <p class="soft">Further links: tfprof serve FILE.</p>}
    </section>
  );
}

// SPDX-License-Identifier: Apache-2.0
// Parts that several panels share: the head, bars over steps, spans, findings, actions.
import type { ComponentChildren } from "preact";
import { useQuery } from "../answers/data";
import { evidenceView, useFindings } from "../results/findings";
import { counted, formatMicros } from "../text/format";
import { NameText } from "../grid/Row";
import { isReport } from "../answers/embedded";
import { bestPlace, goToBest, ThingLink } from "../parts/Thing";
import { fitsPlace } from "../places/fits";
import type { Opened } from "../state/opened";
import type { OverStep, SpanPlace } from "../answers/sql";
import { goTo, sel } from "../state/store";
import type { State, Thing } from "../state/store";
import { plainName } from "../table/read";
import { Section } from "./Section";
import { neighbour } from "./like";

interface HeadProps {
  look?: string | undefined;
  kind: string; // the line above the name
  name: string;
  full?: string;
  big?: ComponentChildren; // the one number
  says?: ComponentChildren; // of what it is a share
}

export function Head({ look, kind, name, full, big, says }: HeadProps) {
  return (
    <div class="dhead">
      <div class="s">{look && <span class={`dot ${look}`} />} {kind}</div>
      <h2 class="title"><NameText text={name} /></h2>
      {full && full !== name && plainName(full) === full && (
        <div class="s mono full">{full} <button type="button" class="copy-name lk" onClick={() => void navigator.clipboard.writeText(full)}>copy</button></div>
      )}
      {big !== undefined && <div class="big">{big}</div>}
      {says && <div class="s">{says}</div>}
    </div>
  );
}

/** What the panel says where a report has no database. */
export const NOT_HELD = isReport ? "not in this report: tfprof serve FILE shows it" : "";

/** A single bar would be one block as wide as the panel. */
export const OneStep = () => <Section name="Over steps"><p class="s">one step was recorded</p></Section>;

/** Small bars, one a step; each selects its step. */
export function OverSteps({ of, sql, chosen, look = "", none = "in no step" }: { of: Opened; sql: string; chosen?: number | null; look?: string | undefined; none?: string }) {
  const loaded = useQuery<OverStep>(of.id, isReport || of.facts.steps.length < 1 ? "" : sql);
  const rows = loaded.value ?? [];
  const most = Math.max(0, ...rows.map((r) => r.total_us));
  const shown = rows.slice(0, 60);
  if (of.facts.steps.length === 1) return <OneStep />;
  return (
    <Section name="Over steps">
      {shown.length ? (
        <div class={`overs ${look}`}>
          {shown.map((r) => (
            <ThingLink key={r.step} kind="step" id={String(r.step)} class={r.step === chosen ? "now" : ""} hint={`step ${r.step}: ${formatMicros(r.total_us)}, ${r.count}×`}>
              <i style={{ height: `${most ? Math.max(2, (100 * r.total_us) / most) : 0}%` }} /><span class="away">step {r.step}: {formatMicros(r.total_us)}</span>
            </ThingLink>
          ))}
        </div>
      ) : (
        <p class="s">{NOT_HELD || (loaded.busy ? "…" : none)}</p>
      )}
    </Section>
  );
}

/** How often a thing ran, before the list of its longest spans. */
export const runsOf = (count: number, word: string, listed?: boolean): string => (count ? `${counted(count, word)}${listed ? ", the longest:" : ""}` : "it did not run in what the filters choose");

/** The longest spans, as links to the timeline. */
export function Spans({ of, count, sql, children }: { of: Opened; count: string; sql: string; children?: ComponentChildren }) {
  const rows = useQuery<SpanPlace>(of.id, isReport ? "" : sql).value ?? [];
  return (
    <Section name="Spans">
      <p>{count}{NOT_HELD && ` · ${NOT_HELD}`}</p>
      {rows.map((r) => (
        <div key={r.span}>
          <ThingLink kind="span" id={String(r.span)} evidence also={{ view: null }}>{formatMicros(r.duration_us)}{r.step === null ? "" : ` in step ${r.step}`}</ThingLink>
        </div>
      ))}
      {children}
    </Section>
  );
}

/** The findings that name a thing. */
export function FindingsOf({ of, names }: { of: Opened; names: string[] }) {
  const found = (useFindings(of).value ?? []).filter((f) => names.some((n) => n.length > 3 && f.text.includes(n)));
  return (
    <Section name="Findings">
      {found.length ? (
        found.map((f) => (
          <p key={f.id}>
            <ThingLink kind="finding" id={f.id}>{f.says}</ThingLink>
            {f.evidence && <> <ThingLink kind="span" id={String(f.evidence.span)} evidence also={{ view: evidenceView(f) }}>evidence</ThingLink></>}
          </p>
        ))
      ) : (
        <p class="s">none names it</p>
      )}
    </Section>
  );
}

interface ActionsProps {
  of: Opened;
  thing: Thing;
  best?: string; // what its best place is called
  like?: boolean; // there are others like it
  also?: { text: string; to: Partial<State> & { place: State["place"] } }[];
}

export function PanelActions({ of, thing, best, like = true, also = [] }: ActionsProps) {
  const go = (back: boolean): void => void neighbour(of, thing, back);
  return (
    <div class="actions">
      {like && <button type="button" aria-label="Previous like it" data-hint="Previous like it (,)" onClick={() => go(true)}>‹ Previous</button>}
      {like && <button type="button" aria-label="Next like it" data-hint="Next like it (.)" onClick={() => go(false)}>Next ›</button>}
      {best && fitsPlace(bestPlace(thing.kind) ?? "overview", of.facts) && <button type="button" onClick={() => goToBest(thing)}>{best}</button>}
      {also.filter((a) => fitsPlace(a.to.place, of.facts)).map((a) => <button key={a.text} type="button" onClick={() => goTo(a.to.place, { sel: sel.value, ...a.to })}>{a.text}</button>)}
    </div>
  );
}

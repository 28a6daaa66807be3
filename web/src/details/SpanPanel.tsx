// SPDX-License-Identifier: Apache-2.0
// One span of the timeline: its times, where it came from, what it led to, and other spans with its name.
import { useQuery } from "../answers/data";
import { formatCount, formatMicros, formatPercent, shortDecimals } from "../text/format";
import { isReport } from "../answers/embedded";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import { lookOfClass } from "../results/classes";
import { ShortName } from "../parts/ShortName";
import { ScopeName } from "../parts/ScopeName";
import { ThingLink } from "../parts/Thing";
import { isName, overSteps, placeOf } from "../answers/sql";
import type { Details, Linked } from "../timeline/data";
import { FrameLines, Lines } from "./CodeLines";
import { FindingsOf, OverSteps, PanelActions } from "./parts";
import { Pair, Section } from "./Section";
import type { PanelProps } from "./kinds";
import { spanDetails } from "./span";

const FROM = ["launched by", "operator", "parent", "forward", "from", "waited for"];
const WORDS: Record<string, string> = { "launched by": "launch", operator: "op", parent: "inside", forward: "forward", from: "from", "waited for": "waited for", launches: "launches", backward: "backward", to: "to", "waits for it": "waits for it" };

function SpanLink({ l, zero }: { l: Linked; zero: Details["summary"] }) {
  const apart = l.start_us - zero.start_us;
  return (
    <div>
      <ThingLink kind="span" id={String(l.span)}>{l.name.length > 64 ? `${l.name.slice(0, 63)}…` : l.name}</ThingLink>
      <span class="s"> {formatMicros(l.duration_us)}{Math.abs(apart) >= 1 && `, ${formatMicros(Math.abs(apart))} ${apart < 0 ? "before" : "after"}`}</span>
    </div>
  );
}

function Links({ d, relations }: { d: Details; relations: string[] }) {
  return (
    <>
      {relations.map((r) => {
        const rows = d.rows.filter((l) => l.relation === r);
        return rows.length ? <Pair key={r} word={WORDS[r] ?? r}>{rows.slice(0, 6).map((l) => <SpanLink key={l.span} l={l} zero={d.summary} />)}{rows.length > 6 && <span class="s">and {rows.length - 6} more</span>}</Pair> : null;
      })}
    </>
  );
}

/** The call stack of the op that the span belongs to. */
function LineOf({ of, d }: { of: Opened; d: Details }) {
  const owner = d.rows.find((r) => r.relation === "operator")?.span ?? d.summary.span;
  const trace = useQuery<{ trace: number | null }>(of.id, isReport || !of.facts.has?.code ? "" : `SELECT trace FROM spans WHERE span = ${owner}`).value?.[0]?.trace ?? null;
  return trace !== null ? <Lines of={of} trace={trace} /> : <FrameLines of={of} d={d} />;
}

function ComesFrom({ of, d }: { of: Opened; d: Details }) {
  const { node, name } = d.summary;
  const others = d.rows.map((r) => r.relation).filter((r) => FROM.includes(r));
  return (
    <Section name="Comes from">
      <dl>
        <Links d={d} relations={FROM.filter((r) => others.includes(r))} />
        {node && node !== name && <Pair word="scope"><ScopeName path={node} /></Pair>}
        <Pair word="line"><LineOf of={of} d={d} /></Pair>
      </dl>
    </Section>
  );
}

function LeadsTo({ d }: { d: Details }) {
  const relations = [...new Set(d.rows.map((r) => r.relation))].filter((r) => !FROM.includes(r) && !r.endsWith("frame"));
  return <Section name="Leads to">{relations.length ? <dl><Links d={d} relations={relations} /></dl> : <p class="s">nothing that was recorded</p>}</Section>;
}

function Like({ of, d, sql }: { of: Opened; d: Details; sql: string }) {
  const r = useQuery<{ of: number; place: number; total_us: number; min_us: number; max_us: number }>(of.id, isReport ? "" : placeOf(sql, d.summary.span)).value?.[0];
  const kind = d.summary.class ? "kernel" : "op";
  return (
    <Section name="Spans">
      {r ? <p>{formatCount(r.place)} of {formatCount(r.of)} <ThingLink kind={kind} id={d.summary.name}>all of this name</ThingLink>: {formatMicros(r.total_us)}, mean {formatMicros(r.total_us / r.of)} ({formatMicros(r.min_us)} – {formatMicros(r.max_us)})</p> : <p><ThingLink kind={kind} id={d.summary.name}>all of this name</ThingLink></p>}
    </Section>
  );
}

export function SpanPanel({ of, thing }: PanelProps) {
  const loaded = useLoaded(`span ${of.id} ${thing.id}`, () => spanDetails(of, Number(thing.id)));
  const d = loaded.value;
  if (!d) return <><h2 class="title">Span {thing.id}</h2><p class="s" role={loaded.error ? "alert" : undefined}>{loaded.error || "…"}</p></>;
  const s = d.summary;
  const sql = `s.class IS ${s.class ? "NOT NULL" : "NULL"} AND ${isName("s.name", s.name)}`;
  const look = s.class ? lookOfClass(s.class) : "host";
  const [lane = s.lane] = s.lane.split("/").slice(-1);
  return (
    <>
      <div class="s"><span class={`dot ${look}`} /> {s.class ?? s.kind} · {lane.replace(":", " ")}{s.step !== null && <> · <ThingLink kind="step" id={String(s.step)}>step {s.step}</ThingLink></>}</div>
      <h2 class="title">{s.class ? <ShortName of={of} name={s.name} /> : s.name}</h2>
      {s.class && <div class="s mono full">{s.name} <button type="button" class="copy-name lk" onClick={() => void navigator.clipboard.writeText(s.name)}>copy</button></div>}
      <div class="big">{formatMicros(s.duration_us)}</div>
      <p class="away" role="status">{s.name}, {formatMicros(s.duration_us)}, {s.lane}</p>
      <Section name="Numbers">
        <dl>
          <Pair word="start">{formatMicros(s.start_us)}</Pair>
          {s.self_us !== null && s.self_us !== s.duration_us && <Pair word="self">{formatMicros(s.self_us)}, {formatPercent((100 * s.self_us) / s.duration_us)} of it</Pair>}
          {d.args.map((a) => <Pair key={a.key} word={a.key}>{shortDecimals(a.value)}</Pair>)}
        </dl>
      </Section>
      <OverSteps of={of} look={look} sql={overSteps(sql)} chosen={s.step} />
      <ComesFrom of={of} d={d} />
      <LeadsTo d={d} />
      <Like of={of} d={d} sql={sql} />
      <FindingsOf of={of} names={[s.name.replace(/^void /, "").replace(/[(<].*$/, "")]} />
      <PanelActions of={of} thing={thing} best="In timeline" also={[{ text: "In table", to: { place: "table", by: s.class ? "kernel" : "op", sel: { kind: s.class ? "kernel" : "op", id: s.name } } }]} />
    </>
  );
}

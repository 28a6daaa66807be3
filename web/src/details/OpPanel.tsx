// SPDX-License-Identifier: Apache-2.0
// An op, with its scopes and what it launches; a scope, with what is below it; a line, with its text; a call, with its path.
import { profilePath } from "../answers/api";
import { useQuery, useTable } from "../answers/data";
import { formatBytes, formatCount, formatMicros, formatPercent } from "../text/format";
import { isReport } from "../answers/embedded";
import { lookOfOp } from "../flame/looks";
import type { Opened } from "../state/opened";
import { ShortName } from "../parts/ShortName";
import { ScopeName } from "../parts/ScopeName";
import { ThingLink } from "../parts/Thing";
import { inScope, isName, kernelsWhere, launchedBy, launchedIn, longest, nodesOnLine, ofOp, opsOnLine, overSteps, runsOverSteps, scopesOf, selfOverSteps } from "../answers/sql";
import type { Launched, Where } from "../answers/sql";
import { plainName } from "../table/read";
import { FramesOfLongest, Lines, SourceText, partsOfLine } from "./CodeLines";
import { FindingsOf, Head, NOT_HELD, OverSteps, PanelActions, Spans, runsOf } from "./parts";
import { Limit } from "./Limit";
import { Pair, Section } from "./Section";
import type { PanelProps } from "./kinds";
import type { TableRow } from "./rows";
import { filterWords, useRow } from "./rows";
import { WhatIf } from "./WhatIf";

/** The device time of a row; null: its table has none. */
const deviceOf = (r: TableRow): number | null => (r.content?.columns.find((c) => c.name === "total")?.title === "device" ? (r.value("total") ?? 0) : r.value("device"));

/** The main number of a row: device time, or the host's time if there is none; for a line its own time, to which its share refers. */
function mainOf(r: TableRow, kind: string): { value: number | null; word: string } {
  const [device, host, self, total] = ["total", "host", "self", "total"].map((n) => r.value(n));
  if (kind === "line" && (r.value("device") ?? 0) > 0) return { value: r.value("device"), word: "device time" };
  if (kind === "line" && self !== null) return { value: self ?? null, word: "host time" };
  const byDevice = r.content?.columns.find((c) => c.name === "total")?.title === "device";
  if (byDevice && (device ?? 0) > 0) return { value: device ?? null, word: "device time" };
  if (!byDevice && total !== null) return { value: total ?? null, word: "time" };
  return { value: host ?? self ?? null, word: "host time" };
}

function Numbers({ r }: { r: TableRow }) {
  const share = r.value("share");
  const bytes = r.value("bytes");
  const shown = ["total", "self", "host", "device"].filter((n) => r.value(n) !== null);
  const title = (name: string): string => r.content?.columns.find((c) => c.name === name)?.title ?? name;
  return (
    <Section name="Numbers">
      <dl>
        {shown.map((n) => <Pair key={n} word={title(n)}>{formatMicros(r.value(n) ?? 0)}</Pair>)}
        {share !== null && <Pair word="share">{formatPercent(100 * share)} <span class="s">{r.content?.says?.replace(/^shares are /, "")}</span></Pair>}
        {r.value("count") !== null && <Pair word="count">{formatCount(r.value("count") ?? 0)}{(r.value("self") ?? 0) > 0 && (r.value("count") ?? 0) > 0 && `, ${formatMicros((r.value("self") ?? 0) / (r.value("count") ?? 1))} each`}</Pair>}
        {bytes !== null && bytes > 0 && <Pair word="bytes">{formatBytes(bytes)}</Pair>}
        {(r.value("parameters") ?? 0) > 0 && <Pair word="parameters">{formatCount(r.value("parameters") ?? 0)}</Pair>}
      </dl>
    </Section>
  );
}

function LeadsTo({ of, sql, kind, none }: { of: Opened; sql: string; kind: "kernel" | "op"; none: string }) {
  const loaded = useQuery<Launched>(of.id, isReport ? "" : sql);
  const rows = loaded.value ?? [];
  return (
    <Section name="Leads to">
      {rows.map((k) => (
        <div key={k.name} class="pairrow">
          <ThingLink kind={kind} id={k.name} full={k.name}>{kind === "kernel" ? <ShortName of={of} name={k.name} /> : k.name}</ThingLink>
          <span class="s">{formatMicros(k.total_us)}, {formatCount(k.count)}×</span>
        </div>
      ))}
      {!rows.length && <p class="s">{NOT_HELD || (loaded.busy ? "…" : none)}</p>}
    </Section>
  );
}

function HeadOf({ r, kind, name, full, look = "host" }: { r: TableRow; kind: string; name: string; full: string; look?: string }) {
  const { value, word } = mainOf(r, kind);
  const where = filterWords();
  const share = r.value("share");
  return (
    <Head
      look={look}
      kind={`${kind}${where && ` · ${where}`}`}
      name={name}
      full={full}
      big={value === null ? (r.busy ? "…" : "–") : formatMicros(value)}
      says={share === null ? word : `${formatPercent(100 * share)} of ${kind === "line" ? `the ${word} that has a line` : word}${where && ` of ${where}`}`}
    />
  );
}

export function OpPanel({ of, thing }: PanelProps) {
  const r = useRow(of, thing);
  const onDevice = (r.value("device") ?? deviceOf(r) ?? 0) > 0 && (r.value("host") ?? r.value("self") ?? 0) === 0; // an instruction of XLA
  const where = onDevice ? ofOp(thing.id) : `s.class IS NULL AND ${isName("s.name", thing.id)}`;
  const scopes = useQuery<Where>(of.id, isReport ? "" : scopesOf(thing.id)).value ?? [];
  const trace = scopes.find((s) => s.trace !== null)?.trace ?? null;
  const kernels = useTable(onDevice ? profilePath(of.id, "views/kernel?format=columns") : "").value;
  const look = onDevice ? (kernels ? lookOfOp(thing.id, kernels) : "compute") : "host";
  const none = NOT_HELD || "in no scope";
  return (
    <>
      <HeadOf r={r} kind="op" name={plainName(thing.id)} full={thing.id} look={look} />
      <Numbers r={r} />
      <Limit of={of} thing={thing} />
      <OverSteps of={of} look={look} sql={!of.facts.has?.trace ? runsOverSteps(thing.id) : onDevice ? overSteps(where) : selfOverSteps(where)} />
      <Section name="Comes from">
        <dl>
          <Pair word="scope">{scopes.length ? scopes.slice(0, 3).map((s) => <div key={s.scope}><ScopeName path={s.scope} /></div>) : none}</Pair>
          <Pair word="line">{trace !== null ? <Lines of={of} trace={trace} /> : <FramesOfLongest of={of} where={where} />}</Pair>
        </dl>
      </Section>
      <LeadsTo of={of} sql={!of.facts.has?.trace ? "" : onDevice ? kernelsWhere(where) : launchedBy(isName("o.name", thing.id))} kind="kernel" none="it launches nothing on a device" />
      <Spans of={of} count={runsOf(r.value("count") ?? 0, "run", of.facts.has?.trace)} sql={of.facts.has?.trace ? longest(where) : ""} />
      <WhatIf of={of} thing={thing} deviceTime={deviceOf(r)} />
      <FindingsOf of={of} names={[thing.id]} />
      <PanelActions of={of} thing={thing} best="In table" also={[{ text: "In timeline", to: { place: "timeline", q: thing.id } }]} />
    </>
  );
}

export function ScopePanel({ of, thing }: PanelProps) {
  const r = useRow(of, thing);
  const above = thing.id.split("/").slice(0, -1).join("/");
  return (
    <>
      <HeadOf r={r} kind="scope" name={plainName(thing.id.split("/").pop() ?? thing.id)} full={thing.id} />
      <Numbers r={r} />
      <Limit of={of} thing={thing} />
      <OverSteps of={of} look="host" sql={selfOverSteps(inScope(thing.id))} />
      <Section name="Comes from">
        {above ? <p>inside <ScopeName path={above} /></p> : <p class="s">an outermost scope</p>}
      </Section>
      <LeadsTo of={of} sql={of.facts.has?.trace ? launchedIn(thing.id) : ""} kind="kernel" none="nothing on a device" />
      <FindingsOf of={of} names={[thing.id.split("/").pop() ?? thing.id]} />
      <PanelActions of={of} thing={thing} best="In flame" also={[{ text: "In table", to: { place: "table", by: "scope" } }]} />
    </>
  );
}

export function LinePanel({ of, thing }: PanelProps) {
  const r = useRow(of, thing);
  const { file, line, name } = partsOfLine(thing.id);
  return (
    <>
      <HeadOf r={r} kind="line" name={`${file.split("/").pop() ?? file}:${line}`} full={thing.id} />
      <Numbers r={r} />
      <Limit of={of} thing={thing} />
      <Section name="Comes from">
        <p>{name && <>in <b>{name}</b> of </>}{file}</p>
        <SourceText of={of} id={thing.id} />
      </Section>
      <LeadsTo of={of} sql={of.facts.has?.trace ? opsOnLine(file, line) : nodesOnLine(file, line)} kind="op" none="its ops were not recorded with their stacks" />
      <WhatIf of={of} thing={thing} />
      <FindingsOf of={of} names={[`${file}:${line}`]} />
      <PanelActions of={of} thing={thing} best="In table" also={[{ text: "In flame", to: { place: "flame", by: "line" } }]} />
    </>
  );
}

export function CallPanel({ of, thing }: PanelProps) {
  const r = useRow(of, thing);
  const path = thing.id.split(" › ");
  const name = path[path.length - 1] ?? thing.id;
  return (
    <>
      <HeadOf r={r} kind="call" name={name} full={thing.id} />
      <Numbers r={r} />
      <Section name="Comes from">
        {path.length > 1 ? path.slice(0, -1).map((p, i) => <div key={i}><ThingLink kind="call" id={path.slice(0, i + 1).join(" › ")}>{p}</ThingLink></div>) : <p class="s">called by nothing that was recorded</p>}
      </Section>
      <Section name="Leads to"><p><ThingLink kind="op" id={name}>all calls of {name}</ThingLink></p></Section>
      <FindingsOf of={of} names={[name]} />
      <PanelActions of={of} thing={thing} best="In flame" also={[{ text: "In table", to: { place: "table", by: "call" } }]} />
    </>
  );
}

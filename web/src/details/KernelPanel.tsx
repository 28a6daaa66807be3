// SPDX-License-Identifier: Apache-2.0
// A kernel, copy or collective: what it costs, what launched it.
import { useQuery } from "../answers/data";
import { formatBytes, formatCount, formatMicros, formatPercent } from "../text/format";
import { isReport } from "../answers/embedded";
import type { Opened } from "../state/opened";
import { ScopeName } from "../parts/ScopeName";
import { ThingLink } from "../parts/Thing";
import { isName, longest, nearTrace, originsOf, overSteps, placed } from "../answers/sql";
import type { Origin } from "../answers/sql";
import { useOverDevices } from "../results/steps";
import { filters } from "../state/store";
import { kernelOps } from "../table/kernels";
import { FramesOfLongest, Lines } from "./CodeLines";
import { FindingsOf, Head, NOT_HELD, OverSteps, PanelActions, Spans, runsOf } from "./parts";
import { Limit } from "./Limit";
import { Pair, Section } from "./Section";
import type { PanelProps } from "./kinds";
import { filterWords, useRow } from "./rows";
import { WhatIf } from "./WhatIf";

/** The line that launched it: from its op's own stack, otherwise from that of the op before it. */
function LineOf({ of, where, trace }: { of: Opened; where: string; trace: number | null }) {
  const near = useQuery<{ trace: number; name: string }>(of.id, isReport || trace !== null || !of.facts.has?.code ? "" : nearTrace(where)).value?.[0];
  if (trace !== null) return <Lines of={of} trace={trace} />;
  if (!near) return <FramesOfLongest of={of} where={`s.class IS NOT NULL AND ${where}`} />;
  return <><span class="s">its op has no stack; the op before it, {near.name}:</span><Lines of={of} trace={near.trace} /></>;
}

/** Where it was launched: call, op, scope, line. */
function ComesFrom({ of, thing }: PanelProps) {
  const loaded = useQuery<Origin>(of.id, isReport ? "" : originsOf(isName("s.name", thing.id)));
  const { content, row } = useRow(of, thing);
  const origins = loaded.value ?? [];
  const byLaunch = origins.map((o) => o.op ?? "").filter(Boolean);
  const ofRow = !byLaunch.length && !loaded.busy && content && row >= 0 ? kernelOps(content, row) : []; // XLA names ops without a span of theirs
  const ops = [...new Set([...byLaunch, ...ofRow])].slice(0, 3);
  const scopes = [...new Set(origins.map((o) => o.scope ?? "").filter(Boolean))].slice(0, 3);
  const launches = [...new Set(origins.map((o) => o.launch ?? "").filter(Boolean))];
  const trace = origins.find((o) => o.trace !== null)?.trace ?? null;
  const none = loaded.busy ? "…" : NOT_HELD || "not recorded";
  return (
    <Section name="Comes from">
      <dl>
        <Pair word="launch">{launches.length ? launches.map((l) => <div key={l}><ThingLink kind="op" id={l}>{l}</ThingLink></div>) : none}</Pair>
        <Pair word="op">{ops.length ? ops.map((o) => <div key={o}><ThingLink kind="op" id={o}>{o}</ThingLink></div>) : none}</Pair>
        <Pair word="scope">{scopes.length ? scopes.map((s) => <div key={s}><ScopeName path={s} /></div>) : none}</Pair>
        <Pair word="line"><LineOf of={of} where={isName("s.name", thing.id)} trace={trace} /></Pair>
      </dl>
    </Section>
  );
}

export function KernelPanel({ of, thing }: PanelProps) {
  const r = useRow(of, thing);
  const over = useOverDevices(of);
  const spans = `s.class IS NOT NULL AND ${isName("s.name", thing.id)}${placed(filters.value)}`;
  const [total, share, count] = [r.value("total"), r.value("share"), r.value("count")];
  const where = filterWords();
  const number = (name: string): string => formatMicros(r.value(name) ?? 0);
  const look = r.content && r.row >= 0 ? r.content.set.look?.(r.row) : "compute";
  const bytes = r.value("bytes");
  return (
    <>
      <Head
        look={look}
        kind={`kernel${where && ` · ${where}`}`}
        name={r.content && r.row >= 0 ? r.content.set.name(r.row) : thing.id.slice(0, 64)}
        full={thing.id}
        big={total === null ? (r.busy ? "…" : "–") : formatMicros(total)}
        says={total === null ? (r.busy ? "" : where ? "it did not run in the chosen time" : "no kernel of this name ran") : share === null ? "beside other work of the device: it has no share of device time" : <>{formatPercent(100 * share)} of device time{where && ` of ${where}`}</>}
      />
      <Section name="Numbers">
        <dl>
          <Pair word="total">{number("total")}{share !== null && `, ${formatPercent(100 * share)} of device time`}{over}</Pair>
          <Pair word="count">{formatCount(count ?? 0)}{of.facts.steps.length > 1 && count !== null && !where && `, ${(count / of.facts.steps.length).toPrecision(3)} a step`}</Pair>
          <Pair word="mean">{number("mean")} <span class="s">({number("min")} – {number("max")})</span></Pair>
          {bytes !== null && <Pair word="bytes">{formatBytes(bytes)}</Pair>}
        </dl>
      </Section>
      <Limit of={of} thing={thing} />
      <OverSteps of={of} look={look} sql={overSteps(spans)} />
      <ComesFrom of={of} thing={thing} />
      <Spans of={of} count={runsOf(count ?? 0, "span", true)} sql={longest(spans)} />
      <WhatIf of={of} thing={thing} />
      <FindingsOf of={of} names={[thing.id.replace(/^void /, "").replace(/[(<].*$/, "")]} />
      <PanelActions of={of} thing={thing} best="In table" also={[{ text: "In timeline", to: { place: "timeline", q: thing.id.slice(0, 60) } }]} />
    </>
  );
}


// SPDX-License-Identifier: Apache-2.0
// A profile at a glance: the time of a step and where it goes, its steps, what can be gained, the most expensive names.
import type { Table } from "../answers/api";
import { profilePath } from "../answers/api";
import { filterParams, jsonOnce, useTable } from "../answers/data";
import { BusyContext, quietBusy } from "../answers/busy";
import { worstOf } from "../limits/Headline";
import { overRanks, useLimits } from "../results/limits";
import { ThingLink } from "../parts/Thing";
import { useWindows } from "../details/useWindows";
import { coveredWords, useFindings } from "../results/findings";
import { formatBytes, formatMicros, formatPercent, formatStep } from "../text/format";
import type { Loaded } from "../answers/load";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import { Headline } from "../overview/Headline";
import type { IdleCause } from "../overview/PartsBar";
import { PartsBar } from "../overview/PartsBar";
import { RankBars } from "../overview/RankBars";
import { SlowestStep, StepBars } from "../overview/StepBars";
import { TopList } from "../overview/TopList";
import { WholeRun } from "../overview/WholeRun";
import { FindingHead, FindingRow } from "../parts/FindingRow";
import { filters, goTo, hrefOf } from "../state/store";
import { notesOf } from "../text/notes";
import { overDevices, useQuantities } from "../results/steps";
import { sum } from "../table/read";
import { TABLES } from "../table/tables";
import { pathOf } from "./Table";
import type { PlaceProps } from "./index";

interface WaitAnswer {
  step_parts?: { part: string; a_step_us: number }[];
}

/** The causes of idle time, biggest first. */
async function idleCauses(id: string): Promise<IdleCause[]> {
  const parts = (await jsonOnce<WaitAnswer>(profilePath(id, "views/wait?format=json"))).step_parts ?? [];
  return parts.filter((p) => p.part.startsWith("  ")).map((p) => ({ name: p.part.trim().replace(/^of it /, ""), us: p.a_step_us })).sort((a, b) => b.us - a.us);
}

function List({ by, column, title, t, a, per = "", over = "" }: { by: string; column: string; title: string; t: Table | undefined; a: number; per?: string; over?: string }) {
  const it = TABLES.find((x) => x.by === by);
  if (!t || !it) return null;
  const { set, columns, whole: counted, sort } = it.read(t, filters.value.ranks);
  const find = (name: string) => columns.find((c) => c.name === name);
  const main = find(column || sort.replace(/^-/, ""));
  if (!main) return null;
  const whole = counted ?? sum((row) => main.value(row), set.count);
  const amount = main.unit === "us" ? formatMicros(whole / a) : formatBytes(whole);
  return <TopList title={title} says={`of ${amount}${main.unit === "us" ? per : ""}${over}${by === "op" && column === "self" ? ", all threads" : ""}`} set={set} by={main} count={find("count")} share={counted === undefined ? (row) => (whole > 0 ? (main.value(row) ?? 0) / whole : null) : (row) => find("share")?.value(row) ?? null} a={a} notes={by === "op" ? [] : notesOf(t, by === "line" ? "attributed" : "")} />;
}

function useView(of: Opened, by: string, params: string, wanted: boolean): Loaded<Table | undefined> {
  const it = TABLES.find((x) => x.by === by);
  const path = it && wanted ? pathOf(of.id, it, params) : "";
  return useTable(path);
}

function Findings({ of }: { of: Opened }) {
  const loaded = useFindings(of);
  const covered = coveredWords(filters.value);
  if (!loaded.value || loaded.busy) return null;
  const found = loaded.value.filter((f) => !f.quality);
  const most = Math.max(0, ...found.map((f) => f.gain ?? 0));
  return (
    <>
      <h2>Findings <span class="s">by what can be gained in a step{covered && ` · ${covered}`}</span></h2>
      {found.length > 0 && (
        <div role="grid" aria-label="Findings" aria-rowcount={found.length + 1}>
          <FindingHead />
          {found.slice(0, 5).map((f) => <FindingRow key={f.id} f={f} most={most} of={of} />)}
        </div>
      )}
      {!found.length && <p class="s">No checker found anything.</p>}
      {found.length > 5 && <p class="s"><a class="lk" href={hrefOf({ place: "findings" })} onClick={(e) => (e.preventDefault(), goTo("findings"))}>{found.length - 5} more</a></p>}
    </>
  );
}

/** What a step could gain at the limits of its device; nothing waits for it. */
function LimitLine({ of }: { of: Opened }) {
  const limits = useLimits(of, "op").value;
  const worst = limits && worstOf(overRanks(limits.rows, filters.value.ranks));
  const { step_us: step, gain_us: gain, bound_us: bound } = limits?.summary ?? { step_us: null, gain_us: null, bound_us: null };
  if (!worst || !step || !bound || !gain || gain <= 0) return null;
  return (
    <p class="s says">
      <a class="lk" href={hrefOf({ place: "limits" })} onClick={(e) => (e.preventDefault(), goTo("limits"))}>limits</a>: at most {formatPercent((100 * gain) / step)} faster ({formatStep(bound)} a step); most is lost in <ThingLink kind="op" id={worst.name}>{worst.name}</ThingLink>
    </p>
  );
}

export function OverviewPlace({ of }: PlaceProps) {
  const { rows, all, q, of: what, known } = useQuantities(of);
  const times = of.facts.has?.times ?? false;
  const { range } = filters.value;
  const params = filterParams(filters.value, useWindows(of) ?? new Map());
  const kernels = useView(of, "kernel", params, times).value;
  const byOp = useView(of, "op", params, true);
  const ops = byOp.value;
  const lines = useView(of, "line", params, (of.facts.has?.stacks ?? false) || of.facts.nodes === 0).value;
  const causes = useLoaded(`idle ${of.id}`, () => (times ? idleCauses(of.id) : Promise.resolve([]))).value ?? [];
  const devices = [...new Set(rows.map((r) => r.device))];
  const a = q && !range ? q.steps * q.ranks : 1; // sums become those of a step, of a rank
  const means = q && !of.facts.has?.trace && !range ? q.ranks : a; // without a trace the times of ops are means over the steps
  const per = !q || range ? "" : q.ranks > 1 ? " a step and rank" : " a step";
  return (
    <div class="overview">
      <h1 class="away">Overview</h1>
      {q ? (
        <>
          <Headline of={of} q={q} what={what} devices={devices} ops={ops} />
          <BusyContext.Provider value={quietBusy}><LimitLine of={of} /></BusyContext.Provider>
          <h2>Where a step goes</h2>
          <PartsBar q={q} what={what} causes={what === "all" ? causes : []} />
          <RankBars rows={rows} />
          {q.steps > 1 && <><h2>Steps <SlowestStep rows={rows} /></h2><StepBars rows={rows} /></>}
        </>
      ) : (
        known && !byOp.busy && (all.length ? <p class="empty">Nothing ran in what the filters choose.</p> : <WholeRun of={of} ops={ops} />)
      )}
      {known && <Findings of={of} />}
      <div class="two">
        <List by="kernel" column="total" title="Device, by kernel" t={kernels} a={a} per={per} over={overDevices(rows, per.endsWith("rank"))} />
        <List by="op" column="self" title="Host, by op" t={ops} a={means} per={per} />
        <List by="line" column="" title="Lines" t={lines} a={1} />
        {!times && <List by="op" column="parameters" title="Parameters, by op" t={ops} a={1} />}
      </div>
    </div>
  );
}

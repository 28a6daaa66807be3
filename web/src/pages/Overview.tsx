// SPDX-License-Identifier: Apache-2.0
// A profile at a glance: its size, where time, memory and parameters go, what checkers found, and its steps.
import { useMemo } from "preact/hooks";
import type { Column, ProfileFacts, Table } from "../api";
import { isOfStacks, json, profilePath, table } from "../api";
import { formatBytes, formatCount, formatMicros, markBytes, markMicros } from "../format";
import { isReport } from "../held";
import type { Loaded } from "../load";
import { useLoaded } from "../load";
import type { Line } from "../parts/Chart";
import { Chart } from "../parts/Chart";
import type { Advised } from "../parts/Evidence";
import { FindingsOf } from "../parts/Evidence";
import { Status } from "../parts/Status";
import { StepBars, meanStep } from "../parts/StepBars";
import { TopTable } from "../parts/TopTable";
import type { Route } from "../route";
import { hashOf } from "../route";

/** The sum of a column over all rows. */
function sumOf(t: Table, name: string): number {
  const column = t.column(name);
  let sum = 0;
  if (column && column.type !== "text") for (const value of column.values) sum += value;
  return sum;
}

const numbersOf = (c: Column | undefined): number[] => Array.from(c?.values ?? []);

/** From the first start in a step to its last end: wall time. */
function wallTimes(t: Table): number[] {
  const [start, end] = [t.column("start_us"), t.column("end_us")];
  return Array.from({ length: t.rows }, (_, i) => Math.max(0, (end?.values[i] ?? 0) - (start?.values[i] ?? 0)));
}

const mean = (all: number[]): number => (all.length ? all.reduce((sum, n) => sum + n, 0) / all.length : 0);

function Steps({ t }: { t: Table }) {
  const lines = useMemo((): Line[] => {
    const time = { scale: "us", format: (us: number) => formatMicros(Math.round(us)), mark: markMicros };
    return [
      { ...time, label: "duration", colour: "#0072b2", values: wallTimes(t) },
      { ...time, label: "time of all operations", colour: "#009e73", dash: [2, 3], values: numbersOf(t.column("run_us")) },
      { label: "requested memory", colour: "#d55e00", dash: [6, 4], scale: "bytes", format: formatBytes, mark: markBytes, values: numbersOf(t.column("requested_bytes")) },
    ];
  }, [t]);
  const steps = useMemo(() => numbersOf(t.column("step")), [t]);
  const mark = (v: number): string => (Number.isInteger(v) ? String(v) : "");
  return <Chart height={200} label={`duration and memory of ${t.rows} steps`} x={{ label: "step", values: steps, format: String, mark }} lines={lines} />;
}

function Findings({ of, route }: { of: Advised; route: Route }) {
  const found = of.checkers.filter((c) => c.reports.length);
  if (!found.length) return <p class="empty">No checker found anything.</p>;
  return (
    <>
      {found.map((c) => (
        <details key={c.name} class="advice" open={found.length < 6}>
          <summary>{c.name} ({c.reports.length})</summary>
          <FindingsOf route={route} of={c} />
        </details>
      ))}
    </>
  );
}

/** The sides of a comparison within one profile. */
function firstAndLast(id: string, steps: number[]): URLSearchParams {
  return new URLSearchParams([steps[0], steps[steps.length - 1]].map((step) => ["side", `${id}@${step}`]));
}

/** The steps by number, or as a range. */
function stepsOf({ steps }: ProfileFacts): string {
  if (!steps.length) return "none";
  if (steps.length === 1) return `1 (step ${steps[0]})`;
  return `${steps.length} (${steps.length > 12 ? `${steps[0]} to ${steps[steps.length - 1]}` : steps.join(", ")})`;
}

/** For a trace a step lasts as long as its window, and operations are summed over all steps; otherwise both are means. */
function Facts({ facts, steps, ops, times }: { facts: ProfileFacts; steps: Table | undefined; ops: Table | undefined; times: Table | undefined }) {
  const ran = facts.steps.length > 0;
  const trace = facts.has?.trace ?? false;
  const whole = trace ? times && meanStep(times) : steps && mean(wallTimes(steps));
  const [about, all] = trace ? ["the mean of the steps, of all devices", "in all steps"] : ["from the first start to the last end, mean of the steps", "mean of the steps"];
  return (
    <dl class="facts">
      <div><dt>Nodes</dt><dd>{facts.nodes.toLocaleString()}</dd></div>
      <div><dt>Steps</dt><dd>{stepsOf(facts)}</dd></div>
      {ops && sumOf(ops, "params") > 0 && <div title="trainable ones, those of the optimizer and counters"><dt>Elements of variables</dt><dd>{formatCount(sumOf(ops, "params"))}</dd></div>}
      {whole !== undefined && ran && <div title={about}><dt>Duration of a step</dt><dd>{formatMicros(Math.round(whole))}</dd></div>}
      {ops && ran && <div title={`the sum over all operations, ${all}; operations that run side by side each count`}><dt>Time of all operations{trace && " in all steps"}</dt><dd>{formatMicros(sumOf(ops, "micros"))}</dd></div>}
      {facts.coverage.length > 0 && <div><dt>Nodes that ran</dt><dd>{facts.coverage.map((c) => `${(100 * c).toFixed(0)}%`).join(", ")}</dd></div>}
    </dl>
  );
}

/** What is to be known of the numbers; a column of zeros is not shown, so that its note would explain nothing. */
const notesOf = (t: Table): string[] => t.notes.filter((note) => !note.includes(" 0 everywhere"));

function Where({ t, ran }: { t: Table; ran: boolean }) {
  return (
    <div class="grid">
      {ran && <TopTable t={t} by="micros" whole={sumOf(t, "micros")} caption="Time by operation" most={10} />}
      {ran && <TopTable t={t} by="bytes" whole={sumOf(t, "bytes")} caption="Requested memory by operation" most={10} />}
      {sumOf(t, "params") > 0 && <TopTable t={t} by="params" whole={sumOf(t, "params")} caption="Elements of variables by operation" most={10} />}
    </div>
  );
}

/** Of sampled stacks: the lines, by what was sampled. */
function Lines({ t }: { t: Table }) {
  const own = ["self_us", "micros", "bytes", "runs"].find((name) => sumOf(t, name) > 0) ?? "";
  return <TopTable t={t} by={own} whole={sumOf(t, own)} caption="Samples by line" most={10} />;
}

function LeadsOfStacks({ id }: { id: string }) {
  return <p><a href={hashOf("calls", id)}>By caller</a>{" · "}<a href={hashOf("lines", id)}>by line</a>{" · "}<a href={hashOf("flame", id)}>as a flame graph</a></p>;
}

function Leads({ id, ran }: { id: string; ran: boolean }) {
  const scope = new URLSearchParams({ sort: ran ? "-total_micros" : "-total_params", select: ran ? "micros" : "params" });
  return (
    <p>
      <a href={hashOf("scope", id, scope)}>By scope</a>{" · "}
      <a href={hashOf("flame", id)}>as a flame graph</a>
      {!isReport && (
        <>
          {" · "}
          <a href={profilePath(id, "download/profile.pb.gz")} download>pprof file</a>{" · "}
          <a href={profilePath(id, "download/profile")} download>ProfileProto</a>
        </>
      )}
    </p>
  );
}

/** Wall time: the mean step of each device as one bar, and the steps one after the other. */
function StepTimes({ route, loaded }: { route: Route; loaded: Loaded<Table | null> }) {
  return (
    <>
      <h2>Where a step goes</h2>
      {loaded.value?.notes.map((note) => <p key={note} class="note">{note}</p>)}
      <Status of={loaded}>{(t) => t && <StepBars t={t} />}</Status>
      <p><a href={hashOf("steps", route.id)}>Steps in numbers</a>{" · "}<a href={hashOf("steps", route.id, new URLSearchParams({ critical_path: "true" }))}>critical path</a>{" · "}<a href={hashOf("wait", route.id)}>what waits</a></p>
    </>
  );
}

export function Overview({ route, facts }: { route: Route; facts: ProfileFacts }) {
  const base = profilePath(route.id);
  const advice = useLoaded(`advice ${route.id}`, (signal) => json<Advised>(`${base}/views/advise?format=json`, signal));
  const steps = useLoaded(`steps ${route.id}`, (signal) => table(`${base}/steps?format=columns`, signal));
  const stacks = isOfStacks(facts);
  const rows = stacks ? "lines?" : "op?select=micros,bytes,params&max_depth=100000&";
  const ops = useLoaded(`ops ${route.id}`, (signal) => table(`${base}/views/${rows}format=columns`, signal));
  const times = useLoaded(`times ${route.id}`, async (signal) => (facts.has?.times ? table(`${base}/views/steps?format=columns`, signal) : null));
  const ran = facts.steps.length > 0;
  return (
    <section class="old">
      <h1>Overview</h1>
      {!stacks && <Facts facts={facts} steps={steps.value} ops={ops.value} times={times.value ?? undefined} />}
      {facts.warnings.map((w) => <p key={w} class="note">{w}</p>)}
      {facts.has?.times && <StepTimes route={route} loaded={times} />}
      <h2>Where it goes</h2>
      {ops.value && notesOf(ops.value).map((note) => <p key={note} class="note">{note}</p>)}
      <Status of={ops}>{(t) => (stacks ? <Lines t={t} /> : <Where t={t} ran={ran} />)}</Status>
      {stacks ? <LeadsOfStacks id={route.id} /> : <Leads id={route.id} ran={ran} />}
      <h2>Advice</h2>
      <Status of={advice}>{(a) => <Findings of={a} route={route} />}</Status>
      {facts.steps.length > 1 && (
        <>
          <h2>Steps</h2>
          {!facts.has?.trace && <Status of={steps}>{(t) => <Steps t={t} />}</Status>}
          {!isReport && (
            <p>
              <a href={hashOf("compare", "", firstAndLast(route.id, facts.steps))}>Compare the first step with the last</a>{" · "}
              <a href={hashOf("stats", route.id)}>how much operations vary</a>
            </p>
          )}
        </>
      )}
    </section>
  );
}

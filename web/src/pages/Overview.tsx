// What a profile is about: what could be better, its steps, and where time, memory and parameters go.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ProfileFacts, Table } from "../api";
import { json, table } from "../api";
import { formatBytes, formatCount, formatMicros } from "../format";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { Status } from "../parts/Status";
import { TopTable } from "../parts/TopTable";
import type { Route } from "../route";
import { hashOf } from "../route";

interface Advice {
  checkers: { name: string; reports: string[] }[];
}

/** Sum over all rows of what is their own. */
function sumOf(t: Table, name: string): number {
  const column = t.column(name);
  let sum = 0;
  if (column && column.type !== "text") for (const value of column.values) sum += value;
  return sum;
}

const fromZero = { range: (_: uPlot, __: number, most: number): [number, number] => [0, most > 0 ? most * 1.05 : 1] };

function Steps({ t }: { t: Table }) {
  const box = useRef<HTMLDivElement>(null);
  const step = t.column("step");
  const micros = t.column("run_us");
  const bytes = t.column("requested_bytes");
  useEffect(() => {
    const here = box.current;
    if (!here || !step || !micros || !bytes) return undefined;
    const style = getComputedStyle(here);
    const axis = { stroke: style.color, grid: { stroke: style.borderTopColor, width: 0.5 } };
    const plot = new uPlot(
      {
        width: here.clientWidth,
        height: 200,
        scales: { x: { time: false }, us: fromZero, bytes: fromZero },
        series: [
          { label: "step" },
          { label: "time of all operations", scale: "us", stroke: "#0072b2", width: 2, value: (_, v) => (v === null ? "" : formatMicros(v)) },
          { label: "requested memory", scale: "bytes", stroke: "#d55e00", width: 2, dash: [6, 4], value: (_, v) => (v === null ? "" : formatBytes(v)) },
        ],
        axes: [
          { ...axis, values: (_, ticks) => ticks.map((v) => (Number.isInteger(v) ? String(v) : "")) },
          { ...axis, scale: "us", size: 70, values: (_, ticks) => ticks.map((v) => formatMicros(v)) },
          { ...axis, scale: "bytes", side: 1, size: 80, grid: { show: false }, values: (_, ticks) => ticks.map((v) => formatBytes(v)) },
        ],
      },
      [Array.from(step.values), Array.from(micros.values), Array.from(bytes.values)],
      here,
    );
    const watch = new ResizeObserver(([entry]) => entry && plot.setSize({ width: entry.contentRect.width, height: 200 }));
    watch.observe(here);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [t]);
  return <div ref={box} class="chart" role="img" aria-label={`time and memory of ${t.rows} steps`} />;
}

function Findings({ of }: { of: Advice }) {
  const found = of.checkers.filter((c) => c.reports.length);
  if (!found.length) return <p class="empty">No checker has anything to say.</p>;
  return (
    <>
      {found.map((c) => (
        <details key={c.name} class="advice" open={found.length < 3}>
          <summary>{c.name} ({c.reports.length})</summary>
          {c.reports.map((f, i) => <pre key={i}>{f}</pre>)}
        </details>
      ))}
    </>
  );
}

/** The sides of a comparison within one profile. */
function firstAndLast(id: string, steps: number[]): URLSearchParams {
  return new URLSearchParams([steps[0], steps[steps.length - 1]].map((step) => ["side", `${id}@${step}`]));
}

export function Overview({ route, facts }: { route: Route; facts: ProfileFacts }) {
  const base = `/api/v1/profiles/${route.id}`;
  const advice = useLoaded(`advice ${route.id}`, (signal) => json<Advice>(`${base}/views/advise?format=json`, signal));
  const steps = useLoaded(`steps ${route.id}`, (signal) => table(`${base}/steps?format=columns`, signal));
  const ops = useLoaded(`ops ${route.id}`, (signal) => table(`${base}/views/op?select=micros,bytes,params&max_depth=100000&format=columns`, signal));
  const ran = facts.steps.length > 0;
  return (
    <main>
      <h1>Overview</h1>
      <dl class="facts">
        <div><dt>Nodes</dt><dd>{facts.nodes.toLocaleString()}</dd></div>
        <div><dt>Steps</dt><dd>{ran ? (facts.steps.length > 12 ? `${facts.steps.length}: ${facts.steps[0]} to ${facts.steps[facts.steps.length - 1]}` : facts.steps.join(", ")) : "none"}</dd></div>
        {ops.value && <div title="trainable ones, those of the optimizer and counters"><dt>Elements of variables</dt><dd>{formatCount(sumOf(ops.value, "params"))}</dd></div>}
        {ops.value && ran && <div><dt>Time, mean of the steps</dt><dd>{formatMicros(sumOf(ops.value, "micros"))}</dd></div>}
        {facts.coverage.length > 0 && <div><dt>Nodes that ran</dt><dd>{facts.coverage.map((c) => `${(100 * c).toFixed(0)}%`).join(", ")}</dd></div>}
      </dl>
      {facts.warnings.map((w) => <p key={w} class="note">{w}</p>)}
      <h2>Advice</h2>
      <Status of={advice}>{(a) => <Findings of={a} />}</Status>
      {facts.steps.length > 1 && (
        <>
          <h2>Steps</h2>
          <Status of={steps}>{(t) => <Steps t={t} />}</Status>
          {!isReport && (
            <p>
              <a href={hashOf("compare", "", firstAndLast(route.id, facts.steps))}>Compare the first step with the last</a>{" · "}
              <a href={hashOf("stats", route.id)}>how much operations vary</a>
            </p>
          )}
        </>
      )}
      <h2>Where it goes</h2>
      <Status of={ops}>
        {(t) => (
          <div class="grid">
            {ran && <TopTable t={t} by="micros" whole={sumOf(t, "micros")} caption="Time by operation" most={10} />}
            {ran && <TopTable t={t} by="bytes" whole={sumOf(t, "bytes")} caption="Requested memory by operation" most={10} />}
            <TopTable t={t} by="params" whole={sumOf(t, "params")} caption="Elements of variables by operation" most={10} />
          </div>
        )}
      </Status>
      <p>
        <a href={hashOf("scope", route.id, new URLSearchParams({ sort: ran ? "-total_micros" : "-total_params", select: ran ? "micros" : "params" }))}>By scope</a>{" · "}
        <a href={hashOf("flame", route.id)}>as a flame graph</a>
        {!isReport && (
          <>
            {" · "}
            <a href={`${base}/download/profile.pb.gz`} download>pprof file</a>{" · "}
            <a href={`${base}/download/profile`} download>ProfileProto</a>
          </>
        )}
      </p>
    </main>
  );
}

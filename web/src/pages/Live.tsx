// SPDX-License-Identifier: Apache-2.0
// Running jobs: a table that refreshes, details of one job on a click, and recordings of the selected jobs.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { formatBytes, formatCount, formatShare } from "../text/format";
import type { Job } from "../live/live";
import { liveJobs, liveState, preparedness, useTick } from "../live/live";
import { useLoaded } from "../answers/load";
import { LiveJob } from "../live/LiveJob";
import { Record, Recordings } from "../live/Recordings";
import { Spark } from "../parts/Spark";
import { Status } from "../parts/Status";
import type { History } from "../live/useHistory";
import { useHistory } from "../live/useHistory";
import type { Route } from "../state/route";
import { hashOf } from "../state/route";

const REFRESH_MS = 2000;

function age(micros: number): string {
  const s = Math.floor(micros / 1e6);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  return s < 86400 ? `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min` : `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

/** A cell; the title of an empty one is the reason. */
function Cell({ of, column, text, children }: { of: Job; column: string; text: string | null; children?: ComponentChildren }) {
  const why = of.why?.split("; ").find((w) => w.startsWith(`${column}: `))?.slice(column.length + 2);
  return text === null ? <td class="number absent" data-hint={why}>–</td> : <td class="number">{children}{text}</td>;
}

interface RowProps {
  of: Job;
  went: History | undefined;
  shown: boolean;
  chosen: boolean;
  onChoose: () => void;
  onRecord: () => void;
}

function Row({ of, went, shown, chosen, onChoose, onRecord }: RowProps) {
  const memory = of.rss_bytes === null ? null : formatBytes(of.rss_bytes);
  const gpu = of.gpus === null ? null : `${of.gpus}${of.gpu === null ? "" : `: ${formatShare(of.gpu, 1)}`}`;
  return (
    <tr class={shown ? "shown" : undefined} data-kind="job" data-id={of.job}>
      <td class="choose"><input type="checkbox" aria-label={`choose ${of.pid}`} checked={chosen} onChange={onChoose} /></td>
      <td class="number"><a href={hashOf("live", "", new URLSearchParams({ job: of.job }))}>{of.pid}</a></td>
      <td>{of.framework ?? "–"} {of.version}</td>
      <td>{of.state}{of.processes > 1 && <span class="soft"> {of.processes} processes</span>}</td>
      <td class="number" data-hint={of.steps_are ?? of.why ?? ""}>{went && <Spark of={went.rate} name="Steps a second" />}{of.steps_per_second === null ? "–" : formatCount(Number(of.steps_per_second.toPrecision(4)))}</td>
      <Cell of={of} column="cpu" text={of.cpu === null ? null : of.cpu.toFixed(2)}>{went && <Spark of={went.cpu} name="CPU" />}</Cell>
      <Cell of={of} column="rss_bytes" text={memory}>{went && <Spark of={went.memory} name="Memory" />}</Cell>
      <Cell of={of} column="gpus" text={gpu} />
      <td class="number less">{age(of.age_micros)}</td>
      <td>{preparedness(of.capture)} <button type="button" onClick={onRecord} aria-label={`Record ${of.pid}`}>Record…</button></td>
      <td class="command" data-hint={of.command ?? ""}>{of.command ?? "–"}</td>
    </tr>
  );
}

const HEADS = [["PID", true], ["Framework", false], ["State", false], ["Steps/s", true], ["CPU", true], ["Memory", true], ["GPU", true], ["Age", true], ["Recording", false], ["Command", false]] as const;

interface TableProps {
  jobs: Job[];
  shown: string;
  chosen: string[];
  onChoose: (job: string) => void;
  onRecord: (job: string) => void;
}

/** Jobs keep the places in which they were first seen; new ones are added at the end. */
function useStableOrder(jobs: Job[]): Job[] {
  const seen = useRef(new Map<string, number>());
  for (const j of jobs) if (!seen.current.has(j.job)) seen.current.set(j.job, seen.current.size);
  return [...jobs].sort((a, b) => (seen.current.get(a.job) ?? 0) - (seen.current.get(b.job) ?? 0));
}

function JobTable({ jobs, shown, chosen, onChoose, onRecord }: TableProps) {
  const ordered = useStableOrder(jobs);
  const history = useHistory(jobs);
  const none = !jobs.length && <p class="empty">No process of this machine that may be seen has loaded JAX, TensorFlow, torch or CUDA. The list refreshes by itself.</p>;
  return (
    <div class="sideways" role="region" aria-label="running jobs" tabIndex={0}>{none}<table class="list jobs" aria-label="Jobs">
      <thead>
        <tr>
          <td class="choose" />
          {HEADS.map(([name, number]) => <th key={name} scope="col" class={`${number ? "number" : ""} ${name === "Age" ? "less" : ""}`}>{name}</th>)}
        </tr>
      </thead>
      <tbody>
        {ordered.map((j) => <Row key={j.job} of={j} went={history.get(j.job)} shown={j.job === shown} chosen={chosen.includes(j.job)} onChoose={() => onChoose(j.job)} onRecord={() => onRecord(j.job)} />)}
      </tbody>
    </table></div>
  );
}

export function Live({ route }: { route: Route }) {
  const tick = useTick(REFRESH_MS);
  const jobs = useLoaded(`jobs ${tick}`, (signal) => liveJobs(signal));
  const [asked, setAsked] = useState(0);
  const [began, setBegan] = useState<number>();
  const state = useLoaded(`live ${tick} ${asked}`, (signal) => liveState(signal));
  const [marked, setMarked] = useState<string[]>([]);
  const there = jobs.value?.rows ?? [];
  const chosen = marked.filter((m) => there.some((j) => j.job === m));
  const choose = (job: string): void => setMarked(chosen.includes(job) ? chosen.filter((c) => c !== job) : [...chosen, job]);
  const shown = route.params.get("job") ?? "";
  const form = useRef<HTMLDivElement>(null);
  const record = (job: string): void => {
    setMarked([job]);
    form.current?.scrollIntoView();
    form.current?.querySelector<HTMLElement>("input,select,button")?.focus();
  };
  return (
    <section class="old">
      <h1 class="away">Jobs</h1>
      <Status of={jobs} calm>{(all) => <JobTable jobs={all.rows} shown={shown} chosen={chosen} onChoose={choose} onRecord={record} />}</Status>
      <p class="s">A job that was started with <code>tfprof run COMMAND</code> can be recorded with nothing else changed in it.</p>
      <div ref={form}>{state.value && <Record state={state.value} jobs={there.filter((j) => chosen.includes(j.job))} onAsked={(recording) => { setBegan(recording); setAsked(asked + 1); }} />}</div>
      {shown && <LiveJob key={shown} id={shown} of={there.find((j) => j.job === shown)} gone={jobs.value !== undefined} stacks={state.value?.commands ?? true} />}
      {state.value && <Recordings of={state.value} began={began} />}
    </section>
  );
}

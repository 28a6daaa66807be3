// SPDX-License-Identifier: Apache-2.0
// Recordings of running jobs: the form that starts one, and the finished ones with their profiles.
import { useEffect, useState } from "preact/hooks";
import type { ProfileEntry } from "../answers/api";
import { profiles } from "../answers/api";
import { formatBytes, formatDate, formatMicros } from "../text/format";
import type { Job, LiveState, Recorded, Recording } from "./live";
import { record } from "./live";
import { useLoaded } from "../answers/load";
import { useListVersion } from "../shell/useList";
import { hashOf } from "../state/route";

const WINDOWS = [100, 200, 500, 1000, 2000, 5000];

function Check({ label, on, onChange }: { label: string; on: boolean; onChange: (on: boolean) => void }) {
  return <label><input type="checkbox" checked={on} onChange={(e) => onChange(e.currentTarget.checked)} /> {label}</label>;
}

/** The effect that a recording would have on the selected jobs. */
function outlook(jobs: Job[], attach: boolean): string {
  const unprepared = jobs.filter((j) => j.capture === "attach").length;
  if (!jobs.length) return "Choose jobs above.";
  if (!unprepared) return "";
  return attach
    ? `${unprepared} not prepared: an agent is started in each and leaves afterwards; the framework may hold the job while it writes (its row will say how long).`
    : `${unprepared} not prepared: refused, and nothing happens to ${unprepared === 1 ? "it" : "them"}.`;
}

export function Record({ state, jobs, onAsked }: { state: LiveState; jobs: Job[]; onAsked: (recording?: number) => void }) {
  const [ms, setMs] = useState(500);
  const [attach, setAttach] = useState(false);
  const [align, setAlign] = useState(false);
  const [stacks, setStacks] = useState(false);
  const [fault, setFault] = useState("");
  const running = state.recordings.some((r) => r.state === "running");
  const begin = async (): Promise<void> => {
    setFault("");
    try {
      onAsked(await record(state.token, jobs.map((j) => j.job), { ms, attach, align, stacks }));
    } catch (why) {
      setFault(why instanceof Error ? why.message : String(why));
      onAsked();
    }
  };
  return (
    <section>
      <p class="tools">
        <label>Record{" "}
          <select value={String(ms)} onChange={(e) => setMs(Number(e.currentTarget.value))}>
            {WINDOWS.map((w) => <option key={w} value={String(w)}>{w} ms</option>)}
          </select>
        </label>
        <Check label="Python stacks" on={stacks} onChange={setStacks} />
        <Check label="attach to jobs that are not prepared" on={attach} onChange={setAttach} />
        <Check label="begin together" on={align} onChange={setAlign} />
        <button type="button" disabled={running || !jobs.length} onClick={() => void begin()}>{running ? "Recording…" : `Record ${jobs.length === 1 ? "this job" : `${jobs.length} jobs`}`}</button>
        <span class="soft" role="status">{outlook(jobs, attach)}</span>
      </p>
      {fault && <div class="fault" role="alert">{fault}</div>}
    </section>
  );
}

/** The profile of a recording; its files are in one folder per job. */
function profileOf(list: ProfileEntry[], folder: string, r: Recording, row: Recorded): ProfileEntry | undefined {
  const job = row.file?.split("/")[0];
  const inJob = list.filter((p) => p.folder === folder && p.name.startsWith(`${r.folder}/${job}/`));
  return inJob.find((p) => p.name === `${r.folder}/${row.file}`) ?? inJob[0];
}

function Result({ row, to }: { row: Recorded; to: ProfileEntry | undefined }) {
  return (
    <tr>
      <td class="number">{row.pid}</td>
      <td>{row.framework}</td>
      <td>{row.via}</td>
      <td class={row.status === "ok" ? undefined : "failed"}>{row.status}{row.code && ` (${row.code})`}</td>
      <td class="number">{row.window_micros !== null && formatMicros(row.window_micros)}</td>
      <td class="number">{row.bytes !== null && formatBytes(row.bytes)}</td>
      <td>{to ? <a href={hashOf("overview", to.id)}>Open {to.name}</a> : row.message ?? (row.file && "its profile comes in a moment")}</td>
    </tr>
  );
}

function One({ of, folder, list }: { of: Recording; folder: string; list: ProfileEntry[] }) {
  const caption = `${of.folder}: ${of.jobs.length} ${of.jobs.length === 1 ? "job" : "jobs"}, ${formatDate(of.began)}`;
  if (of.state !== "done" || !of.table) return <p class={of.state === "failed" ? "fault" : "soft"} role="status">{caption}: {of.error ?? "recording…"}</p>;
  return (
    <div class="sideways" role="region" aria-label={`recording ${of.folder}`} tabIndex={0}><table class="list">
      <caption>{caption}</caption>
      <thead>
        <tr>{["PID", "Framework", "By", "Status", "Time", "Size", "Profile"].map((h) => <th key={h} scope="col" class={["PID", "Time", "Size"].includes(h) ? "number" : undefined}>{h}</th>)}</tr>
      </thead>
      <tbody>{of.table.rows.map((row) => <Result key={row.pid} row={row} to={row.file ? profileOf(list, folder, of, row) : undefined} />)}</tbody>
    </table></div>
  );
}

/** The profile of a recording that gave only one, once the server has found it; for a recording of several jobs the reader chooses from a
 * table. */
export function onlyProfile(of: LiveState, recording: number | undefined, list: ProfileEntry[]): ProfileEntry | undefined {
  const r = of.recordings.find((one) => one.recording === recording && one.state === "done");
  const written = r?.table?.rows.filter((row) => row.file) ?? [];
  return r && written.length === 1 && written[0] ? profileOf(list, of.folder, r, written[0]) : undefined;
}

/** began: the recording that this page started; its profile opens by itself. */
export function Recordings({ of, began }: { of: LiveState; began: number | undefined }) {
  const version = useListVersion();
  const list = useLoaded(`recorded ${version}`, (signal) => profiles(signal));
  const opens = onlyProfile(of, began, list.value?.profiles ?? []);
  useEffect(() => {
    if (opens) location.hash = hashOf("overview", opens.id);
  }, [opens?.id]);
  if (!of.recordings.length) return null;
  return (
    <section>
      <h2>Recordings</h2>
      {of.recordings.map((r) => <One key={r.recording} of={r} folder={of.folder} list={list.value?.profiles ?? []} />)}
      <p class="soft">They lie in <code>{of.folder}</code> and stay there.</p>
    </section>
  );
}

// SPDX-License-Identifier: Apache-2.0
// A store of `tfprof watch`: the findings of a job on a line of time, the steps of its ranks as bands, and the list of all findings.
import { useEffect, useMemo, useState } from "preact/hooks";
import { json, table } from "../answers/api";
import { useLoaded } from "../answers/load";
import { Grid } from "../grid/Grid";
import type { Column, RowSet } from "../grid/model";
import { Status } from "../parts/Status";
import { change, sel, select, state } from "../state/store";
import { col, numbers, textCol, texts } from "../table/read";
import { formatMicros, formatShare } from "../text/format";
import { Bands, Legend } from "../watch/Bands";
import type { Finding } from "../watch/model";
import { findingsOf, pictureOf, saysOf } from "../watch/model";

const AGAIN_MS = 10_000; // a store that is being written is asked again

/** Grows every ten seconds while the page can be seen. */
function useAgain(): number {
  const [turn, set] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || set((n) => n + 1), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  return turn;
}

const whenOf = (at: number): string => (Number.isFinite(at) ? new Date(at).toISOString().slice(0, 19).replace("T", " ") : "");

function gridOf(list: Finding[]): { set: RowSet; columns: Column[] } {
  const at = (row: number): Finding => list[row] as Finding;
  return {
    set: { count: list.length, thing: (row) => ({ kind: "finding", id: at(row).id }), name: (row) => saysOf(at(row)), full: (row) => saysOf(at(row)) },
    columns: [
      textCol("found", "found (UTC)", (row) => whenOf(at(row).found), { width: 130 }),
      textCol("job", "job", (row) => at(row).job, { width: 120 }),
      col("lateness_us", "extra a step", "us", (row) => at(row).lateness, { width: 88 }),
      col("gain", "gain", "share", (row) => at(row).gain, { width: 60, help: "share of today's step time that would be saved" }),
      col("certainty", "certainty", "share", (row) => at(row).certainty, { width: 72, help: "share of the extra time that the cause explains" }),
      textCol("ended", "ended (UTC)", (row) => { const { ended } = at(row); return ended === null ? "lasts" : whenOf(ended); }, { width: 130 }),
    ],
  };
}

/** Opens the last seconds before a finding as a profile. */
function RingButton({ ring }: { ring: string }) {
  const [fault, setFault] = useState("");
  const open = (): void => {
    json<{ id: string }>(`/api/v1/watch/rings/${encodeURIComponent(ring.replace(/^.*\//, ""))}/profile`).then(
      ({ id }) => change({ place: "timeline", profile: id, sel: null, more: { job: "", from: "", to: "" } }, "push"),
      (e: unknown) => setFault(e instanceof Error ? e.message : String(e)),
    );
  };
  return <>{" "}<button type="button" onClick={open}>Open its last seconds</button>{fault && <span class="fault" role="alert">{fault}</span>}</>;
}

function Chosen({ f }: { f: Finding }) {
  return (
    <section class="watch-chosen" aria-label="Finding">
      <h2>{saysOf(f)}</h2>
      <p class="sentence">{f.evidence}</p>
      <p class="sentence s">
        Since {whenOf(f.since)}{f.step !== null && `, step ${f.step}`}{f.lateness !== null && `; ${formatMicros(f.lateness)} more a step`}{f.gain !== null && `, ${formatShare(f.gain, 1)} of its time`}
        {f.waiting && `; ranks ${f.waiting.replaceAll("|", ", ")} wait`}{f.chance !== null && `; by chance ${f.chance.toExponential(1)}`}.
        {f.line && <> Line <code>{f.line}</code>.</>}
        {f.ring && <RingButton key={f.ring} ring={f.ring} />}
      </p>
    </section>
  );
}

function Timeline({ job, list, turn }: { job: string; list: Finding[]; turn: number }) {
  const { from = "", to = "" } = state.value.more;
  const asked = new URLSearchParams({ job, count: "240", format: "columns", ...(from && to ? { from, to } : {}) });
  const found = useLoaded(`bands ${asked} ${from ? 0 : turn}`, (signal) => table(`/api/v1/watch/bands?${asked}`, signal));
  const picture = useMemo(() => found.value && pictureOf(found.value), [found.value]);
  return (
    <Status of={found} calm>
      {() => picture && (picture.bands.length ? (
        <>
          <Bands of={picture} list={list} onZoom={(r) => change({ more: { from: String(Math.round(1000 * r.from)), to: String(Math.round(1000 * r.to)) } })} />
          <Legend high={picture.high} />
        </>
      ) : <p class="empty">No step was seen{from ? " in this time" : " yet"}.</p>)}
    </Status>
  );
}

export function Watch() {
  const turn = useAgain();
  const { more, sort } = state.value;
  const findings = useLoaded(`watch findings ${turn}`, (signal) => table("/api/v1/watch/findings?format=columns", signal));
  const jobs = useLoaded(`watch jobs ${turn}`, (signal) => table("/api/v1/watch/jobs?format=columns", signal));
  const list = useMemo(() => (findings.value ? findingsOf(findings.value).sort((a, b) => b.found - a.found) : []), [findings.value]);
  const names = useMemo(() => (jobs.value ? jobNames(jobs.value) : []), [jobs.value]);
  const { set, columns } = useMemo(() => gridOf(list), [list]);
  const chosen = list.find((f) => sel.value?.kind === "finding" && f.id === sel.value.id);
  const job = more["job"] ?? chosen?.job ?? list[0]?.job ?? names[0] ?? "";
  return (
    <>
      <div class="bar-line">
        <h1 class="place-title">Watch</h1>
        <label class="option">job <select value={job} onChange={(e) => change({ more: { job: e.currentTarget.value, from: "", to: "" } })}>{[...new Set([job, ...names])].filter(Boolean).map((n) => <option key={n} value={n}>{n}</option>)}</select></label>
        {more["from"] && <button type="button" onClick={() => change({ more: { from: "", to: "" } })}>Whole time</button>}
        <span class="s">{more["from"] ? "" : "Drag over a part of the time to see it closer."}</span>
      </div>
      <Status of={jobs} calm>{() => (job ? <Timeline key={job} job={job} list={list.filter((f) => f.job === job)} turn={turn} /> : <p class="empty">No job was seen yet.</p>)}</Status>
      {chosen && <Chosen f={chosen} />}
      <Status of={findings} calm>
        {() => (list.length ? (
          <>
            <h2>Findings</h2>
            <Grid label="Findings" set={set} columns={columns} sort={sort || "-found"} onSort={(to) => change({ sort: to })} onPick={(thing) => select(thing)} nameTitle="finding" nameLeast={300} whole />
          </>
        ) : <p class="empty">Nothing was found: no rank is late or hangs, no job became slower.</p>)}
      </Status>
    </>
  );
}

/** The newest job first. */
function jobNames(t: Awaited<ReturnType<typeof table>>): string[] {
  const [job, started, steps] = [texts(t, "job"), texts(t, "started"), numbers(t, "steps")];
  const rows = Array.from({ length: t.rows }, (_, i) => i).sort((a, b) => Number(Boolean(steps(b))) - Number(Boolean(steps(a))) || (started(a) < started(b) ? 1 : -1));
  return [...new Set(rows.map(job))];
}

// SPDX-License-Identifier: Apache-2.0
// The runs of an index (tfprof index): the server filters and sorts them, and gives some at a time. A click opens the trace of one.
import { useEffect, useMemo, useState } from "preact/hooks";
import { json } from "../answers/api";
import { formatCount } from "../text/format";
import { Grid } from "../grid/Grid";
import type { Column, RowSet } from "../grid/model";
import { useLoaded } from "../answers/load";
import { Status } from "../parts/Status";
import { change, hrefOf, state } from "../state/store";
import { col, textCol } from "../table/read";

type Cell = string | number | boolean | null;
type Run = Record<string, Cell>;

interface RunPage {
  total: number; // number of runs in the index
  found: number; // number of runs that match the filter
  runs: { rows: Run[] };
}

const AT_ONCE = 200;

const runsPath = (filter: string, order: string, from: number): string => `/api/v1/runs?${new URLSearchParams({ filter, order, from: String(from), count: String(AT_ONCE) })}`;
const profileOf = (run: string): Promise<{ id: string }> => json<{ id: string }>(`/api/v1/runs/${encodeURIComponent(run)}/profile`);

function gridOf(rows: Run[]): { set: RowSet; columns: Column[] } {
  const at = (row: number): Run => rows[row] as Run;
  const text = (name: string) => (row: number): string => String(at(row)[name] ?? "");
  const number = (name: string) => (row: number): number | null => (typeof at(row)[name] === "number" ? (at(row)[name] as number) : null);
  const words = (name: string, title: string, width: number): Column => textCol(name, title, text(name), { width });
  return {
    set: { count: rows.length, ordered: true, thing: (row) => ({ kind: "profile", id: text("run")(row) }), name: text("path"), full: text("path"), href: (row) => hrefOf({ more: { run: text("run")(row) } }) },
    columns: [
      words("job", "job", 150),
      words("date", "day", 84),
      words("host", "host", 100),
      col("rank", "rank", "count", number("rank"), { width: 52 }),
      textCol("started", "started (UTC)", (row) => text("started")(row).replace("T", " ").replace("Z", ""), { width: 130 }),
      col("duration_us", "length", "us", number("duration_us"), { width: 80 }),
      col("steps", "steps", "count", number("steps"), { width: 52 }),
      col("devices", "devices", "count", number("devices"), { width: 60 }),
      words("device_model", "device", 110),
      words("framework", "framework", 84),
      col("spans", "events", "count", number("spans")),
      col("bytes", "size", "bytes", number("bytes")),
      textCol("truncated", "", (row) => (at(row)["truncated"] ? "cut short" : ""), { width: 70 }),
    ],
  };
}

function Pages({ page, from }: { page: RunPage; from: number }) {
  const go = (to: number): void => change({ more: { from: to > 0 ? String(to) : "" } });
  const last = from + page.runs.rows.length;
  return (
    <span role="group" aria-label="Pages">
      <button type="button" disabled={from === 0} onClick={() => go(from - AT_ONCE)}>Previous</button>{" "}
      <span class="s" role="status">{page.found ? `${formatCount(from + 1)} to ${formatCount(last)} of ${formatCount(page.found)}` : "none"}{page.found < page.total ? `; ${formatCount(page.total)} runs in all` : ""}</span>{" "}
      <button type="button" disabled={last >= page.found} onClick={() => go(from + AT_ONCE)}>Next</button>
    </span>
  );
}

/** A word is sent only when it is complete, because each answer reads the index. */
function Filter({ q }: { q: string }) {
  const [text, set] = useState(q);
  return (
    <input
      type="search"
      aria-label="Filter runs"
      placeholder="job=llm rank<8 node17, then Enter"
      data-hint="Words that a run must have: NAME=VALUE, NAME<VALUE, NAME>VALUE with a column of the index, or a part of its path, job, host ..."
      size={36}
      value={text}
      onInput={(e) => set(e.currentTarget.value)}
      onChange={(e) => change({ q: e.currentTarget.value, more: { from: "" } })}
    />
  );
}

export function RunsPlace() {
  const { sort, q, more } = state.value;
  const [fault, setFault] = useState("");
  const order = sort || "-started";
  const asked = order.replace(/^(-?)name$/, "$1path"); // the grid's first column
  const from = Math.max(0, Math.floor(Number(more["from"] ?? 0)) || 0);
  const found = useLoaded(`runs ${q} ${asked} ${from}`, (signal) => json<RunPage>(runsPath(q, asked, from), signal));
  const openRun = (run: string, how: "push" | "replace"): void => {
    setFault("");
    profileOf(run).then(
      ({ id }) => change({ place: "overview", profile: id, q: "", sort: "", more: { run: "", from: "" } }, how),
      (e: unknown) => setFault(e instanceof Error ? e.message : String(e)),
    );
  };
  const { run } = more; // removed, so that Back does not return to the row's link
  useEffect(() => {
    if (run) openRun(run, "replace");
  }, [run]);
  return (
    <div class="fillplace">
      <div class="bar-line">
        <h1 class="place-title">Runs</h1>
        {found.value && <Pages page={found.value} from={from} />}
        <span class="fill" />
        <Filter key={q} q={q} />
      </div>
      {fault && <p class="fault" role="alert">{fault}</p>}
      <Status of={found} calm>{(page) => <List page={page} order={order} onOpen={(of) => openRun(of, "push")} />}</Status>
    </div>
  );
}

function List({ page, order, onOpen }: { page: RunPage; order: string; onOpen: (run: string) => void }) {
  const { rows } = page.runs;
  const { set, columns } = useMemo(() => gridOf(rows), [rows]);
  if (!rows.length) return <p class="empty">No run fits. A filter is words: <code>job=llm-70b</code>, <code>rank&lt;8</code>, <code>duration_us&gt;1000000</code>, or what a path, job or host has in it.</p>;
  return <Grid label="Runs" set={set} columns={columns} sort={order} onSort={(to) => change({ sort: to, more: { from: "" } })} onPick={(thing) => onOpen(thing.id)} nameTitle="trace" nameLeast={260} />;
}

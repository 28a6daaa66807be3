// SPDX-License-Identifier: Apache-2.0
// The profiles that the server found, the newest first; new and changed files appear without a reload. Two ticks compare.
import { useMemo, useState } from "preact/hooks";
import type { ProfileEntry } from "../answers/api";
import { profiles } from "../answers/api";
import { formatCount } from "../text/format";
import { formatWords } from "../text/formats";
import { Grid } from "../grid/Grid";
import type { Column, RowSet } from "../grid/model";
import { isReport } from "../answers/embedded";
import { useLoaded } from "../answers/load";
import { nameOf } from "../state/opened";
import { LeftOut } from "../parts/LeftOut";
import { Status } from "../parts/Status";
import { peekOf, peeks, usePeeks } from "../results/peek";
import { useListVersion } from "../shell/useList";
import { change, goTo, hrefOfProfile, state } from "../state/store";
import { col, textCol } from "../table/read";

function stateOf(p: ProfileEntry): string {
  if (p.state === "loading") return `being read, ${Math.round(100 * p.progress)}\u00a0%`;
  if (p.state === "failed") return `cannot be read: ${p.error}`;
  return "";
}

function gridOf(all: ProfileEntry[]): { set: RowSet; columns: Column[] } {
  const at = (row: number): ProfileEntry => all[row] as ProfileEntry;
  const files = (p: ProfileEntry): number => p.files?.length ?? 1;
  return {
    set: {
      count: all.length,
      thing: (row) => ({ kind: "profile", id: at(row).id }),
      name: (row) => nameOf(at(row).name, at(row).files ?? []),
      full: (row) => (at(row).files?.length === 1 ? at(row).name : (at(row).files ?? []).join("\n") || at(row).name),
      href: (row) => hrefOfProfile(at(row).id),
    },
    columns: [
      ...(all.some(stateOf) ? [textCol("state", "state", (row) => stateOf(at(row)), { width: 150 })] : []),
      col("step", "step", "step", (row) => peekOf(at(row))?.step ?? null, { width: 64, help: "mean time of a step" }),
      textCol("device", "device", (row) => peekOf(at(row))?.device ?? "", { width: 100 }),
      textCol("format", "format", (row) => formatWords(at(row).format, peekOf(at(row))?.framework), { width: 140 }),
      col("modified", "changed", "date", (row) => at(row).modified, { width: 140 }),
      col("bytes", "size", "bytes", (row) => at(row).bytes),
      col("files", "files", "count", (row) => (files(at(row)) > 1 ? files(at(row)) : null), { width: 52 }),
    ],
  };
}

function Nothing() {
  return (
    <div class="empty">
      <p>No profile was found yet. What is put into the folder shows up here within a few seconds:</p>
      <ul>
        <li>traces of PyTorch, JAX and TensorFlow's profiler; graphs (<code>graph.pb</code>, <code>.pbtxt</code>), run metadata, op logs</li>
        <li>SavedModels and checkpoints</li>
      </ul>
      <p>To look elsewhere, start it with another folder: <code>tfprof serve FOLDER</code></p>
    </div>
  );
}

function List({ all }: { all: ProfileEntry[] }) {
  const [chosen, setChosen] = useState<string[]>([]);
  usePeeks(all);
  const { set, columns } = useMemo(() => gridOf(all), [all, peeks.value]);
  const { sort, q } = state.value;
  const turn = (id: string): void => setChosen(chosen.includes(id) ? chosen.filter((c) => c !== id) : [...chosen.slice(-1), id]);
  const [before, now] = chosen;
  const name = (row: number): string => set.name(row);
  return (
    <>
      <div class="bar-line">
        <h1 class="place-title">{formatCount(all.length)} {all.length === 1 ? "profile" : "profiles"}</h1>
        <span class="fill" />
        {!isReport && <span class="s">{chosen.length === 1 ? "tick one more to compare" : chosen.length ? "" : "tick two to compare"}</span>}
        {before && now && <button type="button" onClick={() => goTo("compare", { profile: now, vs: before })}>Compare these two</button>}
        <input type="search" aria-label="Filter profiles" placeholder="Filter by name" value={q} onInput={(e) => change({ q: e.currentTarget.value })} />
      </div>
      <Grid
        label="Profiles"
        set={set}
        columns={columns}
        sort={sort || "-modified"}
        onSort={(to) => change({ sort: to })}
        text={q}
        nameLeast={200}
        onPick={(thing) => goTo("overview", { profile: thing.id, q: "", sort: "" })}
        {...(isReport ? {} : { lead: (row: number) => <input type="checkbox" aria-label={`compare ${name(row)}`} checked={chosen.includes(set.thing(row).id)} onChange={() => turn(set.thing(row).id)} /> })}
      />
    </>
  );
}

export function ProfilesPlace() {
  const version = useListVersion();
  const list = useLoaded(`profiles ${version}`, (signal) => profiles(signal));
  return (
    <Status of={list} calm>
      {(found) => (
        <div class="fillplace">
          <LeftOut />
          {found.notes?.map((note) => <p key={note} class="note">{note}</p>)}
          {found.profiles.length ? <List all={found.profiles} /> : <><h1>Profiles</h1><Nothing /></>}
        </div>
      )}
    </Status>
  );
}

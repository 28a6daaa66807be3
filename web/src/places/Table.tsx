// SPDX-License-Identifier: Apache-2.0
// Where time goes, by name: one table, chosen by `by`.
import { useMemo } from "preact/hooks";
import { profilePath } from "../answers/api";
import type { StepWindows } from "../answers/data";
import { filterParams, useTable } from "../answers/data";
import { useWindows } from "../details/useWindows";
import { Grid } from "../grid/Grid";
import { NoteLine } from "../parts/NoteLine";
import { Status } from "../parts/Status";
import { Actions } from "../parts/Actions";
import { useOverDevices } from "../results/steps";
import { change, filters, hrefOf, state } from "../state/store";
import { notesOf } from "../text/notes";
import type { Content, TableBy } from "../table/tables";
import { tableBy, tablesOf } from "../table/tables";
import type { PlaceProps } from "./index";

/** The path of a table with parameters for the filters. */
export const pathOf = (id: string, it: TableBy, params: string): string => profilePath(id, `views/${it.view}?format=columns${it.params}${params}`);

/** The path of a table with the filters that apply to it. */
export const filteredPath = (id: string, it: TableBy, windows: StepWindows): string => pathOf(id, it, it.obeys === "none" ? "" : filterParams(filters.value, windows, it.obeys === "all"));

function Choice({ all, by }: { all: TableBy[]; by: string }) {
  return (
    <nav class="by" aria-label="Table by">
      {all.map((t) => (
        <a key={t.by} href={hrefOf({ by: t.by, sort: "", open: [] })} aria-current={t.by === by ? "true" : undefined}>{t.title}</a>
      ))}
    </nav>
  );
}

function Rows({ content, it }: { content: Content; it: TableBy }) {
  const { sort, q, open, more } = state.value;
  const asked = useMemo(() => (more.columns ?? "").split(",").filter(Boolean), [more.columns]);
  return (
    <Grid
      label="Table"
      set={content.set}
      columns={content.columns}
      sort={sort || content.sort}
      onSort={(to) => change({ sort: to })}
      text={q}
      asked={asked}
      open={open}
      onOpen={(to) => change({ open: to })}
      nameTitle={it.name}
    />
  );
}

export function TablePlace({ of }: PlaceProps) {
  const { steps } = filters.value;
  const windows = useWindows(of);
  const it = tableBy(state.value.by, of.facts);
  if (!it) return <p>This profile has no table.</p>;
  if (steps && !windows) return null; // the main area shows that it is busy meanwhile
  return <Shown key={it.by} path={filteredPath(of.id, it, windows ?? new Map())} it={it} of={of} />;
}

function Shown({ path, it, of }: { path: string; it: TableBy; of: PlaceProps["of"] }) {
  const { ranks } = filters.value;
  const loaded = useTable(path);
  const over = useOverDevices(of);
  const content = useMemo(() => loaded.value && it.read(loaded.value, ranks), [loaded.value, it, ranks]);
  const timed = filters.value.steps || filters.value.range;
  const covers = content?.says ?? "";
  const sort = state.value.sort.replace(/^-/, "");
  const unsorted = content && sort && sort !== "name" && !content.columns.some((c) => c.name === sort);
  const says = [unsorted ? `no column ${sort} to sort by` : "", covers && `${covers}${covers.includes("device time") ? over : ""}`, timed && it.obeys !== "all" ? "of the whole run: this table does not know the chosen time" : ""].filter(Boolean).join(" · ");
  return (
    <div class="fillplace">
      <h1 class="away">Table by {it.name}</h1>
      <div class="bar-line">
        <Choice all={tablesOf(of.facts)} by={it.by} />
        <span class="fill" />
        <Actions of={of} view={it.view} path={path} columns={content?.columns ?? []} />
      </div>
      <p class="s says"><NoteLine before={says} notes={notesOf(loaded.value)} /></p>
      <Status of={loaded} calm missing>{() => content && (content.set.count ? <Rows content={content} it={it} /> : <p class="empty">{emptyWords(it)}</p>)}</Status>
    </div>
  );
}

/** If something was not recorded, the text tells how to record it. */
function emptyWords(it: TableBy): string {
  if (it.by === "line") return "No lines were recorded. PyTorch: profile(with_stack=True); sampled lines: tfprof stacks.";
  if (it.by === "kernel") return "No kernel ran on a device in this time.";
  return "Nothing was recorded for this table in this time.";
}

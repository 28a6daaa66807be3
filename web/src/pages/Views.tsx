// The four views as tree tables, with the options of the command line as controls.
import { useMemo } from "preact/hooks";
import type { Column, Table, Tables } from "../api";
import { table } from "../api";
import { reportStep } from "../held";
import { useLoaded } from "../load";
import { CommandLine } from "../parts/CommandLine";
import { Controls } from "../parts/Controls";
import { Copies } from "../parts/Copies";
import { Status } from "../parts/Status";
import { TreeTable } from "../parts/TreeTable";
import type { Route } from "../route";
import { go, withParams } from "../route";

const OWN = ["q", "sort"]; // of the page, not of the server
const STRUCTURE = new Set(["row", "parent", "depth", "accounted"]);

/** The options of a route as the server takes them; all rows, unless the user asks for fewer. */
export function queryOf(route: Route, select: string): URLSearchParams {
  const query = new URLSearchParams(route.params);
  for (const name of OWN) query.delete(name);
  if (!query.has("select")) query.set("select", select);
  if (!query.has("max_depth")) query.set("max_depth", "100000");
  return query;
}

export function commandOf(view: string, file: string, route: Route): string[] {
  const words = ["tfprof", view, file];
  if (reportStep) words.push("-step", reportStep);
  for (const [name, value] of route.params)
    if (!OWN.includes(name)) words.push(`-${name}`, value);
  return words;
}

/** A total shows what a row and all below it take; its own is beside it. */
function shownColumns(t: Table): Column[] {
  return t.columns.slice(1).filter((c) => !STRUCTURE.has(c.name));
}

export function Views({ view, route, file, tables }: { view: string; route: Route; file: string; tables: Tables }) {
  const query = queryOf(route, view === "op" ? "micros,occurrence" : "micros");
  const report = `/api/v1/profiles/${route.id}/views/${view}?${query.toString()}`;
  const path = `${report}&format=columns`;
  const loaded = useLoaded(path, (signal, progress) => table(path, signal, progress));
  const columns = useMemo(() => (loaded.value ? shownColumns(loaded.value) : []), [loaded.value]);
  return (
    <main>
      <h1>{view} view</h1>
      <Controls route={route} tables={tables} view={view} />
      <CommandLine words={commandOf(view, file, route)} />
      <Copies path={report} file={view} />
      <Status of={loaded}>
        {(t) => (
          <>
            {t.notes.map((note) => <p key={note} class="note">{note}</p>)}
            <TreeTable
              table={t}
              columns={columns}
              label={`${view} view`}
              search={route.params.get("q") ?? ""}
              sort={route.params.get("sort") ?? ""}
              onSort={(sort) => go(withParams(route, { sort: sort || null }))}
              openDepth={view === "op" ? 2 : 1}
              shortName={view === "scope"}
            />
          </>
        )}
      </Status>
    </main>
  );
}

// How much the rows of a view vary from step to step: means, spread and percentiles.
import { useMemo } from "preact/hooks";
import type { Tables } from "../api";
import { table } from "../api";
import { commandWords } from "../command";
import { useLoaded } from "../load";
import { CommandLine } from "../parts/CommandLine";
import { ALL_ROWS, Controls, optionAtFault } from "../parts/Controls";
import { Copies } from "../parts/Copies";
import { Status } from "../parts/Status";
import { TreeTable } from "../parts/TreeTable";
import type { Route } from "../route";
import { go, withParams } from "../route";

const VIEWS = ["scope", "graph", "op", "code"];
const STRUCTURE = new Set(["row", "parent", "depth"]);

export function Stats({ route, files, tables }: { route: Route; files: string[]; tables: Tables }) {
  const view = route.params.get("view") ?? "op";
  const query = new URLSearchParams(route.params);
  query.delete("q");
  query.delete("sort");
  query.set("view", view);
  if (!query.has("select")) query.set("select", "micros");
  if (!query.has("max_depth")) query.set("max_depth", ALL_ROWS);
  const report = `/api/v1/profiles/${route.id}/stats?${query.toString()}`;
  const loaded = useLoaded(report, (signal, progress) => table(`${report}&format=columns`, signal, progress));
  const columns = useMemo(() => loaded.value?.columns.slice(1).filter((c) => !STRUCTURE.has(c.name)) ?? [], [loaded.value]);
  return (
    <main>
      <h1>Statistics over the steps</h1>
      <Controls route={route} tables={tables} select="micros" command="stats" error={loaded.error}>
        <div class="field">
          <label for="view">rows of</label>
          <select id="view" value={view} onChange={(e) => go(withParams(route, { view: e.currentTarget.value }))}>
            {VIEWS.map((v) => <option key={v}>{v}</option>)}
          </select>
        </div>
      </Controls>
      {!optionAtFault(loaded.error) && (
        <div class="means">
          <CommandLine words={commandWords("stats", files, query)} />
          <Copies path={report} file="stats" />
        </div>
      )}
      <Status of={optionAtFault(loaded.error) ? { ...loaded, error: "" } : loaded}>
        {(t) => (
          <>
            {t.notes.map((note) => <p key={note} class="note">{note}</p>)}
            <TreeTable
              table={t}
              columns={columns}
              label="statistics over the steps"
              search={route.params.get("q") ?? ""}
              sort={route.params.get("sort") ?? ""}
              onSort={(sort) => go(withParams(route, { sort: sort || null }))}
              openDepth={1}
            />
          </>
        )}
      </Status>
    </main>
  );
}

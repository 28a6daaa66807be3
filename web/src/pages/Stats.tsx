// SPDX-License-Identifier: Apache-2.0
// How much the rows of a view vary from step to step: means, spread and percentiles.
import type { Tables } from "../api";
import { profilePath, table } from "../api";
import { COMPARED_VIEWS } from "../asks";
import { besidesOf, commandWords } from "../command";
import { useLoaded } from "../load";
import { ALL_ROWS, Controls, optionAtFault } from "../parts/Controls";
import { ChoiceField, choicesOf } from "../parts/Fields";
import { Means } from "../parts/Means";
import { ReportTable } from "../parts/ReportTable";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go, withParams } from "../route";

export function Stats({ route, files, tables }: { route: Route; files: string[]; tables: Tables }) {
  const view = route.params.get("view") ?? "op";
  const query = new URLSearchParams(route.params);
  query.delete("q");
  query.delete("sort");
  query.set("view", view);
  if (!query.has("select")) query.set("select", "micros");
  if (!query.has("max_depth")) query.set("max_depth", ALL_ROWS);
  const report = profilePath(route.id, `stats?${query.toString()}`);
  const loaded = useLoaded(report, (signal, progress) => table(`${report}&format=columns`, signal, progress));
  const wrong = optionAtFault(loaded.error);
  const sort = `-${(query.get("select") ?? "").split(",")[0] ?? ""}_mean`; // the most expensive rows first
  return (
    <section class="old">
      <h1>Statistics over the steps</h1>
      <Controls route={route} tables={tables} select="micros" command="stats" error={loaded.error}>
        <ChoiceField name="view" label="rows of" value={view} choices={choicesOf(COMPARED_VIEWS)} onChoose={(to) => go(withParams(route, { view: to }))} />
      </Controls>
      {!wrong && <Means words={commandWords("stats", files, query)} path={report} file="stats" besides={besidesOf(route.params.has("sort"), route.params.has("q"))} />}
      <Status of={wrong ? { ...loaded, error: "" } : loaded}>{(t) => <ReportTable t={t} route={route} label="statistics over the steps" sort={sort} />}</Status>
    </section>
  );
}

// SPDX-License-Identifier: Apache-2.0
// The tables of a trace: parts of steps, transfers, waits, oddities of the data.
import { profilePath, table } from "../api";
import { besidesOf, commandWords } from "../command";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { FindField } from "../parts/Fields";
import { Means } from "../parts/Means";
import { ReportTable } from "../parts/ReportTable";
import { Status } from "../parts/Status";
import { StepBars } from "../parts/StepBars";
import type { Route } from "../route";
import { go, withParams } from "../route";

interface Props {
  view: string;
  route: Route;
  files: string[];
  steps: number[];
}

/** The controls: one step, and for the table of steps their critical path. */
function Choices({ view, route, steps }: { view: string; route: Route; steps: number[] }) {
  const path = route.params.get("critical_path") === "true";
  return (
    <form class="controls" onSubmit={(e) => e.preventDefault()}>
      {view !== "check" && view !== "params" && !isReport && steps.length > 0 && (
        <div class="field">
          <label for="table-step">step</label>
          <select id="table-step" value={route.params.get("step") ?? ""} onChange={(e) => go(withParams(route, { step: e.currentTarget.value || null }))}>
            <option value="">all</option>
            {steps.map((s) => <option key={s} value={String(s)}>{s}</option>)}
          </select>
        </div>
      )}
      {view === "steps" && (
        <label>
          <input type="checkbox" checked={path} onChange={() => go(withParams(route, { critical_path: path ? null : "true", sort: null }))} /> critical path
        </label>
      )}
      <FindField route={route} />
    </form>
  );
}

export function TracePage({ view, route, files, steps }: Props) {
  const query = new URLSearchParams();
  for (const name of ["step", "critical_path"]) {
    const value = route.params.get(name);
    if (value) query.set(name, value);
  }
  const report = profilePath(route.id, `views/${view}?${query.toString()}`);
  const loaded = useLoaded(report, (signal, progress) => table(`${report}&format=columns`, signal, progress));
  const bars = view === "steps" && !query.has("critical_path");
  return (
    <section class="old">
      <h1>{view[0]?.toUpperCase() + view.slice(1)}</h1>
      <Choices view={view} route={route} steps={steps} />
      <Means words={commandWords(view, files, query)} path={report} file={view} besides={besidesOf(route.params.has("sort"), route.params.has("q"))} />
      <Status of={loaded}>
        {(t) => (
          <>
            {bars && <StepBars t={t} />}
            <ReportTable t={t} route={route} label={view} shortName={view === "lines"} />
          </>
        )}
      </Status>
    </section>
  );
}

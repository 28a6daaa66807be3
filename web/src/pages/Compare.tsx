// SPDX-License-Identifier: Apache-2.0
// Two or more profiles, or steps of them, row by row.
import type { ProfileEntry, ProfileFacts, Table, Tables } from "../api";
import { json, profilePath, profiles, table } from "../api";
import { COMPARED, COMPARED_OF_STEPS, COMPARED_VIEWS } from "../asks";
import { besidesOf, optionWords } from "../command";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { ChoiceField, FindField, choicesOf } from "../parts/Fields";
import { Means } from "../parts/Means";
import { ReportTable } from "../parts/ReportTable";
import { Status } from "../parts/Status";
import { StepBars } from "../parts/StepBars";
import type { Route } from "../route";
import { go, withParams } from "../route";

function sidesOf(route: Route): string[] {
  return route.params.getAll("side").filter(Boolean);
}

function setSides(route: Route, sides: string[]): void {
  const params = new URLSearchParams(route.params);
  params.delete("side");
  sides.forEach((s) => params.append("side", s));
  go({ ...route, params });
}

/** A side as the command takes it: its files with commas between. */
function wordOf(list: ProfileEntry[], side: string): string {
  const [id = "", step] = side.split("@");
  const entry = list.find((p) => p.id === id);
  const name = entry?.files?.join(",") || entry?.name || id;
  return step ? `${name}@${step}` : name;
}

function Side({ route, at, list }: { route: Route; at: number; list: ProfileEntry[] }) {
  const sides = sidesOf(route);
  const [id = "", step = ""] = (sides[at] ?? "").split("@");
  const set = (to: string): void => {
    const next = sides.slice();
    if (to) next[at] = to;
    else next.splice(at, 1);
    setSides(route, next);
  };
  return (
    <>
      <div class="field wide">
        <label for={`side-${at}`}>side {at + 1}</label>
        <select id={`side-${at}`} value={id} onChange={(e) => set(e.currentTarget.value)}>
          <option value="">none</option>
          {list.map((p) => <option key={p.id} value={p.id}>{p.name}</option>)}
        </select>
      </div>
      {id && (
        <div class="field">
          <label for={`step-${at}`}>its step</label>
          <input id={`step-${at}`} type="text" placeholder="all" value={step} onChange={(e) => set(e.currentTarget.value ? `${id}@${e.currentTarget.value}` : id)} />
        </div>
      )}
    </>
  );
}

/** The columns that a comparison of a view can show. */
function columnsOf(tables: Tables, view: string): string[] {
  if (view === "steps") return COMPARED_OF_STEPS;
  return tables.columns.map((c) => c.name).filter((name) => !isReport || COMPARED.includes(name));
}

/** The controls: the sides and the view. */
function Sides({ route, tables, list, sides, view, select }: { route: Route; tables: Tables; list: ProfileEntry[]; sides: string[]; view: string; select: string }) {
  return (
    <form class="controls" onSubmit={(e) => e.preventDefault()}>
      {!isReport && [...sides, ""].slice(0, 8).map((_, i) => <Side key={i} route={route} at={i} list={list} />)}
      <ChoiceField name="view" value={view} choices={choicesOf(COMPARED_VIEWS)} onChoose={(to) => go(withParams(route, { view: to }))} />
      <ChoiceField name="select" label="column" value={select} choices={choicesOf(columnsOf(tables, view))} onChoose={(to) => go(withParams(route, { select: to }))} />
      {!isReport && (["min_size", "delta"] as const).map((name) => (
        <div class="field" key={name}>
          <label for={name}>{name.replace("_", " ")}</label>
          <input id={name} type="text" placeholder={name === "delta" && view !== "steps" ? "0.1" : "0"} value={route.params.get(name) ?? ""} onChange={(e) => go(withParams(route, { [name]: e.currentTarget.value || null }))} />
        </div>
      ))}
      <FindField route={route} />
    </form>
  );
}

function Difference({ route, list, sides, options, view }: { route: Route; list: ProfileEntry[]; sides: string[]; options: URLSearchParams; view: string }) {
  const query = new URLSearchParams(options);
  sides.forEach((s) => query.append("side", s));
  const report = `/api/v1/compare?${query.toString()}`;
  const compared = useLoaded(report, (signal, progress) => table(`${report}&format=columns`, signal, progress));
  const words = ["tfprof", "diff", ...sides.map((s) => wordOf(list, s)), ...optionWords(options)];
  return (
    <>
      <Means words={words} path={report} file="compare" besides={besidesOf(route.params.has("sort"), route.params.has("q"))} />
      <Status of={compared}>{(t) => <ReportTable t={t} route={route} label="differences" openDepth={2} shortName={view === "scope"} />}</Status>
    </>
  );
}

/** The steps of one side; null: its times were not recorded. */
async function stepsOf(side: string, signal: AbortSignal): Promise<Table | null> {
  const [id = "", step = ""] = side.split("@");
  const facts = await json<ProfileFacts>(profilePath(id), signal);
  return facts.has?.times ? table(profilePath(id, `views/steps?${step && `step=${encodeURIComponent(step)}&`}format=columns`), signal) : null;
}

/** Where the time of a step of each side goes, all in one measure. */
function Breakdowns({ list, sides }: { list: ProfileEntry[]; sides: string[] }) {
  const loaded = useLoaded(`breakdowns ${sides.join(" ")}`, (signal) => Promise.all(sides.map((s) => stepsOf(s, signal))));
  const tables = loaded.value ?? [];
  const beside = tables.filter((t): t is Table => Boolean(t?.rows));
  return (
    <div class="grid">
      {tables.map((t, i) => Boolean(t?.rows) && <section key={sides[i]}><h2>{wordOf(list, sides[i] ?? "")}</h2><StepBars t={t!} beside={beside} /></section>)}
    </div>
  );
}

export function Compare({ route, tables }: { route: Route; tables: Tables }) {
  const list = useLoaded("compare list", (signal) => profiles(signal));
  const found = list.value?.profiles ?? [];
  const sides = isReport ? found.map((p) => p.id) : sidesOf(route);
  const view = route.params.get("view") ?? "scope";
  const wanted = route.params.get("select") ?? "micros";
  const select = columnsOf(tables, view).includes(wanted) ? wanted : "micros";
  const options = new URLSearchParams({ view, select, min_size: route.params.get("min_size") ?? "0" });
  const delta = route.params.get("delta") ?? (view === "steps" ? "0" : null); // of steps every part is shown, changed or not
  if (delta) options.set("delta", delta);
  return (
    <section class="old">
      <h1>Compare</h1>
      <Status of={list}>{() => <Sides route={route} tables={tables} list={found} sides={sides} view={view} select={select} />}</Status>
      {sides.length < 2 ? (
        <p class="empty">Choose two or more sides: other profiles, or other steps of one.</p>
      ) : (
        <>
          <Breakdowns list={found} sides={sides} />
          <Difference route={route} list={found} sides={sides} options={options} view={view} />
        </>
      )}
    </section>
  );
}

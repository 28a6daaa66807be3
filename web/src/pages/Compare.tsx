// Two or more profiles, or steps of them, row by row.
import { useMemo } from "preact/hooks";
import type { ProfileEntry, Tables } from "../api";
import { profiles, table } from "../api";
import { COMPARED, COMPARED_VIEWS } from "../asks";
import { optionWords } from "../command";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { CommandLine } from "../parts/CommandLine";
import { Copies } from "../parts/Copies";
import { Status } from "../parts/Status";
import { TreeTable } from "../parts/TreeTable";
import type { Route } from "../route";
import { go, withParams } from "../route";

const HIDDEN = new Set(["row", "parent", "depth"]);

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

export function Compare({ route, tables }: { route: Route; tables: Tables }) {
  const list = useLoaded("compare list", (signal) => profiles(signal));
  const found = list.value?.profiles ?? [];
  const sides = isReport ? found.map((p) => p.id) : sidesOf(route);
  const view = route.params.get("view") ?? "scope";
  const select = route.params.get("select") ?? "micros";
  const options = new URLSearchParams({ view, select, min_size: route.params.get("min_size") ?? "0" });
  const delta = route.params.get("delta");
  if (delta) options.set("delta", delta);
  const query = new URLSearchParams(options);
  sides.forEach((s) => query.append("side", s));
  const report = `/api/v1/compare?${query.toString()}`;
  const path = sides.length > 1 ? `${report}&format=columns` : "";
  const compared = useLoaded(path, (signal, progress) => (path ? table(path, signal, progress) : Promise.resolve(undefined)));
  const columns = useMemo(() => compared.value?.columns.slice(1).filter((c) => !HIDDEN.has(c.name)) ?? [], [compared.value]);
  const words = ["tfprof", "diff", ...sides.map((s) => wordOf(found, s)), ...optionWords(options)];
  return (
    <main>
      <h1>Compare</h1>
      <Status of={list}>
        {() => (
          <form class="controls" onSubmit={(e) => e.preventDefault()}>
            {!isReport && [...sides, ""].slice(0, 8).map((_, i) => <Side key={i} route={route} at={i} list={found} />)}
            <div class="field">
              <label for="view">view</label>
              <select id="view" value={view} onChange={(e) => go(withParams(route, { view: e.currentTarget.value }))}>
                {COMPARED_VIEWS.map((v) => <option key={v}>{v}</option>)}
              </select>
            </div>
            <div class="field">
              <label for="select">column</label>
              <select id="select" value={select} onChange={(e) => go(withParams(route, { select: e.currentTarget.value }))}>
                {tables.columns.filter((c) => !isReport || COMPARED.includes(c.name)).map((c) => <option key={c.name}>{c.name}</option>)}
              </select>
            </div>
            {!isReport && (["min_size", "delta"] as const).map((name) => (
              <div class="field" key={name}>
                <label for={name}>{name.replace("_", " ")}</label>
                <input id={name} type="text" placeholder={name === "delta" ? "0.1" : "0"} value={route.params.get(name) ?? ""} onChange={(e) => go(withParams(route, { [name]: e.currentTarget.value || null }))} />
              </div>
            ))}
            <div class="field wide">
              <label for="search">find</label>
              <input id="search" type="search" value={route.params.get("q") ?? ""} onInput={(e) => go(withParams(route, { q: e.currentTarget.value || null }), true)} />
            </div>
          </form>
        )}
      </Status>
      {sides.length < 2 ? (
        <p class="empty">Choose two or more sides: other profiles, or other steps of one.</p>
      ) : (
        <>
          <div class="means">
            <CommandLine words={words} />
            <Copies path={report} file="compare" />
          </div>
          <Status of={compared}>
            {(t) =>
              t && (
                <>
                  {t.notes.map((note) => <p key={note} class="note">{note}</p>)}
                  <TreeTable table={t} columns={columns} label="differences" search={route.params.get("q") ?? ""} sort={route.params.get("sort") ?? ""} onSort={(sort) => go(withParams(route, { sort: sort || null }))} openDepth={2} shortName={view === "scope"} />
                </>
              )
            }
          </Status>
        </>
      )}
    </main>
  );
}

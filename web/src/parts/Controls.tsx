// Options of a view as controls; each change is a new address.
import { useState } from "preact/hooks";
import type { OptionRow, Tables } from "../api";
import type { Route } from "../route";
import { go, withParams } from "../route";

// Where the output goes and what form it has is not for the page to say; these have controls of their own.
const ELSEWHERE = new Set(["output", "format", "dump_to_file", "proto_out", "viz", "select", "compat", "checkers", "device_regexes"]);
const SHOWN_FIRST = new Set(["max_depth", "min_micros", "step", "order_by", "show_name_regexes"]);

function Field({ option, route, tables }: { option: OptionRow; route: Route; tables: Tables }) {
  const value = route.params.get(option.name) ?? "";
  const set = (to: string): void => go(withParams(route, { [option.name]: to === "" ? null : to }));
  const id = `option-${option.name}`;
  const common = { id, title: option.help ?? "" };
  return (
    <div class="field">
      <label for={id}>{option.name.replaceAll("_", " ")}</label>
      {option.kind === "boolean" ? (
        <input {...common} type="checkbox" checked={value === "true"} onChange={(e) => set(e.currentTarget.checked ? "true" : "")} />
      ) : option.name === "order_by" ? (
        <select {...common} value={value || option.value || ""} onChange={(e) => set(e.currentTarget.value)}>
          {tables.orders.map((o) => <option key={o.name} value={o.name}>{o.name}</option>)}
        </select>
      ) : (
        <input {...common} type="text" value={value} placeholder={option.value ?? ""} onChange={(e) => set(e.currentTarget.value)} />
      )}
    </div>
  );
}

function Select({ route, tables, view }: { route: Route; tables: Tables; view: string }) {
  const chosen = new Set((route.params.get("select") ?? (view === "op" ? "micros,occurrence" : "micros")).split(",").filter(Boolean));
  const toggle = (name: string): void => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    go(withParams(route, { select: [...next].join(",") || "micros" }));
  };
  return (
    <fieldset class="select">
      <legend>Columns</legend>
      {tables.columns.map((c) => (
        <label key={c.name} title={c.help ?? ""}>
          <input type="checkbox" checked={chosen.has(c.name)} onChange={() => toggle(c.name)} /> {c.name.replaceAll("_", " ")}
        </label>
      ))}
    </fieldset>
  );
}

export function Controls({ route, tables, view }: { route: Route; tables: Tables; view: string }) {
  const [all, setAll] = useState(false);
  const options = tables.options.filter((o) => !o.commands && !ELSEWHERE.has(o.name));
  const shown = options.filter((o) => all || SHOWN_FIRST.has(o.name) || route.params.has(o.name));
  return (
    <form class="controls" onSubmit={(e) => e.preventDefault()}>
      <div class="field wide">
        <label for="search">find</label>
        <input id="search" type="search" value={route.params.get("q") ?? ""} onInput={(e) => go(withParams(route, { q: e.currentTarget.value || null }), true)} />
      </div>
      {shown.map((o) => <Field key={o.name} option={o} route={route} tables={tables} />)}
      {options.length > 0 && <button type="button" aria-expanded={all} onClick={() => setAll(!all)}>{all ? "Fewer options" : "All options"}</button>}
      <Select route={route} tables={tables} view={view} />
    </form>
  );
}

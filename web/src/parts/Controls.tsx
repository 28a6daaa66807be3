// SPDX-License-Identifier: Apache-2.0
// Options of a view as controls; each change is a new address.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { OptionRow, Tables } from "../api";
import { heldColumns, isReport } from "../held";
import type { Route } from "../route";
import { go, withList, withParams } from "../route";
import { FindField } from "./Fields";

// The page does not choose the output's target and form; the other options here have controls of their own.
const ELSEWHERE = new Set(["output", "format", "dump_to_file", "proto_out", "viz", "select", "compat", "checkers"]);
const SHOWN_FIRST = new Set(["max_depth", "min_micros", "step", "order_by", "show_name_regexes"]);
const LISTS = new Set(["assume_shape", "rewrite"]); // and the filters: one value on each line
const SOURCES = ["files", "tensorflow", "own"];
const STEPS_MOST = 1000; // longest list of steps to choose from
/** The page's default of -max_depth. */
export const ALL_ROWS = "100000";
const WORKED_OUT = new Set(["float_ops", "macs", "bytes_moved", "coverage", "flops_per_second", "intensity"]);

/** Columns from the graph are computed with all formulas, as on the page of float operations. */
export const sourceFor = (columns: string[]): string | null => (columns.some((c) => WORKED_OUT.has(c)) ? "own" : null);

const isList = (name: string): boolean => LISTS.has(name) || name.endsWith("_regexes");

/** The option that an error names: "option -max_depth: ...". */
export const optionAtFault = (error: string): string => /^option -(\w+)/.exec(error)?.[1] ?? "";

interface FieldProps {
  option: OptionRow;
  route: Route;
  tables: Tables;
  steps: number[];
  all: string;
  standard: string;
  error: string;
}

/** The values that an option accepts; null: any. */
function choicesOf({ option, tables, steps, all }: FieldProps): { value: string; title: string }[] | null {
  const plain = (names: string[]): { value: string; title: string }[] => names.map((n) => ({ value: n, title: n }));
  if (option.name === "order_by") return plain(tables.orders.map((o) => o.name));
  if (option.name === "float_ops_source") return plain(SOURCES);
  if (option.name !== "step" || !steps.length || steps.length > STEPS_MOST) return null;
  return [{ value: "-1", title: all }, ...plain(steps.map(String))];
}

function Field(props: FieldProps) {
  const { option, route, standard, error } = props;
  const values = route.params.getAll(option.name);
  const value = values[0] ?? "";
  const set = (to: string): void => go(withParams(route, { [option.name]: to === "" || to === standard ? null : to }));
  const choices = choicesOf(props);
  const wrong = optionAtFault(error) === option.name;
  const id = `option-${option.name}`;
  const common = { id, title: option.help ?? "", "aria-invalid": wrong, "aria-describedby": wrong ? `${id}-wrong` : undefined };
  return (
    <div class={isList(option.name) ? "field wide" : "field"}>
      <label for={id}>{option.name.replaceAll("_", " ")}</label>
      {option.kind === "boolean" ? (
        <input {...common} type="checkbox" checked={value === "true"} onChange={(e) => set(e.currentTarget.checked ? "true" : "")} />
      ) : choices ? (
        <select {...common} value={value || standard} onChange={(e) => set(e.currentTarget.value)}>
          {choices.map((c) => <option key={c.value} value={c.value}>{c.title}</option>)}
        </select>
      ) : isList(option.name) ? (
        <textarea
          {...common}
          rows={Math.max(1, values.length)}
          placeholder={option.name.endsWith("_regexes") ? `${standard || "none"} (one a line)` : "one a line"}
          value={values.join("\n")}
          spellcheck={false}
          onChange={(e) => go(withList(route, option.name, e.currentTarget.value.split("\n").filter(Boolean)))}
        />
      ) : (
        <input {...common} type="text" value={value} placeholder={standard === ALL_ROWS ? "all" : standard} onChange={(e) => set(e.currentTarget.value.trim())} />
      )}
      {wrong && <span class="wrong" id={`${id}-wrong`} role="alert">{error.slice(error.indexOf(":") + 1).trim()}</span>}
    </div>
  );
}

function Select({ route, tables, chosen }: { route: Route; tables: Tables; chosen: Set<string> }) {
  const toggle = (name: string): void => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    go(withParams(route, { select: [...next].join(",") || "micros" }));
  };
  const held = heldColumns();
  return (
    <fieldset class="select">
      <legend>Columns</legend>
      {tables.columns.filter((c) => !isReport || held.includes(c.name)).map((c) => (
        <label key={c.name} title={c.help ?? ""}>
          <input type="checkbox" checked={chosen.has(c.name)} onChange={() => toggle(c.name)} /> {c.name.replaceAll("_", " ")}
        </label>
      ))}
    </fieldset>
  );
}

interface Props {
  route: Route;
  tables: Tables;
  select: string; // unless the route says otherwise
  steps?: number[];
  all?: string; // the words for all steps
  order?: string | null; // unless the route says otherwise
  command?: string; // the command whose own options are shown, too
  error?: string; // of the last request
  children?: ComponentChildren; // controls that come first
}

export function Controls({ route, tables, select, steps = [], all: allSteps = "mean of all", order = null, command = "", error = "", children }: Props) {
  const [all, setAll] = useState(false);
  const chosen = (route.params.get("select") ?? select).split(",").filter(Boolean);
  const fits = (o: OptionRow): boolean => (o.commands ? o.commands.split(" ").includes(command) : !ELSEWHERE.has(o.name));
  // statistics are over all steps
  const options = isReport ? [] : tables.options.filter((o) => fits(o) && o.name !== "view" && !(command === "stats" && o.name === "step"));
  const own = sourceFor(chosen);
  const wrong = optionAtFault(error);
  const standard = (o: OptionRow): string =>
    ({ max_depth: ALL_ROWS, float_ops_source: own, order_by: order } as Record<string, string | null>)[o.name] ?? o.value ?? "";
  const first = (o: OptionRow): boolean =>
    Boolean(o.commands) || SHOWN_FIRST.has(o.name) || route.params.has(o.name) || (o.name === "float_ops_source" && own !== null);
  const shown = options.filter((o) => all || first(o) || o.name === wrong);
  return (
    <form class="controls" onSubmit={(e) => e.preventDefault()}>
      {children}
      <FindField route={route} />
      {shown.map((o) => <Field key={o.name} option={o} route={route} tables={tables} steps={steps} all={allSteps} standard={standard(o)} error={error} />)}
      {options.length > 0 && <button type="button" aria-expanded={all} onClick={() => setAll(!all)}>{all ? "Fewer options" : "All options"}</button>}
      <Select route={route} tables={tables} chosen={new Set(chosen)} />
    </form>
  );
}

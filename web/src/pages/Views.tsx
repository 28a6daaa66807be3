// SPDX-License-Identifier: Apache-2.0
// The four views as tree tables, with the options of the command line as controls.
import type { Tables } from "../api";
import { cellText, profilePath, table } from "../api";
import { besidesOf, commandWords } from "../command";
import { isReport, reportStep } from "../held";
import { useLoaded } from "../load";
import { ALL_ROWS, Controls, optionAtFault, sourceFor } from "../parts/Controls";
import { Means } from "../parts/Means";
import { ReportTable } from "../parts/ReportTable";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go } from "../route";

const OWN = ["q", "sort"]; // parameters of the page, not of the server

/** The selected columns unless the route sets them; a graph without runs has no times. */
const standardSelect = (view: string, ran: boolean): string => (!ran ? "params" : view === "op" ? "micros,occurrence" : "micros");

/** The options of a route as the server takes them; all rows, unless the user asks for fewer. */
function queryOf(route: Route, view: string, select: string, tables: Tables): URLSearchParams {
  const query = new URLSearchParams(route.params);
  for (const name of OWN) query.delete(name);
  if (!query.has("select")) query.set("select", select);
  if (!query.has("max_depth")) query.set("max_depth", ALL_ROWS);
  const selected = (query.get("select") ?? "").split(",");
  const source = sourceFor(selected);
  if (source && !query.has("float_ops_source")) query.set("float_ops_source", source);
  // operations are a list that begins with the most expensive one; its running totals depend on that order
  if (view === "op" && !isReport && !query.has("order_by") && tables.orders.some((o) => o.name === selected[0])) query.set("order_by", selected[0] ?? "");
  return query;
}

/** The -order_by that equals a sort of the page; "": there is none. */
function orderOf(view: string, sort: string, tables: Tables): string {
  if (sort === "name") return sort;
  const by = /^-(total_)?(\w+)$/.exec(sort);
  const name = by && Boolean(by[1]) === (view !== "op") ? (by[2] ?? "") : "";
  return tables.orders.some((o) => o.name === name) ? name : "";
}

/** The query of the command line: in the order in which the page is sorted, when there is such an order. */
function commandQuery(query: URLSearchParams, order: string): URLSearchParams {
  const out = new URLSearchParams(query);
  if (reportStep) out.set("step", reportStep);
  if (order) out.set("order_by", order);
  return out;
}

interface Props {
  view: string;
  route: Route;
  files: string[];
  steps: number[];
  all: string; // the words for all steps
  tables: Tables;
}

interface Lead {
  hint: string;
  page: string;
  params: (name: string) => Record<string, string>;
}

/** The page that picking a row of a view leads to. */
const LEADS: Record<string, Lead> = {
  scope: { hint: "its flame graph", page: "flame", params: (name) => ({ top: name }) },
  graph: { hint: "its place among the scopes", page: "scope", params: (name) => ({ q: name }) },
  op: { hint: "its nodes", page: "scope", params: (name) => ({ account_type_regexes: `^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`, account_displayed_op_only: "true", select: "micros,occurrence" }) },
  code: { hint: "flame graph of code", page: "flame", params: (name) => ({ of: "code", q: name }) },
};

function follow(lead: Lead, route: Route, name: string): void {
  const params = new URLSearchParams(lead.params(name));
  const step = route.params.get("step");
  if (step) params.set("step", step);
  go({ page: lead.page, id: route.id, params });
}

/** In the op view -select sums from the last row up, for TensorFlow's text; a table that can be sorted has no use for such sums. */
const isRunningTotal = (view: string, column: string): boolean => view === "op" && column.startsWith("total_");

export function Views({ view, route, files, steps, all, tables }: Props) {
  const select = standardSelect(view, steps.length > 0);
  const query = queryOf(route, view, select, tables);
  const first = (query.get("select") ?? "").split(",")[0] ?? "";
  // trees begin with their most expensive rows, as at a terminal; the server orders operations
  const sorts = tables.orders.some((o) => o.name === first);
  const standardSort = !sorts ? "" : view !== "op" ? `-total_${first}` : isReport ? `-${first}` : "";
  const sort = route.params.get("sort") ?? standardSort;
  const order = orderOf(view, sort, tables);
  const report = profilePath(route.id, `views/${view}`);
  const path = `${report}?${query.toString()}&format=columns`;
  const asked = commandQuery(query, order);
  const loaded = useLoaded(path, (signal, progress) => table(path, signal, progress));
  const lead = isReport && view === "op" ? undefined : LEADS[view];
  const wrong = optionAtFault(loaded.error);
  return (
    <section class="old">
      <h1 title={tables.views.find((v) => v.name === view)?.help ?? ""}>{view} view</h1>
      <Controls route={route} tables={tables} select={select} steps={steps} all={all} order={query.get("order_by") ?? (order || null)} error={loaded.error} />
      {!wrong && <Means words={commandWords(view, files, asked)} path={`${report}?${asked.toString()}`} file={view} besides={besidesOf(Boolean(sort && !order), route.params.has("q"))} />}
      <Status of={wrong ? { ...loaded, error: "" } : loaded}>
        {(t) => (
          <ReportTable
            t={t}
            route={route}
            label={`${view} view`}
            sort={standardSort}
            fits={(c) => !isRunningTotal(view, c.name)}
            openDepth={view === "op" ? 2 : 1}
            shortName={view === "scope"}
            {...(lead ? { pickHint: lead.hint, onPick: (row: number) => t.columns[0] && follow(lead, route, cellText(t.columns[0], row)) } : {})}
          />
        )}
      </Status>
    </section>
  );
}

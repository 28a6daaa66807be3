// The four views as tree tables, with the options of the command line as controls.
import { useMemo } from "preact/hooks";
import type { Column, Table, Tables } from "../api";
import { cellText, table } from "../api";
import { commandWords } from "../command";
import { isReport, reportStep } from "../held";
import { useLoaded } from "../load";
import { CommandLine } from "../parts/CommandLine";
import { ALL_ROWS, Controls, optionAtFault, sourceFor } from "../parts/Controls";
import { Copies } from "../parts/Copies";
import { Status } from "../parts/Status";
import { TreeTable } from "../parts/TreeTable";
import type { Route } from "../route";
import { go, withParams } from "../route";

const OWN = ["q", "sort"]; // of the page, not of the server
const STRUCTURE = new Set(["row", "parent", "depth", "accounted"]);

/** What is selected unless the route says so; what never ran has no times. */
const standardSelect = (view: string, ran: boolean): string => `${ran ? "micros" : "params"}${view === "op" ? ",occurrence" : ""}`;

/** The options of a route as the server takes them; all rows, unless the user asks for fewer. */
export function queryOf(route: Route, select: string): URLSearchParams {
  const query = new URLSearchParams(route.params);
  for (const name of OWN) query.delete(name);
  if (!query.has("select")) query.set("select", select);
  if (!query.has("max_depth")) query.set("max_depth", ALL_ROWS);
  const source = sourceFor((query.get("select") ?? "").split(","));
  if (source && !query.has("float_ops_source")) query.set("float_ops_source", source);
  return query;
}

/** The same for others, who have no table that sorts: by the total that it is sorted by. */
function sortedQuery(query: URLSearchParams, route: Route, tables: Tables): URLSearchParams {
  const out = new URLSearchParams(query);
  if (reportStep) out.set("step", reportStep);
  const by = /^-total_(\w+)$/.exec(route.params.get("sort") ?? "")?.[1];
  if (by && tables.orders.some((o) => o.name === by)) out.set("order_by", by);
  return out;
}

/** A total shows what a row and all below it take; its own is beside it. */
function shownColumns(t: Table): Column[] {
  return t.columns.slice(1).filter((c) => !STRUCTURE.has(c.name));
}

interface Props {
  view: string;
  route: Route;
  files: string[];
  steps: number[];
  tables: Tables;
}

interface Lead {
  hint: string;
  page: string;
  params: (name: string) => Record<string, string>;
}

/** What a row of a view leads to. */
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

export function Views({ view, route, files, steps, tables }: Props) {
  const select = standardSelect(view, steps.length > 0);
  const query = queryOf(route, select);
  const report = `/api/v1/profiles/${route.id}/views/${view}`;
  const path = `${report}?${query.toString()}&format=columns`;
  const sorted = sortedQuery(query, route, tables);
  const loaded = useLoaded(path, (signal, progress) => table(path, signal, progress));
  const lead = isReport && view === "op" ? undefined : LEADS[view];
  const columns = useMemo(() => (loaded.value ? shownColumns(loaded.value) : []), [loaded.value]);
  return (
    <main>
      <h1 title={tables.views.find((v) => v.name === view)?.help ?? ""}>{view} view</h1>
      <Controls route={route} tables={tables} select={select} steps={steps} error={loaded.error} />
      {!optionAtFault(loaded.error) && (
        <div class="means">
          <CommandLine words={commandWords(view, files, sorted)} />
          <Copies path={`${report}?${sorted.toString()}`} file={view} />
        </div>
      )}
      <Status of={optionAtFault(loaded.error) ? { ...loaded, error: "" } : loaded}>
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
              {...(lead ? { pickHint: lead.hint, onPick: (row: number) => t.columns[0] && follow(lead, route, cellText(t.columns[0], row)) } : {})}
            />
          </>
        )}
      </Status>
    </main>
  );
}

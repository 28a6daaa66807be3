// SPDX-License-Identifier: Apache-2.0
// The requests that pages make before any control is used. `tfprof report` puts the answers to all of them into its file;
// build.mjs writes the list as text: a line for each request with its purpose, path and parameters, separated by tabs.

/** Every edge of the graph, by the names of its ends. */
export const EDGES_SQL = "SELECT s.name AS source, n.name AS target FROM edges e JOIN nodes n ON n.node = e.node JOIN nodes s ON s.node = e.source";

/** Columns of a profile's files (except values of tensors, which have their own page and may be as large as the
 * checkpoint), and columns that change when float operations are computed from the graph. */
const COLUMNS =
  "micros,accelerator_micros,cpu_micros,occurrence,params,float_ops,bytes,peak_bytes,residual_bytes,output_bytes,op_types,device,input_shapes";
const WORKED_OUT = "params,float_ops,macs,bytes_moved,intensity,flops_per_second,coverage";

/** The arguments of spans, when a report holds every span (at most EMBEDDED_SPANS). */
export const ARGUMENTS_SQL = "SELECT span, key, value FROM span_args WHERE (SELECT count(*) FROM spans) <= 20000";

/** How much of the device's time has a place in the model, by how that is known. */
export const COVERAGE_SQL = "SELECT class, reason, sum(device_us) AS device_us, sum(module_us) AS module_us, sum(line_us) AS line_us FROM coverage GROUP BY class, reason";

/** A report holds at most this many spans of a timeline, otherwise a summary. */
export const EMBEDDED_SPANS = 1_000_000;

const api = "/api/v1";
const one = `${api}/profiles/ID`;
const all = "max_depth=100000";
const columns = "format=columns";
// the step of the report; omitted when the report has none
const chosen = "step=CHOSEN";
// that step, or the first one; a profile without steps gets no request
const first = "step=FIRST";

// by first start: the flame graph in order of time needs that order, other pages sort rows by themselves
const order = "order_by=start";

const view = (name: string): string[] => [name, `${one}/views/${name}`, columns, all, order, `select=${COLUMNS}`, chosen];
const worked = (name: string): string[] => [name, `${one}/views/${name}`, "float_ops_source=own", columns, all, order, `select=${WORKED_OUT}`, chosen];
/** The most important first: the last ones are left out of a report that would become too large. ID, CHOSEN, FIRST, SIDES and
 * TENSOR are filled in for each profile, SOURCE with each file of its code that --source holds. */
export const ASKS: string[][] = [
  ["tables", `${api}/tables`],
  ["profiles", `${api}/profiles`],
  ["facts", one],
  ["advice", `${one}/views/advise`, "format=json"],
  ["what changes would give", `${one}/whatif`],
  view("op"),
  worked("op"),
  ["overview", `${one}/steps`, columns],
  ["summary", `${one}/views/summary`, "format=text"],
  ["steps", `${one}/views/steps`, columns],
  ["steps", `${one}/views/steps`, columns, "critical_path=true"],
  ["why steps are long", `${one}/views/steps`, columns, "why=true"],
  ...["transfer", "wait", "kernel", "check"].map((name) => [name, `${one}/views/${name}`, columns]),
  ["coverage", `${one}/query`, columns, `sql=${COVERAGE_SQL}`],
  ...["op", "module", "layer", "line", "kernel", "shape", "chain"].map((by) => ["limits", `${one}/views/limits`, "format=json", `by=${by}`]),
  ["triage", `${one}/views/triage`, "format=json"],
  view("scope"),
  worked("scope"),
  ["float operations", `${one}/views/flops`, columns],
  ["float operations", `${one}/views/flops`, "format=text"],
  view("code"),
  worked("code"),
  ["parameters", `${one}/views/params`, columns],
  ["lines", `${one}/views/lines`, columns],
  ["memory", `${one}/views/memory`, "by=time", columns, chosen],
  ...["scope", "op", "line", "node", "category", "tensor"].map((by) => ["memory", `${one}/views/memory`, `by=${by}`, columns, chosen]),
  ["checkpoint", `${one}/tensors`, columns],
  ["text", `${one}/source`, "file=SOURCE"],
  ["timeline", `${one}/lanes`, first],
  ["timeline", `${one}/counters`, columns],
  ["timeline", `${one}/spans`, columns, `most=${EMBEDDED_SPANS}`, first],
  ["sums of a range", `${one}/leaves`, columns, `most=${EMBEDDED_SPANS}`, first],
  view("calls"),
  worked("calls"),
  ["arguments", `${one}/query`, columns, `sql=${ARGUMENTS_SQL}`],
  view("graph"),
  worked("graph"),
  ["dataflow", `${one}/query`, columns, `sql=${EDGES_SQL}`],
  ["values", `${one}/tensors/value`, "name=TENSOR"],
];

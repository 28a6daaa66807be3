// SPDX-License-Identifier: Apache-2.0
// The requests that pages make before any control is used. `tfprof report` puts the answers to all of them into its file;
// build.mjs writes the list as text: a line for each request with its purpose, path and parameters, separated by tabs.

/** Every edge of the graph, by the names of its ends. */
export const EDGES_SQL = "SELECT s.name AS source, n.name AS target FROM edges e JOIN nodes n ON n.node = e.node JOIN nodes s ON s.node = e.source";

/** The forward node of a gradient, by its name, as in the code view: the part between "gradients/" and "_grad/". NULL: not a
 * gradient. */
const FORWARD =
  "CASE WHEN instr(name, 'gradients/') = 0 OR instr(name, '_grad/') IN (0, instr(name, 'gradients/') + 10) THEN NULL " +
  "WHEN instr(name, '_grad/') > instr(name, 'gradients/') THEN substr(name, instr(name, 'gradients/') + 10, instr(name, '_grad/') - instr(name, 'gradients/') - 10) " +
  "ELSE substr(name, instr(name, 'gradients/') + 10) END";

/** Every call stack, outermost line first. */
export const CODE_SQL = "SELECT trace, file, line FROM code";

/** Time by call stack, assigned as in the code view: a gradient belongs to the stack of its forward node. As in the views it is
 * the mean of the steps, in whole microseconds, and of traces, which alone have processes, that of all steps. */
export const TRACES_SQL =
  `WITH named AS (SELECT node, trace, ${FORWARD} AS forward FROM nodes WHERE trace IS NOT NULL), ` +
  "booked AS (SELECT node, trace, 0 AS gradient FROM named WHERE forward IS NULL UNION ALL " +
  "SELECT g.node, n.trace, 1 FROM named g JOIN nodes n ON n.name = g.forward JOIN named f ON f.node = n.node AND f.forward IS NULL " +
  "WHERE g.forward IS NOT NULL), " +
  "times AS (SELECT node, CASE WHEN EXISTS (SELECT 1 FROM processes) THEN sum(run_us) ELSE sum(run_us) / count(*) END AS us " +
  "FROM executions GROUP BY node) " +
  "SELECT b.trace AS trace, sum(x.us) AS micros, sum(CASE WHEN b.gradient THEN x.us END) AS gradient_micros, count(*) AS nodes " +
  "FROM booked b LEFT JOIN times x ON x.node = b.node GROUP BY b.trace";

/** Columns of a profile's files (except values of tensors, which have their own page and may be as large as the
 * checkpoint), and columns that change when float operations are computed from the graph. */
const COLUMNS =
  "micros,accelerator_micros,cpu_micros,occurrence,params,float_ops,bytes,peak_bytes,residual_bytes,output_bytes,op_types,device,input_shapes";
const WORKED_OUT = "params,float_ops,macs,bytes_moved,intensity,flops_per_second,coverage";

/** The arguments of spans, when a report holds every span (at most HELD_SPANS). */
export const ARGUMENTS_SQL = "SELECT span, key, value FROM span_args WHERE (SELECT count(*) FROM spans) <= 20000";

/** How much of the device's time has a place in the model, by how that is known. */
export const COVERAGE_SQL = "SELECT class, reason, sum(device_us) AS device_us, sum(module_us) AS module_us, sum(line_us) AS line_us FROM coverage GROUP BY class, reason";

/** A report holds at most this many spans of a timeline, otherwise a summary. */
export const HELD_SPANS = 1_000_000;

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
  ...["transfer", "wait", "kernel", "check"].map((name) => [name, `${one}/views/${name}`, columns]),
  ["coverage", `${one}/query`, columns, `sql=${COVERAGE_SQL}`],
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
  ["source", `${one}/query`, columns, `sql=${CODE_SQL}`],
  ["source", `${one}/query`, columns, `sql=${TRACES_SQL}`],
  ["text", `${one}/source`, "file=SOURCE"],
  ["timeline", `${one}/lanes`, first],
  ["timeline", `${one}/counters`, columns],
  ["timeline", `${one}/spans`, columns, `most=${HELD_SPANS}`, first],
  view("calls"),
  worked("calls"),
  ["arguments", `${one}/query`, columns, `sql=${ARGUMENTS_SQL}`],
  view("graph"),
  worked("graph"),
  ["dataflow", `${one}/query`, columns, `sql=${EDGES_SQL}`],
  ["values", `${one}/tensors/value`, "name=TENSOR"],
];

// What pages ask the server for whatever their controls say. `tfprof report` puts the answers to all of it into its file;
// build.mjs hands it over as text: a line an ask, "what it is for", the path and its parameters, with tabs between.

/** Every edge of the graph, by the names of its ends. */
export const EDGES_SQL = "SELECT s.name AS source, n.name AS target FROM edges e JOIN nodes n ON n.node = e.node JOIN nodes s ON s.node = e.source";

/** A line costs what all that it made costs, however deep below it. Nodes are summed by trace first: of those there are few. */
export const LINES_SQL =
  "SELECT c.file AS file, c.line AS line, sum(t.us) AS micros, sum(t.nodes) AS nodes FROM (SELECT DISTINCT trace, file, line FROM code) c JOIN " +
  "(SELECT n.trace AS trace, sum(x.us) AS us, count(*) AS nodes FROM nodes n LEFT JOIN (SELECT node, avg(run_us) AS us FROM executions GROUP BY node) x " +
  "ON x.node = n.node GROUP BY n.trace) t ON t.trace = c.trace GROUP BY c.file, c.line";

/** Those that a profile has in its files, and what changes when float operations are worked out from its graph. */
const COLUMNS =
  "micros,accelerator_micros,cpu_micros,occurrence,params,float_ops,bytes,peak_bytes,residual_bytes,output_bytes,op_types,device,input_shapes,tensor_value";
const WORKED_OUT = "params,float_ops,macs,bytes_moved,intensity,flops_per_second,coverage";

export const COMPARED_VIEWS = ["scope", "graph", "op", "code"];
export const COMPARED = ["micros", "bytes", "peak_bytes", "params", "float_ops"];

const api = "/api/v1";
const one = `${api}/profiles/ID`;
const all = "max_depth=100000";
const columns = "format=columns";
// the step that the report was asked to show; without one this parameter is left out
const chosen = "step=CHOSEN";
// that one, or the first; without any, the ask is left out
const first = "step=FIRST";

const view = (name: string): string[] => [name, `${one}/views/${name}`, columns, all, `select=${COLUMNS}`, chosen];
const worked = (name: string): string[] => [name, `${one}/views/${name}`, "float_ops_source=own", columns, all, `select=${WORKED_OUT}`, chosen];
const compared = COMPARED_VIEWS.flatMap((v) =>
  COMPARED.map((c) => ["comparison", `${api}/compare`, columns, "min_size=0", `select=${c}`, "side=SIDES", `view=${v}`]),
);

/** The most wanted first: what does not fit in is left out. ID, CHOSEN, FIRST, SIDES and TENSOR are put in for each profile. */
export const ASKS: string[][] = [
  ["tables", `${api}/tables`],
  ["profiles", `${api}/profiles`],
  ["facts", one],
  ["advice", `${one}/views/advise`, "format=json"],
  view("op"),
  worked("op"),
  ["overview", `${one}/steps`, columns],
  view("scope"),
  worked("scope"),
  ["float operations", `${one}/views/flops`, columns],
  ["float operations", `${one}/views/flops`, "format=text"],
  view("code"),
  worked("code"),
  ["memory", `${one}/memory`, columns, first],
  ["memory", `${one}/peak`, columns, first],
  ["checkpoint", `${one}/tensors`, columns],
  ["checkpoint", `${one}/tensors/value`, "name=TENSOR"],
  ["source", `${one}/query`, columns, `sql=${LINES_SQL}`],
  ["timeline", `${one}/timeline`, columns, first],
  ...compared,
  view("graph"),
  worked("graph"),
  ["dataflow", `${one}/query`, columns, `sql=${EDGES_SQL}`],
];

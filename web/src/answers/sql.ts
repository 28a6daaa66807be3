// SPDX-License-Identifier: Apache-2.0
// Queries that the details panel asks. A report holds no database: there they fail, and the panel says so.

const MOST_NAME = 600; // most letters of a name in a query, because a request line may have 8,192 bytes

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Compares a column with a name; a very long name by its beginning and its length. */
export const isName = (column: string, name: string): string =>
  name.length <= MOST_NAME ? `${column} = ${quoted(name)}` : `substr(${column}, 1, ${MOST_NAME}) = ${quoted(name.slice(0, MOST_NAME))} AND length(${column}) = ${name.length}`;

/** A condition on spans of devices: those of the chosen device and ranks, as all places have them. */
export function placed({ ranks, device }: { ranks: number[]; device: string }): string {
  const of = [device && `l.device = ${quoted(device)}`, ranks.length && `(p.rank IS NULL OR p.rank IN (${ranks.join(", ")}))`].filter(Boolean);
  return of.length ? ` AND s.lane_number IN (SELECT l.lane_number FROM lanes l LEFT JOIN processes p ON p.process = l.process WHERE ${of.join(" AND ")})` : "";
}

// a sum of nothing is NULL; annotations have no self time
const us = (sum: string): string => `coalesce(${sum}, 0) / 1000.0`;
const ON_DEVICE = "s.class IS NOT NULL";

export interface OverStep {
  step: number;
  total_us: number;
  count: number;
}

/** Time per step of the spans that match. */
export const overSteps = (where: string): string =>
  `SELECT s.step AS step, ${us("sum(s.duration_ns)")} AS total_us, count(*) AS count FROM spans s WHERE s.step IS NOT NULL AND ${where} GROUP BY s.step ORDER BY s.step LIMIT 2000`;

/** Self time of host spans per step. */
export const selfOverSteps = (where: string): string =>
  `SELECT s.step AS step, ${us("sum(s.self_ns)")} AS total_us, count(*) AS count FROM spans s WHERE s.step IS NOT NULL AND ${where} GROUP BY s.step ORDER BY s.step LIMIT 2000`;

/** The time of an op's nodes by step, where nodes were timed and not spans. */
export const runsOverSteps = (op: string): string =>
  `SELECT e.step AS step, sum(e.run_us) AS total_us, sum(e.runs) AS count FROM nodes n JOIN executions e ON e.node = n.node WHERE ${isName("n.op", op)} GROUP BY e.step ORDER BY e.step LIMIT 2000`;

export interface Origin {
  launch: string | null;
  op: string | null;
  scope: string | null;
  trace: number | null;
  count: number;
}

/** What launched device spans: the call, the op, its scope and its call stack, the most frequent first. */
export const originsOf = (where: string): string =>
  `SELECT l.name AS launch, o.name AS op, n.name AS scope, o.trace AS trace, count(*) AS count FROM spans s LEFT JOIN spans o ON o.span = s.owner LEFT JOIN spans l ON l.span = s.launch ` +
  `LEFT JOIN nodes n ON n.node = s.node WHERE ${ON_DEVICE} AND ${where} GROUP BY 1, 2, 3, 4 ORDER BY count(*) DESC LIMIT 8`;

export interface Launched {
  name: string;
  count: number;
  total_us: number;
}

/** Spans on a device that are an op themselves, as instructions of XLA are; the library does not count those of lanes that run beside others. */
export const ofOp = (op: string): string => `s.class IS NOT NULL AND s.lane_number NOT IN (SELECT lane_number FROM lanes WHERE role = 'async') AND s.node IN (SELECT node FROM nodes WHERE ${isName("op", op)})`;

/** Device work by name. */
export const kernelsWhere = (where: string): string =>
  `SELECT s.name AS name, count(*) AS count, ${us("sum(s.duration_ns)")} AS total_us FROM spans s WHERE ${where} GROUP BY s.name ORDER BY total_us DESC LIMIT 6`;

/** Device work of ops. */
export const launchedBy = (where: string): string =>
  `SELECT s.name AS name, count(*) AS count, ${us("sum(s.duration_ns)")} AS total_us FROM spans s CROSS JOIN spans o ON o.span = s.owner WHERE ${ON_DEVICE} AND ${where} GROUP BY s.name ORDER BY total_us DESC LIMIT 6`;

/** Device work below a scope. */
export const launchedIn = (scope: string): string =>
  `SELECT s.name AS name, count(*) AS count, ${us("sum(s.duration_ns)")} AS total_us FROM spans s CROSS JOIN nodes n ON n.node = s.node WHERE ${ON_DEVICE} AND ` +
  `(n.name = ${quoted(scope)} OR substr(n.name, 1, ${[...scope].length + 1}) = ${quoted(`${scope}/`)}) GROUP BY s.name ORDER BY total_us DESC LIMIT 6`;

/** Spans of ops within a scope, per step. */
export const inScope = (scope: string): string =>
  `s.class IS NULL AND s.kind = 'op' AND s.node IN (SELECT node FROM nodes WHERE name = ${quoted(scope)} OR substr(name, 1, ${[...scope].length + 1}) = ${quoted(`${scope}/`)})`;

export interface Where {
  scope: string;
  count: number;
  trace: number | null;
}

/** The scopes that contain an op. */
export const scopesOf = (op: string): string =>
  `SELECT n.name AS scope, coalesce(sum(e.runs), 0) AS count, n.trace AS trace FROM nodes n LEFT JOIN executions e ON e.node = n.node WHERE ${isName("n.op", op)} GROUP BY n.node ORDER BY count DESC LIMIT 5`;

export interface SpanPlace {
  span: number;
  start_us: number; // relative time, not a time of day; only differences have a meaning
  duration_us: number;
  step: number | null;
}

const PLACE = `s.span AS span, ${us("s.start_ns")} AS start_us, ${us("s.duration_ns")} AS duration_us, s.step AS step`;

/** The longest spans that match. */
export const longest = (where: string): string => `SELECT ${PLACE} FROM spans s WHERE ${where} ORDER BY s.duration_ns DESC, s.span LIMIT 3`;

/** The next matching span in order of start, or the previous one. */
export function beside(where: string, span: number, back: boolean): string {
  const [than, order] = back ? ["<", "DESC"] : [">", "ASC"];
  const start = `(SELECT start_ns FROM spans WHERE span = ${span})`;
  return `SELECT s.span AS span FROM spans s WHERE ${where} AND (s.start_ns ${than} ${start} OR (s.start_ns = ${start} AND s.span ${than} ${span})) ORDER BY s.start_ns ${order}, s.span ${order} LIMIT 1`;
}

/** How many spans match, and how many of them begin no later than a given one. */
export const placeOf = (where: string, span: number): string =>
  `SELECT count(*) AS of, sum(s.start_ns <= (SELECT start_ns FROM spans WHERE span = ${span})) AS place, ${us("sum(s.duration_ns)")} AS total_us, ${us("min(s.duration_ns)")} AS min_us, ${us("max(s.duration_ns)")} AS max_us FROM spans s WHERE ${where}`;

export interface CodeLine {
  position: number;
  file: string;
  line: number;
  function: string | null;
}

/** The lines of a call stack, outermost first. */
export const linesOf = (trace: number): string => `SELECT position, file, line, function FROM code WHERE trace = ${trace} ORDER BY position LIMIT 200`;

/** The call stack of the last op before a kernel's longest launch, on the launching thread: it shows which code was running. */
export const nearTrace = (where: string): string =>
  `SELECT p.trace AS trace, p.name AS name FROM spans o JOIN spans p ON p.lane_number = o.lane_number AND p.start_ns <= o.start_ns AND p.trace IS NOT NULL ` +
  `WHERE o.span = (SELECT s.owner FROM spans s WHERE ${ON_DEVICE} AND s.owner IS NOT NULL AND ${where} ORDER BY s.duration_ns DESC LIMIT 1) ORDER BY p.start_ns DESC LIMIT 1`;

/** Ops called on a line: those whose innermost frame is on it. */
export const opsOnLine = (file: string, line: number): string =>
  `SELECT s.name AS name, count(*) AS count, ${us("sum(s.duration_ns)")} AS total_us FROM spans s WHERE s.kind = 'op' AND s.trace IN (SELECT c.trace FROM code c WHERE c.file = ${quoted(file)} AND c.line = ${line}) ` +
  "GROUP BY s.name ORDER BY total_us DESC LIMIT 6";

/** The same of a graph, whose nodes have call stacks; its lines are named without the folders of the file. */
export const nodesOnLine = (file: string, line: number): string =>
  `SELECT n.op AS name, coalesce(sum(e.runs), 0) AS count, coalesce(sum(e.run_us), 0) AS total_us FROM nodes n LEFT JOIN executions e ON e.node = n.node WHERE n.trace IN (SELECT c.trace FROM code c WHERE (c.file = ${quoted(file)} OR substr(c.file, ${-[...file].length - 1}) = ${quoted(`/${file}`)}) AND c.line = ${line}) ` +
  "GROUP BY n.op ORDER BY total_us DESC LIMIT 6";

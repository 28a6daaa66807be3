// SPDX-License-Identifier: Apache-2.0
// tests/page/units.mjs: parts of the page without a browser: numbers, copied rows, costs of lines, and how long components are.
import { readFileSync, readdirSync } from "node:fs";
import { build } from "../../web/node_modules/esbuild/lib/main.js";
import { check, same } from "./harness.mjs";

const source = new URL("../../web/src/", import.meta.url).pathname;

globalThis.document = { querySelectorAll: () => [], querySelector: () => null }; // no report

async function load(name) {
  const made = await build({ entryPoints: [`${source}${name}`], bundle: true, write: false, format: "esm", logLevel: "warning" });
  return import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString("base64")}`);
}

async function numbers() {
  const { formatBytes, formatCount, formatMicros, markBytes, markMicros } = await load("format.ts");
  const bytes = { 0: "0\u00a0B", 999: "999\u00a0B", 1000: "1.00\u00a0kB", 1024: "1.02\u00a0kB", 1500000: "1.50\u00a0MB", 12.4e9: "12.4\u00a0GB", 3.25e12: "3.25\u00a0TB", [-4000]: "-4.00\u00a0kB" };
  for (const [n, text] of Object.entries(bytes)) same(`${n} bytes`, formatBytes(Number(n)), text);
  same("counts", [999, 31.27e9, 989.5e12].map(formatCount), ["999", "31.3\u00a0G", "990\u00a0T"]);
  same("times", [12, 1500, 2.04e6, 189960, 0.00595].map(formatMicros), ["12\u00a0µs", "1.50\u00a0ms", "2.04\u00a0s", "190\u00a0ms", "5.95\u00a0ns"]);
  for (const step of [0.001, 0.002, 0.05, 0.5, 1, 2, 5, 10, 200, 5000, 1e6])
    for (const from of [0, 3, 1234.5, 999995, 12345678]) {
      const first = Math.ceil(from / step);
      const marks = Array.from({ length: 12 }, (_, i) => markMicros((first + i) * step, step));
      same(`marks ${step} us apart from ${from} differ`, new Set(marks).size, marks.length);
      check(`marks ${step} us apart from ${from} are short`, marks.every((m) => m.length < 16), marks);
    }
  same("round marks", [0, 500, 1000, 1500].map((n) => markMicros(n, 500)), ["0\u00a0µs", "500\u00a0µs", "1.0\u00a0ms", "1.5\u00a0ms"]);
  same("marks of bytes", [0, 50000, 100000].map((n) => markBytes(n, 50000)), ["0\u00a0B", "50\u00a0kB", "100\u00a0kB"]);
}

const texts = (name, values) => {
  const all = [...new Set(values)];
  return { name, unit: null, type: "text", texts: all, absent: null, values: Uint32Array.from(values, (v) => all.indexOf(v)) };
};
const reals = (name, values, unit = null) => ({ name, unit, type: "number", texts: null, absent: values.some((v) => v === null) ? Uint8Array.from(values, (v) => Number(v === null)) : null, values: Float64Array.from(values, (v) => v ?? 0) });
const tableOf = (...columns) => ({ view: "", rows: columns[0].values.length, tree: false, notes: [], columns, column: (name) => columns.find((c) => c.name === name) });

async function copies() {
  const { rowsAsCsv, rowsAsText } = await load("copy.ts");
  const t = tableOf(texts("name", ["a", 'b,"c"', "d"]), reals("micros", [1500, 2, null], "us"));
  same("rows as CSV, as they are shown", rowsAsCsv(t, t.columns.slice(1), [2, 0, 1]), 'name,micros\nd,\na,1500\n"b,""c""",2\n');
  same("rows as text", rowsAsText(t, t.columns.slice(1), [0, 2], [0, 0, 1]), "name   micros\na     1.50\u00a0ms\n  d         -\n");
}

async function lines() {
  const { costsOf, startOf } = await load("lines.ts");
  const own = "train.py";
  const lib = "site-packages/tensorflow/ops.py";
  const code = tableOf(reals("trace", [0, 0, 0, 1, 1, 1, 2]), texts("file", [own, own, lib, own, own, lib, lib]), reals("line", [9, 4, 77, 9, 9, 77, 77]));
  const sums = tableOf(reals("trace", [0, 1, 2]), reals("micros", [10, 5, 100]), reals("gradient_micros", [3, null, null]), reals("nodes", [2, 1, 1]));
  const files = costsOf(code, sums);
  same("the user's file comes first", files.map((f) => f.name), [own, lib]);
  same("a line that stands twice in a stack counts once", files[0].lines.get(9), { micros: 15, own: 5, gradient: 3, nodes: 3 });
  same("the innermost line of the user's has its own time", files[0].lines.get(4), { micros: 10, own: 10, gradient: 3, nodes: 2 });
  same("a library's lines have none", files[1].lines.get(77), { micros: 115, own: 0, gradient: 3, nodes: 4 });
  same("begins at the most expensive line", startOf(files[0]), 4);
}

async function windows() {
  const { firstAfter, makeItems, readLanes } = await load("timeline.ts");
  const { itemAt, rowAt, rowTop } = await load("lanes.ts");
  const lane = (name, first_row, rows, rank = null) => ({ step: null, rank, process: null, lane: name, label: null, first_row, rows, spans: rows, start_us: 10, end_us: 90 });
  const { lanes, all } = readLanes({ rows: [lane("cpu/thread:1", 0, 2, 0), lane("gpu:0/stream:7", 2, 1, 1)], steps: [] });
  same("lanes of several ranks say theirs", lanes.map((l) => l.name), ["rank 0 · cpu/thread:1", "rank 1 · gpu:0/stream:7"]);
  same("a timeline goes from the first start to the last end", all, { from: 10, to: 90 });
  for (const row of [0, 1, 2]) same(`row ${row} is where it is drawn`, rowAt(lanes, rowTop(lanes, row) + 1), row);
  const t = tableOf(reals("row", [0, 0, 2]), reals("span", [4, 5, 6]), reals("count", [1, 3, 1]), reals("start_us", [10, 50, 20]), reals("duration_us", [30, 10, 5]), reals("busy_us", [30, 4, 5]), texts("name", ["a", "b", "a"]), texts("kind", ["op", "op", "activity"]));
  const d = makeItems(t, { window: all, firstRow: 0, lastRow: 2, scale: 1, search: "" });
  same("rows know their items", [...d.rowFirst], [0, 2, 2, 3]);
  same("items at a row and time", [[0, 15], [0, 45], [0, 55], [1, 55], [2, 22], [9, 22]].map(([row, time]) => itemAt(d, row, time, 0)), [0, -1, 1, -1, 2, -1]);
  same("the first that ends after a time", [0, 40, 60].map((time) => firstAfter(d, 0, 2, time)), [0, 1, 2]);
}

async function asks() {
  const { ASKS } = await load("asks.ts");
  same("a report asks for tensors' values last", ASKS.findIndex((a) => a.includes("name=TENSOR")), ASKS.length - 1);
  check("and for none in its views", !ASKS.some((a) => a.some((w) => w.includes("tensor_value"))));
}

/** Of each function at the start of a line the lines until its closing brace. */
function components() {
  for (const folder of ["", "pages/", "parts/"])
    for (const name of readdirSync(`${source}${folder}`).filter((n) => /\.tsx?$/.test(n))) {
      const all = readFileSync(`${source}${folder}${name}`, "utf8").split("\n");
      all.forEach((line, i) => {
        const named = /^(?:export )?(?:async )?function (\w+)/.exec(line);
        if (!named) return;
        const size = all.slice(i).findIndex((l) => l === "}") + 1;
        check(`${folder}${name}: ${named[1]} has at most 100 lines`, size <= 100, size);
      });
    }
}

export async function units() {
  for (const run of [numbers, copies, lines, windows, asks, components]) await run();
}

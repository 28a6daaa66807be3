// SPDX-License-Identifier: Apache-2.0
// tests/page/units.mjs: parts of the page without a browser: numbers, copied rows, and how long components are.
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { build } from "../../web/node_modules/esbuild/lib/main.js";
import { check, same } from "./harness.mjs";

const source = new URL("../../web/src/", import.meta.url).pathname;

globalThis.document = { querySelectorAll: () => [], querySelector: () => null }; // there is no report

async function load(name) {
  const made = await build({ entryPoints: [`${source}${name}`], bundle: true, write: false, format: "esm", logLevel: "warning" });
  return import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString("base64")}`);
}

async function numbers() {
  const { formatBytes, formatCount, formatMicros, markBytes, markMicros } = await load("text/format.ts");
  const bytes = { 0: "0\u00a0B", 999: "999\u00a0B", 1000: "1.00\u00a0kB", 1024: "1.02\u00a0kB", 1500000: "1.50\u00a0MB", 12.4e9: "12.4\u00a0GB", 3.25e12: "3.25\u00a0TB", [-4000]: "\u22124.00\u00a0kB" };
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
  same("marks of bytes", [0, 50000, 100000].map((n) => markBytes(n, 50000)), ["0\u00a0kB", "50\u00a0kB", "100\u00a0kB"]);
}

const texts = (name, values) => {
  const all = [...new Set(values)];
  return { name, unit: null, type: "text", texts: all, absent: null, values: Uint32Array.from(values, (v) => all.indexOf(v)) };
};
const reals = (name, values, unit = null) => ({ name, unit, type: "number", texts: null, absent: values.some((v) => v === null) ? Uint8Array.from(values, (v) => Number(v === null)) : null, values: Float64Array.from(values, (v) => v ?? 0) });
const tableOf = (...columns) => ({ view: "", rows: columns[0].values.length, tree: false, notes: [], noteCodes: [], columns, column: (name) => columns.find((c) => c.name === name) });

async function copies() {
  const { rowsAsCsv, rowsAsText } = await load("text/copy.ts");
  const t = tableOf(texts("name", ["a", 'b,"c"', "d"]), reals("micros", [1500, 2, null], "us"));
  same("rows as CSV, as they are shown", rowsAsCsv(t, t.columns.slice(1), [2, 0, 1]), 'name,micros\nd,\na,1500\n"b,""c""",2\n');
  same("rows as text", rowsAsText(t, t.columns.slice(1), [0, 2], [0, 0, 1]), "name   micros\na     1.50\u00a0ms\n  d         -\n");
}

async function asks() {
  const { ASKS } = await load("answers/asks.ts");
  same("a report asks for tensors' values last", ASKS.findIndex((a) => a.includes("name=TENSOR")), ASKS.length - 1);
  check("and for none in its views", !ASKS.some((a) => a.some((w) => w.includes("tensor_value"))));
}

/** root: all -> a (10, itself 2) -> b (8, itself 5) -> a (3); c (5) */
async function flames() {
  globalThis.location = { hash: "" };
  globalThis.addEventListener = () => 0;
  globalThis.window = globalThis;
  globalThis.matchMedia = () => ({ matches: false, addEventListener: () => 0 });
  const { readFlame, sandwich, differences, FLAMES, MEASURES } = await load("flame/read.ts");
  const { layOut, matched } = await load("flame/layout.ts");
  const tree = (b) => ({ ...tableOf(texts("name", ["root", "a", "a/b", "a/b/a", "c"]), reals("parent", [null, 0, 1, 2, 0]), reals("cpu_micros", [0, 2, b - 3, 3, 5]), reals("total_cpu_micros", [b + 7, b + 2, b, 3, 5])), tree: true });
  const [scope, host] = [FLAMES.find((f) => f.by === "scope"), MEASURES.find((m) => m.name === "host")];
  const f = readFlame(tree(8), scope, host);
  same("flame: no root, names are last parts, ids whole paths", [0, 1, 2, 3].map((r) => [f.name(r), f.id(r)]), [["a", "a"], ["b", "a/b"], ["a", "a/b/a"], ["c", "c"]]);
  same("flame: the whole is the sum of the roots", f.whole, 15);
  const boxes = layOut(f.tree, f.total, { top: -1, width: 150, byTime: false });
  same("flame: widths are shares, heavy ones left", boxes.map((b) => [f.id(b.row), Math.round(b.x), Math.round(b.width), b.depth]).sort(), [["a", 0, 100, 0], ["a/b", 0, 80, 1], ["a/b/a", 0, 30, 2], ["c", 100, 50, 0]]);
  const small = readFlame({ ...tableOf(texts("name", ["root", "first", "heavy"]), reals("parent", [null, 0, 0]), reals("cpu_micros", [0, 1, 9]), reals("total_cpu_micros", [10, 1, 9])), tree: true }, scope, host);
  const places = (byTime) => layOut(small.tree, small.total, { top: -1, width: 100, byTime }).map((b) => [small.name(b.row), b.x]).sort();
  same("flame: heavy bars left, or in the order of their first starts", [places(false), places(true)], [[["first", 90], ["heavy", 0]], [["first", 0], ["heavy", 10]]]);
  same("flame: a match inside of a match counts once", matched(f.tree, f.total, Uint8Array.from([2, 0, 2, 0])), 10);
  const below = sandwich(f, "b", false);
  same("flame: what b holds", [0, 1].map((r) => [below.name(r), below.total(r)]), [["b", 8], ["a", 3]]);
  const above = sandwich(f, "b", true);
  same("flame: what holds b, with the time in b", [0, 1].map((r) => [above.name(r), above.total(r)]), [["b", 8], ["a", 8]]);
  const change = differences(f, readFlame(tree(6), scope, host), { now: 1, before: 2 });
  same("flame: differences are of a step", change(1), 8 - 6 / 2);
}

async function curves() {
  const { curvesOf, indexAt } = await load("memory/curve.ts");
  const t = tableOf(texts("device", ["cpu", "gpu:0", "gpu:0", "gpu:0"]), reals("at_us", [1, 10, 20, 30]), reals("held_bytes", [8, 100, 300, 200]), reals("in_use_bytes", [null, 100, 300, 200]));
  const [gpu, cpu] = curvesOf(t);
  same("memory: the device that held most comes first", [gpu.device, cpu.device], ["gpu:0", "cpu"]);
  same("memory: its peak", [gpu.at[gpu.peak], gpu.held[gpu.peak]], [20, 300]);
  same("memory: a value holds until the next", [5, 10, 19, 25, 99].map((at) => gpu.held[indexAt(gpu, at)]), [100, 100, 100, 300, 200]);
}

/** For each function that begins at the start of a line, its lines up to the closing brace. */
function components() {
  for (const folder of ["", ...readdirSync(source, { withFileTypes: true }).filter((e) => e.isDirectory()).map((e) => `${e.name}/`)])
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

/** The unit tests in TypeScript, run by node's test runner. */
function modules() {
  const done = spawnSync(process.execPath, [new URL("../../web/test/run.mjs", import.meta.url).pathname], { encoding: "utf8" });
  check("the unit tests of the page's modules", done.status === 0, `${done.stdout}${done.stderr}`.slice(-600));
}

export async function units() {
  for (const run of [modules, numbers, copies, asks, flames, curves, components]) await run();
}

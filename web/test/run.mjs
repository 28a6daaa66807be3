// SPDX-License-Identifier: Apache-2.0
// web/test/run.mjs: bundles the unit tests of the page's modules and gives them to node's test runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(tmpdir(), "tfprof_modules_"));
const tests = readdirSync(here).filter((name) => /\.test\.tsx?$/.test(name));
// modules look at the page that they are loaded into; these stand for one without a report
const banner = "globalThis.document ??= { querySelectorAll: () => [], querySelector: () => null, documentElement: { dataset: {} } };" +
  "globalThis.location ??= { hash: '' }; globalThis.addEventListener ??= () => {}; globalThis.window ??= globalThis; globalThis.matchMedia ??= () => ({ matches: false, addEventListener() {} });";
await build({ entryPoints: tests.map((name) => join(here, name)), bundle: true, platform: "node", format: "esm", outdir: out, outExtension: { ".js": ".mjs" }, banner: { js: banner }, jsx: "automatic", jsxImportSource: "preact", logLevel: "warning" });
const done = spawnSync(process.execPath, ["--test", ...tests.map((name) => join(out, name.replace(/\.tsx?$/, ".mjs")))], { stdio: "inherit" });
rmSync(out, { recursive: true, force: true });
process.exit(done.status ?? 1);

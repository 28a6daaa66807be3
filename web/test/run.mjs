// SPDX-License-Identifier: Apache-2.0
// web/test/run.mjs [WORD ...]: bundles the unit tests of the page's modules and gives them to node's test runner; WORD picks files
// with it in their path. A folder here has the tests of the folder of web/src with its name, and is one bundle and one process: the
// page's modules are then loaded once for all of them. What is in `begin.ts` of a folder runs before the page's modules are loaded.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
if (!existsSync(join(here, "../node_modules/happy-dom"))) {
  console.error("web/test: the packages of the tests are missing: tools/page.sh test");
  process.exit(1);
}
const words = process.argv.slice(2);
const testsIn = (folder) => readdirSync(join(here, folder)).filter((name) => /\.test\.tsx?$/.test(name)).map((name) => join(folder, name));
const picked = (path) => !words.length || words.some((word) => path.includes(word));
const folders = [".", ...readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name)];

/** The tests of a folder as one file; "": none is picked. */
async function bundled(folder, out) {
  const tests = testsIn(folder).filter(picked);
  if (!tests.length) return "";
  const begin = existsSync(join(here, folder, "begin.ts")) ? [join(folder, "begin.ts")] : [];
  const contents = ["page.ts", ...begin, "drawn.ts", ...tests].map((name) => `import "./${name}";`).join("\n");
  const outfile = join(out, `${folder === "." ? "modules" : folder}.mjs`);
  await build({
    stdin: { contents, resolveDir: here },
    bundle: true, platform: "node", format: "esm", outfile, jsx: "automatic", jsxImportSource: "preact", logLevel: "warning", sourcemap: "inline",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' }, // happy-dom has parts in CommonJS
  });
  return outfile;
}

const out = mkdtempSync(join(tmpdir(), "tfprof_modules_"));
const files = (await Promise.all(folders.map((folder) => bundled(folder, out)))).filter(Boolean);
const done = spawnSync(process.execPath, ["--enable-source-maps", "--test", "--test-concurrency=2", ...files], { stdio: "inherit" });
rmSync(out, { recursive: true, force: true });
process.exit(done.status ?? 1);

// SPDX-License-Identifier: Apache-2.0
// web/build.mjs: the page's sources become a few files in web/dist, whose names change with their content. No network.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const options = {
  entryPoints: [join(here, "src/main.tsx")],
  bundle: true,
  minify: true,
  metafile: true,
  format: "esm",
  target: "es2021",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: dist,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  legalComments: "none",
  logLevel: "warning",
};
// What import() names is loaded from the server when it is needed; a report is one file, with all of it.
const { outputs } = (await build({ ...options, splitting: true })).metafile;
const whole = await build({ ...options, write: false });
const wholeScript = whole.outputFiles.find((file) => file.path.endsWith(".js"));
await writeFile(join(dist, "report.script"), wholeScript.contents);
const main = Object.entries(outputs).find(([, output]) => output.entryPoint?.endsWith("src/main.tsx"));
const script = basename(main[0]);
const style = basename(main[1].cssBundle);

// What every visit loads must stay small.
const MOST_BYTES = 150_000;
const first = new Set([main[0]]);
for (const path of first) for (const { path: next, kind } of outputs[path].imports) if (kind === "import-statement") first.add(next);
const packed = (await Promise.all([...first, style].map((path) => basename(path)).map(async (name) => gzipSync(await readFile(join(dist, name)), { level: 9 }).length))).reduce((a, b) => a + b, 0);
if (packed > MOST_BYTES) throw new Error(`the page has ${packed} bytes of script and style, packed; at most ${MOST_BYTES}`);

const html = await readFile(join(here, "src/index.html"), "utf8");
await writeFile(join(dist, "index.html"), html.replace("SCRIPT", script).replace("STYLE", style));

// The template that `tfprof report` fills: the page with placeholders for script, style, title and answers, and the list of
// requests whose answers it needs. Browsers run only the script and the style whose hashes the page contains.
async function inlined(name, never) {
  const text = await readFile(join(dist, name), "utf8");
  if (never.some((n) => text.toLowerCase().includes(n))) throw new Error(`${name}: it cannot stand inside a page`);
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
const policy = [
  "default-src 'none'",
  `script-src ${await inlined("report.script", ["</script", "<!--", "\r"])}`,
  `style-src ${await inlined(style, ["</style", "<!--", "\r"])}`,
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const report = html
  .replace(/<meta charset[^>]*>/, (m) => `${m}\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`)
  .replace(/<title>[^<]*<\/title>/, "<title>@TITLE@</title>")
  .replace(/<link rel="stylesheet"[^>]*>/, "<style>@STYLE@</style>")
  .replace(/ *<script [^>]*><\/script>\n/, "")
  .replace("  </body>", '@ANSWERS@    <script type="module">@SCRIPT@</script>\n  </body>');
await writeFile(join(dist, "report.page"), report);

const asks = await build({ entryPoints: [join(here, "src/answers/asks.ts")], write: false, format: "esm", logLevel: "warning" });
const { ASKS } = await import(`data:text/javascript;base64,${Buffer.from(asks.outputFiles[0].contents).toString("base64")}`);
await writeFile(join(dist, "report.asks"), ASKS.map((a) => `${a.filter((word) => word !== "").join("\t")}\n`).join(""));

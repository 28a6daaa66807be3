// web/build.mjs: the page's sources become a few files in web/dist, whose names change with their content. No network.
import { build } from "esbuild";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const result = await build({
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
  legalComments: "none",
  logLevel: "warning",
});
const made = Object.keys(result.metafile.outputs).map((path) => basename(path));
const script = made.find((name) => name.endsWith(".js"));
const style = made.find((name) => name.endsWith(".css"));
const html = await readFile(join(here, "src/index.html"), "utf8");
await writeFile(join(dist, "index.html"), html.replace("SCRIPT", script).replace("STYLE", style));

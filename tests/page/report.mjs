// SPDX-License-Identifier: Apache-2.0
// tests/page/report.mjs: files of `tfprof report`, opened from the disk: every page, numbers against the command line.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { axe, check, noFaults, said, same, settled } from "./harness.mjs";

const program = process.env.PAGE_PROGRAM;
const sample = new URL("../data/sample/", import.meta.url).pathname;
const dense = join(sample, "dense/profile_3.gz");
// made by run.py: a ResNet-32, and 85,000 nodes
const resnet = join(process.env.PAGE_FOLDER, "resnet32");
const big = join(process.env.PAGE_FOLDER, "transformer");
const gpu = join(sample, "gpu/profile_1.gz");

function make(folder, name, ...words) {
  const path = join(folder, name);
  execFileSync(program, ["report", ...words, "-o", path], { stdio: ["ignore", "pipe", "pipe"] });
  return path;
}

/** A page that may ask for its own file only. */
async function openFile(browser, path) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", offline: true });
  const page = await context.newPage();
  page.faults = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && page.faults.push(`console: ${m.text()}`));
  page.on("pageerror", (e) => page.faults.push(`page error: ${e.message}`));
  page.on("request", (r) => r.url().split("#")[0] !== `file://${path}` && !/^(data|blob):/.test(r.url()) && page.faults.push(`request to ${r.url().slice(0, 200)}`));
  page.setDefaultTimeout(30000);
  await page.goto(`file://${path}`);
  await settled(page);
  return page;
}

const heading = (page) => page.locator("h1").innerText();
const links = (page) => page.locator("nav a").allInnerTexts();
const counted = (page) => page.locator(".tools .count:not(.hint)").innerText();
const baseOf = async (page) => (await page.evaluate(() => location.hash)).replace(/\/overview.*/, "");
async function show(page, hash) {
  await page.evaluate((to) => (location.hash = to), hash);
  await settled(page);
}

/** Of a trace: calls, and of a span its arguments. */
async function traced(browser, folder) {
  const page = await openFile(browser, make(folder, "trace.html", join(sample, "traces/kineto.json")));
  const base = await baseOf(page);
  await show(page, `${base}/calls`);
  check("report: calls of a trace", (await page.locator(".body .row").count()) > 1, await page.locator("main").innerText());
  await show(page, `${base}/advice`);
  await page.locator(".leads a", { hasText: "timeline" }).first().click();
  await settled(page);
  await page.waitForSelector(".told strong");
  await page.fill("#search", "Memcpy");
  await page.click("button:text-is('Next match')");
  await page.waitForFunction(() => document.querySelector(".told strong")?.textContent.startsWith("Memcpy"));
  check("report: the arguments of a span", /bytes\s*4096/.test(await page.locator("main").innerText()), await page.locator("main").innerText());
  noFaults("report: of a trace", page);
  await page.context().close();
}

async function everyPage(browser, folder) {
  // by a link, as a training run may name its newest profile
  symlinkSync(resnet, join(folder, "latest"));
  const page = await openFile(browser, make(folder, "resnet.html", join(folder, "latest")));
  same("report: begins with the profile", await heading(page), "Overview");
  check("report: its title", (await page.title()).includes("latest"), await page.title());
  const titles = await links(page);
  check("report: no prompt in it", titles.length > 8 && !titles.includes("Prompt"), titles.join());
  for (const title of titles) {
    await page.locator("nav").getByRole("link", { name: title, exact: true }).click();
    await settled(page);
    check(`report: ${title} shows something`, (await page.locator("main").innerText()).length > 40 && !(await page.locator(".fault").count()), await page.locator("main").innerText());
    noFaults(`report: ${title}`, page);
    if (["Overview", "Scope", "Source"].includes(title)) await axe(`report: ${title}`, page);
  }
  same("report: nothing in it leads to a server", await page.locator('a[href^="/"], a[href^="http"]').count(), 0);
  await page.context().close();
}

/** A report's rows as the table has them, parents before children. */
function preorder(root, field) {
  const rows = [];
  const todo = [root];
  while (todo.length) {
    const row = todo.pop();
    rows.push([row.name, String(row[field])]);
    todo.push(...[...(row.children ?? [])].reverse());
  }
  return rows;
}

/** Names and totals that are on the screen: of a number the tip has all digits. */
const shown = (page, column) =>
  page.locator("[role=treegrid]").evaluate((grid, wanted) => {
    const heads = [...grid.querySelectorAll("[role=columnheader]")].map((h) => h.dataset.column);
    const at = heads.indexOf(wanted);
    return [...grid.querySelectorAll(".body [role=row]")].filter((r) => r.checkVisibility()).map((r) => {
      const cells = r.querySelectorAll("[role=gridcell]");
      return [cells[0].title, cells[at].querySelector("[title]")?.title.split(" ")[0] ?? ""];
    });
  }, column);

async function numbers(browser, folder) {
  const page = await openFile(browser, make(folder, "numbers.html", dense));
  const base = await baseOf(page);
  for (const [view, column] of [["scope", "micros"], ["scope", "params"], ["scope", "peak_bytes"], ["graph", "bytes"], ["op", "micros"], ["op", "float_ops"], ["code", "micros"], ["scope", "macs"], ["scope", "float_ops"]]) {
    await show(page, `${base}/${view}?select=${column}${view === "op" ? "" : "&sort="}`); // the order of the file
    const own = ["macs", "float_ops"].includes(column) ? ["-float_ops_source", "own"] : [];
    const json = said(view, dense, "-select", column, "-max_depth", "100000", ...own);
    const isOp = view === "op"; // a list, the largest first, without totals
    const rows = preorder(json.root, isOp ? json.columns[0].field : json.columns[0].total_field);
    if (isOp) rows.sort((a, b) => Number(b[1]) - Number(a[1]));
    check(`report: rows of ${view} by ${column}`, (await counted(page)).includes(`of ${rows.length.toLocaleString("en-US")} rows`), `${await counted(page)} instead of ${rows.length}`);
    if (!isOp) await page.getByRole("button", { name: "Open all" }).click();
    const got = await shown(page, isOp ? column : `total_${column}`);
    const wanted = (all) => all.slice(0, 25).map((row) => (isOp ? row[1] : row));
    same(`report: ${column} of ${view}`, wanted(got), wanted(rows));
  }
  noFaults("report: numbers", page);
  await page.context().close();
}

async function several(browser, folder) {
  const page = await openFile(browser, make(folder, "two.html", dense, gpu));
  same("report of two: begins with the list", await page.locator("table.list tbody tr").count(), 2);
  await page.locator("header").getByRole("link", { name: "Compare" }).click();
  await settled(page);
  const rows = said("diff", dense, gpu, "-select", "micros", "-min_size", "0").rows;
  check("report of two: rows of the comparison", (await counted(page)).includes(`of ${rows.length.toLocaleString("en-US")} rows`), `${await counted(page)} instead of ${rows.length}`);
  for (const view of ["op", "code", "graph"]) {
    await page.locator("#view").selectOption(view);
    await settled(page);
    check(`report of two: compared by ${view}`, (await counted(page)) !== "" && !(await page.locator(".fault").count()));
  }
  noFaults("report of two", page);
  await page.context().close();
}

async function oneStep(browser, folder) {
  const page = await openFile(browser, make(folder, "step.html", dense, "-step", "3"));
  const base = await baseOf(page);
  await show(page, `${base}/scope?select=micros`);
  check("report of a step: says so", (await page.locator(".commandline code").innerText()).includes("-step 3"));
  await show(page, `${base}/timeline`);
  same("report of a step: its timeline", await page.locator("#step option").allInnerTexts(), ["3"]);
  noFaults("report of a step", page);
  await page.context().close();
}

/** 85,000 nodes: nothing is left out, and its table comes at once. */
async function large(browser, folder) {
  const path = make(folder, "large.html", big);
  check("large report: its size", statSync(path).size < 20 << 20, statSync(path).size);
  const page = await openFile(browser, path);
  // calls are of traces
  same("large report: nothing is left out", await page.locator('script[data-left]:not([data-ask*="/views/calls"])').count(), 0);
  const from = Date.now();
  await show(page, `${await baseOf(page)}/scope`);
  await page.locator("[role=treegrid]").waitFor();
  const took = Date.now() - from;
  console.log(`large report: ${(statSync(path).size / 1e6).toFixed(1)} MB; its scope view after ${took} ms`);
  check("large report: its scope view", took < 5000, took);
  noFaults("large report", page);
  await page.context().close();
}

/** The values of a tensor are in it too. */
async function checkpoint(browser, folder) {
  const page = await openFile(browser, make(folder, "checkpoint.html", join(sample, "dense/ckpt_v2/model.ckpt-3.index")));
  await show(page, `${await baseOf(page)}/checkpoint`);
  await page.getByRole("button", { name: "softmax/biases", exact: true }).click();
  await settled(page);
  check("report of a checkpoint: a tensor", /10 values/.test(await page.locator("main").innerText()), await page.locator("main").innerText());
  noFaults("report of a checkpoint", page);
  await page.context().close();
}

/** What does not fit in is left out, and its page says so. */
async function small(browser, folder) {
  const page = await openFile(browser, make(folder, "small.html", big, "--max-size", "1"));
  check("report with a bound: its size", statSync(join(folder, "small.html")).size <= 1 << 20, statSync(join(folder, "small.html")).size);
  const base = await baseOf(page);
  await show(page, `${base}/scope`);
  check("report with a bound: says what it lacks", (await page.locator(".fault").innerText()).includes("--max-size"));
  noFaults("report with a bound", page);
  await page.context().close();
}

/** Names from outside stay text. */
async function hostile(browser, folder) {
  const name = "</script><!--<script>alert(1)</script>&quot;.pbtxt";
  const file = join(folder, "</script><img src=x onerror=alert(1)>.pbtxt".replaceAll("/", "_"));
  writeFileSync(file, `node { name: ${JSON.stringify(name)} op: "NoOp" }\n`);
  const page = await openFile(browser, make(folder, "hostile.html", file));
  let asked = 0;
  page.on("dialog", (d) => (asked++, d.dismiss()));
  await page.locator("nav").getByRole("link", { name: "Scope", exact: true }).click();
  await settled(page);
  await page.getByRole("button", { name: "Open all" }).click();
  check("report of a hostile name: shown as text", (await page.locator("main").innerText()).includes("script><!--<script>alert(1)"), await page.locator("main").innerText());
  check("report of a hostile name: nothing ran", !asked && !(await page.locator("img").count()));
  noFaults("report of a hostile name", page);
  await page.context().close();
}

export async function report(browser) {
  const folder = mkdtempSync(join(tmpdir(), "tfprof_report_"));
  try {
    for (const run of [everyPage, traced, numbers, several, oneStep, hostile, checkpoint, large, small]) await run(browser, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

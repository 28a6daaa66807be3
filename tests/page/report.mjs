// SPDX-License-Identifier: Apache-2.0
// tests/page/report.mjs: files of `tfprof report`, opened from the disk: every page, numbers against the command line.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { axe, check, column, details, go, grid, main, noFaults, open, placeOf, rail, rows, said, same, selected, settled } from "./harness.mjs";

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

/** A page that may request only its own file. */
async function openFile(browser, path) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", offline: true });
  const page = await context.newPage();
  page.faults = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GL Driver Message/.test(m.text()) && page.faults.push(`console: ${m.text()}`));
  page.on("pageerror", (e) => page.faults.push(`page error: ${e.message}`));
  page.on("request", (r) => r.url().split("#")[0] !== `file://${path}` && !/^(data|blob):/.test(r.url()) && page.faults.push(`request to ${r.url().slice(0, 200)}`));
  page.setDefaultTimeout(30000);
  await page.goto(`file://${path}`);
  await settled(page);
  return page;
}

const baseOf = async (page) => (await page.evaluate(() => location.hash)).replace(/\/overview.*/, "");
async function show(page, hash) {
  await page.evaluate((to) => (location.hash = to), hash);
  await settled(page);
}

/** Share saves the profile as a file that opens with the current view. */
async function saved(browser, folder, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids["traces/kineto.json"]}/timeline`);
  const mark = await page.evaluate(() => globalThis.tfprof.pictures.timeline.marks().find((m) => m.kind === "span" && m.name.startsWith("Memcpy"))?.id);
  await go(page, `#/p/${ids["traces/kineto.json"]}/timeline?sel=span:${mark}&ranks=0`);
  await page.getByRole("button", { name: "Share" }).click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: /Save as report/ }).click()]);
  await page.getByRole("status").filter({ hasText: "is saved" }).waitFor();
  same("Share: the file's name", file.suggestedFilename(), "traces_kineto.report.html");
  noFaults("Share: save as report", page);
  const path = join(folder, "saved.html");
  await file.saveAs(path);
  await page.context().close();
  const own = await openFile(browser, path);
  same("Share: the file begins with the view", [await placeOf(own), (await selected(own, "span")).id], ["timeline", String(mark)]);
  await show(own, `${(await own.evaluate(() => location.hash)).replace(/\/timeline.*/, "")}/table?by=kernel`);
  check("Share: the file has its tables", (await rows(own, "Table").count()) > 1, await main(own).innerText());
  await own.getByRole("button", { name: "Share" }).click();
  check("a report says how one is made", /tfprof report /.test(await own.getByRole("menu").innerText()), await own.getByRole("menu").innerText());
  await axe("the menu of a report", own);
  noFaults("Share: the saved file", own);
  await own.context().close();
}

/** Reports of a trace: calls, and the arguments of a span. */
async function traced(browser, folder) {
  const page = await openFile(browser, make(folder, "trace.html", join(sample, "traces/kineto.json")));
  const base = await baseOf(page);
  await show(page, `${base}/table?by=call`);
  check("report: calls of a trace", (await rows(page, "Table").count()) > 1, await main(page).innerText());
  await show(page, `${base}/flame?by=scope&sort=start`);
  const inOrder = await page.evaluate(() => globalThis.tfprof.pictures.flame.marks().sort((a, b) => a.y - b.y || a.x - b.x).map((m) => m.id));
  const level = said("scope", join(sample, "traces/kineto.json"), "-order_by", "start", "-select", "cpu_micros").root.children.filter((c) => c.total_cpu_exec_micros > 0).map((c) => c.name);
  same("report: the flame graph in order of time", inOrder.slice(0, level.length), level);
  await show(page, `${base}/findings`);
  await main(page).locator("[data-evidence]").first().click();
  await settled(page);
  same("report: the evidence is in the timeline", await placeOf(page), "timeline");
  check("report: and is selected", /span|step/.test(await details(page).getAttribute("data-kind")));
  const mark = await page.evaluate(() => globalThis.tfprof.pictures.timeline.marks().find((m) => m.kind === "span" && m.name.startsWith("Memcpy"))?.id);
  check("report: the timeline has its copies", mark !== undefined);
  await show(page, `${base}/timeline?sel=span:${mark}`);
  check("report: the arguments of a span", /bytes\s*4096/.test((await selected(page, "span")).text), await details(page).innerText());
  noFaults("report: of a trace", page);
  await page.context().close();
}

async function everyPlace(browser, folder) {
  // through a link, because a training run may link to its newest profile
  symlinkSync(resnet, join(folder, "latest"));
  const page = await openFile(browser, make(folder, "resnet.html", join(folder, "latest")));
  same("report: begins with the profile", await placeOf(page), "overview");
  check("report: its title", (await page.title()).includes("latest"), await page.title());
  const titles = await rail(page).getByRole("link").evaluateAll((all) => all.map((a) => a.firstChild.textContent));
  check("report: it has places", ["Overview", "Findings", "Timeline", "Table", "Flame"].every((t) => titles.includes(t)), titles.join());
  for (const title of titles.filter((t) => t !== "Compare")) {
    await rail(page).getByRole("link", { name: new RegExp(`^${title}`) }).click();
    await settled(page);
    check(`report: ${title} is drawn`, !(await page.locator("main .fault").count()), await main(page).innerText());
    noFaults(`report: ${title}`, page);
    if (["Overview", "Table"].includes(title)) await axe(`report: ${title}`, page);
  }
  same("report: nothing in it leads to a server", await page.locator('a[href^="/"], a[href^="http"]').count(), 0);
  await page.context().close();
}

/** The rows of a report in JSON by name. */
function byName(root, field) {
  const out = {};
  const todo = [root];
  while (todo.length) {
    const row = todo.pop();
    out[row.name] = row[field];
    todo.push(...(row.children ?? []));
  }
  return out;
}

/** Source text is included for lines with a cost and the lines around them, and only from one
 * folder. */
async function withSource(browser, folder) {
  mkdirSync(join(folder, "code"));
  writeFileSync(join(folder, "code/train.py"), Array.from({ length: 40 }, (_, i) => `line_${i + 1} = ${i + 1}\n`).join(""));
  writeFileSync(join(folder, "net.py"), "secret\n".repeat(40));
  const path = make(folder, "source.html", join(sample, "traces/kineto.json"), "--source", join(folder, "code"));
  const page = await openFile(browser, path);
  const base = await baseOf(page);
  await show(page, `${base}/table?by=line&sel=line:train.py:7:main`);
  check("report: the text of a line", /line_4 = 4[^]*line_10 = 10/.test((await selected(page, "line")).text), await details(page).innerText());
  await show(page, `${base}/table?by=line&sel=line:net.py:20:forward`);
  check("report: no text from elsewhere", /--source/.test((await selected(page, "line")).text), await details(page).innerText());
  const texts = await page.evaluate(async () => {
    const all = [...document.querySelectorAll('script[data-ask*="/source\t"]')].map((e) => Uint8Array.from(atob(e.textContent.trim()), (c) => c.charCodeAt(0)));
    return Promise.all(all.map((b) => new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("gzip"))).text()));
  });
  same("report: one text", texts.length, 1);
  same("report: five lines around a line with a cost, the others empty", texts[0]?.split("\n").map((l, i) => (l ? i + 1 : 0)).filter(Boolean), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  noFaults("report: with source", page);
  await page.context().close();
}

async function numbers(browser, folder) {
  const page = await openFile(browser, make(folder, "numbers.html", dense));
  const base = await baseOf(page);
  for (const [by, col, select, field] of [["scope", "host", "cpu_micros", "total_cpu_exec_micros"], ["scope", "bytes", "bytes", "total_requested_bytes"], ["op", "self", "cpu_micros", "cpu_exec_micros"], ["op", "bytes", "bytes", "requested_bytes"]]) {
    await show(page, `${base}/table?by=${by}&sort=-${col}`);
    const [got, wanted] = [await column(page, "Table", col), byName(said(by, dense, "-select", select, "-max_depth", "100000").root, field)];
    const off = Object.keys(got).filter((name) => (got[name] ?? 0) !== (wanted[name] ?? 0));
    check(`report: ${col} of ${by} as the command line`, Object.values(got).some((v) => v > 0) && !off.length, off.map((n) => `${n}: ${got[n]}, not ${wanted[n]}`).join("; "));
  }
  noFaults("report: numbers", page);
  await page.context().close();
}

async function several(browser, folder) {
  const page = await openFile(browser, make(folder, "two.html", dense, gpu));
  same("report of two: begins with the list", [await placeOf(page), await rows(page, "Profiles").count()], ["profiles", 2]);
  await rows(page, "Profiles").first().getByRole("link").click();
  await settled(page);
  same("report of two: each opens", await placeOf(page), "overview");
  noFaults("report of two", page);
  await page.context().close();
}

async function oneStep(browser, folder) {
  const page = await openFile(browser, make(folder, "step.html", dense, "-step", "3"));
  await show(page, `${await baseOf(page)}/table?by=scope&sort=-host`);
  const [got, wanted] = [await column(page, "Table", "host"), byName(said("scope", dense, "-step", "3", "-select", "cpu_micros", "-max_depth", "100000").root, "total_cpu_exec_micros")];
  check("report of a step: its numbers", Object.keys(got).length > 1 && Object.keys(got).every((name) => (got[name] ?? 0) === (wanted[name] ?? 0)), JSON.stringify(got));
  noFaults("report of a step", page);
  await page.context().close();
}

/** 85,000 nodes: nothing is left out, and the table appears at once. */
async function large(browser, folder) {
  const path = make(folder, "large.html", big);
  check("large report: its size", statSync(path).size < 20 << 20, statSync(path).size);
  const page = await openFile(browser, path);
  // only traces have calls, single allocations, what-if results, limits and phases
  same("large report: nothing is left out", await page.locator('script[data-left]:not([data-ask*="/views/calls"]):not([data-ask*="by=tensor"]):not([data-ask*="/whatif"]):not([data-ask*="/views/limits"]):not([data-ask*="/views/triage"])').count(), 0);
  const from = Date.now();
  await show(page, `${await baseOf(page)}/table?by=scope`);
  await grid(page, "Table").waitFor();
  const took = Date.now() - from;
  console.log(`large report: ${(statSync(path).size / 1e6).toFixed(1)} MB; its table of scopes after ${took} ms`);
  check("large report: its table of scopes", took < 5000, took);
  noFaults("large report", page);
  await page.context().close();
}

/** What does not fit is left out, and its view says so. */
async function small(browser, folder) {
  const page = await openFile(browser, make(folder, "small.html", big, "--max-size", "1"));
  check("report with a bound: its size", statSync(join(folder, "small.html")).size <= 1 << 20, statSync(join(folder, "small.html")).size);
  const base = await baseOf(page);
  await show(page, `${base}/overview`);
  check("report with a bound: its first page names what it lacks", /^Left out of this report: .*scope.*--max-size/.test(await page.getByRole("note").innerText()), await main(page).innerText());
  await show(page, `${base}/table?by=scope`);
  check("report with a bound: says what it lacks", (await page.locator(".fault").innerText()).includes("--max-size"));
  noFaults("report with a bound", page);
  await page.context().close();
}

/** Names from files are shown as text, never as HTML. */
async function hostile(browser, folder) {
  const name = "</script><!--<script>alert(1)</script>&quot;.pbtxt";
  const file = join(folder, "</script><img src=x onerror=alert(1)>.pbtxt".replaceAll("/", "_"));
  writeFileSync(file, `node { name: ${JSON.stringify(name)} op: "NoOp" }\n`);
  const page = await openFile(browser, make(folder, "hostile.html", file));
  let asked = 0;
  page.on("dialog", (d) => (asked++, d.dismiss()));
  await show(page, `${await baseOf(page)}/table?by=scope&q=script`);
  check("report of a hostile name: shown as text", (await page.locator("main").innerText()).includes("script><!--<script>alert(1)"), await page.locator("main").innerText());
  check("report of a hostile name: nothing ran", !asked && !(await page.locator("img").count()));
  noFaults("report of a hostile name", page);
  await page.context().close();
}

export async function report(browser, ids) {
  const folder = mkdtempSync(join(tmpdir(), "tfprof_report_"));
  try {
    for (const run of [saved, everyPlace, traced, withSource, numbers, several, oneStep, hostile, large, small]) await run(browser, folder, ids);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

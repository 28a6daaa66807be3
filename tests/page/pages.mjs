// SPDX-License-Identifier: Apache-2.0
// tests/page/pages.mjs: every page clicked through: numbers as the command line has them, keys, roles, links, faults, axe.
import { axe, check, go, noFaults, open, said, same, settled, sideways, url } from "./harness.mjs";

const DENSE = "dense/profile_3.gz";
const TRACE = "pytorch/train.json.gz";
const DATA = new URL("../data/sample/", import.meta.url).pathname;
const MODELS = ["resnet32", "seq2seq"];
// The text of a source may lie elsewhere, and a checkpoint alone has no graph: the page says so, and the browser notes it.
const REFUSED = { Source: /status of 40[034]/, "Float ops": /status of 400/ };

/** The rows of a tree table that are in the document: name, level, and the raw numbers of their cells. */
function rowsOf(page) {
  return page.$$eval(".body .row", (rows) =>
    rows.map((r) => ({
      name: r.querySelector(".name").title,
      level: Number(r.getAttribute("aria-level")),
      expanded: r.getAttribute("aria-expanded"),
      at: Number(r.getAttribute("aria-rowindex")),
      values: [...r.querySelectorAll(".cell")].map((c) => (c.title && c.classList.contains("number") ? parseFloat(c.title) : c.textContent)),
    })).sort((a, b) => a.at - b.at),
  );
}

/** The heads of a tree table: name -> place among the cells. */
async function headsOf(page) {
  const names = await page.$$eval(".head [role=columnheader]", (all) => all.map((c) => c.dataset.column));
  return Object.fromEntries(names.map((n, i) => [n, i - 1]));
}

async function links(page) {
  return page.$$eval("nav[aria-label] a", (all) => all.map((a) => ({ title: a.textContent, hash: a.getAttribute("href") })));
}

/** ResNet-32's pages: looks(). */
async function clickThrough(browser, ids) {
  for (const name of [DENSE, "gpu/profile_1.gz", TRACE, "seq2seq", "dense/ckpt_v2/model.ckpt-3", "odd/graph.pb"]) {
    const page = await open(browser);
    await go(page, "#/");
    await page.click(`a:text-is("${name}")`);
    await settled(page);
    const all = await links(page);
    check(`${name}: has pages`, all.length >= 5, all.length);
    for (const { title } of all) {
      await page.click(`nav[aria-label] a:text-is("${title}")`);
      await settled(page);
      const fault = REFUSED[title] ? null : await page.$(".fault");
      check(`${name}: ${title} is shown`, !fault && (await page.$("main h1")), fault ? await fault.textContent() : "");
      same(`${name}: ${title} is marked as current`, await page.textContent("nav [aria-current=page]"), title);
      noFaults(`${name}: ${title}`, page, REFUSED[title]);
    }
    await page.context().close();
  }
}

/** Of a report in JSON the same rows as the table's: name -> total of a field. */
function totalsOf(report, field) {
  const out = {};
  for (const child of report.root.children) out[child.name] = child[field];
  return out;
}

async function numbers(browser, ids) {
  const page = await open(browser);
  const fields = { total_micros: "total_exec_micros", total_params: "total_parameters", total_bytes: "total_requested_bytes" };
  for (const [profile, file] of [[DENSE, `${DATA}${DENSE}`], ...MODELS.map((m) => [m, `${process.env.PAGE_FOLDER}/${m}`])]) {
    for (const view of ["scope", "graph", "op", "code"]) {
      await go(page, `#/p/${ids[profile]}/${view}?select=micros,bytes,params${view === "scope" ? "" : "&max_depth=4"}`);
      const report = said(view, file, "-select", "micros,bytes,params", "-max_depth", view === "scope" ? "100000" : "4");
      const heads = await headsOf(page);
      const rows = await rowsOf(page);
      same(`${profile} ${view}: the root comes first`, rows[0]?.name, report.root.name);
      for (const [total, sum] of Object.entries(fields)) {
        const [column, field] = view === "op" ? [total, sum].map((n) => n.replace("total_", "")) : [total, sum]; // operations have no sums
        if (!(column in heads)) {
          check(`${profile} ${view}: has ${column}`, false, Object.keys(heads));
          continue;
        }
        same(`${profile} ${view}: ${column} of all`, rows[0]?.values[heads[column]], report.root[field]);
        const want = totalsOf(report, field);
        const second = rows.filter((r) => r.level === 2).slice(0, 15);
        if (view === "scope") check(`${profile} ${view}: rows below the root`, second.length, rows.length);
        for (const row of second) same(`${profile} ${view}: ${column} of ${row.name}`, row.values[heads[column]], want[row.name]);
      }
    }
  }
  await go(page, `#/p/${ids[DENSE]}/overview`);
  check("overview tells the nodes", (await page.textContent("main")).includes("183"));
  await go(page, `#/p/${ids["dense/graph.pb"]}/overview`);
  const notes = () => page.$$eval("main .note", (all) => all.map((n) => n.textContent));
  check("overview tells which variables its elements count", (await notes()).some((n) => n.startsWith("params are TensorFlow's count")), JSON.stringify(await notes()));
  check("overview explains no number that it does not show", !(await notes()).some((n) => n.includes("times are 0")), JSON.stringify(await notes()));
  noFaults("numbers", page);
  await page.context().close();
}

async function table(browser, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids[DENSE]}/scope`);
  const grid = page.locator("[role=treegrid]");
  same("one tree grid", await grid.count(), 1);
  const shown = async () => Number(await grid.getAttribute("aria-rowcount"));
  const active = () => page.evaluate(() => document.getElementById(document.querySelector("[role=treegrid]").getAttribute("aria-activedescendant"))?.querySelector(".name")?.title);
  const before = await shown();
  await grid.focus();
  await page.keyboard.press("Home");
  const first = await active();
  await page.keyboard.press("ArrowDown");
  check("down goes to the next row", (await active()) !== first, await active());
  for (let i = 0; i < 30 && (await page.$eval(".row.current", (r) => r.getAttribute("aria-expanded"))) !== "false"; i++) await page.keyboard.press("ArrowDown");
  const closed = await active();
  await page.keyboard.press("ArrowRight");
  check("right opens", (await shown()) > before, await shown());
  same("right stays on the row", await active(), closed);
  await page.keyboard.press("ArrowRight");
  check("right again goes to its first child", (await active()).startsWith(`${closed}/`), await active());
  await page.keyboard.press("ArrowLeft");
  same("left goes to the parent", await active(), closed);
  await page.keyboard.press("ArrowLeft");
  same("left again closes", await shown(), before);
  await page.keyboard.press("End");
  await page.waitForTimeout(80);
  check("the row at the end is in the document", await active());
  await page.keyboard.press("PageUp");
  await page.keyboard.press("Home");
  same("home goes back", await active(), first);
  await page.keyboard.press("*");
  check("* opens all", (await shown()) > 183, await shown());
  await page.click("button:text-is('Close all')");
  check("closed again", (await shown()) <= before, await shown());

  await page.click("[data-column=name] button");
  for (const [press, order] of [[1, "descending"], [2, "ascending"]]) {
    await page.click("[data-column=total_micros] button");
    await settled(page);
    same(`sort ${press}: told`, await page.getAttribute("[data-column=total_micros]", "aria-sort"), order);
    const heads = await headsOf(page);
    const values = (await rowsOf(page)).filter((r) => r.level === 2).map((r) => r.values[heads.total_micros]);
    const sorted = values.slice().sort((a, b) => (order === "descending" ? b - a : a - b));
    same(`sort ${press}: rows`, values, sorted);
    check("the sort is in the address", page.url().includes("sort="));
  }
  await page.click("[data-column=name] button");
  await settled(page);
  const names = (await rowsOf(page)).filter((r) => r.level === 2).map((r) => r.name);
  same("sorted by name", names, names.slice().sort());

  await page.focus("[role=treegrid]");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  const picked = await active();
  await page.keyboard.press("Enter");
  await settled(page);
  check("Enter goes to the flame graph of the row", page.url().includes("/flame?top="), page.url());
  check("which begins there", (await page.textContent("main")).includes(picked), picked);
  await page.goBack();
  await settled(page);
  await page.fill("#search", "matmul");
  await settled(page);
  const found = await rowsOf(page);
  check("search leaves what has the word, and what is above it", found.length > 3 && found.some((r) => r.name.toLowerCase().includes("matmul")), found.length);
  for (const row of found) check(`search: ${row.name} fits`, row.name.toLowerCase().includes("matmul") || row.expanded === "true");
  const address = page.url();
  const again = await open(browser);
  await again.goto(address);
  await settled(again);
  same("the address alone shows the same", await rowsOf(again), found);
  await page.fill("#search", "no such name anywhere");
  await settled(page);
  check("a search that finds nothing says so", /no row/i.test(await page.textContent("main")));
  noFaults("table", page);
  noFaults("table, opened by its address", again);
  await page.context().close();
  await again.context().close();
}

/** Every head stands above its cells, whatever is selected and however wide the page is. */
async function widths(browser, ids) {
  for (const width of [390, 1280, 2000]) {
    const page = await open(browser, { viewport: { width, height: 800 } });
    for (const select of ["micros", "micros,bytes,params,float_ops,device,occurrence"]) {
      await go(page, `#/p/${ids[DENSE]}/scope?select=${select}`);
      const off = await page.evaluate(() => {
        const edges = (all) => [...all].map((e) => Math.round(e.getBoundingClientRect().right));
        const heads = edges(document.querySelectorAll(".head > *"));
        return [heads, edges(document.querySelector(".body .row").children)];
      });
      same(`${width} px, ${select}: heads above their cells`, off[0], off[1]);
    }
    noFaults(`widths at ${width}`, page);
    await page.context().close();
  }
}

async function options(browser, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids[DENSE]}/scope`);
  await page.click("button:text-is('All options')");
  await page.fill("#option-show_name_regexes", ".*MatMul.*");
  await page.keyboard.press("Tab");
  await settled(page);
  check("an option is in the address", page.url().includes("show_name_regexes"));
  check("and on the command line shown", (await page.textContent(".commandline code")).includes("-show_name_regexes"), await page.textContent(".commandline code"));
  await page.locator("fieldset.select input").nth(2).click();
  await settled(page);
  check("a column is in the address", page.url().includes("select="));
  await page.goBack();
  await settled(page);
  check("back takes it away", !page.url().includes("select="));
  noFaults("options", page);
  await go(page, `#/p/${ids[DENSE]}/scope?show_name_regexes=%28`);
  check("a wrong pattern is an error with words", await page.$("[role=alert]"));
  noFaults("a wrong option", page, /status of 400/);
  await page.context().close();
}

async function faults(browser, ids) {
  const page = await open(browser);
  for (const hash of ["#/p/nosuchid/scope", `#/p/${ids[DENSE]}/nosuchpage`, "#/nosuchpage", `#/p/${ids[DENSE]}/scope?no_such_option=1`, "#/%E0%A4%A", "#/p/%E0%A4%A/x", "#/compare?side=nosuch&side=other"]) {
    await go(page, hash);
    const text = await page.textContent("body");
    check(`${hash}: says what is wrong`, /did not work|no such page|cannot be shown|wrong|no profile/i.test(text), text.slice(0, 200));
    noFaults(hash, page, /status of 40[04]/);
  }
  await page.context().close();
}

async function compare(browser, ids) {
  const page = await open(browser);
  await go(page, "#/");
  await page.click("header a:text-is('Compare')");
  await settled(page);
  check("compare asks for sides", /choose/i.test(await page.textContent("main")));
  await page.selectOption("#side-0", ids[DENSE]);
  await settled(page);
  await page.selectOption("#side-1", ids["dense_resource/profile_3.gz"]);
  await settled(page);
  const report = said("diff", `${DATA}${DENSE}`, `${DATA}dense_resource/profile_3.gz`, "-view", "scope", "-select", "micros", "-min_size", "0");
  const rows = await rowsOf(page);
  check("compare has rows", rows.length > 1, rows.length);
  const first = report.root ?? report.rows?.[0] ?? {};
  const wanted = Object.values(first).flat().filter((v) => typeof v === "number" && v > 1000);
  check("numbers of both sides as diff has them", !wanted.length || rows[0].values.some((v) => wanted.includes(v)), `${JSON.stringify(rows[0])} ${JSON.stringify(wanted)}`);
  await axe("compare, light", page);
  noFaults("compare", page);
  await page.context().close();
}

async function prompt(browser, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids[DENSE]}/prompt`);
  for (const [line, part] of [["scope -max_depth 1", "_TFProfRoot"], ["help", "scope"], ["no_such_command", ""]]) {
    await page.fill("#line", line);
    await page.keyboard.press("Enter");
    await page.waitForFunction((l) => [...document.querySelectorAll(".asked")].pop()?.textContent.endsWith(l), line);
    check(`prompt: ${line}`, (await page.textContent(".said > div:last-of-type, .said")).includes(part));
  }
  check("a wrong command is an error", await page.$(".said .fault"));
  await page.keyboard.press("ArrowUp");
  same("up brings the last line back", await page.inputValue("#line"), "no_such_command");
  noFaults("prompt", page);
  await page.context().close();
}

async function bars(browser, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids.resnet32}/flame`);
  const canvas = page.locator("canvas.bars");
  await canvas.focus();
  const all = await page.textContent(".told strong");
  await page.keyboard.press("ArrowDown");
  const below = await page.textContent(".told strong");
  check("flame: down goes to a bar below", below !== all, below);
  await page.keyboard.press("Enter");
  await settled(page);
  check("flame: Enter zooms, in the address", page.url().includes("top="));
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address);
  await settled(page);
  same("flame: the address alone shows the same", await page.textContent(".told strong"), below);
  await page.locator("canvas.bars").focus();
  await page.keyboard.press("Escape");
  await settled(page);
  check("flame: Escape zooms out", !page.url().includes("top="));
  await page.selectOption("#shape", "flame");
  await page.selectOption("#of", "code");
  await settled(page);
  check("flame: of code", !(await page.$(".fault")));
  check("flame: its command line", (await page.textContent(".commandline code")).includes("tfprof code "));
  noFaults("flame", page);
  await page.context().close();
}

async function timeline(browser, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids["gpu/profile_1.gz"]}/timeline`);
  const canvas = page.locator("canvas.timeline");
  await canvas.focus();
  const whole = await page.textContent(".tools .count");
  await page.keyboard.press("+");
  await page.waitForTimeout(200);
  check("timeline: + zooms in", (await page.textContent(".tools .count")) !== whole);
  await page.waitForTimeout(300);
  const address = page.url();
  check("timeline: the zoom is in the address", /time=/.test(address), address);
  const zoomed = await page.textContent(".tools .count");
  await page.goto("about:blank");
  await page.goto(address);
  await settled(page);
  same("timeline: the address alone shows the same", await page.textContent(".tools .count"), zoomed);
  await canvas.focus();
  await page.keyboard.press("0");
  await page.waitForTimeout(200);
  same("timeline: 0 shows all", await page.textContent(".tools .count"), whole);
  await page.keyboard.press("m");
  await page.waitForTimeout(200);
  check("timeline: m selects, with sums", await page.$("table caption"));
  const events = said("query", "SELECT count(*) AS n FROM spans WHERE step = 1 AND start_us IS NOT NULL", `${DATA}gpu/profile_1.gz`);
  check("timeline: as many events as the query says", whole.replaceAll(",", "").includes(`${events.root?.children?.[0]?.n ?? events.rows?.[0]?.n ?? events.rows?.[0]?.[0]} events`), `${whole} ${JSON.stringify(events).slice(0, 300)}`);
  for (const key of ["ArrowDown", "ArrowDown", "."]) await page.keyboard.press(key);
  await page.waitForTimeout(400);
  check("timeline: keys pick an event, which is told", /\d\s(µs|ms) at/.test(await page.textContent(".told")), await page.textContent(".told"));
  check("timeline: and stands in the address", page.url().includes("event="), page.url());
  noFaults("timeline", page);
  await go(page, `#/p/${ids[TRACE]}/timeline?q=aten::mm`);
  await page.click("button:text-is('Next match')");
  await page.waitForFunction(() => document.querySelector(".told strong"));
  same("timeline: of a trace the next match is picked", await page.textContent(".told strong"), "aten::mm");
  check("timeline: and its place is told", /^1 of \d+$/.test(await page.textContent(".matches")), await page.textContent(".matches"));
  check("timeline: with what it launches, or what is around it", (await page.$$(".picked .link")).length);
  await page.click(".picked .link >> nth=0");
  await page.waitForFunction(() => document.querySelector(".told strong")?.textContent !== "aten::mm");
  noFaults("timeline of a trace", page);
  await go(page, `#/p/${ids["traces/kineto.json"]}/advice`);
  await page.click(".leads a:text('timeline')");
  await page.waitForFunction(() => document.querySelector(".told strong"));
  check("advice leads to the moment in the timeline", page.url().includes("/timeline?event="), page.url());
  noFaults("advice of a trace", page);
  await page.context().close();
}

/** Where steps go: bars of devices, steps one after the other, the critical path, two steps side by side. */
async function breakdown(browser, ids) {
  const page = await open(browser);
  const id = ids["gpu/profile_1.gz"];
  const labels = () => page.$$eval(".step-bars dd .stack", (all) => all.map((b) => b.getAttribute("aria-label")));
  await go(page, `#/p/${id}/overview`);
  same("breakdown: a bar for each device", (await labels()).length, 2);
  check("breakdown: the mean of both steps", (await labels())[0].startsWith("compute 4.29\u00a0ms (86.2%)"), (await labels())[0]);
  same("breakdown: a column for each step", await page.$$eval(".steps-over-time .stack", (all) => all.length), 2);
  await page.click('a:text-is("Steps in numbers")');
  await settled(page);
  same("breakdown: rows of the table", await page.textContent(".tools .count"), "6 of 6 rows");
  const filled = await page.$$eval(".body [role=row]", (rows) => rows.map((r) => [r.textContent.startsWith("all"), ...[...r.querySelectorAll(".cell.number")].slice(1, 2).map((c) => (c.querySelector(".bar")?.getBoundingClientRect().width ?? 0) / c.getBoundingClientRect().width)]));
  check("breakdown: bars compare steps, and sums have none", filled.length === 6 && filled.every(([sum, bar]) => (sum ? bar === 0 : bar > 0.4)), JSON.stringify(filled));
  await page.click("text=critical path");
  await settled(page);
  check("breakdown: the critical path", "gain_us" in (await headsOf(page)), JSON.stringify(await headsOf(page)));
  check("breakdown: stands in the address", page.url().includes("critical_path=true"), page.url());
  await go(page, `#/compare?side=${id}@0&side=${id}@1`);
  same("breakdown: two sides", (await labels()).length, 4);
  const shown = await page.$$eval(".step-bars dd .stack", (all) => all.map((bar) => {
    const parts = [...bar.children].map((part) => part.getBoundingClientRect().width);
    return [parts.reduce((sum, n) => sum + n, 0), bar.title];
  }));
  const us = (title) => parseFloat(title) * (/^[\d.]+ms/.test(title) ? 1000 : 1);
  for (const [width, title] of shown)
    check("breakdown: the bars of two sides are in one measure", Math.abs(width / shown[0][0] - us(title) / us(shown[0][1])) < 0.02, JSON.stringify(shown));
  await page.selectOption("#view", "steps");
  await settled(page);
  const compared = await rowsOf(page);
  for (const part of ["compute_us", "idle_us", "duration_us"])
    check(`breakdown: ${part} of steps compared`, JSON.stringify(compared).includes(`gpu:0/${part}`), JSON.stringify(compared.slice(0, 3)));
  await go(page, `#/compare?side=${id}@0&side=${id}@1&view=steps&select=params`);
  same("breakdown: steps have times and kernels", await page.inputValue("#select"), "micros");
  await go(page, `#/p/${ids["pprof/go_cpu.pb.gz"]}/overview`);
  const lines = await page.textContent("table.list");
  check("overview: sampled stacks have lines", lines.includes("130\u00a0ms") && lines.includes("asyncPreempt"), lines);
  same("overview: and pages that work", (await links(page)).map((l) => l.title), ["Overview", "Advice", "Summary", "Calls", "Code", "Lines", "Flame graph", "Query", "Prompt"]);
  for (const { title, hash } of await links(page)) {
    await go(page, hash);
    check(`sampled stacks: ${title}`, !(await page.$(".fault")), await page.textContent("main"));
  }
  noFaults("sampled stacks", page);
  await go(page, `#/p/${ids["dense/ckpt_v2/model.ckpt-3"]}/overview`);
  check("breakdown: without times there are no such pages", !(await links(page)).some((l) => l.title === "Steps"));
  noFaults("breakdown", page);
  await page.context().close();
}

/** Of two themes the colours differ: the rest is looked at in the light one. */
async function looks(browser, ids) {
  for (const theme of ["light", "dark"]) {
    const page = await open(browser, { colorScheme: theme });
    const isLight = theme === "light";
    const phone = isLight && await open(browser, { colorScheme: theme, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
    await go(page, "#/");
    const id = ids.resnet32;
    await go(page, `#/p/${id}/overview`);
    const all = [{ title: "Profiles", hash: "#/" }, { title: "Compare", hash: `#/compare?side=${id}&side=${ids.seq2seq}` }, ...(await links(page)),
      { title: "Checkpoint", hash: `#/p/${ids["dense/ckpt_v2/model.ckpt-3"]}/checkpoint` }];
    for (const { title, hash } of all) {
      await go(page, hash);
      const fault = REFUSED[title] ? null : await page.$(".fault");
      check(`${title}, ${theme}: is shown`, !fault && (await page.$("main h1")), fault ? await fault.textContent() : "");
      await axe(`${title}, ${theme}`, page, isLight ? null : ["color-contrast"]);
      noFaults(`${title}, ${theme}`, page, REFUSED[title]);
      if (process.env.PAGE_SHOTS) await page.screenshot({ path: `${process.env.PAGE_SHOTS}/${title}-${theme}.png` });
      if (!isLight) continue;
      await go(phone, hash);
      const wide = await sideways(phone);
      check(`${title}, phone: no scrolling sideways`, !wide, wide);
      await axe(`${title}, phone`, phone);
      noFaults(`${title}, phone, ${theme}`, phone, REFUSED[title]);
      if (process.env.PAGE_SHOTS) await phone.screenshot({ path: `${process.env.PAGE_SHOTS}/${title}-${theme}-phone.png` });
    }
    await page.context().close();
    if (isLight) await phone.context().close();
  }
}

async function theme(browser) {
  const page = await open(browser, { colorScheme: "light" });
  await go(page, "#/");
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.selectOption(".theme select", "dark");
  await page.waitForFunction((was) => getComputedStyle(document.body).backgroundColor !== was, light);
  const dark = await paper();
  check("the switch makes it dark", dark !== light, dark);
  await page.reload();
  await settled(page);
  same("and it stays", await paper(), dark);
  await page.selectOption(".theme select", "light");
  await page.waitForFunction((was) => getComputedStyle(document.body).backgroundColor !== was, dark);
  same("and light again", await paper(), light);
  noFaults("theme", page);
  await page.context().close();
}

async function headers() {
  const answer = await fetch(`${url}/`);
  check("a strict policy for content", /default-src 'none'/.test(answer.headers.get("content-security-policy") ?? ""), answer.headers.get("content-security-policy"));
}

export const parts = { headers, theme, clickThrough, numbers, table, widths, options, faults, compare, prompt, bars, timeline, breakdown, looks };

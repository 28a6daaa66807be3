// SPDX-License-Identifier: Apache-2.0
// tests/page/shown.mjs: that what the page shows is true and complete: each check is of something that once was wrong.
import { readFileSync } from "node:fs";
import { check, go, noFaults, open, said, same, settled, url } from "./harness.mjs";

const DENSE = "dense/profile_3.gz";
const DATA = new URL("../data/sample/", import.meta.url).pathname;

async function tableOf(path) {
  for (;;) {
    const answer = await fetch(`${url}/api/v1/${path}`);
    if (answer.status === 200) return answer;
    if (answer.status !== 202) throw new Error(`${path}: ${answer.status}`);
  }
}

/** Rows of a CSV without quotes. */
const rowsOf = (csv) => {
  const [head, ...rows] = csv.trim().split("\n").map((l) => l.split(","));
  return rows.map((r) => Object.fromEntries(head.map((name, i) => [name, r[i]])));
};

async function busy(browser, ids) {
  const page = await open(browser);
  let asked = 0;
  await page.route("**/query?**", (route) => {
    asked++;
    return route.fulfill({ status: 503, contentType: "application/json", body: '{"error":"too much at once"}' });
  });
  await go(page, `#/p/${ids[DENSE]}/query`);
  await page.fill("#sql", "SELECT 1");
  await page.click("button:text-is('Run')");
  await page.waitForSelector(".fault", { timeout: 25000 }).catch(() => undefined);
  check("a server that stays busy is told of", await page.$(".fault"), asked);
  check("it is asked a few times only", asked > 1 && asked < 12, asked);
  await page.unroute("**/query?**");
  await page.context().close();
}

const picture = (page, canvas) => page.locator(canvas).first().evaluate((c) => c.toDataURL());

async function themes(browser, ids) {
  for (const [hash, canvas] of [[`#/p/${ids["gpu/profile_1.gz"]}/timeline`, "canvas.timeline"], [`#/p/${ids.seq2seq}/memory`, ".chart canvas"], [`#/p/${ids[DENSE]}/overview`, ".chart canvas"]]) {
    const page = await open(browser, { colorScheme: "light" });
    await go(page, hash);
    const light = await picture(page, canvas);
    await page.selectOption(".theme select", "dark");
    await page.waitForTimeout(300);
    const dark = await picture(page, canvas);
    check(`${hash}: another theme draws it again`, dark !== light);
    await page.reload();
    await settled(page);
    await page.waitForTimeout(300);
    check(`${hash}: as a page that begins dark`, (await picture(page, canvas)) === dark);
    noFaults(`themes of ${hash}`, page);
    await page.context().close();
  }
}

async function source(browser, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids.resnet32}/source`);
  same("source: begins with the user's file", await page.inputValue("#file"), "tests/data/nets.py");
  const text = readFileSync(new URL("../data/nets.py", import.meta.url), "utf8").split("\n");
  const start = page.locator(".source .start");
  same("source: and with one line", await start.count(), 1);
  const [box, line] = await start.evaluate((e) => [e.closest(".source"), e].map((x) => x.getBoundingClientRect().toJSON())); // at one time
  check("source: which is in sight", box && line && line.y >= box.y && line.y + line.height <= box.y + box.height, JSON.stringify([box, line]));
  check("source: and is not the first", Number(await start.getAttribute("data-line")) > 1);
  same("source: the whole text", await page.locator(".source [data-line]").count(), text.length);
  const lefts = await page.$$eval(".source [data-line] code", (all) => [...new Set(all.map((c) => Math.round(c.getBoundingClientRect().left)))]);
  same("source: all code begins at one place", lefts.length, 1);
  await page.selectOption("#file", "tests/data/make_models.py");
  await settled(page);
  const lineOf = (n) => page.locator(".list.lines tbody tr, .source [data-line]").evaluateAll((all, number) => {
    const row = all.find((r) => (r.dataset.line ?? r.cells[0].textContent) === String(number));
    return row ? (row.querySelector("td[title]")?.title ?? row.querySelector(".cost").textContent) : "";
  }, n);
  const code = said("code", `${process.env.PAGE_FOLDER}/resnet32`, "-select", "micros", "-max_depth", "2");
  const top = code.root.children.filter((c) => c.name.startsWith("make_models.py:53:"));
  check("source: the code view has that line twice, forward and gradient", top.length === 2, JSON.stringify(top).slice(0, 200));
  const micros = top.reduce((sum, c) => sum + c.total_exec_micros, 0);
  check("source: a line costs what the code view says", [`${micros} us`, `${(micros / 1e6).toFixed(2)}\u00a0s`].includes(await lineOf(53)), `${await lineOf(53)} instead of ${micros} us`);
  noFaults("source", page, /status of 404/);
  for (const name of ["recorded/jax.xplane.pb.gz", "towers/profile_9.gz"]) {
    await go(page, `#/p/${ids[name]}/source`);
    const own = await page.$$eval("#file option", (all) => all.map((o) => o.textContent));
    const whole = said("scope", `${new URL("../data/sample/", import.meta.url).pathname}${name}`, "-select", "micros").root.total_exec_micros;
    const [most] = own.map((text) => (/own ([\d.]+)\sms/.exec(text) ?? ["", "0"])[1]);
    check(`source of ${name}: no file takes longer than all`, most > 0 && most <= whole / 1000 + 0.01, `${own[0]} of ${whole} us`);
    check(`source of ${name}: and the largest takes most of it`, most > (0.9 * whole) / 1000, `${own[0]} of ${whole} us`);
  }
  noFaults("source of others", page, /status of 404/);
  await page.context().close();
}

async function differences(browser, ids) {
  const page = await open(browser);
  await go(page, `#/compare?side=${ids[DENSE]}@0&side=${ids[DENSE]}@3`);
  const found = await page.$$eval(".body .row", (rows) =>
    rows.flatMap((r) => [...r.querySelectorAll(".cell.number")].map((c) => ({ value: parseFloat(c.title), bar: c.querySelector(".bar")?.getBoundingClientRect().width ?? 0, less: Boolean(c.querySelector(".bar.less")) }))).filter((c) => c.value < 0),
  );
  check("compare: there are negative differences", found.length > 3, found.length);
  check("compare: each has a bar", found.every((c) => c.less && c.bar > 0), JSON.stringify(found.slice(0, 5)));
  check("compare: as long as it is large", found[0].bar > 20, found[0].bar);
  noFaults("differences", page);
  await page.context().close();
}

/** Names on the screen, from the top. */
const namesOf = (page) => page.$$eval(".body .row", (rows) => rows.map((r) => [Number(r.getAttribute("aria-rowindex")), r.querySelector(".name").title]).sort((a, b) => a[0] - b[0]).map((r) => r[1]));

async function copied(browser, ids) {
  const page = await open(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  const clip = () => page.evaluate(() => navigator.clipboard.readText());
  const line = () => page.textContent(".commandline code");
  await go(page, `#/p/${ids[DENSE]}/scope?select=micros,bytes&sort=-total_micros`);
  check("the command line sorts as the page does", (await line()).includes("-order_by micros"), await line());
  await go(page, `#/p/${ids[DENSE]}/scope?select=micros,bytes&sort=total_bytes&q=matmul`);
  check("where it cannot, the page says so", (await page.textContent(".means")).includes("sorted and searched on the page only"), await page.textContent(".means"));
  await page.click("button:text-is('Copy CSV')");
  await page.waitForTimeout(200);
  const rows = rowsOf(await clip());
  same("Copy CSV: the rows on the screen, in their order", rows.map((r) => r.name), await namesOf(page));
  const heads = await page.$$eval(".head [role=columnheader]", (all) => all.map((c) => c.dataset.column));
  same("Copy CSV: the columns on the screen", Object.keys(rows[0]), heads);
  await page.click("button:text-is('Copy text')");
  await page.waitForTimeout(200);
  same("Copy text: as many lines", (await clip()).trim().split("\n").length, rows.length + 1);
  noFaults("copied", page);
  await page.context().close();
}

async function operations(browser, ids) {
  const page = await open(browser);
  const heads = () => page.$$eval(".head [role=columnheader]", (all) => all.map((c) => c.dataset.column));
  await go(page, `#/p/${ids[DENSE]}/op`);
  const micros = async (column) => {
    const at = (await heads()).indexOf(column) - 1;
    return page.$$eval(".body .row", (rows, i) => rows.map((r) => [Number(r.getAttribute("aria-rowindex")), parseFloat(r.querySelectorAll(".cell")[i].title)]).sort((a, b) => a[0] - b[0]).map((r) => r[1]), at);
  };
  const own = (await micros("micros")).slice(1);
  same("op: the most expensive comes first", own, own.slice().sort((a, b) => b - a));
  check("op: it has no running totals", !(await heads()).some((h) => h.startsWith("total_")), await heads());
  check("op: the command line is the same", (await page.textContent(".commandline code")).includes("-order_by micros"));
  await page.click("[data-column=name] button");
  await settled(page);
  same("op: it can be sorted by name", (await namesOf(page)).slice(1), (await namesOf(page)).slice(1).sort());
  noFaults("op", page);
  await page.context().close();
}

async function stepTimes(browser, ids) {
  const page = await open(browser);
  const steps = rowsOf(await (await tableOf(`profiles/${ids["gpu/profile_1.gz"]}/steps?format=csv`)).text());
  const mean = steps.reduce((sum, s) => sum + (s.end_us - s.start_us), 0) / steps.length;
  const all = steps.reduce((sum, s) => sum + Number(s.run_us), 0) / steps.length;
  await go(page, `#/p/${ids["gpu/profile_1.gz"]}/overview`);
  const facts = await page.$$eval(".facts > div", (all) => Object.fromEntries(all.map((d) => [d.querySelector("dt").textContent, d.querySelector("dd").textContent])));
  const near = (text, us) => Math.abs(parseFloat(text) * { µs: 1, ms: 1e3, s: 1e6 }[/[a-zµ]+$/.exec(text)[0]] - us) <= us / 100;
  check("overview: the duration of a step", near(facts["Duration of a step"] ?? "0 µs", mean), `${JSON.stringify(facts)} instead of ${mean}`);
  check("overview: the time of all operations is another number, and says so", near(facts["Time of all operations"] ?? "0 µs", all) && Math.abs(all - mean) > mean / 10, `${JSON.stringify(facts)} instead of ${all}`);
  noFaults("steps", page);
  await page.context().close();
}

async function escapedIds(browser) {
  const page = await open(browser);
  const asked = [];
  page.on("request", (r) => asked.push(r.url().slice(url.length)));
  await go(page, `#/p/${encodeURIComponent("../tables?a=1#")}/scope`);
  const about = asked.filter((a) => a.startsWith("/api/v1/profiles/"));
  same("an id from the address stays one part of a path", about, ["/api/v1/profiles/..%2Ftables%3Fa%3D1%23"]);
  await page.context().close();
}

async function fromZero(browser, ids) {
  const page = await open(browser);
  let seen = 0;
  for (const name of ["gpu/profile_1.gz", "resnet32", "seq2seq", DENSE]) {
    const { steps } = await (await tableOf(`profiles/${ids[name]}`)).json();
    for (const step of steps.slice(0, 2)) {
      const rows = rowsOf(await (await tableOf(`profiles/${ids[name]}/memory?step=${step}&format=csv`)).text()).filter((r) => r.held_bytes !== "");
      if (!rows.some((r) => Number(r.held_bytes) > 0)) continue;
      await go(page, `#/p/${ids[name]}/memory?step=${step}`);
      seen += await page.locator(".chart").count();
      same(`memory of ${name}, step ${step}: charts begin at zero`, [...new Set(await page.$$eval(".chart", (all) => all.map((c) => c.dataset.least)))], ["0"]);
    }
  }
  check("memory: there are charts", seen > 0);
  noFaults("from zero", page);
  await page.context().close();
}

async function units(browser, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids.resnet32}/scope?select=peak_bytes`);
  const report = said("scope", `${process.env.PAGE_FOLDER}/resnet32`, "-select", "peak_bytes", "-max_depth", "1");
  const bytes = report.root.total_peak_bytes;
  const cell = await page.textContent(".body .row:first-child [role=gridcell]:last-child .value");
  check("a GB is a thousand million bytes", bytes > 1e9 && cell === `${(bytes / 1e9).toFixed(2)}\u00a0GB`, `${cell} of ${bytes}`);
  await page.context().close();
}

/** The first questions of a trace of PyTorch: each page answers as the command line does. */
async function pytorch(browser, ids) {
  const TRAIN = "pytorch/train.json.gz";
  const page = await open(browser);
  const at = (name) => go(page, `#/p/${ids[TRAIN]}/${name}`);
  await at("memory");
  const { peak_bytes_1: peak } = said("memory", `${DATA}${TRAIN}`).summary;
  same("memory of a trace: the allocations it recorded", await page.textContent("main strong"), `${(peak / 1e6).toFixed(2)}\u00a0MB`);
  check("memory of a trace: no words for a chart without a pointer", !(await page.isVisible(".u-legend")));
  await at("lines");
  const lines = said("lines", `${DATA}${TRAIN}`).rows;
  same("lines: the same, in the same order", await namesOf(page), lines.map((l) => l.function));
  const share = (await page.$$eval(".head [role=columnheader]", (all) => all.map((c) => c.dataset.column))).indexOf("self_share") - 1;
  same("lines: a share is in per cent", await page.locator(".body .row .cell .value").nth(share).textContent(), `${(100 * lines[0].self_share).toFixed(1)}%`);
  await at("code");
  check("code: a trace with stacks has it", (await namesOf(page)).length > 1);
  await at("scope");
  const totals = said("scope", `${DATA}${TRAIN}`, "-select", "micros", "-max_depth", "2").root.children.sort((a, b) => b.total_exec_micros - a.total_exec_micros);
  same("scope: the most expensive first", (await namesOf(page))[1], totals[0].name);
  same("scope: so says the control", await page.inputValue("#option-order_by"), "micros");
  await at("kernel");
  check("kernel: none, and why", (await page.textContent(".note")).includes("no kernel"), await page.textContent("main"));
  await at("timeline");
  check("timeline: its end is that of the work, not a mark 20 ms later", (await page.textContent("main")).includes("50.3\u00a0ms shown"), await page.textContent("main"));
  await go(page, `#/p/${ids["recorded/jax.xplane.pb.gz"]}/advice`);
  check("advice: without a finding it says so", (await page.textContent("main")).includes("No checker found anything."), await page.textContent("main"));
  noFaults("pytorch", page);
  await page.context().close();
}

/** What lies in one scope is drawn at once; closed, that scope is a box again. */
async function alone(browser, ids) {
  const page = await open(browser);
  const drawn = () => page.$$eval("g.box", (all) => all.map((b) => b.textContent.trim()));
  const closers = page.locator('button[aria-label^="close "]');
  await go(page, `#/p/${ids["alone.pbtxt"]}/dataflow`);
  same("dataflow: scopes that stand alone are open", await closers.allTextContents(), ["model ×", "model/block ×"]);
  same("dataflow: with what is in them", (await drawn()).length, 3);
  for (const left of [["model ×"], []]) {
    await closers.last().click();
    await settled(page);
    same(`dataflow: open after one is closed: ${left.length}`, [await closers.allTextContents(), (await drawn()).length], [left, 1]);
  }
  await go(page, `#/p/${ids["alone.pbtxt"]}/scope`);
  same("scope: rows that stand alone are open, too", await page.textContent(".tools .count"), "6 of 6 rows");
  noFaults("alone", page);
  await page.context().close();
}

export const shown = { alone, pytorch, busy, themes, source, differences, copied, operations, stepTimes, escapedIds, fromZero, units };

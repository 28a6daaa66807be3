// SPDX-License-Identifier: Apache-2.0
// tests/page/whatif.mjs: what changes would gain: the list in Findings and the panels, with the numbers of the command line; a refusal says
// why; the address contains the request.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { axe, check, details, go, grid, main, noFaults, open, rows, said, same, section, selected, settled } from "./harness.mjs";

const RANKS = "jobs/rank0.json";
const DATA = new URL("../data/sample/", import.meta.url).pathname;
const files = ["jobs/rank0.json", "jobs/rank1.json"].map((f) => `${DATA}${f}`);
const at = (ids, name, place, query = "") => `#/p/${ids[name]}/${place}${query && `?${query}`}`;
const gains = (...words) => Object.fromEntries(said("whatif", ...words).rows.slice(1).map((r) => [r.scenario, r.gain_us]));
const half = (page) => section(page, "What if").getByRole("button", { name: /half/ });

async function shown(page, scenarios) {
  await section(page, "What if").locator("dd").first().waitFor();
  same(`what if: the changes of ${scenarios[0]}`, await section(page, "What if").locator('[data-kind="change"]').evaluateAll((all) => all.map((a) => a.dataset.id)), scenarios);
  return section(page, "What if").innerText();
}

async function best(browser, ids) {
  const page = await open(browser);
  await go(page, at(ids, RANKS, "findings"));
  await rows(page, "Changes").first().waitFor();
  const wanted = Object.entries(gains(...files)).filter(([, gain]) => gain > 0);
  const got = await rows(page, "Changes").evaluateAll((all) => all.map((r) => [r.dataset.id, Number(r.querySelector('[data-column="gain"]').dataset.value)]));
  same("what if: the list is that of the command line", got, wanted);
  const text = await main(page).innerText();
  check("what if: the list says how far the replay is off", /step of 2\.81\sms; replayed without a change it is the same/.test(text), text);
  await axe("what if", page);
  await rows(page, "Changes").first().getByRole("button").click();
  const panel = await selected(page, "change");
  same("what if: a click selects the change", panel.id, "faster aten::addmm=2");
  await section(page, "Numbers").getByText("with it").waitFor();
  check("what if: the panel has its numbers and its command", /630\sµs/.test(await details(page).innerText()) && /-faster aten::addmm=2/.test(await details(page).innerText()), await details(page).innerText());
  await page.reload();
  same("what if: the address keeps the selection", (await selected(page, "change")).id, "faster aten::addmm=2");
  await section(page, "Comes from").locator('[data-kind="op"]').click();
  same("what if: the change leads to its op", (await selected(page, "op")).id, "aten::addmm");
  noFaults("what if: the list", page);
  await page.context().close();
}

async function halves(browser, ids) {
  const page = await open(browser);
  await go(page, at(ids, RANKS, "table", "by=op&sel=op:aten::addmm"));
  await half(page).click();
  const text = await shown(page, ["faster aten::addmm=2", "faster host:aten::addmm=2"]);
  const wanted = gains(...files, "-faster", "aten::addmm=2", "-faster", "host:aten::addmm=2");
  check("what if: an op's launches, its host code and both", wanted["faster aten::addmm=2"] === 630 && /630\sµs/.test(text) && /both/.test(text), text);
  await page.reload();
  await shown(page, ["faster aten::addmm=2", "faster host:aten::addmm=2"]);
  await go(page, at(ids, RANKS, "table", "by=kernel&sel=kernel:gemm_forward"));
  await half(page).click();
  await shown(page, ["faster gemm_forward=2"]);
  await page.goBack();
  noFaults("what if: half of the time", page);
  await page.context().close();
}

/** A line of a trace with stacks; without a device, its host time is used. */
async function line(browser, ids) {
  const page = await open(browser);
  await go(page, at(ids, "pytorch/train.json.gz", "table", "by=line"));
  await rows(page, "Table").first().locator("button, a").first().click();
  const { id } = await selected(page, "line");
  await half(page).click();
  const pattern = /^.*?:\d+/.exec(id)[0].replace(/[.+*?()[\]{}|^$\\]/g, "\\$&");
  await shown(page, [`faster host:${pattern}=2`]);
  noFaults("what if: a line", page);
  await page.context().close();
}

async function refused(browser, ids) {
  const page = await open(browser);
  await go(page, at(ids, "jobs/late.json", "findings"));
  await main(page).getByText(/^The replay of what was recorded is off by/).waitFor();
  same("what if: no list where the replay is refused", await grid(page, "Changes").count(), 0);
  await go(page, at(ids, "jobs/late.json", "findings", "sel=change:no-sync"));
  await section(page, "Numbers").getByText(/off by/).waitFor();
  await go(page, at(ids, "jobs/late.json", "findings", "sel=change:nonsense"));
  check("what if: nonsense is told", /no change of tfprof whatif/.test(await details(page).innerText()), await details(page).innerText());
  noFaults("what if: a refusal is no fault", page);
  await go(page, at(ids, "gpu/profile_1.gz", "findings"));
  check("what if: not offered without events", !/What would help/.test(await main(page).innerText()));
  noFaults("what if: without events", page);
  await page.context().close();
}

/** A report has ten results; for those that it lacks it says so. */
async function reported(browser) {
  const folder = mkdtempSync(join(tmpdir(), "tfprof_whatif_"));
  const path = join(folder, "jobs.html");
  execFileSync(process.env.PAGE_PROGRAM, ["report", ...files, "-o", path], { stdio: ["ignore", "ignore", "pipe"] });
  const page = await open(browser, { offline: true });
  await page.goto(`file://${path}`);
  await settled(page); // the address is set when the profile is known
  const base = (await page.evaluate(() => location.hash)).replace(/\/overview.*/, "");
  await page.evaluate((to) => (location.hash = to), `${base}/findings`);
  await rows(page, "Changes").first().waitFor();
  same("what if: a report has the list", await rows(page, "Changes").count(), 9);
  for (const [id, says] of [["aten::mm", /420\sµs/], ["aten::copy_", /41\.5\sµs/]]) {
    await page.evaluate((to) => (location.hash = to), `${base}/table?by=kernel&sel=op:${id}`);
    await selected(page, "op");
    await half(page).click();
    await section(page, "What if").getByText(says).waitFor();
  }
  await page.evaluate((to) => (location.hash = to), `${base}/findings?sel=change:launch graph`);
  await section(page, "Numbers").getByText(/tfprof serve FILE answers/).waitFor();
  page.faults = page.faults.filter((f) => !f.startsWith("request to file:"));
  noFaults("what if: in a report", page);
  await page.context().close();
  rmSync(folder, { recursive: true });
}

export async function whatif(browser, ids) {
  for (const part of [best, halves, line, refused, reported]) await part(browser, ids);
}

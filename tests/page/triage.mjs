// SPDX-License-Identifier: Apache-2.0
// tests/page/triage.mjs: a server's trace phase by phase: the three tables have the numbers of the command line, in three widths and both
// themes; a click leads to the kernel; a trace without phases has no such place.
import { axe, check, column, go, grid, main, noFaults, open, rail, rows, said, same, selected, sideways } from "./harness.mjs";

const ENGINE = "engine/engine.json";
const FILE = new URL(`../data/sample/${ENGINE}`, import.meta.url).pathname;
const at = (ids, name, place = "triage") => `#/p/${ids[name]}/${place}`;

/** The rows of a phase's table are those of the answer, each with its number. */
async function table(page, title, phase, wanted, key, shown, answered) {
  const got = await column(page, `${title}, ${phase}`, shown);
  same(`triage, ${phase}: ${title}`, got, Object.fromEntries(wanted.filter((r) => r.phase === phase).map((r) => [r[key], r[answered]])));
}

async function look(browser, ids, width, height, colorScheme) {
  const page = await open(browser, { viewport: { width, height }, colorScheme });
  await go(page, at(ids, ENGINE));
  check(`triage at ${width} px, ${colorScheme}: the rows are drawn`, (await rows(page, "Kernels, decode").count()) > 5, await main(page).innerText());
  same(`triage at ${width} px: nothing sticks out`, await sideways(page), "");
  await axe(`triage at ${width} px, ${colorScheme}`, page);
  noFaults(`triage at ${width} px, ${colorScheme}`, page);
  await page.context().close();
}

export async function triage(browser, ids) {
  const page = await open(browser);
  await go(page, at(ids, ENGINE));
  const answer = said("triage", FILE);
  check("triage: the sample has two phases and all three tables", answer.head.length === 2 && answer.overlap.length > 2 && answer.fusion.length > 0, JSON.stringify(answer.head));
  const text = await main(page).innerText();
  for (const { phase, tokens_per_second: rate, bound } of answer.head) {
    check(`triage, ${phase}: tokens a second`, text.includes(`${Math.round(rate).toLocaleString("en")} tokens a second`), text);
    check(`triage, ${phase}: what it is bound by`, text.replaceAll("\u00a0", " ").includes(bound), text);
    await table(page, "Kernels", phase, answer.rows, "name", "total", "device_us");
    await table(page, "Overlap", phase, answer.overlap, "name", "alone", "alone_us");
    await table(page, "Fusion", phase, answer.fusion, "chain", "gain", "gain_us");
  }
  const first = rows(page, "Kernels, decode").first();
  check("triage: a kernel has its line", /\.py:\d+/.test(await first.locator('[data-column="line"]').innerText()), await first.innerText());
  await first.click();
  same("triage: a click selects the kernel", (await selected(page, "kernel")).id, await first.getAttribute("data-id"));
  await grid(page, "Kernels, decode").locator('[role=columnheader][data-column="share"]').click();
  const shares = await rows(page, "Kernels, decode").evaluateAll((all) => all.map((r) => Number(r.querySelector('[data-column="share"]').dataset.value)));
  check("triage: a click on a title sorts", shares.every((n, i) => !i || n <= shares[i - 1]) || shares.every((n, i) => !i || n >= shares[i - 1]), shares.join());
  await go(page, at(ids, "limits/model.json", "overview"));
  same("triage: without phases there is no such place", await rail(page).getByRole("link", { name: "Triage" }).count(), 0);
  noFaults("triage", page);
  await page.context().close();
  for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) for (const theme of ["light", "dark"]) await look(browser, ids, width, height, theme);
}

// SPDX-License-Identifier: Apache-2.0
// tests/page/limits.mjs: how far the device is from its limits: the numbers of the command line, in three widths and both themes; a click
// leads to the op; a profile without shapes has no such place.
import { axe, check, column, go, grid, main, noFaults, open, rail, rows, said, same, selected, sideways } from "./harness.mjs";

const MODEL = "limits/model.json";
const FILE = new URL("../data/sample/limits/model.json", import.meta.url).pathname;
const at = (ids, name, query = "") => `#/p/${ids[name]}/limits${query && `?${query}`}`;

async function numbers(page, ids, by) {
  await go(page, at(ids, MODEL, `by=${by}`));
  const wanted = said("limits", FILE, "-by", by).rows;
  const [loss, efficiency] = [await column(page, "Limits", "loss"), await column(page, "Limits", "efficiency")];
  const shown = wanted.slice(0, 10);
  same(`limits by ${by}: what is lost is that of the command line`, shown.map((r) => [r.name, loss[r.name]]), shown.map((r) => [r.name, r.loss_us]));
  check(`limits by ${by}: how near to the limit`, shown.every((r) => efficiency[r.name] === r.efficiency), JSON.stringify(efficiency));
}

async function look(browser, ids, width, height, colorScheme) {
  const page = await open(browser, { viewport: { width, height }, colorScheme });
  await go(page, at(ids, MODEL));
  check(`limits at ${width} px, ${colorScheme}: the rows are drawn`, (await rows(page, "Limits").count()) > 5, await main(page).innerText());
  same(`limits at ${width} px: nothing sticks out`, await sideways(page), "");
  await axe(`limits at ${width} px, ${colorScheme}`, page);
  noFaults(`limits at ${width} px, ${colorScheme}`, page);
  await page.context().close();
}

export async function limits(browser, ids) {
  const page = await open(browser);
  for (const by of ["op", "module", "layer", "line", "kernel"]) await numbers(page, ids, by);
  await go(page, at(ids, MODEL));
  const { summary: s } = said("limits", FILE);
  check("limits: the step now and at its limits", (await main(page).innerText()).includes(`${Math.round(s.step_us)}\u00a0µs → ${Math.round(s.bound_us)}\u00a0µs`), await main(page).innerText());
  same("limits: the roofline has a point for each row with float operations and bytes", await page.locator(".roofline .point").count(), Math.min(24, said("limits", FILE).rows.filter((r) => r.float_ops > 0 && r.bytes_moved > 0).length));
  await page.locator('.roofline [data-id="aten::addmm"]').click();
  same("limits: a click on the roofline selects the op", (await selected(page, "op")).id, "aten::addmm");
  await go(page, at(ids, MODEL, "by=layer&sel=layer:Net_0/Norm_0"));
  check("limits: the panel of a layer says how far it is from its limit", /of its limit[\s\S]*Net_0\/Norm_0/.test(await page.locator("aside, .panel, .details").last().innerText()), await page.locator("body").innerText());
  await go(page, at(ids, MODEL, "by=shape"));
  same("limits: every shape is a row", await grid(page, "Shapes").getAttribute("aria-rowcount"), String(1 + said("limits", FILE, "-by", "shape").rows.length));
  await go(page, at(ids, MODEL, "by=chain"));
  same("limits: what chains gain at most is that of the command line", Object.values(await column(page, "Chains", "gain")), said("limits", FILE, "-by", "chain").rows.map((r) => r.gain_us));
  await go(page, `#/p/${ids["limits/shapeless.json"]}/overview`);
  same("limits: without shapes there is no such place", await rail(page).getByRole("link", { name: "Limits" }).count(), 0);
  noFaults("limits", page);
  await page.context().close();
  for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) for (const theme of ["light", "dark"]) await look(browser, ids, width, height, theme);
}

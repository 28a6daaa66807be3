// SPDX-License-Identifier: Apache-2.0
// tests/page/shape.mjs: rules for every view: where its first row is, how many controls are beside the data, words and
// units, and what a row leads to.
import { check, column, go, grid, main, noFaults, open, quantities, rows, same, settled } from "./harness.mjs";

const GPU = "xplane/gpu.xplane.pb"; // several steps of a device
const CALLS = "traces/kineto.json";
const PLACES = ["overview", "findings", "timeline", "steps", "table", "flame"];

async function words(page, place) {
  const text = (await page.locator("body").innerText()).replace(/\S*::\S*|\S+\.json\S*/g, "");
  const unit = /\d(ms|us|µs|ns|sec|[KMGT]B|%)(?!\w)|\d\s?(us|sec)\b/.exec(text);
  check(`${place}: units stand after a blank`, !unit, unit?.[0]);
  const word = /\bmicros\b|_TFProfRoot|\(no op\)|Time of all operations/.exec(text);
  check(`${place}: words of the command line's columns are not shown`, !word, word?.[0]);
}

async function room(page, place) {
  const titles = await page.locator("body [title]").evaluateAll((all) => all.map((e) => e.outerHTML.slice(0, 80)));
  check(`${place}: nothing hides in a tooltip of the browser`, !titles.length, titles.slice(0, 3).join());
  const outside = await page.evaluate(() => [...document.querySelectorAll("main button, main select, main input")].filter((e) => e.checkVisibility() && !e.closest("[role=row], [role=gridcell], [data-kind]")).length);
  check(`${place}: at most 12 controls outside the data`, outside <= 12, outside);
  const scrolls = await page.evaluate(() => document.documentElement.scrollHeight > innerHeight + 1);
  check(`${place}: the page itself does not scroll`, !scrolls);
}

/** Rows begin near the top, on a phone too; no column is without values; no two kernels have the same
 * name. */
async function table(browser, ids) {
  for (const [width, height, most] of [[1440, 900, 160], [390, 844, 240]]) {
    const page = await open(browser, { viewport: { width, height } });
    await go(page, `#/p/${ids[GPU]}/table?by=kernel`);
    const { y } = await rows(page, "Table").first().boundingBox();
    check(`table at ${width}: its first row at most ${most} px down`, y <= most, y);
    if (width > 1000) {
      const names = await rows(page, "Table").evaluateAll((all) => all.map((r) => r.querySelector("[data-column=name]").innerText));
      same("table: no two kernels have one name", new Set(names).size, names.length);
      const widths = await rows(page, "Table").evaluateAll((all) => all.map((r) => r.querySelector("[data-column=name]").getBoundingClientRect().width));
      check("table: names of kernels have 400 px or more", Math.min(...widths) >= 400, widths[0]);
      check("table: and at most 64 letters", names.every((n) => n.trim().length <= 64), names.find((n) => n.trim().length > 64));
      const heads = await grid(page, "Table").getByRole("columnheader").evaluateAll((all) => all.map((h) => h.dataset.column));
      for (const name of heads.filter((n) => n && n !== "name"))
        check(`table: the column ${name} has a value`, Object.values(await column(page, "Table", name)).some((v) => v !== null && v !== undefined && !Number.isNaN(v)));
    }
    noFaults(`table at ${width}`, page);
    await page.context().close();
  }
}

/** The address contains the visible part of the timeline and a selected range. */
async function first(browser, ids) {
  const page = await open(browser, { viewport: { width: 1440, height: 900 } });
  await go(page, `#/p/${ids[GPU]}/overview`);
  const it = main(page).locator('[data-quantity="step.mean"]').first();
  const [{ y }, size] = [await it.boundingBox(), await it.evaluate((e) => getComputedStyle(e).fontSize)];
  check("overview: the time of a step within the first 140 px", y <= 140, y);
  same("overview: it is the one number", size, "28px");
  check("overview: exposed communication is printed", (await quantities(page)).some(([name]) => name.startsWith("step.exposed_communication")));
  await page.context().close();
}

/** The part of the timeline that is seen, and a range, are in the address. */
async function kept(browser, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids[CALLS]}/timeline?view=100-600&range=200-500`);
  const view = () => page.evaluate(() => globalThis.tfprof.pictures.timeline.view());
  const before = await view();
  await page.reload();
  await settled(page);
  same("timeline: a reload keeps the view", await view(), before);
  check("timeline: a reload keeps the range", page.url().includes("range=200-500"), page.url());
  await go(page, `#/p/${ids[CALLS]}/table?by=kernel&range=200-500`);
  check("the range stays in other places", await page.getByRole("button", { name: /^Clear range/ }).isVisible());
  await page.context().close();
}

export async function shape(browser, ids) {
  const page = await open(browser, { viewport: { width: 1440, height: 900 } });
  for (const place of PLACES) {
    await go(page, `#/p/${ids[GPU]}/${place}`);
    await words(page, place);
    await room(page, place);
  }
  noFaults("shape", page);
  await page.context().close();
  for (const run of [table, first, kept]) await run(browser, ids);
}

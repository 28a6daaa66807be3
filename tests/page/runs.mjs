// SPDX-License-Identifier: Apache-2.0
// tests/page/runs.mjs: the runs of an index are filtered, sorted and paged by the server; one opens its trace.
import { axe, check, grid, noFaults, open, placeOf, rows, same, settled } from "./harness.mjs";

const OTHER_SERVER = /^request to http:\/\/127/; // not the server of the other tests

const pages = (page) => page.getByRole("group", { name: "Pages" });
const cells = (page, column) => rows(page, "Runs").locator(`[data-column="${column}"]`).allInnerTexts();

async function filter(page, text) {
  const field = page.getByRole("searchbox", { name: "Filter runs" });
  await field.fill(text);
  await field.press("Enter");
  await settled(page);
}

export async function runs(browser) {
  const page = await open(browser);
  await page.goto(process.env.PAGE_INDEX);
  await rows(page, "Runs").first().waitFor();
  await settled(page);
  same("runs: it begins there", await placeOf(page), "runs");
  check("runs: how many there are", /1 to 200 of 240/.test(await pages(page).innerText()), await pages(page).innerText());
  check("runs: the newest is first", (await rows(page, "Runs").first().innerText()).includes("2026-04-30"));
  await axe("runs", page);
  await pages(page).getByRole("button", { name: "Next" }).click();
  await settled(page);
  check("runs: the next page", /201 to 240 of 240/.test(await pages(page).innerText()));
  check("runs: and there is none behind it", await pages(page).getByRole("button", { name: "Next" }).isDisabled());
  await filter(page, "job=slower rank=1");
  check("runs: the filter", /1 to 60 of 60; 240 runs in all/.test(await pages(page).innerText()), await pages(page).innerText());
  await grid(page, "Runs").locator("[role=columnheader][data-column=duration_us]").click();
  await settled(page);
  const lengths = await rows(page, "Runs").locator("[data-column=duration_us]").evaluateAll((all) => all.map((c) => Number(c.dataset.value)));
  check("runs: sorted by length", lengths.length > 10 && lengths.every((n, i) => !i || n <= lengths[i - 1]), lengths.join(" "));
  check("runs: only those that fit", (await cells(page, "job")).every((job) => job === "slower"));
  await page.reload();
  await settled(page);
  check("runs: the address has it all", /of 60/.test(await pages(page).innerText()));
  await filter(page, "rank=x");
  check("runs: a wrong filter is told", /must be a number/.test(await page.getByRole("alert").innerText()));
  await filter(page, "nothing-has-this");
  check("runs: none fits", /No run fits/.test(await page.locator(".empty").innerText()));
  await filter(page, "date=2026-03-05 host=node0 job=even");
  const link = rows(page, "Runs").first().getByRole("link");
  check("runs: a row is a link", /run=[0-9a-f]{32}/.test(await link.getAttribute("href")));
  await link.click();
  await page.waitForSelector("main[data-place=overview]");
  await settled(page);
  check("runs: its trace opens", (await page.title()).includes("job=even/date=2026-03-05"), await page.title());
  await page.goBack();
  await rows(page, "Runs").first().waitFor();
  same("runs: Back leads to the list", await placeOf(page), "runs");
  noFaults("runs", page, new RegExp(`${OTHER_SERVER.source}|status of 400`));
}

// SPDX-License-Identifier: Apache-2.0
// tests/page/live.mjs: the page of running jobs: a pretended one is shown, its threads are read, it is recorded, and its profile opens.
import { axe, check, noFaults, open, settled, sideways } from "./harness.mjs";

const OTHER_SERVER = /^request to http:\/\/127/; // not the one that the other tests are about

/** The row of the pretended job; other jobs of the machine are none of ours. */
const rowOf = (page) => page.locator(".jobs tbody tr", { hasText: "import torch, time" });

async function recorded(page) {
  await rowOf(page).locator("input").check();
  await page.click("button:text-is('Record this job')");
  await page.waitForSelector("caption:has-text('1 job')");
  check("live: its recording is ok", (await page.textContent(".sideways[aria-label^=recording] tbody")).includes("ok"));
  const link = page.locator("a:has-text('.kineto.json')");
  await link.waitFor();
  await axe("live, after a recording", page);
  await link.click();
  await page.waitForSelector("nav[aria-label] .file");
  check("live: the recording opens", (await page.textContent("nav .file")).includes(".kineto.json"));
}

export async function live(browser) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(browser, { colorScheme });
    await page.goto(process.env.PAGE_LIVE);
    await page.click("header a:text-is('Jobs')");
    await rowOf(page).waitFor();
    check("live: the job is prepared", (await rowOf(page).textContent()).includes("prepared"));
    check("live: nothing can be recorded before a job is chosen", await page.isDisabled("button:has-text('Record')"));
    await rowOf(page).locator("a").click();
    await page.waitForSelector(".frames");
    check("live: its threads are shown", (await page.textContent(".job")).includes("<module>"));
    await axe(`live, ${colorScheme}`, page);
    if (colorScheme === "light") await recorded(page);
    noFaults(`live, ${colorScheme}`, page, OTHER_SERVER);
    await page.goto(`${new URL(process.env.PAGE_LIVE).origin}/#/live`);
    await rowOf(page).waitFor();
    await page.setViewportSize({ width: 400, height: 800 });
    await settled(page);
    check("live: no scrolling sideways when narrow", !(await sideways(page)), await sideways(page));
    await page.context().close();
  }
}

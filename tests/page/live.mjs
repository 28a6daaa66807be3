// SPDX-License-Identifier: Apache-2.0
// tests/page/live.mjs: the page of running jobs: a pretended one is shown, its threads are read, it is recorded, and its profile opens.
import { axe, check, main, noFaults, open, placeOf, same, settled, sideways } from "./harness.mjs";

const OTHER_SERVER = /^request to http:\/\/127/; // not the server of the other tests

/** The row of the simulated job; the machine may have other jobs, also those of other tests. */
const rowOf = (page) => page.locator(".jobs tbody tr", { hasText: "import torch, time as page_clock" });

async function recorded(page) {
  await rowOf(page).locator("input").check();
  await page.getByLabel("Python stacks").check();
  const asked = page.waitForRequest((r) => r.method() === "POST");
  await page.click("button:text-is('Record this job')");
  check("live: stacks are asked for", new URL((await asked).url()).searchParams.get("stacks") === "1");
  await page.waitForSelector("main[data-place=overview]");
  await settled(page);
  check("live: the recording opens by itself", (await page.title()).includes("kineto"), await page.title());
  await page.goBack();
  await page.waitForSelector("caption:has-text('1 job')");
  check("live: its recording is ok", (await page.textContent(".sideways[aria-label^=recording] tbody")).includes("ok"));
  await page.locator("a:has-text('.kineto.json')").waitFor();
  await axe("live, after a recording", page);
  same("live: after Back the jobs stay", await placeOf(page), "jobs");
}

export async function live(browser) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(browser, { colorScheme });
    await page.goto(process.env.PAGE_LIVE);
    await rowOf(page).waitFor();
    same("live: it begins at the jobs", await placeOf(page), "jobs");
    check("live: it says how a job is prepared", /tfprof run/.test(await main(page).innerText()));
    check("live: the job is prepared", (await rowOf(page).textContent()).includes("prepared"));
    await page.waitForFunction(() => document.querySelector(".jobs .spark path"), null, { timeout: 20000 });
    check("live: numbers have a line of how they went", (await rowOf(page).locator(".spark path").count()) > 0);
    check("live: nothing can be recorded before a job is chosen", await page.locator("form button:has-text('Record'), .tools button:has-text('Record')").first().isDisabled());
    await rowOf(page).locator("a").first().click();
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

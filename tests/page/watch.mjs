// SPDX-License-Identifier: Apache-2.0
// tests/page/watch.mjs: a store of tfprof watch: its processes are bands of time, a part of which can be shown alone.
import { axe, check, noFaults, open, placeOf, same, settled, sideways } from "./harness.mjs";

const OTHER_SERVER = /^request to http:\/\/127/; // not the server of the other tests

export async function watch(browser) {
  for (const width of [1280, 390]) {
    const page = await open(browser, { viewport: { width, height: 800 } });
    await page.goto(process.env.PAGE_WATCH);
    await page.locator(".watch-row").first().waitFor();
    await settled(page);
    const at = `watch at ${width}`;
    same(`${at}: it begins there`, await placeOf(page), "watch");
    check(`${at}: a band for the process`, (await page.locator(".watch-row").count()) === 1);
    check(`${at}: what it did is drawn`, (await page.locator(".watch-band path").count()) > 0);
    check(`${at}: no link to runs, of which there are none`, (await page.locator("header a", { hasText: "Runs" }).count()) === 0);
    check(`${at}: nothing was found`, /Nothing was found/.test(await page.locator(".empty").innerText()));
    await axe(at, page);
    same(`${at}: no scrolling sideways`, await sideways(page), "");
    const box = await page.locator(".watch-band").first().boundingBox();
    await page.mouse.move(box.x + 20, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 20, box.y + 10);
    await page.mouse.up();
    await settled(page);
    check(`${at}: a part of the time`, /from=\d{16}&to=\d{16}/.test(page.url()), page.url());
    await page.getByRole("button", { name: "Whole time" }).click();
    await settled(page);
    check(`${at}: and all of it`, !/from=/.test(page.url()), page.url());
    noFaults(at, page, OTHER_SERVER);
    await page.context().close();
  }
}

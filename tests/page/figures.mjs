// SPDX-License-Identifier: Apache-2.0
// tests/page/figures.mjs: how fast the page is on a quiet machine, beside its aims: click to panel, frames of a zoom, first answer of a
// big file. `tests/page/run.py PROGRAM --figures` makes the files, serves them and starts it. It is no test: on a busy machine the
// times mean nothing.
import { start, url } from "./harness.mjs";

const CLICKS = 40;
const ZOOMS = 3; // each in and out again
const LATE = 120000;
const SIZE = { viewport: { width: 1440, height: 900 } };

const nth = (list, part) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))];

/** A line with a figure and its aim. */
function told(what, figure, aim, unit, most = true) {
  const ok = most ? figure <= aim : figure >= aim;
  console.log(`${ok ? "ok  " : "OVER"} ${what}: ${figure.toFixed(figure < 10 ? 2 : 0)} ${unit} (aim: ${most ? "at most" : "at least"} ${aim})`);
}

async function settled(page) {
  await page.waitForFunction(() => document.querySelector("main")?.getAttribute("aria-busy") === "false" && !document.querySelector(".busy"), null, { timeout: LATE });
  await page.waitForTimeout(300);
}

/** Milliseconds from the press of the button to the frame in which the panel has the thing; what it still loads is marked busy. */
async function click(page, at, old) {
  await page.evaluate((was) => {
    globalThis.took = new Promise((done) => {
      addEventListener("pointerdown", () => {
        const from = performance.now();
        const look = () => {
          const panel = document.querySelector('aside[aria-label="Details"]');
          if (panel?.dataset.id !== was && panel?.querySelector(".title, .big")) requestAnimationFrame(() => done(performance.now() - from));
          else if (performance.now() - from < 10000) requestAnimationFrame(look);
          else done(10000);
        };
        requestAnimationFrame(look);
      }, { capture: true, once: true });
    });
  }, old);
  await page.mouse.click(...at);
  return page.evaluate(() => globalThis.took);
}

async function clicks(browser, id, place, aim) {
  const page = await browser.newPage(SIZE);
  await page.goto(`${url}/#/p/${id}/${place}`);
  await settled(page);
  const took = [];
  for (let i = 0; i < CLICKS; i++) {
    const at = await page.evaluate((n) => {
      const marks = globalThis.tfprof.pictures.timeline?.marks().filter((m) => m.kind === "span" && m.w > 3 && m.y > 150 && m.y + m.h < innerHeight - 10);
      if (marks?.length) return (({ x, y, w, h }) => [x + w / 2, y + h / 2])(marks[(n * 7) % marks.length]);
      const rows = [...document.querySelectorAll("main [role=row][data-id]")].filter((r) => r.getBoundingClientRect().bottom < innerHeight - 10);
      return (({ x, y, height }) => [x + 60, y + height / 2])(rows[n % rows.length].getBoundingClientRect());
    }, i);
    const old = await page.evaluate(() => document.querySelector('aside[aria-label="Details"]')?.dataset.id);
    const ms = await click(page, at, old);
    if (ms < 10000) took.push(ms); // otherwise the click hit the item that was selected already
    await page.waitForTimeout(200);
  }
  if (took.length) told(`click to panel, ${place.split("?")[0]}, p95 of ${took.length}`, nth(took, 0.95), aim, "ms");
  await page.close();
}

/** Frames of the timeline while the wheel zooms in and out about its middle. */
async function zoom(browser, id, what, least) {
  const page = await browser.newPage({ ...SIZE, reducedMotion: "no-preference" });
  await page.goto(`${url}/#/p/${id}/timeline`);
  await settled(page);
  const box = await page.evaluate(() => globalThis.tfprof.pictures.timeline.element.getBoundingClientRect().toJSON());
  const all = [];
  for (let i = 0; i < ZOOMS; i++) {
    await page.mouse.move(box.x + box.width / 2, box.y + Math.min(200, box.height / 2));
    await page.keyboard.down("Control");
    for (let n = 0; n < 120; n++) {
      await page.mouse.wheel(0, n < 60 ? -60 : 60);
      await page.waitForTimeout(16);
    }
    await page.keyboard.up("Control");
    all.push(...(await page.evaluate(() => globalThis.tfprof.pictures.timeline.frames())).slice(-120));
    await page.waitForTimeout(500);
  }
  told(`zoom, ${what}, frames a second at the median of ${all.length}`, 1000 / nth(all, 0.5), least, "fps", false);
  told(`zoom, ${what}, p95 of a frame`, nth(all, 0.95), 33, "ms");
  await page.close();
}

/** A file that the server has not read yet: when its facts are shown, and when the answer. */
async function firstAnswer(browser, id) {
  const page = await browser.newPage(SIZE);
  await page.goto(`${url}/#/p/${id}/overview`, { waitUntil: "commit" });
  const at = (sign) => page.waitForFunction((s) => document.querySelector(s) && performance.now(), sign, { timeout: LATE, polling: 20 }).then((h) => h.jsonValue());
  const facts = await at('main progress[aria-label="reading"], data[data-quantity="step.mean"]');
  const answer = await at('data[data-quantity="step.mean"]');
  told("500 MB: facts of the file", facts / 1000, 0.3, "s");
  told("500 MB: first answer", answer / 1000, 12, "s");
  await page.close();
}

const browser = await start();
const { profiles } = await (await fetch(`${url}/api/v1/profiles`)).json();
const id = (part) => profiles.find((p) => p.name.includes(part))?.id;
await firstAnswer(browser, id("big"));
await clicks(browser, id("big"), "table?by=op", 300);
await clicks(browser, id("big"), "timeline?view=1000000-1100000", 300);
for (const place of ["table?by=kernel", "steps", "timeline"]) await clicks(browser, id("rank0"), place, 100);
await zoom(browser, id("rank0"), "two ranks", 50);
await zoom(browser, id("big"), "500 MB, 1.2 million spans", 50);
await zoom(browser, id("five"), "5 million spans", 40);
await browser.close();

// SPDX-License-Identifier: Apache-2.0
// tests/page/screens.mjs PROGRAM OUT FILE...: pictures of every place of the first profile at three widths in both themes, and a sheet
// a width and theme, to be looked at. No test: what is seen here is judged by eye.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "../../web/node_modules/playwright-core/index.mjs";

const [program, folder, ...files] = process.argv.slice(2);
const out = resolve(folder);
const SIZES = [[1440, 900], [1024, 768], [390, 844]];
mkdirSync(out, { recursive: true });
const server = spawn(program, ["serve", ...files, "--port", "0", "--no-token"], { stdio: ["ignore", "pipe", "ignore"] });
const url = await new Promise((yes) => server.stdout.once("data", (d) => yes(String(d).trim().split("\n")[0].replace(/\/$/, ""))));
const { profiles } = await (await fetch(`${url}/api/v1/profiles`)).json();
const executablePath = [process.env.PAGE_CHROMIUM, "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((p) => p && existsSync(p));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

async function settled(page) {
  await page.waitForFunction(() => document.querySelector("main")?.getAttribute("aria-busy") === "false" && !document.querySelector(".busy"), null, { timeout: 120000 });
  await page.waitForTimeout(150);
}

/** The places of the rail; the bar of a phone has only some of them. */
async function placesOf() {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(`${url}/#/p/${profiles[0].id}/overview`);
  await settled(page);
  const all = await page.getByRole("navigation", { name: "Places" }).getByRole("link").evaluateAll((links) => links.map((a) => /\/p\/[^/]+\/(\w+)/.exec(a.getAttribute("href"))?.[1]).filter(Boolean));
  await page.context().close();
  return all;
}

/** Selects the first thing of a place, so that its panel is seen too. */
async function selectFirst(page) {
  const thing = page.locator('main [data-kind][data-id]:not([data-evidence])').locator("visible=true").first();
  if (!(await thing.count())) return false;
  await thing.click().catch(() => 0);
  await settled(page);
  return true;
}

const places = await placesOf();

for (const [width, height] of SIZES)
  for (const theme of ["light", "dark"]) {
    const page = await (await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" })).newPage();
    const shots = [];
    const shoot = async (name) => {
      await page.screenshot({ path: join(out, `${name}_${width}_${theme}.png`) });
      shots.push(`<figure><img src="${name}_${width}_${theme}.png" width="${Math.round(width / 2)}"><figcaption>${name}</figcaption></figure>`);
    };
    for (const place of places) {
      await page.goto(`${url}/#/p/${profiles[0].id}/${place}${place === "compare" && profiles[1] ? `?vs=${profiles[1].id}` : ""}`);
      await settled(page);
      await shoot(place);
      if (["overview", "steps", "table"].includes(place) && (await selectFirst(page))) await shoot(`${place}_selected`);
    }
    writeFileSync(join(out, `sheet_${width}_${theme}.html`), `<!doctype html><meta charset="utf-8"><style>body{display:flex;flex-wrap:wrap;gap:8px;background:#888}figure{margin:0}</style>${shots.join("")}`);
    await page.goto(`file://${out}/sheet_${width}_${theme}.html`);
    await page.setViewportSize({ width: 1480, height: 900 });
    await page.screenshot({ path: join(out, `sheet_${width}_${theme}.png`), fullPage: true });
    await page.context().close();
  }
await browser.close();
server.kill();

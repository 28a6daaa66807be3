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
  await page.waitForFunction(() => document.querySelector("main")?.getAttribute("aria-busy") === "false" && !document.querySelector(".busy"), null, { timeout: 60000 });
  await page.waitForTimeout(150);
}

async function placesOf(page) {
  await page.goto(`${url}/#/p/${profiles[0].id}/overview`);
  await settled(page);
  return page.getByRole("navigation", { name: "Places" }).getByRole("link").evaluateAll((all) => all.map((a) => /\/p\/[^/]+\/(\w+)/.exec(a.getAttribute("href"))?.[1]).filter(Boolean));
}

for (const [width, height] of SIZES)
  for (const theme of ["light", "dark"]) {
    const page = await (await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" })).newPage();
    const shots = [];
    for (const place of await placesOf(page)) {
      await page.goto(`${url}/#/p/${profiles[0].id}/${place}${place === "compare" && profiles[1] ? `?vs=${profiles[1].id}` : ""}`);
      await settled(page);
      const name = `${place}_${width}_${theme}.png`;
      await page.screenshot({ path: join(out, name) });
      shots.push(`<figure><img src="${name}" width="${Math.round(width / 2)}"><figcaption>${place}</figcaption></figure>`);
    }
    writeFileSync(join(out, `sheet_${width}_${theme}.html`), `<!doctype html><meta charset="utf-8"><style>body{display:flex;flex-wrap:wrap;gap:8px;background:#888}figure{margin:0}</style>${shots.join("")}`);
    await page.goto(`file://${out}/sheet_${width}_${theme}.html`);
    await page.setViewportSize({ width: 1480, height: 900 });
    await page.screenshot({ path: join(out, `sheet_${width}_${theme}.png`), fullPage: true });
    await page.context().close();
  }
await browser.close();
server.kill();

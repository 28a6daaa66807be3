// SPDX-License-Identifier: Apache-2.0
// tests/docs/search.mjs SITE WORD: searches the site from the disk, in Chromium (PAGE_CHROMIUM); prints what it found, what a page asked of
// other hosts, and faults, as JSON.
import { pathToFileURL } from "node:url";
import { chromium } from "../../web/node_modules/playwright-core/index.mjs";

const [site, word] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.PAGE_CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const page = await browser.newPage(), foreign = [], faults = [];
page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || foreign.push(r.url()));
page.on("requestfailed", (r) => faults.push(r.url()));
page.on("pageerror", (e) => faults.push(String(e)));
await page.goto(pathToFileURL(`${site}/index.html`).href);
await page.locator(".md-search__input").pressSequentially(word);
await page.locator(".md-search-result__link").first().waitFor({ timeout: 30000 });
const found = await page.locator(".md-search-result__link").evaluateAll((links) => links.map((a) => a.getAttribute("href").replace(/[?#].*/, "").split("/").pop()));
console.log(JSON.stringify({ found, foreign, faults }));
await browser.close();

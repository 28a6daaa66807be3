// SPDX-License-Identifier: Apache-2.0
// tests/page/harness.mjs: opens pages in a browser, collects their errors, and reads what they show.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { chromium } from "../../web/node_modules/playwright-core/index.mjs";

export const url = process.env.PAGE_URL;
const program = process.env.PAGE_PROGRAM;
const axeSource = readFileSync(new URL("../../web/node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

export const count = { passed: 0, failed: 0 };

export function check(name, ok, detail = "") {
  if (ok) count.passed++;
  else {
    count.failed++;
    console.log(`FAILED ${name}${detail === "" ? "" : `: ${String(detail).slice(0, 600)}`}`);
  }
  return Boolean(ok);
}

export function same(name, got, want) {
  return check(name, JSON.stringify(got) === JSON.stringify(want), `${JSON.stringify(got)} instead of ${JSON.stringify(want)}`);
}

/** The output of the command line, parsed from JSON. */
export function said(...words) {
  return JSON.parse(execFileSync(program, [...words, "--format", "json"], { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));
}

export async function start() {
  return chromium.launch({ executablePath: process.env.PAGE_CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** Opens a page; its errors are collected in page.faults. Some checks expect `answers` of the server with an error. */
export async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.faults = [];
  // a driver that draws in software warns that it is slow
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GL Driver Message/.test(m.text()) && page.faults.push(`console: ${m.text()}`));
  page.on("pageerror", (e) => page.faults.push(`page error: ${e.message}`));
  page.on("request", (r) => {
    if (!r.url().startsWith(`${url}/`) && !/^(data|blob):/.test(r.url())) page.faults.push(`request to ${r.url()}`);
  });
  page.setDefaultTimeout(120_000); // a busy machine may take this long; a page that is right takes a second
  return page;
}

export function noFaults(name, page, but = null) {
  const faults = page.faults.filter((f) => !but || !but.test(f));
  check(`${name}: no faults`, !faults.length, faults.join("; "));
  page.faults = [];
}

/** Goes to a state and waits until nothing is loading there. */
export async function go(page, hash) {
  await page.goto(`${url}/${hash}`);
  await settled(page);
}

/** Waits until the main area was not busy for some frames: a click may start loading later, and a busy machine draws its frames
 * late. */
export async function settled(page) {
  await page.waitForSelector("main");
  await page.waitForFunction((since) => {
    if (globalThis.quiet?.since !== since) globalThis.quiet = { since, frames: 0 };
    const busy = document.querySelector("main")?.getAttribute("aria-busy") === "true" || document.querySelector(".busy");
    globalThis.quiet.frames = busy ? 0 : globalThis.quiet.frames + 1;
    return globalThis.quiet.frames > 4;
  }, Math.random());
}

// ---- landmarks (docs/serve.md)

export const nav = (page) => page.getByRole("navigation", { name: "Places" });
/** The places and the answers: all links of the rail. */
export const rail = (page) => page.getByRole("navigation", { name: /^(Places|Answers)$/ });
export const main = (page) => page.getByRole("main");
export const details = (page) => page.getByRole("complementary", { name: "Details" });
export const section = (page, name) => details(page).getByRole("region", { name });
export const grid = (page, name) => page.locator(`[role=grid][aria-label="${name}"],[role=treegrid][aria-label="${name}"]`).first();
export const rows = (page, name) => grid(page, name).locator("[role=row][data-kind][data-id]");
export const placeOf = (page) => main(page).getAttribute("data-place");

/** The rows of a grid that are in the document, by their full names: the values of a column before formatting. */
export async function column(page, name, col) {
  const all = await rows(page, name).evaluateAll((list, c) => list.map((r) => [r.dataset.full, r.querySelector(`[data-column="${c}"]`)?.dataset.value]), col);
  return Object.fromEntries(all.map(([full, value]) => [full, value === undefined ? null : Number(value)]));
}

/** Waits until the panel shows an item of this kind, with all its sections. */
export async function selected(page, kind) {
  await page.waitForFunction((k) => {
    const e = document.querySelector('aside[aria-label="Details"]');
    return e && e.dataset.kind === k && e.getAttribute("aria-busy") !== "true";
  }, kind);
  return details(page).evaluate((e) => ({ id: e.dataset.id, text: e.innerText }));
}

/** Every quantity that the page shows, by its name and its object. */
export async function quantities(page) {
  const all = await page.locator("data[data-quantity]").evaluateAll((list) => list.map((d) => [`${d.dataset.quantity} of ${d.dataset.of}`, Number(d.value)]));
  return all;
}

/** `rules`: those to check, by default all. */
export async function axe(name, page, rules = null) {
  if (!(await page.evaluate(() => Boolean(globalThis.axe)))) await page.evaluate(axeSource);
  const found = await page.evaluate((only) => globalThis.axe.run(document, { resultTypes: ["violations"], ...(only ? { runOnly: only } : {}) }), rules);
  const told = found.violations.map((v) => `${v.id} (${v.impact}): ${v.nodes.slice(0, 3).map((n) => `${n.target.join(" ")} ${(n.any[0] ?? n.all[0] ?? n.none[0])?.message ?? ""}`).join(" | ")}`);
  check(`${name}: axe`, !told.length, told.join("\n  "));
}

/** Whether the page can be scrolled sideways, and which elements stick out. */
export async function sideways(page) {
  return page.evaluate(() => {
    const wide = document.documentElement.scrollWidth;
    if (wide <= screen.width) return "";
    const all = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > screen.width + 1);
    return `${wide} px: ${all.slice(0, 4).map((e) => `${e.tagName}.${e.className}`).join(", ")}`;
  });
}

export async function profileIds() {
  const list = (await (await fetch(`${url}/api/v1/profiles`)).json()).profiles;
  return Object.fromEntries(list.map((p) => [p.name, p.id]));
}

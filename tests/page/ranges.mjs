// SPDX-License-Identifier: Apache-2.0
// tests/page/ranges.mjs: the timeline with two fingers and from the skip link, a flame graph that fills its height, ranges whose sums equal
// those of the command line, and lines that say how much of the time their rows explain.
import { check, go, main, noFaults, open, rows, said, selected } from "./harness.mjs";

const GPU = "xplane/gpu.xplane.pb";
const TPU = "xplane/tpu.xplane.pb";
const fileOf = (name) => new URL(`../data/sample/${name}`, import.meta.url).pathname;

const viewLength = (page) => page.evaluate(() => { const v = globalThis.tfprof.pictures.timeline.view(); return v.to - v.from; });
const boxOf = (page, name) => page.evaluate((which) => globalThis.tfprof.pictures[which].element.getBoundingClientRect().toJSON(), name);

/** Moves two fingers apart or together. */
async function pinch(page, { x, y }, apart) {
  const cdp = await page.context().newCDPSession(page);
  const touch = (type, half) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: half === null ? [] : [-half, half].map((dx, id) => ({ x: x + dx, y, id })) });
  await touch("touchStart", apart[0]);
  for (let i = 1; i < 10; i++) await touch("touchMove", apart[0] + ((apart[1] - apart[0]) * i) / 9);
  await touch("touchEnd", null);
}

async function fingers(browser, ids) {
  const page = await open(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await go(page, `#/p/${ids[GPU]}/timeline`);
  const [all, box] = [await viewLength(page), await boxOf(page, "timeline")];
  const at = { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 200) };
  const settles = async (name, fits) => {
    let length = await viewLength(page);
    for (let i = 0; i < 200 && !fits(length); i++) { await page.evaluate(() => new Promise(requestAnimationFrame)); length = await viewLength(page); }
    check(name, fits(length), `${length} of ${all}`);
  };
  await pinch(page, at, [30, 110]);
  await settles("two fingers that move apart zoom in", (n) => n < 0.6 * all);
  check("two fingers select nothing", !/range=|sel=/.test(page.url()), page.url());
  await pinch(page, at, [120, 20]);
  await settles("two that move together zoom out", (n) => n > 0.9 * all);
  noFaults("fingers", page);
  await page.context().close();
}

async function keyboard(browser, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids[GPU]}/timeline`);
  const focused = () => page.evaluate(() => (document.activeElement === globalThis.tfprof.pictures.timeline.element ? "timeline" : document.activeElement.textContent));
  await page.keyboard.press("Tab");
  check("the first stop of the Tab key is the skip link", /skip/i.test(await focused()), await focused());
  await page.keyboard.press("Enter");
  let tabs = 0;
  for (; tabs < 3 && (await focused()) !== "timeline"; tabs++) await page.keyboard.press("Tab");
  check("from it the timeline is at most three further", (await focused()) === "timeline", `${tabs}: ${await focused()}`);
  await page.context().close();
}

async function heights(browser, ids) {
  for (const [width, height] of [[1440, 900], [1024, 768]]) {
    const page = await open(browser, { viewport: { width, height } });
    await go(page, `#/p/${ids["traces/kineto.json"]}/flame?by=call`);
    const [box, place] = [await boxOf(page, "flame"), await main(page).boundingBox()];
    check(`flame at ${width}: it ends where its place ends`, Math.abs(place.y + place.height - box.bottom) <= 24, `${box.bottom} of ${place.y + place.height}`);
    check(`flame at ${width}: it has two thirds of its place or more`, box.height >= (2 / 3) * place.height, `${box.height} of ${place.height}`);
    await page.context().close();
  }
}

/** A range that begins and ends within kernels: the panel and the command line clip both in the same
 * way. */
async function sameRange(browser, ids) {
  const kernels = said("query", "SELECT start_ns - (SELECT min(start_ns) FROM spans) AS at, duration_ns AS ns FROM spans WHERE class IS NOT NULL AND duration_ns > 1000 ORDER BY start_ns", fileOf(GPU)).rows;
  const middle = (k) => Math.round((k.at + k.ns / 2) / 1000);
  const [from, to] = [kernels[Math.floor(kernels.length / 4)], kernels[Math.floor((3 * kernels.length) / 4)]].map(middle);
  const wanted = said("kernel", fileOf(GPU), "-range", `${from}:${to}`).rows;
  const page = await open(browser);
  await go(page, `#/p/${ids[GPU]}/timeline?range=${from}-${to}`);
  await selected(page, "range");
  const shown = await rows(page, "Sums").evaluateAll((all) => all.filter((r) => r.dataset.kind === "kernel").map((r) => [r.dataset.full, ...["count", "total", "min", "max"].map((c) => Number(r.querySelector(`[data-column=${c}]`)?.dataset.value))]));
  check("range: kernels run in it", wanted.length > 1, `${from}:${to}`);
  for (const k of wanted) {
    const row = shown.find(([name]) => name === k.name);
    check(`range: ${k.name} as \`kernel -range\` has it`, row && row[1] === k.count && [k.total_us, k.min_us, k.max_us].every((us, i) => Math.abs(us - row[i + 2]) < 0.01), `${row} instead of ${k.count}, ${k.total_us}, ${k.min_us}, ${k.max_us}`);
  }
  check("range: and no kernel more", shown.length === new Set(wanted.map((k) => k.name)).size, shown.length);
  noFaults("range", page);
  await page.context().close();
}

async function explained(browser, ids) {
  const wanted = said("lines", fileOf(TPU)).rows;
  const page = await open(browser);
  await go(page, `#/p/${ids[TPU]}/table?by=line`);
  const text = await main(page).innerText();
  check("lines of a TPU: the shares say of how much time they are", /shares are of [\d.,]+\s\S+ of device time with a line/.test(text), text.slice(0, 200));
  const first = await rows(page, "Table").first().locator("[data-column=self]").getAttribute("data-value");
  check("lines of a TPU: the first as the command line has it", Math.abs(Number(first) - wanted[0].accelerator_us) < 1, `${first} instead of ${wanted[0].accelerator_us}`);
  const all = wanted.reduce((sum, r) => sum + r.all_share, 0);
  check("lines of a TPU: what has none is told", all > 0.9995 || new RegExp(`${(100 * all).toFixed(1)}\\s%\\sof all`).test(text), `${100 * all} %: ${text.slice(0, 200)}`);
  await page.context().close();
}

export async function ranges(browser, ids) {
  for (const run of [fingers, keyboard, heights, sameRange, explained]) await run(browser, ids);
}

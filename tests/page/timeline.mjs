// SPDX-License-Identifier: Apache-2.0
// tests/page/timeline.mjs: the timeline: its modules without a browser, then what a user does with it.
import { build } from "../../web/node_modules/esbuild/lib/main.js";
import { check, go, noFaults, open, same, settled, url } from "./harness.mjs";

const source = new URL("../../web/src/timeline/", import.meta.url).pathname;

async function load(...names) {
  const stdin = { contents: names.map((n) => `export * from "./${n}";`).join("\n"), resolveDir: source, loader: "ts" };
  const made = await build({ stdin, bundle: true, write: false, format: "esm", logLevel: "warning" });
  return import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString("base64")}`);
}

// ---- modules

const texts = (name, values) => {
  const all = [...new Set(values)];
  return { name, unit: null, type: "text", texts: all, short: null, absent: Uint8Array.from(values, (v) => Number(v === "")), values: Uint32Array.from(values, (v) => all.indexOf(v)) };
};
const reals = (name, values) => ({ name, unit: null, type: "number", texts: null, short: null, absent: null, values: Float64Array.from(values) });
const tableOf = (...columns) => ({ view: "", rows: columns[0].values.length, tree: false, notes: [], noteCodes: [], columns, column: (name) => columns.find((c) => c.name === name) });

/** [row, start, duration, name, kind, class] */
function spansOf(rows) {
  const of = (i) => rows.map((r) => r[i]);
  return tableOf(reals("row", of(0)), reals("span", rows.map((_, i) => i)), reals("count", rows.map(() => 1)), reals("start_us", of(1)), reals("duration_us", of(2)), reals("busy_us", of(2)), texts("name", of(3)), texts("short", rows.map(() => "")), texts("kind", of(4)), texts("class", of(5)));
}

const lane = (id, more) => ({ id: String(id), name: "thread", detail: "", device: "cpu", process: "", rank: -1, kind: "host", firstRow: id, rows: 1, spans: 1, start: 0, end: 1000, busy: 500, ...more });

async function merging(m) {
  const rows = Array.from({ length: 100 }, (_, i) => [0, i, 0.5, i === 42 ? "long" : "short", "op", ""]);
  const d = m.makeItems(spansOf(rows), { window: { from: 0, to: 100 }, rows: "", scale: Infinity, search: "" });
  const few = m.windowOf(d, { from: 0, to: 100 }, "0", 10);
  same("narrow spans of one pixel are one", [few.count, Array.from(few.times).reduce((a, b) => a + b, 0)], [10, 100]);
  same("its end is that of the last, its busy time the sum", [few.end[0], few.busy[0]], [9.5, 5]);
  same("near enough each stands alone", m.windowOf(d, { from: 0, to: 10 }, "0", 100).count, 10);
  same("rows that are not asked for are left out", m.windowOf(d, { from: 0, to: 100 }, "7-9", 10).count, 0);
  same("an item at a time", [m.itemAt(d, 0, 42.2, 0), m.itemAt(d, 0, 42.7, 0), m.itemAt(d, 0, 42.7, 0.3)], [42, -1, 42]);
  same("rows as a list", m.listOf([0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
}

async function moving(m) {
  const all = { from: 0, to: 1000 };
  const glide = new m.Glide(all, all, () => false);
  glide.zoom(0.5, 250);
  let frames = 0;
  for (let now = 16; glide.step(now) && frames < 100; now += 16) frames++;
  check("a zoom glides for some frames", frames > 3 && frames < 60, frames);
  same("the time under the pointer stays", glide.seen, { from: 125, to: 625 });
  glide.pan(10);
  while (glide.step(1e6 + 16 * frames++));
  same("nobody leaves the recording", glide.seen, { from: 500, to: 1000 });
  const still = new m.Glide(all, all, () => true);
  still.zoom(0.5, 500);
  same("without motion it jumps", still.seen, { from: 250, to: 750 });
  still.hold({ zoom: 1 }, 500);
  check("a held key goes on", still.step(1) && still.step(17) && still.seen.to - still.seen.from > 500);
}

async function arranging(m) {
  const lanes = [lane(0, { name: "main", rows: 3, busy: 900 }), lane(3, { busy: 2 }), lane(4, { kind: "communication", device: "gpu:0", busy: 100 }), lane(5, { kind: "compute", device: "gpu:0", busy: 50 })];
  const of = { lanes, all: { from: 0, to: 1000 }, steps: [], notes: [] };
  const begin = { toggled: new Set(), pinned: [], hidden: new Set(), order: [], ranks: [], device: "" };
  const told = (how) => m.layOut(of, [], { ...begin, ...how }).tracks.map((t) => (t.is === "lane" ? t.id : `${t.is} ${t.open}`));
  same("devices stand first, compute before communication, quiet threads folded", told({}), ["group true", "5", "4", "group true", "0", "fold false"]);
  same("what is opened", told({ toggled: new Set([".host.quiet"]) }).slice(-2), ["fold true", "3"]);
  same("what is hidden, and moved", [told({ hidden: new Set(["5"]) })[1], told({ order: ["4", "5"] })[1]], ["4", "4"]);
  const pinned = m.layOut(of, [], { ...begin, pinned: ["0"] });
  same("what is pinned stands above", [pinned.pinned.map((t) => t.id), pinned.tracks.some((t) => t.id === "0")], [["0"], false]);
  same("the place of a row", [m.placeOfRow(pinned, 2)?.pinned, m.placeOfRow(pinned, 3)], [true, null]);
  for (const width of [300, 768, 1500]) for (const span of [0.01, 3, 1e6]) check(`marks of an axis of ${width} px have room`, (m.tickOf(span, width) * width) / span >= 80);
}

export async function timelineModules() {
  globalThis.document ??= { querySelectorAll: () => [], querySelector: () => null };
  globalThis.location ??= { hash: "" };
  globalThis.addEventListener ??= () => undefined;
  const m = await load("data", "embedded", "glide", "layout", "overlay");
  for (const run of [merging, moving, arranging]) await run(m);
}

// ---- a user

const picture = (page, what) => page.evaluate((name) => globalThis.tfprof.pictures.timeline[name](), what);
const length = async (page) => ((v) => v.to - v.from)(await picture(page, "view"));
/** Waits until the visible length of the timeline fulfils a condition. The check runs here, because the page does not
 * evaluate text. */
async function until(page, fulfilled) {
  const end = Date.now() + 30000;
  while (!fulfilled(await length(page))) {
    if (Date.now() > end) throw new Error(`the view stays ${await length(page)} us long`);
    await page.waitForTimeout(50);
  }
}

export async function timelineUse(browser, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids.events}/timeline`);
  await page.waitForFunction(() => globalThis.tfprof?.pictures?.timeline?.marks().length > 10);
  const lanes = await picture(page, "lanes");
  check("timeline: a million spans in lanes", lanes.reduce((n, l) => n + l.spans, 0) === 1000000, lanes.length);
  const all = await length(page);
  await page.keyboard.press("w");
  await until(page, (n) => n < 0.9 * all);
  await page.keyboard.press("0");
  await until(page, (n) => n === all);
  const b = await page.evaluate(() => { const r = globalThis.tfprof.pictures.timeline.element.getBoundingClientRect(); return { x: r.x, y: r.y, w: r.width, h: r.height }; });
  await page.mouse.move(b.x + b.w / 2, b.y + b.h / 2);
  await page.keyboard.down("Control");
  for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  await until(page, (n) => n < 0.3 * all);
  check("timeline: a zoom selects nothing", !/range=|sel=/.test(page.url()), page.url());
  await page.keyboard.press("0");
  await until(page, (n) => n === all);
  await ranges(page, ids, b);
  await merged(page, all);
  noFaults("timeline", page, /GL Driver Message/);
  await page.context().close();
}

async function ranges(page, ids, b) {
  const y = b.y + b.h * 0.9;
  await page.mouse.move(b.x + b.w * 0.4, y);
  await page.mouse.down();
  await page.mouse.move(b.x + b.w * 0.5, y, { steps: 3 });
  await page.mouse.move(b.x + b.w * 0.6, y, { steps: 3 });
  await page.mouse.up();
  await page.waitForSelector('[aria-label="Sums"][role=grid] [data-column=total][data-value]');
  await settled(page);
  const [, from, to] = /range=([\d.]+)-([\d.]+)/.exec(page.url()) ?? [];
  const wanted = (await (await fetch(`${url}/api/v1/profiles/${ids.events}/sums?from=${from}&to=${to}`)).json()).rows;
  const shown = await page.locator('[aria-label="Sums"] [data-kind]').evaluateAll((rows) => rows.map((r) => [r.dataset.full, Number(r.querySelector("[data-column=total]").dataset.value), Number(r.querySelector("[data-column=count]").dataset.value)]));
  check("timeline: the sums of a range are the server's", shown.length > 3 && shown.every(([name, total, count]) => wanted.some((r) => r.name === name && Math.abs(r.total_us - total) < 0.01 && r.count === count)), JSON.stringify(shown[0]));
  const box = await page.locator('[aria-label="Details"]').boundingBox();
  check("timeline: they stand inside the window", box.x >= 0 && box.x + box.width <= page.viewportSize().width && box.y + box.height <= page.viewportSize().height, JSON.stringify(box));
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !location.hash.includes("range="));
}

/** A click on merged spans zooms in. */
async function merged(page, all) {
  const marks = await picture(page, "marks");
  const many = marks.find((m) => m.count > 5);
  if (!many) return check("timeline: a mark of several spans", false, marks.length);
  await page.mouse.click(many.x + many.w / 2, many.y + many.h / 2);
  await until(page, (n) => n < all / 20);
  check("timeline: a click on merged spans zooms and selects nothing", !/sel=/.test(page.url()), page.url());
}

/** While the GPU context is lost, a 2D canvas shows the picture; when it is restored, everything is uploaded again, and the
 * picture is the same as before. */
export async function timelineRestored(browser, ids) {
  const page = await open(browser);
  await page.addInitScript(() => {
    localStorage.setItem("tfprof.painter", "gpu");
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function asked(kind, options) {
      const made = getContext.call(this, kind, kind === "webgl2" ? { ...options, preserveDrawingBuffer: true } : options);
      if (kind === "webgl2" && this.closest("main")) globalThis.gl = made;
      return made;
    };
  });
  await go(page, `#/p/${ids.events}/timeline`);
  const inked = () => page.evaluate(() => {
    const { gl } = globalThis;
    const all = new Uint8Array(gl.drawingBufferWidth * gl.drawingBufferHeight * 4);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, all);
    return all.reduce((n, v, i) => n + (i % 4 === 3 && v > 0 ? 1 : 0), 0);
  });
  await page.waitForFunction(() => globalThis.gl);
  await settled(page);
  const before = await inked();
  const turned = (event, act) => page.evaluate(([name, what]) => new Promise((yes) => {
    globalThis.lose ??= globalThis.gl.getExtension("WEBGL_lose_context");
    globalThis.gl.canvas.addEventListener(name, () => requestAnimationFrame(() => requestAnimationFrame(yes)), { once: true });
    globalThis.lose[what]();
  }), [event, act]);
  const seen = () => page.evaluate(() => {
    const shown = [...globalThis.document.querySelectorAll(".tl-stage canvas")].filter((c) => c.getClientRects().length);
    const flat = shown[0] === globalThis.gl.canvas ? null : shown[0].getContext("2d").getImageData(0, 0, shown[0].width, shown[0].height).data;
    return { canvases: shown.length, ink: flat ? flat.reduce((n, v, i) => n + (i % 4 === 3 && v > 0 ? 1 : 0), 0) : -1 };
  });
  await turned("webglcontextlost", "loseContext");
  const lost = await seen();
  check("timeline: while the GPU is lost, a 2D canvas has the picture", lost.canvases === 2 && Math.abs(lost.ink - before) < 0.02 * before, `${JSON.stringify(lost)}, of the GPU ${before} pixels`);
  await turned("webglcontextrestored", "restoreContext");
  same("timeline: afterwards the GPU draws again", await seen(), { canvases: 2, ink: -1 });
  const after = await inked();
  check("timeline: what a lost GPU had is drawn again", before > 10000 && after === before, `${before} and ${after} pixels`);
  await page.context().close();
}

/** Steps that were recorded apart have a timeline each: the page says which one it shows, and offers the others. */
export async function timelineOfSteps(browser, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids.transformer}/timeline`);
  const choice = page.locator(".tl-bar select");
  const shown = async () => [await choice.inputValue(), (await picture(page, "marks")).filter((m) => m.kind === "step").map((m) => m.id)];
  same("timeline: the first of five steps is shown", [await shown(), await choice.locator("option").count()], [["0", ["0"]], 5]);
  await choice.selectOption("3");
  await settled(page);
  same("timeline: another can be chosen, in the context of all places", [await shown(), /[?&]steps=3(-3)?(&|$)/.test(page.url())], [["3", ["3"]], true]);
  await go(page, `#/p/${ids.transformer}/timeline?sel=step:2`);
  same("timeline: a selected step is shown", await shown(), ["2", ["2"]]);
  noFaults("timeline of steps", page);
  await page.context().close();
}

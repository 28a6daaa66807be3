// SPDX-License-Identifier: Apache-2.0
// tests/page/tasks.mjs: the nine tasks of a user, done with the mouse, each within a number of clicks. Each answer is compared with
// that of the command line for the same file. `tests/page/run.py PROGRAM --tasks FILE...` does them on other files (PAGE_TASKS).
import { check, details, go, grid, main, nav, noFaults, open, placeOf, rows, said, section, selected, settled, url } from "./harness.mjs";

const DATA = new URL("../data/sample/", import.meta.url).pathname;
const LATE = 120000; // the first answer about a big file waits until it is read

// ---- a user: acts on what can be seen, and each act counts

class User {
  constructor(page) {
    this.page = page;
    this.acts = 0;
  }
  /** The middle of an element in the window. If it is outside, the wheel scrolls to it, which counts as no click. */
  async reach(locator) {
    const one = locator.locator("visible=true").first();
    await one.waitFor();
    const place = await main(this.page).boundingBox();
    for (let i = 0; i < 20; i++) {
      // of a link on two lines, the part on the first line
      const [x, y] = await one.evaluate((e) => (({ x, y, width, height }) => [x + width / 2, y + height / 2])(e.getClientRects()[0]));
      const outside = y > place.y + place.height ? 1 : y < Math.min(place.y, 0) ? -1 : 0;
      if (!outside) return [x, y];
      await this.page.mouse.move(place.x + place.width / 2, place.y + place.height - 30);
      await this.page.mouse.wheel(0, outside * 400);
      await this.page.waitForTimeout(100);
    }
    throw new Error(`cannot be reached by scrolling: ${await one.evaluate((e) => e.outerHTML.slice(0, 200))}`);
  }
  async click(locator) {
    const at = await this.reach(locator);
    await this.page.mouse.click(...at);
    this.acts++;
    await settled(this.page);
  }
  async drag(from, to) {
    await this.page.mouse.move(...from);
    await this.page.mouse.down();
    await this.page.mouse.move((from[0] + to[0]) / 2, to[1], { steps: 4 });
    await this.page.mouse.move(...to, { steps: 4 });
    await this.page.mouse.up();
    this.acts++;
    await settled(this.page);
  }
  async find(text) {
    await this.page.keyboard.press("/");
    await this.page.keyboard.type(text);
    await this.page.getByRole("listbox").getByRole("option").first().waitFor();
    await this.page.keyboard.press("Enter");
    this.acts++;
    await settled(this.page);
  }
}

// ---- what a page says

const plain = (text) => text.replace(/[\u00a0\u202f]/g, " ").replace(/\u2212/g, "-");
const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
const near = (a, b) => Math.abs(a - b) <= Math.max(0.01, 1e-6 * Math.abs(b));

/** The ways in which a time is written: three digits, or one after the point. */
function forms(us) {
  const [n, unit] = us >= 999500 ? [us / 1e6, "s"] : us >= 999.5 ? [us / 1e3, "ms"] : us >= 0.9995 ? [us, "µs"] : [us * 1e3, "ns"];
  return [`${n >= 100 ? Math.round(n) : n.toPrecision(3)} ${unit}`, `${n.toPrecision(4)} ${unit}`, `${n.toFixed(1)} ${unit}`, `${Math.round(n)} ${unit}`].map((s) => s.replace(/^0 .*/, "0 µs"));
}
const tells = (text, us) => forms(us).some((form) => new RegExp(`(^|[^\\d.,])${form.replace(".", "\\.")}`).test(plain(text)));

function told(what, text, us) {
  return check(`${what}: ${forms(us)[0]} is told`, tells(text, us), plain(text).replace(/\s+/g, " "));
}

function clicks(what, user, most) {
  check(`${what}: in ${most} clicks`, user.acts <= most, user.acts);
}

/** The panel lies inside the window. */
async function inside(what, page) {
  const [box, size] = [await details(page).boundingBox(), page.viewportSize()];
  check(`${what}: the panel is inside the window`, box && box.x >= -1 && box.y >= -1 && box.x + box.width <= size.width + 1 && box.y + box.height <= size.height + 1, JSON.stringify(box));
}

const stepsOf = (it) => said("steps", ...it.files).rows.filter((r) => /^\d+$/.test(r.step));
const HOW = /with_stack|python_tracer|op_log|record|not recorded|no lines?|none/i;

// ---- the tasks

/** a: the slowest line, with its text. */
async function line(page, user, it) {
  await go(page, `#/p/${it.id}/overview`);
  const found = said("lines", ...it.files).rows.map((r) => ({ ...r, name: r.function ?? r.line }));
  const first = found.find((r) => /:\d+/.test(r.name));
  if (!first) return check("a: a file without lines says what to record", HOW.test(await page.locator("body").innerText()));
  await user.click(main(page).locator('[data-kind="line"]'));
  const { id, text } = await selected(page, "line");
  check("a: it is the slowest", id === first.name, `${id} instead of ${first.name}`);
  told("a: its own time", text, first.self_us);
  if (it.source) check("a: its text is there", text.includes(it.source), text);
  else check("a: its text is there, or how to give it", /Its text: give the folder/.test(text) || (await details(page).locator("code").count()), text);
  await inside("a", page);
}

/** b: who holds memory at the peak. */
async function holders(page, user, it) {
  await go(page, `#/p/${it.id}/overview`);
  let wanted = null;
  try {
    wanted = said("memory", ...it.files);
  } catch {
    return check("b: without memory there is no place for it", !(await nav(page).getByRole("link", { name: /^Memory/ }).count()));
  }
  await user.click(nav(page).getByRole("link", { name: /^Memory/ }));
  await rows(page, "Holders").first().waitFor();
  const text = await main(page).innerText();
  const peak = Object.entries(wanted.summary).find(([name]) => name.startsWith("peak_bytes"))?.[1];
  const shown = await main(page).locator('data[data-quantity="memory.peak"]').first().getAttribute("value");
  check("b: the peak", near(Number(shown), peak), `${shown} instead of ${peak}`);
  const bytes = Number(await rows(page, "Holders").first().locator('[data-column="bytes"]').getAttribute("data-value"));
  const most = [wanted.rows, wanted.scopes, wanted.lines, wanted.tensors].map((list) => list?.[0]?.bytes);
  check("b: the first holder", most.includes(bytes), `${bytes}, not one of ${most}: ${text.slice(0, 300)}`);
}

/** c: why a step is slow, and the time in which it was. */
async function slow(page, user, it) {
  const all = stepsOf(it);
  if (all.length < 2) return check("c: the file has steps", false, all.length);
  const longest = all.reduce((a, b) => (b.duration_us > a.duration_us ? b : a));
  await go(page, `#/p/${it.id}/overview`);
  await user.click(main(page).locator(`[data-kind="step"][data-id="${longest.step}"]`));
  await selected(page, "step");
  const why = await section(page, "Why").innerText();
  const ofStep = all.filter((r) => r.step === longest.step).map((r) => r.duration_us);
  check("c: the sentence has the step's time", [Math.max(...ofStep), mean(ofStep)].some((us) => tells(why, us)), `${forms(mean(ofStep))[0]}: ${why}`);
  check("c: it names things by links", (await section(page, "Why").locator("[data-kind]").count()) >= 1, why);
  await user.click(section(page, "Why").locator("[data-evidence]"));
  check("c: the evidence is in the timeline", (await placeOf(page)) === "timeline", page.url());
  const seen = await page.evaluate((step) => {
    const { view, marks, element } = globalThis.tfprof.pictures.timeline;
    const { width } = element.getBoundingClientRect();
    return { lasts: view().to - view().from, parts: marks().filter((m) => m.kind === "step" && m.id === step).map((m) => m.w / width) };
  }, longest.step);
  check("c: which shows that step", seen.parts.some((part) => part > 0.2) && seen.lasts < 4 * longest.duration_us, JSON.stringify([seen, longest]));
}

/** d: from a kernel to its op and its line. */
async function origin(page, user, it) {
  const kernels = said("kernel", ...it.files).rows;
  await go(page, `#/p/${it.id}/overview`);
  if (!kernels.length) return check("d: without kernels none is listed", !(await main(page).locator('[data-kind="kernel"]:visible').count()));
  const one = it.kernel ?? kernels[0].name;
  await user.click(main(page).locator(`[data-kind="kernel"][data-id=${JSON.stringify(one)}]`));
  const { id } = await selected(page, "kernel");
  const from = section(page, "Comes from");
  await from.waitFor();
  const text = await from.innerText();
  const { ops } = kernels.find((k) => k.name === id);
  check("d: its op is named by a link", !ops || (await from.locator('[data-kind="op"]').evaluateAll((l) => l.map((e) => e.dataset.id))).some((op) => ops.includes(op)), `${ops}: ${text}`);
  const lines = from.locator('[data-kind="line"]');
  if (it.line) check("d: its line is named by a link", (await lines.evaluateAll((l) => l.map((e) => e.dataset.id))).includes(it.line), text);
  else check("d: its line is named, or how to record it", (await lines.count()) || HOW.test(text), text);
}

/** e: what changed between two runs. */
async function changed(page, user, it) {
  await go(page, "#/");
  if (it.among) await page.getByRole("searchbox", { name: "Filter profiles" }).fill(it.among); // a long list
  for (const { id } of [it.before, it]) await user.click(rows(page, "Profiles").and(page.locator(`[data-id="${id}"]`)).getByRole("checkbox"));
  await user.click(main(page).getByRole("button", { name: /^Compare/ }).or(main(page).getByRole("link", { name: /^Compare/ })));
  await page.waitForFunction(() => document.querySelector("main").dataset.place === "compare");
  await settled(page);
  const head = await main(page).evaluate((m) => {
    const out = [];
    const walk = document.createTreeWalker(m, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const box = walk.currentNode.parentElement.getBoundingClientRect();
      if (box.height && box.bottom <= 300) out.push(walk.currentNode.data);
    }
    return out.join(" ");
  });
  const [from, to] = [it.before, it].map((side) => mean(stepsOf(side).map((r) => r.duration_us)));
  const part = Math.abs(to / from - 1) * 100;
  check("e: the headline has the step before and now", tells(head, from) && tells(head, to), `${forms(from)[0]}, ${forms(to)[0]}: ${head}`);
  check("e: and the change", [part.toPrecision(3), part.toFixed(1), String(Math.round(part))].some((n) => plain(head).includes(n)), `${part}: ${head}`);
}

/** f: how much communication is hidden. */
async function hidden(page, _user, it) {
  await go(page, `#/p/${it.id}/overview`);
  const all = stepsOf(it);
  const text = await main(page).innerText();
  const exposed = mean(all.map((r) => r.exposed_communication_us));
  told("f: exposed communication", text, exposed);
  const communication = mean(all.map((r) => r.communication_us));
  if (communication > 0) check("f: how much of it is hidden", /hidden/i.test(text) && (tells(text, communication) || plain(text).includes(`${Math.round((1 - exposed / communication) * 100)} %`) || plain(text).includes(`${((1 - exposed / communication) * 100).toFixed(1)} %`)), `${communication} ${exposed}: ${text.slice(0, 500)}`);
}

/** g: the statistics of a kernel in a range. */
async function range(page, user, it) {
  const kernels = said("kernel", ...it.files).rows;
  await go(page, `#/p/${it.id}/timeline`);
  if (!kernels.length && !it.word) return;
  const word = it.word ?? /\w[\w-]{3,}/.exec(kernels[0].name)[0];
  await user.find(word);
  const box = await page.evaluate(() => globalThis.tfprof.pictures.timeline.element.getBoundingClientRect().toJSON());
  const y = box.y + box.height * 0.6;
  await user.drag([box.x + box.width * 0.2, y], [box.x + box.width * 0.8, y]);
  await selected(page, "range");
  const [, from, to] = /range=([\d.]+)-([\d.]+)/.exec(decodeURIComponent(page.url())) ?? [];
  const row = rows(page, "Sums").filter({ visible: true }).first();
  await row.waitFor();
  const full = await row.getAttribute("data-full");
  const shown = await row.evaluate((r) => Object.fromEntries([...r.querySelectorAll("[data-column]")].map((c) => [c.dataset.column, Number(c.dataset.value)])));
  const ofRanks = said("kernel", ...it.files, "-range", `${from}:${to}`).rows.filter((k) => k.name === full);
  const [count, total] = ["count", "total_us"].map((c) => ofRanks.reduce((sum, k) => sum + k[c], 0));
  const wanted = ofRanks.length && { count, total_us: total, mean_us: total / count, min_us: Math.min(...ofRanks.map((k) => k.min_us)), max_us: Math.max(...ofRanks.map((k) => k.max_us)) };
  check("g: count, total, mean, minimum and maximum as `kernel -range` has them", wanted && shown.count === wanted.count && ["total", "mean", "min", "max"].every((c) => near(shown[c], wanted[`${c}_us`])), `${full}: ${JSON.stringify(shown)} instead of ${JSON.stringify(wanted)}`);
}

/** h: giving this view to others. */
async function share(page, user, it) {
  await go(page, `#/p/${it.id}/overview`);
  await user.click(page.getByRole("button", { name: "Share" }));
  const text = await page.getByRole("menu").innerText();
  check("h: the address and a report are offered", /address/i.test(text) && /Save as report/i.test(text), text);
}

/** i: how ranks differ. */
async function ranks(page, user, it) {
  const all = stepsOf(it);
  const names = [...new Set(all.map((r) => r.rank).filter((r) => r !== undefined && r !== null))];
  await go(page, `#/p/${it.id}/overview`);
  if (names.length < 2) return check("i: one rank is no list of ranks", (await main(page).locator('[data-kind="rank"]:visible').count()) <= 1);
  const times = new Map(names.map((rank) => [rank, mean(all.filter((r) => r.rank === rank).map((r) => r.duration_us))]));
  await user.click(main(page).locator('[data-kind="rank"]'));
  const { id, text } = await selected(page, "rank");
  told("i: the rank's own step", text, times.get(Number(id)));
  const shown = await main(page).innerText();
  const [least, most] = [Math.min(...times.values()), Math.max(...times.values())];
  check("i: the fastest and the slowest stand beside each other", tells(shown, least) && tells(shown, most), `${forms(least)[0]}, ${forms(most)[0]}: ${shown.slice(0, 600)}`);
}

const TASKS = [["a: the slowest line", line, 1], ["b: holders at the peak", holders, 1], ["c: why a step is slow", slow, 2], ["d: from a kernel to its line", origin, 1], ["e: what changed", changed, 3], ["f: hidden communication", hidden, 0], ["g: a kernel in a range", range, 3], ["h: share", share, 1], ["i: compare ranks", ranks, 1]];

// ---- on which files

const OWN = {
  a: { name: "tutorials/pytorch/slow.json.gz", source: "loss.backward()" },
  b: { name: "pytorch/train.json.gz" },
  c: { name: "tutorials/pytorch/slow.json.gz" },
  d: { name: "jobs/lines.json", kernel: "gemm_forward", line: "model/net.py:12:forward" },
  e: { name: "tutorials/pytorch/slow.json.gz", before: { name: "tutorials/pytorch/fast.json.gz" }, among: "tutorials/pytorch" },
  f: { name: "jobs/lines.json" },
  g: { name: "jobs/lines.json", word: "gemm" },
  h: { name: "jobs/lines.json" },
  i: { name: "jobs/rank0.json", files: ["jobs/rank0.json", "jobs/rank1.json"] },
};

function own(ids, letter) {
  const it = OWN[letter];
  const side = (s) => ({ ...s, id: ids[s.name], files: (s.files ?? [s.name]).map((f) => DATA + f) });
  return { ...side(it), ...(it.before ? { before: side(it.before) } : {}) };
}

/** The files of PAGE_TASKS: {file, before}, served alone; a folder of ranks is one profile. */
async function given({ file, before }) {
  const { profiles } = await (await fetch(`${url}/api/v1/profiles`)).json();
  const side = (path, folder) => {
    const { id, name } = profiles.find((p) => p.name.startsWith(folder)) ?? profiles[0];
    return { id, name, files: [path] };
  };
  return { ...side(file, "now/"), ...(before ? { before: side(before, "before/") } : {}) };
}

export async function tasks(browser, ids) {
  const asked = process.env.PAGE_TASKS && JSON.parse(process.env.PAGE_TASKS);
  const only = process.env.PAGE_LETTERS ?? "abcdefghi";
  for (const [name, task, most] of TASKS) {
    if (!only.includes(name[0])) continue;
    const it = asked ? await given(asked) : own(ids, name[0]);
    if (name[0] === "e" && !it.before) continue;
    const page = await open(browser, { viewport: { width: 1440, height: 900 } });
    if (asked) page.setDefaultTimeout(LATE);
    const user = new User(page);
    try {
      await task(page, user, it);
      clicks(name, user, most);
      noFaults(name, page);
    } catch (fault) {
      check(name, false, fault.stack ?? fault);
    }
    if (asked) console.log(`${name}: ${user.acts} of ${most} clicks`);
    await page.context().close();
  }
}

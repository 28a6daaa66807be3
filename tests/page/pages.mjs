// SPDX-License-Identifier: Apache-2.0
// tests/page/pages.mjs: the workbench in a browser, by its landmarks: places, numbers as the command line has them, selection,
// address, keys, faults, axe. The timeline, the flame graph and memory have parts of their own.
import { axe, check, column, details, go, grid, main, nav, noFaults, open, placeOf, quantities, rail, rows, said, same, section, selected, settled, sideways, url } from "./harness.mjs";

const DENSE = "dense/profile_3.gz";
const TRACE = "pytorch/train.json.gz"; // without a device
const GPU = "xplane/rocm/rocm.xplane.pb";
const STEPS = "xplane/gpu.xplane.pb"; // several steps of a device
const SLOW_STEPS = "odd_traces/slow_steps.json"; // two steps of four take longer
const DATA = new URL("../data/sample/", import.meta.url).pathname;
const file = (name) => `${DATA}${name}`;
const trees = "-select micros,accelerator_micros,cpu_micros,occurrence,bytes,params -max_depth 100000".split(" ");
const near = (a, b) => Math.abs(a - b) <= Math.max(0.01, 1e-6 * Math.abs(b));
const at = (ids, name, place, query = "") => `#/p/${ids[name]}/${place}${query && `?${query}`}`;

/** Runs a check on a page at an address; the page is closed afterwards and must have had no
 * errors. */
async function on(browser, hash, work, options) {
  const page = await open(browser, options);
  await go(page, hash);
  await work(page);
  noFaults(hash, page);
  await page.context().close();
}

/** Every view of different profiles opens by its link, has a title, and shows no error. */
async function places(browser, ids) {
  for (const name of [DENSE, "gpu/profile_1.gz", TRACE, "seq2seq", "dense/ckpt_v2/model.ckpt-3", "odd/graph.pb"])
    await on(browser, at(ids, name, "overview"), async (page) => {
      const titles = await rail(page).getByRole("link").evaluateAll((all) => all.map((a) => a.firstChild.textContent));
      check(`${name}: has places`, titles.length >= 5, titles.join());
      for (const title of titles.filter((t) => !["Compare", "More"].includes(t))) {
        await rail(page).getByRole("link", { name: new RegExp(`^${title}`) }).click();
        await settled(page);
        same(`${name}: ${title} is the place`, [await placeOf(page), await main(page).getAttribute("aria-label")], [title.toLowerCase(), title]);
        check(`${name}: ${title} is marked`, (await rail(page).locator('[aria-current="page"]').innerText()).startsWith(title));
        const fault = page.locator("main .fault");
        check(`${name}: ${title} is drawn`, !(await fault.count()), (await fault.count()) ? await fault.first().innerText() : "");
      }
    });
}

/** The address of a view whose data was not recorded shows how to record it; tables without data are not offered. */
async function lacking(browser, ids) {
  await on(browser, at(ids, "loops/graph.pb", "memory"), async (page) => {
    const text = await main(page).innerText();
    check("Memory without data says how to record it", /profile_memory=True/.test(text) && !(await page.getByRole("alert").count()), text);
  });
  await on(browser, at(ids, "loops/graph.pb", "table"), async (page) => {
    const titles = await page.getByRole("navigation", { name: "Table by" }).getByRole("link").allInnerTexts();
    check("a graph without lines offers no table of lines", titles.includes("ops") && !titles.includes("lines"), titles.join());
  });
  await on(browser, at(ids, STEPS, "overview"), async (page) => {
    await main(page).locator('[data-kind="step"]:visible').first().click();
    // no request of the panel may fail, because a console error counts as an error of the page
    await selected(page, "step");
  });
}

/** Where steps are shown, the page says that they are guessed, and the thread of a finding has its
 * name. */
async function guessed(browser, ids) {
  for (const place of ["overview", "steps"])
    await on(browser, at(ids, "recorded/keras.xplane.pb.gz", place), async (page) => {
      const text = await main(page).innerText();
      check(`${place}: guessed steps are said, with the share of work in them`, /steps are guessed: .* \d+\s?% of the host's work lies in them/.test(text), text.slice(0, 500));
      if (place === "overview") check("a finding names the thread", /thread python at /.test(text) && !/thread -?\d{10}/.test(text), text);
    });
}

/** A table and a flame graph say how much of the time their rows explain, in one line above the first row. */
async function explained(browser, ids) {
  for (const [place, says] of [["table?by=op", /the rows explain \d+\s%/], ["table?by=kernel", /% of the device time has a known place in the model/], ["flame", /the rows explain \d+\s%/]])
    await on(browser, at(ids, "graphs/trained.json", place), async (page) => {
      const line = page.locator("main").locator(".noteline");
      check(`${place}: how much the rows explain`, says.test(await line.innerText()), await line.innerText());
      if (place !== "flame") check(`${place}: the first row stays near the top`, (await rows(page, "Table").first().boundingBox()).y <= 160);
    });
}

/** The panel of the profile says how much device time has a place, by class, as SQL does; Overview says it above its kernels. */
async function covered(browser, ids) {
  await on(browser, at(ids, "graphs/trained.json", "overview"), async (page) => {
    await section(page, "Device time explained").waitFor();
    const text = await section(page, "Device time explained").innerText();
    const sql = "SELECT class, reason, sum(device_us) AS us FROM coverage GROUP BY class, reason";
    const wanted = said("query", sql, file("graphs/trained.json")).rows;
    const all = wanted.reduce((a, r) => a + r.us, 0);
    const word = (r) => (r.class === "none" ? r.reason : r.class);
    check("coverage: each class with its share", wanted.length > 1 && wanted.every((r) => new RegExp(`${word(r)}\\s+${((100 * r.us) / all).toFixed(1)}\\s%`).test(text)), `${text} ${JSON.stringify(wanted)}`);
    check("coverage: above the kernels, once", (await main(page).innerText()).split("has a known place").length === 2, await main(page).innerText());
  });
  await on(browser, at(ids, DENSE, "overview"), async (page) => check("coverage: not of what has no events", !/Device time explained/.test(await details(page).innerText())));
}

/** The graph uses the common selection: a click on a box selects its scope, a double click opens it, and open boxes stay
 * open. */
async function graph(browser, ids) {
  await on(browser, at(ids, "dense/graph.pb", "graph"), async (page) => {
    const marks = () => page.evaluate(() => globalThis.tfprof.pictures.graph.marks());
    const middle = async (id) => {
      const m = (await marks()).find((x) => x.id === id);
      return [m.x + m.w / 2, m.y + m.h / 2];
    };
    const before = (await marks()).length;
    for (const scope of ["hidden", "softmax"]) {
      await page.mouse.dblclick(...(await middle(scope)));
      await page.waitForFunction((id) => new RegExp(`[=,]${id}`).test(new URLSearchParams(location.hash.split("?")[1]).get("open") ? `=${new URLSearchParams(location.hash.split("?")[1]).get("open")}` : ""), scope);
      await settled(page);
    }
    check("opened scopes show their boxes", (await marks()).length > before, (await marks()).length);
    await page.mouse.click(...(await middle("ArgMax")));
    same("a click on a box selects its scope", (await selected(page, "scope")).id, "ArgMax");
    same("a selection closes no scope", new URLSearchParams(page.url().split("?")[1]).get("open"), "hidden,softmax");
    check("nor leaves their boxes out", (await marks()).length > before, (await marks()).length);
    await axe("graph", page);
  });
  await on(browser, at(ids, "dense/graph.pb", "graph", "q=softmax/"), async (page) => {
    await page.waitForSelector(".box.unfound");
    const told = await main(page).getByRole("status").allInnerTexts();
    check("the search of the page tells what it found in the graph", told.some((t) => /^\d+ names? with “softmax\/”$/.test(t)), told.join());
    const opened = new URLSearchParams(page.url().split("?")[1]).get("open").split(",");
    const boxes = await page.locator(".box").evaluateAll((list) => list.map((b) => [b.dataset.id, b.classList.contains("unfound")]));
    const pale = (id) => boxes.find(([of]) => of === id)?.[1];
    check("what it found first is opened", boxes.some(([id, away]) => !away && id.includes("softmax/")) && opened.includes("gradients"), opened.join());
    check("boxes that it found, or that hold what it found, are lit", pale("softmax") === false && pale("gradients/softmax/logits") === false, JSON.stringify(boxes));
    check("the others are pale", pale("hidden") === true && pale("gradients/hidden") === true && pale("images") === true, JSON.stringify(boxes));
    same("the graph has no search of its own", await main(page).locator("input[type=search]").count(), 0);
  });
}

/** Rows of the command line by name, with the value of a field. */
const byName = (list, field) => Object.fromEntries(list.map((r) => [r.name, r[field]]));

function equalRows(what, got, wanted) {
  const names = Object.keys(got);
  check(`${what}: has rows`, names.length > 1, names.length);
  const off = names.filter((n) => wanted[n] !== undefined && !near(got[n] ?? 0, wanted[n]));
  check(`${what}: as the command line`, names.some((n) => wanted[n] !== undefined) && !off.length, off.map((n) => `${n}: ${got[n]}, not ${wanted[n]}`).join("; "));
}

async function numbers(browser, ids) {
  await on(browser, at(ids, GPU, "table", "by=kernel"), async (page) => {
    const wanted = said("kernel", file(GPU)).rows;
    for (const [col, field] of [["total", "total_us"], ["count", "count"], ["share", "share"]]) equalRows(`kernel ${col}`, await column(page, "Table", col), byName(wanted, field));
  });
  for (const name of [TRACE, DENSE]) {
    await on(browser, at(ids, name, "table", "by=op"), async (page) => {
      const wanted = {};
      const take = (node) => {
        wanted[node.name] = node.cpu_exec_micros;
        node.children?.forEach(take);
      };
      take(said("op", file(name), ...trees).root);
      equalRows(`${name}: host time of ops`, await column(page, "Table", "self"), wanted);
    });
    await on(browser, at(ids, name, "table", "by=scope"), async (page) => {
      equalRows(`${name}: host time of scopes`, await column(page, "Table", "host"), byName(said("scope", file(name), ...trees).root.children, "total_cpu_exec_micros"));
    });
  }
}

/** Without a trace the program gives means over the steps: the page does not divide them again. */
async function means(browser, ids) {
  const name = "gpu/profile_1.gz";
  const wanted = {};
  const take = (node) => ((wanted[node.name] = node.cpu_exec_micros), node.children?.forEach(take));
  take(said("op", file(name), ...trees).root);
  check("means: the profile has several steps", new Set(said("steps", file(name)).rows.map((r) => r.step)).size > 2);
  await on(browser, at(ids, name, "compare", `vs=${ids[name]}&by=op`), async (page) => {
    for (const side of ["before", "now"]) equalRows(`means: ops of a step, ${side}`, await column(page, "Differences", side), wanted);
  });
  await on(browser, at(ids, name, "overview"), async (page) => {
    const all = Object.values(wanted).reduce((a, b) => Math.max(a, b), 0);
    const text = await main(page).locator('.toprow:has([data-kind="op"])').first().innerText();
    check("means: the first op of Overview", text.includes(all >= 1000 ? (all / 1000).toPrecision(3) : all.toPrecision(3)), `${all} µs: ${text}`);
  });
}

/** Each quantity has the same value everywhere in the page and on the command line. */
async function oneValue(browser, ids) {
  const steps = said("steps", file(GPU)).rows.filter((r) => /^\d+$/.test(r.step));
  const mean = (field) => steps.reduce((a, r) => a + r[field], 0) / steps.length;
  const wanted = { "step.mean of all": "duration_us", "step.compute of all": "compute_us", "step.idle of all": "idle_us", "step.exposed_communication of all": "exposed_communication_us" };
  const seen = new Map();
  for (const place of ["overview", "steps", "findings", "table", "timeline"])
    await on(browser, at(ids, GPU, place), async (page) => {
      for (const [name, value] of await quantities(page)) {
        if (seen.has(name)) check(`${name} in ${place}`, near(value, seen.get(name)), `${value}, elsewhere ${seen.get(name)}`);
        seen.set(name, value);
      }
    });
  for (const [name, field] of Object.entries(wanted)) check(`${name} as steps has it`, near(seen.get(name), mean(field)), `${seen.get(name)}, not ${mean(field)}`);
}

/** A filter has the same effect in the page and on the command line. */
async function filters(browser, ids) {
  const all = said("steps", file(STEPS)).rows.filter((r) => /^\d+$/.test(r.step));
  const { step } = all[1];
  await on(browser, at(ids, STEPS, "table", `by=kernel&steps=${step}`), async (page) => {
    equalRows(`kernels of step ${step}`, await column(page, "Table", "total"), byName(said("kernel", file(STEPS), "-step", step).rows, "total_us"));
    await nav(page).getByRole("link", { name: /^Steps/ }).click();
    await settled(page);
    check("the filter stays in another place", page.url().includes(`steps=${step}`), page.url());
    same("and leaves one step", await rows(page, "Steps").count(), 1);
    await page.getByRole("button", { name: "Clear steps" }).click();
    await settled(page);
    same("its cross clears it", [await rows(page, "Steps").count(), page.url().includes("steps=")], [all.length, false]);
  });
  const ranks = [0, 1].map((r) => file(`jobs/rank${r}.json`));
  for (const [by, value] of [["op", "self"], ["kernel", "total"]])
    await on(browser, at(ids, "jobs/rank0.json", "table", `by=${by}&ranks=1`), async (page) => {
      const of = said(by, ...ranks, "-ranks", "1", ...(by === "op" ? trees : []));
      const wanted = {};
      const take = (node) => ((wanted[node.name] = node.cpu_exec_micros), node.children?.forEach(take));
      if (by === "op") take(of.root);
      equalRows(`${by} of a rank`, await column(page, "Table", value), by === "op" ? wanted : byName(of.rows, "total_us"));
    });
  await on(browser, at(ids, "jobs/rank0.json", "table", "by=kernel&device=gpu:0&ranks=0"), async (page) => {
    equalRows("kernels of a device", await column(page, "Table", "total"), byName(said("kernel", ...ranks, "-ranks", "0", "-device", "gpu:0").rows, "total_us"));
  });
  await on(browser, at(ids, STEPS, "table", `by=kernel&range=0-${2 * all[0].duration_us}`), async (page) => {
    equalRows("kernels of a range", await column(page, "Table", "total"), byName(said("kernel", file(STEPS), "-range", `0:${2 * all[0].duration_us}`).rows, "total_us"));
  });
}

/** A click selects; the panel has its sections in order; every item in it is a link. */
async function selection(browser, ids) {
  await on(browser, at(ids, GPU, "table", "by=kernel"), async (page) => {
    const before = await main(page).boundingBox();
    await rows(page, "Table").nth(1).click();
    const { id } = await selected(page, "kernel");
    same("the row's kernel is selected", id, await rows(page, "Table").nth(1).getAttribute("data-id"));
    same("nothing jumps", await main(page).boundingBox(), before);
    await section(page, "What if").waitFor(); // once the steps are loaded
    same("its sections", await details(page).getByRole("region").evaluateAll((all) => all.map((r) => r.getAttribute("aria-label"))), ["Numbers", "Over steps", "Comes from", "Spans", "What if", "Findings"]);
    check("its op is a link", await section(page, "Comes from").locator('[data-kind="op"]').count());
    await section(page, "Comes from").locator('[data-kind="op"]').first().click();
    await selected(page, "op");
    check("the op leads to its kernels", await section(page, "Leads to").locator('[data-kind="kernel"]').count());
    await page.goBack();
    same("Back undoes one act", (await selected(page, "kernel")).id, id);
    await page.keyboard.press(".");
    await page.waitForFunction((old) => document.querySelector("aside").dataset.id !== old, id);
    await page.keyboard.press(",");
    await page.waitForFunction((old) => document.querySelector("aside").dataset.id === old, id);
    await page.keyboard.press("Escape");
    await selected(page, "profile");
  });
  for (const [place, query] of [["overview", ""], ["findings", ""], ["steps", ""], ["table", "by=scope"], ["table", "by=transfer"], ["table", "by=wait"]])
    await on(browser, at(ids, GPU, place, query), async (page) => {
      const things = main(page).locator("[data-kind][data-id]:visible");
      const n = await things.count();
      for (let i = 0; i < n; i += Math.ceil(n / 6)) {
        const one = things.nth(i);
        const [kind, id] = [await one.getAttribute("data-kind"), await one.getAttribute("data-id")];
        if ((await one.getAttribute("data-evidence")) !== null) continue;
        await one.click();
        same(`${place} ${query}: ${kind} is selected`, (await selected(page, kind)).id, id);
        check(`${place} ${query}: ${kind} ${id} leads on`, (await details(page).locator("a,button").count()) > 1);
      }
    });
}

/** An instruction of XLA ran on a device only: its panel finds its kernels, steps and spans there. */
async function instructions(browser, ids) {
  const name = "xplane/tpu.xplane.pb";
  const wanted = said("query", "SELECT s.name AS name, count(*) AS count FROM spans s JOIN nodes n USING (node) WHERE n.op = 'dot_general' AND s.class IS NOT NULL GROUP BY s.name", file(name)).rows;
  await on(browser, at(ids, name, "table", "by=op&sel=op:dot_general"), async (page) => {
    await selected(page, "op");
    const kernels = section(page, "Leads to").locator('[data-kind="kernel"]');
    await kernels.first().waitFor();
    const shown = await kernels.evaluateAll((all) => all.map((e) => e.dataset.id));
    check("an instruction leads to its kernels", wanted.length > 0 && wanted.every((w) => shown.includes(w.name)), `${shown} instead of ${wanted.map((w) => w.name)}`);
    check("it has its steps and spans", (await section(page, "Over steps").locator('[data-kind="step"]').count()) > 1 && (await section(page, "Spans").locator('[data-kind="span"]').count()) > 0, await details(page).innerText());
  });
}

/** A slow step has its reasons, and their evidence is marked in the timeline. */
async function evidence(browser, ids) {
  const [slowest] = said("steps", file(SLOW_STEPS), "-why").rows;
  await on(browser, at(ids, SLOW_STEPS, "overview"), async (page) => {
    await main(page).locator(`[data-kind="step"][data-id="${slowest.step}"]:visible`).first().click();
    await selected(page, "step");
    check("Why names things by links", (await section(page, "Why").locator("[data-kind]").count()) >= 2);
    await section(page, "Why").locator("[data-evidence]").click();
    await settled(page);
    same("the evidence is in the timeline", await placeOf(page), "timeline");
    check("which shows that time", /view=\d/.test(page.url()), page.url());
  });
}

async function address(browser, ids) {
  await on(browser, at(ids, DENSE, "table", "by=scope"), async (page) => {
    await rows(page, "Table").first().click();
    await page.keyboard.press("ArrowRight");
    await grid(page, "Table").locator("[role=columnheader][data-column=host]").click();
    await settled(page);
    const look = async () => [await grid(page, "Table").innerText(), await details(page).getAttribute("data-id")];
    const before = await look();
    check("the row opened", (await rows(page, "Table").count()) > 3 && page.url().includes("open="), page.url());
    await page.reload();
    await settled(page);
    same("a reload shows the same", await look(), before);
  });
  await on(browser, at(ids, GPU, "table", "by=kernel&steps=cow&sel=nothing"), async (page) => {
    check("nonsense is ignored with a word", /ignored.*steps=cow/.test(await page.getByRole("region", { name: "Context" }).innerText()));
    check("and the rest is shown", await rows(page, "Table").count());
  });
  for (const [old, place] of [["kernel", "table"], ["advice", "findings"], ["scope", "table"], ["check", "findings"]])
    await on(browser, `#/p/${ids[TRACE]}/${old}`, async (page) => same(`${old} leads to ${place}`, await placeOf(page), place));
  const page = await open(browser);
  await go(page, "#/p/000000000000/overview");
  check("an unknown profile says so", /cannot be shown/.test(await main(page).innerText()), await main(page).innerText());
  await page.context().close();
}

/** Keyboard navigation of a tree, search, columns, and rendering of visible rows only. */
async function table(browser, ids) {
  await on(browser, at(ids, DENSE, "table", "by=scope"), async (page) => {
    const id = () => details(page).getAttribute("data-id");
    await rows(page, "Table").first().click();
    const first = await id();
    await page.keyboard.press("ArrowDown");
    check("down goes to the next row", (await id()) !== first);
    await page.keyboard.press("ArrowUp");
    const closed = await rows(page, "Table").count();
    await page.keyboard.press("ArrowRight");
    check("right opens", (await rows(page, "Table").count()) > closed);
    same("the row says so", await rows(page, "Table").first().getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowLeft");
    same("left closes", await rows(page, "Table").count(), closed);
    await axe("table of scopes", page);
  });
  await on(browser, at(ids, "transformer", "table", "by=scope&q=mat"), async (page) => {
    const count = Number(await grid(page, "Table").getAttribute("aria-rowcount"));
    check("a search leaves what has the word", count > 100, count);
    check("and only rows that can be seen are drawn", (await rows(page, "Table").count()) < 120, await rows(page, "Table").count());
  });
  await on(browser, at(ids, GPU, "table", "by=kernel"), async (page) => {
    await page.getByRole("button", { name: "More actions" }).click();
    const menu = await page.getByRole("menu").innerText();
    check("More actions has CSV and the command line", /CSV/.test(menu) && /tfprof kernel/.test(menu), menu);
    await page.getByRole("menuitemcheckbox", { name: /min/ }).click();
    await page.keyboard.press("Escape");
    check("a column is added, in the address", page.url().includes("columns=min") && (await grid(page, "Table").locator("[role=columnheader][data-column=min]").count()), page.url());
  });
}

async function search(browser, ids) {
  await on(browser, at(ids, GPU, "table", "by=op"), async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("copy");
    await page.getByRole("option").first().waitFor();
    same("a hit has its kind", await page.getByRole("option").first().getAttribute("data-kind"), "kernel");
    await axe("search", page);
    await page.keyboard.press("Enter");
    const first = await selected(page, "kernel");
    check("Enter selects it", /cpy|copy/i.test(first.id), first.id);
    await page.keyboard.press("n");
    await page.waitForFunction((old) => document.querySelector("aside").dataset.id !== old, first.id);
    await page.keyboard.press("?");
    check("? lists the keys", /zoom/i.test(await page.getByRole("dialog").innerText()));
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Share" }).click();
    check("Share has the address and a report", /address/.test(await page.getByRole("menu").innerText()) && /report/.test(await page.getByRole("menu").innerText()));
  });
}

async function profiles(browser) {
  await on(browser, "#/", async (page) => {
    same("the list is a place", await placeOf(page), "profiles");
    check("it has rows", (await rows(page, "Profiles").count()) > 5);
    await axe("profiles", page);
    for (const name of ["resnet32", "pytorch/train"]) {
      await page.getByRole("searchbox", { name: "Filter profiles" }).fill(name);
      await rows(page, "Profiles").filter({ hasText: name }).first().getByRole("checkbox").check();
    }
    page.faults = page.faults.filter((f) => !/status of 422/.test(f)); // profiles that cannot be read, of which the list asks too
    check("two ticks offer to compare", await page.getByRole("button", { name: /^Compare/ }).count());
    await rows(page, "Profiles").filter({ hasText: "pytorch/train" }).first().getByRole("link").click();
    await settled(page);
    same("a click opens a profile", await placeOf(page), "overview");
  });
}

/** When the server ends, one alert appears; when it is back, the page continues. */
async function gone(browser, ids) {
  const page = await open(browser);
  await go(page, at(ids, TRACE, "overview"));
  await page.route("**/api/**", (route) => route.abort());
  await nav(page).getByRole("link", { name: /^Table/ }).click();
  await page.getByRole("alert").filter({ hasText: "does not answer" }).waitFor();
  same("one alert", await page.getByRole("alert").filter({ hasText: "The server does not answer" }).count(), 1);
  await page.unroute("**/api/**");
  await page.getByRole("button", { name: "Try again" }).first().click();
  await rows(page, "Table").first().waitFor();
  await page.waitForFunction(() => !document.querySelector("[role=alert]")); // other failed requests are repeated too
  await page.context().close();
}

/** No view overflows or scrolls sideways; axe finds nothing in both themes. */
async function looks(browser, ids) {
  for (const [width, height, colorScheme] of [[1440, 900, "light"], [1024, 768, "dark"], [390, 844, "light"]])
    for (const place of ["overview", "findings", "steps", "table"])
      await on(browser, at(ids, TRACE, place), async (page) => {
        const wide = await sideways(page);
        check(`${place} at ${width}: nothing sticks out`, !wide, wide);
        check(`${place} at ${width}: the page does not scroll`, (await page.evaluate(() => document.documentElement.scrollHeight)) <= height);
        await axe(`${place} at ${width}, ${colorScheme}`, page);
      }, { viewport: { width, height }, colorScheme });
  await on(browser, at(ids, TRACE, "overview"), async (page) => {
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await back();
    await page.getByRole("button", { name: "Theme" }).click();
    await page.getByRole("button", { name: "Theme" }).click();
    await page.waitForFunction((was) => getComputedStyle(document.body).backgroundColor !== was, light);
    check("the switch makes it dark", (await back()) !== light, light);
    await page.keyboard.press("Tab");
  });
  const answer = await fetch(`${url}/`);
  check("a strict policy for content", /default-src 'none'/.test(answer.headers.get("content-security-policy") ?? ""), answer.headers.get("content-security-policy"));
}

export const parts = { places, lacking, guessed, explained, covered, graph, numbers, means, oneValue, filters, selection, instructions, evidence, address, table, search, profiles, gone, looks };

// SPDX-License-Identifier: Apache-2.0
// tests/page/memory.mjs: who held memory, by category and by single allocations, as the command line has it; and that an op of a trace whose
// functions are spans leads to its line.
import { check, go, noFaults, open, rows, said, same, section, selected } from "./harness.mjs";

const TRACE = "pytorch/train.json.gz";
const FILE = new URL(`../data/sample/${TRACE}`, import.meta.url).pathname;
const DENSE = "dense/profile_3.gz";
const SNAPSHOT = "torch_files/snapshot.pickle";
const SNAPSHOT_FILE = new URL(`../data/sample/${SNAPSHOT}`, import.meta.url).pathname;

async function holders(page, ids) {
  for (const by of ["category", "tensor"]) {
    await go(page, `#/p/${ids[TRACE]}/memory?by=${by}`);
    const wanted = said("memory", FILE, "-by", by).rows;
    const shown = await rows(page, "Holders").evaluateAll((all) => all.map((r) => Number(r.querySelector('[data-column="bytes"]').dataset.value)));
    check(`memory by ${by}: it has rows`, shown.length > 1, shown.length);
    same(`memory by ${by}: bytes as the command line has them`, shown, wanted.map((r) => r.bytes).slice(0, shown.length));
  }
  const lifetime = await rows(page, "Holders").first().locator('[data-column="lifetime"]').getAttribute("data-value");
  check("a tensor has a lifetime", Number(lifetime) > 0, lifetime);
}

/** A category, a tensor of TensorFlow's files and an allocation of a trace each have a panel. */
async function panels(page, ids) {
  await go(page, `#/p/${ids[TRACE]}/memory?by=category`);
  await rows(page, "Holders").first().click();
  const { text } = await selected(page, "tensor");
  check("a category says what it is", /pass|optimizer|recording/.test(text), text);
  await go(page, `#/p/${ids[DENSE]}/memory?by=node`);
  await rows(page, "Holders").first().click();
  await selected(page, "tensor");
  check("a tensor leads to its op", await section(page, "Comes from").locator('[data-kind="op"]').count());
  await go(page, `#/p/${ids[TRACE]}/memory?by=tensor`);
  await rows(page, "Holders").first().click();
  await selected(page, "span");
}

async function lines(page, ids) {
  const { span } = said("query", "SELECT s.span, s.name FROM spans s WHERE s.kind = 'op' ORDER BY s.duration_ns DESC LIMIT 1", FILE).rows[0];
  await go(page, `#/p/${ids[TRACE]}/timeline?sel=span:${span}`);
  await selected(page, "span");
  const own = await section(page, "Comes from").locator('[data-kind="line"]').evaluateAll((all) => all.map((a) => a.dataset.id));
  check("a span leads to the functions of Python around it", own.length && own.every((id) => /^[^(]+\.py:\d+:./.test(id)), own.join());
  await go(page, `#/p/${ids[TRACE]}/table?by=op`);
  await rows(page, "Table").first().click();
  await selected(page, "op");
  check("an op leads to a line", await section(page, "Comes from").locator('[data-kind="line"]').count());
  await section(page, "Comes from").locator('[data-kind="line"]').first().click();
  await selected(page, "line");
}

const cells = (page, grid, column) => rows(page, grid).evaluateAll((all, name) => all.map((r) => Number(r.querySelector(`[data-column="${name}"]`).dataset.value)), column);

/** A memory snapshot has only views of memory: allocations that failed, lines at the peak,
 * segments. */
async function snapshot(page, ids) {
  for (const place of ["overview", "memory"]) {
    await go(page, `#/p/${ids[SNAPSHOT]}/${place}`);
    await rows(page, "Segments").first().waitFor();
    const facts = await page.locator(".fact-lines").innerText();
    check(`a snapshot, ${place}: what was out of memory, and what would have to go`, /out of memory/.test(facts) && /to make it fit/.test(facts), facts);
    same(`a snapshot, ${place}: lines as the command line has them`, await cells(page, "Holders", "bytes"), said("memory", SNAPSHOT_FILE, "-by", "line").rows.map((r) => r.bytes));
    same(`a snapshot, ${place}: segments`, await cells(page, "Segments", "largest"), said("memory", SNAPSHOT_FILE, "-by", "segment").rows.map((r) => r.largest_free_bytes));
  }
  check("a snapshot has no place for what ran", (await page.locator("nav a").allInnerTexts()).every((name) => !/Table|Flame|Timeline/.test(name)));
  check("nor does its panel offer one", !/timeline/i.test((await page.locator(".actions").allInnerTexts()).join(" ")));
}

export async function memory(browser, ids) {
  const page = await open(browser);
  await holders(page, ids);
  await panels(page, ids);
  await lines(page, ids);
  await snapshot(page, ids);
  noFaults("memory", page);
  await page.context().close();
}

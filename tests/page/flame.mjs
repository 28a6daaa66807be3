// SPDX-License-Identifier: Apache-2.0
// tests/page/flame.mjs: the flame graph, with the heaviest bars at the left and in the order of first starts.
import { check, go, main, noFaults, open, said, same, selected, settled } from "./harness.mjs";

const TRACE = "traces/kineto.json";
const FILE = new URL(`../data/sample/${TRACE}`, import.meta.url).pathname;

const marks = (page) => page.evaluate(() => globalThis.tfprof.pictures.flame.marks());

/** Names of the bars at a depth, from left to right. */
const fromLeft = (all, y) => all.filter((m) => m.y === y).sort((a, b) => a.x - b.x).map((m) => m.name);

async function byTime(page) {
  await main(page).getByLabel("order").selectOption({ label: "first start first" });
  await settled(page);
}

/** The children of a command-line row that have a bar. */
const shownOf = (row) => row.children.filter((c) => c.total_cpu_exec_micros > 0).map((c) => c.name.split("/").pop());

export async function flame(browser, ids) {
  const page = await open(browser);
  await go(page, `#/p/${ids[TRACE]}/flame?by=call&of=host`);
  const wanted = said("calls", FILE, "-order_by", "start", "-select", "cpu_micros", "-max_depth", "100000").root;
  const heavy = [...wanted.children].sort((a, b) => b.total_cpu_exec_micros - a.total_cpu_exec_micros).filter((c) => c.total_cpu_exec_micros > 0).map((c) => c.name);
  const top = Math.min(...(await marks(page)).map((m) => m.y));
  same("flame: heavy bars at the left", fromLeft(await marks(page), top), heavy);
  await byTime(page);
  check("flame: the order is in the address", page.url().includes("sort=start"), page.url());
  same("flame: in order of time as the command line", fromLeft(await marks(page), top), shownOf(wanted));
  const first = (await marks(page)).find((m) => m.y === top);
  await page.mouse.click(first.x + first.w / 2, first.y + first.h / 2);
  same("flame: a click selects the call", (await selected(page, "call")).id, first.id);
  await page.reload();
  await settled(page);
  same("flame: a reload keeps the order", fromLeft(await marks(page), top), shownOf(wanted));
  noFaults("flame", page);
  await page.context().close();
}

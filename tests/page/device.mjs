// SPDX-License-Identifier: Apache-2.0
// tests/page/device.mjs: the device chosen in the context bar applies to every view; the expected numbers come from the command line.
import { check, details, go, grid, main, noFaults, open, quantities, said, same, section, selected, settled } from "./harness.mjs";

const TPU = "xplane/tpu.xplane.pb"; // two devices, each with asynchronous copies
const FILE = new URL(`../data/sample/${TPU}`, import.meta.url).pathname;
const near = (a, b) => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b));

export async function device(browser, ids) {
  const page = await open(browser, { viewport: { width: 1440, height: 900 } });
  const kernels = said("kernel", FILE, "-device", "tpu:1").rows;
  const steps = said("steps", FILE, "-device", "tpu:1").rows;
  same("device: the command line leaves the other device out", [...new Set(steps.map((r) => r.device))], ["tpu:1"]);
  const mean = steps.filter((r) => r.step !== "all").reduce((sum, r, _, all) => sum + r.compute_us / all.length, 0);

  await go(page, `#/p/${ids[TPU]}/overview`);
  check("device: all of them are over two devices", /over 2 devices/.test(await main(page).innerText()));
  await page.getByRole("button", { name: /^Device/ }).click();
  await page.getByRole("button", { name: "tpu:1", exact: true }).click();
  await settled(page);
  const compute = (await quantities(page)).find(([name]) => name.startsWith("step.compute of"));
  check("device: the parts of a step are of it", compute?.[0] === "step.compute of device:tpu:1" && near(compute[1], mean), `${compute} instead of ${mean}`);
  check("device: lists are of one device", !/over 2 devices/.test(await main(page).innerText()));

  const here = `device=${encodeURIComponent("tpu:1")}`;
  await go(page, `#/p/${ids[TPU]}/table?by=kernel&${here}`);
  const shown = await grid(page, "Table").locator("[role=row][data-kind=kernel]").evaluateAll((list) => list.map((r) => [r.dataset.full ?? r.dataset.id, Number(r.querySelector('[data-column="total"]').dataset.value)]));
  check("device: the table has its kernels, and no others", shown.length === kernels.length && shown.every(([name, total]) => kernels.some((k) => k.name === name && near(k.total_us, total))), JSON.stringify(shown));

  const [first] = kernels;
  await go(page, `#/p/${ids[TPU]}/table?by=kernel&sel=kernel:${encodeURIComponent(first.name)}&${here}`);
  await selected(page, "kernel");
  const titles = await section(page, "Over steps").locator("a[data-hint]").evaluateAll((list) => list.map((a) => Number(/, (\d+)×/.exec(a.dataset.hint)[1])));
  check("device: over steps are its spans", titles.length > 1 && titles.reduce((a, b) => a + b, 0) <= first.count, `${titles} of ${first.count}`);

  await go(page, `#/p/${ids[TPU]}/timeline?${here}`);
  const groups = await page.evaluate(() => [...new Set(globalThis.tfprof.pictures.timeline.lanes().filter((l) => ["compute", "communication", "copy"].includes(l.kind)).map((l) => l.group))]);
  same("device: the timeline has its lanes", groups, ["tpu:1"]);
  await go(page, `#/p/${ids[TPU]}/timeline?range=0-1000000&${here}`);
  await selected(page, "range");
  const all = kernels.reduce((sum, k) => sum + k.total_us, 0);
  check("device: a range sums its spans", (await details(page).innerText()).includes("devices") && all > 0);
  noFaults("device", page);
  await page.context().close();
}

// SPDX-License-Identifier: Apache-2.0
// tests/page/browser.mjs: the parts of the page's tests, one after the other. tests/page/run.py starts it.
import { count, profileIds, start } from "./harness.mjs";
import { device } from "./device.mjs";
import { limits } from "./limits.mjs";
import { live } from "./live.mjs";
import { memory } from "./memory.mjs";
import { images } from "./images.mjs";
import { parts } from "./pages.mjs";
import { ranges } from "./ranges.mjs";
import { report } from "./report.mjs";
import { runs } from "./runs.mjs";
import { flame } from "./flame.mjs";
import { shape } from "./shape.mjs";
import { speed } from "./speed.mjs";
import { tasks } from "./tasks.mjs";
import { timelineModules, timelineOfSteps, timelineRestored, timelineUse } from "./timeline.mjs";
import { triage } from "./triage.mjs";
import { units } from "./units.mjs";
import { watch } from "./watch.mjs";
import { whatif } from "./whatif.mjs";

const words = process.argv.slice(2).filter((w) => !w.startsWith("--"));
const all = { components: units, "timeline modules": timelineModules, "timeline use": timelineUse, "timeline restored": timelineRestored, "timeline of steps": timelineOfSteps, ...parts, tasks, flame, device, shape, ranges, "what if": whatif, limits, triage, memory, live, runs, watch, report, speed };
if (process.argv.includes("--images")) all.images = images;

const browser = await start();
const ids = await profileIds();
for (const [name, run] of Object.entries(all)) {
  if (words.length && !words.some((w) => name.includes(w))) continue;
  try {
    await run(browser, ids);
  } catch (fault) {
    count.failed++;
    console.log(`FAILED ${name}: ${fault.stack ?? fault}`);
  }
}
await browser.close();
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed ? 1 : 0);

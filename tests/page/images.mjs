// SPDX-License-Identifier: Apache-2.0
// tests/page/images.mjs: the pictures of README.md, docs/README.md, docs/serve.md and docs/serving.md, in docs/images.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { go, open, settled } from "./harness.mjs";

const folder = new URL("../../docs/images/", import.meta.url).pathname;

// name, profile, the rest of the address after #/p/ID/, theme, height
const SHOTS = [
  ["timeline", "jobs/rank0.json", "timeline?range=3000-5200", "dark"],
  ["overview", "jobs/rank0.json", "overview?sel=rank:1", "light"],
  ["memory", "pytorch/train.json.gz", "memory?by=tensor", "light"],
  ["limits", "limits/model.json", "limits?sel=chain:aten::copy_+>+aten::pow+>+aten::mean+>+aten::mul+>+aten::copy_+|+Norm+|+4096x2048", "light", 1330],
  ["triage", "engine/engine.json", "triage", "light", 860],
];

/** The report that docs/README.md begins with. */
async function reportImage(browser) {
  const file = join(process.env.PAGE_FOLDER, "picture.html");
  execFileSync(process.env.PAGE_PROGRAM, ["report", new URL("../data/sample/pytorch/train.json.gz", import.meta.url).pathname, "-o", file]);
  const page = await open(browser);
  await page.goto(`file://${file}`);
  await settled(page);
  await page.waitForTimeout(2000);
  await page.screenshot({ path: `${folder}report.png` });
  await page.context().close();
}

export async function images(browser, ids) {
  await reportImage(browser);
  for (const [name, profile, hash, theme, height = 800] of SHOTS) {
    const page = await open(browser, { colorScheme: theme, viewport: { width: 1280, height } });
    await go(page, `#/p/${ids[profile]}/${hash}`);
    await page.waitForTimeout(2000); // until nothing moves any more: these pictures are looked at, not compared
    await page.screenshot({ path: `${folder}${name}.png` });
    await page.context().close();
  }
}

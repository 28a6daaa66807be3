// SPDX-License-Identifier: Apache-2.0
// tests/page/images.mjs: the pictures of README.md and docs/serve.md, in docs/images.
import { go, open } from "./harness.mjs";

const folder = new URL("../../docs/images/", import.meta.url).pathname;

// name, profile, the rest of the address after #/p/ID/, theme
const SHOTS = [
  ["timeline", "jobs/rank0.json", "timeline?range=3000-5200", "dark"],
  ["overview", "jobs/rank0.json", "overview?sel=rank:1", "light"],
  ["memory", "pytorch/train.json.gz", "memory?by=tensor", "light"],
];

export async function images(browser, ids) {
  for (const [name, profile, hash, theme] of SHOTS) {
    const page = await open(browser, { colorScheme: theme });
    await go(page, `#/p/${ids[profile]}/${hash}`);
    await page.waitForTimeout(2000); // until nothing moves any more: these pictures are looked at, not compared
    await page.screenshot({ path: `${folder}${name}.png` });
    await page.context().close();
  }
}

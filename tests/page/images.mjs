// SPDX-License-Identifier: Apache-2.0
// tests/page/images.mjs: the pictures of README.md and docs/serve.md, in docs/images.
import { go, open } from "./harness.mjs";

const sample = new URL("../data/sample/", import.meta.url).pathname;
const folder = new URL("../../docs/images/", import.meta.url).pathname;

// name, profile, what is behind #/p/ID/, theme
const SHOTS = [
  ["timeline", "pytorch/train.json.gz", "timeline?time=12500-26000&event=1500", "dark"],
  ["overview", "pytorch/train.json.gz", "overview", "light"],
];

export async function images(browser, ids) {
  for (const [name, profile, hash, theme] of SHOTS) {
    const page = await open(browser, { colorScheme: theme });
    await go(page, `#/p/${ids[profile]}/${hash}`);
    await page.waitForTimeout(500);
    await page.evaluate((folders) => {
      // where the tests keep it tells a reader nothing
      for (const line of document.querySelectorAll(".commandline code"))
        for (const folder of folders) line.textContent = line.textContent.replaceAll(folder, "");
    }, [`${process.env.PAGE_FOLDER}/`, sample]);
    await page.screenshot({ path: `${folder}${name}.png` });
    await page.context().close();
  }
}

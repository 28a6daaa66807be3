// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { NoteLine } from "../../src/parts/NoteLine";
import { all, button, click, one, shown, textOf } from "../drawn";

test("the first note is a line, a click shows all of them, and no tooltip holds any", async () => {
  await shown(<NoteLine before="shares are of 1 s" notes={["one", "two"]} />);
  assert.equal(textOf(one(".noteline > span")), "shares are of 1 s · one");
  click(button("more"));
  assert.deepEqual([textOf(one(".noteline > span")), button("less").getAttribute("aria-expanded"), all("[title]").length], ["shares are of 1 s · one · two", "true", 0]);
  await shown(<NoteLine notes={["one"]} />);
  assert.equal(all("button").length, 0);
  await shown(<NoteLine notes={[]} />);
  assert.equal(all(".noteline").length, 0);
});

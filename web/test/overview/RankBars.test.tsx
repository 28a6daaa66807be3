// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { RankBars } from "../../src/overview/RankBars";
import { all, draw, texts, things } from "../drawn";
import { ranks, steps } from "./rows";

test("one rank has no bars of ranks", () => assert.equal(draw(<RankBars rows={steps} />).childElementCount, 0));
test("a few ranks are shown all, on one scale, without words", () => {
  draw(<RankBars rows={ranks(3)} />);
  assert.deepEqual(things(), ["rank:0", "rank:1", "rank:2"]);
  assert.deepEqual(texts(".rankbar .num"), ["1.00 ms", "2.00 ms", "3.00 ms"]);
  assert.deepEqual(all(".rankbar > div").map((e) => Math.round(parseFloat(e.style.width))), [33, 67, 100]);
  assert.deepEqual(texts(".rankbar > .s"), []);
});
test("of many ranks the fastest, the median and the slowest stand beside a strip of all", () => {
  draw(<RankBars rows={ranks(20)} />);
  assert.deepEqual(texts(".rankbar > .s"), ["fastest", "median", "slowest"]);
  assert.deepEqual(things(".rankbar a"), ["rank:0", "rank:10", "rank:19"]);
  assert.equal(things(".strip a").length, 20);
  assert.equal(all(".strip i")[9]?.style.height, "50%");
});

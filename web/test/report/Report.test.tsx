// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { KernelPanel } from "../../src/details/KernelPanel";
import { TablePlace } from "../../src/places/Table";
import { LeftOut } from "../../src/parts/LeftOut";
import { Share } from "../../src/shell/Share";
import { button, click, erase, one, pairs, section, settled, shown, textOf, texts, things } from "../drawn";
import { begin, copied } from "../page";
import { opened } from "../profile";
import { asked } from "../server";

/** Packed answers are unpacked by streams, which take some turns. */
async function unpacked(what: Parameters<typeof shown>[0]): Promise<void> {
  erase();
  await shown(what);
  for (let i = 0; i < 20; i++) (await new Promise((done) => setTimeout(done, 2)), await settled());
}

test("a table of a report is sorted and shown without a server, and cannot be saved as CSV from one", async () => {
  begin("#/p/a1/table?by=kernel");
  await unpacked(<TablePlace of={opened()} />);
  assert.deepEqual([things(".row").length, asked], [3, []]);
  click(button("More actions"));
  assert.equal(texts("[role=menuitem]").some((t) => t.startsWith("Save as CSV")), false);
});
test("the first page names what did not fit", async () => {
  await unpacked(<LeftOut id="a1" />);
  assert.equal(textOf(one("[role=note]")), "Left out of this report: lines. The lines had no room in this report.");
  await unpacked(<LeftOut id="another" />);
  assert.deepEqual(texts("[role=note]"), []);
});
test("what only a server knows says so; the ops that launched a kernel are in its table", async () => {
  begin("#/p/a1/table?sel=kernel:ncclAllReduce");
  await unpacked(<KernelPanel of={opened()} thing={{ kind: "kernel", id: "ncclAllReduce" }} />);
  const told = new Map(pairs(section("Comes from")));
  assert.deepEqual([told.get("launch"), told.get("op")], ["not in this report: tfprof serve FILE shows it", "c10d::allreduce"]);
  assert.match(textOf(section("Over steps")), /not in this report/);
});
test("a report shares its address, and the command that makes one instead of saving itself", async () => {
  begin("#/p/a1/table");
  await unpacked(<Share of={opened({ files: ["my run.json"] })} />);
  click(button("Share"));
  click(one("[role=menuitem]", /^This file is the report/));
  await settled();
  assert.deepEqual(copied, ["tfprof report 'my run.json' -o report.html"]);
});

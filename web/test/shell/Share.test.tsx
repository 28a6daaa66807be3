// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Share } from "../../src/shell/Share";
import { button, click, one, settled, shown, textOf } from "../drawn";
import { begin, copied } from "../page";
import { opened } from "../profile";
import { answer, asked, refusal } from "../server";

const open = async () => (begin("#/p/a1/table?by=op&steps=2&ranks=0"), await shown(<Share of={opened()} />), click(button("Share")));
const item = (says: RegExp) => one("[role=menuitem]", says);

test("the address of this view is copied, and that is said", async () => {
  await open();
  click(item(/^Copy the address/));
  await settled();
  assert.deepEqual([copied, textOf(one("[role=status]"))], [["http://127.0.0.1:7007/#/p/a1/table?by=op&steps=2&ranks=0"], "The address is copied."]);
});
test("a browser that refuses to copy is told of", async (t) => {
  t.mock.method(navigator.clipboard, "writeText", () => Promise.reject(new Error("no")));
  await open();
  click(item(/^Copy the address/));
  await settled();
  assert.equal(textOf(one("[role=status]")), "The browser refused to copy.");
});
test("the report begins with this view, of the one chosen step, and is saved under the profile's name", async (t) => {
  t.mock.method(URL, "createObjectURL", () => "blob:1");
  t.mock.method(globalThis, "setTimeout", () => 0 as never);
  answer({ "/report?": "<html>" });
  await open();
  click(item(/^Save as report/));
  assert.equal(textOf(one("[role=status]")), "The report is being made …");
  await settled();
  assert.equal(textOf(one("[role=status]")), "runs_ddp.report.html is saved.");
  const query = new URLSearchParams(asked.find((path) => path.includes("/report?"))?.split("?")[1]);
  assert.deepEqual([query.get("step"), query.get("place")], ["2", "table?by=op"]);
});
test("a report that cannot be made says why", async () => {
  answer({ "/report?": refusal("no room on the disk", 500) });
  await open();
  click(item(/^Save as report/));
  await settled();
  assert.equal(textOf(one("[role=status]")), "It was not saved: no room on the disk");
});

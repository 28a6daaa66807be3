// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workbench } from "../../src/shell/Workbench";
import { sel } from "../../src/state/store";
import { all, button, click, one, press, settled, shown, textOf } from "../drawn";
import { begin } from "../page";
import { ALL_TABLES, entry, facts } from "../profile";
import { answer, askedFor, never, refusal } from "../server";

const bench = (hash = "#/p/a1/table?by=op") => (begin(hash), shown(<Workbench id="a1" tables={ALL_TABLES} />));

test("the workbench has its landmarks: search, context, places, the place, details", async () => {
  await bench();
  assert.deepEqual(all("[role=search],[role=region][aria-label=Context],nav[aria-label=Places],main,aside").map((e) => e.getAttribute("aria-label")), ["Search", "Context", "Places", "Table", "Details"]);
  assert.deepEqual([one("main").dataset.place, one("aside").dataset.kind, document.title], ["table", "profile", "Table · runs/ddp · tfprof"]);
});
test("when all answers have come neither the place nor the panel is busy", async () => {
  await bench();
  await settled();
  assert.deepEqual([one("main").getAttribute("aria-busy"), one("aside").getAttribute("aria-busy")], ["false", "false"]);
});
test("a selected row is told in the panel, and given up by its cross", async () => {
  await bench();
  click(one('.row[data-id="aten::mm"]'));
  await settled();
  assert.deepEqual([one("aside").dataset.kind, one("aside").dataset.id], ["op", "aten::mm"]);
  click(button("Close details"));
  assert.deepEqual([sel.value, one("aside").dataset.kind], [null, "profile"]);
});
test("a file that cannot be read says why, and leads back to the others", async () => {
  answer({ "/profiles/a1$": refusal("runs/ddp.json: cut off at byte 7", 422), "/profiles$": { changed: 1, profiles: [entry({ state: "failed", bytes: 12_400_000 })] } });
  await bench();
  assert.match(textOf(one("[role=alert]")), /^This profile cannot be shown\. runs\/ddp\.json: cut off at byte 7$/);
  assert.equal(one("main a").getAttribute("href"), "#/");
});
test("while a file is read, what is known of it and how far it is stand there", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  answer({ "/profiles/a1$": { status: 202, progress: 0.42 } });
  await bench();
  assert.deepEqual([one("main").getAttribute("aria-busy"), textOf(one("[role=status]"))], ["true", "Reading it: 42 %"]);
  assert.match(textOf(one("main dl")), /formatkineto jsonsize12.4 MB/);
  answer({ "/profiles/a1$": facts() });
  t.mock.timers.tick(200);
  await settled();
  assert.equal(all("nav[aria-label=Places]").length, 1);
});
test("a file that changes is not swapped under the reader: a note offers what is in it now", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let told: (of: object) => void = () => undefined;
  begin("#/p/a1/table?by=op");
  answer({ "/changes": () => (never(), new Promise((done) => (told = (of) => (answer({ "/changes": never }), done(of))))) });
  await shown(<Workbench id="a1" tables={ALL_TABLES} />);
  const before = askedFor("views/op").length;
  answer({ "/profiles$": { changed: 2, profiles: [entry({ modified: 1.8e9 })] }, "/profiles/a1$": facts({ steps: [1, 2, 3, 4] }) });
  told({ changed: 2 });
  await settled();
  assert.match(textOf(one("main .note")), /^The file has changed since\./);
  assert.equal(askedFor("views/op").length, before);
  click(button("Show what is in it now"));
  await settled();
  assert.ok(askedFor("views/op").length > before);
  assert.equal(all("main .note").length, 0);
  assert.match(textOf(one("nav[aria-label=Places]")), /Steps4/);
});
test("full stop and comma go to the next and previous like the selected one", async () => {
  await bench("#/p/a1/table?by=op&sel=op:aten::mm");
  press(".");
  await settled();
  assert.equal(sel.value?.id, "c10d::allreduce");
  press(",");
  await settled();
  assert.equal(sel.value?.id, "aten::mm");
  press(",");
  await settled();
  assert.equal(sel.value?.id, "aten::mm"); // the first
});

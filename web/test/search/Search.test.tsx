// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Search } from "../../src/search/Search";
import { place, query, sel } from "../../src/state/store";
import { all, button, draw, fire, one, press, settled, texts, things, write } from "../drawn";
import { begin } from "../page";
import { opened } from "../profile";
import { asked } from "../server";

const box = () => one("input");
const at = (hash = "#/p/a1/table") => (begin(hash), draw(<Search of={opened()} />));
const type = async (text: string) => (fire(box(), "focus"), write(box(), text), await settled());
const hits = () => things("[role=option]");

test("nothing is asked for before the search is used", async () => {
  at();
  await settled();
  assert.deepEqual(asked, []);
  await type("m");
  assert.ok(asked.length > 0);
});
test("what is typed lists kernels, ops, scopes, lines and places, the first one chosen", async () => {
  at();
  await type("::mm");
  assert.deepEqual(hits(), ["op:aten::mm"]);
  await type("l");
  assert.deepEqual(hits().slice(0, 2), ["kernel:void gemm<float>(int)", "kernel:ncclAllReduce"]);
  assert.ok(hits().includes("scope:net/layer1") && hits().some((h) => h.startsWith("place:")), hits().join());
  assert.deepEqual([box().getAttribute("aria-expanded"), box().getAttribute("aria-activedescendant"), all('[aria-selected="true"]').length], ["true", "hit-0", 1]);
  await type("forward");
  assert.deepEqual(hits(), ["line:/src/net.py:7:forward"]);
});
test("a kernel is found by its whole name, and shown by its short one", async () => {
  at();
  await type("void gemm");
  assert.deepEqual([texts("[role=option] .nm"), one("[role=option]").dataset.full], [["gemm float cutlass"], "void gemm<float>(int)"]);
});
test("arrows choose, Enter goes there and leaves the field", async () => {
  at();
  await type("e");
  const list = hits();
  press("ArrowDown", box()), press("ArrowDown", box()), press("ArrowUp", box());
  assert.equal(all("[role=option]").findIndex((e) => e.getAttribute("aria-selected") === "true"), 1);
  for (let i = 0; i < 50; i++) press("ArrowDown", box());
  assert.equal(box().getAttribute("aria-activedescendant"), `hit-${list.length - 1}`);
  for (let i = 0; i < 50; i++) press("ArrowUp", box());
  press("Enter", box());
  await settled();
  assert.deepEqual([`${sel.value?.kind}:${sel.value?.id}`, query.value, all("[role=option]").length], [list[0], "e", 0]);
});
test("Enter before the names have come goes there when they have", async () => {
  at();
  fire(box(), "focus");
  write(box(), "aten::mm");
  press("Enter", box());
  await settled();
  assert.deepEqual(sel.value, { kind: "op", id: "aten::mm" });
});
test("Escape leaves the field and keeps the selection", async () => {
  at("#/p/a1/table?sel=op:x");
  await type("mm");
  assert.equal(press("Escape", box()), false);
  assert.deepEqual([hits(), sel.value?.id, query.value], [[], "x", ""]);
});
test("a press on a line of the list goes there before the field loses its focus", async () => {
  at();
  await type("Timel");
  fire(one('[role=option][data-id="timeline"]'), "pointerdown");
  await settled();
  assert.equal(place.value, "timeline");
});
test("an emptied field and its cross give the search up", async () => {
  at("#/p/a1/table?q=mm");
  fire(box(), "focus");
  write(box(), "");
  assert.equal(query.value, "");
  at("#/p/a1/flame?q=mm");
  fire(box(), "blur");
  button("Clear search").click();
  assert.equal(query.value, "");
});
test("/ goes to the field", async () => {
  at();
  assert.equal(press("/"), false);
  assert.equal(document.activeElement, box());
});

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { useState } from "preact/hooks";
import { Grid } from "../../src/grid/Grid";
import type { GridProps } from "../../src/grid/Grid";
import type { Column, RowSet } from "../../src/grid/model";
import { place, sel } from "../../src/state/store";
import { all, click, draw, fire, one, press, settled, textOf, texts } from "../drawn";
import { begin, resize } from "../page";

const PATHS = ["net", "net/conv", "net/linear", "loss"];
const tree: RowSet = { count: 4, parent: [-1, 0, 0, -1], thing: (row) => ({ kind: "scope", id: PATHS[row] ?? "" }), name: (row) => PATHS[row]?.split("/").pop() ?? "", full: (row) => PATHS[row] ?? "" };
const flat: RowSet = { ...tree, parent: undefined };
const col = (name: string, values: (number | null)[], more: Partial<Column> = {}): Column => ({ name, title: name, unit: "us", value: (row) => values[row] ?? null, ...more });
const COLUMNS = [col("total", [900, 300, 600, 100]), col("count", [9, 3, 6, 1], { unit: "count" })];

/** A grid whose order and opened rows its owner keeps, as places do. */
function Owner({ set = flat, columns = COLUMNS, sort: first = "-total", ...more }: Partial<GridProps>) {
  const [sort, onSort] = useState(first);
  const [open, onOpen] = useState<string[]>([]);
  return <Grid label="Table" set={set} columns={columns} sort={sort} onSort={onSort} open={open} onOpen={onOpen} {...more} />;
}
const grid = () => one('[aria-label="Table"]');
const names = () => texts(".row a");
const row = (id: string) => one(`.row[data-id="${id}"]`);
const ids = () => all(".row").map((e) => e.dataset.id);

test("a click on the head sorts the biggest first, a second one turns the order, of names the other way round", () => {
  draw(<Owner sort="" />);
  const head = (name: string) => one(`[role=columnheader][data-column="${name}"]`);
  click(head("total"));
  assert.deepEqual([ids(), head("total").getAttribute("aria-sort")], [["net", "net/linear", "net/conv", "loss"], "descending"]);
  click(head("total"));
  assert.deepEqual([ids(), head("total").getAttribute("aria-sort")], [["loss", "net/conv", "net/linear", "net"], "ascending"]);
  press("Enter", head("name"));
  assert.deepEqual([names(), textOf(head("name"))], [["conv", "linear", "loss", "net"], "name ↑"]);
  assert.equal(head("total").getAttribute("aria-sort"), "none");
});
test("only the column that sorts has bars, the biggest value a full one", () => {
  draw(<Owner />);
  assert.deepEqual(all(".row .track i").map((e) => Math.round(parseFloat(e.style.width))), [100, 67, 33, 11]);
  click(one('[role=columnheader][data-column="count"]'));
  assert.deepEqual(all(".row .track").map((e) => e.parentElement?.dataset.column), ["count", "count", "count", "count"]);
});
test("cells have the raw value for tools and the short one for people; what is absent is a dash", () => {
  draw(<Owner columns={[col("total", [1234.5, null, 600, 100])]} />);
  const cell = (id: string) => row(id).querySelector<HTMLElement>('[data-column="total"]');
  assert.deepEqual([cell("net")?.dataset.value, textOf(cell("net"))], ["1234.5", "1.23 ms"]);
  assert.deepEqual([cell("net/conv")?.dataset.value, textOf(cell("net/conv"))], [undefined, "–"]);
});
test("differences have their sign and say what is worse", () => {
  draw(<Owner sort="-difference" columns={[col("difference", [-5, 3, 0, 1], { signed: true })]} />);
  const cells = all('.row [data-column="difference"]');
  assert.deepEqual(cells.map(textOf), ["−5 µs", "+3 µs", "+1 µs", "0 µs"]);
  assert.deepEqual(cells.map((c) => c.className), ["num better", "num worse", "num worse", "num"]);
});
test("a click selects a row, a click on its box does not", () => {
  begin("#/p/a1/table");
  draw(<Owner lead={() => <input type="checkbox" />} />);
  click(row("loss"));
  assert.deepEqual([sel.value, row("loss").getAttribute("aria-selected")], [{ kind: "scope", id: "loss" }, "true"]);
  click(row("net").querySelector("input") as Element);
  assert.equal(sel.value?.id, "loss");
});
test("a place may do something else with a click", () => {
  const picked: string[] = [];
  draw(<Owner onPick={(thing) => void picked.push(thing.id)} />);
  click(row("loss"));
  assert.deepEqual([picked, sel.value], [["loss"], null]);
});
test("a double click goes to the best place of the thing", () => {
  begin("#/p/a1/table");
  draw(<Owner />);
  fire(row("net"), "dblclick");
  assert.deepEqual([place.value, sel.value?.id], ["flame", "net"]);
});
test("Enter goes to the best place of the selected row", () => {
  begin("#/p/a1/table?sel=scope:loss");
  draw(<Owner />);
  press("Enter", grid());
  assert.deepEqual([place.value, sel.value?.id], ["flame", "loss"]);
});
test("arrow keys go from row to row in the order that is shown, and stay at the ends", () => {
  begin("#/p/a1/table");
  draw(<Owner />);
  const went = (...keys: string[]) => (keys.forEach((key) => press(key, grid())), sel.value?.id);
  assert.equal(went("ArrowDown"), "net");
  assert.equal(went("ArrowDown", "ArrowDown"), "net/conv");
  assert.equal(went("ArrowUp"), "net/linear");
  assert.equal(went("End"), "loss");
  assert.equal(went("ArrowDown", "PageDown"), "loss");
  assert.equal(went("Home"), "net");
  assert.equal(press("ArrowDown", grid(), { ctrlKey: true }), true); // the browser's
});
test("the row that is reached by a key has the focus, and only one row is a stop of the Tab key", async () => {
  draw(<Owner />);
  press("ArrowDown", grid());
  press("ArrowDown", grid());
  await settled();
  await new Promise((done) => setTimeout(done, 5));
  assert.equal((document.activeElement as HTMLElement | null)?.dataset.id, "net/linear");
  assert.deepEqual(all('.row[tabindex="0"]').map((e) => e.dataset.id), ["net/linear"]);
});

test("a tree opens by the arrow of a row and by keys, and tells its levels", () => {
  draw(<Owner set={tree} />);
  assert.deepEqual([names(), grid().getAttribute("role")], [["net", "loss"], "treegrid"]);
  click(row("net").querySelector(".twist") as Element);
  assert.deepEqual([names(), sel.value], [["net", "linear", "conv", "loss"], null]);
  assert.deepEqual(all(".row").map((e) => [e.getAttribute("aria-level"), e.getAttribute("aria-expanded")]), [["1", "true"], ["2", null], ["2", null], ["1", null]]);
  press("ArrowDown", grid());
  press("ArrowLeft", grid());
  assert.deepEqual(names(), ["net", "loss"]);
  press("ArrowRight", grid());
  assert.deepEqual(names(), ["net", "linear", "conv", "loss"]);
});
test("a search shows where its matches are without opening anything for good", () => {
  draw(<Owner set={tree} text="CONV" />);
  assert.deepEqual(names(), ["net", "conv"]);
  assert.equal(grid().getAttribute("aria-rowcount"), "3");
  draw(<Owner set={tree} text="" />);
  assert.deepEqual(names(), ["net", "loss"]);
});

const many: RowSet = { count: 10_000, thing: (r) => ({ kind: "op", id: String(r) }), name: (r) => `op ${r}`, full: (r) => `op ${r}` };
test("of ten thousand rows only those near what is seen are in the document", () => {
  draw(<Owner set={many} columns={[{ name: "n", title: "n", unit: "count", value: (r) => r }]} sort="n" />);
  assert.ok(all(".row").length < 60, String(all(".row").length));
  assert.deepEqual([grid().getAttribute("aria-rowcount"), one(".rows").style.height], ["10001", "240000px"]);
  grid().scrollTop = 24 * 5000;
  fire(grid(), "scroll");
  assert.ok(ids().includes("5000") && !ids().includes("0"));
  assert.equal(row("5000").style.top, "120000px");
  assert.equal(row("5000").getAttribute("aria-rowindex"), "5002");
});
test("a key scrolls to a row that is not seen", () => {
  begin("#/p/a1/table?sel=op:9999");
  draw(<Owner set={many} columns={[{ name: "n", title: "n", unit: "count", value: (r) => r }]} sort="n" />);
  press("End", grid());
  assert.ok(grid().scrollTop > 230_000, String(grid().scrollTop));
  press("Home", grid());
  assert.equal(grid().scrollTop, 0);
});
test("where there is less room there are fewer columns, but always the one that sorts", () => {
  const columns = ["count", "mean", "max", "total"].map((name) => col(name, [1, 2, 3, 4]));
  draw(<Owner columns={columns} />);
  assert.equal(all("[role=columnheader]").length, 5);
  resize(360, 600);
  draw(<Owner columns={columns} key="narrow" />);
  assert.deepEqual(all("[role=columnheader]").map((e) => e.dataset.column), ["name", "total"]);
});
test("the foot has a cell for each column", () => {
  draw(<Owner foot={(c) => (c ? `sum of ${c.name}` : "all")} />);
  assert.deepEqual(texts(".foot [role=gridcell]"), ["all", "sum of total", "sum of count"]);
});
test("the maker of a kernel stands in grey behind its name, and the whole name is in the tip", () => {
  const kernel: RowSet = { count: 1, thing: () => ({ kind: "kernel", id: "k" }), name: () => "gemm float · cutlass", full: () => "void gemm<float>()" };
  draw(<Owner set={kernel} columns={[col("total", [1])]} />);
  assert.deepEqual([texts(".row a .s"), (one(".row a").dataset.hint ?? ""), row("k").dataset.full], [["cutlass"], "void gemm<float>()", "void gemm<float>()"]);
});

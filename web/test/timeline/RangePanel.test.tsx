// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { RangePanel } from "../../src/timeline/RangePanel";
import { place, state } from "../../src/state/store";
import { all, button, click, erase, one, settled, shown, textOf, things } from "../drawn";
import { begin } from "../page";
import { opened } from "../profile";
import { answer, askedFor } from "../server";

const lane = (first_row: number, kind: string, rank: number) => ({ rank, process: null, device: kind === "host" ? "cpu" : `gpu:${rank}`, lane: "x", title: kind, detail: null, kind, first_row, rows: 2, spans: 1, start_us: 0, end_us: 9e5, busy_us: 1 });
const sum = (name: string, device: boolean, total_us: number, share: number) => ({ name, short: "", kind: device ? "compute" : "op", device, count: 2, total_us, mean_us: total_us / 2, min_us: 1, max_us: total_us, share, span: 1 });
const panel = (hash = "#/p/a1/timeline?range=1000-51000") => {
  begin(hash);
  erase();
  answer({ "/lanes?": { rows: [lane(0, "compute", 0), lane(2, "host", 0), lane(4, "compute", 1)], steps: [] }, "/sums?": { rows: [sum("gemm", true, 3e4, 0.75), sum("aten::mm", false, 2e4, 0.4)], summary: { device_us: 4e4, host_us: 5e4 } } });
  return shown(<RangePanel of={opened()} thing={{ kind: "range", id: "1000-51000" }} />);
};

test("a range has its length, and where the time in it went: nothing is told twice", async () => {
  await panel();
  assert.match(textOf(document.body), /50\.0 ms/);
  assert.deepEqual(things(".row"), ["kernel:gemm", "op:aten::mm"]);
  assert.equal(one('.row[data-id="gemm"] [data-column="total"]').dataset.value, "30000");
  assert.match(askedFor("/sums?")[0] ?? "", /from=1000&to=51000&by=name$/);
});
test("sums are by name, kind, lane or op, of what the search finds", async () => {
  await panel("#/p/a1/timeline?range=1000-51000&q=gemm");
  assert.match(askedFor("/sums?")[0] ?? "", /&q=gemm/);
  const kind = all("button,option,a").find((e) => textOf(e) === "kind" || textOf(e) === "by kind");
  assert.ok(kind, textOf(document.body));
  if (kind.tagName === "OPTION") ((kind.parentElement as HTMLSelectElement).value = "kind", kind.parentElement?.dispatchEvent(new Event("change", { bubbles: true })));
  else click(kind);
  await settled();
  assert.ok(askedFor("by=kind").length > 0);
});
test("only lanes of the chosen ranks count", async () => {
  await panel("#/p/a1/timeline?range=1000-51000&ranks=1");
  assert.match(decodeURIComponent(askedFor("/sums?")[0] ?? ""), /&rows=4-5$/);
});
test("from the range one goes to its table", async () => {
  await panel();
  click(button(/table/i));
  assert.deepEqual([place.value, state.value.range], ["table", { from: 1000, to: 51000 }]);
});

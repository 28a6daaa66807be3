// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding } from "../../src/results/findings";
import { EvidenceLink, FindingRow } from "../../src/parts/FindingRow";
import { sel } from "../../src/state/store";
import { all, click, draw, one, shown, textOf, texts } from "../drawn";
import { opened } from "../profile";

const finding = (more: Partial<Finding> = {}): Finding => ({ id: "IdleDevice:0", checker: "IdleDevice", says: "Idle", more: [], text: "Idle", takes: 3e4, gain: 2e4, evidence: null, quality: false, look: "host", ...more });
const evidence = { span: 12, rank: 3, lane: "gpu:0/stream:7", start_us: 5, timeline_us: 1005, duration_us: 300 };

test("evidence stands where the timeline has it, with some time around, and says whose it is", () => {
  draw(<EvidenceLink f={finding({ evidence })} />);
  assert.match(one("a").getAttribute("href") ?? "", /view=405-1905$/);
  assert.equal(textOf(one("a")), "rank 3, stream 7 at 1.00 ms");
  assert.equal(draw(<EvidenceLink f={finding()} />).childElementCount, 0);
});
test("a thread is named as a thread, and one rank has no word", () => {
  const { rank: _, ...alone } = evidence;
  draw(<EvidenceLink f={finding({ evidence: { ...alone, lane: "cpu/thread:python/7" } })} />);
  assert.equal(textOf(one("a")), "thread python at 1.00 ms");
});
test("the gain is an upper bound; without one the time that it takes is told, or nothing", async () => {
  const gain = async (more: Partial<Finding>) => (await shown(<FindingRow f={finding(more)} most={4e4} of={opened()} />), textOf(one("button.gain")));
  assert.equal(await gain({}), "≤ 20.0 ms");
  assert.equal(one(".track i").style.width, "50%");
  assert.equal(await gain({ gain: null }), "30.0 ms");
  assert.equal(await gain({ gain: null, takes: null }), "–");
});
test("only a whole row has what follows the first sentence", async () => {
  const f = finding({ more: ["Use a larger batch", "Or fewer ranks"] });
  await shown(<FindingRow f={f} most={1} of={opened()} />);
  assert.deepEqual(texts('[data-column="name"] .s'), []);
  await shown(<FindingRow f={f} most={1} of={opened()} whole />);
  assert.deepEqual(texts('[data-column="name"] .s'), ["Use a larger batch", "Or fewer ranks"]);
});
test("a click on the row or on its gain selects the finding, one on a name in it selects that", async () => {
  await shown(<FindingRow f={finding({ says: "The host is in aten::mm too long" })} most={1} of={opened()} />);
  click(one("[role=row]"));
  assert.deepEqual([sel.value, one("[role=row]").getAttribute("aria-selected")], [{ kind: "finding", id: "IdleDevice:0" }, "true"]);
  click(one("a", "aten::mm"));
  assert.deepEqual([sel.value, all('[aria-selected="true"]').length], [{ kind: "op", id: "aten::mm" }, 0]);
  click(one("button.gain"));
  assert.equal(sel.value?.kind, "finding");
});

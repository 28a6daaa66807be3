// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Column } from "../../src/answers/api";
import { endsOf, layOut } from "../../src/graph/flow";
import { makeTree } from "../../src/tree/rows";
import { reals, tableOf, words } from "../tables";

/** A graph of nodes with their sizes, and edges between them; scopes are the parts of names. */
function graph(nodes: Record<string, number>, edges: [string, string][]) {
  const names = ["_TFProfRoot", ...Object.keys(nodes)];
  const parent = names.map((n, i) => (i ? Math.max(0, names.indexOf(n.split("/").slice(0, -1).join("/"))) : null));
  const t = tableOf([words("name", names), reals("parent", parent), reals("total_us", [0, ...Object.values(nodes)])], { tree: true });
  const [tree, name] = [makeTree(t), t.columns[0] as Column];
  const ends = endsOf(tree, name, tableOf([words("source", edges.map((e) => e[0])), words("target", edges.map((e) => e[1]))]));
  const rowOf = (n: string): number => names.indexOf(n);
  return { rowOf, names, layOut: (open: string[] = [], put: string[] = []) => layOut(tree, name, t.column("total_us") as Column, ends, new Set(open.map(rowOf)), new Set(put.map(rowOf))) };
}
const small = graph({ in: 1, net: 9, "net/a": 4, "net/b": 5, out: 1, alone: 1 }, [["in", "net/a"], ["in", "net/b"], ["net/a", "net/b"], ["net/b", "out"]]);
const lines = (g: typeof small, p: ReturnType<typeof small.layOut>) => p.lines.map((l) => `${g.names[l.from]}>${g.names[l.to]} ${l.count}`);

test("a closed scope is one box; edges into it are one line with their number, those inside are none", () => {
  const p = small.layOut();
  assert.deepEqual(p.boxes.map((b) => b.text), ["in", "net", "out", "alone"]);
  assert.deepEqual(lines(small, p), ["in>net 2", "net>out 1"]);
  assert.deepEqual(p.boxes.map((b) => b.scope), [false, true, false, false]);
});
test("an opened scope is a frame around what it holds", () => {
  const p = small.layOut(["net"]);
  assert.deepEqual(p.boxes.map((b) => b.text), ["in", "a", "b", "out", "alone"]);
  const [frame] = p.frames;
  assert.deepEqual([p.frames.length, frame?.row], [1, small.rowOf("net")]);
  for (const b of p.boxes.filter((x) => x.text === "a" || x.text === "b"))
    assert.ok(frame && Math.abs(b.x - frame.x) + b.width / 2 <= frame.width / 2 && Math.abs(b.y - frame.y) + b.height / 2 <= frame.height / 2, b.text);
});
test("what is read stands above what reads it", () => {
  const y = new Map(small.layOut(["net"]).boxes.map((b) => [b.text, b.y]));
  assert.ok((y.get("in") ?? 0) < (y.get("a") ?? 0) && (y.get("a") ?? 0) < (y.get("b") ?? 0) && (y.get("b") ?? 0) < (y.get("out") ?? 0));
});
test("boxes do not cover each other, and those without a line stand apart below", () => {
  const p = small.layOut(["net"]);
  for (const a of p.boxes) for (const b of p.boxes) if (a.row < b.row) assert.ok(Math.abs(a.x - b.x) >= (a.width + b.width) / 2 || Math.abs(a.y - b.y) >= (a.height + b.height) / 2, `${a.text} ${b.text}`);
  assert.deepEqual(p.strips.map((s) => s.text), ["Not connected with what is drawn:"]);
  const alone = p.boxes.find((b) => b.text === "alone");
  assert.ok((alone?.y ?? 0) > Math.max(...p.boxes.filter((b) => b !== alone).map((b) => b.y)));
});
const hub = graph({ hub: 1, ...Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`n${i}`, 1])) }, Array.from({ length: 14 }, (_, i): [string, string] => ["hub", `n${i}`]));
test("a box with very many neighbours is set apart, unless its lines are asked for", () => {
  const p = hub.layOut();
  assert.deepEqual([p.hubs, p.strips[0]?.text], [[1], "Set apart, because very many others are connected with them:"]);
  assert.ok(p.lines.every((l) => !l.points.length));
  const drawn = hub.layOut([], ["hub"]);
  assert.deepEqual([drawn.hubs, drawn.lines.every((l) => l.points.length > 1)], [[], true]);
});
test("of too many boxes those with most are kept, and the others are counted", () => {
  const many = graph(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`n${i}`, i])), []);
  const p = many.layOut();
  assert.deepEqual([p.boxes.length, p.left, p.boxes[0]?.text], [220, 80, "n80"]);
});
test("a long name is cut", () => {
  const [box] = graph({ [`x${"y".repeat(40)}`]: 1 }, []).layOut().boxes;
  assert.deepEqual([box?.text.length, box?.text.endsWith("…")], [26, true]);
});

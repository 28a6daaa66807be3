// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lane } from "../../src/timeline/data";
import type { Arranged, Counter, Track } from "../../src/timeline/layout";
import { ROW, ROW_ALONE, layOut, placeOfRow, rowsIn, tracksIn } from "../../src/timeline/layout";
import { NOTHING, lane, lanesOf } from "./items";

const counter = (name: string, group: string): Counter => ({ id: `c ${name}`, name, group, rank: -1, unit: group ? "bytes" : "", at: [0], value: [1], most: 1 });
const word = (t: Track): string => (t.is === "lane" ? t.lane.name : t.is === "counter" ? t.counter.name : `${t.name}${t.open ? "" : " +"}`);
const shown = (lanes: Lane[], how: Partial<Arranged> = {}, counters: Counter[] = []): string[] => layOut(lanesOf(lanes), counters, { ...NOTHING, ...how }).tracks.map(word);

const host = lane(0, "host", "main", { rows: 3 });
const compute = lane(3, "compute", "compute", { rows: 2 });
const copy = lane(5, "copy", "copies");
const comm = lane(6, "communication", "collectives");
const LANES = [host, copy, comm, compute];

test("devices stand before the host; of a device compute, communication, copies", () =>
  assert.deepEqual(shown(LANES), ["gpu:0", "compute", "collectives", "copies", "host", "main"]));
test("threads stand by how busy they are, the main one first; those that hardly did anything are folded", () => {
  const threads = [lane(1, "host", "autograd", { busy: 700 }), lane(2, "host", "main", { busy: 100 }), lane(4, "host", "loader", { busy: 300 }), lane(5, "host", "watcher", { busy: 9 }), lane(6, "host", "fourth", { busy: 90 })];
  assert.deepEqual(shown(threads), ["host", "main", "autograd", "loader", "2 threads, mostly idle +"]);
  assert.deepEqual(shown(threads, { toggled: new Set([".host.quiet"]) }).slice(4), ["2 threads, mostly idle", "fourth", "watcher"]);
});
test("a thread that is busy for less than a hundredth of the run is folded, however few there are", () =>
  assert.deepEqual(shown([lane(0, "host", "main"), lane(1, "host", "watcher", { busy: 9 }), lane(2, "host", "loader", { busy: 10 })]), ["host", "main", "loader", "1 thread, mostly idle +"]));
test("what repeats other lanes stands folded with its host", () =>
  assert.deepEqual(shown([host, lane(9, "derived", "marks")]), ["host", "main", "marks and profiler +"]));
test("of several ranks the first begins open, the others folded, and each says whose it is", () => {
  const ranks = [0, 1].flatMap((rank) => [lane(10 * rank, "host", "main", { rank }), lane(10 * rank + 1, "compute", "compute", { rank })]);
  assert.deepEqual(shown(ranks), ["rank 0 · gpu:0", "compute", "rank 0 · host", "main", "rank 1 · gpu:0 +", "rank 1 · host +"]);
  assert.deepEqual(shown(ranks, { toggled: new Set(["1.gpu:0", "0.host"]) }), ["rank 0 · gpu:0", "compute", "rank 0 · host +", "rank 1 · gpu:0", "compute", "rank 1 · host +"]);
  assert.deepEqual(shown(ranks, { ranks: [1] }), ["gpu:0", "compute", "host", "main"]);
});
test("the filter of a device leaves the host", () => {
  const two = [compute, lane(7, "compute", "other", { device: "gpu:1" }), host];
  assert.deepEqual(shown(two, { device: "gpu:1" }), ["gpu:1", "other", "host", "main"]);
});
test("a hidden lane is away, a moved one takes the other's place", () => {
  assert.deepEqual(shown(LANES, { hidden: new Set(["6"]) }).slice(0, 3), ["gpu:0", "compute", "copies"]);
  assert.deepEqual(shown(LANES, { order: ["5", "3"] }).slice(0, 4), ["gpu:0", "copies", "collectives", "compute"]);
});
test("memory stands with its device, other counters with the host", () =>
  assert.deepEqual(shown(LANES, {}, [counter("queue", ""), counter("memory", "gpu:0")]), ["gpu:0", "compute", "collectives", "copies", "memory", "host", "main", "queue"]));

test("a pinned lane stays above while the others scroll, also when its group is closed", () => {
  const l = layOut(lanesOf(LANES), [], { ...NOTHING, pinned: ["3"], toggled: new Set([".gpu:0"]) });
  assert.deepEqual([l.pinned.map(word), l.tracks.map(word)], [["compute"], ["gpu:0 +", "host", "main"]]);
  assert.deepEqual([l.pinned[0]?.y, l.pinnedHeight], [0, 2 * ROW + 4]);
});
test("tracks follow each other without gaps that a pointer would fall into", () => {
  const { tracks, height } = layOut(lanesOf(LANES), [], NOTHING);
  tracks.forEach((t, i) => assert.ok(i === 0 || t.y >= (tracks[i - 1]?.y ?? 0) + (tracks[i - 1]?.h ?? 0), word(t)));
  assert.ok(height > Math.max(...tracks.map((t) => t.y + t.h)));
});
test("a closed lane shows its first row, a lane of one row is a little higher", () => {
  const open = layOut(lanesOf(LANES), [], NOTHING);
  const closed = layOut(lanesOf(LANES), [], { ...NOTHING, toggled: new Set(["3"]) });
  assert.deepEqual([placeOfRow(open, 4)?.h, placeOfRow(closed, 4), placeOfRow(closed, 3)?.h, placeOfRow(open, 99)], [ROW, null, ROW_ALONE, null]);
  assert.equal((placeOfRow(open, 4)?.y ?? 0) - (placeOfRow(open, 3)?.y ?? 0), ROW);
});
test("only tracks and rows that reach into the window are worked on", () => {
  const { tracks } = layOut(lanesOf([lane(0, "compute", "deep", { rows: 500 })]), [], NOTHING);
  const deep = tracks[1];
  assert.deepEqual([tracksIn(tracks, 0, 10).map(word), tracksIn(tracks, 100, 200).map(word)], [["gpu:0"], ["deep"]]);
  assert.ok(deep?.is === "lane");
  const rows = rowsIn(deep, 1000, 1000 + 5 * ROW).map((r) => r.row);
  assert.ok(rows.length >= 5 && rows.length <= 7 && rows[0] === Math.floor((1000 - deep.y) / ROW), rows.join());
});
test("how busy a group is counts no repetition, and is never more than wholly", () => {
  const busy = (lanes: Lane[]): number[] => layOut(lanesOf(lanes), [], NOTHING).tracks.flatMap((t) => (t.is === "group" ? [t.busy] : []));
  assert.deepEqual([busy([host, lane(9, "derived", "marks")]), busy([compute, copy, comm])], [[0.5], [1]]);
});

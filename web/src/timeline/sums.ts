// SPDX-License-Identifier: Apache-2.0
// The sums of a range in a report, which has no server: the rules of src/views/timeline_sums.c, and the same numbers where it holds every span.
import { cellText } from "../api";
import type { Grouping, Items, Lane, Lanes, Sum, Sums } from "./data";
import { nameAt, shortAt } from "./data";
import { has } from "./scene";
import type { Window } from "../store";

interface Open {
  i: number;
  end: number;
  leaf: number;
  op: string;
}

interface Summing {
  d: Items;
  w: Window;
  by: Grouping;
  word: string;
  rows: Map<string, Sum>;
  all: { device: number; host: number };
  nameOf: Map<number, string>; // of spans that are ops, for the ops that launched activities
}

const kindOf = (d: Items, i: number): string => (d.class && cellText(d.class, i)) || cellText(d.kind, i);

function groupOf(x: Summing, lane: Lane, i: number, op: string): { name: string; short: string; kind: string } {
  const side = lane.kind === "host" ? "host" : "device";
  const kind = kindOf(x.d, i);
  if (x.by === "kind") return { name: kind, short: kind, kind };
  if (x.by === "op") return { name: op || "without op", short: op || "without op", kind: side };
  const title = [lane.name, lane.detail].filter(Boolean).join(" · ");
  if (x.by === "lane") return { name: title, short: title, kind: side };
  return { name: nameAt(x.d, i), short: shortAt(x.d, i), kind };
}

function count(x: Summing, lane: Lane, i: number, op: string, us: number): void {
  const device = lane.kind !== "host";
  x.all[device ? "device" : "host"] += us;
  const has_ = (text: string): boolean => text.toLowerCase().includes(x.word);
  if (x.word && !has_(nameAt(x.d, i)) && !has_(shortAt(x.d, i)) && !(x.by === "op" && has_(op))) return;
  const group = groupOf(x, lane, i, op);
  const key = `${device} ${x.by === "lane" ? lane.id : group.name}`;
  const row = x.rows.get(key) ?? { ...group, device, count: 0, total_us: 0, mean_us: 0, min_us: Infinity, max_us: 0, share: 0, span: 0 };
  if (us > row.max_us || !row.count) row.span = x.d.span[i] ?? 0;
  row.count += x.d.times[i] ?? 1;
  row.total_us += us;
  row.min_us = Math.min(row.min_us, us);
  row.max_us = Math.max(row.max_us, us);
  x.rows.set(key, row);
}

/** The items of a lane in order of start, the longer first. */
function itemsOf(x: Summing, lane: Lane): number[] {
  const out: number[] = [];
  for (let row = lane.firstRow; row < lane.firstRow + lane.rows; row++) {
    const [from, to] = x.d.at.get(row) ?? [0, 0];
    for (let i = from; i < to; i++) if (Math.min(x.d.end[i] ?? 0, x.w.to) > Math.max(x.d.start[i] ?? 0, x.w.from)) out.push(i);
  }
  const { start, end } = x.d;
  return out.sort((a, b) => (start[a] ?? 0) - (start[b] ?? 0) || (end[b] ?? 0) - (end[a] ?? 0) || a - b);
}

function sumDevice(x: Summing, lane: Lane): void {
  const launch = x.d.t.column("launch");
  for (const i of itemsOf(x, lane)) {
    if (cellText(x.d.kind, i) !== "activity" && x.d.class?.texts?.length) continue;
    const inside = Math.min(x.d.end[i] ?? 0, x.w.to) - Math.max(x.d.start[i] ?? 0, x.w.from);
    const by = launch && !launch.absent?.[i] ? (x.nameOf.get(launch.values[i] ?? -1) ?? "") : "";
    count(x, lane, i, by, Math.min(inside, (x.d.times[i] ?? 1) > 1 ? (x.d.busy[i] ?? 0) : inside));
  }
}

function sumThread(x: Summing, lane: Lane): void {
  const open: Open[] = [];
  let at = x.w.from;
  const close = (until: number): void => {
    for (let top = open[open.length - 1]; top && top.end <= until; top = open[open.length - 1]) {
      if (top.end > at) {
        top.leaf += top.end - at;
        at = top.end;
      }
      open.pop();
      count(x, lane, top.i, top.op, top.leaf);
    }
  };
  for (const i of itemsOf(x, lane)) {
    const start = Math.max(x.d.start[i] ?? 0, x.w.from);
    close(start);
    const around = open[open.length - 1];
    if (around && start > at) around.leaf += start - at;
    at = start;
    const op = cellText(x.d.kind, i) === "op" ? nameAt(x.d, i) : (around?.op ?? "");
    open.push({ i, end: Math.min(x.d.end[i] ?? 0, x.w.to), leaf: 0, op });
  }
  close(Infinity);
}

/** For each call the op around it. */
function opsOf(d: Items): Map<number, string> {
  const at = new Map<number, number>();
  for (let i = 0; i < d.count; i++) at.set(d.span[i] ?? -1, i);
  const parent = d.t.column("parent");
  const names = new Map<number, string>();
  for (const [span, first] of at) {
    if (cellText(d.kind, first) !== "call" && cellText(d.kind, first) !== "op") continue;
    let i: number | undefined = first;
    for (let depth = 0; i !== undefined && depth < 100 && cellText(d.kind, i) !== "op"; depth++) i = parent && !parent.absent?.[i] ? at.get(parent.values[i] ?? -1) : undefined;
    if (i !== undefined) names.set(span, nameAt(d, i));
  }
  return names;
}

export function sumsOf(d: Items, lanes: Lanes, w: Window, by: Grouping, search: string, rows: string): Sums {
  const x: Summing = { d, w, by, word: search.toLowerCase(), rows: new Map(), all: { device: 0, host: 0 }, nameOf: by === "op" ? opsOf(d) : new Map() };
  for (const lane of lanes.lanes) {
    if (lane.kind === "derived" || !has({ ...d, rows }, lane.firstRow)) continue;
    if (lane.kind === "host") sumThread(x, lane);
    else sumDevice(x, lane);
  }
  const all = [...x.rows.values()].map((r) => {
    const of = r.device ? x.all.device : x.all.host;
    return { ...r, mean_us: r.total_us / r.count, share: of ? r.total_us / of : 0 };
  });
  all.sort((a, b) => Number(b.device) - Number(a.device) || b.total_us - a.total_us);
  return { rows: all, device_us: x.all.device, host_us: x.all.host };
}

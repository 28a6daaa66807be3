// SPDX-License-Identifier: Apache-2.0
// The sums of a range in a report, which has no server: the table `leaves` assigns each moment to a span; this file clips these times to the range
// and adds them up.
import type { Column, Table } from "../answers/api";
import { cellText } from "../answers/api";
import { numbers } from "../table/read";
import type { Grouping, Items, Lane, Lanes, Sum, Sums } from "./data";
import { nameAt, shortAt } from "./data";
import { has } from "./scene";
import type { Window } from "../state/store";

/** The spans that count: the name and the op by which each is summed, and the time that belongs to it. */
export interface Leaves {
  at: Int32Array; // by row: the item that it is of; -1: none
  name: Column;
  op: Column;
  start: (row: number) => number | null; // null: all of the item
  duration: (row: number) => number | null;
}

export function readLeaves(t: Table, d: Items): Leaves {
  const [span, name, op] = [t.column("span"), t.column("name"), t.column("op")];
  if (!span || !name || !op) throw new Error("this report is damaged");
  const items = new Map<number, number>();
  for (let i = 0; i < d.count; i++) items.set(d.span[i] ?? -1, i);
  return { at: Int32Array.from(span.values, (s) => items.get(s) ?? -1), name, op, start: numbers(t, "start_us"), duration: numbers(t, "duration_us") };
}

const inside = (w: Window, from: number, to: number): number => Math.min(to, w.to) - Math.max(from, w.from);

/** For each item in the window its own time there, and a row that names it. */
function ownTimes(x: Leaves, d: Items, w: Window): Map<number, { row: number; us: number }> {
  const own = new Map<number, { row: number; us: number }>();
  x.at.forEach((i, row) => {
    const shown = i < 0 ? 0 : inside(w, d.start[i] ?? 0, d.end[i] ?? 0);
    if (shown <= 0) return;
    const start = x.start(row);
    const us = start === null ? shown : Math.max(0, inside(w, start, start + (x.duration(row) ?? 0)));
    own.set(i, { row, us: us + (own.get(i)?.us ?? 0) });
  });
  return own;
}

function groupOf(x: Leaves, d: Items, i: number, row: number, lane: Lane, by: Grouping): { key: string; name: string; short: string; kind: string } {
  const side = lane.kind === "host" ? "host" : "device";
  const kind = (d.class && cellText(d.class, i)) || cellText(d.kind, i);
  const name = cellText(x.name, row) || nameAt(d, i);
  const title = [lane.name, lane.detail].filter(Boolean).join(" · ");
  const op = cellText(x.op, row) || "without op";
  if (by === "kind") return { key: kind, name: kind, short: kind, kind };
  if (by === "op") return { key: op, name: op, short: op, kind: side };
  if (by === "lane") return { key: lane.id, name: title, short: title, kind: side };
  return { key: name, name, short: name === nameAt(d, i) ? shortAt(d, i) : name, kind };
}

const fresh = { count: 0, total_us: 0, mean_us: 0, min_us: Infinity, max_us: 0, share: 0, span: 0 };

function add(row: Sum, span: number, us: number): void {
  if (us > row.max_us || !row.count) row.span = span;
  row.count++;
  row.total_us += us;
  row.min_us = Math.min(row.min_us, us);
  row.max_us = Math.max(row.max_us, us);
}

/** The lane of each row of the timeline. */
function laneOfRow(lanes: Lanes): Map<number, Lane> {
  const out = new Map<number, Lane>();
  for (const lane of lanes.lanes) for (let row = lane.firstRow; row < lane.firstRow + lane.rows; row++) out.set(row, lane);
  return out;
}

export function sumsOf(x: Leaves, d: Items, lanes: Lanes, w: Window, by: Grouping, search: string, rows: string): Sums {
  const [sums, all, laneAt, word] = [new Map<string, Sum>(), { device: 0, host: 0 }, laneOfRow(lanes), search.toLowerCase()];
  const holds = (text: string): boolean => text.toLowerCase().includes(word);
  for (const [i, { row, us }] of ownTimes(x, d, w)) {
    const lane = laneAt.get(d.row[i] ?? -1);
    if (!lane || !has({ ...d, rows }, lane.firstRow)) continue;
    const device = lane.kind !== "host";
    all[device ? "device" : "host"] += us;
    if (word && !holds(nameAt(d, i)) && !holds(shortAt(d, i)) && !(by === "op" && holds(cellText(x.op, row)))) continue;
    const { key, ...group } = groupOf(x, d, i, row, lane, by);
    const sum = sums.get(`${device} ${key}`) ?? { ...fresh, ...group, device };
    add(sum, d.span[i] ?? 0, us);
    sums.set(`${device} ${key}`, sum);
  }
  const told = [...sums.values()].map((r) => ({ ...r, mean_us: r.total_us / r.count, share: r.total_us / ((r.device ? all.device : all.host) || 1) }));
  told.sort((a, b) => Number(b.device) - Number(a.device) || b.total_us - a.total_us);
  return { rows: told, device_us: all.device, host_us: all.host };
}

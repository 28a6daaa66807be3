// SPDX-License-Identifier: Apache-2.0
// The vertical layout of a timeline: groups of each rank's devices and threads, their lanes, and folded lanes.
import type { Lane, LaneKind, Lanes } from "./data";

export const ROW = 18;
export const ROW_ALONE = 20; // of a lane with one row
const LANE_GAP = 4;
const GROUP_HEIGHT = 26;
const FOLD_HEIGHT = 20;
const COUNTER_HEIGHT = 36;
const QUIET = 0.01; // threads busy for a smaller part are folded
const OPEN_RANKS = 1; // of more ranks the others begin folded
const MOST_THREADS = 3; // of a rank's threads that begin open

/** A value over time, drawn as an area. */
export interface Counter {
  id: string;
  name: string;
  group: string; // the device that it stands with; "": the host
  rank: number;
  unit: "bytes" | "";
  at: ArrayLike<number>;
  value: ArrayLike<number>;
  most: number;
}

interface Placed {
  id: string;
  y: number;
  h: number;
}
export interface GroupTrack extends Placed {
  is: "group";
  name: string;
  device: boolean;
  open: boolean;
  lanes: Lane[];
  busy: number; // part of the run in which anything ran; an upper bound of several lanes
}
export interface LaneTrack extends Placed {
  is: "lane";
  lane: Lane;
  open: boolean; // all its rows are shown, else the first one
  pinned: boolean;
  rowHeight: number;
}
export interface FoldTrack extends Placed {
  is: "fold";
  name: string;
  open: boolean;
  lanes: Lane[];
}
export interface CounterTrack extends Placed {
  is: "counter";
  counter: Counter;
  pinned: boolean;
}
export type Track = GroupTrack | LaneTrack | FoldTrack | CounterTrack;

export interface Layout {
  pinned: Track[]; // they stay while the others scroll; y counts from the first of them
  pinnedHeight: number;
  tracks: Track[];
  height: number;
}

/** The user's changes: ids of the lanes that differ from the initial arrangement. */
export interface Arranged {
  toggled: ReadonlySet<string>;
  pinned: readonly string[];
  hidden: ReadonlySet<string>;
  order: readonly string[]; // lanes that were moved, in their order
  ranks: readonly number[]; // empty: all
  device: string; // "": all
}

interface Group {
  id: string;
  name: string;
  rank: number;
  device: boolean;
  lanes: Lane[];
}

const isDevice = (kind: LaneKind): boolean => kind !== "host" && kind !== "derived";

/** Devices come before the host; lanes in the order compute, communication, copies. Derived lanes are folded, in the host's group. */
function groupsOf(lanes: Lane[]): Group[] {
  const several = new Set(lanes.map((l) => l.rank)).size > 1;
  const processes = new Set(lanes.map((l) => `${l.rank} ${l.process}`)).size > 1;
  const groups = new Map<string, Group>();
  for (const lane of lanes) {
    const device = isDevice(lane.kind);
    const owner = several ? `rank ${lane.rank}` : processes ? lane.process : "";
    const what = device ? lane.device || lane.name : "host";
    const id = `${several ? lane.rank : processes ? lane.process : ""}.${what}`;
    const group = groups.get(id) ?? { id, name: [owner, what].filter(Boolean).join(" · "), rank: lane.rank, device, lanes: [] };
    group.lanes.push(lane);
    groups.set(id, group);
  }
  const list = [...groups.values()];
  const first = (g: Group): number => lanes.findIndex((l) => l.rank === g.rank && l.process === g.lanes[0]?.process);
  return list.sort((a, b) => first(a) - first(b) || Number(b.device) - Number(a.device));
}

const KIND_ORDER: LaneKind[] = ["compute", "communication", "copy", "memory", "host", "derived"];

function ordered(lanes: Lane[], order: readonly string[]): Lane[] {
  const place = (l: Lane): number => KIND_ORDER.indexOf(l.kind);
  const own = [...lanes].sort((a, b) => place(a) - place(b) || (isDevice(a.kind) ? b.busy - a.busy : Number(b.name === "main") - Number(a.name === "main") || b.busy - a.busy));
  if (!order.length) return own;
  const moved = (l: Lane): number => order.indexOf(l.id);
  const asked = own.filter((l) => moved(l) >= 0).sort((a, b) => moved(a) - moved(b));
  return asked.length ? own.map((l) => (moved(l) >= 0 ? (asked.shift() as Lane) : l)) : own;
}

/** Whether a lane is folded at first: a thread that hardly did anything, or a lane that repeats others. */
function isQuiet(lane: Lane, length: number, rank: number): boolean {
  if (lane.kind === "derived") return true;
  return lane.kind === "host" && (lane.busy < QUIET * length || rank >= MOST_THREADS);
}

class Builder {
  tracks: Track[] = [];
  pinned: Track[] = [];
  y = 0;
  pinnedY = 0;
  constructor(
    readonly of: Lanes,
    readonly how: Arranged,
  ) {}

  toggled(id: string, begins: boolean): boolean {
    return this.how.toggled.has(id) ? !begins : begins;
  }

  lane(lane: Lane): void {
    const open = this.toggled(lane.id, true);
    const rows = open ? lane.rows : 1;
    const rowHeight = rows > 1 ? ROW : ROW_ALONE;
    const pinned = this.how.pinned.includes(lane.id);
    const track = { is: "lane" as const, id: lane.id, lane, open, pinned, rowHeight, h: rows * rowHeight + LANE_GAP };
    this.put(track, pinned);
  }

  put(track: Omit<LaneTrack, "y"> | Omit<CounterTrack, "y">, pinned: boolean): void {
    if (pinned) {
      this.pinned.push({ ...track, y: this.pinnedY });
      this.pinnedY += track.h;
    } else {
      this.tracks.push({ ...track, y: this.y });
      this.y += track.h;
    }
  }

  fold(id: string, name: string, lanes: Lane[]): void {
    if (!lanes.length) return;
    const open = this.toggled(id, false);
    this.tracks.push({ is: "fold", id, name, open, lanes, y: this.y, h: FOLD_HEIGHT });
    this.y += FOLD_HEIGHT;
    if (open) for (const lane of lanes) this.lane(lane);
  }

  group(group: Group, counters: Counter[], begins: boolean): void {
    const { of, how } = this;
    const lanes = ordered(group.lanes.filter((l) => !how.hidden.has(l.id)), how.order);
    const length = of.all.to - of.all.from;
    const open = this.toggled(group.id, begins);
    const busy = Math.min(1, lanes.reduce((sum, l) => sum + (l.kind === "derived" ? 0 : l.busy), 0) / length);
    this.tracks.push({ is: "group", id: group.id, name: group.name, device: group.device, open, lanes, busy, y: this.y, h: GROUP_HEIGHT });
    this.y += GROUP_HEIGHT;
    if (!open) {
      for (const lane of lanes) if (how.pinned.includes(lane.id)) this.lane(lane);
      return;
    }
    const quiet = lanes.filter((l) => isQuiet(l, length, lanes.indexOf(l)));
    for (const lane of lanes) if (!quiet.includes(lane) || how.pinned.includes(lane.id)) this.lane(lane);
    const folded = quiet.filter((l) => !how.pinned.includes(l.id));
    const threads = folded.filter((l) => l.kind === "host");
    this.fold(`${group.id}.quiet`, `${threads.length} ${threads.length === 1 ? "thread" : "threads"}, mostly idle`, threads);
    this.fold(`${group.id}.derived`, "marks and profiler", folded.filter((l) => l.kind === "derived"));
    for (const counter of counters) {
      const pinned = how.pinned.includes(counter.id);
      this.put({ is: "counter", id: counter.id, counter, pinned, h: COUNTER_HEIGHT }, pinned);
    }
    this.y += 6;
  }
}

export function layOut(of: Lanes, counters: Counter[], how: Arranged): Layout {
  const build = new Builder(of, how);
  const shown = groupsOf(of.lanes.filter((l) => (!how.ranks.length || l.rank < 0 || how.ranks.includes(l.rank)) && (!how.device || !isDevice(l.kind) || l.device === how.device)));
  const ranks = [...new Set(shown.map((g) => g.rank))];
  const used = new Set<Counter>();
  for (const group of shown) {
    // memory belongs to its device's group, every other counter to the host's
    const fits = (c: Counter): boolean => (group.device ? c.group === group.lanes[0]?.device : true);
    const own = counters.filter((c) => !used.has(c) && c.rank === group.rank && fits(c));
    for (const c of own) used.add(c);
    build.group(group, own, ranks.indexOf(group.rank) < OPEN_RANKS);
  }
  return { pinned: build.pinned, pinnedHeight: build.pinnedY, tracks: build.tracks, height: build.y + 8 };
}

/** The tracks of a list that reach into a part of the height. */
export function tracksIn(tracks: Track[], from: number, to: number): Track[] {
  return tracks.filter((t) => t.y < to && t.y + t.h > from);
}

export interface RowPlace {
  row: number;
  y: number; // in the layout
  h: number;
  lane: Lane;
  pinned: boolean;
}

/** The rows of a lane that reach into a part of the height. */
export function rowsIn(t: LaneTrack, from: number, to: number): RowPlace[] {
  const rows = t.open ? t.lane.rows : 1;
  const first = Math.max(0, Math.floor((from - t.y) / t.rowHeight));
  const last = Math.min(rows - 1, Math.floor((to - t.y) / t.rowHeight));
  const out: RowPlace[] = [];
  for (let r = first; r <= last; r++) out.push({ row: t.lane.firstRow + r, y: t.y + r * t.rowHeight, h: t.rowHeight, lane: t.lane, pinned: t.pinned });
  return out;
}

/** The place of a row; null: it is folded or hidden. */
export function placeOfRow(l: Layout, row: number): RowPlace | null {
  for (const t of [...l.pinned, ...l.tracks]) {
    if (t.is !== "lane" || row < t.lane.firstRow || row >= t.lane.firstRow + (t.open ? t.lane.rows : 1)) continue;
    return rowsIn(t, t.y, t.y + t.h).find((r) => r.row === row) ?? null;
  }
  return null;
}

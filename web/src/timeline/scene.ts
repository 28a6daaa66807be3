// SPDX-License-Identifier: Apache-2.0
// The contents of a frame of the timeline, and the places of things in it. Pixels count from the top left corner of the stage.
import type { Details, Items, Lanes, Step } from "./data";
import { itemAt } from "./data";
import type { CounterTrack, GroupTrack, LaneTrack, Layout, RowPlace, Track } from "./layout";
import { placeOfRow, rowsIn, tracksIn } from "./layout";
import type { Batch } from "./painter";
import type { Palette } from "./palette";
import type { Window } from "../state/store";

export const AXIS = 22;
export const BAND = 22; // of the steps

export interface StepFacts {
  duration: number;
  compute: number;
  communication: number;
  idle: number;
}

export interface Scene {
  lanes: Lanes;
  layout: Layout;
  base: Batch | null; // the whole time, coarse: shown while the window is loading
  batch: Batch | null;
  seen: Window;
  top: number; // scrolled pixels
  width: number;
  height: number;
  range: Window | null;
  picked: Details | null;
  lit: string; // the name of a selected kernel or op; "": none
  step: number; // the selected one; -1: none
  facts: Map<number, StepFacts>;
  palette: Palette;
  busy: Map<string, Float32Array>; // by group: how busy each pixel of the batch's window was
}

export const headOf = (s: Pick<Scene, "lanes" | "layout">): number => AXIS + (s.lanes.steps.length ? BAND : 0) + s.layout.pinnedHeight;
export const pinnedTop = (s: Pick<Scene, "lanes">): number => AXIS + (s.lanes.steps.length ? BAND : 0);

export const xOf = (s: Scene, time: number): number => ((time - s.seen.from) * s.width) / (s.seen.to - s.seen.from);
export const timeOf = (s: Scene, x: number): number => s.seen.from + (x / s.width) * (s.seen.to - s.seen.from);
const yOf = (s: Scene, place: { y: number; pinned?: boolean }): number => (place.pinned ? pinnedTop(s) : headOf(s) - s.top) + place.y;

/** The rows that can be seen, with y in the stage. */
export function rowsSeen(s: Scene): RowPlace[] {
  const head = headOf(s);
  const lanes = (tracks: Track[], from: number, to: number): RowPlace[] =>
    tracksIn(tracks, from, to).flatMap((t) => (t.is === "lane" ? rowsIn(t as LaneTrack, from, to) : [])).map((r) => ({ ...r, y: yOf(s, r) }));
  return [...lanes(s.layout.pinned, 0, s.layout.pinnedHeight), ...lanes(s.layout.tracks, s.top, s.top + s.height - head)];
}

export interface Seen<T> {
  track: T;
  y: number;
}
export function tracksSeen<T extends Track["is"]>(s: Scene, is: T): Seen<Extract<Track, { is: T }>>[] {
  const of = (tracks: Track[], from: number, to: number, y: number): Seen<Extract<Track, { is: T }>>[] =>
    tracksIn(tracks, from, to).filter((t) => t.is === is).map((t) => ({ track: t as Extract<Track, { is: T }>, y: y + t.y }));
  const head = headOf(s);
  return [...of(s.layout.pinned, 0, s.layout.pinnedHeight, pinnedTop(s)), ...of(s.layout.tracks, s.top, s.top + s.height - head, head - s.top)];
}

export interface Source {
  batch: Batch;
  clip: [number, number];
}

/** The batch from which each part of the width is drawn: the window's own where it has been loaded, otherwise the coarse one. */
export function sourcesOf(s: Scene, row: number): Source[] {
  const own = s.batch?.items.at.has(row) || (s.batch && has(s.batch.items, row)) ? s.batch : null;
  if (!own) return s.base ? [{ batch: s.base, clip: [0, s.width] }] : [];
  const { from, to } = own.items.window;
  const [left, right] = [Math.max(0, xOf(s, from)), Math.min(s.width, xOf(s, to))];
  if (right <= left) return s.base ? [{ batch: s.base, clip: [0, s.width] }] : [];
  const out: Source[] = [{ batch: own, clip: [left, right] }];
  if (s.base && left > 0) out.unshift({ batch: s.base, clip: [0, left] });
  if (s.base && right < s.width) out.push({ batch: s.base, clip: [right, s.width] });
  return out;
}

const lists = new Map<string, [number, number][]>();
/** Whether this row was requested with the items. */
export function has(items: Items, row: number): boolean {
  if (!items.rows) return true;
  let ranges = lists.get(items.rows);
  if (!ranges) {
    if (lists.size > 50) lists.clear();
    ranges = items.rows.split(",").map((r) => r.split("-").map(Number)).map(([a = 0, b = a]) => [a, b] as [number, number]);
    lists.set(items.rows, ranges);
  }
  return ranges.some(([a, b]) => row >= a && row <= b);
}

export type Hit =
  | { is: "span"; items: Items; i: number; place: RowPlace }
  | { is: "step"; step: Step }
  | { is: "group"; track: GroupTrack }
  | { is: "counter"; track: CounterTrack; time: number };

const SLACK_PX = 2;

function spanAt(s: Scene, row: RowPlace, x: number): Hit | null {
  const slack = (SLACK_PX * (s.seen.to - s.seen.from)) / s.width;
  for (const { batch, clip } of sourcesOf(s, row.row)) {
    if (x < clip[0] || x > clip[1]) continue;
    const i = itemAt(batch.items, row.row, timeOf(s, x), slack);
    if (i >= 0) return { is: "span", items: batch.items, i, place: row };
  }
  return null;
}

export function hitAt(s: Scene, x: number, y: number): Hit | null {
  if (x < 0 || x > s.width) return null;
  if (y < pinnedTop(s)) {
    const time = timeOf(s, x);
    const step = y >= AXIS ? s.lanes.steps.find((one) => time >= one.from && time < one.to) : undefined;
    return step ? { is: "step", step } : null;
  }
  const inHead = y < headOf(s);
  const row = rowsSeen(s).find((r) => r.pinned === inHead && y >= r.y && y < r.y + r.h);
  if (row) return spanAt(s, row, x);
  const counter = tracksSeen(s, "counter").find((t) => t.track.pinned === inHead && y >= t.y && y < t.y + t.track.h);
  if (counter) return { is: "counter", track: counter.track, time: timeOf(s, x) };
  const group = inHead ? undefined : tracksSeen(s, "group").find((t) => y >= t.y && y < t.y + t.track.h);
  return group ? { is: "group", track: group.track } : null;
}

/** The place of a row in the stage, which may be above or below the visible part; null: it is folded. */
export function placeInStage(s: Scene, row: number): RowPlace | null {
  const place = placeOfRow(s.layout, row);
  return place && { ...place, y: yOf(s, place) };
}

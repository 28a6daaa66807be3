// SPDX-License-Identifier: Apache-2.0
// Lanes and items for the tests of the timeline's modules.
import type { Items, Lane, Lanes, Source } from "../../src/timeline/data";
import { makeItems } from "../../src/timeline/data";
import { paletteOf } from "../../src/timeline/palette";
import type { Arranged } from "../../src/timeline/layout";
import { layOut } from "../../src/timeline/layout";
import { batchOf } from "../../src/timeline/painter";
import type { Scene } from "../../src/timeline/scene";
import { reals, tableOf, words } from "../tables";

export const lane = (id: number, kind: Lane["kind"], name: string, more: Partial<Lane> = {}): Lane => ({
  id: String(id), name, detail: `no. ${id}`, device: kind === "host" || kind === "derived" ? "cpu" : "gpu:0", process: "", rank: -1, kind, classes: [], firstRow: id, rows: 1, spans: 5, start: 0, end: 1000, busy: 500, ...more,
});
export const lanesOf = (lanes: Lane[], steps: Lanes["steps"] = []): Lanes => ({ lanes, all: { from: 0, to: 1000 }, steps, notes: [] });
export const NOTHING: Arranged = { toggled: new Set(), pinned: [], hidden: new Set(), order: [], ranks: [], device: "" };

/** A span: its row, name, start, duration; several may be one, of which so much is busy. */
export interface Span {
  row: number;
  name: string;
  start: number;
  us: number;
  class?: string;
  times?: number;
  busy?: number;
}
export function itemsOf(spans: Span[], about: Partial<Pick<Items, "window" | "rows" | "scale" | "search">> = {}): Items {
  const t = tableOf([
    reals("row", spans.map((s) => s.row)), reals("span", spans.map((_, i) => i)), reals("count", spans.map((s) => s.times ?? 1)), reals("start_us", spans.map((s) => s.start)), reals("duration_us", spans.map((s) => s.us)),
    reals("busy_us", spans.map((s) => s.busy ?? s.us)), words("name", spans.map((s) => s.name)), words("kind", spans.map((s) => (s.class ? "activity" : "op"))), words("class", spans.map((s) => s.class ?? "")),
  ]);
  const items = makeItems(t, { window: { from: 0, to: 1000 }, rows: "", scale: 1, search: "", ...about });
  if (!items) throw new Error("no items");
  return items;
}

export const COLOURS: Record<string, string> = { "--ink": "#000000", "--compute": "#0000ff", "--communication": "#ff0000", "--copy": "#00ff00", "--host": "#808080", "--memory": "#008080", "--bg": "#ffffff", "--accent": "#aa00ff", "--onmark": "#fefefe" };
export const palette = () => paletteOf({ getPropertyValue: (name) => COLOURS[name] ?? "" });

/** A scene of 1,000 µs on 1,000 pixels: a pixel is a microsecond. */
export function sceneOf(lanes: Lanes, items: Items | null, more: Partial<Scene> = {}): Scene {
  return {
    lanes, layout: layOut(lanes, [], NOTHING), base: null, batch: items && batchOf(items), seen: { from: 0, to: 1000 }, top: 0, width: 1000, height: 400, range: null, picked: null, lit: "", step: -1,
    facts: new Map(), palette: palette(), busy: new Map(), ...more,
  };
}

export const sourceOf = (lanes: Lanes, more: Partial<Source> = {}): Source => {
  const none = (): Promise<never> => Promise.reject(new Error("not asked for in this test"));
  return { lanes, summary: "", items: none, details: none, sums: none, find: none, ...more };
};

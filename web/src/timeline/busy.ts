// SPDX-License-Identifier: Apache-2.0
// How busy groups of lanes were over a window: a share for each of some equal parts of it.
import { cellText } from "../answers/api";
import type { Items, Lane } from "./data";

/** For devices all rows; for the host the outermost spans of the busiest thread. */
export function rowsOfGroup(lanes: Lane[], device: boolean): number[] {
  const counted = lanes.filter((l) => l.kind !== "derived");
  if (device) return counted.flatMap((l) => Array.from({ length: l.rows }, (_, i) => l.firstRow + i));
  const busiest = counted.reduce<Lane | null>((best, l) => (best && best.busy >= l.busy ? best : l), null);
  return busiest ? [busiest.firstRow] : [];
}

/** Whether an item makes its lane busy: on a device not what waits for others (Stream Sync). */
export const works = (items: Items, i: number, device: boolean): boolean => !device || cellText(items.kind, i) !== "other";

export function busyOf(items: Items, rows: number[], parts: number, device: boolean): Float32Array {
  const busy = new Float32Array(parts);
  const { window } = items;
  const each = (window.to - window.from) / parts;
  for (const row of rows) {
    const [from, to] = items.at.get(row) ?? [0, 0];
    for (let i = from; i < to; i++) {
      if (!works(items, i, device)) continue;
      const [start, end] = [items.start[i] ?? 0, items.end[i] ?? 0];
      const strong = Math.min(1, (items.busy[i] ?? 0) / Math.max(end - start, 1e-9));
      const last = Math.min(parts - 1, Math.floor((end - window.from) / each));
      for (let k = Math.max(0, Math.floor((start - window.from) / each)); k <= last; k++) {
        const inside = Math.min(end, window.from + (k + 1) * each) - Math.max(start, window.from + k * each);
        if (inside > 0) busy[k] = (busy[k] ?? 0) + (strong * inside) / each;
      }
    }
  }
  for (let k = 0; k < parts; k++) busy[k] = Math.min(1, busy[k] ?? 0);
  return busy;
}

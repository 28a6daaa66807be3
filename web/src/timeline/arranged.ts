// SPDX-License-Identifier: Apache-2.0
// The arrangement of the lanes, which is in the address (folded, opened, pinned, hidden and moved lanes), and the actions that change it.
import { useMemo } from "preact/hooks";
import type { Opened } from "../state/opened";
import { change, filters, state } from "../state/store";
import type { Source } from "./data";
import type { Layout } from "./layout";
import { layOut } from "./layout";
import { useCounters } from "./counters";

const listed = (text: string | undefined): string[] => (text ?? "").split(",").filter(Boolean);
const without = (list: string[], id: string): string[] => list.filter((one) => one !== id);

export function useArranged(source: Source, of: Opened): Layout {
  const { open, pin, more } = state.value;
  const { ranks, device } = filters.value;
  const counters = useCounters(of);
  return useMemo(
    () => layOut(source.lanes, counters, { toggled: new Set(open), pinned: pin, hidden: new Set(listed(more.hide)), order: listed(more.order), ranks, device }),
    [source, counters, open.join(), pin.join(), more.hide, more.order, ranks, device],
  );
}

/** Closes or opens a lane. */
export function toggle(id: string): void {
  const { open } = state.value;
  change({ open: open.includes(id) ? without(open, id) : [...open, id] });
}

export function pinOrNot(id: string): void {
  const { pin } = state.value;
  change({ pin: pin.includes(id) ? without(pin, id) : [...pin, id] });
}

export const hidden = (): string[] => listed(state.value.more.hide);

export function hideOrNot(id: string): void {
  const hide = hidden();
  change({ more: { hide: (hide.includes(id) ? without(hide, id) : [...hide, id]).join(",") } });
}

/** Moves a lane past its neighbour; `own`: the ids of its group in order. */
export function move(id: string, by: -1 | 1, own: string[]): void {
  const at = own.indexOf(id);
  const to = at + by;
  if (at < 0 || to < 0 || to >= own.length) return;
  const next = [...own];
  [next[at], next[to]] = [next[to] ?? "", next[at] ?? ""];
  const others = listed(state.value.more.order).filter((one) => !own.includes(one));
  change({ more: { order: [...others, ...next].join(",") } });
}

/** Restores the initial arrangement. */
export const reset = (): void => change({ open: [], pin: [], more: { hide: "", order: "" } });

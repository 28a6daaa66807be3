// SPDX-License-Identifier: Apache-2.0
// Decides which items are requested: those of the window and its surroundings, and a coarse picture of the whole time.
import type { Items, Source } from "./data";
import { listOf } from "./data";
import { has } from "./scene";
import type { Window } from "../state/store";

const REST_MS = 25; // pause after the last change before a window is requested
const FINER = 4; // a window may be this many times as fine as needed
const PX_MOST = 8000;
const AROUND = 0.5; // of the window's length, before and after it

export interface Wanted {
  seen: Window;
  all: Window;
  width: number;
  rows: number[]; // ascending
  search: string;
}

function covers(items: Items, w: Wanted): boolean {
  const scale = w.width / (w.seen.to - w.seen.from);
  if (items.search !== w.search || items.window.from > w.seen.from || items.window.to < w.seen.to) return false;
  if (items.scale < 0.999 * scale || (items.scale > FINER * scale && items.scale !== Infinity)) return false;
  return w.rows.every((row) => has(items, row));
}

/** Runs one request of each kind at a time; of the waiting requests only the newest is kept. */
class Slot {
  items: Items | null = null;
  private stop: AbortController | null = null;
  private timer = 0;
  private asked = "";

  ask(key: string, ms: number, get: (signal: AbortSignal) => Promise<Items>, done: (items: Items) => void): void {
    if (key === this.asked) return;
    this.asked = key;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.stop?.abort();
      const stop = (this.stop = new AbortController());
      get(stop.signal).then(
        (items) => {
          if (stop.signal.aborted) return;
          this.items = items;
          done(items);
        },
        () => {
          if (this.asked === key) this.asked = "";
        },
      );
    }, ms);
  }

  get waits(): boolean {
    return this.asked !== "" && this.stop !== null;
  }

  end(): void {
    clearTimeout(this.timer);
    this.stop?.abort();
  }
}

export class Loader {
  readonly own = new Slot();
  readonly base = new Slot();

  constructor(
    private readonly source: Source,
    private readonly ready: (which: "own" | "base") => void,
  ) {}

  want(w: Wanted): void {
    if (w.width <= 0 || !w.rows.length) return;
    const rows = listOf(w.rows);
    const { base, own } = this;
    const px = Math.min(PX_MOST, Math.ceil(w.width));
    if (!base.items || base.items.search !== w.search || !w.rows.every((row) => has(base.items as Items, row)))
      base.ask(`${rows} ${w.search}`, 0, (signal) => this.source.items(w.all, rows, px, w.search, signal), () => this.ready("base"));
    if (own.items && covers(own.items, w)) return;
    const length = w.seen.to - w.seen.from;
    const around = { from: Math.max(w.all.from, w.seen.from - AROUND * length), to: Math.min(w.all.to, w.seen.to + AROUND * length) };
    const wide = Math.min(PX_MOST, Math.ceil(((around.to - around.from) * w.width) / length));
    own.ask(`${around.from} ${around.to} ${wide} ${rows} ${w.search}`, own.items ? REST_MS : 0, (signal) => this.source.items(around, rows, wide, w.search, signal), () => this.ready("own"));
  }

  end(): void {
    this.own.end();
    this.base.end();
  }
}

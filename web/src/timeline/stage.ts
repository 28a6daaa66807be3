// SPDX-License-Identifier: Apache-2.0
// The stage: keeps the visible window, requests items, draws when something has changed, and finds the item at a point. It uses no framework; the
// place Timeline passes it the selection and gets the user's actions.
import type { Details, Lanes, Source } from "./data";
import { nameAt } from "./data";
import { busyOf, rowsOfGroup } from "./busy";
import { Glide } from "./glide";
import type { Layout } from "./layout";
import { ROW } from "./layout";
import { Loader } from "./loader";
import type { EdgeName } from "./overlay";
import { drawOverlay, ticksOf } from "./overlay";
import type { Batch, Painter, RowJob } from "./painter";
import { batchOf, painterOf } from "./painter";
import { paletteOf } from "./palette";
import type { Hit, Scene, StepFacts } from "./scene";
import { AXIS, headOf, hitAt, pinnedTop, placeInStage, rowsSeen, sourcesOf, timeOf, tracksSeen, xOf } from "./scene";
import type { Mark } from "../pictures/pictures";
import type { Window } from "../state/store";

const FRAMES_KEPT = 240;
const IDLE_MS = 100; // if no frame was requested for this long, the picture is at rest
const MARGIN_ROWS = 12;
const BUSY_MOST = 4000; // parts of a window for which utilisation is computed

/** Calls from the stage to the place. */
export interface Hooks {
  seen(w: Window): void; // on every frame in which it changed
  rested(w: Window): void; // a while after the last change
  edges(names: EdgeName[]): void;
  drawn(): void; // new items are on the screen
}

export interface Shown {
  range: Window | null;
  picked: Details | null;
  lit: string;
  step: number;
  search: string;
  facts: Map<number, StepFacts>;
}

const REST_MS = 250;

export class Stage {
  readonly glide: Glide;
  readonly scene: Scene;
  painter: Painter | null;
  search = "";
  private readonly pen: CanvasRenderingContext2D | null;
  private readonly loader: Loader;
  private wanted = 0; // the frame that is asked for
  private wantedAt = 0;
  private drawnAt = 0;
  private readonly times: number[] = [];
  private rest = 0;
  private told = ""; // the names at the edges that the place was told last
  private readonly gone = new AbortController(); // of the stage

  constructor(
    readonly element: HTMLElement,
    under: HTMLCanvasElement,
    over: HTMLCanvasElement,
    source: Source,
    layout: Layout,
    seen: Window | null,
    private readonly hooks: Hooks,
  ) {
    const { lanes } = source;
    const still = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.glide = new Glide(lanes.all, seen ?? lanes.all, still);
    this.painter = painterOf(under, wantedPainter());
    this.followContext(under);
    this.pen = over.getContext("2d");
    this.scene = {
      lanes, layout, base: null, batch: null, seen: this.glide.seen, top: 0, width: 0, height: 0, range: null, picked: null, lit: "", step: -1,
      facts: new Map(), palette: paletteOf(getComputedStyle(element)), busy: new Map(),
    };
    this.loader = new Loader(source, (which) => this.arrived(which));
  }

  /** A GPU may lose its data (a driver restarts, the machine slept). Until the context is restored, a second canvas is drawn in 2D, because
   *  the first one cannot have another kind of context. */
  private followContext(canvas: HTMLCanvasElement): void {
    const { signal } = this.gone;
    const spare = document.createElement("canvas");
    const onLost = (e: Event): void => {
      e.preventDefault(); // otherwise it is never restored
      canvas.hidden = true;
      canvas.after(spare);
      this.painter = painterOf(spare, "flat");
      this.ask();
    };
    const onRestored = (): void => {
      const painter = painterOf(canvas, "gpu");
      if (!painter) return; // the 2D canvas stays
      this.painter = painter;
      canvas.hidden = false;
      spare.remove();
      this.ask();
    };
    canvas.addEventListener("webglcontextlost", onLost, { signal });
    canvas.addEventListener("webglcontextrestored", onRestored, { signal });
    signal.addEventListener("abort", () => spare.remove());
  }

  end(): void {
    this.gone.abort();
    cancelAnimationFrame(this.wanted);
    clearTimeout(this.rest);
    this.loader.end();
  }

  // ---- called by the place

  show(shown: Shown): void {
    this.search = shown.search;
    Object.assign(this.scene, { range: shown.range, picked: shown.picked, lit: shown.lit, step: shown.step, facts: shown.facts });
    this.ask();
  }

  arrange(layout: Layout): void {
    this.scene.layout = layout;
    this.workOutBusy();
    this.ask();
  }

  resize(width: number, height: number): void {
    Object.assign(this.scene, { width, height });
    this.ask();
  }

  scroll(top: number): void {
    this.scene.top = top;
    this.ask();
  }

  repaint(): void {
    this.scene.palette = paletteOf(getComputedStyle(this.element));
    this.ask();
  }

  // ---- items

  /** Rows that are visible or near, and rows whose utilisation is shown. */
  private rowsWanted(): number[] {
    const near = { ...this.scene, top: Math.max(0, this.scene.top - MARGIN_ROWS * ROW), height: this.scene.height + 2 * MARGIN_ROWS * ROW };
    const rows = new Set(rowsSeen(near).map((r) => r.row));
    for (const { track } of tracksSeen(near, "group")) for (const row of rowsOfGroup(track.lanes, track.device)) rows.add(row);
    return [...rows].sort((a, b) => a - b);
  }

  private load(): void {
    const { seen, width, lanes } = this.scene;
    this.loader.want({ seen, all: lanes.all, width, rows: this.rowsWanted(), search: this.search });
  }

  private arrived(which: "own" | "base"): void {
    const items = this.loader[which].items;
    const old: Batch | null = which === "own" ? this.scene.batch : this.scene.base;
    if (!items) return;
    if (old) this.painter?.forget(old);
    if (which === "own") this.scene.batch = batchOf(items);
    else this.scene.base = batchOf(items);
    if (which === "own") this.workOutBusy();
    this.ask();
    requestAnimationFrame(() => this.hooks.drawn());
  }

  private workOutBusy(): void {
    const { batch, layout } = this.scene;
    if (!batch) return;
    const { items } = batch;
    const { seen, width } = this.scene;
    const scale = Math.min(items.scale, width / (seen.to - seen.from));
    const parts = Math.max(1, Math.min(BUSY_MOST, Math.ceil(((items.window.to - items.window.from) * scale) / 2)));
    this.scene.busy = new Map(layout.tracks.flatMap((t) => (t.is === "group" ? [[t.id, busyOf(items, rowsOfGroup(t.lanes, t.device), parts, t.device)] as const] : [])));
  }

  // ---- frames

  /** Requests a frame. */
  ask(): void {
    if (this.wanted) return;
    const now = performance.now();
    this.wantedAt = now - this.drawnAt > IDLE_MS ? now : this.drawnAt;
    this.wanted = requestAnimationFrame((at) => this.frame(at));
  }

  private frame(at: number): void {
    this.wanted = 0;
    const moves = this.glide.step(at);
    const moved = this.scene.seen !== this.glide.seen;
    this.scene.seen = this.glide.seen;
    this.draw();
    const now = performance.now();
    this.times.push(now - this.wantedAt);
    if (this.times.length > FRAMES_KEPT) this.times.shift();
    this.drawnAt = now;
    if (moved) this.hooks.seen(this.scene.seen);
    if (moved) this.restSoon();
    this.load();
    if (moves || this.glide.moves) this.ask();
  }

  private restSoon(): void {
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => this.hooks.rested(this.scene.seen), REST_MS);
  }

  private jobs(): RowJob[] {
    return rowsSeen(this.scene).flatMap((r) => sourcesOf(this.scene, r.row).map(({ batch, clip }) => ({ batch, clip, row: r.row, y: r.y, h: r.h, top: r.pinned ? 0 : headOf(this.scene) })));
  }

  private draw(): void {
    const s = this.scene;
    if (!s.width || !s.height) return;
    const ratio = devicePixelRatio || 1;
    this.painter?.draw({
      width: s.width, height: s.height, ratio, from: s.seen.from, scale: s.width / (s.seen.to - s.seen.from), palette: s.palette, jobs: this.jobs(),
      lines: ticksOf(s).map((t) => t.x), linesFrom: AXIS - 6,
    });
    if (!this.pen) return;
    const edges = drawOverlay(this.pen, s, ratio);
    const key = edges.map((e) => `${e.link.span} ${e.left} ${Math.round(e.y)}`).join();
    if (key !== this.told) {
      this.told = key;
      this.hooks.edges(edges);
    }
  }

  /** How many milliseconds each of the last frames took, since the frame before it or, after a pause, since it was requested. */
  frames(): number[] {
    return [...this.times];
  }

  // ---- what is where

  at(x: number, y: number): Hit | null {
    return hitAt(this.scene, x, y);
  }

  timeAt(x: number): number {
    return timeOf(this.scene, x);
  }

  /** The visible spans and steps, in pixels of the window. */
  marks(): Mark[] {
    const s = this.scene;
    const corner = this.element.getBoundingClientRect();
    const out: Mark[] = [];
    const add = (kind: string, id: number, name: string, from: number, to: number, y: number, h: number, count: number, clip: [number, number]): void => {
      const left = Math.max(clip[0], xOf(s, from));
      const right = Math.min(clip[1], Math.max(xOf(s, from) + 1, xOf(s, to)));
      const [top, bottom] = [Math.max(y, kind === "step" ? AXIS : pinnedTop(s)), Math.min(y + h, s.height)];
      if (right > left && bottom > top) out.push({ kind, id: String(id), name, x: corner.x + left, y: corner.y + top, w: right - left, h: bottom - top, count });
    };
    for (const step of s.lanes.steps) add("step", step.step, String(step.step), step.from, step.to, AXIS, 20, 1, [0, s.width]);
    for (const r of rowsSeen(s)) {
      if (!r.pinned && r.y < headOf(s)) continue;
      for (const { batch, clip } of sourcesOf(s, r.row)) {
        const { items } = batch;
        const [first, last] = items.at.get(r.row) ?? [0, 0];
        for (let i = first; i < last; i++)
          if ((items.end[i] ?? 0) >= s.seen.from && (items.start[i] ?? 0) < s.seen.to)
            add("span", items.span[i] ?? -1, nameAt(items, i), items.start[i] ?? 0, items.end[i] ?? 0, r.y, r.h - 1, items.times[i] ?? 1, clip);
      }
    }
    return out;
  }

  /** The scroll position at which a row is visible; null: it is visible already, or folded. */
  scrollFor(row: number): number | null {
    const place = placeInStage(this.scene, row);
    if (!place || place.pinned) return null;
    const head = headOf(this.scene);
    if (place.y >= head && place.y + place.h <= this.scene.height) return null;
    return Math.max(0, this.scene.top + place.y - head - (this.scene.height - head) / 3);
  }

  get lanes(): Lanes {
    return this.scene.lanes;
  }
}

/** For tests: localStorage tfprof.painter may be gpu or flat. */
function wantedPainter(): string | null {
  try {
    return localStorage.getItem("tfprof.painter");
  } catch {
    return null;
  }
}

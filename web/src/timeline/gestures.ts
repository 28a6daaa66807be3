// SPDX-License-Identifier: Apache-2.0
// Mouse, wheel, fingers and keys over the stage. A drag marks a range (with a finger: after holding it still). A drag with shift or the middle
// button moves the window. Ctrl and wheel, or two fingers, zoom about the pointer. A click selects.
import { isTyping } from "../state/keys";
import type { Stage } from "./stage";
import { zoomed } from "./glide";
import type { Window } from "../state/store";

const CLICK_PX = 4; // a shorter drag is a click
const HOLD_MS = 350; // a finger that stays in place this long selects a range
const HELD_MS = 180; // a key that is held longer moves continuously
const WHEEL_RATE = 0.0025; // zoom per pixel: e to this power
const STEP = 1.5; // zoom of a short key press
const PAN = 0.15; // share of the width that a short key press moves

export interface Acts {
  pick(x: number, y: number): void;
  open(x: number, y: number): void; // a double click
  mark(w: Window | null, done: boolean): void; // called while a window is dragged, and at the end
  hover(at: { x: number; y: number } | null): void;
}

interface Drag {
  id: number;
  x: number;
  y: number;
  time: number;
  mode: "mark" | "move" | "finger";
  far: boolean;
}

const isNearHorizontal = (e: WheelEvent): boolean => Math.abs(e.deltaX) > Math.abs(e.deltaY);

export class Gestures {
  private drag: Drag | null = null;
  private readonly fingers = new Map<number, number>(); // x of each pointer
  private pinch: { seen: Window; a: number; b: number } | null = null;
  private hold = 0;
  private pointer: number | null = null; // x of the mouse above the stage
  private readonly stop = new AbortController();
  private keys = new Map<string, number>(); // held keys and their timers

  constructor(
    private readonly stage: Stage,
    private readonly acts: Acts,
  ) {
    const on = { signal: this.stop.signal };
    const { element } = stage;
    element.addEventListener("wheel", (e) => this.wheel(e), { ...on, passive: false });
    element.addEventListener("pointerdown", (e) => this.down(e), on);
    element.addEventListener("pointermove", (e) => this.move(e), on);
    element.addEventListener("pointerup", (e) => this.up(e, true), on);
    element.addEventListener("pointercancel", (e) => this.up(e, false), on);
    element.addEventListener("pointerleave", () => this.leave(), on);
    element.addEventListener("dblclick", (e) => this.acts.open(...this.at(e)), on);
    addEventListener("keydown", (e) => this.keyDown(e), on);
    addEventListener("keyup", (e) => this.keyUp(e), on);
    addEventListener("blur", () => this.releaseAll(), on);
  }

  end(): void {
    this.stop.abort();
    clearTimeout(this.hold);
    this.releaseAll();
  }

  private at(e: MouseEvent): [number, number] {
    const box = this.stage.element.getBoundingClientRect();
    return [e.clientX - box.x, e.clientY - box.y];
  }

  // ---- wheel

  private wheel(e: WheelEvent): void {
    const [x] = this.at(e);
    const { glide } = this.stage;
    if (e.ctrlKey || e.metaKey) glide.zoom(Math.exp(Math.max(-200, Math.min(200, e.deltaY)) * WHEEL_RATE * (e.deltaMode ? 20 : 1)), this.stage.timeAt(x));
    else if (e.shiftKey || isNearHorizontal(e)) glide.pan((e.deltaX || e.deltaY) / this.stage.scene.width);
    else return; // otherwise the lanes scroll
    e.preventDefault();
    this.stage.ask();
  }

  // ---- mouse and fingers

  private down(e: PointerEvent): void {
    if (e.button > 1 || (e.target instanceof Element && e.target.closest("button"))) return;
    const [x, y] = this.at(e);
    this.acts.hover(null);
    if (e.pointerType === "touch") this.fingers.set(e.pointerId, x);
    if (this.fingers.size === 2) return this.beginPinch();
    const mode = e.pointerType === "touch" ? "finger" : e.shiftKey || e.button === 1 ? "move" : "mark";
    this.drag = { id: e.pointerId, x, y, time: this.stage.timeAt(x), mode, far: false };
    if (mode === "finger") this.hold = window.setTimeout(() => this.drag && !this.drag.far && (this.drag.mode = "mark"), HOLD_MS);
    else this.stage.element.setPointerCapture(e.pointerId);
  }

  private beginPinch(): void {
    clearTimeout(this.hold);
    const [a = 0, b = 1] = [...this.fingers.values()];
    if (this.drag?.mode === "mark" && this.drag.far) this.acts.mark(null, false);
    this.drag = null;
    this.pinch = { seen: this.stage.scene.seen, a: this.stage.timeAt(a), b: this.stage.timeAt(b) };
  }

  /** Keeps both times under their fingers. */
  private movePinch(): void {
    const [a = 0, b = 1] = [...this.fingers.values()];
    const { pinch, stage } = this;
    if (!pinch || Math.abs(a - b) < 4) return;
    const each = (pinch.b - pinch.a) / (b - a); // microseconds per pixel
    if (each <= 0) return;
    stage.glide.jump({ from: pinch.a - a * each, to: pinch.a + (stage.scene.width - a) * each });
    stage.ask();
  }

  private move(e: PointerEvent): void {
    const [x, y] = this.at(e);
    this.pointer = x;
    if (this.fingers.has(e.pointerId)) this.fingers.set(e.pointerId, x);
    if (this.pinch) return this.movePinch();
    const { drag, stage } = this;
    if (!drag || drag.id !== e.pointerId) {
      if (e.pointerType !== "touch") this.acts.hover({ x, y });
      return;
    }
    if (Math.abs(x - drag.x) > CLICK_PX) drag.far = true;
    if (!drag.far) return;
    if (drag.mode === "mark") return this.acts.mark(this.markedTo(drag, x), false);
    const { seen, width } = stage.scene;
    const by = drag.time - (seen.from + (x / width) * (seen.to - seen.from));
    stage.glide.jump({ from: seen.from + by, to: seen.to + by });
    stage.ask();
  }

  private markedTo(drag: Drag, x: number): Window {
    const { all } = this.stage.glide;
    const time = Math.min(all.to, Math.max(all.from, this.stage.timeAt(x)));
    return { from: Math.max(all.from, Math.min(drag.time, time)), to: Math.max(drag.time, time) };
  }

  private up(e: PointerEvent, done: boolean): void {
    const [x, y] = this.at(e);
    const { drag } = this;
    clearTimeout(this.hold);
    this.fingers.delete(e.pointerId);
    if (this.pinch) {
      if (!this.fingers.size) this.pinch = null;
      return;
    }
    this.drag = null;
    if (!drag || drag.id !== e.pointerId || !done) return;
    if (drag.far && drag.mode === "mark") this.acts.mark(this.markedTo(drag, x), true);
    else if (!drag.far && Math.abs(y - drag.y) <= CLICK_PX * 2) this.acts.pick(x, y);
  }

  private leave(): void {
    this.pointer = null;
    this.acts.hover(null);
  }

  // ---- keys

  private readonly held: Record<string, { zoom?: number; pan?: number }> = {
    w: { zoom: -1 }, "+": { zoom: -1 }, "=": { zoom: -1 }, s: { zoom: 1 }, "-": { zoom: 1 }, a: { pan: -1 }, ArrowLeft: { pan: -1 }, d: { pan: 1 }, ArrowRight: { pan: 1 },
  };

  private keyDown(e: KeyboardEvent): void {
    const move = this.held[e.key];
    if (!move || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || isTyping(e)) return;
    if (e.key.startsWith("Arrow") && e.shiftKey) return; // they go from span to span
    // arrow keys belong to the focused element, such as a table
    if (e.key.startsWith("Arrow") && e.target instanceof Element && e.target !== document.body && !e.target.closest("main .tl")) return;
    e.preventDefault();
    if (this.keys.has(e.key)) return;
    const { glide } = this.stage;
    const about = this.pointer === null ? null : this.stage.timeAt(this.pointer);
    if (move.zoom) glide.zoom(move.zoom < 0 ? 1 / STEP : STEP, about);
    if (move.pan) glide.pan(move.pan * PAN);
    this.stage.ask();
    this.keys.set(e.key, window.setTimeout(() => {
      glide.hold(move, this.pointer === null ? null : this.stage.timeAt(this.pointer));
      this.stage.ask();
    }, HELD_MS));
  }

  private keyUp(e: KeyboardEvent): void {
    const timer = this.keys.get(e.key);
    const move = this.held[e.key];
    if (timer === undefined || !move) return;
    clearTimeout(timer);
    this.keys.delete(e.key);
    this.stage.glide.hold({ ...(move.zoom ? { zoom: 0 } : {}), ...(move.pan ? { pan: 0 } : {}) }, null);
  }

  private releaseAll(): void {
    for (const timer of this.keys.values()) clearTimeout(timer);
    this.keys.clear();
    this.stage.glide.hold({ zoom: 0, pan: 0 }, null);
  }
}

/** A window around something, so that it is completely visible in the middle. */
export function around(w: Window, part = 0.5): Window {
  const to = Math.max(w.to, w.from + 0.01); // a mark has no length
  return zoomed({ from: w.from, to }, 1 + 2 * part, (w.from + to) / 2);
}

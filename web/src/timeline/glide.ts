// SPDX-License-Identifier: Apache-2.0
// The visible window of time, and its animation: towards a target, or continuously while a key is held.
import type { Window } from "../state/store";

const LEAST_US = 0.01; // shortest visible range
const EASE_MS = 45; // the remaining distance shrinks to 1/e in this time
const NEAR = 1e-4; // share of the length at which the target counts as reached
const ZOOM_RATE = 2.4; // zoom of a held key: e to this power per second
const PAN_RATE = 1.1; // widths that a held key moves per second

export interface Held {
  zoom: number; // -1 zooms in, 1 zooms out, 0: neither
  pan: number;
}

/** Clamps a window: times outside everything are not shown; a window longer than everything shows
 * everything. */
export function clampTo(all: Window, w: Window): Window {
  const whole = all.to - all.from;
  const length = Math.min(whole, Math.max(LEAST_US, w.to - w.from));
  const middle = (w.from + w.to) / 2;
  const from = length === w.to - w.from ? w.from : middle - length / 2;
  const start = Math.min(Math.max(all.from, from), all.to - length);
  return { from: start, to: start + length };
}

/** Zooms about a time, which stays in place. */
export function zoomed(w: Window, factor: number, about: number): Window {
  return { from: about - (about - w.from) * factor, to: about + (w.to - about) * factor };
}

export class Glide {
  seen: Window;
  private target: Window;
  private readonly held: Held = { zoom: 0, pan: 0 };
  private about: number | null = null;
  private last = 0;

  constructor(
    public all: Window,
    seen: Window,
    private readonly still: () => boolean, // the user prefers no animation
  ) {
    this.seen = this.target = clampTo(all, seen);
  }

  /** Jumps there without animation. */
  jump(to: Window): void {
    this.seen = this.target = clampTo(this.all, to);
  }

  show(to: Window): void {
    this.target = clampTo(this.all, to);
    if (this.still()) this.seen = this.target;
  }

  zoom(factor: number, about: number | null): void {
    const w = this.target;
    // uses the time that is under the pointer now
    const part = about === null ? 0.5 : (about - this.seen.from) / (this.seen.to - this.seen.from);
    this.show(about === null || w === this.seen ? zoomed(w, factor, about ?? (w.from + w.to) / 2) : zoomed(w, factor, w.from + part * (w.to - w.from)));
  }

  pan(widths: number): void {
    const by = widths * (this.target.to - this.target.from);
    this.show({ from: this.target.from + by, to: this.target.to + by });
  }

  hold(held: Partial<Held>, about: number | null): void {
    Object.assign(this.held, held);
    this.about = about;
  }

  get isHeld(): boolean {
    return this.held.zoom !== 0 || this.held.pan !== 0;
  }

  get moves(): boolean {
    return this.isHeld || this.seen !== this.target;
  }

  /** Computes one frame; true: more are needed. */
  step(now: number): boolean {
    const ms = Math.min(50, this.last ? now - this.last : 16);
    this.last = this.moves ? now : 0;
    if (this.isHeld) {
      const factor = Math.exp((this.held.zoom * ZOOM_RATE * ms) / 1000);
      const w = zoomed(this.seen, factor, this.about ?? (this.seen.from + this.seen.to) / 2);
      const by = ((this.held.pan * PAN_RATE * ms) / 1000) * (w.to - w.from);
      this.jump({ from: w.from + by, to: w.to + by });
      return true;
    }
    if (this.seen === this.target) return false;
    const rest = Math.exp(-ms / EASE_MS);
    const mix = (a: number, b: number): number => b + (a - b) * rest;
    const next = { from: mix(this.seen.from, this.target.from), to: mix(this.seen.to, this.target.to) };
    const near = NEAR * (this.target.to - this.target.from);
    this.seen = Math.abs(next.from - this.target.from) < near && Math.abs(next.to - this.target.to) < near ? this.target : next;
    if (this.seen === this.target) this.last = 0;
    return this.seen !== this.target;
  }
}

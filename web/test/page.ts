// SPDX-License-Identifier: Apache-2.0
// A page around the modules that are tested: a document by happy-dom; an address, a history that can go back, sizes, frames and canvases
// that tests decide. It is loaded before the page's modules, since some of them look at the page when they begin.
import { Window } from "happy-dom";

const made = new Window({ url: "http://127.0.0.1:7007/" });
const put = (name: string, value: unknown): void => void Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

const SAME = [
  "document", "localStorage", "getComputedStyle", "Node", "Element", "HTMLElement", "HTMLInputElement", "HTMLButtonElement", "HTMLCanvasElement", "SVGElement", "Event",
  "CustomEvent", "KeyboardEvent", "MouseEvent", "PointerEvent", "WheelEvent", "HashChangeEvent", "MutationObserver", "FormData",
];
for (const name of SAME) put(name, (made as unknown as Record<string, unknown>)[name]);
for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"] as const) put(name, (made[name] as (...args: never[]) => unknown).bind(made));
put("window", globalThis);
put("devicePixelRatio", 1);
put("matchMedia", () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }));
put("requestAnimationFrame", (run: (now: number) => void) => setTimeout(() => run(performance.now()), 0));
put("cancelAnimationFrame", (timer: NodeJS.Timeout) => clearTimeout(timer));

// ---- the clipboard

export const copied: string[] = [];
put("navigator", { clipboard: { writeText: (text: string) => (copied.push(text), Promise.resolve()) } });

// ---- the address and its history

const entries = [""];
const tell = (event: string): void => void made.dispatchEvent(new made.Event(event));
put("location", {
  get hash() {
    return entries[entries.length - 1] ?? "";
  },
  set hash(to: string) {
    entries.push(to);
    tell("hashchange");
  },
  get href() {
    return `http://127.0.0.1:7007/${entries[entries.length - 1]}`;
  },
});
put("history", {
  pushState: (_state: null, _title: string, to: string) => void entries.push(to),
  replaceState: (_state: null, _title: string, to: string) => void (entries[entries.length - 1] = to),
});

/** How many acts Back can undo. */
export const depth = (): number => entries.length - 1;
export const address = (): string => location.hash;

export function back(): void {
  entries.pop();
  tell("popstate");
}

/** The page at an address, without a history. */
export function begin(hash = ""): void {
  entries.length = 0;
  entries.push(hash);
  tell("popstate");
}

// ---- sizes: every element is as large as the window

const size = { width: 1200, height: 600 };
const watches = new Set<{ run: (entries: { contentRect: typeof size }[]) => void }>();
const html = made.HTMLElement.prototype as unknown as object;
for (const [name, value] of [["clientWidth", () => size.width], ["clientHeight", () => size.height]] as const) Object.defineProperty(html, name, { get: value, configurable: true });
Object.defineProperty(made.Element.prototype, "getBoundingClientRect", { value: () => ({ x: 0, y: 0, left: 0, top: 0, right: size.width, bottom: size.height, ...size }), configurable: true });
for (const name of ["setPointerCapture", "scrollIntoView"]) Object.defineProperty(html, name, { value: () => undefined, configurable: true });
put("ResizeObserver", class {
  constructor(readonly run: (entries: { contentRect: typeof size }[]) => void) {}
  observe(): void {
    watches.add(this);
    queueMicrotask(() => watches.has(this) && this.run([{ contentRect: { ...size } }]));
  }
  disconnect(): void {
    watches.delete(this);
  }
});

/** Another size, of which everything that watches is told. */
export function resize(width: number, height: number): void {
  Object.assign(size, { width, height });
  for (const watch of watches) watch.run([{ contentRect: { ...size } }]);
}

// ---- canvases: what a pen was told to do, with the colour of that time

export interface Stroke {
  act: string;
  args: unknown[];
  fill: string;
  alpha: number;
}
export interface Pen {
  strokes: Stroke[];
  texts: () => string[];
}

const PX = 6; // of each letter
export function penOn(canvas: object): CanvasRenderingContext2D & Pen {
  const strokes: Stroke[] = [];
  const own: Record<string, unknown> = {
    canvas, strokes, fillStyle: "", globalAlpha: 1,
    measureText: (text: string) => ({ width: PX * text.length }),
    texts: () => strokes.filter((s) => s.act === "fillText").map((s) => String(s.args[0])),
  };
  return new Proxy(own, {
    get: (of, name: string) => (name in of ? of[name] : (...args: unknown[]) => void strokes.push({ act: name, args, fill: String(of.fillStyle), alpha: Number(of.globalAlpha) })),
  }) as unknown as CanvasRenderingContext2D & Pen;
}

const pens = new WeakMap<object, CanvasRenderingContext2D & Pen>();
export function penOf(canvas: object): CanvasRenderingContext2D & Pen {
  const known = pens.get(canvas) ?? penOn(canvas);
  pens.set(canvas, known);
  return known;
}
Object.defineProperty(made.HTMLCanvasElement.prototype, "getContext", { value(this: object, kind: string) { return kind === "2d" ? penOf(this) : null; }, configurable: true });


// SPDX-License-Identifier: Apache-2.0
// Components that are drawn into the page, and what a user does to them. Every test begins with an empty page
// at no address, and with a server that knows the small profile. Tests of a folder share the page's modules: a hook of one file would run
// for all of them, so there are none.
import { begin, copied, resize } from "./page";
import { beforeEach } from "node:test";
import type { ComponentChild } from "preact";
import { render } from "preact";
import { act } from "preact/test-utils";
import { forgetAll } from "../src/answers/data";
import { serve } from "./profile";
import { pending } from "./server";

const root = document.createElement("div");
document.body.append(root);

beforeEach(() => {
  erase();
  copied.length = 0;
  forgetAll();
  begin();
  resize(1200, 600);
  serve();
});

/** Draws a component instead of what was drawn before; effects have run. */
export function draw(what: ComponentChild): HTMLElement {
  void act(() => render(what, root));
  return root;
}
export const erase = (): void => void act(() => render(null, root));

/** Resolves when the answers of the server have come and what they change is drawn. */
export async function settled(): Promise<void> {
  for (let quiet = 0, tries = 0; quiet < 4; quiet++) {
    if (tries++ > 500) throw new Error(`${pending()} requests without an answer`);
    await act(() => new Promise<void>((done) => setImmediate(done)));
    if (pending()) quiet = 0;
  }
}

/** Draws a component and waits for what it asks the server. */
export async function shown(what: ComponentChild): Promise<HTMLElement> {
  draw(what);
  await settled();
  return root;
}

/** Resolves when something has come to be, which frames and timers bring about. */
export async function until(what: () => unknown): Promise<void> {
  for (const end = Date.now() + 20_000; !what(); ) {
    if (Date.now() > end) throw new Error(`it did not come: ${what}`);
    await act(() => new Promise<void>((done) => setTimeout(done, 2)));
  }
}

// ---- what is seen

/** Text as a user reads it: without no-break spaces and what is only for readers of the screen. */
export const plain = (text: string | null | undefined): string => (text ?? "").replaceAll("\u00a0", " ").replace(/\s+/g, " ").trim();
export const textOf = (of: Element | null | undefined): string => plain(of?.textContent);
export const all = (selector: string, within: ParentNode = root): HTMLElement[] => [...within.querySelectorAll<HTMLElement>(selector)];
export const texts = (selector: string, within: ParentNode = root): string[] => all(selector, within).map(textOf);
/** Kind and id of what stands for a thing. */
export const things = (selector = "a[data-kind]", within: ParentNode = root): string[] => all(selector, within).map((e) => `${e.dataset.kind}:${e.dataset.id}`);

/** The one element that fits; of buttons and links also by what they say. */
export function one(selector: string, says?: string | RegExp, within: ParentNode = root): HTMLElement {
  const fits = all(selector, within).filter((e) => says === undefined || [textOf(e), e.getAttribute("aria-label") ?? "", e.dataset.hint ?? ""].some((t) => (typeof says === "string" ? t === says : says.test(t))));
  if (fits.length !== 1) throw new Error(`${fits.length} of ${selector} ${says ?? ""}: ${textOf(root).slice(0, 300)}`);
  return fits[0] as HTMLElement;
}
export const button = (says: string | RegExp): HTMLButtonElement => one("button", says) as HTMLButtonElement;
/** A section of the details panel, by its name. */
export const section = (name: string): HTMLElement => one(`section[aria-label="${name}"]`);
/** Pairs of a word and what it stands for. */
export const pairs = (within: ParentNode = root): [string, string][] => all("dt", within).map((dt) => [textOf(dt), textOf(dt.nextElementSibling)]);

// ---- what a user does

type Given = Record<string, unknown>;
/** An event with properties that constructors do not take, such as offsetX. */
export function event(type: string, given: Given = {}): Event {
  const Kind = /key/.test(type) ? KeyboardEvent : /pointer/.test(type) ? PointerEvent : type === "wheel" ? WheelEvent : /click|mouse/.test(type) ? MouseEvent : Event;
  const made = new Kind(type, { bubbles: true, cancelable: true, ...given });
  for (const [name, value] of Object.entries(given)) Object.defineProperty(made, name, { value, configurable: true });
  return made;
}

/** Sends an event; false if a handler prevented the browser's default action. */
export function fire(on: EventTarget, type: string, given: Given = {}): boolean {
  let left = true;
  void act(() => void (left = on.dispatchEvent(event(type, given))));
  return left;
}
export const click = (on: Element, given: Given = {}): boolean => fire(on, "click", { button: 0, ...given });
export const press = (key: string, on: EventTarget = document.body, given: Given = {}): boolean => fire(on, "keydown", { key, code: key, ...given });

/** Writes into a field; "change" also leaves it. */
export function write(field: Element, text: string, how: "input" | "change" = "input"): void {
  (field as HTMLInputElement).value = text;
  fire(field, how);
}
export function choose(select: Element, value: string): void {
  (select as HTMLSelectElement).value = value;
  fire(select, "change");
}

// SPDX-License-Identifier: Apache-2.0
// The page around its modules, for their tests: an address, a history that can go back, and components as the elements that they show.
// It is imported first, since modules look at the address when they begin.
import type { ComponentChild, VNode } from "preact";

type Listener = () => void;
const listeners = new Map<string, Listener[]>();
const entries = [""];
const page = globalThis as unknown as { location: { hash: string }; history: object; addEventListener: (name: string, run: Listener) => void };
page.location = { hash: "" };
page.addEventListener = (name, run) => void listeners.set(name, [...(listeners.get(name) ?? []), run]);
const enter = (address: string): void => void (page.location.hash = entries[entries.length - 1] = address);
page.history = {
  pushState: (_state: null, _title: string, address: string) => (entries.push(""), enter(address)),
  replaceState: (_state: null, _title: string, address: string) => enter(address),
};

/** How many acts Back can undo. */
export const depth = (): number => entries.length - 1;
export const address = (): string => page.location.hash;

export function back(): void {
  entries.pop();
  page.location.hash = entries[entries.length - 1] ?? "";
  for (const run of listeners.get("popstate") ?? []) run();
}

export interface Shown {
  tag: string;
  props: Record<string, unknown>;
  children: (Shown | string)[];
}

/** What a component shows; one without state of its own, since nothing is drawn here. */
export function shownBy(what: ComponentChild | ComponentChild[]): (Shown | string)[] {
  if (what === null || what === undefined || typeof what === "boolean") return [];
  if (Array.isArray(what)) return what.flatMap(shownBy);
  if (typeof what !== "object") return [String(what)];
  const { type, props } = what as VNode<Record<string, unknown>>;
  if (typeof type === "function") return shownBy((type as (p: unknown) => ComponentChild)(props));
  return [{ tag: String(type), props, children: shownBy(props.children as ComponentChild) }];
}

export const textOf = (what: (Shown | string)[]): string => what.map((w) => (typeof w === "string" ? w : textOf(w.children))).join("");
/** All elements of a tag, outer ones first. */
export const elements = (what: (Shown | string)[], tag: string): Shown[] => what.flatMap((w) => (typeof w === "string" ? [] : [...(w.tag === tag ? [w] : []), ...elements(w.children, tag)]));

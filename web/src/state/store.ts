// SPDX-License-Identifier: Apache-2.0
// The state of the page: place, selection and context. All of it is in the address after the #, so every state is a link.
//
//   state.value               the whole state; a component that reads it is drawn again when it changes
//   sel.value, range.value, filters.value ...
//                             one part of it; drawn again only when that part changes
//   shown.value               what the details panel tells of: the selection, else the range, else the profile
//   change({ steps, q })      goes to a state with these parts changed
//   select({ kind, id })      selects one thing; select(null) clears the selection
//   goTo("timeline", {...})   goes to another place; selection and filters stay, what belongs to the place does not
//   hrefOf({ place, sel })    the address of such a change, for links
//   ignored.value             parts of the address that are not understood; the context bar shows them
//
// History: place, selection, filters, `by` and `vs` push an entry, so that Back undoes one act. Everything else (view, sort,
// q, open, pin, more) replaces the present one. `change(part, "push" | "replace")` overrides the rule.
//
// `more` holds the parameters that one place owns (of the flame graph `side`, of Memory `at`): change({ more: { at: "12" } })
// merges, and a value of "" removes one. They are removed when the place changes.
import { batch, computed, signal } from "@preact/signals";
import type { Filters, Place, State, Thing } from "./address";
import { PLACE_OWN, START, parseAddress, writeAddress } from "./address";

export type { Filters, Kind, Place, State, Steps, Thing, Window } from "./address";

const here = parseAddress(location.hash);
export const state = signal<State>(here.state);
export const ignored = signal<string[]>(here.ignored);

/** A part of the state that stays the same object while its content is the same. */
function part<T>(get: (s: State) => T) {
  let last = get(state.value);
  let key = JSON.stringify(last);
  return computed(() => {
    const next = get(state.value);
    const text = JSON.stringify(next);
    if (text !== key) [last, key] = [next, text];
    return last;
  });
}

export const profileId = part((s) => s.profile);
export const place = part((s) => s.place);
export const sel = part((s) => s.sel);
export const range = part((s) => s.range);
export const view = part((s) => s.view);
export const query = part((s) => s.q);
export const filters = part(({ ranks, steps, range: r, device }): Filters => ({ ranks, steps, range: r, device }));

/** The range as a selectable thing. */
const rangeThing = (s: State): Thing | null => s.range && { kind: "range", id: `${s.range.from}-${s.range.to}` };
export const shown = part((s): Thing => s.sel ?? rangeThing(s) ?? { kind: "profile", id: s.profile });

const PUSHES: (keyof State)[] = ["profile", "place", "sel", "ranks", "steps", "range", "device", "by", "vs"];

/** The state after a change. */
function changed(to: Partial<State>): State {
  const now = state.value;
  const more = Object.entries({ ...now.more, ...to.more }).filter(([, value]) => value !== "");
  return { ...now, ...to, more: Object.fromEntries(more) };
}

export function change(to: Partial<State>, how?: "push" | "replace"): void {
  const next = changed(to);
  const address = writeAddress(next);
  if (address === writeAddress(state.value)) return;
  const differs = (key: keyof State): boolean => JSON.stringify(next[key]) !== JSON.stringify(state.value[key]);
  const pushes = how ? how === "push" : PUSHES.some(differs);
  if (pushes) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  follow();
}

/** Without another selection, the range or the profile itself is shown. */
export function select(thing: Thing | null): void {
  const [from = 0, to = 0] = thing?.kind === "range" ? thing.id.split("-").map(Number) : [];
  if (to > from) change({ sel: null, range: { from, to } });
  else change({ sel: thing?.kind === "profile" ? null : thing });
}

/** The parts of the state that change with a place. */
const moved = (to: Place, also: Partial<State>): Partial<State> => ({ ...(to === state.value.place ? {} : { ...PLACE_OWN, more: ownerless() }), ...also, place: to });
const ownerless = (): Record<string, string> => Object.fromEntries(Object.keys(state.value.more).map((name) => [name, ""]));

export function goTo(to: Place, also: Partial<State> = {}): void {
  change(moved(to, also), "push");
}

/** The address of the state after a change; if the place changes, as goTo would set it. */
export const hrefOf = (to: Partial<State>): string => writeAddress(changed(to.place ? moved(to.place, to) : to));
/** The address of a place of another profile. */
export const hrefOfProfile = (id: string, at: Place = "overview"): string => writeAddress({ ...START, profile: id, place: at });

/** On Escape: clears the selection, then the range. True: there was something to clear. */
export function giveUp(): boolean {
  const now = state.value;
  if (!now.sel && !now.range) return false;
  change(now.sel ? { sel: null } : { range: null });
  return true;
}

export const sameThing = (a: Thing | null, b: Thing | null): boolean => a?.kind === b?.kind && a?.id === b?.id;

function follow(): void {
  const next = parseAddress(location.hash);
  batch(() => {
    state.value = next.state;
    ignored.value = next.ignored;
  });
}
addEventListener("hashchange", follow);
addEventListener("popstate", follow);

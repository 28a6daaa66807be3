// SPDX-License-Identifier: Apache-2.0
// Going to what was found, and to the next one: in the timeline the next span, elsewhere the next name.
import { signal } from "@preact/signals";
import { json, profilePath } from "../answers/api";
import { isReport } from "../answers/embedded";
import type { Opened } from "../state/opened";
import { goToBest } from "../parts/Thing";
import type { Place } from "../state/store";
import { change, goTo, place, state } from "../state/store";
import type { Entry } from "./index";

interface Found {
  text: string; // the text as typed
  hits: Entry[];
  at: number;
  span: number | null; // the last span shown
}

/** The last search that was followed. */
export const found = signal<Found | null>(null);

// these places highlight matches, so the search does not leave them
const SHOWS: Place[] = ["timeline", "table", "flame", "limits", "graph"];

async function nextSpan(of: Opened, text: string, after: number | null, back: boolean): Promise<number | null> {
  if (isReport) return null;
  const query = `q=${encodeURIComponent(text)}&backward=${back ? 1 : 0}${after === null ? "" : `&after=${after}`}`;
  const answer = await json<{ rows: { span: number }[] }>(profilePath(of.id, `find?${query}`));
  return answer.rows[0]?.span ?? null;
}

/** On Enter: goes to a match. */
export async function follow(of: Opened, text: string, hits: Entry[], at: number): Promise<void> {
  const hit = hits[at];
  found.value = { text, hits, at, span: null };
  if (!hit) return change({ q: text });
  if (hit.kind === "place") return goTo(hit.id as Place);
  const thing = { kind: hit.kind, id: hit.id };
  if (place.value === "timeline" && hit.kind !== "step") {
    change({ q: text, sel: thing });
    const span = await nextSpan(of, text, null, false).catch(() => null);
    if (span === null) return;
    found.value = { text, hits, at, span };
    change({ sel: { kind: "span", id: String(span) } }, "replace");
  } else if (SHOWS.includes(place.value)) change({ q: text, sel: thing });
  else goToBest(thing);
}

/** n and N: the next and the previous match. */
export async function goOn(of: Opened, back: boolean): Promise<void> {
  const now = found.value ?? (state.value.q ? { text: state.value.q, hits: [], at: 0, span: null } : null);
  if (!now) return;
  if (place.value === "timeline") {
    const selected = state.value.sel?.kind === "span" ? Number(state.value.sel.id) : now.span;
    const span = await nextSpan(of, now.text, selected, back).catch(() => null);
    if (span === null) return;
    found.value = { ...now, span };
    return change({ sel: { kind: "span", id: String(span) } });
  }
  const names = now.hits.filter((h) => h.kind !== "place");
  const at = (now.hits.indexOf(names[0] as Entry) >= 0 ? now.at : 0) + (back ? -1 : 1);
  const hit = now.hits[(at + now.hits.length) % Math.max(1, now.hits.length)];
  if (!hit || hit.kind === "place") return;
  found.value = { ...now, at: (at + now.hits.length) % now.hits.length };
  change({ sel: { kind: hit.kind, id: hit.id } });
}

// SPDX-License-Identifier: Apache-2.0
// Matching of what is typed: all words anywhere; where nothing has them, letters in order. Kinds first, then by how long things take.
import type { Entry } from "./index";

/** Whether the letters occur in this order, with few others between them. */
function inOrder(text: string, letters: string): boolean {
  let at = -1;
  for (const letter of letters) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0 || (at >= 0 && next - at > 12)) return false;
    at = next;
  }
  return true;
}

export const MOST_HITS = 24;
const ORDER: Record<string, number> = { place: 0, kernel: 1, op: 2, scope: 3, line: 4, step: 5 };

/** Texts to match, in lower case, made once for a list of entries. */
export const haystackOf = (all: Entry[]): string[] => all.map((e) => (e.full === e.text ? e.text : `${e.text} ${e.full}`).toLowerCase());

/** The best entries for a text; among equal ones the most expensive first. */
export function hitsOf(all: Entry[], haystack: string[], text: string): Entry[] {
  const words = text.trim();
  if (!words) return [];
  const lower = words.toLowerCase();
  const parts = lower.split(/\s+/);
  const indexes = Array.from(haystack.keys());
  let found = indexes.filter((i) => parts.every((p) => haystack[i]?.includes(p)));
  if (!found.length) found = indexes.filter((i) => inOrder(haystack[i] ?? "", lower.replace(/\s/g, "")));
  const rank = (e: Entry): number => (e.kind === "place" && !e.text.toLowerCase().startsWith(lower) ? 9 : (ORDER[e.kind] ?? 6));
  const begins = (e: Entry): number => Number(!e.text.toLowerCase().startsWith(lower));
  const list = found.map((i) => all[i] as Entry);
  return list.sort((a, b) => rank(a) - rank(b) || begins(a) - begins(b) || b.worth - a.worth).slice(0, MOST_HITS);
}

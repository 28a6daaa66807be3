// SPDX-License-Identifier: Apache-2.0
// Matching of what is typed: whole words and their beginnings first, then letters in order, by how long things take.
import uFuzzy from "@leeoniya/ufuzzy";
import type { Entry } from "./index";

const fuzzy = new uFuzzy({ intraMode: 0, intraIns: 3 });
export const MOST_HITS = 24;
const ORDER: Record<string, number> = { place: 0, kernel: 1, op: 2, scope: 3, line: 4, step: 5 };

/** Texts to match, made once for a list of entries. */
export const haystackOf = (all: Entry[]): string[] => all.map((e) => (e.full === e.text ? e.text : `${e.text} ${e.full}`));

/** The best entries for a text, the most expensive first among equals. */
export function hitsOf(all: Entry[], haystack: string[], text: string): Entry[] {
  const words = text.trim();
  if (!words) return [];
  const lower = words.toLowerCase();
  let found: number[] = [];
  for (let i = 0; i < haystack.length; i++) if ((haystack[i] ?? "").toLowerCase().includes(lower)) found.push(i);
  if (!found.length) found = fuzzy.filter(haystack, words) ?? [];
  const rank = (e: Entry): number => (e.kind === "place" && !e.text.toLowerCase().startsWith(lower) ? 9 : (ORDER[e.kind] ?? 6));
  const begins = (e: Entry): number => Number(!e.text.toLowerCase().startsWith(lower));
  const list = found.map((i) => all[i] as Entry);
  return list.sort((a, b) => rank(a) - rank(b) || begins(a) - begins(b) || b.worth - a.worth).slice(0, MOST_HITS);
}

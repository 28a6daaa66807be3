// SPDX-License-Identifier: Apache-2.0
// Names of both sides of a comparison. The server tells the kernels of one profile apart; two profiles may call different ones alike.

const MOST = 24; // letters of what differs

/** How many letters all have at their beginning. */
function alike(names: string[]): number {
  const [first = "", ...others] = names;
  let n = 0;
  while (n < first.length && others.every((o) => o[n] === first[n])) n++;
  return n;
}

const backwards = (name: string): string => [...name].reverse().join("");

/** The part of each in which they differ; of one that differs by nothing but being shorter, its number. */
function differing(names: string[]): string[] {
  const from = alike(names);
  const rest = names.map((n) => n.slice(from));
  const end = alike(rest.map(backwards));
  return rest.map((r, i) => r.slice(0, r.length - end).slice(0, MOST).trim() || `no. ${i + 1}`);
}

/** For each whole name what is shown; no two are shown alike. */
export function toldApart(full: string[], shown: string[]): string[] {
  const groups = new Map<string, number[]>();
  shown.forEach((name, i) => groups.set(name, [...(groups.get(name) ?? []), i]));
  const out = [...shown];
  for (const rows of groups.values()) {
    if (rows.length < 2) continue;
    const parts = differing(rows.map((i) => full[i] ?? ""));
    const clear = new Set(parts).size === parts.length;
    rows.forEach((i, k) => (out[i] = `${shown[i]} · ${clear ? "" : `no. ${k + 1}, `}${parts[k]}`));
  }
  return out;
}

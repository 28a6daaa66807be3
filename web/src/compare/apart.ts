// SPDX-License-Identifier: Apache-2.0
// Short names of the kernels of both sides of a comparison. The server makes them distinct within one profile, but different kernels of two profiles
// may have the same short name.

const MOST = 24; // letters of what differs

/** The length of the common beginning of all names. */
function alike(names: string[]): number {
  const [first = "", ...others] = names;
  let n = 0;
  while (n < first.length && others.every((o) => o[n] === first[n])) n++;
  return n;
}

const backwards = (name: string): string => [...name].reverse().join("");

/** The part of each name that differs from the others; for a name that is only a prefix of another one, its number. */
function differing(names: string[]): string[] {
  const from = alike(names);
  const rest = names.map((n) => n.slice(from));
  const end = alike(rest.map(backwards));
  return rest.map((r, i) => r.slice(0, r.length - end).slice(0, MOST).trim() || `no. ${i + 1}`);
}

/** The text that is shown for each whole name; all are distinct. */
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

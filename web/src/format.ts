// SPDX-License-Identifier: Apache-2.0
// Numbers for people. Units are decimal, as on the command line: 1 KB is 1,000 bytes.

interface Unit {
  size: number;
  name: string;
}

const COUNTS: Unit[] = [{ size: 1e3, name: "k" }, { size: 1e6, name: "m" }, { size: 1e9, name: "b" }, { size: 1e12, name: "t" }];
const TIMES: Unit[] = [{ size: 1e3, name: "ms" }, { size: 1e6, name: "sec" }];
const BYTES: Unit[] = [{ size: 1e3, name: "KB" }, { size: 1e6, name: "MB" }, { size: 1e9, name: "GB" }, { size: 1e12, name: "TB" }];

/** In the largest unit that fits; `smallest` is the name of the base unit. */
function inUnits(n: number, units: Unit[], smallest: string): string {
  const unit = units.filter((u) => Math.abs(n) >= u.size).pop();
  if (unit) return `${(n / unit.size).toFixed(2)}${unit.name}`;
  return `${Number.isInteger(n) ? n : n.toPrecision(3)}${smallest}`;
}

export const formatCount = (n: number): string => inUnits(n, COUNTS, "");
export const formatMicros = (us: number): string => inUnits(us, TIMES, "us");
export const formatBytes = (n: number): string => inUnits(n, BYTES, "B");

/** A mark of an axis, with as many digits as tell it from its neighbours, which are `step` away; in a smaller unit when that
 * would be more than three behind the point. */
function formatMark(n: number, step: number, units: Unit[], smallest: string): string {
  const digitsOf = (u: Unit): number => Math.max(0, Math.ceil(-Math.log10(step / u.size) - 1e-9));
  const least = { size: 1, name: smallest };
  const unit = units.filter((u) => Math.abs(n) >= u.size && digitsOf(u) <= 3).pop() ?? least;
  return `${(n / unit.size).toFixed(Math.min(12, digitsOf(unit)))}${unit.name}`;
}

export const markMicros = (us: number, step: number): string => formatMark(us, step, TIMES, "us");
export const markBytes = (n: number, step: number): string => formatMark(n, step, BYTES, "B");

export function formatUnit(unit: string | null, n: number): string {
  switch (unit) {
    case "us":
      return formatMicros(n);
    case "bytes":
      return formatBytes(n);
    case "percent":
      return `${n.toFixed(2)}%`;
    case "share":
      return `${(100 * n).toFixed(2)}%`;
    default:
      return formatCount(n);
  }
}

export function formatShare(part: number, whole: number): string {
  return whole > 0 ? `${((100 * part) / whole).toFixed(1)}%` : "";
}

export function formatDate(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString();
}

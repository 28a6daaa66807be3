// SPDX-License-Identifier: Apache-2.0
// Numbers for people, as the command line has them (options/units.c): three digits and a unit, counts below a million whole.
// Units are decimal: 1 kB is 1,000 bytes.

interface Unit {
  size: number;
  name: string;
}

const COUNTS: Unit[] = [{ size: 1e6, name: "\u00a0M" }, { size: 1e9, name: "\u00a0G" }, { size: 1e12, name: "\u00a0T" }];
const TIMES: Unit[] = [{ size: 1e3, name: "\u00a0ms" }, { size: 1e6, name: "\u00a0s" }];
const BYTES: Unit[] = [{ size: 1e3, name: "\u00a0kB" }, { size: 1e6, name: "\u00a0MB" }, { size: 1e9, name: "\u00a0GB" }, { size: 1e12, name: "\u00a0TB" }];
const MICROS = "\u00a0µs";

/** Three digits, of bigger numbers the whole part. */
function threeDigits(n: number): string {
  const size = Math.abs(n);
  return n.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

/** In the largest unit that leaves a number of at least one; `smallest` is the name of the base unit. */
function inUnits(n: number, units: Unit[], smallest: string): string {
  const unit = units.filter((u) => Math.abs(n) >= 0.9995 * u.size).pop();
  if (unit) return `${threeDigits(n / unit.size)}${unit.name}`;
  if (Number.isInteger(n)) return `${n}${smallest}`;
  return `${Math.abs(n) < 0.00995 ? n.toPrecision(3) : threeDigits(n)}${smallest}`;
}

export function formatCount(n: number): string {
  if (Math.abs(n) < 999.5 || Math.abs(n) >= 999_999.5) return inUnits(n, COUNTS, "");
  return Math.round(n).toLocaleString("en-US");
}
export function formatMicros(us: number): string {
  if (us && Math.abs(us) < 0.9995) return `${Math.abs(us) < 0.000_995 ? (1000 * us).toPrecision(3) : threeDigits(1000 * us)}\u00a0ns`;
  return inUnits(us, TIMES, MICROS);
}
export const formatBytes = (n: number): string => inUnits(n, BYTES, "\u00a0B");

/** A mark of an axis, with as many digits as tell it from its neighbours, which are `step` away; in a smaller unit when that
 * would be more than three behind the point. */
function formatMark(n: number, step: number, units: Unit[], smallest: string): string {
  const digitsOf = (u: Unit): number => Math.max(0, Math.ceil(-Math.log10(step / u.size) - 1e-9));
  const least = { size: 1, name: smallest };
  const unit = units.filter((u) => Math.abs(n) >= u.size && digitsOf(u) <= 3).pop() ?? least;
  return `${(n / unit.size).toFixed(Math.min(12, digitsOf(unit)))}${unit.name}`;
}

export const markMicros = (us: number, step: number): string => formatMark(us, step, TIMES, MICROS);
export const markBytes = (n: number, step: number): string => formatMark(n, step, BYTES, "\u00a0B");

/** One decimal, none from 100 on; what is something, but rounds to nothing, says so. */
function formatPercent(n: number): string {
  const size = Math.abs(n);
  if (size > 0 && size < 0.05) return n < 0 ? "-<0.1%" : "<0.1%";
  return `${n.toFixed(size > 0 && size < 99.95 ? 1 : 0)}%`;
}

export function formatUnit(unit: string | null, n: number): string {
  switch (unit) {
    case "us":
      return formatMicros(n);
    case "bytes":
      return formatBytes(n);
    case "percent":
      return formatPercent(n);
    case "share":
      return formatPercent(100 * n);
    default:
      return formatCount(n);
  }
}

export function formatShare(part: number, whole: number): string {
  return whole > 0 ? formatPercent((100 * part) / whole) : "";
}

export function formatDate(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString();
}

// SPDX-License-Identifier: Apache-2.0
// Numbers for people: three digits, a no-break space, a unit. Counts are exact below a million. Minus is U+2212.
// Units are decimal: 1 kB is 1,000 bytes.

interface Unit {
  size: number;
  name: string;
}

const NB = "\u00a0";
const COUNTS: Unit[] = [{ size: 1e6, name: `${NB}M` }, { size: 1e9, name: `${NB}G` }, { size: 1e12, name: `${NB}T` }];
const TIMES: Unit[] = [{ size: 1e3, name: `${NB}ms` }, { size: 1e6, name: `${NB}s` }];
const BYTES: Unit[] = [{ size: 1e3, name: `${NB}kB` }, { size: 1e6, name: `${NB}MB` }, { size: 1e9, name: `${NB}GB` }, { size: 1e12, name: `${NB}TB` }];
const MICROS = `${NB}µs`;

/** The sign for an absent number. */
export const ABSENT = "–";

const withMinus = (text: string): string => text.replace("-", "\u2212");

/** Three digits; of bigger numbers the whole integer part. */
function threeDigits(n: number): string {
  const size = Math.abs(n);
  return withMinus(n.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0));
}

/** In the largest unit that leaves a number of at least one; `smallest` is the name of the base unit. */
function inUnits(n: number, units: Unit[], smallest: string): string {
  const unit = units.filter((u) => Math.abs(n) >= 0.9995 * u.size).pop();
  if (unit) return `${threeDigits(n / unit.size)}${unit.name}`;
  if (Number.isInteger(n)) return `${withMinus(String(n))}${smallest}`;
  return `${Math.abs(n) < 0.00995 ? withMinus(n.toPrecision(3)) : threeDigits(n)}${smallest}`;
}

export function formatCount(n: number): string {
  if (Math.abs(n) < 999.5 || Math.abs(n) >= 999_999.5) return inUnits(n, COUNTS, "");
  return withMinus(Math.round(n).toLocaleString("en-US"));
}

/** By how much a time is over or under the median of others. */
export const besideMedian = (us: number, median: number): string => {
  const by = median > 0 ? 100 * (us / median - 1) : 0;
  return Math.abs(by) < 0.05 ? "as the median" : `${formatPercent(Math.abs(by))} ${by > 0 ? "over" : "under"} the median`;
};

export function formatMicros(us: number): string {
  if (Math.abs(us) < 1e-7) us = 0; // a rounding error of sums that cancel out
  if (us && Math.abs(us) < 0.9995) return `${Math.abs(us) < 0.000_995 ? withMinus((1000 * us).toPrecision(3)) : threeDigits(1000 * us)}${NB}ns`;
  return inUnits(us, TIMES, MICROS);
}

/** The time of a step or of a part of it: one more digit from 100 ms on, so that steps can be told apart. */
export function formatStep(us: number): string {
  const size = Math.abs(us) / 1e3;
  return size >= 99.95 && size < 999.95 ? `${withMinus((us / 1e3).toFixed(1))}${NB}ms` : formatMicros(us);
}

export const formatBytes = (n: number): string => inUnits(n, BYTES, `${NB}B`);

/** With its sign, also when it is positive. */
export const signed = (text: string, n: number): string => (n > 0 ? `+${text}` : text);

/** A mark of an axis, with as many digits as tell it from its neighbours, which are `step` away; in a smaller unit when that
 * would be more than three after the point. */
function formatMark(n: number, step: number, units: Unit[], smallest: string): string {
  const digitsOf = (u: Unit): number => Math.max(0, Math.ceil(-Math.log10(step / u.size) - 1e-9));
  const least = { size: 1, name: smallest };
  const unit = units.filter((u) => Math.abs(n || step) >= u.size && digitsOf(u) <= 3).pop() ?? least; // zero has the unit of its neighbours
  return `${(n / unit.size).toFixed(n ? Math.min(12, digitsOf(unit)) : 0)}${unit.name}`;
}

/** A text with its decimals of more than six places cut to six digits: a recorder writes 0.14814815000000001. */
export const shortDecimals = (text: string): string => text.replace(/-?\d+\.\d{6,}/g, (n) => String(Number(Number(n).toPrecision(6))));

export const markMicros = (us: number, step: number): string => formatMark(us, step, TIMES, MICROS);
export const markBytes = (n: number, step: number): string => formatMark(n, step, BYTES, `${NB}B`);

const TEXT_UNITS: Record<string, string> = { us: "µs", sec: "s" };
/** A sentence of the library, with a no-break space between numbers and their units, as the page has them. */
export const spacedUnits = (text: string): string => text.replace(/(?<![\w.])(\d+(?:\.\d+)?)(%|ns|us|ms|sec|[kKMGT]?B)(?!\w)/g, (_, n: string, unit: string) => `${n}${NB}${TEXT_UNITS[unit] ?? unit}`);

/** One decimal; a small number that would be rounded to zero is shown as "<0.1". */
export function formatPercent(n: number): string {
  const size = Math.abs(n);
  if (size > 0 && size < 0.05) return n < 0 ? `\u2212< 0.1${NB}%` : `< 0.1${NB}%`;
  return `${withMinus(n.toFixed(size > 0 && size < 99.95 ? 1 : 0))}${NB}%`;
}

export function formatUnit(unit: string | null, n: number): string {
  switch (unit) {
    case "us":
      return formatMicros(n);
    case "step":
      return formatStep(n);
    case "bytes":
      return formatBytes(n);
    case "percent":
      return formatPercent(n);
    case "share":
      return formatPercent(100 * n);
    case "date":
      return formatDate(n);
    case "rate":
      return threeDigits(n);
    case "number":
      return withMinus(String(n));
    default:
      return formatCount(n);
  }
}

export function formatShare(part: number, whole: number): string {
  return whole > 0 ? formatPercent((100 * part) / whole) : "";
}

export function formatDate(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

/** "1 step", "3 steps": a count with its word, whose plural ends with s. */
export const counted = (n: number, word: string): string => `${formatCount(n)} ${word}${n === 1 ? "" : "s"}`;

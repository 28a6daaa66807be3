// SPDX-License-Identifier: Apache-2.0
// The table of kernels: the server has a row for each kernel and rank; here the chosen ranks are one row a kernel.
import type { Table } from "../answers/api";
import { lookOfClass } from "../results/classes";
import { formatMicros } from "../text/format";
import { col, numbers, plainName, shortNames, texts, textCol } from "./read";
import type { Content } from "./tables";

export interface Kernel {
  name: string;
  short: string;
  look: string;
  count: number;
  total: number;
  min: number;
  max: number;
  bytes: number | null;
  ops: string;
  beside: boolean; // of an asynchronous line of a TPU: it runs beside other work, and no sum counts it
}

export function kernelsOf(t: Table, ranks: number[]): Kernel[] {
  const [rank, name, short, look, ops] = [numbers(t, "rank"), texts(t, "name"), shortNames(t, "name"), texts(t, "class"), texts(t, "ops")];
  const [count, total, min, max, bytes] = ["count", "total_us", "min_us", "max_us", "bytes"].map((n) => numbers(t, n)) as [typeof rank, typeof rank, typeof rank, typeof rank, typeof rank];
  const share = t.column("share") ? numbers(t, "share") : () => 0;
  const found = new Map<string, Kernel>();
  for (let i = 0; i < t.rows; i++) {
    const r = rank(i);
    if (ranks.length && r !== null && !ranks.includes(r)) continue;
    const k = found.get(name(i)) ?? { name: name(i), short: short(i), look: lookOfClass(look(i)), count: 0, total: 0, min: Infinity, max: 0, bytes: null, ops: ops(i), beside: share(i) === null };
    k.count += count(i) ?? 0;
    k.total += total(i) ?? 0;
    k.min = Math.min(k.min, min(i) ?? Infinity);
    k.max = Math.max(k.max, max(i) ?? 0);
    const b = bytes(i);
    if (b !== null) k.bytes = (k.bytes ?? 0) + b;
    found.set(k.name, k);
  }
  return [...found.values()].sort((a, b) => b.total - a.total);
}

/** The device time of all of them, as the library counts it. */
export const totalOf = (kernels: Kernel[]): number => kernels.reduce((all, k) => all + (k.beside ? 0 : k.total), 0);

export function byName(t: Table, ranks: number[]): Content {
  const all = kernelsOf(t, ranks);
  const whole = totalOf(all);
  const of = (row: number): Kernel => all[row] as Kernel;
  return {
    set: { count: all.length, thing: (row) => ({ kind: "kernel", id: of(row).name }), name: (row) => of(row).short, full: (row) => of(row).name, look: (row) => of(row).look },
    columns: [
      col("total", "device", "us", (row) => of(row).total),
      col("count", "count", "count", (row) => of(row).count, { width: 56 }),
      col("mean", "mean", "us", (row) => (of(row).count ? of(row).total / of(row).count : null)),
      col("share", "share", "share", (row) => (whole > 0 && !of(row).beside ? of(row).total / whole : null), { width: 60, help: "of device time: all kernels, copies and collectives; what runs beside them on an asynchronous line has none" }),
      col("max", "max", "us", (row) => of(row).max),
      col("min", "min", "us", (row) => (Number.isFinite(of(row).min) ? of(row).min : null), { extra: true }),
      col("bytes", "bytes", "bytes", (row) => of(row).bytes, { extra: true }),
      textCol("ops", "launched by", (row) => of(row).ops.split("|").map(plainName).join(", "), { extra: true, width: 160 }),
    ],
    sort: "-total",
    whole,
    says: `shares are of ${formatMicros(whole)} of device time`,
  };
}

/** The ops that launch a kernel, from its row. */
export function kernelOps(content: Content, row: number): string[] {
  const text = content.columns.find((c) => c.name === "ops")?.text?.(row) ?? "";
  return text.split(", ").filter((op) => op && op !== plainName("(no op)"));
}

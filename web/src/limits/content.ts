// SPDX-License-Identifier: Apache-2.0
// The tables of limits as grids: by op, module, layer, line or kernel, with bars of device time; products by shape; chains of kernels.
import type { ChainRow, LimitRow, ShapeRow } from "../results/limits";
import { KIND_BY, chainId, partsOf, shapeId } from "../results/limits";
import { col, plainName, textCol } from "../table/read";
import type { Content } from "../table/tables";
import { formatBytes, formatCount } from "../text/format";

export type Named = keyof typeof KIND_BY;

/** The parts of a row's device time in the order of its bar. */
export const PARTS = [
  { name: "ideal", title: "at the limit", look: "compute", help: "what the calls would take at the limits of the device" },
  { name: "loss", title: "lost", look: "loss", help: "the time beyond that" },
  { name: "latency", title: "short kernels", look: "short", help: "calls with less work than the shortest kernel does: launches too many, not slow kernels" },
  { name: "unjudged", title: "not judged", look: "idle", help: "no rule, shapes or launch: the column why says which" },
] as const;

/** "net_0/block_3/norm_7": the last two parts, as there is no room for all. */
const shortModule = (path: string): string => path.split("/").slice(-2).join(" › ");
const shortLine = (line: string): string => line.replace(/^.*\/(?=[^/]*:\d+)/, "");

export function namedContent(rows: LimitRow[], by: Named, floor: number): Content {
  const at = (row: number): LimitRow => rows[row] as LimitRow;
  const judged = Math.max(0, ...rows.map((r) => r.device_us - r.not_judged_us));
  const short = (r: LimitRow): string => plainName(by === "module" || by === "layer" ? shortModule(r.name) : by === "line" ? shortLine(r.name) : r.short);
  return {
    set: { count: rows.length, thing: (row) => ({ kind: KIND_BY[by], id: at(row).name }), name: (row) => short(at(row)), full: (row) => at(row).name },
    columns: [
      col("total", "device", "us", (row) => at(row).device_us, {
        width: 150, help: "time on the device, in its parts",
        most: judged || Math.max(0, ...rows.map((r) => r.device_us)),
        segments: (row) => {
          const parts = partsOf(at(row), floor);
          return PARTS.map((p) => ({ look: p.look, title: p.title, value: parts[p.name] }));
        },
      }),
      col("loss", "lost", "us", (row) => at(row).loss_us, { width: 64, bar: false, help: "the time beyond the limits of the device" }),
      col("efficiency", "of limit", "share", (row) => at(row).efficiency, { width: 60, help: "the time at the limits, divided by the time that it took" }),
      textCol("bound", "bound by", (row) => at(row).bound ?? "", { width: 60, help: "what limits it: compute, memory, or latency, which is about the shortest time of a kernel" }),
      col("share", "share", "share", (row) => at(row).share, { width: 56, help: "of the device's time", extra: true }),
      col("count", "calls", "count", (row) => at(row).calls, { width: 52, help: "judged calls" }),
      col("unjudged", "not judged", "us", (row) => at(row).not_judged_us || null, { width: 72 }),
      textCol("why", "why not", (row) => at(row).why?.replaceAll("|", ", ") ?? "", { width: 110, help: "why it is not judged" }),
      col("flops", "FLOP/s", "count", (row) => rate(at(row).float_ops, at(row)), { extra: true, help: "float operations a second of judged time" }),
      col("bytes", "bytes/s", "bytes", (row) => rate(at(row).bytes_moved, at(row)), { extra: true, help: "bytes moved a second of judged time" }),
    ],
    sort: rows.some((r) => r.loss_us !== null) ? "-loss" : "-total",
  };
}

/** A second of judged time. */
export function rate(of: number, row: LimitRow): number | null {
  const us = row.device_us - row.not_judged_us;
  return us > 0 ? of / (us / 1e6) : null;
}

const ofRank = (rank: number | undefined, several: boolean): string => (several && rank !== undefined ? ` · rank ${rank}` : "");

export function shapesContent(rows: ShapeRow[]): Content {
  const at = (row: number): ShapeRow => rows[row] as ShapeRow;
  const several = new Set(rows.map((r) => r.rank)).size > 1;
  return {
    set: { count: rows.length, thing: (row) => ({ kind: "shape", id: shapeId(at(row)) }), name: (row) => `${at(row).shape}${ofRank(at(row).rank, several)}`, full: (row) => shapeId(at(row)), look: () => "compute" },
    columns: [
      textCol("op", "op", (row) => at(row).op, { width: 120 }),
      textCol("type", "type", (row) => [at(row).type, at(row).transposed].filter(Boolean).join(" "), { width: 56, help: "type of the inputs; of products also how A and B lie: n as they are, t transposed" }),
      col("total", "device", "us", (row) => at(row).device_us),
      col("count", "calls", "count", (row) => at(row).calls, { width: 52 }),
      col("loss", "lost", "us", (row) => at(row).loss_us, { look: "loss" }),
      col("efficiency", "of limit", "share", (row) => at(row).efficiency, { width: 60 }),
      textCol("bound", "bound by", (row) => at(row).bound ?? "", { width: 60 }),
      col("flops", "TFLOP/s", "rate", (row) => at(row).tflops_mean, { width: 60 }),
      col("share", "of peak", "share", (row) => at(row).of_peak, { width: 60, help: "of the peak of float operations for its type" }),
    ],
    sort: rows.some((r) => r.loss_us !== null) ? "-loss" : "-total",
  };
}

export function chainsContent(rows: ChainRow[]): Content {
  const at = (row: number): ChainRow => rows[row] as ChainRow;
  const several = new Set(rows.map((r) => r.rank)).size > 1;
  return {
    set: { count: rows.length, thing: (row) => ({ kind: "chain", id: chainId(at(row)) }), name: (row) => `${plainChain(at(row).chain)}${ofRank(at(row).rank, several)}`, full: (row) => chainId(at(row)), look: () => "loss" },
    columns: [
      textCol("module", "in", (row) => at(row).module ?? "", { width: 100, help: "type of the module in which the calls are" }),
      textCol("shape", "shape", (row) => at(row).shape, { width: 100 }),
      col("count", "runs", "count", (row) => at(row).calls, { width: 52 }),
      col("total", "device", "us", (row) => at(row).device_us),
      col("fused", "one kernel", "us", (row) => at(row).fused_us, { help: "the time of one kernel in place of the chain, at the limits of the device" }),
      col("gain", "gain ≤", "us", (row) => at(row).gain_us, { look: "loss", help: "what one kernel would gain at most" }),
      col("bytes", "saves", "bytes", (row) => at(row).bytes_saved, { help: "bytes that one kernel would not move" }),
      textCol("certainty", "known by", (row) => at(row).certainty, { width: 60, help: "how it is known that each call reads the result of the one before: ids of tensors, memory, or shapes alone" }),
    ],
    sort: rows.some((r) => r.gain_us !== null) ? "-gain" : "-total",
  };
}

/** Without the names' common prefix. */
export const plainChain = (chain: string): string => chain.replaceAll("aten::", "");

export const perSecond = (flops: number): string => `${formatCount(flops)}FLOP/s`;
export const bytesPerSecond = (bytes: number): string => `${formatBytes(bytes)}/s`;

// SPDX-License-Identifier: Apache-2.0
// An answer of `tfprof limits` for the tests.
import type { ChainRow, LimitRow, LimitsSummary, ShapeRow } from "../../src/results/limits";

export const SUMMARY: LimitsSummary = {
  step_us: 1000, bound_us: 600, bound_by: "replay", gain_us: 400, device_us: 1900, judged_us: 1700, judged_share: 1700 / 1900, ideal_us: 900, loss_us: 800, latency_calls: 4, latency_us: 100, not_judged_us: 200, mfu: 0.25,
  bandwidth_use: 0.3, float_ops: 6e11, bytes_moved: 2e9, fuse_gain_us: 300, device: "NVIDIA H100 80GB HBM3", peak_bandwidth: 3.35e12, peak_flops: "fp32=6.7e+13 fp16=9.895e+14 bf16=9.895e+14 fp8=1.979e+15", floor_us: 2, steps: 2,
};
export const row = (more: Partial<LimitRow> = {}): LimitRow => ({
  name: "aten::mm", short: "aten::mm", class: "product", calls: 2, device_us: 1000, share: 0.5, ideal_us: 600, loss_us: 400, loss_share: 0.5, efficiency: 0.6, bound: "compute", float_ops: 5.9e11, bytes_moved: 4e8, latency_calls: 0, latency_us: 0, not_judged_us: 0,
  why: null, ...more,
});
export const ROWS: LimitRow[] = [
  row(),
  row({ name: "aten::mul", class: "elementwise", calls: 20, device_us: 800, ideal_us: 300, loss_us: 400, efficiency: 0.43, bound: "memory", float_ops: 1e9, bytes_moved: 1.6e9, latency_calls: 4, latency_us: 100, not_judged_us: 100, why: "triton" }),
  row({ name: "(no op)", class: "transfer", calls: 0, device_us: 100, ideal_us: null, loss_us: null, loss_share: null, efficiency: null, bound: null, float_ops: 0, bytes_moved: 0, not_judged_us: 100, why: "transfer|no launch" }),
];
export const SHAPE: ShapeRow = {
  class: "product", op: "aten::mm", shape: "4096x8192x2048", type: "bf16", transposed: "nt", calls: 2, device_us: 1000, share: 0.5, mean_us: 500, min_us: 490, max_us: 510, ideal_us: 600, loss_us: 400, efficiency: 0.6, bound: "compute", float_ops: 5.9e11,
  bytes_moved: 4e8, tflops_mean: 590, of_peak: 0.6, kernels: "gemm",
};
export const CHAIN: ChainRow = {
  chain: "aten::pow > aten::mean > aten::mul", module: "Norm", shape: "4096x2048", calls: 2, kernels: 6, device_us: 250, share: 0.13, bytes_moved: 5e8, bytes_saved: 4e8, fused_us: 20, gain_us: 230, gain_share: 0.16, same_rate_us: 220, certainty: "shapes",
};
const head = (rows: object[]) => ({ summary: SUMMARY, notes: [], columns: [{ name: "name", short: rows.map((r) => ("short" in r ? r.short : "")) }], rows });
export const ANSWERS = { "by=op": head(ROWS), "by=shape": head([SHAPE]), "by=chain": head([CHAIN]) };

// SPDX-License-Identifier: Apache-2.0
// A small profile for the tests of components: two ranks, three steps, three kernels, ops, scopes and lines, as the server tells of it.
import type { ProfileEntry, ProfileFacts, Table, Tables } from "../src/answers/api";
import type { Opened } from "../src/state/opened";
import { answer, forget, never } from "./server";
import { reals, tableOf, words } from "./tables";

export const ALL_TABLES: Tables = { version: "0", views: [], columns: [], options: [], orders: [], checkers: [], outputs: [], formats: [] };
const HAS = { code: true, stacks: true, memory: true, checkpoint: false, graph: true, timeline: true, times: true, trace: true };

export const entry = (more: Partial<ProfileEntry> = {}): ProfileEntry => ({
  id: "a1", name: "runs/ddp.json", folder: "/data", format: "kineto_json", files: ["runs/ddp.json"], bytes: 12_400_000, modified: 1.7e9, state: "ready", progress: 1, error: null, steps: 3, nodes: 6, ...more,
});
export const facts = (more: Partial<ProfileFacts> = {}, has: Partial<typeof HAS> & { heap?: boolean; shapes?: boolean; phases?: boolean } = {}): ProfileFacts => ({
  id: "a1", name: "runs/ddp.json", nodes: 6, steps: [1, 2, 3], warnings: [], coverage: [], has: { ...HAS, ...has }, ...more,
});
export const opened = (more: Partial<Opened> = {}): Opened => ({ id: "a1", entry: entry(), name: "runs/ddp", files: ["runs/ddp.json"], facts: facts(), tables: ALL_TABLES, ...more });

// steps: 100 ms each, the third on rank 1 takes 160 ms and its idle time grew
const times = [100, 100, 100, 100, 100, 160].map((ms) => ms * 1e3);
const idle = [30, 30, 30, 30, 30, 90].map((ms) => ms * 1e3);
export const STEPS: Table = tableOf([
  words("step", ["1", "2", "3", "1", "2", "3"]), reals("rank", [0, 0, 0, 1, 1, 1]), words("device", ["gpu:0", "gpu:0", "gpu:0", "gpu:1", "gpu:1", "gpu:1"]),
  reals("start_us", [0, 1e5, 2e5, 0, 1e5, 2e5], "us"), reals("duration_us", times, "us"), reals("communication_us", times.map(() => 2e4), "us"), reals("copy_us", times.map(() => 0), "us"),
  reals("kernels", [4, 4, 4, 4, 4, 4]), reals("compute_us", times.map(() => 6e4), "us"), reals("exposed_communication_us", times.map(() => 1e4), "us"), reals("exposed_copy_us", times.map(() => 0), "us"), reals("idle_us", idle, "us"),
]);

const GEMM = "void gemm<float>(int)";
export const KERNELS: Table = tableOf([
  reals("rank", [0, 1, 0, 1]), words("name", [GEMM, GEMM, "ncclAllReduce", "Memcpy HtoD"], ["gemm float · cutlass", "gemm float · cutlass", "AllReduce · nccl", "copy host→device"]),
  words("class", ["compute", "compute", "communication", "copy"]), words("ops", ["aten::mm", "aten::mm", "c10d::allreduce", "aten::copy_"]), reals("count", [6, 6, 3, 3]),
  reals("total_us", [3e5, 3e5, 1e5, 1e5], "us"), reals("min_us", [4e4, 4e4, 3e4, 3e4], "us"), reals("max_us", [6e4, 6e4, 4e4, 4e4], "us"), reals("bytes", [null, null, null, 4096], "bytes"),
]);
export const OPS: Table = tableOf([
  words("name", ["_TFProfRoot", "aten::mm", "c10d::allreduce", "(no op)"]), reals("parent", [null, 0, 0, 0]), reals("accelerator_micros", [0, 6e5, 1e5, 1e5], "us"), reals("cpu_micros", [0, 3e4, 9e4, 0], "us"),
  reals("runs", [0, 12, 3, 0]), reals("bytes", [0, 8192, 0, 0], "bytes"), reals("params", [0, 0, 0, 0]),
], { tree: true });
export const SCOPES: Table = tableOf([
  words("name", ["_TFProfRoot", "net", "net/layer1", "loss"]), reals("parent", [null, 0, 1, 0]), reals("accelerator_micros", [0, 1e5, 5e5, 2e5], "us"), reals("cpu_micros", [0, 1e4, 2e4, 9e4], "us"),
  reals("total_accelerator_micros", [8e5, 6e5, 5e5, 2e5], "us"), reals("total_cpu_micros", [12e4, 3e4, 2e4, 9e4], "us"), reals("total_runs", [15, 12, 10, 3]), reals("total_bytes", [0, 0, 0, 0], "bytes"),
  reals("bytes", [0, 0, 0, 0], "bytes"), reals("total_params", [0, 0, 0, 0]), reals("params", [0, 0, 0, 0]),
], { tree: true });
export const LINES: Table = tableOf([
  words("line", ["/src/train.py:16:step", "/src/net.py:7:forward"]), words("file", ["/src/train.py", "/src/net.py"]), reals("runs", [3, 3]), reals("total_us", [9e5, 6e5], "us"), reals("self_us", [1e5, 6e5], "us"),
  reals("gradient_us", [0, 2e5], "us"), reals("self_share", [0.14, 0.86]), reals("all_share", [0.1, 0.6]), reals("bytes", [0, 0], "bytes"),
]);

const finding = { name: "IdleDevice", about: "idle", text: "the device waits for aten::mm in step 3; use a larger batch", problem: "the device waits for aten::mm in step 3", remedy: "use a larger batch", seconds: 0.04, gain_seconds: 0.03,
  span: { span: 7, rank: 1, lane: "gpu:1/stream:7", start_us: 100, timeline_us: 2e5, duration_us: 500 } };
export const ADVICE = { checkers: [{ name: "IdleDevice", reports: [], findings: [finding] }, { name: "SmallKernels", reports: ["kernels are short"] }] };
export const CHECKS = { rows: [{ severity: "warning", what: "spans without an end", count: 1200, first: "span 3" }] };
export const INFO = {
  summary: { framework: "PyTorch 2.8", recorded: "2026-11-01T10:00:00", device_models: "NVIDIA A100-SXM4-80GB", devices: "gpu:0, gpu:1", hosts: "node7", ranks: "0, 1", rank_count: 2, ranks_of_job: 4, steps: "1-3", step_count: 3, range_us: 360_000 },
  rows: [
    { part: "runs", there: true, count: 30, of: "spans", missing: null }, { part: "code", there: false, count: null, of: null, missing: "no stacks" },
    { part: "memory", there: false, count: null, of: null, missing: "no memory" }, { part: "tensors", there: false, count: null, of: null, missing: "no checkpoint" },
  ],
};
export const LANES = { rows: [], steps: [1, 2, 3].map((step) => ({ step, start_us: 1000 + (step - 1) * 1e5, end_us: 1000 + step * 1e5 })) };

/** The server tells of this profile; questions in SQL have no rows unless a test says so. */
export function serve(): void {
  forget();
  answer({
    "/profiles$": { changed: 1, profiles: [entry()] }, "/tables$": ALL_TABLES, "/changes": never, "/profiles/a1$": facts(), "/profiles/a1/query": { rows: [] }, "/profiles/a1/lanes": LANES, "views/steps": STEPS, "views/kernel": KERNELS, "views/op": OPS, "views/scope": SCOPES, "views/lines": LINES,
    "views/advise": ADVICE, "views/check": CHECKS, "views/info": INFO, "views/wait": { step_parts: [] }, "/whatif": { refused: null, table: { rows: [] } },
    "format=columns&sql=": tableOf([words("class", [])]), "/counters": tableOf([words("name", [])]),
  });
}

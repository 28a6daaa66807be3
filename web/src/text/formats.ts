// SPDX-License-Identifier: Apache-2.0
// The formats of files in words, as the list of profiles shows them.

const WORDS: Record<string, string> = {
  profile: "TensorFlow profile", tfprof: "tfprof profile", graph: "TensorFlow graph", run_meta: "TensorFlow run", op_log: "TensorFlow op log",
  checkpoint: "TensorFlow checkpoint", kineto: "trace in JSON", xplane: "XPlane trace", hlo: "XLA program", pprof: "pprof profile",
  snapshot: "PyTorch memory snapshot", flight: "PyTorch flight recorder", safetensors: "safetensors weights", gguf: "GGUF weights", torch: "PyTorch weights",
  onnx: "ONNX model", inspector: "NCCL inspector", execution_trace: "PyTorch execution trace", sqlite: "recording in SQLite", perfetto: "Perfetto trace",
  speedscope: "speedscope stacks", folded: "folded stacks", tfevents: "TensorBoard events",
};

/** Traces are named by their framework where it is known: "PyTorch trace". */
export function formatWords(format: string, framework = ""): string {
  if (framework && (format === "kineto" || format === "xplane")) return `${framework} trace`;
  return WORDS[format] ?? format.replaceAll("_", " ");
}

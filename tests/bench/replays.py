#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures traces of served models, whose kernels are replays of CUDA or HIP graphs, beside the capture of these graphs: tests/bench/replays.py BUILD

  op, lines, scope    the whole command with --capture_path, in walks (tests/bench/jsonwalk.c) over the trace and the capture; on two processors
                      we aim at 2 for op and lines
Both traces are made here (MEGABYTES of replays, 500 by default). `hip`: calls name their kernels, as ROCm writes. `cuda`: activities have the ids
of their nodes. Each step decodes a token of a batch: a graph of the whole model, of one of four sizes, then a sampler that runs eagerly.
"""
import os
import subprocess
import sys
import tempfile

from kineto import MEGABYTES, ROOT, measure

LAYERS, SIZES = 36, 4
# the launches of a layer: op, module, line, kernel
LAYER = [
    ("_C::fused_add_rms_norm", "RMSNorm_%d", "model/norm.py(21): forward", "void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long)"),
    ("aten::mm", "Attention_%d/QKV_%d", "model/linear.py(40): forward", "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT%dx32x64_MI16x16x1_SN_LDSB1_AFC1_GRVWA8"),
    ("_C::rotary_embedding", "Attention_%d/Rotary_%d", "model/rotary.py(33): forward", "void rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*)"),
    ("_C::paged_attention", "Attention_%d", "model/attention.py(81): forward", "void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16, 128, 256, false>(float)"),
    ("aten::mm", "Attention_%d/Out_%d", "model/linear.py(40): forward", "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT%dx16x512_MI16x16x1_SN_LDSB1_AFC1_GRVWA8"),
    ("aten::add_", "Block_%d", "model/block.py(52): forward", "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)"),
    ("aten::mm", "MLP_%d/Up_%d", "model/linear.py(40): forward", "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x%dx64_MI16x16x1_SN_LDSB1_AFC1_GRVWA8"),
    ("aten::silu", "MLP_%d", "model/mlp.py(18): forward", "void act_and_mul_kernel<__hip_bfloat16, &silu<__hip_bfloat16> >(__hip_bfloat16*, int)"),
    ("aten::mm", "MLP_%d/Down_%d", "model/linear.py(40): forward", "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT32x%dx256_MI16x16x1_SN_LDSB1_AFC1_GRVWA8"),
]
HEAD = '{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU", "numSms": 304}], "traceEvents": [\n'


def span(category, name, start, lasts, args, pid=251, tid=251):
    return '{"ph": "X", "cat": "%s", "name": "%s", "pid": %d, "tid": %d, "ts": %.3f, "dur": %.3f, "args": {%s}}' % (
        category, name, pid, tid, start, lasts, args)


def kernels(size):
    return [kernel.replace("%d", str(16 << size)) for _ in range(LAYERS) for _, _, _, kernel in LAYER]


def call(api, name, start, number, args=""):
    return span("cuda_runtime", api + name, start, 3, '"cbid": 211, "correlation": %d' % number + args)


def captured(api, size, at):
    """Writes one capture; returns its end time."""
    events, number, began = [], size << 16, at
    at += 10
    for layer in range(LAYERS):
        start = at
        for op, module, line, kernel in LAYER:
            names = (", \"kernel\": \"%s\", \"grid\": [64, 1, 1]" % kernel.replace("%d", str(16 << size))) if api == "hip" else ""
            events += [call(api, "ModuleLaunchKernel" if names else "LaunchKernel", at + 6, number, names),
                       span("cpu_op", op, at + 5, 6, '"External id": %d, "Input Dims": [[%d, 4096], [4096, 4096]], "Input type": ["float", "float"]'
                            % (number, 1 << size)),
                       span("python_function", line, at + 4, 8, '"Python id": %d' % number)]
            parts = module.replace("%d", str(layer)).split("/")
            events += [span("python_function", "nn.Module: " + part, at + 1 + k / 4, 14 - k / 2, '"Python id": %d' % number)
                       for k, part in enumerate(parts)]
            at, number = at + 16, number + 1
        events.append(span("python_function", "nn.Module: Layer_%d" % layer, start + 0.5, at - start - 0.5, '"Python id": 0'))
    events += [span("python_function", "nn.Module: Model_0", began + 8, at - began - 7, '"Python id": 0'),
               call(api, "StreamBeginCapture", began, 0), call(api, "StreamEndCapture", at + 4, 0)]
    return events, at + 20


def write_capture(path, api):
    with open(path, "w") as f:
        events, at = [], 1000.0
        for size in range(SIZES):
            more, at = captured(api, size, at)
            events += more
        f.write(HEAD + ",\n".join(events) + "\n]}\n")


def step(api, size, at, number):
    """The launch of a graph with the activities that it replays, then the sampler; returns the end
    time."""
    events, start = [call(api, "GraphLaunch", at + 20, number),
                     span("python_function", "/srv/runner.py(208): replay", at + 15, 30, '"Python id": %d' % number)], at
    at += 25
    for node, kernel in enumerate(kernels(size)):
        ids = ', "graph id": %d, "graph node id": %d' % (size + 1, size + 1 << 32 | node + 1) if api == "cuda" else ', "kind": "Dispatch Task"'
        events.append(span("kernel", kernel, at, 11.5, '"External id": %d, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": %d, '
                           '"registers per thread": 64, "shared memory": 0, "grid": [800, 1, 1], "block": [128, 1, 1]%s' % (number, number, ids), 0, 7))
        at += 12
    events += [span("cpu_op", "aten::argmax", at - 20, 12, '"External id": %d' % (number + 1)), call(api, "LaunchKernel", at - 15, number + 1),
               span("python_function", "/srv/sampler.py(7): sample", at - 25, 20, '"Python id": %d' % (number + 1)),
               span("kernel", "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<float> > >(int)", at, 5,
                    '"device": 0, "stream": 7, "correlation": %d' % (number + 1), 0, 7),
               span("user_annotation", "ProfilerStep#%d" % (number // 2), start, at - start + 10, '"External id": %d' % number)]
    return events, at + 20


def write_replays(path, api, megabytes):
    at, count, number = 1000000.0, 0, 2
    with open(path, "w") as f:
        f.write(HEAD)
        while count < megabytes * 1e6:
            events, at = step(api, number // 2 % SIZES, at, number)
            text = (",\n" if number > 2 else "") + ",\n".join(events)
            count, number = count + len(text), number + 2
            f.write(text)
        f.write("\n]}\n")


def main():
    program = os.path.join(os.path.abspath(sys.argv[1]), "tfprof")
    with tempfile.TemporaryDirectory(prefix="tfprof_bench_") as scratch:
        walk, trace, capture = (os.path.join(scratch, name) for name in ("walk", "trace.json", "capture.json"))
        subprocess.run(["cc", "-O3", "-std=c11", "-D_GNU_SOURCE", os.path.join(ROOT, "tests", "bench", "jsonwalk.c"), "-o", walk], check=True)
        for api in ("hip", "cuda"):
            write_replays(trace, api, MEGABYTES)
            write_capture(capture, api)
            size = os.path.getsize(trace) + os.path.getsize(capture)
            walks = [measure([walk, path, "1"]) for path in (trace, capture)]
            bare, walked = sum(w[0] for w in walks), sum(w[1] for w in walks)
            print("%s: %.0f MB of replays with %.1f MB of capture; a walk over both takes %.0f ms, %.0f of a processor" % (
                api, size / 1e6, os.path.getsize(capture) / 1e6, bare * 1e3, walked * 1e3))
            for view in ("op", "lines", "scope"):
                took, busy, memory = measure([program, view, trace, "--capture_path", capture])
                print("%-6s %6.0f ms = %4.2f walks (processor time: %4.2f), %4.0f MB/s, %.2f bytes of memory a byte" % (
                    view, took * 1e3, took / bare, busy / walked, size / 1e6 / took, memory / size), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces on which a rule of `advise` must report nothing, each with a similar trace on which it must report: quiet.py TFPROF

The former have names that look alike, a device that lacks what the remedy needs, work that only starts a program,
behaviour that is intended, or waits that cost nothing because the device is busy meanwhile."""
import json
import os
import re
import subprocess
import sys
import tempfile

import planted
from planted import Trace, compute

ODD = {"Input Dims": [[512, 1001], [1001, 512]]}


def each(count, name, kernel, dur=200.0, **args):
    """A step with some compute and this many additional kernels."""
    def body(t):
        compute(t, 20)
        for _ in range(count):
            t.launch(name, kernel, dur, **args)
    return body


def around(names, kernel):
    """Nested operators, of which the innermost launches."""
    def body(t):
        compute(t, 20)
        for _ in range(20):
            start = t.now
            t.launch(names[-1], kernel, 90.0)
            for depth, name in enumerate(reversed(names[:-1]), 1):
                t.add("cpu_op", name, start - depth * 0.1, 4 + depth * 0.2, 1)
            t.now += 2
    return body


def optimizer(kernel):
    def body(t):
        compute(t, 20, 200.0)
        t.now = max(t.free.values())
        start = t.now
        for _ in range(150):
            t.launch("aten::_foreach_add_", kernel, 3.0, host=12.0)
        t.add("user_annotation", "Optimizer.step#Adam.step", start - 1, t.now - start + 2, 1)
    return body


def input_beside(busy):
    """The host waits for data, either while the device works or after it is done."""
    def body(t):
        compute(t, 60)
        t.now = t.now if busy else max(t.free.values())
        t.host("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 3000.0, "user_annotation")
    return body


def memory(reserved):
    def body(t):
        compute(t)
        planted.memory(t, reserved, reserved * 0.3)
    return body


def stall(name, ms):
    def body(t):
        compute(t, 20)
        t.now = max(t.free.values())
        t.host(name, 1000.0 * ms)
        compute(t, 20)
    return body


def first_only(name, cat, ms=8.0, **args):
    """Only in step 0, which is the start of a program."""
    def body(t):
        compute(t, 10)
        t.now = max(t.free.values())
        if not getattr(t, "started", False):
            t.started = True
            t.host(name, 1000.0 * ms, cat, **args)
        compute(t, 10)
    return body


def again(name, cat, ms=8.0, **args):
    def body(t):
        compute(t, 10)
        t.now = max(t.free.values())
        t.host(name, 1000.0 * ms, cat, **args)
        compute(t, 10)
    return body


def gaps(wait, host_bound):
    """A launch queue far ahead of the device, whose streams wait for each other between kernels; then the host
    waits."""
    def body(t):
        for _ in range(100):
            t.launch("aten::add", "add_kernel", 30.0, host=24.0 if host_bound else 4.0)
            t.free[7] += 0 if host_bound else 15
        if host_bound:
            t.now = max(t.free.values())
        wait(t)
    return body


def data(t):
    t.host("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 1500.0, "user_annotation")


def compilation(t):
    t.host("TorchDynamo compile", 1500.0, "user_annotation")


def item(t):
    t.wait("cudaStreamSynchronize", "aten::item")


def outside(before, body):
    """Activity before the first step belongs to no step."""
    def same(t):
        body(t)
    same.before = before
    return same


def once(count, name, kernel, dur, **args):
    def body(t):
        for _ in range(count):
            t.launch(name, kernel, dur, **args)
        t.now = max(t.free.values()) + 5
    return body


def both(*bodies):
    def body(t):
        for one in bodies:
            one(t)
    return body


def head(*names, pause=8.0):
    """Before the first activity of the first step, the host is in these functions, each called by the
    previous one."""
    def body(t):
        if not getattr(t, "started", False):
            t.started = True
            start = t.now
            t.now += 1000.0 * pause
            for k, name in enumerate(names):
                t.add("python_function", name, start + k, t.now - start - 2 * k, 1, **{"Python id": k})
        compute(t, 10)
    body.first = 5 # a step of number 0 is the start of a program
    return body


def stopped(name, ms=8.0):
    """A span in the middle of each step."""
    def body(t):
        compute(t, 10)
        t.now = max(t.free.values())
        t.host(name, 1000.0 * ms, "python_function", **{"Python id": 7})
        compute(t, 10)
    return body


def many_short(name, of, ms=8.0):
    """A long span with many short ones in it, none of which explains the time."""
    def body(t):
        compute(t, 10)
        t.now = max(t.free.values())
        start = t.now
        for _ in range(int(20 * ms)):
            t.host(of, 50.0)
        t.add("user_annotation", name, start, t.now - start, 1)
        compute(t, 10)
    return body


def elsewhere(name, ms=8.0):
    """Another thread works while the launching thread records nothing."""
    def body(t):
        compute(t, 10)
        t.now = max(t.free.values())
        t.add("cpu_op", name, t.now, 1000.0 * ms, 2)
        t.now += 1000.0 * ms
        compute(t, 10)
    return body


def beside(name, kernel, **args):
    """Kernels that overlap with another stream's work except for a tenth of their time."""
    def body(t):
        for _ in range(5):
            t.launch(name, kernel, 1000.0, stream=9, **args)
            t.launch("aten::mm", "ampere_bf16_gemm", 980.0, stream=7)
            t.now = max(t.free.values())
    return body


def blocking(busy):
    """The host is blocked in a copy, either until the device has done its work, or with an idle
    device."""
    def body(t):
        compute(t, 40)
        t.now = t.now if busy else max(t.free.values()) + 1
        start = t.now
        t.launch("aten::copy_", "Memcpy HtoD (Host -> Device)", 5.0, cat="gpu_memcpy", call="hipMemcpyWithStream",
                 host=3000.0, after=start + 2990.0, bytes=4096)
    return body


SLOW = {"est. achieved occupancy %": 6}
PAGEABLE = {"cat": "gpu_memcpy", "call": "cudaMemcpyAsync", "bytes": 8 << 20}
SMALL = {"Collective name": "allreduce", "In msg nelems": 1000, "dtype": "Float", "Group size": 8, "Process Group Name": "0"}
copies = each(1, "aten::copy_", "Memcpy HtoD (Pageable -> Device)", 1500.0, **PAGEABLE)
pinned = each(1, "aten::copy_", "Memcpy HtoD (Pinned -> Device)", 1500.0, **PAGEABLE)
batches = {"Input type": ["c10::Half", "c10::Half"]}


def sleeping(ms, name=None):
    """Without a device: ops, and a pause in which nothing runs, or only a Python function."""
    def body(t):
        for _ in range(20):
            t.host("aten::mm", 100.0)
        if name:
            t.add("python_function", "train.py(3): pause", t.now, 1000.0 * ms, 1, **{"Python id": 0})
            t.host(name, 1000.0 * ms, "python_function", **{"Python id": 1})
        else:
            t.now += 1000.0 * ms
        for _ in range(20):
            t.host("aten::mm", 100.0)
    return body


# rule, the common feature, the body for which it must speak, the one for which it must be silent, compute capability
# of each
def shapes(*dims, scalars=0):
    """The arguments of an operator on tensors of bf16."""
    return {"Input Dims": [*dims] + [[]] * scalars, "Input type": ["c10::BFloat16"] * len(dims) + ["Scalar"] * scalars,
            "Concrete Inputs": [""] * (len(dims) + scalars)}


SIDE = [4096, 4096]


def chains(dur, names=("exp", "neg", "tanh"), device="NVIDIA H100 80GB HBM3"):
    """Elementwise kernels that one could do, beside a product that takes a while."""
    def body(t):
        t.device = device
        for name in names:
            t.launch(f"aten::{name}", f"{name}_kernel", dur, op=shapes(SIDE))
        t.launch("aten::mm", "ampere_bf16_gemm", 1000.0, op=shapes([8192, 8192], [8192, 8192]))
    return body


def products(side, dur, device="NVIDIA H100 80GB HBM3"):
    def body(t):
        t.device = device
        for _ in range(20):
            t.launch("aten::mm", "ampere_bf16_gemm", dur, op=shapes([side, side], [side, side]))
    return body


def short_kernels(host, capture=False):
    """Kernels with hardly any work: launched one by one, or while the device is busy, or after the capture of a graph."""
    def body(t):
        t.device = "NVIDIA H100 80GB HBM3"
        if capture:
            t.host("cudaStreamBeginCapture", 5.0, cat="cuda_runtime")
        if host < 5:
            t.launch("aten::mm", "ampere_bf16_gemm", 3000.0, op=shapes([8192, 8192], [8192, 8192]))
        for _ in range(150):
            t.launch("aten::mul", "mul_kernel", 2.0, host=host, op=shapes([64, 64], scalars=1))
    return body


CASES = [
    ("FusableChains", "a chain of little time", chains(60.0), chains(22.0, ("exp", "neg")), 9, 9),
    ("FusableChains", "a device that nobody knows", chains(60.0), chains(60.0, device="GPU"), 9, 9),
    ("SlowProducts", "products at 85 %", products(4096, 420.0), products(4096, 163.0), 9, 9),
    ("SlowProducts", "products that are too small", products(4096, 420.0), products(512, 8.0), 9, 9),
    ("LaunchBound", "launches far ahead", short_kernels(25.0), short_kernels(4.0), 9, 9),
    ("LaunchBound", "a capture of graphs", short_kernels(25.0), short_kernels(25.0, capture=True), 9, 9),
    ("Casts", "topk", each(20, "aten::_to_copy", "copy_kernel", 90.0), each(20, "aten::topk", "sort_kernel", 90.0), 8, 8),
    ("Casts", "an op that holds the word", around(["aten::to", "aten::_to_copy", "aten::copy_"], "copy_kernel"),
     around(["aten::broadcast_to", "aten::mul"], "mul_kernel"), 8, 8),
    ("Layouts", "a convolution", around(["aten::contiguous", "aten::clone", "aten::copy_"], "copy_kernel"),
     around(["aten::conv_transpose2d", "aten::cudnn_convolution_transpose"], "dgrad_engine"), 8, 8),
    ("Layouts", "a plain copy", around(["aten::clone", "aten::copy_"], "copy_kernel"),
     around(["aten::index_put_", "aten::copy_"], "copy_kernel"), 8, 8),
    ("PlainMatmuls", "a device without tensor cores", each(20, "aten::mm", "ampere_sgemm_128x64_nn"),
     each(20, "aten::mm", "maxwell_sgemm_128x64_nn"), 8, 6),
    ("LowOccupancy", "a product, whose tiles fill the registers", each(1, "aten::sort", "slow_kernel", 4000.0, **{"est. achieved occupancy %": 12}),
     each(1, "aten::mm", "ampere_bf16_s16816gemm_bf16_128x256", 4000.0, **{"est. achieved occupancy %": 12}), 8, 8),
    ("OddShapes", "single precision", each(20, "aten::mm", "gemm", op={**ODD, "Input type": ["c10::Half", "c10::Half"]}),
     each(20, "aten::mm", "gemm", op={**ODD, "Input type": ["float", "float"]}), 8, 8),
    ("UnfusedOptimizer", "kernels of many tensors", optimizer("void at::native::vectorized_elementwise_kernel<4>"),
     optimizer("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<>"), 8, 8),
    ("InputBound", "a device that is busy meanwhile", input_beside(False), input_beside(True), 8, 8),
    ("Fragmentation", "a device with room", memory(0.8), memory(0.3), 8, 8),
    ("HostStalls", "a short pause", stall("aten::cpu_work", 4.0), stall("aten::cpu_work", 0.5), 8, 8),
    ("HostStalls", "the start of a program", again("aten::cpu_work", "cpu_op"), first_only("aten::cpu_work", "cpu_op"), 8, 8),
    ("DeviceAllocations", "the start of a program", again("cudaMalloc", "cuda_runtime", correlation=0),
     first_only("cudaMalloc", "cuda_runtime", correlation=0), 8, 8),
    ("Compilations", "the start of a program", again("TorchDynamo compile", "user_annotation"),
     first_only("TorchDynamo compile", "user_annotation", 80.0), 8, 8),
    ("UnevenSteps", "the start of a program", None, first_only("aten::cpu_work", "cpu_op", 80.0), 8, 8),
    ("HostStalls", "a short pause without a device", sleeping(4.0, "time.sleep"), sleeping(0.9), 8, 8),
    ("InputBound", "a device that waits for its own streams", gaps(data, True), gaps(data, False), 8, 8),
    ("Compilations", "a device that waits for its own streams", gaps(compilation, True), gaps(compilation, False), 8, 8),
    ("ValueReads", "a device that waits for its own streams", None, gaps(item, False), 8, 8),
    ("LowOccupancy", "what ran before the steps", each(1, "aten::sort", "slow_kernel", 4000.0, **SLOW),
     outside(once(5, "aten::sort", "slow_kernel", 9e5, **SLOW), compute), 8, 8),
    ("LowOccupancy", "an estimate that failed", each(1, "aten::sort", "slow_kernel", 4000.0, **SLOW),
     each(1, "aten::sort", "slow_kernel", 4000.0, **{"est. achieved occupancy %": -99}), 8, 8),
    ("PageableCopies", "what ran before the steps", copies,
     outside(once(200, "aten::copy_", "Memcpy HtoD (Pageable -> Device)", 5000.0, **PAGEABLE), pinned), 8, 8),
    ("SmallCollectives", "what ran before the steps", lambda t: planted.small_collectives(t, 1, True),
     outside(once(500, "c10d::allreduce_", "ncclDevKernel_AllReduce", 60.0, stream=20, **SMALL),
             lambda t: planted.exposed_communication(t, 1, True)), 8, 8),
    ("OddShapes", "an odd number of matrices",
     each(20, "aten::bmm", "gemm", op={"Input Dims": [[64, 128, 61], [64, 61, 128]], **batches}),
     each(20, "aten::bmm", "gemm", op={"Input Dims": [[61, 128, 64], [61, 64, 128]], **batches}), 8, 8),
    ("PlainMatmuls", "16 bits already", each(20, "aten::mm", "volta_sgemm_128x64_nn"),
     each(20, "aten::mm", "volta_fp16_sgemm_fp16_128x64_tn"), 8, 8),
    ("PythonTime", "the profiler's own work", stopped("train.py(9): log"), stopped("torch/profiler/profiler.py(209): start_trace"), 8, 8),
    ("PythonTime", "JAX's profiler, stopping", stopped("train.py(9): log"), stopped("jax/_src/profiler.py(213): stop_trace"), 8, 8),
    ("HostStalls", "the profiler's own work", None, stopped("torch/profiler/profiler.py(832): step"), 8, 8),
    ("LowOccupancy", "work that lies under other work", each(1, "aten::sort", "slow_kernel", 4000.0, **SLOW),
     beside("aten::sort", "slow_kernel", **SLOW), 8, 8),
    ("LowOccupancy", "communication", each(1, "aten::sort", "slow_kernel", 4000.0, **SLOW),
     each(1, "c10d::allreduce_", "ncclDevKernel_AllReduce", 4000.0, **SLOW), 8, 8),
    ("Casts", "work that lies under other work", each(20, "aten::_to_copy", "copy_kernel", 90.0),
     beside("aten::_to_copy", "copy_kernel"), 8, 8),
    ("BlockedHost", "a device that works meanwhile", blocking(False), blocking(True), 8, 8),
    ("DeviceAllocations", "memory of the host", again("cuMemMap", "cuda_driver", correlation=0),
     again("cudaMallocHost", "cuda_runtime", correlation=0), 8, 8),
]


def advice(program, folder, body, capability):
    t = Trace()
    getattr(body, "before", lambda t: None)(t)
    first = getattr(body, "first", 0)
    for step in range(first, first + 5):
        t.step(step, body)
    path = os.path.join(folder, "trace.json")
    t.write(path)
    with open(path, encoding="utf-8") as f:
        about = json.load(f)
    about["deviceProperties"][0] |= {"computeMajor": capability, "computeMinor": 0}
    with open(path, "w", encoding="utf-8") as f:
        json.dump(about, f)
    done = subprocess.run([program, "advise", path, "-format", "json"], capture_output=True, check=True)
    return {c["name"]: c for c in json.loads(done.stdout)["checkers"]}


def main():
    program, passed, failed = sys.argv[1], 0, 0

    def check(fine, text):
        nonlocal passed, failed
        passed, failed = passed + bool(fine), failed + (not fine)
        if not fine:
            print(text)

    with tempfile.TemporaryDirectory() as folder:
        for rule, alike, speaks, silent, capability, other in CASES:
            if speaks:
                said = advice(program, folder, speaks, capability)
                check(rule in said, f"{rule} beside {alike}: {list(said)}")
                # these rules are about spans, so a finding links to one
                check(rule not in said or said[rule].get("evidence"), f"{rule} beside {alike} leads nowhere")
                for f in said[rule]["findings"] if rule in said else []:  # the numbers of the sentence, as fields
                    fine = (f["name"], f["text"]) == (rule, said[rule]["reports"][0]) and f["file"].endswith("trace.json")
                    fine = fine and f["span"] == said[rule]["evidence"][0] and f"({f['command']})" in f["text"]
                    check(fine and (f["gain_seconds"] or 0) <= 1, f"{rule} beside {alike}: {f}")
            said = advice(program, folder, silent, other)
            check(rule not in said, f"{rule} speaks of {alike}: {said.get(rule)}")
        # the device has the remedy, and its name is that of its framework
        for capability, words, other in ((7, "float16", "TF32 where"), (8, "TF32", "GradScaler")):
            text = advice(program, folder, each(20, "aten::mm", "volta_sgemm_128x64_nn"), capability)["PlainMatmuls"]["reports"][0]
            check(words in text and other not in text, f"compute capability {capability}: {text}")
        said = advice(program, folder, sleeping(4.0), 8).get("HostStalls", {})
        check("nothing of the host was recorded" in str(said) and said["evidence"][0]["duration_us"] == 100, f"a pause: {said}")
        text = advice(program, folder, sleeping(4.0, "time.sleep"), 8)["HostStalls"]["reports"][0]
        check("100% in time.sleep" in text and "4.00 ms" in text, f"what the host did is not named: {text}")
        # the cause of a gap is named, in any thread and however short its parts are
        for body, words in ((many_short("## backward ##", "aten::add"), "many short operations, 100% of it in ## backward ##"),
                            (sleeping(4.0, "<built-in function sleep>"), "spends 100% in train.py(3): pause"),
                            (elsewhere("autograd::engine"), "cpu/thread:2 spends 100% in autograd::engine")):
            said = advice(program, folder, body, 8)
            text = said["HostStalls"]["reports"][0] if "HostStalls" in said else str(said)
            check(words in text, f"what covers a gap is not named: {text}")
        # the time before the first activity of the program belongs to no step, so no finding is about it
        said = advice(program, folder, head("train.py(1): main", pause=500.0), 8)
        check("PythonTime" not in said and "IdleDevice" not in said, f"the start is in a finding: {said}")
        text = advice(program, folder, stall("aten::cpu_work", 4.0), 8)["HostStalls"]["reports"][0]
        check("aten::cpu_work" in text and "4.00 ms" in text, f"what the host did is not named: {text}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sample/traces/kineto.json: a small PyTorch trace, whose numbers can be worked out by hand. Two steps; a module, a forward
and a backward op joined by their sequence number, a launch with its kernel, a copy without a launch, Python frames."""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
events = []


def span(cat, name, tid, ts, dur, **args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": 1 if cat not in ("kernel", "gpu_memcpy") else 0,
                   "tid": tid, "ts": ts, "dur": dur, "args": {k.replace("_", " "): v for k, v in args.items()}})


for step in (3, 4):
    at = step * 1000.0
    sequence = {"Sequence_number": step, "Fwd_thread_id": 0}
    span("user_annotation", f"ProfilerStep#{step}", 1, at, 500)
    span("python_function", "train.py(7): main", 1, at + 1, 400)
    span("python_function", "nn.Module: Net_0", 1, at + 10, 100)
    span("python_function", "net.py(20): forward", 1, at + 11, 90)
    span("cpu_op", "aten::linear", 1, at + 20, 60, External_id=step * 10, **sequence)
    span("cpu_op", "aten::addmm", 1, at + 30, 40.5, External_id=step * 10 + 1)
    span("cuda_runtime", "cudaLaunchKernel", 1, at + 40, 10, correlation=step)
    span("kernel", "gemm", 7, at + 60, 200.125, correlation=step, device=0, stream=7)
    sequence["Fwd_thread_id"] = 1
    span("cpu_op", "AddmmBackward0", 2, at + 200, 80, External_id=step * 10 + 2, **sequence)
    span("cpu_op", "aten::mm", 2, at + 210, 50, External_id=step * 10 + 3)
    span("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 7, at + 300, 5, bytes=4096, device=0, stream=7)
    events.append({"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": at + 35, "s": "t",
                   "args": {"Addr": 4096, "Bytes": 512, "Device Type": 1, "Device Id": 0}})

with open(os.path.join(HERE, "sample", "traces", "kineto.json"), "w") as f:
    json.dump({"schemaVersion": 1, "distributedInfo": {"rank": 0}, "traceEvents": events}, f, indent=1)
    f.write("\n")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small traces into sample/traces, whose numbers can be worked out by hand.
kineto.json: PyTorch. Two steps; a module, a forward and a backward op joined by their sequence number, a launch with its kernel,
a copy without a launch, Python frames.
shapes.json: PyTorch with input shapes: operators with a formula, ones made of others, one inside another, an unknown one.
plain.json: any other program's. Begin and end events, arguments of every type, two counters, names that outputs must quote."""
import json
import os

DATA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
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

with open(os.path.join(DATA, "sample", "traces", "kineto.json"), "w") as f:
    json.dump({"schemaVersion": 1, "distributedInfo": {"rank": 0}, "traceEvents": events}, f, indent=1)
    f.write("\n")

plain = [{"ph": "M", "name": "thread_name", "pid": 7, "tid": 3, "args": {"name": "worker; of two"}}]
for i in range(3):
    at = 100 * i
    plain.append({"ph": "B", "name": "load", "pid": 7, "tid": 3, "ts": at, "args": {"file": "a \"b\"; c", "size": 12, "share": 0.25}})
    plain.append({"ph": "X", "name": "parse; line", "pid": 7, "tid": 3, "ts": at + 10, "dur": 20.5, "args": {"lines": [1, 2]}})
    plain.append({"ph": "X", "name": "parse; line", "pid": 7, "tid": 3, "ts": at + 40, "dur": 10, "args": {"last": True}})
    plain.append({"ph": "E", "name": "load", "pid": 7, "tid": 3, "ts": at + 60})
    plain.append({"ph": "X", "name": "write \"out\"", "pid": 7, "tid": 4, "ts": at + 70, "dur": 5})
    plain.append({"ph": "C", "name": "heap", "pid": 7, "tid": 3, "ts": at + 5, "args": {"used": 1000 + i, "free": 0.5 * i}})
with open(os.path.join(DATA, "sample", "traces", "plain.json"), "w") as f:
    f.write("[" + ",\n ".join(map(json.dumps, plain)) + "]\n")

shapes = []


def op(name, ts, dur, dims, types, values=None, tid=1, cat="cpu_op", **args):
    told = dict(args)
    if dims is not None:
        told.update({"Input Dims": dims, "Input type": types, "Concrete Inputs": values or [""] * len(dims)})
    shapes.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": told})


op("ProfilerStep#0", 0, 1000, None, None, cat="user_annotation")
op("nn.Module: Net_0", 5, 500, None, None, cat="python_function")
forward = {"Sequence number": 1, "Fwd thread id": 0}
op("aten::linear", 10, 100, [[4, 8], [2, 8], [2]], ["float"] * 3)
op("aten::t", 12, 5, [[2, 8]], ["float"])
op("aten::addmm", 20, 80, [[2], [4, 8], [8, 2], [], []], ["float"] * 3 + ["Scalar"] * 2, **forward)
op("cudaLaunchKernel", 30, 10, None, None, cat="cuda_runtime", correlation=1)
shapes.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 60, "dur": 50,
               "args": {"device": 0, "stream": 7, "correlation": 1, "grid": [1, 1, 1]}})
lists = ["float", "float", "float", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"]
window = ["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"]
op("aten::conv2d", 120, 100, [[1, 2, 6, 6], [3, 2, 3, 3], [3], [], [], [], []], lists[:6] + ["Scalar"], window[:6] + ["1"])
op("aten::convolution", 125, 90, [[1, 2, 6, 6], [3, 2, 3, 3], [3], [], [], [], [], [], []], lists, window)
op("aten::mkldnn_convolution", 130, 80, [[1, 2, 6, 6], [3, 2, 3, 3], [3], [], [], [], []], lists[:6] + ["Scalar"],
   ["", "", "", "[0, 0]", "[1, 1]", "[1, 1]", "1"])
op("aten::matmul", 230, 10, [[5, 6], [6, 7]], ["float"] * 2)
op("my::operator", 250, 20, [[10, 10]], ["double"])
op("aten::_foreach_add_", 280, 10, [[[2, 3], [4]], []], ["TensorList", "Scalar"])
op("aten::convolution", 300, 10, [[1, 2, 6, 6], [3, 2, 3, 3]], ["float"] * 2)
op("AddmmBackward0", 600, 100, [[4, 2]], ["float"], **{"Sequence number": 1, "Fwd thread id": 1})
op("aten::mm", 610, 40, [[4, 2], [2, 8]], ["float"] * 2)
with open(os.path.join(DATA, "sample", "traces", "shapes.json"), "w") as f:
    f.write('{"schemaVersion": 1, "traceEvents": [' + ",\n ".join(map(json.dumps, shapes)) + "]}\n")

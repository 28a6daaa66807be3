#!/usr/bin/env python3
"""Writes small traces into sample/traces, whose numbers can be worked out by hand.
kineto.json: PyTorch. Two steps; a module, a forward and a backward op joined by their sequence number, a launch with its kernel,
a copy without a launch, Python frames.
plain.json: any other program's. Begin and end events, arguments of every type, two counters, names that outputs must quote."""
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

plain = [{"ph": "M", "name": "thread_name", "pid": 7, "tid": 3, "args": {"name": "worker; of two"}}]
for i in range(3):
    at = 100 * i
    plain.append({"ph": "B", "name": "load", "pid": 7, "tid": 3, "ts": at, "args": {"file": "a \"b\"; c", "size": 12, "share": 0.25}})
    plain.append({"ph": "X", "name": "parse; line", "pid": 7, "tid": 3, "ts": at + 10, "dur": 20.5, "args": {"lines": [1, 2]}})
    plain.append({"ph": "X", "name": "parse; line", "pid": 7, "tid": 3, "ts": at + 40, "dur": 10, "args": {"last": True}})
    plain.append({"ph": "E", "name": "load", "pid": 7, "tid": 3, "ts": at + 60})
    plain.append({"ph": "X", "name": "write \"out\"", "pid": 7, "tid": 4, "ts": at + 70, "dur": 5})
    plain.append({"ph": "C", "name": "heap", "pid": 7, "tid": 3, "ts": at + 5, "args": {"used": 1000 + i, "free": 0.5 * i}})
with open(os.path.join(HERE, "sample", "traces", "plain.json"), "w") as f:
    f.write("[" + ",\n ".join(map(json.dumps, plain)) + "]\n")

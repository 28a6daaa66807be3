#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sample/timeline: one step of TensorFlow 1 on a GPU as run metadata, and the timeline.json that
tensorflow.python.client.timeline makes of it: kernels stand under stream:all and under their own stream, copies under memcpy
and their stream."""
import json
import os
import sys

DATA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, DATA)
import wire  # noqa: E402

FOLDER = os.path.join(DATA, "sample", "timeline")
TASK = "/job:localhost/replica:0/task:0/device:"
KERNELS = [("a/Conv2D", "Conv2D#id=1#", 1000100, 400), ("a/Conv2D", "Conv2D#id=2#", 1000500, 100), ("b/MatMul", "MatMul#id=3#", 1000700, 50)]
COPIES = [("edge_9_x", "MEMCPYHtoD#id=4#", 1000010, 80)]
HOST = [("x", "Placeholder", 1000000, 9, []), ("a/w", "VariableV2", 1000002, 3, []), ("say \"hi\"", "Const", 1000006, 1, [])]
SCHEDULED = [("a/Conv2D", "Conv2D", 1000020, 30, ["x", "a/w"]), ("b/MatMul", "MatMul", 1000060, 20, ["a/Conv2D"])]
# device, whether its names are NODE:OP, what ran
DEVICES = [(TASK + "GPU:0", False, SCHEDULED), (TASK + "CPU:0", False, HOST), ("/device:GPU:0/stream:all", True, KERNELS),
           ("/device:GPU:0/stream:14", True, KERNELS), ("/device:GPU:0/memcpy", True, COPIES), ("/device:GPU:0/stream:15", True, COPIES)]


def timeline():
    yield {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "Allocators"}}
    for i, (device, _, _) in enumerate(DEVICES):
        for k, word in enumerate(("Compute", "Tensors")):
            yield {"name": "process_name", "ph": "M", "pid": 1 + 2 * i + k, "args": {"name": "%s %s" % (device, word)}}
    for i, (_, _, runs) in enumerate(DEVICES):
        for run in runs:
            args = {"name": run[0], "op": run[1]}
            args.update(("input%d" % k, name) for k, name in enumerate(run[4] if len(run) > 4 else []))
            yield {"ph": "X", "cat": "Op", "name": run[1], "pid": 1 + 2 * i, "tid": 0, "ts": run[2], "dur": run[3], "args": args}


def text(number, value):
    return number, wire.BYTES, value.encode()


def run_metadata():
    stats = []
    for device, traced, runs in DEVICES:
        nodes = []
        for run in runs:
            node = [text(1, "%s:%s" % run[:2] if traced else run[0]), (2, 0, run[2]), (4, 0, run[3]), (5, 0, run[3])]
            if not traced:
                node.append(text(8, "%s = %s(%s)" % (run[0], run[1], ", ".join(run[4]))))
            nodes.append((2, wire.BYTES, wire.write(node)))
        stats.append((1, wire.BYTES, wire.write([text(1, device)] + nodes)))
    return wire.write([(1, wire.BYTES, wire.write(stats))])


def main():
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, "timeline.json"), "w", encoding="utf-8") as f:
        json.dump({"traceEvents": list(timeline())}, f, indent=1)
    with open(os.path.join(FOLDER, "run_meta.pb"), "wb") as f:
        f.write(run_metadata())


main()

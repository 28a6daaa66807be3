#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes profiles of many steps: every node ran once in each of them. Plain Python.

    steps.py profile OUT STEPS NODES       a ProfileProto; 1000 steps of 10000 nodes are some 590 MB
    steps.py files FOLDER STEPS NODES      graph.pb, and run_meta_0, run_meta_1 ...; 1000 of 10000 nodes are some 590 MB

The times are those of one CPU that runs the nodes one after another, so that both forms tell the same.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from wire import bytes_field, number_field, varint  # noqa: E402

OPS = ["MatMul", "Conv2D", "Relu", "AddV2", "BiasAdd", "Mul", "Softmax", "Transpose"]
DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"
START = 1_700_000_000_000_000  # start of step 0 in microseconds: eight bytes as a varint, like all times here
BYTES = 4096


def name(number):
    return "block_%03d/layer_%d/%s_%d" % (number // 50, number // 10 % 5, OPS[number % len(OPS)].lower(), number)


def duration(number):
    return 2 + number * 7919 % 97


def begins(nodes):
    """The start of each node within its step, and the length of the step."""
    at, out = 0, []
    for number in range(nodes):
        out.append(at)
        at += duration(number) + 1
    return out, at + 100


# ---------------------------------------------------------------- ProfileProto
def exec_entry(step, start, length):
    times = bytes_field(1, bytes_field(1, varint(start) + varint(length)))
    memory = number_field(1, start) + number_field(6, BYTES) + number_field(7, BYTES) + number_field(9, BYTES)
    run = number_field(1, 1) + number_field(2, start) + number_field(3, start + length)
    run += bytes_field(5, bytes_field(1, DEVICE.lower()) + bytes_field(2, times)) + bytes_field(7, memory)
    return bytes_field(12, number_field(1, step) + bytes_field(2, run))


def profile(path, steps, nodes):
    first, step_length = begins(nodes)
    with open(path, "wb") as f:
        f.write(b"".join(number_field(3, step) for step in range(steps)))
        for number in range(nodes):
            op, length = OPS[number % len(OPS)], duration(number)
            data = bytes_field(1, name(number)) + number_field(13, number) + bytes_field(9, op)
            data += bytes_field(6, DEVICE.lower()) + bytes_field(5, op)
            start = START + first[number]
            data += b"".join(exec_entry(step, start + step * step_length, length) for step in range(steps))
            f.write(bytes_field(1, number_field(1, number) + bytes_field(2, data)))


# ---------------------------------------------------------------- GraphDef and RunMetadata
def entry_tail(length):
    allocator = bytes_field(1, "cpu") + number_field(2, BYTES) + number_field(3, BYTES)
    allocation = number_field(1, BYTES) + number_field(2, BYTES)
    output = bytes_field(3, number_field(1, 1) + bytes_field(4, allocation))
    return number_field(4, length) + number_field(5, length + 1) + bytes_field(6, allocator) + bytes_field(7, output)


def files(folder, steps, nodes):
    first, step_length = begins(nodes)
    with open(os.path.join(folder, "graph.pb"), "wb") as f:
        for number in range(nodes):
            f.write(bytes_field(1, bytes_field(1, name(number)) + bytes_field(2, OPS[number % len(OPS)])))
    heads, tails = [], []
    for number in range(nodes):
        head, tail = bytes_field(1, name(number)) + b"\x10", entry_tail(duration(number))
        heads.append(b"\x12" + varint(len(head) + len(varint(START)) + len(tail)) + head)  # node_stats
        tails.append(tail)
    for step in range(steps):
        start, device = START + step * step_length, [bytes_field(1, DEVICE)]
        for head, at, tail in zip(heads, first, tails):
            device += (head, varint(start + at), tail)
        with open(os.path.join(folder, "run_meta_%d" % step), "wb") as f:
            f.write(bytes_field(1, bytes_field(1, b"".join(device))))


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in ("profile", "files"):
        raise SystemExit(__doc__)
    {"profile": profile, "files": files}[sys.argv[1]](sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))

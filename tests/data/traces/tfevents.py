#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sample/event_files: event files of TensorFlow 1 (Python alone). events.out.tfevents.1.host has a graph, curves, and run
metadata of steps 3 and 7, that of 7 twice; events.out.tfevents.2.host has curves only."""
import os
import struct
import sys

DATA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, DATA)
import wire  # noqa: E402

FOLDER = os.path.join(DATA, "sample", "event_files")


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    crc ^= 0xffffffff
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def record(data):
    size = struct.pack("<Q", len(data))
    return size + struct.pack("<I", crc32c(size)) + data + struct.pack("<I", crc32c(data))


def message(*fields):
    return wire.write([(n, wire.BYTES if isinstance(v, (bytes, str)) else wire.VARINT, v.encode() if isinstance(v, str) else v) for n, v in fields])


def event(step, *fields):
    return record(wire.write([(1, wire.FIXED64, 4700000000000000000)]) + message((2, step), *fields))


def node(name, op, *inputs):
    return 1, message((1, name), (2, op), *[(3, i) for i in inputs])


def run(micros):
    stats = [(2, message((1, name), (2, 1000), (4, spent), (5, spent))) for name, spent in (("x", 5), ("product", micros))]
    return message((1, message((1, message((1, "/job:localhost/replica:0/task:0/device:CPU:0"), *stats)))))


def tagged(tag, step, micros):
    return event(step, (8, message((1, tag), (2, run(micros)))))


def main():
    graph = message(node("x", "Placeholder"), node("product", "MatMul", "x", "x"))
    curve = event(1, (5, message((1, message((1, "loss"))))))
    version = event(0, (3, "brain.Event:2"))
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, "events.out.tfevents.1.host"), "wb") as f:
        f.write(version + tagged("first", 3, 100) + event(0, (4, graph)) + curve + tagged("a", 7, 200) + event(0, (4, graph)) + tagged("b", 7, 300))
    with open(os.path.join(FOLDER, "events.out.tfevents.2.host"), "wb") as f:
        f.write(version + curve)


main()

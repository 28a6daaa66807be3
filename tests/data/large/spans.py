#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a profile of many events, for the timeline: spans.py OUT [EVENTS [LANES]]. Plain Python.

A ProfileProto of one step: a thousand nodes in scopes, each of which ran again and again on every lane, with gaps between,
so that a million events are some 11 MB.
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from wire import bytes_field, number_field, varint  # noqa: E402

NODES = 1000
OPS = ["MatMul", "Conv2D", "Relu", "Add", "BiasAdd", "Mul", "Softmax", "Transpose"]
DEVICE = "/job:localhost/replica:0/task:0/device:GPU:%d"


def lane_name(lane):
    return "%s/stream:%d" % (DEVICE % (lane // 8), lane % 8)


def pairs(times):
    return b"".join(bytes_field(1, bytes_field(1, varint(start) + varint(length))) for start, length in times)


def node(number, by_lane):
    """One entry of ProfileProto.nodes; by_lane: the (start, duration) pairs of every lane."""
    op = OPS[number % len(OPS)]
    every = [span for spans in by_lane for span in spans]
    run = number_field(1, len(every)) + number_field(2, min(s for s, _ in every)) + number_field(3, max(s + d for s, d in every))
    for lane, spans in enumerate(by_lane):
        if spans:
            run += bytes_field(4, bytes_field(1, lane_name(lane)) + bytes_field(2, pairs(spans)))
    data = bytes_field(1, "block_%02d/layer_%d/%s_%d" % (number // 50, number // 10 % 5, op.lower(), number))
    data += number_field(13, number) + bytes_field(9, op) + bytes_field(6, DEVICE % 0) + bytes_field(5, op)
    data += bytes_field(12, number_field(1, 1) + bytes_field(2, run))
    return bytes_field(1, number_field(1, number) + bytes_field(2, data))


def make(path, events, lanes):
    dice = random.Random(1)
    runs = [[[] for _ in range(lanes)] for _ in range(NODES)]
    clock = [1_700_000_000_000_000 + dice.randrange(100) for _ in range(lanes)]
    for event in range(events):
        lane = event % lanes
        length = min(400, 1 + int(dice.expovariate(1 / 12)))
        runs[event // lanes * 7 % NODES][lane].append((clock[lane], length))
        clock[lane] += length + (dice.randrange(3) if event % 50 else 200)
    with open(path, "wb") as f:
        f.write(number_field(3, 1))
        for number, by_lane in enumerate(runs):
            if any(by_lane):
                f.write(node(number, by_lane))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        raise SystemExit(__doc__)
    make(sys.argv[1], int((sys.argv[2:] or ["1000000"])[0]), int((sys.argv[3:] or ["16"])[0]))

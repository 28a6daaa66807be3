#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a memory snapshot of PyTorch of about GB gigabytes, to measure its reader: tests/bench/snapshot.py FILE GB

The layout is that of pickle.dump with protocol 4 of what torch records: entries come by the thousand, each a dict whose keys and actions come
from the memo. Each allocation, and each free, has a list of its own of 30 frames from the memo; a free is two entries with one list. Some 200
blocks are held at a time, at addresses that come again, and one allocation in 1,000 stays to the end."""
import os
import random
import struct
import sys

KEYS = ["action", "addr", "size", "stream", "time_us", "frames", "alloc", "free_requested", "free_completed"]
FRAMES, STACKS, DEPTH, LIVE = 3000, 2000, 30, 200
BASE, BEGAN = 0x7F0000000000, 1700000000000000
FRAME_BYTES, BATCH = 1 << 16, 1000


class Writer:
    """Writes opcodes in frames, like CPython."""
    def __init__(self, file):
        self.file, self.parts, self.size, self.memo = file, [], 0, 0

    def put(self, data):
        self.parts.append(data)
        self.size += len(data)
        if self.size >= FRAME_BYTES:
            self.end_frame()

    def end_frame(self):
        self.file.write(b"\x95" + struct.pack("<Q", self.size) + b"".join(self.parts))
        self.parts, self.size = [], 0

    def memoize(self, data):
        """Writes opcodes that leave a value, and memoizes it; returns the opcode that loads it
        again."""
        self.put(data + b"\x94")
        self.memo += 1
        return b"h" + bytes([self.memo - 1]) if self.memo <= 256 else b"j" + struct.pack("<I", self.memo - 1)


def text(value):
    return b"\x8c" + bytes([len(value)]) + value.encode()


def whole(value):
    """An int as pickle writes it."""
    if value < 256:
        return b"K" + bytes([value])
    if value < 1 << 16:
        return b"M" + struct.pack("<H", value)
    if value < 1 << 31:
        return b"J" + struct.pack("<i", value)
    data = value.to_bytes(value.bit_length() // 8 + 1, "little")
    return b"\x8a" + bytes([len(data)]) + data


def stacks(out):
    """Memoizes the frames once, in a list that the snapshot has beside the entries; returns the items of each stack."""
    words = {}
    for word in ("filename", "line", "name"):
        words[word] = out.memoize(text(word))
        out.put(b"0")
    out.memoize(b"]")
    frames = []
    for i in range(FRAMES):
        out.put(b"" if i else b"(")
        got = out.memoize(b"}")
        where = "/home/me/model" if i % 5 == 0 else "/opt/site-packages/torch/nn/modules/layer"
        out.put(b"(" + words["filename"])
        out.memoize(text(f"{where}_{i % 97}.py"))
        out.put(words["line"] + whole(10 + i) + words["name"])
        out.memoize(text(f"forward_{i % 300}"))
        out.put(b"u")
        frames.append(got)
    out.put(b"e")
    chosen = random.Random(31)
    return [b"".join(chosen.choices(frames, k=DEPTH)) for _ in range(STACKS)]


def entries(out, file, most):
    keys = {}
    for key in KEYS:
        keys[key] = out.memoize(text(key))
        out.put(b"0")
    items = stacks(out)
    out.put(b"0")
    head = {action: b"}\x94(" + keys["action"] + keys[action] + keys["addr"] for action in ("alloc", "free_requested", "free_completed")}
    size_key, rest, frames = keys["size"], keys["stream"] + b"K\x00" + keys["time_us"], keys["frames"]
    chosen, held, stayed, free, n, peak, now = random.Random(7), [], [], [], 0, 0, 0
    out.put(b"]\x94(")

    def entry(action, address, size, stack):
        nonlocal n
        n += 1
        if n % BATCH == 0:
            out.put(b"e(")
        out.memo += 1
        out.put(head[action] + whole(address) + size_key + whole(size) + rest + whole(BEGAN + n) + stack)

    def stack_of_its_own():
        out.memo += 1
        return frames + b"]\x94(" + items[chosen.randrange(STACKS)] + b"eu"

    out.memo += 1
    while file.tell() < most:
        for _ in range(10000):
            size, at = 512 * chosen.randrange(1, 40000), free.pop() if free else BASE + ((len(held) + len(stayed)) << 25)
            entry("alloc", at, size, stack_of_its_own())
            now += size
            peak = max(peak, now)
            (held if chosen.randrange(1000) else stayed).append((at, size))
            if len(held) > LIVE:
                address, size = held.pop(chosen.randrange(LIVE))
                entry("free_requested", address, size, stack_of_its_own())
                entry("free_completed", address, size, frames + b"j" + struct.pack("<I", out.memo - 1) + b"u")
                free.append(address)
                now -= size
    out.put(b"e")
    return n, stayed + held, peak


def segments(out, held):
    """Blocks that are held at the end are in segments of up to 1,000 blocks."""
    word = {key: text(key) for key in ("device", "address", "total_size", "stream", "segment_type", "blocks", "size", "requested_size", "state")}
    for first in range(0, len(held), 1000):
        blocks = held[first:first + 1000]
        total = sum(size for _, size in blocks)
        out.put(b"}(" + word["device"] + b"K\x00" + word["address"] + whole(blocks[0][0]) + word["total_size"] + whole(total) +
                word["stream"] + b"K\x00" + word["segment_type"] + text("large") + word["blocks"] + b"](")
        for address, size in blocks:
            out.put(b"}(" + word["address"] + whole(address) + word["size"] + whole(size) + word["requested_size"] + whole(size) +
                    word["state"] + text("active_allocated") + b"u")
        out.put(b"eu")


def write(path, most):
    """-> entries, blocks held at the end, bytes held at the peak."""
    with open(path, "wb") as file:
        file.write(b"\x80\x04")
        out = Writer(file)
        out.put(b"}\x94(" + text("device_traces") + b"\x94]\x94")
        out.memo = 3
        n, held, peak = entries(out, file, most)
        out.put(b"a" + text("segments") + b"\x94](")
        segments(out, held)
        out.put(b"eu.")
        out.end_frame()
    return n, len(held), peak


if __name__ == "__main__":
    print("%d entries, %d blocks held at the end, %d bytes at the peak" % write(sys.argv[1], float(sys.argv[2]) * 1e9), os.path.getsize(sys.argv[1]), "bytes")

# SPDX-License-Identifier: Apache-2.0
"""Seeds of fuzz_whatif: jobs and timelines of pipelines, in the bytes from which it makes them."""
import struct

OP, LAUNCH, SYNC, EVENT, KERNEL, NCCL, COPY, ROW, GLOO, RANGE, FRAME, STEP = range(12)


def head(pipeline=False, ranks=1, changes=()):
    return bytes([3 if pipeline else 0, ranks - 1, len(changes), *changes] + [0] * (5 - len(changes)))


def span(kind, lane, rank, start, duration, key=0, name=0, more=0):
    wide = min(3, -(-duration // 255) // 40 + (duration > 255))
    scale = 1 + wide * 40
    return struct.pack("<BBHBBBB", kind, lane | wide << 2 | rank << 4, start & 0xffff, min(255, duration // scale), key & 255, name, more)


def job(ranks, steps=2, events=True, wait=True, backward=False):
    """Steps of launches and kernels, a collective behind events, a wait at the end."""
    out, key = b"", 0
    for step in range(steps):
        for rank in range(ranks):
            at = 1000 * step + 40 * rank
            out += span(STEP, 0, rank, at, 900, step) + span(RANGE, 0, rank, at + 2, 90, 0, step & 1)
            out += span(FRAME, 0, rank, at + 99, 300, 0, 3) + span(FRAME, 0, rank, at + 99, 290)
            device = at + 110
            for i in range(4):
                key += 1
                begin = at + 100 + 40 * i
                thread = 1 if backward and i > 1 else 0
                out += span(OP, thread, rank, begin, 30, 0, i & 1) + span(LAUNCH, thread, rank, begin + 5, 8, key)
                out += span(KERNEL, 0, rank, max(device, begin + 12), 100, key, i & 1)
                device = max(device, begin + 12) + 101
            record, waits, key = key + 1, key + 2, key + 3
            if events:
                out += span(EVENT, 0, rank, at + 300, 1, record) + span(EVENT, 0, rank, at + 302, 1, waits, 1)
                out += span(ROW, 1, rank, at + 302, 1, waits, record << 2 & 255)
            out += span(OP, 0, rank, at + 310, 20, 0, 2) + span(LAUNCH, 0, rank, at + 312, 5, key)
            out += span(NCCL, 1, rank, device + 2, 200, key, step << 2, 3)
            if wait:
                key += 1
                out += span(SYNC, 0, rank, at + 340, 500, key, 0) + span(COPY, 0, rank, device + 210, 20, key, 1)
    return out


def hosts(ranks=2):
    out = b""
    for step in range(2):
        for rank in range(ranks):
            at = 1000 * step + 50 * rank
            out += span(STEP, 0, rank, at, 800, step) + span(RANGE, 0, rank, at + 2, 150) + span(GLOO, 0, rank, at + 160, 60, 0, 3)
            out += span(OP, 0, rank, at + 230, 100) + span(OP, 0, rank, at + 340, 20, 0, 2) + span(GLOO, 2, rank, at + 365, 200 - 50 * rank)
            out += span(OP, 1, rank, at + 580, 100, 0, 1)
    return out


def pipeline(steps=2, stages=2, micro=2):
    out = b""
    for step in range(steps):
        for rank in range(2):
            for stage in range(stages):
                for i in range(micro):
                    at = 2000 * step + 500 * i + 100 * stage
                    name = i | 16
                    for kind, offset, length in ((0, 0, 80), (2, 80, 10), (3, 90, 10), (1, 200, 150), (4, 360, 10), (5, 370, 10)):
                        out += span(kind, stage, rank, at + offset, length, step, name)
                for kind, offset in ((6, 0), (7, 1300), (8, 1350), (9, 1400), (10, 1420), (11, 1440), (12, 1480), (13, 1500)):
                    out += span(kind, stage, rank, 2000 * step + offset, 20, step, 16)
    return out


def seeds():
    yield "one", head() + job(1)
    yield "two", head(ranks=2, changes=(0, 12, 13)) + job(2)
    yield "three", head(ranks=3, changes=(17, 18)) + job(3, events=False)
    yield "backward", head(changes=(4, 5, 8)) + job(1, backward=True)
    yield "queue", head(changes=(22, 23)) + job(1, steps=1, wait=False)
    yield "hosts", head(ranks=2) + hosts()
    yield "hosts_changed", head(ranks=2, changes=(3, 10, 25, 17)) + hosts()
    yield "pipeline", head(pipeline=True) + pipeline()
    yield "pipeline_kept", head(pipeline=True, changes=(17, 19, 20, 31)) + pipeline(stages=4)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a training job of two ranks without devices on paper and writes what PyTorch's profiler would have recorded of it into
sample/hosts: threads of gloo broadcast buffers and reduce gradients beside the thread of the steps. A changed job can be run, too, as
with jobs.py. Times are microseconds."""
import os

from jobs import write

DATA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STEPS = 3
# the delay until gloo's thread takes a collective, until a waiting thread continues, and between two collectives of a thread
PICKED, WOKEN, NEXT = 15, 25, 5


def job(data=(100, 100), augment=(50, 50), forward=(200, 200), backward=(300, 300), reduce_us=(400, 250), broadcast=True):
    """`data`, `augment`, `forward`, `backward`: of each rank. `reduce_us`: of both collectives, once both ranks are there."""
    return dict(data=data, augment=augment, forward=forward, backward=backward, reduce_us=reduce_us, broadcast=broadcast)


class Rank:
    def __init__(self, number):
        self.number, self.now, self.events, self.free = number, 100.0, [], 0.0

    def add(self, cat, name, start, end, tid=1):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": round(start, 3), "dur": round(end - start, 3),
                            "args": {}})

    def spend(self, cat, name, us):
        start, self.now = self.now, self.now + us
        self.add(cat, name, start, self.now)
        self.now += 2

    def ask(self, name):
        """Passes a collective to gloo; returns the time at which its thread begins."""
        self.spend("cpu_op", name, 20)
        begin = max(self.now - 2 + PICKED, self.free + NEXT)
        return begin

    def resume(self, end):
        self.now = max(self.now, end + WOKEN)


def reduce(ranks, begun, us):
    end = max(begun) + us
    for r, begin in zip(ranks, begun):
        r.add("user_annotation", "gloo:all_reduce", begin, end, 5)
        r.free = end
    return end


def broadcast(ranks):
    """The first rank sends and continues; the other waits for the data."""
    begun = [r.ask("c10d::broadcast_") for r in ranks]
    ends = [begun[0] + 30, max(begun) + 40]
    for r, begin, end in zip(ranks, begun, ends):
        r.add("user_annotation", "gloo:broadcast", begin, end, 5)
        r.free = end
        r.resume(end)


def run_step(ranks, what, step):
    for r in ranks:
        r.begin = r.now
        r.now += 2
        r.spend("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", what["data"][r.number])
        r.spend("user_annotation", "augment", what["augment"][r.number])
    if what["broadcast"]:
        broadcast(ranks)
    first = []
    for r in ranks:
        module = r.now
        for _ in range(2):
            r.spend("cpu_op", "aten::addmm", what["forward"][r.number])
        r.add("python_function", "nn.Module: Net_0", module, r.now)
        r.now += 5
        r.spend("cpu_op", "aten::mm", what["backward"][r.number])
        first.append(r.ask("c10d::allreduce_"))
        r.spend("cpu_op", "aten::mm", what["backward"][r.number])
    end = reduce(ranks, first, what["reduce_us"][0])
    end = reduce(ranks, [r.ask("c10d::allreduce_") for r in ranks], what["reduce_us"][1])
    for r in ranks:
        r.resume(end)
        r.spend("cpu_op", "aten::add_", 40)
        r.now += 5
        r.add("user_annotation", f"ProfilerStep#{step}", r.begin, r.now)


def run(what):
    ranks = [Rank(0), Rank(1)]
    for step in range(STEPS):
        run_step(ranks, what, step)
    return ranks


def step_us(what):
    return (max(r.now for r in run(what)) - 100) / STEPS


def write_job(folder, what, clock=70000.0):
    """Writes the traces of both ranks; rank 1 has another clock. Returns their paths."""
    paths = []
    for r in run(what):
        events = sorted(r.events, key=lambda e: (e["ts"], -e["dur"]))
        paths.append(os.path.join(folder, f"rank{r.number}.json"))
        write(paths[-1], {"schemaVersion": 1, "distributedInfo": {"backend": "gloo", "rank": r.number, "world_size": 2},
                          "traceEvents": [dict(e, ts=round(e["ts"] + clock * r.number, 3)) for e in events]})
    return paths


SLOW = job(data=(100, 160), augment=(50, 400), backward=(300, 340))

if __name__ == "__main__":
    out = os.path.join(DATA, "sample", "hosts")
    os.makedirs(out, exist_ok=True)
    write_job(out, SLOW)

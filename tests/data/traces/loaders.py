#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a training loop on paper that a data loader with workers feeds, and writes what PyTorch's profiler would have recorded of it
into sample/loaders: with workers that keep up, with workers that set the pace (two, or a single one, also with frames), and with one late batch. A changed
loop can be run, too, as with jobs.py. Times are microseconds."""
import os

from jobs import write

DATA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NEXT = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def job(workers=2, ahead=2, make=1000, late=None, take=150, forward=1200, backward=1800, steps=8, frames=False):
    """`ahead`: batches that each worker makes in advance. `late`: {batch: further time that a worker needs for it}. `frames`:
    with Python's frames, of which one only waits."""
    return dict(workers=workers, ahead=ahead, make=make, late=late or {}, take=take, forward=forward, backward=backward, steps=steps,
                frames=frames)


class Loader:
    def __init__(self, what):
        self.what, self.ready, self.free = what, [], [0.0] * what["workers"]
        for _ in range(what["workers"] * what["ahead"]):
            self.order(0.0)

    def order(self, now):
        """Asks the next worker in turn for the next batch."""
        number = len(self.ready)
        worker = number % self.what["workers"]
        # batches differ a little, as real ones do
        us = self.what["make"] * (1 + (number * 7 % 5 - 2) / 50) + self.what["late"].get(number, 0)
        self.free[worker] = max(now, self.free[worker]) + us
        self.ready.append(self.free[worker])


def run(what):
    """-> the recorded spans (category, name, start, end), and the end of the last step"""
    loader, now, spans = Loader(what), 0.0, []

    def spend(cat, name, until):
        nonlocal now
        spans.append((cat, name, now, until))
        now = until + 4

    for step in range(what["steps"]):
        begin = now
        if what["frames"]:
            spans.append(("python_function", "multiprocessing/queues.py(98): get", now, max(now, loader.ready[step]) + what["take"] - 9))
            spans.append(("python_function", "<built-in method poll of select.poll object at 0x7f0>", now, max(now, loader.ready[step])))
        spend("user_annotation", NEXT, max(now, loader.ready[step]) + what["take"])
        loader.order(now)
        for name, us in (("aten::addmm", what["forward"]), ("aten::mm", what["backward"])):
            if us:
                spend("cpu_op", name, now + us)
        spans.append(("user_annotation", f"ProfilerStep#{step}", begin, now))
    return spans, now


def step_us(what):
    return run(what)[1] / what["steps"]


def write_job(folder, what, clock=70000.0, name="loader"):
    path = os.path.join(folder, f"{name}.json")
    events = [{"ph": "X", "cat": cat, "name": span, "pid": 1, "tid": 1, "ts": round(start + abs(clock), 3), "dur": round(end - start, 3),
               "args": {}} for cat, span, start, end in sorted(run(what)[0], key=lambda s: (s[2], -s[3]))]
    write(path, {"schemaVersion": 1, "traceEvents": events})
    return [path]


SAMPLES = {"ahead": job(), "late": job(late={5: 14000}), "paced": job(make=8000), "paced_by_one": job(workers=1, make=7000),
           "framed": job(workers=1, make=4000, frames=True)}

if __name__ == "__main__":
    out = os.path.join(DATA, "sample", "loaders")
    os.makedirs(out, exist_ok=True)
    for name, what in SAMPLES.items():
        write_job(out, what, name=name)

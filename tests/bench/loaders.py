#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants operations in training loops that a data loader with workers feeds (PyTorch, CPU), asks `tfprof whatif` what a step would take
without them, and runs the loops without them: loaders.py PROGRAM [CASE...]. Needs torch. Prints a table in Markdown;
the last line says how many steps were predicted within 10 %.

The workers sleep for each batch, and so do most planted operations, so that other programs on the machine disturb little. Blocks
with and without the operation run in turns and without a profiler; a step is the median over blocks of a block's mean step."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.data import DataLoader, Dataset

WARM, STEPS, TURNS = 10, 16, 3
TOLERANCE = 0.1


class Items(Dataset):
    """Each item is a batch; making one takes `make` ms, and the one in the middle `late` ms longer."""

    def __init__(self, make, late):
        self.make, self.late = make, late

    def __len__(self):
        return 100000

    def __getitem__(self, i):
        time.sleep((self.make + (self.late if i == WARM + STEPS // 2 else 0)) / 1000)
        return torch.ones(64, 256)


def spin(ms):
    end = time.perf_counter() + ms / 1000
    while time.perf_counter() < end:
        pass


# name: workers, ms to make a batch, ms of the planted operation and of the rest of the step, further ms for a batch in the middle, whether
# the operation spins, options, the share of the operation that is left (None: no loader), batches that a worker makes in advance
def case(workers, make, op, rest=12, late=0, spins=False, options=("-faster", "planted=0"), left=0.0, ahead=2):
    return dict(workers=workers, make=make, op=op, rest=rest, late=late, spins=spins, options=options, left=left, ahead=ahead)


HALF = dict(options=("-faster", "planted=2"), left=0.5)
CASES = {
    "ahead, 20 ms": case(2, 8, 20),
    "ahead, 40 ms": case(2, 8, 40),
    "ahead, one worker": case(1, 6, 20),
    "ahead, four workers": case(4, 20, 25),
    "ahead, half as long": case(2, 8, 30, **HALF),
    "ahead, a busy loop": case(2, 8, 20, spins=True),
    "ahead, a short operation": case(2, 6, 8),
    "ahead, six in advance": case(2, 10, 25, ahead=6),
    "ahead, a long step": case(2, 20, 30, rest=30),
    "starved, 15 ms": case(2, 110, 15),
    "starved, one worker": case(1, 55, 15),
    "starved, four workers": case(4, 220, 20),
    "starved, half as long": case(2, 110, 20, **HALF),
    "starved, a busy loop": case(2, 110, 12, spins=True),
    "starved, six in advance": case(2, 110, 15, ahead=6),
    "starved, no wait for data": case(2, 110, 10, options=("-input", "0"), left=None),
    "one late batch, 20 ms": case(2, 8, 20, late=250),
    "one late batch, half as long": case(2, 8, 30, late=300, **HALF),
    "one late batch, four workers": case(4, 20, 25, late=400),
    "one late batch, one worker": case(1, 6, 20, late=120),
}


class Job:
    def __init__(self, what, share, fed=True):
        self.what, self.share = what, share
        if fed:
            data = DataLoader(Items(what["make"], what["late"]), batch_size=None, num_workers=what["workers"],
                              prefetch_factor=what["ahead"])
            self.next = iter(data).__next__
        else:
            batch = torch.ones(64, 256)
            self.next = lambda: batch
        self.weight = torch.ones(256, 256) / 256

    def step(self):
        x = self.next()
        with record_function("planted"):
            (spin if self.what["spins"] else lambda ms: time.sleep(ms / 1000))(self.what["op"] * self.share)
        with record_function("rest"):
            torch.tanh(x @ self.weight)
            time.sleep(self.what["rest"] / 1000)


def run(what, share, path=None, fed=True):
    """The mean step once as many batches are there as the workers make in advance."""
    job = Job(what, share, fed)
    for _ in range(WARM):
        job.step()
    if path is None:
        start = time.perf_counter()
        for _ in range(STEPS):
            job.step()
        return (time.perf_counter() - start) / STEPS * 1000
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=0, active=STEPS, repeat=1),
                 on_trace_ready=lambda p: p.export_chrome_trace(path)) as p:
        for _ in range(STEPS):
            job.step()
            p.step()
    return None


def predict(program, path, options):
    out = subprocess.run([program, "whatif", path, *options, "-format", "json"], capture_output=True, text=True)
    if out.returncode:
        raise SystemExit(out.stderr)
    rows = json.loads(out.stdout)["rows"]
    return rows[0]["step_us"] / 1000, rows[-1]["step_us"] / 1000


def main():
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(CASES)
    torch.set_num_threads(1)
    good = 0
    print("| case | today | recorded | without | predicted | error |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        folder = os.environ.get("KEEP", folder)
        for number, name in enumerate(names):
            what = CASES[name]
            today, after = [], []
            for _ in range(TURNS):
                today.append(run(what, 1))
                after.append(run(what, what["left"]) if what["left"] is not None else run(what, 1, fed=False))
            path = os.path.join(folder, f"{number}.json")
            run(what, 1, path)
            recorded, predicted = predict(program, path, what["options"])
            true = statistics.median(after) + recorded - statistics.median(today)  # what the profiler adds stays
            error = (predicted - true) / true
            good += abs(error) <= TOLERANCE
            print(f"| {name} | {statistics.median(today):.1f} | {recorded:.1f} | {statistics.median(after):.1f} | {predicted:.1f} "
                  f"| {100 * error:+.1f} % |", flush=True)
    print(f"{good} of {len(names)} steps predicted within {100 * TOLERANCE:.0f} %")
    return good < 0.9 * len(names)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates jobs of two ranks (tests/data/traces/jobs.py, and hosts.py without devices) and loops with data loaders (loaders.py), and
again with a change, and asks `tfprof whatif` to predict the second from the trace of the first: replayed.py PROGRAM. The prediction
may be off by 1 % of a step (5 % with loaders); the last line is `N passed, N failed`."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "traces"))
import hosts  # noqa: E402
import jobs  # noqa: E402
import loaders  # noqa: E402

DEVICES = {
    "gemm": (["-faster", "gemm.*=3"], lambda w: dict(w, gemm=tuple(us / 3 for us in w["gemm"]))),
    "slower": (["-faster", "gemm.*=0.5"], lambda w: dict(w, gemm=tuple(us * 2 for us in w["gemm"]))),
    "reduce": (["-link", "comm=4x"], lambda w: dict(w, reduce_us=w["reduce_us"] / 4)),
    "no_sync": (["-no-sync"], lambda w: dict(w, wait=False)),
    "overlap": (["-overlap", "comm"], lambda w: dict(w, beside=True)),
    "input": (["-input", "0"], lambda w: dict(w, data=(0, 0))),
    "launch": (["-launch", "2us"], lambda w: dict(w, launch=min(2, w["launch"]))),
    "ideal": (["-ideal", "stragglers"], lambda w: dict(w, **{k: (sum(w[k]) / 2,) * 2 for k in ("gemm", "host", "data")})),
    "line": (["-faster", r"model/net\.py:12=3"], lambda w: dict(w, forward_us=tuple(us / 3 for us in w["gemm"]))),
    "two": (["-faster", "gemm.*=3", "-no-sync"], lambda w: dict(w, gemm=tuple(us / 3 for us in w["gemm"]), wait=False)),
}


def halves(pair):
    return (sum(pair) / 2,) * 2


HOSTS = {
    "range": (["-faster", "augment=0"], lambda w: dict(w, augment=(0, 0))),
    "host": (["-faster", "host:augment=2"], lambda w: dict(w, augment=tuple(us / 2 for us in w["augment"]))),
    "rank": (["-faster", "rank:1/augment=0"], lambda w: dict(w, augment=(w["augment"][0], 0))),
    "op": (["-faster", "aten::mm=4"], lambda w: dict(w, backward=tuple(us / 4 for us in w["backward"]))),
    "slower": (["-faster", "aten::addmm=0.5"], lambda w: dict(w, forward=tuple(us * 2 for us in w["forward"]))),
    "reduce": (["-faster", "gloo:all_reduce=2"], lambda w: dict(w, reduce_us=tuple(us / 2 for us in w["reduce_us"]))),
    "input": (["-input", "0"], lambda w: dict(w, data=(0, 0))),
    "ideal": (["-ideal", "stragglers"], lambda w: dict(w, **{k: halves(w[k]) for k in ("data", "augment", "forward", "backward")})),
}


LOADERS = {
    "op": (["-faster", "aten::addmm=0"], lambda w: dict(w, forward=0)),
    "half": (["-faster", "aten::mm=2"], lambda w: dict(w, backward=w["backward"] / 2)),
    "input": (["-input", "0"], lambda w: dict(w, make=0, late={}, take=0)),
}


def pair_of(draw, least, most):
    return draw.uniform(least, most), draw.uniform(least, most)


def device_job(draw):
    return jobs.job(gemm=pair_of(draw, 10, 400), host=pair_of(draw, 5, 60), reduce_us=draw.uniform(20, 900),
                    data=pair_of(draw, 0, 300), launch=draw.uniform(3, 12), frames=True)


def host_job(draw):
    return hosts.job(data=pair_of(draw, 20, 300), augment=pair_of(draw, 20, 900), forward=pair_of(draw, 10, 400),
                     backward=pair_of(draw, 10, 600), reduce_us=pair_of(draw, 20, 900), broadcast=draw.random() < 0.5)


def ask(program, paths, options):
    out = subprocess.run([program, "whatif", *paths, *options, "-format", "json"], capture_output=True, text=True, timeout=120)
    if out.returncode:
        return None, out.stderr.strip()
    return json.loads(out.stdout)["rows"], ""


def loader_job(draw):
    """Workers that keep up after each change, too, or that already set the pace before it."""
    forward, backward, workers = draw.uniform(1000, 3000), draw.uniform(1000, 3000), draw.randint(1, 4)
    pace = draw.choice([draw.uniform(0.1, 0.9) * min(forward, backward / 2), (2 * forward + backward) * draw.uniform(1.2, 2)])
    return loaders.job(workers=workers, make=pace * workers, take=draw.uniform(50, 200), forward=forward, backward=backward, steps=12)


def check(program, world, what, changes, tolerance, clock, label):
    """-> the number of changes with a right prediction, and with a wrong one"""
    passed = 0
    today = world.step_us(what)
    with tempfile.TemporaryDirectory() as folder:
        paths = world.write_job(folder, what, clock)
        for name, (options, change) in changes.items():
            rows, why = ask(program, paths, options)
            true = world.step_us(change(what))
            good = rows and abs(rows[-1]["step_us"] - true) <= tolerance * today and abs(rows[0]["step_us"] - today) <= 0.001 * today
            passed += bool(good)
            if not good:
                print(f"{label}, {name}: {why or rows[-1]['step_us']}, true {true:.1f}, today {today:.1f}")
    return passed, len(changes) - passed


def main():
    program, passed, failed = os.path.abspath(sys.argv[1]), 0, 0
    # how late a batch is that a changed loop waits for depends on what the trace does not tell
    for world, make, changes, tolerance in ((jobs, device_job, DEVICES, 0.01), (hosts, host_job, HOSTS, 0.01),
                                            (loaders, loader_job, LOADERS, 0.05)):
        draw = random.Random(5)
        for number in range(8):
            good, bad = check(program, world, make(draw), changes, tolerance, draw.uniform(-5e5, 5e5), f"{world.__name__} {number}")
            passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

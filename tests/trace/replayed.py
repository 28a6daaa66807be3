#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs jobs of two ranks on paper (tests/data/jobs.py), and again with a change, and asks `tfprof whatif` to predict the second from the
trace of the first: replayed.py PROGRAM. The prediction may be off by 1 % of a step; the last line is `N passed, N failed`."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data"))
import jobs  # noqa: E402

CHANGES = {
    "gemm": (["-faster", "gemm.*=3"], lambda w: dict(w, gemm=tuple(us / 3 for us in w["gemm"]))),
    "slower": (["-faster", "gemm.*=0.5"], lambda w: dict(w, gemm=tuple(us * 2 for us in w["gemm"]))),
    "reduce": (["-link", "comm=4x"], lambda w: dict(w, reduce_us=w["reduce_us"] / 4)),
    "no_sync": (["-no-sync"], lambda w: dict(w, wait=False)),
    "overlap": (["-overlap", "comm"], lambda w: dict(w, beside=True)),
    "input": (["-input", "0"], lambda w: dict(w, data=(0, 0))),
    "launch": (["-launch", "2us"], lambda w: dict(w, launch=min(2, w["launch"]))),
    "ideal": (["-ideal", "stragglers"], lambda w: dict(w, **{k: (sum(w[k]) / 2,) * 2 for k in ("gemm", "host", "data")})),
    "two": (["-faster", "gemm.*=3", "-no-sync"], lambda w: dict(w, gemm=tuple(us / 3 for us in w["gemm"]), wait=False)),
}


def ask(program, paths, options):
    out = subprocess.run([program, "whatif", *paths, *options, "-format", "json"], capture_output=True, text=True, timeout=120)
    if out.returncode:
        return None, out.stderr.strip()
    return json.loads(out.stdout)["rows"], ""


def main():
    program, passed, failed = os.path.abspath(sys.argv[1]), 0, 0
    draw = random.Random(5)
    for number in range(8):
        what = jobs.job(gemm=tuple(draw.uniform(10, 400) for _ in range(2)), host=tuple(draw.uniform(5, 60) for _ in range(2)),
                        reduce_us=draw.uniform(20, 900), data=tuple(draw.uniform(0, 300) for _ in range(2)),
                        launch=draw.uniform(3, 12))
        today = jobs.step_us(what)
        with tempfile.TemporaryDirectory() as folder:
            paths = jobs.write_job(folder, what, draw.uniform(-5e5, 5e5))
            for name, (options, change) in CHANGES.items():
                rows, why = ask(program, paths, options)
                true = jobs.step_us(change(what))
                good = rows and abs(rows[-1]["step_us"] - true) <= 0.01 * today and abs(rows[0]["step_us"] - today) <= 0.001 * today
                passed, failed = passed + bool(good), failed + (not good)
                if not good:
                    print(f"job {number}, {name}: {why or rows[-1]['step_us']}, true {true:.1f}, today {today:.1f}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

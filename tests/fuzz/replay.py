#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays seeds, their deterministic mutants and all regressions through the fuzz targets of a build.

    tests/fuzz/replay.py BUILD [-m MUTANTS] [-s SEED] [TARGET ...]

Each run of an input counts as a test. An input that kills a target is kept in BUILD/fuzz-failed/.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = sorted(os.path.basename(path)[len("fuzz_"):-len(".c")] for path in glob.glob(os.path.join(HERE, "*", "fuzz_*.c")))


def inputs(seeds, target):
    for folder in (os.path.join(seeds, target), os.path.join(HERE, "regressions", target)):
        if os.path.isdir(folder):
            yield from (os.path.join(folder, name) for name in sorted(os.listdir(folder)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("targets", nargs="*")
    parser.add_argument("-m", type=int, default=150, help="mutants of each file")
    parser.add_argument("-s", type=int, default=0, help="seed of the mutants")
    parser.add_argument("--seconds", type=float, default=120, help="for one file with its mutants")
    asked = parser.parse_args()
    scratch = tempfile.mkdtemp(prefix="tfprof_replay_")
    trace = os.path.join(scratch, "trace")
    environment = dict(os.environ, TFP_REPLAY_TRACE=trace)
    subprocess.run([sys.executable, os.path.join(HERE, "seeds", "seeds.py"), scratch, os.path.join(asked.build, "tfprof")],
                   check=True)
    program = os.path.join(asked.build, "tests", "fuzz", "replay")
    passed = failed = 0
    for target in asked.targets or TARGETS:
        for path in inputs(scratch, target):
            try:
                done = subprocess.run([program, "-m", str(asked.m), "-s", str(asked.s), target, path], env=environment,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=asked.seconds)
                status, told, ran = done.returncode, done.stderr.decode("utf-8", "replace"), done.stdout.decode()
            except subprocess.TimeoutExpired:
                status, told, ran = "too slow", "", ""
            runs = re.search(r"(\d+) runs", ran)
            if status == 0 and runs:
                passed += int(runs[1])
                continue
            failed += 1
            kept = os.path.join(asked.build, "fuzz-failed", "%s-%s" % (target, os.path.basename(path)))
            os.makedirs(os.path.dirname(kept), exist_ok=True)
            if os.path.exists(trace):
                shutil.copy(trace, kept)
            lines = [l for l in told.splitlines() if re.search(r"ERROR|error:|promise|SUMMARY|#[0-9] .* in (tfp|[a-z_]+) ", l)]
            print("%s %s: %s; input kept as %s\n  %s" % (target, os.path.basename(path), status, kept,
                                                         "\n  ".join(lines[:12])))
    shutil.rmtree(scratch)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

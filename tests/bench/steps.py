#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures profiles of many steps, whose cost is to be linear in the executions (a node in a step):
tests/bench/steps.py BUILD

Each row is a whole `op` command over steps of NODES nodes, as a ProfileProto and as one run metadata file a step: a quarter of
STEPS, half of them, all. The time of an execution should stay the same. The default is 1,000 steps of 10,000 nodes, which
takes some 2 GB of disk. (tests/growth/run.py is the test that costs are linear, on small inputs.)
"""
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAKE = os.path.join(ROOT, "tests", "data", "large", "steps.py")
STEPS, NODES = int(os.environ.get("STEPS", "1000")), int(os.environ.get("NODES", "10000"))


def measure(words, threads=None, times=3):
    """The shortest wall time and processor time of several runs, in seconds, and the least memory, in
    bytes."""
    environment = dict(os.environ, TFPROF_THREADS=threads) if threads else None
    best = None
    for _ in range(times):
        start = time.monotonic()
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit("status %d from %s" % (process.returncode, " ".join(words)[:200]))
        now = (time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
        best = tuple(map(min, best or now, now))
    return best


def make(form, path, steps, nodes):
    subprocess.run([sys.executable, MAKE, form, path, str(steps), str(nodes)], check=True)


def metas(folder, steps):
    runs = ",".join(os.path.join(folder, "run_meta_%d" % step) for step in range(steps))
    return ["--graph_path=" + os.path.join(folder, "graph.pb"), "--run_meta_path=" + runs]


def inputs(scratch, counts, nodes):
    """(name, for each count the options that name the files)"""
    profiles = []
    for steps in counts:
        path = os.path.join(scratch, "profile_%d" % steps)
        make("profile", path, steps, nodes)
        profiles.append(["--profile_path=" + path])
    yield "ProfileProto", profiles
    for options in profiles:
        os.unlink(options[0].split("=", 1)[1])
    make("files", scratch, counts[-1], nodes)
    yield "RunMetadata", [metas(scratch, steps) for steps in counts]


def main(program):
    with tempfile.TemporaryDirectory(prefix="tfprof_steps_") as scratch:
        counts = (STEPS // 4, STEPS // 2, STEPS)
        for name, many in inputs(scratch, counts, NODES):
            for steps, options in zip(counts, many):
                took, _, memory = measure([program, "op", *options])
                _, alone, _ = measure([program, "op", *options], "1")
                execs = steps * NODES
                print("%-12s %9d executions %6.2f s, %3.0f ns each of one processor, %3.0f bytes of memory each" % (
                    name, execs, took, alone / execs * 1e9, memory / execs), flush=True)
    with tempfile.TemporaryDirectory(prefix="tfprof_steps_") as scratch:
        make("files", scratch, 200, 6500)
        took, _, memory = measure([program, "op", *metas(scratch, 200)])
        alone, _, least = measure([program, "op", *metas(scratch, 200)], "1")
        print("200 files of 0.5 MB: %.0f ms, with one thread %.0f ms; %.0f and %.0f MB of memory" % (
            took * 1e3, alone * 1e3, memory / 1e6, least / 1e6))


if __name__ == "__main__":
    main(os.path.join(os.path.abspath(sys.argv[1]), "tfprof"))

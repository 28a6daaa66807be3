#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the program in ratios taken in one run, so that they mean the same on any machine: tests/bench/bench.py BUILD

  walk      a bare visit of every field of the file (tests/bench/walk.c): what any reader must at least do
  command   the whole command, start to end, report written to /dev/null, with all processors and with one thread;
            on two processors we aim at 2.5 walks for scope, 1.4 for op, 2 for graph and code
  memory    the most memory held, by bytes of input; at most 1
  growth    time of ten times the nodes over time of the nodes; at most 11
  help      `tfprof help`; under 5 ms
TensorFlow's own load and view stand beside when .venv (or $TENSORFLOW_PYTHON) has TensorFlow: ours at least 50 times faster.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GROW = os.path.join(ROOT, "tests", "data", "large", "grow.py")
NODES = int(os.environ.get("NODES", "85000"))
OPTIONS = ["-max_depth", "10000", "-account_type_regexes", ".*", "-select", "micros,bytes,params,float_ops,occurrence",
           "-order_by", "micros", "-min_micros", "1"]

TENSORFLOW = """
import os, resource, sys, time
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
from tensorflow.python.util import _pywrap_tfprof as core
from tensorflow.core.profiler import tfprof_options_pb2
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.monotonic()
core.ProfilerFromFile(sys.argv[1].encode())
load = time.monotonic() - start
for view in ("scope", "op", "code", "graph"):
    o = tfprof_options_pb2.OptionsProto(max_depth=10000, min_micros=1, order_by="micros", account_type_regexes=[".*"],
        start_name_regexes=[".*"], show_name_regexes=[".*"], step=-1, output="file:outfile=/dev/null",
        select=["micros", "bytes", "params", "float_ops", "occurrence"])
    start = time.monotonic()
    core.Profile(view.encode(), o.SerializeToString())
    print(view, load + time.monotonic() - start, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) * 1024, flush=True)
"""


def measure(command, times=5, threads=None):
    """The best wall time in seconds and the peak memory in bytes of several runs."""
    environment = dict(os.environ, TFPROF_THREADS=threads) if threads else None
    best, most = float("inf"), 0
    with open(os.devnull, "w") as null:
        for _ in range(times):
            start = time.monotonic()
            process = subprocess.Popen(command, stdout=null, stderr=null, env=environment)
            _, status, usage = os.wait4(process.pid, 0)
            took = time.monotonic() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit("bench: status %d from %s" % (process.returncode, " ".join(command)))
            best, most = min(best, took), max(most, usage.ru_maxrss * 1024)
    return best, most


def walk_time(walk, path):
    out = subprocess.run([walk, path, "7"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(out.split(", ")[1].split()[0]), out.split()[0]


def tensorflow_python():
    for python in (os.environ.get("TENSORFLOW_PYTHON"), os.path.join(ROOT, ".venv", "bin", "python")):
        if python and os.path.exists(python):
            return python
    return None


def tensorflow_times(path):
    python = tensorflow_python()
    if not python:
        return {}
    done = subprocess.run([python, "-c", TENSORFLOW, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    rows = [line.split() for line in done.stdout.splitlines() if len(line.split()) == 3]
    if not rows:
        print("TensorFlow could not be measured: " + (done.stderr.strip().splitlines() or ["no answer"])[-1][:200])
    return {row[0]: (float(row[1]), float(row[2])) for row in rows}


def grown(scratch, name, nodes):
    path = os.path.join(scratch, name)
    subprocess.run([sys.executable, GROW, "profile", path, str(nodes), "5"], check=True, stdout=subprocess.DEVNULL)
    return path


def main():
    program = os.path.join(os.path.abspath(sys.argv[1]), "tfprof")
    scratch = tempfile.mkdtemp(prefix="tfprof_bench_")
    try:
        walk = os.path.join(scratch, "walk")
        subprocess.run(["cc", "-O3", "-std=c11", "-D_GNU_SOURCE", os.path.join(ROOT, "tests", "bench", "walk.c"), "-o", walk], check=True)
        big, small = grown(scratch, "big", NODES), grown(scratch, "small", NODES // 10)
        size = os.path.getsize(big)
        bare, fields = walk_time(walk, big)
        print("%d nodes, %.1f MB, %s fields; a bare walk takes %.1f ms" % (NODES, size / 1e6, fields, bare * 1e3))
        theirs = tensorflow_times(big)
        for view in ("scope", "op", "code", "graph", "advise"):
            options = OPTIONS if view != "advise" else []
            if view == "op":
                options = [w for w in options if w not in ("-min_micros", "1")]
            took, memory = measure([program, view, big, *options])
            alone, _ = measure([program, view, big, *options], threads="1")
            few, _ = measure([program, view, small, *options])
            line = "%-6s %6.1f ms = %4.1f walks (one thread: %4.1f), %.2f bytes of memory a byte, growth %4.1f" % (
                view, took * 1e3, took / bare, alone / bare, memory / size, took / few)
            if view in theirs:
                line += "; TensorFlow %.2f s = %.0f times ours, %.1f bytes a byte" % (
                    theirs[view][0], theirs[view][0] / took, theirs[view][1] / size)
            print(line, flush=True)
        print("help   %6.1f ms" % (measure([program, "help"], 20)[0] * 1e3))
        nothing, _ = measure(["/bin/true"], 20)
        print("(an empty program: %.1f ms)" % (nothing * 1e3))
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the reading of XPlane traces in ratios taken in one run: tests/bench/xplane.py BUILD [SHAPE ...]

  walk      a bare visit of every field of the file (tests/bench/walk.c): what any reader must at least do
  op, ...   the whole command, with all processors and with one thread; we aim at 1.5 walks for `op` of `threads`, and at 2 for op,
            kernel and steps of `launches`
  memory    the most memory held, by bytes of the file; we aim at 0.6
  xprof     its tool framework_op_stats on the same file, in its own process and without its import, by the time of `op`; we
            aim at 30. Only where XPROF_PYTHON names a python that has the package xprof (pip install xprof)
The traces are made here (MEGABYTES, 200 by default), of two shapes:
  threads   threads of XLA:CPU whose thunks nest in spans of the executor, and streams of GPUs without calls, with the stats that
            JAX writes, in steps of 200 events a thread; an HLO module explains the instructions
  launches  a thread that launches 200 kernels of its own names in 6,000 steps, on two streams of a GPU (launches.py, which makes other
            shapes, too): what JAX and TensorFlow record on GPUs
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "data", "traces"))
sys.path.insert(0, HERE)
import kineto  # noqa: E402
import launches  # noqa: E402
import xspace  # noqa: E402

MEGABYTES = int(os.environ.get("MEGABYTES", "200"))
EVENTS = 20000  # events of a line; the lines of a plane differ only in their ids and names
NAMES = ["fusion.1", "tanh.7", "all-reduce.3", "copy.4"]


def thread(plane):
    """Events of a host thread: runs of the executor with four thunks each."""
    events = []
    for i in range(EVENTS // 5):
        at = i * 50 * xspace.US
        events.append(plane.event("ThunkExecutor::Execute", at, 45 * xspace.US))
        for k, name in enumerate(NAMES):
            events.append(plane.event(name, at + (1 + 11 * k) * xspace.US + 137 * i % 1000, 9 * xspace.US + i % 997,
                                      hlo_op=xspace.Ref(name), hlo_module=xspace.Ref("jit_step"), program_id=7,
                                      run_id=1000 + i // 40, device_ordinal=0))
    return events


def stream(plane):
    """Events of a stream: kernels with the details that the tracer writes."""
    events = []
    for i in range(EVENTS):
        name = NAMES[i % 4]
        events.append(plane.event("kernel_" + name, i * 12 * xspace.US + i % 991, 10 * xspace.US,
                                  hlo_op=xspace.Ref(name), hlo_module=xspace.Ref("jit_step"), program_id=7,
                                  correlation_id=i + 1, kernel_details="regs:32 grid:8,1,1 block:128,1,1 occ_pct:50"))
    return events


def line_parts(events):
    """A line is its id and name, followed by parts that all lines share: the time base and the events."""
    return xspace.message((3, 1000), *((4, e) for e in events))


def write_trace(path, megabytes):
    host, gpus = xspace.Plane("/host:CPU"), xspace.Plane("/device:GPU:0", memory_bandwidth=10**12)
    bodies = line_parts(thread(host)), line_parts(stream(gpus))
    each = int(megabytes * 1e6 / (len(bodies[0]) + len(bodies[1]))) + 1
    for plane, body, name in zip((host, gpus), bodies, ("tf_XLAEigen/%d", "Stream #%d(Kernel)")):
        plane.lines = [xspace.message((1, n), (2, name % n)) + body for n in range(1, each + 1)]
    planes = [host, gpus, xspace.metadata(7, "jit_step", xspace.step_module()),
              xspace.Plane("Task Environment", **xspace.ENVIRONMENT)]
    with open(path, "wb") as f:
        f.write(xspace.space(planes))


XPROF = """
import importlib.metadata, resource, sys, time
from xprof.convert import raw_to_tool_data
start = time.monotonic()
data, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], "framework_op_stats", {})
took = time.monotonic() - start
assert data
print(importlib.metadata.version("xprof"), took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def beside_xprof(trace, took, size):
    """xprof leaves a cache beside the trace, which is removed with the scratch folder, so only the first call
    counts."""
    out = subprocess.run([os.environ["XPROF_PYTHON"], "-c", XPROF, trace], check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True).stdout
    version, theirs, memory = out.split()[-3:]
    print("xprof %s takes %.1f s = %.0f times op, %.1f bytes of memory a byte" % (
        version, float(theirs), float(theirs) / took, int(memory) / size))


VIEWS = {"threads": ("op", "kernel", "flops"), "launches": ("op", "kernel", "steps", "op -step 5", "op -step mean")}
WRITERS = {"threads": write_trace, "launches": lambda path, megabytes: launches.write_trace(path, megabytes=megabytes)}


def measure(shape, program, walk, scratch):
    trace = os.path.join(scratch, shape + ".xplane.pb")
    # in a child process, because a program's reported peak memory includes that of the process that started it
    if os.fork() == 0:
        WRITERS[shape](trace, MEGABYTES)
        os._exit(0)
    if os.wait()[1]:
        sys.exit("bench: the trace was not written")
    size = os.path.getsize(trace)
    out = subprocess.run([walk, trace, "5", "xplane"], check=True, stdout=subprocess.PIPE, text=True).stdout
    bare = float(out.split(", ")[1].split()[0])
    print("%s: %.0f MB of XPlane, %s; a bare walk takes %.0f ms" % (shape, size / 1e6, out.split(",")[0], bare * 1e3))
    times = {}
    for view in VIEWS[shape]:
        took, busy, memory = kineto.measure([program, *view.split(), trace], times=3)
        alone, _, _ = kineto.measure([program, *view.split(), trace], times=2, threads="1")
        print("%-13s %6.0f ms = %4.2f walks (one thread: %4.2f; processors: %.0f ms = %4.2f), %4.0f MB/s, %.2f bytes of memory a byte" % (
            view, took * 1e3, took / bare, alone / bare, busy * 1e3, busy / bare, size / 1e6 / took, memory / size), flush=True)
        times[view] = took
    if "XPROF_PYTHON" in os.environ:
        beside_xprof(trace, times["op"], size)


def main():
    program = os.path.join(os.path.abspath(sys.argv[1]), "tfprof")
    scratch = tempfile.mkdtemp(prefix="tfprof_bench_")
    try:
        walk = os.path.join(scratch, "walk")
        subprocess.run(["cc", "-O3", "-std=c11", "-D_GNU_SOURCE", os.path.join(HERE, "walk.c"), "-o", walk], check=True)
        for shape in sys.argv[2:] or VIEWS:
            measure(shape, program, walk, scratch)
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()

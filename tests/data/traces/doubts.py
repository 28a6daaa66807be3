#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small traces of PyTorch into sample/doubts, whose own data put something in doubt (Python alone).
lost.json: five steps of three kernels; of step 3 two kernels are missing, and a graph is captured outside of the steps.
replays.json: one step of four graph replays, of which one has kernels. queued.json: the recording ends while kernels wait in the queue.
before.json: the first copy of the first of four steps waits 50 ms for work from before the recording; later.json: that of the third step.
times.json: in four steps an activity that ends 3 s after the next one began, a short overlap, which is none, a kernel that stands twice, and one at time 0.
clocks.json: three steps whose kernels have a clock that is an hour ahead.
loading.json: four steps; the first launches of two kernels load code for 30 ms each, and a later launch of one of them is slow, too.
nodes.json: a replay of a graph lacks two of twelve kernels; nodes_plain.json: the same without ids of nodes; branch.json: every other step has none of
two nodes. compiling.json: a compiler and a search for
kernels in the first two steps, and a compiler in two later ones. again.json: the numbers of steps begin again
after 50 ms. early.json: kernels start 3 ms before their launches. shifted.json: each kernel stands twice, 1 us apart. lengths.json: the kernels of step
4 have no duration. behind.json: no steps; ten kernels were launched at once and start after 80 ms; behind_step.json: in one step,
whose marker ends before they start.
One job, damaged in the ways in which recordings are: job.json: ten steps of three operators, their kernels and a copy that the host waits for; nothing is odd. drift.json: the clock of the device is 10 %
fast. kernels_late.json: kernels are 2 s late, copies are not. hole.json: the middle is missing. joined.json: the recording of a second run follows in the
same file, with the same numbers. mixed.json: that of another rank lies over it. names_last.json: the same, each rank's events followed by the names
of its processes. crowd.json: durations of kernels are in nanoseconds. copies_of_work.json: the device's work stands on
a second stream, too, and operators twice. busy.json: a device that is never idle, whose host waits once, at the end; busy_fast.json: its clock runs
10 % fast; copies_fast.json: so does that of a device whose host waits for a copy in each step."""
import os

import odd_traces
from odd_traces import HOST, span

STREAM = (0, 7)


def launch(number, start, kernel=None, name="cudaLaunchKernel"):
    """A launch of 10 us, and its kernel: (start, duration)."""
    events = [span("cuda_runtime", name, HOST, start, 10, correlation=number)]
    if kernel:
        events.append(span("kernel", "gemm", STREAM, kernel[0], kernel[1], device=0, stream=7, correlation=number))
    return events


def lost():
    events = [span("cuda_runtime", "cudaStreamBeginCapture", HOST, 1, 2), *launch(100, 5), *launch(101, 20),
              span("cuda_runtime", "cudaStreamEndCapture", HOST, 40, 2)]
    for step in range(5):
        at = 1000 * (step + 1)
        events.append(span("user_annotation", f"ProfilerStep#{step}", HOST, at, 1000))
        for k in range(3):
            there = step != 3 or k == 0
            start = at + 50 + 300 * k
            events += launch(10 * step + k + 1, start, (start + 20, 200) if there else None)
    return events


def replays():
    events = [span("user_annotation", "ProfilerStep#0", HOST, 0, 4000)]
    for k in range(4):
        at = 1000 * k + 10
        events += launch(k + 1, at, (at + 20, 900) if k == 2 else None, "cudaGraphLaunch")
        events.append(span("cuda_runtime", "cudaStreamSynchronize", HOST, at + 20, 950))
    return events


def nodes(lost=(), ids=True, branch=False):
    """Six steps of two replays of a graph of twelve kernels; the second replay of step 3 lacks those of `lost`. branch: in every other step a
    condition of the graph leaves two nodes out."""
    events = []
    for step in range(6):
        at = 1000 * step
        events.append(span("user_annotation", f"ProfilerStep#{step}", HOST, at, 1000))
        for k in range(2):
            number, start = 2 * step + k + 1, at + 10 + 400 * k
            events.append(span("cuda_runtime", "cudaGraphLaunch", HOST, start, 10, correlation=number))
            for i in range(12):
                if (step == 3 and k and i in lost) or (branch and step % 2 and i in (5, 6)):
                    continue
                names = {"graph id": 9, "graph node id": 9 << 32 | i + 1} if ids else {}
                events.append(span("kernel", f"layer_{i % 5}", STREAM, start + 20 + 30 * i, 25, device=0, stream=7, correlation=number, **names))
    return events


def queued():
    events = []
    for k in range(10):
        events += launch(k + 1, 10 + 20 * k, (30 + 45 * k, 45) if k < 4 else None)
    return events


def copies(waiting):
    """Four steps: a kernel, then a copy that waits for it, and in one step for 50 ms more."""
    events, at = [], 0
    for step in range(4):
        wait = 50000 if step == waiting else 0
        events += [span("user_annotation", f"ProfilerStep#{step + 1}", HOST, at, 2000 + wait),
                   *launch(10 * step + 1, at + 50, (at + 70, 1000)),
                   span("cuda_runtime", "cudaMemcpyAsync", HOST, at + 100, 980 + wait, correlation=10 * step + 2),
                   span("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", STREAM, at + 1075 + wait, 4, device=0, stream=7, correlation=10 * step + 2)]
        at += 2000 + wait
    return events


def before():
    return copies(0)


def later():
    return copies(2)


def behind():
    events = []
    for k in range(10):
        events += launch(k + 1, 10 + 20 * k, (80000 + 1000 * k, 990))
    return events


def behind_step():
    return [span("user_annotation", "ProfilerStep#3", HOST, 0, 300), *behind()]


BASE = 1.7e15  # times of day


def times():
    events = []
    for step in range(4):
        at = BASE + 1000 * step
        events.append(span("user_annotation", f"ProfilerStep#{step + 1}", HOST, at, 1000))
        events += launch(10 * step + 1, at + 50, (at + 70, 3e6 if step == 1 else 306)) + launch(10 * step + 2, at + 100, (at + 370, 300))
        twin = launch(10 * step + 3, at + 150, (0 if step == 3 else at + 700, 200))
        events += twin + twin[1:] * (step == 2)
    return events


def clocks():
    events, hour = [], 3.6e9
    for step in range(3):
        at = 1000 * step
        events.append(span("user_annotation", f"ProfilerStep#{step + 1}", HOST, at, 1000))
        for k in range(3):
            events += launch(10 * step + k + 1, at + 50 + 300 * k, (hour + at + 70 + 300 * k, 200))
    return events


def loading():
    events, at = [], 0
    for step in range(4):
        events.append(span("user_annotation", f"ProfilerStep#{step + 1}", HOST, at, 65000 if step in (0, 2) else 2000))
        for k, name in enumerate(("gemm", "softmax")):
            slow = 30000 if step == 0 or (step == 2 and k) else 10
            number, start = 10 * step + k + 1, at + 50 + 32000 * k * (step in (0, 2)) + 900 * k
            events += [span("cuda_runtime", "cudaLaunchKernel", HOST, start, slow, correlation=number),
                       span("kernel", name, STREAM, start + slow + 10, 800, device=0, stream=7, correlation=number)]
        at += 65000 if step in (0, 2) else 2000
    return events


def compiling():
    """Dynamo compiles in step 0, Inductor searches in step 1; steps 5 and 7 compile again."""
    events, at, compilers = [], 0, {0: ("python_function", "torch/_dynamo/convert_frame.py(1020): _compile", 50000),
                                    1: ("user_annotation", "CachingAutotuner.benchmark_all_configs (dynamo_timed)", 15000),
                                    5: ("user_annotation", "_compile.compile_inner (dynamo_timed)", 10000),
                                    7: ("user_annotation", "_compile.compile_inner (dynamo_timed)", 10000)}
    for step in range(8):
        category, name, long = compilers.get(step, (None, None, 0))
        events.append(span("user_annotation", f"ProfilerStep#{step + 1}", HOST, at, 2000 + long))
        if name:
            events.append(span(category, name, HOST, at + 20, long))
        start = at + long + 50
        events += [span("cuda_runtime", "cudaLaunchKernel", HOST, start, 10, correlation=step + 1),
                   span("kernel", "gemm", STREAM, start + 20, 1500, device=0, stream=7, correlation=step + 1)]
        at += 2000 + long
    return events


def steady(numbers=range(1, 7), gap=0, shift=0, twice=False, unknown=()):
    """Steps of a millisecond with three kernels of 200 us. gap: before the numbers begin again; shift: of the device's clock; twice: each kernel again, a
    microsecond later; unknown: steps whose kernels have no duration."""
    events, at, last = [], 10000, -1
    for count, number in enumerate(numbers):
        at += gap if number <= last else 0
        last = number
        events.append(span("user_annotation", f"ProfilerStep#{number}", HOST, at, 1000))
        for k in range(3):
            events += launch(3 * count + k + 1, at + 50 + 300 * k, (at + 70 + 300 * k + shift, 200))
            if twice:
                events.append(dict(events[-1], ts=events[-1]["ts"] + 1))
            if number in unknown:
                del events[-1]["dur"]
        at += 1000
    return events


NAMES = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "ts": 0, "args": {"name": name}} for pid, name in ((HOST[0], "python"), (0, "python"))]


def job_step(number):
    at, first = 2000 * number, 100 + 40 * number
    events = [span("user_annotation", f"ProfilerStep#{number}", HOST, at, 2000)]
    for k in range(3):
        start, key = at + 50 + 500 * k + 7 * (number % 3), first + 10 * k
        events += [span("cpu_op", f"aten::op{k}", HOST, start, 100, **{"External id": key}),
                   span("cpu_op", "aten::empty", HOST, start + 5, 10, **{"External id": key + 1}),
                   span("cuda_runtime", "cudaLaunchKernel", HOST, start + 20, 10, correlation=key + 2, **{"External id": key}),
                   span("kernel", f"gemm{k}", STREAM, start + 36, 200, device=0, stream=7, correlation=key + 2, **{"External id": key})]
    start, key = at + 1600, first + 30
    return events + [span("cpu_op", "aten::item", HOST, start, 60, **{"External id": key}),
                     span("cuda_runtime", "cudaMemcpyAsync", HOST, start + 5, 40, correlation=key + 2, **{"External id": key}),
                     span("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", STREAM, start + 20, 5, device=0, stream=7, correlation=key + 2)]


def job():
    return [e for number in range(10) for e in job_step(number)]


def is_kernel(event):
    return event["cat"] == "kernel"


def is_device(event):
    return event["cat"] in ("kernel", "gpu_memcpy")


def moved(events, us):
    return [{**e, "ts": e["ts"] + us} for e in events]


def drift():
    return [{**e, "ts": e["ts"] * 1.1, "dur": e["dur"] * 1.1} if is_device(e) else e for e in job()]


def kernels_late():
    return [{**e, "ts": e["ts"] + 2e6} if is_kernel(e) else e for e in job()]


def hole():
    return [e for e in job() if not 7000 <= e["ts"] < 13000]


def joined():
    return job() + moved(job(), 3e6)


def mixed():
    return job() + moved(job(), 37)


def names_last():
    return job() + NAMES + moved(job(), 37) + NAMES


def copies_of_work():
    on_another_stream = [{**e, "tid": 99, "args": {**e["args"], "stream": 99}} for e in job() if is_device(e)]
    return job() + on_another_stream + [e for e in job() if e["cat"] == "cpu_op"]


def busy(rate=1, copies=False):
    """Twenty steps of eight kernels, which take longer than the host's work."""
    events, at, free, number = [], 0, 200, 0

    def run(category, name, start, us):
        events.append(span(category, name, STREAM, start * rate, us * rate, device=0, stream=7, correlation=number))

    for step in range(20):
        begin = at
        for k in range(8):
            number += 1
            events.append(span("cuda_runtime", "cudaLaunchKernel", HOST, at + 20, 10, correlation=number))
            free = max(free, at + 36)
            run("kernel", f"gemm{k}", free, 480)
            at, free = at + 100, free + 482
        if copies:
            number += 1
            events.append(span("cuda_runtime", "cudaMemcpyAsync", HOST, at, free + 10 - at, correlation=number))
            run("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", free, 4)
            at, free = free + 20, free + 6
        events.append(span("user_annotation", f"ProfilerStep#{step}", HOST, begin, at - begin))
    if not copies:
        events.append(span("cuda_runtime", "cudaDeviceSynchronize", HOST, at, free + 5 - at, correlation=number + 1))
    return events


def crowd():
    return [{**e, "dur": e["dur"] * 1000} if is_kernel(e) else e for e in job()]


if __name__ == "__main__":
    for make in (job, drift, kernels_late, hole, joined, mixed, names_last, crowd, copies_of_work, lost, replays, queued, before, later, behind, behind_step, times, clocks, loading, compiling):
        odd_traces.write(make.__name__, make(), folder="doubts")
    for name, how in (("again", {"numbers": [1, 2, 3, 1, 2, 3], "gap": 50000}), ("early", {"shift": -3000}), ("shifted", {"twice": True}),
                      ("lengths", {"unknown": (4,)})):
        odd_traces.write(name, steady(**how), folder="doubts")
    for name, how in (("busy", {}), ("busy_fast", {"rate": 1.1}), ("copies_fast", {"rate": 1.1, "copies": True})):
        odd_traces.write(name, busy(**how), folder="doubts")
    for name, how in (("nodes", {"lost": (4, 7)}), ("nodes_plain", {"lost": (4, 7), "ids": False}), ("branch", {"branch": True})):
        odd_traces.write(name, nodes(**how), folder="doubts")

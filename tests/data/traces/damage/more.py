#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes more traces into sample/doubts_more: the job of doubts.py, damaged in other ways (Python alone).
milliseconds.json, nanoseconds.json: its times in these units. full_queue.json: all takes as long as there, with fractions of
microseconds, as where each launch waits for room in the queue. short_kernels.json: kernels take 0.1 us. digits.json: starts are those of
steps. nothing.json: the kernels of step 4 take no time. operators.json: no correlations; calls and kernels have the number of their operator, and
each operator has a call that launches nothing, and two that do. once_more.json: a recording of one step, and the same step again.
by_name.json: begins and ends of ranges that cross, which only their names pair."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import odd_traces  # noqa: E402
from doubts import STREAM, is_kernel, job, job_step, launch, moved  # noqa: E402
from odd_traces import HOST, span  # noqa: E402


def scaled(events, by):
    return [{**e, "ts": e["ts"] * by, "dur": e["dur"] * by} for e in events]


def full_queue():
    return [{**e, "dur": e["dur"] - 0.25} for e in scaled(job(), 1000)]


def short_kernels():
    return [{**e, "dur": e["dur"] / 2000} if is_kernel(e) else e for e in job()]


def digits():
    return [{**e, "ts": e["ts"] // 2000 * 2000} for e in job()]


def nothing():
    return [{**e, "ts": e["ts"] + 0.5, "dur": 0 if is_kernel(e) and 8000 <= e["ts"] < 10000 else e["dur"]} for e in job()]


def operators():
    events = []
    for k in range(12):
        at, number = 400 * k, {"External id": k + 1}
        events += [span("cpu_op", f"aten::op{k % 3}", HOST, at, 300, **number),
                   span("cuda_runtime", "cudaStreamIsCapturing", HOST, at + 5, 2, **number),
                   span("cuda_runtime", "cudaMemsetAsync", HOST, at + 10, 5, **number),
                   span("cuda_runtime", "cudaLaunchKernel", HOST, at + 20, 5, **number),
                   span("cuda_runtime", "cudaLaunchKernel", HOST, at + 100, 5, **number),
                   span("kernel", "first", STREAM, at + 30, 50, device=0, stream=7, **number),
                   span("kernel", "second", STREAM, at + 110, 50, device=0, stream=7, **number)]
    return events


def once_more():
    return job_step(1) + moved(job_step(1), 50000)


def by_name():
    def moment(phase, name, at):
        return {"ph": phase, "cat": "user_annotation", "name": name, "pid": HOST[0], "tid": HOST[1], "ts": at}
    events = []
    for step in range(3):
        at = 1000 * step
        events += [moment("B", f"ProfilerStep#{step}", at), moment("B", "load", at + 10), moment("E", f"ProfilerStep#{step}", at + 900),
                   moment("E", "load", at + 950), *launch(step + 1, at + 20, (at + 40, 700))]
    return events


if __name__ == "__main__":
    for make in (full_queue, short_kernels, digits, nothing, operators, once_more, by_name):
        odd_traces.write(make.__name__, make(), folder="doubts_more")
    odd_traces.write("milliseconds", scaled(job(), 1e-3), folder="doubts_more")
    odd_traces.write("nanoseconds", scaled(job(), 1000), folder="doubts_more")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sample/damage: doubts.py's job, damaged in the ways in which recordings are, as rocmProfileData writes it (.rpd: its database, .rpd.json:
rpd2tracing.py's) and as TensorFlow 1 does (.timeline.json).
whole: nothing is odd. overlap: a kernel of 3 s. twice: six kernels stand twice. lost: those of six launches are missing. years: a kernel is a year
away. drift: the device's clock runs 10 % fast. joined: a second run follows after 3 s. mixed: another rank lies over it. hole: the middle is
missing. quote: an unescaped quote."""
import json
import os
import sys

TRACES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TRACES)
import database  # noqa: E402
import rpd  # noqa: E402

FOLDER = os.path.join(os.path.dirname(TRACES), "sample", "damage")
START = 1500000000000000
DEVICES = ["/job:localhost/replica:0/task:0/device:GPU:0", "/job:localhost/replica:0/task:0/device:CPU:0", "/device:GPU:0/stream:all",
           "/device:GPU:0/stream:14"]
# left out: in the other formats these damages look the same as another one, or cannot be seen
ELSEWHERE = {".rpd.json": ("whole", "overlap", "twice", "years", "drift"), ".timeline.json": ("lost", "joined", "mixed", "hole")}


def job():
    """Events: (what, start, duration in us, name, number)."""
    for step in range(10):
        at = 2000 * step
        yield "marker", at, 2000, f"step {step}", 0
        for k in range(3):
            start, number = at + 50 + 500 * k + 7 * (step % 3), 1 + 4 * step + k
            yield "marker", start, 100, f"aten::op{k}, seq = {3 * step + k}", 0
            yield "launch", start + 20, 10, "hipLaunchKernel", number
            yield "kernel", start + 36, 200, f"gemm{k}", number
        yield "call", at + 1670, 100, "hipDeviceSynchronize", 0


def changed(events, change):
    """The events, of which `change` gets the kernels: it returns what stands in the place of each."""
    kernels = 0
    for event in events:
        if event[0] == "kernel":
            yield from change(kernels, *event)
            kernels += 1
        else:
            yield event


def moved(us):
    return [(what, at + us, duration, name, number and number + 40) for what, at, duration, name, number in job()]


def damages():
    yield "whole", list(job())
    yield "overlap", list(changed(job(), lambda i, w, at, us, *rest: [(w, at, 3000000 if i == 10 else us, *rest)]))
    yield "twice", list(changed(job(), lambda i, *e: [e] * (2 if 6 <= i < 12 else 1)))
    yield "lost", list(changed(job(), lambda i, *e: [] if 15 <= i < 21 else [e]))
    yield "years", list(changed(job(), lambda i, w, at, *rest: [(w, at + (32000000000000 if i == 9 else 0), *rest)]))
    yield "drift", list(changed(job(), lambda i, w, at, us, *rest: [(w, at * 11 // 10, us * 11 // 10, *rest)]))
    yield "joined", list(job()) + moved(3000000)
    yield "mixed", list(job()) + moved(37)
    yield "hole", [e for e in job() if not 7000 <= e[1] < 13000]


def recording(events):
    """In the words of rpd.py."""
    work = {}
    for what, at, us, name, number in events:
        if what == "kernel":
            work.setdefault(number, []).append((at, at + us, name, "KernelExecution", 0))
    for what, at, us, name, number in events:
        if what == "marker":
            yield at, at + us, "UserMarker", name, None, []
        elif what != "kernel":
            yield at, at + us, name, "", None, work.get(number, []) if number else []


def timeline(events):
    yield {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "Allocators"}}
    for i, device in enumerate(DEVICES):
        for k, word in enumerate(("Compute", "Tensors")):
            yield {"name": "process_name", "ph": "M", "pid": 1 + 2 * i + k, "args": {"name": f"{device} {word}"}}
    for what, at, us, name, number in events:
        pids = {"launch": (1,), "kernel": (5, 7)}.get(what, ())
        op = "MatMul" if what == "launch" else name
        for pid in pids:
            yield {"ph": "X", "cat": "Op", "name": op, "pid": pid, "tid": 0, "ts": START + at, "dur": us,
                   "args": {"name": f"layer/op{number % 4}", "op": op}}


def write(name, text):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as f:
        f.write(text)


def main():
    for name, events in damages():
        rpd.recording = lambda events=events: recording(events)
        database.write(os.path.join(FOLDER, name + ".rpd"), rpd.tables(3))
        lines = ",\n".join(json.dumps(e, separators=(",", ":")) for e in timeline(events))
        texts = {".rpd.json": "\n".join(rpd.tracing()) + "\n", ".timeline.json": f'{{"traceEvents":[\n{lines}\n]}}\n'}
        for end, text in texts.items():
            if name not in ELSEWHERE[end]:
                write(name + end, text)
            if name == "whole":
                write("quote" + end, text.replace('"gemm1"', '"gem"m1"', 1))


if __name__ == "__main__":
    os.makedirs(FOLDER, exist_ok=True)
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/sample/steps/*.json: traces whose host does not run beside its devices.

ahead.json: the host launches a step in 10 ms, and its device needs 20 ms; the first copy has no launch, a second device keeps up.
even.json: the same with a device that needs 8 ms. burst.json: replays that all run after the last step.
single.json: one step, whose work ends long after it. startup.json: a first step that waits 300 ms before its first kernel.
nothing.json: no steps; the device begins to work after 500 ms. loops.json: ranges that only the user knows to be steps."""
import json
import os

DATA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def span(category, name, place, start, duration, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": place[0], "tid": place[1], "ts": start, "dur": duration, "args": args}


HOST = (1, 1)


class Trace:
    def __init__(self):
        self.events, self.number = [], 0

    def step(self, name, start, duration):
        self.events.append(span("user_annotation", name, HOST, start, duration))

    def op(self, name, start, duration):
        self.events.append(span("cpu_op", name, HOST, start, duration))

    def launch(self, at, start, duration, device=0, name="gemm"):
        """A launch in the middle of an operator, and its kernel."""
        self.number += 1
        self.events += [
            span("cpu_op", "aten::mm", HOST, at, 100),
            span("cuda_runtime", "cudaLaunchKernel", HOST, at + 10, 20, correlation=self.number),
            span("kernel", name, (device, 7), start, duration, device=device, stream=7, correlation=self.number),
        ]

    def write(self, name):
        folder = os.path.join(DATA, "sample", "steps")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as f:
            lines = ",\n".join(json.dumps(e) for e in self.events)
            f.write('{"schemaVersion": 1, "traceEvents": [\n' + lines + "\n]}\n")


def loop(kernel, steps=4, first=0):
    """Steps of 10 ms with four launches each, whose kernels run one after another."""
    t, free = Trace(), 0
    for n in range(steps):
        t.step(f"train_step {n + 3}", first + 10000 * n, 10000)
        for k in range(4):
            at = first + 10000 * n + 1000 + 2000 * k
            start = max(at + 50, free)
            free = start + kernel
            t.launch(at, start, kernel)
    return t


def ahead():
    t = loop(5000)
    t.events.append(span("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", (0, 7), 100, 300, device=0, stream=7, bytes=64))
    for n in range(4):
        t.launch(10000 * n + 9000, 10000 * n + 9200, 500, device=1, name="norm")
    return t


def burst():
    t = Trace()
    for n in range(4):
        t.step("step[DECODE bs=8]", 2000 * n, 1900)
        t.launch(2000 * n + 100, 9000 + 600 * n, 500)
    return t


def single():
    t = Trace()
    t.step("ProfilerStep#7", 0, 10000)
    for k in range(4):
        t.launch(1000 + 2000 * k, 5000 + 4000 * k, 4000)
    return t


def startup():
    t = Trace()
    t.step("train_step 0", 0, 310000)
    t.launch(300000, 300050, 6000)
    for n in range(1, 5):
        t.step(f"train_step {n}", 300000 + 10000 * n, 10000)
        t.launch(300000 + 10000 * n, 300050 + 10000 * n, 6000)
    return t


def nothing():
    t = Trace()
    t.op("load", 0, 400000)
    for k in range(5):
        t.launch(500000 + 2000 * k, 500050 + 2000 * k, 1000)
    return t


def loops():
    t = Trace()
    for n in range(3):
        at = 1000 * n
        t.step(f"my_loop {n + 5}", at, 1000)
        t.step("phase 1", at + 10, 400)
        t.launch(at + 20, at + 100, 300 + 50 * n)
    return t


if __name__ == "__main__":
    ahead().write("ahead")
    loop(2000).write("even")
    burst().write("burst")
    single().write("single")
    startup().write("startup")
    nothing().write("nothing")
    loops().write("loops")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Advice on XPlane traces of a host, each with a planted cause and beside a similar one without it:   tfhost.py TFPROF

What TensorFlow's profiler writes for calls of a tf.function and for collectives of its hosts, and what JAX's profiler writes
of itself. And which instructions of a device count as explained where the file has no program."""
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "traces"))
import xspace  # noqa: E402

US, MS = xspace.US, 1000 * xspace.US
STEP = 10 * MS


def steps(body, count=6, first=3):
    """Steps of 10 ms with a matrix product of 2 ms at the end of each."""
    host = xspace.Plane("/host:CPU")
    events = []
    for number in range(count):
        at = number * STEP
        events.append(host.event("train", at, STEP - 10 * US, step_num=first + number, _r=1))
        events += body(host, at, number)
        events.append(host.event("dense/MatMul:MatMul", at + 7 * MS, 2 * MS))
    host.line(7, "python", events, 1000)
    return xspace.space([host])


def retraced(again):
    """Each call of the function traces it again, or uses the existing trace."""
    def body(host, at, number):
        mode = "traced-nonXla" if again else "notTraced-nonXla"
        return [host.event("train_step", at + 100 * US, 5 * MS, tf_function_call=mode, tracing_count=4 + number if again else 1)]
    return steps(body)


def first_calls(host, at, number):
    """A function that is new in a step: its first calls trace it, one of them to create its
    variables."""
    if number > 1:
        return [host.event("train_step", at + 100 * US, 5 * MS, tf_function_call="notTraced-nonXla", tracing_count=2)]
    return [host.event("train_step", at + 100 * US, 5 * MS, tf_function_call="traced-nonXla", tracing_count=1 + number)]


def collective(us):
    def body(host, at, number):
        return [host.event("grad/CollectiveReduceV2:CollectiveReduceV2", at + 100 * US, us * US)]
    return steps(body)


def collective_beside(host, at, number):
    return [host.event("grad/CollectiveReduceV2:CollectiveReduceV2", at + 7100 * US, 100 * US)]


def profiled(name):
    """Without steps: a function of the profiler, or of the program, before the first operation and in the middle."""
    host = xspace.Plane("/host:CPU")
    events = [host.event(name, 0, 900 * MS), host.event("a/MatMul:MatMul", 901 * MS, 2 * MS),
              host.event(name, 904 * MS, 50 * MS), host.event("a/MatMul:MatMul", 955 * MS, 2 * MS)]
    host.line(7, "python", events, 1000)
    return xspace.space([host])


CASES = [
    ("Retracing", retraced(True), retraced(False)),
    ("Retracing", retraced(True), steps(first_calls)),
    ("HostCommunication", collective(5000), collective(50)),
    ("HostCommunication", collective(5000), steps(collective_beside)),
    ("HostStalls", profiled("$train.py:9 pause"), profiled("$profiler.py:91 start_trace")),
    ("HostStalls", profiled("$train.py:9 pause"), profiled("$profiler_v2.py:120 stop")),
]


def advice(program, path, data):
    with open(path, "wb") as f:
        f.write(data)
    done = subprocess.run([program, "advise", path, "-format", "json"], capture_output=True, check=True)
    return {c["name"]: c["findings"][0] for c in json.loads(done.stdout)["checkers"]}


def explained(program, path, name):
    """How many of two instructions count as explained: one has float operations, the other is known only by its
    name."""
    device = xspace.Plane("/device:TPU:0")
    device.line(1, "XLA Ops", [device.event(name, 10 * US, 5 * US, hlo_op=name, hlo_module="m(1)"),
                               device.event("dot.1", 20 * US, 5 * US, hlo_op="dot.1", hlo_module="m(1)", flops=1000)], 1000)
    with open(path, "wb") as f:
        f.write(xspace.space([device]))
    text = subprocess.run([program, path, "flops"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return next(n for n in (1, 2) if f"{n} of 2 instructions have a" in text)


def transfers(program, path, data):
    """The kinds and counts of a trace's transfers."""
    with open(path, "wb") as f:
        f.write(data)
    text = subprocess.run([program, "transfer", path, "-format", "csv"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [(row["kind"], row["device"], row["count"]) for row in csv.DictReader(text.splitlines())]


def main():
    program, passed, failed = sys.argv[1], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "host.xplane.pb")
        for rule, speaks, silent in CASES:
            said, other = advice(program, path, speaks), advice(program, path, silent)
            fine = rule in said and rule not in other and 0 < said[rule]["gain_seconds"] <= said[rule]["seconds"] + 1e-9
            passed, failed = passed + fine, failed + (not fine)
            if not fine:
                print(f"{rule}: {said.get(rule)}, beside it: {other.get(rule)}")
        said = advice(program, path, profiled("$train.py:9 pause"))["HostStalls"]
        # nothing that comes before it
        fine = said["seconds"] < 0.06 and "spends 96% in $train.py:9 pause" in said["text"]
        passed, failed = passed + fine, failed + (not fine)
        if not fine:
            print(f"the time before the first operation: {said}")
        for name, count in (("while.1", 2), ("call.2", 2), ("w", 1), ("c", 1), ("wrapped", 1)):
            fine = explained(program, path, name) == count  # instructions that only call others do no work
            passed, failed = passed + fine, failed + (not fine)
            if not fine:
                print(f"{name} counts otherwise")
        found = transfers(program, path, collective(5000))
        fine = found == [("CollectiveReduceV2", "cpu", "6")]
        passed, failed = passed + fine, failed + (not fine)
        if not fine:
            print(f"transfers of the host: {found}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

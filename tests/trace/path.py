#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The critical path of programs that are run again without one of their parts:   path.py TFPROF [SEEDS]

A random program of one host thread and two streams is drawn from its number and run in a simulation. Its path must be as long as
its steps, and a run in which one kernel or op takes no time may be shorter by at most its `gain_us`, and not at all if it is
not on the path. Then small traces whose path is known."""
import json
import os
import random
import subprocess
import sys
import tempfile

from planted import Trace

KERNELS, OPS, HALF = 6, 4, 0.5


def program_of(seed):
    """A program: steps of (op, kernel, stream, whether it waits for the other stream), host work, and calls that wait
    for everything."""
    chance = random.Random(seed)
    times = {f"kernel_{i}": chance.choice([5.0, 20.0, 60.0, 200.0]) for i in range(KERNELS)}
    times |= {f"aten::host_{i}": chance.choice([8.0, 15.0, 40.0]) for i in range(OPS)}
    work = []
    for _ in range(chance.randint(5, 40)):
        kind = chance.choices(["launch", "host", "sync"], [8, 3, 1])[0]
        work.append((kind, f"aten::host_{chance.randrange(OPS)}" if kind == "host" else "aten::op", f"kernel_{chance.randrange(KERNELS)}",
                     chance.choice([7, 7, 20]), chance.random() < 0.3))
    return times, work


def run(times, work, path):
    """The trace of three steps, and the length of each."""
    t = Trace()

    def body(t):
        for kind, op, kernel, stream, waits in work:
            if kind == "host":
                t.host(op, times[op])
            elif kind == "sync":
                t.wait("cudaDeviceSynchronize")
            else:
                after = t.free.get(27 - stream, 0.0) + HALF if waits else 0.0
                t.launch(op, kernel, times[kernel], stream, host=8.0, after=after)
        t.wait("cudaDeviceSynchronize")

    for number in range(3):
        t.step(number, body)
    t.write(path)
    steps = [e for e in t.events if e["name"].startswith("ProfilerStep#")]
    return sum(e["dur"] for e in steps) / len(steps)


def rows(program, *words):
    done = subprocess.run([program, *words, "-format", "json"], capture_output=True, check=True)
    return json.loads(done.stdout)["rows"]


def compare(program, folder, seed):
    path = os.path.join(folder, "trace.json")
    times, work = program_of(seed)
    whole = run(times, work, path)
    found = rows(program, "steps", path, "-critical_path")
    if abs(sum(r["total_us"] for r in found) - whole) > 0.1:
        yield f"program {seed}: a path of {sum(r['total_us'] for r in found)} us in steps of {whole}"
    gains = {}
    for r in found[:10]:
        gains[r["name"]] = gains.get(r["name"], 0) + r["gain_us"]
    busy = max((r["busy_us"] for r in rows(program, "steps", path) if r["step"] != "all"), default=0)
    for r in found[:10]:  # the device is busy in any case, so changes of the host have no effect
        if r["class"] in ("host", "synchronize", "launch", "gap") and r["gain_us"] > whole - busy + 0.1:
            yield f"program {seed}: {r['name']} gains {r['gain_us']} us of {whole}, of which the device works {busy}"
    later = {r["name"] for r in found[10:]}
    # a gain with a bound may be smaller than that of the rerun, because activities may then overlap
    # more than before
    bounded = {r["name"] for r in found[:10] if r["gain_us"] < r["total_us"] - 0.01}
    for name in times:
        if name in later or name in bounded:
            continue
        shorter = whole - run(times | {name: 0.0}, work, os.path.join(folder, "other.json"))
        count = sum(name in words for words in work)  # the simulation's pause between two activities
        if shorter > gains.get(name, 0) + 1.5 * count + 0.5:
            yield f"program {seed}: without {name} a step takes {shorter} us less, at most {gains.get(name, 0)} by its path"


def known(program, folder, what, body, expected):
    """Rows of the path as (class, name): time."""
    t = Trace()
    t.step(1, body)
    path = os.path.join(folder, "trace.json")
    t.write(path)
    found = {(r["class"], r["name"]): r["total_us"] for r in rows(program, "steps", path, "-critical_path")}
    for key, us in expected.items():
        if abs(found.get(key, 0) - us) > 0.01:
            yield f"{what}: {key} takes {found.get(key, 0)} us of the path instead of {us}: {found}"


def early(t):
    """The activity starts before the call that launches it returns: the time before it belongs to the
    host."""
    t.host("aten::before", 100.0)
    t.add("cpu_op", "aten::mm", t.now, 40, 1)
    t.add("cuda_runtime", "cudaLaunchKernel", t.now + 2, 30, 1, correlation=1)
    t.add("kernel", "gemm", t.now + 12, 300, 7, pid=0, device=0, stream=7, correlation=1)
    t.free[7] = t.now + 312
    t.now += 40
    t.wait("cudaDeviceSynchronize")


def empty(t):
    """A copy without a length, at the end of the call that launched it and waits for it."""
    t.host("aten::before", 100.0)
    t.add("cuda_runtime", "cudaMemcpy", t.now, 10, 1, correlation=1)
    t.add("gpu_memcpy", "Memcpy HtoD", t.now + 10, 0, 7, pid=0, device=0, stream=7, correlation=1)
    t.now += 10
    t.host("aten::after", 50.0)


def blocking(t):
    """A copy to memory that is not pinned: its call waits for earlier work of the stream, whatever its name says."""
    t.launch("aten::mm", "gemm", 300.0, 7, host=8.0)
    begin, end = t.now, t.free[7] + 2
    t.add("cuda_runtime", "cudaMemcpyAsync", begin, end + 5 - begin, 1, correlation=900)
    t.add("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", end - 2, 2, 7, pid=0, device=0, stream=7, correlation=900)
    t.add("kernel", "other", end - 1, 4, 20, pid=0, device=0, stream=20)
    t.now = end + 5


def unknown(t):
    """Launches that are not recorded, as on a TPU: while the host does nothing, the path is on the
    device."""
    t.host("aten::before", 100.0)
    for _ in range(4):
        t.add("kernel", "fusion", t.now, 50, 7, pid=0, device=0, stream=7)
        t.now += 50


def profilers(program, folder):
    """Time that nobody can gain: the start of the profiler, and, without steps, the time before the device begins."""
    t = Trace()
    t.host("torch/profiler/profiler.py(10): start", 400.0, cat="python_function")
    t.host("aten::before", 100.0)
    t.launch("aten::mm", "gemm", 50.0, 7)
    t.wait("cudaDeviceSynchronize")
    t.host("aten::after", 70.0)
    t.launch("aten::mm", "other", 50.0, 7)
    t.wait("cudaDeviceSynchronize")
    path = os.path.join(folder, "trace.json")
    t.write(path)
    found = {r["name"]: (r["total_us"], r["gain_us"]) for r in rows(program, "steps", path, "-critical_path")}
    expected = {"torch/profiler/profiler.py(10): start": (400, 0), "aten::before": (100, 0), "aten::after": (70, 70)}
    for name, figures in expected.items():
        if found.get(name) != figures:
            yield f"{name}: {found.get(name)} instead of {figures} on the path and to gain"


def main():
    program, failed = sys.argv[1], 0
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 25
    cases = [("an early start", early, {("host", "aten::before"): 100, ("compute", "gemm"): 300, ("host", "cudaLaunchKernel"): 10}),
             ("no length", empty, {("host", "aten::before"): 100, ("host", "aten::after"): 50, ("host", "cudaMemcpy"): 10}),
             ("a copy that blocks", blocking, {("compute", "gemm"): 300, ("copy", "Memcpy DtoH (Device -> Pageable)"): 2,
                                               ("host", "cudaMemcpyAsync"): 5}),
             ("no launches", unknown, {("host", "aten::before"): 100, ("compute", "fusion"): 200})]
    with tempfile.TemporaryDirectory() as folder:
        wrong = [list(compare(program, folder, seed)) for seed in range(seeds)]
        wrong += [list(known(program, folder, *case)) for case in cases]
        wrong.append(list(profilers(program, folder)))
        for line in (line for lines in wrong for line in lines):
            print(line)
        failed = sum(bool(lines) for lines in wrong)
    print(f"{len(wrong) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

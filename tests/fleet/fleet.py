# SPDX-License-Identifier: Apache-2.0
"""A small fleet of traces with numbers known beforehand: PyTorch's form, job by job, day by day, rank by rank. Jobs of which one
kernel gets slower or faster from a day on, one with a single bad day, a host that is slow, and files that are damaged."""
import datetime
import gzip
import json
import os

DAY0 = datetime.date(2026, 3, 2)
KERNELS = (("aten::addmm", "sm90_xmma_gemm_bf16bf16", 140.0), ("aten::gelu", "GeluCUDAKernel", 40.0),
           ("aten::softmax", "softmax_warp_forward", 60.0))
STEPS = 3
PATTERN = "job={job}/date={date}/host={host}/rank={rank}"


def date(day):
    return (DAY0 + datetime.timedelta(days=day)).isoformat()


def duration(run, kernel):
    """Microseconds of a kernel in a step: known noise plus the planted changes."""
    base = KERNELS[kernel][2] + (run["day"] * 7 + run["rank"] * 3 + kernel) % 5 * 0.125
    if run["job"] == "slower" and kernel == 1 and run["day"] >= run["since"]:
        base *= 1.25
    if run["job"] == "faster" and kernel == 2 and run["day"] >= run["since"]:
        base *= 0.7
    if run["job"] == "one bad day" and run["day"] == run["since"]:
        base *= 3
    return base * (1.5 if run["host"] == "node1" else 1)


def runs(jobs=("even", "slower"), days=6, ranks=2, since=3):
    for job in jobs:
        for day in range(days):
            for rank in range(ranks):
                run = {"job": job, "day": day, "date": date(day), "rank": rank, "host": f"node{rank}", "since": since, "ranks": ranks}
                run["path"] = PATTERN.format(**run) + "/trace.json.gz"
                yield run


def events(run):
    pid, now, number = 100 + run["rank"], 1000.0, 0

    def add(cat, name, ts, dur, tid, where=pid, **args):
        return {"ph": "X", "cat": cat, "name": name, "pid": where, "tid": tid, "ts": ts, "dur": dur, "args": args}

    for step in range(STEPS):
        length = sum(duration(run, k) for k in range(len(KERNELS))) + 50
        yield add("user_annotation", f"ProfilerStep#{step}", now, length, 1)
        yield add("python_function", "train.py(10): step", now + 0.5, length - 1, 1, **{"Python id": step + 1})
        device = now + 20
        for k, (op, kernel, _) in enumerate(KERNELS):
            number += 1
            yield add("cpu_op", op, now + 2 + 5 * k, 4.0, 1, **{"External id": number})
            yield add("cuda_runtime", "cudaLaunchKernel", now + 3 + 5 * k, 2.0, 1, correlation=number)
            yield add("kernel", kernel, device, duration(run, k), 7, 0, device=0, stream=7, correlation=number)
            device += duration(run, k)
        now += length + 10


def trace(run):
    start = datetime.datetime.combine(datetime.date.fromisoformat(run["date"]), datetime.time(9), datetime.timezone.utc)
    whole = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Imaginary"}], "displayTimeUnit": "ms",
             "distributedInfo": {"rank": run["rank"], "world_size": run["ranks"]},
             "baseTimeNanoseconds": int(start.timestamp()) * 10**9, "job": run["job"], "traceEvents": list(events(run))}
    return gzip.compress(json.dumps(whole).encode(), mtime=0)


def put(folder, path, data):
    whole = os.path.join(folder, path)
    os.makedirs(os.path.dirname(whole), exist_ok=True)
    with open(whole, "wb") as f:
        f.write(data)


def write(folder, **settings):
    """Writes a fleet; returns its runs."""
    made = list(runs(**settings))
    for run in made:
        put(folder, run["path"], trace(run))
    return made


def compute_us(run):
    return STEPS * sum(duration(run, k) for k in range(len(KERNELS)))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the tables of a loaded trace of 2 million spans: tests/bench/tables.py BUILD

Each table is asked for once and six times in a session; a fifth of the difference of the processor times is one table. We aim
at 0.2 s for each, and 1 s for the critical path. SPANS sets another size: twice the spans should take twice as long.
"""
import os
import resource
import subprocess
import sys
import tempfile

SPANS = int(os.environ.get("SPANS", "2000000"))
STEPS, TIMES = 50, 5
TABLES = {"steps": 0.2, "transfer": 0.2, "wait": 0.2, "check": 0.2, "kernel": 0.2, "advise": 0.4, "steps -critical_path": 1.0}
OPS = ["aten::mm", "aten::add", "aten::relu", "aten::layer_norm", "aten::copy_"]


def event(cat, name, pid, tid, ts, dur, args):
    return f'{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts:.3f},"dur":{dur:.3f},"args":{{{args}}}}}'


def launch(k, now, free):
    """An annotation, an op, its launch and its kernel, or every fiftieth time a collective."""
    stream = 20 if k % 50 == 0 else 7
    begin = max(free[stream] + 0.5, now + 9)
    args = f'"device":0,"stream":{stream},"correlation":{k},"blocks per SM":{k % 5}.5'
    if stream == 20:
        args += ',"Collective name":"allreduce","In msg nelems":1000,"dtype":"Float","Group size":8,"Process Group Name":"0"'
    free[stream] = begin + 15.125 + k % 9
    return [event("user_annotation", f"block_{k % 40}", 1, 1, now, 30.5, ""),
            event("cpu_op", OPS[k % 5], 1, 1, now + 1, 20.5, f'"External id":{k},"Input Dims":[[{64 + k % 7},128],[128,256]]'),
            event("cuda_runtime", "cudaLaunchKernel", 1, 1, now + 5, 5.25, f'"correlation":{k}'),
            event("kernel", "ncclDevKernel_AllReduce" if stream == 20 else f"kernel_{k % 300}", 0, stream, begin, 15.125 + k % 9, args)]


def write(path):
    now, free, k = 1000.0, {7: 0.0, 20: 0.0}, 0
    with open(path, "w", encoding="ascii") as f:
        f.write('{"schemaVersion":1,"traceEvents":[\n')
        for step in range(STEPS):
            events, begin = [], now
            for _ in range(SPANS // STEPS // 4):
                k += 1
                events += launch(k, now, free)
                now += 31
                if k % 1000 == 0:
                    end = max(now, *free.values()) + 1
                    events.append(event("cuda_runtime", "cudaStreamSynchronize", 1, 1, now, end - now, '"correlation":0'))
                    now = end + 1
            events.append(event("user_annotation", f"ProfilerStep#{step}", 1, 1, begin, now - begin, ""))
            now += 1
            f.write(("" if step == 0 else ",\n") + ",\n".join(events))
        f.write("]}\n")


def seconds(program, path, line, times):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, path], input=f"{line} -output none\n" * times, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{line}: status {done.returncode}: {done.stderr[:300]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    program, slow = os.path.join(sys.argv[1], "tfprof"), 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        write(path)
        print(f"{SPANS} spans")
        for line, most in TABLES.items():
            one = max(0.0, seconds(program, path, line, TIMES + 1) - seconds(program, path, line, 1)) / TIMES
            slow += one > most
            print(f"{line:24} {one:6.3f} s of processor time, at most {most} s{'   TOO SLOW' if one > most else ''}")
    return slow != 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processor time of `tfprof whatif` on big traces: whatif.py PROGRAM [MILLIONS]  It makes two traces in PyTorch's layout, with that many
million spans (10 by default) and with a quarter of them: operators of which each launches a kernel in one of two streams, a collective
every twenty, a synchronisation and a step every hundred. One change is asked for, of the trace as a file of tfprof's own (`convert`). What
reading takes (`info`) is told beside it. The aim is 5 s for ten million spans, and four times the spans in at most five times the time."""
import os
import resource
import subprocess
import sys
import tempfile

OPS = 100  # operators in a step


def step_of():
    """The text of a step, with placeholders for time and number."""
    lines, at = [], 10

    def add(cat, name, ts, dur, pid, tid, args):
        lines.append('{"ph":"X","cat":"%s","name":"%s","pid":%d,"tid":%d,"ts":@%d@,"dur":%d,"args":{%s}}' % (cat, name, pid, tid, ts, dur, args))
    for i in range(OPS):
        comm = i % 20 == 19
        stream = 20 if comm else 7
        name = "ncclDevKernel_AllReduce_Sum_f32" if comm else "gemm_%d" % (i % 10)
        key = '"correlation":#%d#' % i
        add("cpu_op", "c10d::allreduce_" if comm else "aten::op_%d" % (i % 10), at, 9, 1, 1, "")
        add("cuda_runtime", "cudaLaunchKernel", at + 2, 4, 1, 1, key)
        add("kernel", name, at + 12, 9, 0, stream, key + ',"device":0,"stream":%d' % stream)
        at += 10
    add("cuda_runtime", "cudaDeviceSynchronize", at, 14, 1, 1, '"correlation":#%d#' % OPS)
    add("user_annotation", "ProfilerStep#!", 0, at + 20, 1, 1, "")
    return ",\n".join(lines), at + 30, len(lines)


def write(path, spans):
    text, length, count = step_of()
    pieces = text.replace("@", "\0").replace("#", "\0", 0).split("\0")
    with open(path, "w") as f:
        f.write('{"schemaVersion":1,"traceEvents":[\n')
        for step in range(spans // count):
            base, keys = step * length, step * (OPS + 1) + 1
            out = [piece if i % 2 == 0 else str(base + int(piece)) for i, piece in enumerate(pieces)]
            parts = "".join(out).replace("ProfilerStep#!", "ProfilerStep\1%d" % step).split("#")
            f.write(",\n" if step else "")
            f.write("".join(p if i % 2 == 0 else str(keys + int(p)) for i, p in enumerate(parts)).replace("\1", "#"))
        f.write("]}\n")


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(program, spans, folder):
    trace, kept = os.path.join(folder, "trace.json"), os.path.join(folder, "trace.tfprof")
    write(trace, spans)
    subprocess.run([program, "convert", trace, "-o", kept], check=True, stdout=subprocess.DEVNULL)
    os.remove(trace)
    reading = min(seconds([program, "steps", kept]) for _ in range(2))
    asked = min(seconds([program, "whatif", kept, "-faster", "gemm.*=2"]) for _ in range(3))
    best = seconds([program, "whatif", kept])
    print("%5.2f million spans: steps %.2f s, one change %.2f s, the ten best %.2f s" % (spans / 1e6, reading, asked, best), flush=True)
    return asked


def main():
    program, millions = os.path.abspath(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as folder:
        quarter = measure(program, int(millions * 250000), folder)
        all_of_it = measure(program, int(millions * 1e6), folder)
    print("four times the spans take %.1f times as long" % (all_of_it / quarter))
    return all_of_it > 5 * quarter or all_of_it > millions / 2


if __name__ == "__main__":
    sys.exit(main())

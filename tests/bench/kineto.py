#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the reading of PyTorch's traces in ratios taken in one run: tests/bench/kineto.py BUILD

  walk      a byte-by-byte visit that tells strings from structure (tests/bench/jsonwalk.c)
  op        the whole command, with all processors and with one thread; on two processors we aim at 600 MB/s and 1.5 walks,
            so at 3 walks of processor time, which other programs on the machine change little
  memory    the most memory held, by bytes of the file; at most 0.5
  .tfprof   the whole command on what `convert` made of it; at most 300 ms
  .gz       the whole command by the time of `gzip -dc`; at most 1.5
  HTA       with HTA_PYTHON, a Python that has HolisticTraceAnalysis: its load and table of kernels of 50 MB, its import not counted,
            by the time of `tfprof kernel`; at least 50
The trace is made here (MEGABYTES, 500 by default) in the layout that torch writes; its steps repeat with new times and ids.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MEGABYTES = int(os.environ.get("MEGABYTES", "500"))
LAYERS = 60

OPS = ["aten::linear", "aten::addmm", "aten::relu", "aten::native_layer_norm", "aten::dropout"]


def one_step():
    """The text of a step with %-placeholders, and for each one a number and its increment for each step."""
    text, places = [], []

    def put(cat, name, pid, tid, at, lasts, args):
        text.append('  {\n    "ph": "X", "cat": "%s", "name": "%s", "pid": %s, "tid": %s,\n    "ts": %%d.%03d, "dur": %d.%03d,\n'
                    '    "args": {\n      ' % (cat, name, pid, tid, at % 1000, lasts // 1000, lasts % 1000) + args + "\n    }\n  }")
        places.append((5410938000000 + at // 1000, "time"))

    places_of_args = places
    at, ids = 1000, 1
    for layer in range(LAYERS):
        for n, op in enumerate(OPS):
            args = '"External id": %d,"Record function id": 0, "Sequence number": %d, "Fwd thread id": 0, "Ev Idx": %d, ' \
                   '"Input Dims": [[%d], [64, %d], [%d, 512], [], []], "Input type": ["float", "float", "float", "Scalar", "Scalar"], ' \
                   '"Input Strides": [[1], [512, 1], [1, 512], [], []], "Concrete Inputs": ["", "", "", "1", "1"]'
            put("cpu_op", op, 4515, 4515, at, 41237, args.replace("%d", "%%d").replace("%%d", "@"))
            dims = 256 + 64 * (layer % 7)
            values = [(ids, "id"), (ids, "id"), (ids, "id"), (dims, ""), (dims, ""), (dims, "")]
            text[-1] = text[-1].replace("@", "%d")
            places_of_args.extend(values)
            correlation = ids
            put("cuda_runtime", "cudaLaunchKernel", 4515, 4515, at + 10011, 7250,
                '"External id": @, "cbid": 211, "correlation": @'.replace("@", "%d"))
            places_of_args.extend([(ids, "id"), (correlation, "id")])
            put("kernel", "void at::native::vectorized_elementwise_kernel<4, at::native::op_%d<float>, at::detail::Array<char*, 3> >"
                % n, 0, 7, at + 30007, 38017,
                '"External id": @, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": @, "registers per thread": 64, '
                '"shared memory": 0, "blocks per SM": 7.407407, "warps per SM": 29.629629, "grid": [800, 1, 1], "block": [128, 1, 1], '
                '"est. achieved occupancy %%": 46'.replace("@", "%d"))
            places_of_args.extend([(ids, "id"), (correlation, "id")])
            at += 42013
            ids += 1
    text.append('  {\n    "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d", "pid": 4515, "tid": 4515,\n'
                '    "ts": %d.000, "dur": ' + "%d.%03d" % ((at + 5000) // 1000, at % 1000) + ',\n    "args": {\n      "External id": %d,"Ev Idx": 0\n    }\n  }')
    places.extend([(0, "step"), (5410938000000, "time"), (ids, "id")])
    return ",\n".join(text), places, at + 10000, ids + 1


def write_trace(path, megabytes):
    text, places, lasts, ids = one_step()
    grows = {"": 0, "time": lasts // 1000 + 1, "id": ids, "step": 1}
    count = steps = 0
    with open(path, "w") as f:
        f.write('{\n  "schemaVersion": 1,\n  "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB", "numSms": 108}],\n'
                '  "traceEvents": [\n')
        while count < megabytes * 1e6:
            filled = text % tuple(n + steps * grows[what] for n, what in places)
            f.write((",\n" if steps else "") + filled)
            count += len(filled)
            steps += 1
        f.write("\n  ]\n}\n")


def measure(command, times=5, threads=None):
    """The best wall time and processor time in seconds and the peak memory in bytes of several
    runs."""
    environment = dict(os.environ, TFPROF_THREADS=threads) if threads else None
    best, busy, most = float("inf"), float("inf"), 0
    for _ in range(times):
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        took = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit("bench: status %d from %s" % (process.returncode, " ".join(command)))
        best, busy, most = min(best, took), min(busy, usage.ru_utime + usage.ru_stime), max(most, usage.ru_maxrss * 1024)
    return best, busy, most


HTA = """
import sys, time
from hta.trace_analysis import TraceAnalysis
start, busy = time.monotonic(), time.process_time()
TraceAnalysis(trace_files={0: sys.argv[1]}).get_gpu_kernel_breakdown(visualize=False)
print(time.monotonic() - start, time.process_time() - busy)
"""


def beside_hta(program, scratch, python):
    """HTA needs a rank in the trace and reads only gzip."""
    trace, packed = os.path.join(scratch, "rank0.json"), os.path.join(scratch, "rank0.json.gz")
    write_trace(trace, 50)
    subprocess.run(["sed", "-i", "0,/{/s//{\"distributedInfo\": {\"rank\": 0},/", trace], check=True)
    with open(packed, "wb") as f:
        subprocess.run(["gzip", "-c", "-3", trace], stdout=f, check=True)
    out = subprocess.run([python, "-c", HTA, packed], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=scratch).stdout
    theirs, theirs_busy = map(float, out.split()[-2:])
    took, busy, _ = measure([program, "kernel", packed], times=9)
    print("HTA    %6.1f s = %.0f times tfprof kernel (%.0f ms); of processors %.1f s, %.0f times" % (
        theirs, theirs / took, took * 1e3, theirs_busy, theirs_busy / busy))


def main():
    program = os.path.join(os.path.abspath(sys.argv[1]), "tfprof")
    scratch = tempfile.mkdtemp(prefix="tfprof_bench_")
    try:
        walk, trace = os.path.join(scratch, "walk"), os.path.join(scratch, "trace.json")
        subprocess.run(["cc", "-O3", "-std=c11", "-D_GNU_SOURCE", os.path.join(ROOT, "tests", "bench", "jsonwalk.c"), "-o", walk], check=True)
        write_trace(trace, MEGABYTES)
        size = os.path.getsize(trace)
        out = subprocess.run([walk, trace, "5"], check=True, stdout=subprocess.PIPE, text=True).stdout
        bare = float(out.split(", ")[1].split()[0])
        _, walked, _ = measure([walk, trace, "1"])
        print("%.0f MB of JSON; a walk that tells strings from structure takes %.0f ms, %.0f of a processor" % (
            size / 1e6, bare * 1e3, walked * 1e3))
        for view in ("op", "scope", "kernel", "steps"):
            took, busy, memory = measure([program, view, trace])
            alone, _, _ = measure([program, view, trace], times=3, threads="1")
            print("%-6s %6.0f ms = %4.2f walks (one thread: %4.2f; processor time: %4.2f), %4.0f MB/s, %.2f bytes of memory a byte" % (
                view, took * 1e3, took / bare, alone / bare, busy / walked, size / 1e6 / took, memory / size), flush=True)
        tables = os.path.join(scratch, "trace.tfprof")
        subprocess.run([program, "convert", trace, "-o", tables], check=True)
        for view in ("op", "scope", "kernel", "steps", "calls", "wait"):
            took, busy, memory = measure([program, view, tables])
            print(".tfprof %-6s %4.0f ms = %4.2f walks (processor time: %.0f ms), %.0f MB of memory; at most 300 ms" % (
                view, took * 1e3, took / bare, busy * 1e3, memory / 1e6), flush=True)
        packed = trace + ".gz"
        with open(packed, "wb") as f:
            subprocess.run(["gzip", "-c", "-3", trace], stdout=f, check=True)
        plain, _, _ = measure(["gzip", "-dc", packed], times=3)
        took, _, _ = measure([program, "op", packed], times=3)
        if "HTA_PYTHON" in os.environ:
            beside_hta(program, scratch, os.environ["HTA_PYTHON"])
        print(".gz    %6.0f ms = %4.2f times gzip -dc (%.0f ms)" % (took * 1e3, took / plain, plain * 1e3))
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()

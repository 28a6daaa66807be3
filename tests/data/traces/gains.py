#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sample/gains: a job whose host is the limit, so that faster kernels gain nothing, and the same job with kernels that take longer
than their launches, also with copies whose calls wait for room in the device's queue. Each step has 20 products in single precision on a device with tensor cores. Times are microseconds."""
import os

from jobs import write

DATA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STEPS, PRODUCTS, LAUNCH = 4, 20, 10


def job(host_us, kernel_us, copy_us=0):
    events, now, free, number = [], 1000.0, 0.0, 0

    def add(cat, name, start, us, tid, args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": 1 if cat.startswith(("cpu", "cuda", "user")) else 0, "tid": tid, "ts": round(start, 3),
                       "dur": round(us, 3), "args": args})

    for step in range(STEPS):
        begin = now
        for copied in range(2 if copy_us else 0):
            number += 1
            free = max(free + 1, now + 6)
            wait = 12 if copied else max(free - now, 0) + 12
            add("cuda_runtime", "cudaMemcpyAsync", now, wait, 1, {"correlation": number})
            add("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", free, copy_us, 7,
                {"device": 0, "stream": 7, "correlation": number, "bytes": 1000000})
            free += copy_us
            now += wait + 5
        for _ in range(PRODUCTS):
            number += 1
            add("cpu_op", "aten::mm", now, host_us, 1, {"External id": number})
            add("cuda_runtime", "cudaLaunchKernel", now + host_us - LAUNCH - 2, LAUNCH, 1, {"correlation": number})
            free = max(free + 1, now + host_us - 4)
            add("kernel", "volta_sgemm_128x64_nn", free, kernel_us, 7,
                {"device": 0, "stream": 7, "correlation": number, "grid": [640, 1, 1], "block": [128, 1, 1], "blocks per SM": 8.0})
            free += kernel_us
            now += host_us + 5
        add("user_annotation", f"ProfilerStep#{step}", begin, now - begin, 1, {})
        now += 20
    device = {"id": 0, "name": "Tesla V100", "computeMajor": 7, "computeMinor": 0, "numSms": 80}
    return {"schemaVersion": 1, "deviceProperties": [device], "traceEvents": sorted(events, key=lambda e: (e["ts"], -e["dur"]))}


if __name__ == "__main__":
    out = os.path.join(DATA, "sample", "gains")
    os.makedirs(out, exist_ok=True)
    write(os.path.join(out, "host.json"), job(400, 150))
    write(os.path.join(out, "device.json"), job(100, 400))
    write(os.path.join(out, "copies.json"), job(100, 400, 500))

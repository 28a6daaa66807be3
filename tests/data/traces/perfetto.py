#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/sample/perfetto/*.pftrace: small traces of Perfetto: tests/data/traces/perfetto.py
torch.pftrace: as PyTorch writes them; sdk.pftrace: sequences with clocks and tables of their own, compressed packets, counters."""
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from wire import bytes_field as text, number_field as number, varint  # noqa: E402

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample", "perfetto")


def fixed(field, n):
    return varint(field << 3 | 1) + struct.pack("<Q", n)


def value(v):
    if isinstance(v, bool):
        return number(2, int(v))
    if isinstance(v, int):
        return number(4, v)
    if isinstance(v, float):
        return varint(5 << 3 | 1) + struct.pack("<d", v)
    if isinstance(v, dict):
        return b"".join(text(11, text(10, k) + value(x)) for k, x in v.items())
    if isinstance(v, list):
        return b"".join(text(12, value(x)) for x in v)
    return text(6, v)


def args(values):
    return b"".join(text(4, text(10, k) + value(v)) for k, v in values.items())


def process(uuid, pid, name):
    return text(60, number(1, uuid) + text(3, number(1, pid) + text(6, name)))


def thread(uuid, parent, pid, tid, name):
    return text(60, number(1, uuid) + number(5, parent) + text(4, number(1, pid) + number(2, tid) + text(5, name)))


def begin(at, track, name, category, values=None, more=b"", head=b""):
    return number(8, at) + head + text(11, number(9, 1) + number(11, track) + text(23, name) + text(22, category) + args(values or {}) + more)


def end(at, track, head=b""):
    return number(8, at) + head + text(11, number(9, 2) + number(11, track))


def trace(packets):
    return b"".join(text(1, p) for p in packets)


def torch():
    """All begins of a kind, then all ends; consecutive kernels share a time."""
    kernel = [begin(26000, 4, "gemm(float*)", "kernel", {"device": 1, "stream": 7, "correlation": 11, "grid": [1, 2, 3]}),
              begin(36000, 4, "norm(float*)", "kernel", {"device": 1, "stream": 7, "correlation": 12, "shared": {"a": 0.5, "b": True}})]
    op = [begin(15000, 2, "aten::linear", "cpu_op", {"Input Dims": [[8, 16], [16, 16]], "External id": 3}),
          begin(16000, 2, "aten::addmm", "cpu_op", {"Sequence number": 5}),
          begin(30000, 2, "aten::layer_norm", "cpu_op")]
    call = [begin(17000, 2, "cudaLaunchKernel_v7000", "cuda_runtime", {"correlation": 11}),
            begin(31000, 2, "cudaLaunchKernel", "cuda_runtime", {"correlation": 12})]
    step = [begin(14000, 2, "train_step 4", "user_annotation")]
    return trace([process(1, 77, "python"), thread(2, 1, 77, 78, "main"), process(3, 1, "GPU 1"), thread(4, 3, 1, 7, "stream 7")] + op +
                 [end(20000, 2), end(22000, 2), end(33000, 2)] + call + [end(18000, 2), end(32000, 2)] + kernel + [end(36000, 4), end(40000, 4)] +
                 step + [end(50000, 2)])


def sdk():
    names = text(1, number(1, 1) + text(2, "hip_api")) + text(2, number(1, 1) + text(2, "hipLaunchKernel")) + text(3, number(1, 1) + text(2, "corr_id"))
    kernels = text(1, number(1, 1) + text(2, "kernel_dispatch")) + text(2, number(1, 1) + text(2, "gemm(float*)"))
    ticks = number(58, 64)  # a clock of this sequence: microseconds since the previous time
    snapshot = text(6, text(1, number(1, 6) + number(2, 1000000)) + text(1, number(1, 64) + number(2, 500) + number(3, 1) + number(4, 1000)))
    mono = text(6, text(1, number(1, 6) + number(2, 1000000)) + text(1, number(1, 3) + number(2, 400000)))
    host = [number(10, 2) + number(13, 1) + snapshot + text(59, ticks + text(11, number(11, 2))),
            number(10, 2) + number(8, 10) + text(11, number(9, 1) + text(23, "step 1") + text(22, "marker_api")),
            number(10, 2) + number(8, 2) + number(13, 2) + text(12, names) + text(11, number(9, 1) + number(10, 1) + number(3, 1) + fixed(47, 99)),
            number(10, 2) + number(8, 3) + text(11, number(9, 2)),
            number(10, 2) + number(8, 30) + text(11, number(9, 2)),
            number(10, 2) + number(8, 1) + text(11, number(9, 2)),  # one end too many
            number(10, 2) + number(8, 1) + text(11, number(9, 1) + text(23, "open") + text(22, "marker_api"))]
    device = [number(10, 3) + number(13, 1) + mono + text(12, kernels),
              number(10, 3) + number(58, 3) + number(8, 420000) + text(11, number(9, 1) + number(10, 1) + number(3, 1) + number(11, 4) + fixed(48, 99)),
              number(10, 3) + number(58, 3) + number(8, 430000) + text(11, number(9, 2) + number(11, 4)),
              # from here on the same ids mean something else
              number(10, 3) + number(13, 1) + text(12, text(1, number(1, 1) + text(2, "memory_copy")) +
                                                   text(2, number(1, 1) + text(2, "MEMORY_COPY_HOST_TO_DEVICE"))),
              number(10, 3) + number(8, 1031000) + text(11, number(9, 1) + number(10, 1) + number(3, 1) + number(11, 4)),
              number(10, 3) + number(8, 1032000) + text(11, number(9, 2) + number(11, 4))]
    counter = [text(60, number(1, 9) + number(5, 1) + text(2, "held") + text(8, number(3, 3) + number(4, 1024) + number(5, 1))),
               number(8, 1010000) + text(11, number(9, 4) + number(11, 9) + number(30, 3)),
               number(8, 1020000) + text(11, number(9, 4) + number(11, 9) + number(30, -1))]
    odd = [text(900, b"x"), number(8, 5) + text(11, b"\x0b")]
    return trace([process(1, 77, "python"), thread(2, 1, 77, 78, "main"), process(3, 0, "GPU"), thread(4, 3, 0, 2, "queue 2")] + host + counter + odd +
                 [text(50, zlib.compress(trace(device)))])


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for name, made in (("torch", torch), ("sdk", sdk)):
        with open(os.path.join(FOLDER, name + ".pftrace"), "wb") as f:
            f.write(made())


if __name__ == "__main__":
    main()

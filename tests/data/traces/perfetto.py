#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/sample/perfetto/*.pftrace: small traces of Perfetto: tests/data/traces/perfetto.py
torch.pftrace: as PyTorch wrote them before 2.15; sdk.pftrace: sequences with clocks and tables of their own, compressed packets, counters;
stages.pftrace: typed events of a GPU, as PyTorch 2.15 writes them; queues.pftrace: those of other programs, with and without interned data."""
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


def stage(at, fields, extra=(), more=b""):
    """GpuRenderStageEvent; fields: numbers by their field."""
    data = b"".join(text(6, text(1, k) + text(2, v)) for k, v in extra)
    return number(10, 1) + number(8, at) + text(53, b"".join(number(f, n) for f, n in fields.items()) + data + more)


def dims(*d):
    return b"".join(number(i + 1, n) for i, n in enumerate(d))


def row(field, iid, name, at=2):
    return text(field, number(1, iid) + text(at, name))


def stages():
    """A kernel, a copy, a set, a range and a graph of two kernels; launches by extra data and by gpu_correlation."""
    interned = b"".join([row(2, 1, "gemm(float*)"), row(2, 2, "forward"), row(2, 3, "norm(float*)"), row(24, 1, "Kernel"), row(24, 2, "Memcpy"),
                         row(24, 3, "Memset"), row(24, 4, "Annotation"), row(24, 5, "EventRecord"), row(24, 6, "HostNode"),
                         row(24, 100, "[07] stream 7"), row(24, 101, "[61] all reduce"), row(1000, 1, "gemm(float*)", 3),
                         row(1000, 2, "norm(float*)", 3), row(1001, 1, "registers_per_thread"), row(1001, 2, "shared_mem_dynamic")])
    op = [begin(1010000, 2, "aten::mm", "cpu_op"), end(1030000, 2), begin(1040000, 2, "aten::norm", "cpu_op"), end(1060000, 2)]
    call = [begin(1012000, 2, "cudaLaunchKernel", "cuda_runtime", {"correlation": 11}, text(3000, number(1, 1))), end(1018000, 2),
            begin(1042000, 2, "cudaMemcpyAsync", "cuda_runtime", {"correlation": 12}), end(1046000, 2),
            begin(1048000, 2, "cudaMemsetAsync", "cuda_runtime", {}, text(3000, text(1, varint(3)))), end(1049000, 2),
            begin(1050000, 2, "cudaGraphLaunch", "cuda_runtime", {"correlation": 14}, text(3000, number(1, 5) + number(1, 6))), end(1056000, 2)]
    launch = text(21, text(1, dims(4, 2, 1)) + text(2, dims(128, 1, 1)) + text(3, number(1, 1) + number(4, 32)) + text(3, number(1, 2) + number(4, 1024)))
    ids = [("device id", "1"), ("context id", "1"), ("stream id", "7"), ("process_id", "77")]
    gpu = [stage(1020000, {1: 1, 2: 6000, 11: 1, 13: 100, 14: 1, 5: 1, 20: 1, 19: 1}, ids + [("correlation", "11")], launch),
           stage(1050000, {1: 2, 2: 5000, 11: 1, 13: 100, 14: 2}, ids + [("correlation", "12"), ("bytes", "4096")]),
           stage(1055000, {1: 3, 2: 1000, 11: 1, 13: 100, 14: 3}, ids + [("bytes", "64")]),
           stage(1019999, {1: 4, 2: 36002, 11: 1, 13: 100, 14: 4, 20: 2, 19: 7}, ids),
           stage(1057000, {1: 5, 2: 3000, 11: 1, 13: 100, 14: 1, 20: 1, 19: 1},
                 ids + [("correlation", "14"), ("graph id", "9"), ("graph node id", "2"), ("module_fqn", "layers.0.wq")], launch),
           stage(1061000, {1: 6, 2: 2000, 11: 1, 13: 101, 14: 1, 19: 2},
                 ids + [("correlation", "14"), ("graph id", "9"), ("graph node id", "3"), ("Process Group Name", "0")], number(18, 5) + launch),
           stage(1063000, {1: 7, 2: 0, 11: 1, 13: 100, 14: 5}, ids + [("correlation", "14"), ("graph node id", "4")]),
           stage(1063500, {1: 8, 2: 500, 11: 1, 13: 100, 14: 6}, ids + [("correlation", "14"), ("graph node id", "5"), ("host fn", "notify")])]
    power = [number(10, 1) + number(8, 1000000 + 20000 * i) +
             text(52, (text(1, text(1, number(1, 0) + text(2, "Power (W)"))) if not i else b"") +
                  text(2, number(1, 0) + varint(3 << 3 | 1) + struct.pack("<d", 100.5 + i)) + number(3, 1)) for i in range(3)]
    return trace([process(1, 77, "python"), thread(2, 1, 77, 78, "main"), number(10, 1) + number(13, 1) + text(12, interned)] + op + call + gpu + power)


def queues():
    """Stages with names of their own, and a launch by gpu_correlation; then stages of Mesa, whose numbers are places in lists."""
    interned = b"".join([row(24, 1, "hipStream 3"), row(24, 2, "Queue #9"), row(24, 3, "Kernel"), row(24, 4, "MemoryTransfer"), row(24, 5, "Memory set")])
    lists = text(7, b"".join(text(2, text(1, name)) for name in ("main", "labels")) + b"".join(text(3, text(1, name)) for name in ("Command Buffer", "Compute")))
    call = [begin(1001000, 2, "hipLaunchKernel", "hip_runtime", {}, text(3000, number(1, 5))), end(1003000, 2)]
    typed = [stage(1010000, {1: 5, 2: 3000, 11: 1, 13: 1, 14: 3}, more=text(17, "gemm_f16")),
             stage(1013000, {1: 6, 2: 2000, 11: 1, 13: 2, 14: 4}, [("bytes", "128")]), stage(1016000, {1: 7, 2: 1000, 11: 1, 13: 2, 14: 5}),
             stage(1017000, {1: 10, 2: 1000, 11: 1, 13: 1, 14: 3}, [("kernel_name", "_Z4normPf"), ("kernel_demangled_name", "norm(float*)"), ("device_id", "0")])]
    mesa = [stage(1020000, {1: 8, 2: 9000, 3: 0, 4: 0}, more=lists), stage(1021000, {1: 9, 2: 4000, 3: 0, 4: 1})]
    return trace([process(1, 77, "python"), thread(2, 1, 77, 78, "main"), number(10, 1) + number(13, 1) + text(12, interned)] + call + typed + mesa)


def late_ends():
    """Thirty operators, of which all begin before the first one ends, as PyTorch 2.15 writes those of a thread."""
    begins = [begin(1000000 + 10000 * i, 2, "aten::add", "cpu_op") for i in range(30)]
    return trace([process(1, 77, "python"), thread(2, 1, 77, 78, "main")] + begins + [end(1005000 + 10000 * i, 2) for i in range(30)])


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for name, made in (("torch", torch), ("sdk", sdk), ("stages", stages), ("queues", queues), ("late_ends", late_ends)):
        with open(os.path.join(FOLDER, name + ".pftrace"), "wb") as f:
            f.write(made())


if __name__ == "__main__":
    main()

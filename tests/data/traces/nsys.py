#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/sample/nsys/report.sqlite: a small report with the tables and columns of Nsight Systems' export: tests/data/traces/nsys.py"""
import os

import database

PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample", "nsys", "report.sqlite")
PID = 77 << 24
TABLES = {
    "StringIds": "id INTEGER PRIMARY KEY, value TEXT",
    "ENUM_CUDA_MEMCPY_OPER": "id INTEGER PRIMARY KEY, name TEXT",
    "ENUM_CUDA_MEM_KIND": "id INTEGER PRIMARY KEY, label TEXT",
    "TARGET_INFO_CUDA_DEVICE": "gpuId INTEGER, cudaId INTEGER, pid INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER",
    "CUPTI_ACTIVITY_KIND_KERNEL": "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, "
                                  "globalPid INTEGER, demangledName INTEGER, shortName INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMCPY": "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, "
                                  "globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMSET": "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, "
                                  "globalPid INTEGER, bytes INTEGER, memKind INTEGER",
    "NVTX_EVENTS": "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER",
    "ENUM_CUPTI_SYNC_TYPE": "id INTEGER PRIMARY KEY, name TEXT",
    "ENUM_CUPTI_OVERHEAD_TYPE": "id INTEGER PRIMARY KEY, label TEXT",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, "
                                           "globalPid INTEGER, syncType INTEGER",
    "CUPTI_ACTIVITY_KIND_CUDA_EVENT": "timestamp INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER",
    "CUPTI_ACTIVITY_KIND_OVERHEAD": "start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER, overheadType INTEGER",
    "OSRT_API": "start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER",
}
ROWS = {
    "StringIds": [(1, "cudaLaunchKernel_v7000"), (2, "gemm(float*)"), (3, "cudaMemcpyAsync_v3020"), (4, "cudaMemsetAsync_v3020"),
                  (5, "layer1"), (6, "gemm"), (7, "cudaStreamSynchronize_v3020"), (8, "pthread_cond_wait")],
    "ENUM_CUDA_MEMCPY_OPER": [(21, "CUDA_MEMCPY_KIND_HTOD")],
    "ENUM_CUDA_MEM_KIND": [(30, "Pinned"), (31, "Device")],
    "TARGET_INFO_CUDA_DEVICE": [(3, 0, 77)],
    "CUPTI_ACTIVITY_KIND_RUNTIME": [(12000, 13000, PID | 78, 1, 1), (15000, 16000, PID | 78, 2, 3), (17000, 17500, PID | 78, 3, 4),
                                    (52000, 53000, PID | 78, 4, 1), (55000, 61000, PID | 78, 5, 7)],
    "CUPTI_ACTIVITY_KIND_KERNEL": [(14000, 24000, 0, 7, 1, PID, 2, 6), (54000, "60000", 0, 7, 4, PID, None, 6)],
    "CUPTI_ACTIVITY_KIND_MEMCPY": [(25000, 27000, 0, 7, 2, PID, 4096, 21, 30, 31)],
    "CUPTI_ACTIVITY_KIND_MEMSET": [(28000, 28500, 0, 7, 3, PID, 512, 31)],
    "NVTX_EVENTS": [(10000, 30000, 59, "train_step 4", PID | 78, None), (10500, 20000, 59, None, PID | 78, 5),
                    (11000, 14500, 59, "aten::addmm, seq = 3, op_id = 8, sizes = [[2, 3], [3, 4]]", PID | 78, None),
                    (50000, 70000, 59, "train_step 5", PID | 78, None), (51000, 55000, 59, "mm, op_id = 9", PID | 78, None),
                    (51000, None, 34, "a mark", PID | 78, None), ("?", 9, 59, "no time", PID | 78, None)],
    "ENUM_CUPTI_SYNC_TYPE": [(8, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE")],
    "ENUM_CUPTI_OVERHEAD_TYPE": [(2, "Driver JIT compiler (CUDA)")],
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": [(55200, 60500, 0, 7, 5, PID, 8), (62000, 62500, 0, 0xFFFFFFFF, 0, PID, 9)],
    "CUPTI_ACTIVITY_KIND_CUDA_EVENT": [(24000, 0, 7, 0, PID), (0, 0, 7, 0, PID)],
    "CUPTI_ACTIVITY_KIND_OVERHEAD": [(12000, 12800, PID | 78, None, 2)],
    "OSRT_API": [(5000, 40000, PID | 79, 8), (45000, None, PID | 79, 8)],
}


def beside(name, tables):
    database.write(os.path.join(os.path.dirname(PATH), name), tables)


# stacks that were sampled on CPUs: of two threads, one with a symbol that was not found
SAMPLED = {
    "COMPOSITE_EVENTS": "id INTEGER PRIMARY KEY, start INTEGER, cpu INTEGER, threadState INTEGER, globalTid INTEGER, cpuCycles INTEGER",
    "SAMPLING_CALLCHAINS": "id INTEGER, symbol INTEGER, module INTEGER, kernelMode INTEGER, thumbCode INTEGER, unresolved INTEGER, "
                           "specialEntry INTEGER, originalIP INTEGER, unwindMethod INTEGER, stackDepth INTEGER",
}
SYMBOLS = [(20, "load_batch"), (21, "decode"), (22, "main"), (23, "/usr/lib/libjpeg.so.8"), (24, "/work/train"), (25, "0x7f01")]


def chain(sample, *frames):
    """Frames from the innermost: a symbol, or None where it was not found."""
    return [(sample, symbol or 25, 24 if symbol else 23, 0, 0, int(symbol is None), 0, 4096 + depth, 1, depth)
            for depth, symbol in enumerate(frames)]


STACKS = {
    "COMPOSITE_EVENTS": [(sample, 10000 + 500 * sample, 0, 1, PID | 78, 2000000 + sample) for sample in range(1, 6)],
    "SAMPLING_CALLCHAINS": chain(1, 21, 20, 22) + chain(2, None, 21, 20, 22) + chain(3, 20, 22)[::-1] + chain(4, 22) + chain(9, 22) + chain(5, 21, 20, 22),
}

# nsys wrote why it has no CUDA events; the calls of the operating system are there
WHY = [(1, 1, 2, "Some events were lost."), (2, 0, 2, "No CUDA events collected. Does the process use CUDA?"), (3, 0, 1, "Process was launched.")]
DIAGNOSTIC = ("DIAGNOSTIC_EVENT", "timestamp INTEGER, timestampType INTEGER, severity INTEGER, text TEXT", WHY)

if __name__ == "__main__":
    database.write(PATH, [(table, columns, ROWS[table]) for table, columns in TABLES.items()])
    symbols = [("StringIds", TABLES["StringIds"], ROWS["StringIds"] + SYMBOLS)]
    stacks = [(table, columns, STACKS[table]) for table, columns in SAMPLED.items()]
    beside("sampled.sqlite", symbols + [(table, columns, ROWS[table]) for table, columns in TABLES.items() if table != "StringIds"] + stacks)
    beside("sampled_alone.sqlite", symbols + stacks + [("TARGET_INFO_SESSION_START_TIME", "utcEpochNs INTEGER", [(1700000000000000000,)])])
    # names of tables as newer exports have them, beside an empty table of the old name
    beside("versions.sqlite", [(table + ("_V3" if "NVTX" in table else "_V2"), columns, ROWS[table]) for table, columns in TABLES.items()]
           + [("NVTX_EVENTS", TABLES["NVTX_EVENTS"], [])])
    host = [(table, TABLES[table], ROWS[table]) for table in ("StringIds", "OSRT_API")]
    beside("no_cuda.sqlite", host + [DIAGNOSTIC])
    beside("no_events.sqlite", [("StringIds", TABLES["StringIds"], []), DIAGNOSTIC])
    beside("calls.sqlite", host + [("CUPTI_ACTIVITY_KIND_RUNTIME", TABLES["CUPTI_ACTIVITY_KIND_RUNTIME"],
                                    [(200000000, 200060000, PID | 78, 1, 1), (420000000, 420020000, PID | 78, 2, 3)])])
    beside("nameless.sqlite", [(table, columns, [] if table == "StringIds" else ROWS[table]) for table, columns in TABLES.items()])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/sample/rocpd/2_results.db: two processes in the tables of rocprofv3's database: tests/data/traces/rocpd.py"""
import os

import database

PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample", "rocpd", "2_results.db")
TABLES = {
    "metadata": "id INTEGER PRIMARY KEY, tag TEXT, value TEXT",
    "string": "id INTEGER PRIMARY KEY, guid TEXT, string TEXT",
    "info_process": "id INTEGER PRIMARY KEY, pid INTEGER",
    "info_thread": "id INTEGER PRIMARY KEY, tid INTEGER",
    "info_agent": "id INTEGER PRIMARY KEY, type TEXT, type_index INTEGER",
    "info_kernel_symbol": "id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT",
    "event": "id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER, correlation_id INTEGER, extdata TEXT",
    "region": "id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, name_id INTEGER, event_id INTEGER, "
              "extdata TEXT",
    "kernel_dispatch": "id INTEGER PRIMARY KEY, agent_id INTEGER, kernel_id INTEGER, queue_id INTEGER, stream_id INTEGER, "
                       "start INTEGER, end INTEGER, event_id INTEGER",
    "memory_copy": "id INTEGER PRIMARY KEY, start INTEGER, end INTEGER, name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, "
                   "size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER",
    "memory_allocate": "id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, agent_id INTEGER, type TEXT, start INTEGER, end INTEGER, "
                       "address INTEGER, size INTEGER, event_id INTEGER",
}
HTOD = "MEMORY_COPY_HOST_TO_DEVICE"
STRINGS = ["HIP_RUNTIME_API", "MARKER_CORE_RANGE_API", "KERNEL_DISPATCH", "hipLaunchKernel", "hipMemcpyAsync", "hipMalloc", HTOD,
           "step 4", "layer1", "roctxRangePush", "hipFree"]


def rows(pid, shift):
    """Both processes use the same ids, each for its own rows."""
    at = {text: i + 1 for i, text in enumerate(STRINGS)}
    call, marker, kernel = (at[s] for s in STRINGS[:3])
    return {
        "metadata": [(1, "schema_version", "3")],
        "string": [(i, "g", text) for text, i in at.items()],
        "info_process": [(1, pid)],
        "info_thread": [(1, pid + 1)],
        "info_agent": [(1, "CPU", 0), (5, "GPU", shift)],
        "info_kernel_symbol": [(1, "_Z4gemmPf.kd", "gemm(float*)"), (2, "_Z4normPf.kd", None)],
        "event": [(1, marker, 900, 0, "{}"), (2, marker, 901, 0, '{"message": "aten::addmm, seq = 3"}'), (3, call, 7, 77, "{}"),
                  (4, kernel, 7, 77, "{}"), (5, call, 8, 77, "{}"), (6, kernel, 8, 77, "{}"), (7, call, 9, 77, "{}"),
                  (8, call, 10, 77, "{}"), (9, kernel, 10, 77, "{}"), (10, marker, 902, 0, "{}"), (11, call, 11, 0, "{}")],
        "region": [(1, 1, 1, 10000, 60000, at["step 4"], 1, "{}"), (2, 1, 1, 11000, 15000, at["roctxRangePush"], 2, "{}"),
                   (3, 1, 1, 12000, 13000, at["hipLaunchKernel"], 3, "{}"), (4, 1, 1, 16000, 17000, at["hipMemcpyAsync"], 5, "{}"),
                   (5, 1, 1, 18000, 19000, at["hipMalloc"], 7, "{}"), (6, 1, 1, 21000, 22000, at["hipLaunchKernel"], 8, "{}"),
                   (7, 1, 1, 20000, 30000, at["roctxRangePush"], 10, '{"message": "layer\\u0031"}'),
                   (8, 1, 1, 40000, 41000, at["hipFree"], 11, "{}")],
        "kernel_dispatch": [(1, 5, 1, 3, 0, 14000, 24000, 4), (2, 5, 2, 3, 2, 25000, 26000 + shift, 9), (3, 5, 2, 3, 2, "?", 1, 9)],
        "memory_copy": [(1, 27000, 29000, at[HTOD], 5, 1, 4096, None, 2, 6)],
        "memory_allocate": [(1, 1, 1, 5, "ALLOC", 18500, 18600, 4096, 1 << 20, 7), (2, 1, 1, None, "FREE", 40500, 40600, 4096, 0, 11)],
    }


def main():
    tables = [(f"rocpd_{table}{ending}", TABLES[table], made) for ending, pid, shift in (("_0198_a", 77, 0), ("_0198_b", 177, 1))
              for table, made in rows(pid, shift).items()]
    database.write(PATH, tables, "CREATE VIEW rocpd_region AS SELECT * FROM rocpd_region_0198_a")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a report of Nsight Systems in SQLite of about GB gigabytes, to measure its reader: tests/bench/sqlite_report.py FILE GB"""
import os
import sqlite3
import sys

TABLES = {
    "StringIds": "id INTEGER PRIMARY KEY, value TEXT",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start, end, eventClass, globalTid, correlationId, nameId, returnValue, callchainId",
    "CUPTI_ACTIVITY_KIND_KERNEL": "start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid, demangledName, "
                                  "shortName, mangledName, launchType, cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, "
                                  "blockY, blockZ, staticSharedMemory, dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId",
    "NVTX_EVENTS": "start, end, eventType, rangeId, category, color, text, globalTid, endGlobalTid, textId, domainId",
}
PROCESS = 77 << 24
THREAD = PROCESS | 78
STEP = 2000  # launches in a step


def rows(n):
    """The rows of a launch with its operator and its kernel; the last one in a step also ends the
    step."""
    at = 9000 * n
    name = 1 + n % 250
    yield "CUPTI_ACTIVITY_KIND_RUNTIME", (at + 1000, at + 4000, 0, THREAD, n, 0, 0, None)
    yield "CUPTI_ACTIVITY_KIND_KERNEL", (at + 5000, at + 12000, 0, 1, None, 7, n, PROCESS, name, name, name, 1, 0, 64, 128, 1, 1, 256, 1, 1,
                                         1024, 0, 0, 0, n)
    yield "NVTX_EVENTS", (at, at + 4500, 59, None, None, None, f"aten::op_{n % 80}, seq = {n}, op_id = {n}", THREAD, None, None, 0)
    if n % STEP == 0:
        yield "NVTX_EVENTS", (at - STEP * 9000 + 8000, at + 8000, 59, None, None, None, f"step {n // STEP}", THREAD, None, None, 0)


def main():
    path, most, n = sys.argv[1], float(sys.argv[2]) * 1e9, 0
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-200000"):
        db.execute("PRAGMA " + pragma)
    for table, columns in TABLES.items():
        db.execute(f"CREATE TABLE {table} ({columns})")
    db.executemany("INSERT INTO StringIds VALUES (?, ?)",
                   [(i, f"void kernel_{i}<float, 4>(float*)" if i else "cudaLaunchKernel_v7000") for i in range(251)])
    while os.path.getsize(path) < most:
        batch = {table: [] for table in TABLES}
        for n in range(n + 1, n + 50001):
            for table, row in rows(n):
                batch[table].append(row)
        for table, made in batch.items():
            if made:
                db.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(made[0]))})", made)
        db.commit()
    print(f"{n} launches, {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    main()

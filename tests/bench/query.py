#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of queries in addition to the load: query.py PROGRAM PROFILE [TIMES]

Processor time of whole commands, best of TIMES runs, less that of the same command that only selects 1 (of one that keeps
spans, if the query reads spans).
"""
import os
import subprocess
import sys

QUERIES = (
    ("SELECT count(*) FROM executions", ""),
    ("SELECT step, count(*), sum(run_us), max(peak_bytes) FROM executions GROUP BY step", ""),
    ("SELECT node, sum(run_us) FROM executions GROUP BY node", ""),
    ("SELECT op, count(*), sum(run_us) FROM nodes JOIN executions USING (node) GROUP BY op", ""),
    ("SELECT count(*) FROM nodes a JOIN nodes b USING (name)", ""),
    ("SELECT kind, sum(duration_us) FROM spans GROUP BY kind", "spans"),
)


def best(program, sql, path, times):
    found = float("inf")
    for _ in range(times):
        child = subprocess.Popen([program, "query", sql, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit("bench: status %d from %s" % (child.returncode, sql))
        found = min(found, usage.ru_utime + usage.ru_stime)
    return found


def main():
    program, path = os.path.abspath(sys.argv[1]), sys.argv[2]
    times = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    loads = {kind: best(program, "SELECT 1 -- " + kind, path, times) for kind in ("", "spans")}
    for sql, kind in QUERIES:
        load = loads["spans" if kind == "spans" else ""]
        print("%4.0f ms + %4.0f ms  %s" % (load * 1e3, (best(program, sql, path, times) - load) * 1e3, sql))


if __name__ == "__main__":
    main()

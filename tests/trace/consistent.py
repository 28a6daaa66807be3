#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers that stand beside each other do not contradict each other, in every view of every sample: what has time ran, time on devices and
on the host adds up, and shares are of what they say they are of. consistent.py TFPROF [FILE...]   without any: tests/data/sample. The
random files of TensorFlow's messages (sample/chance) are left out: their runs are what the files say, as in TensorFlow's tool."""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "sample")
TREES = ("op", "scope", "code", "graph")
TABLES = ("lines", "kernel", "steps", "transfer", "wait", "summary", "memory", "flops")
PARTS = ("self_share", "device_share", "host_share")  # shares of the rows' own time: together at most 1


def ask(program, *words):
    run = subprocess.run([program, *words, "-format", "json"], capture_output=True, text=True, timeout=300)
    if run.returncode < 0:
        raise SystemExit(f"{words}: signal {-run.returncode}")
    try:
        return json.loads(run.stdout) if run.returncode == 0 else {}
    except ValueError:
        return {}


def rows_of(node):
    stack, rows = [node], []
    while stack:
        row = stack.pop()
        rows.append(row)
        stack += row.get("children") or []
    return rows


def of_tree(program, file, view, step):
    answer = ask(program, view, file, "-select", "micros,occurrence", "-step", step)
    for row in rows_of(answer["root"]) if isinstance(answer.get("root"), dict) else []:
        for part in ("", "total_"):
            host, device = (row.get(f"{part}{side}_exec_micros") or 0 for side in ("cpu", "accelerator"))
            both, runs = row.get(f"{part}exec_micros") or 0, row.get("run_count" if not part else "total_run_count") or 0
            if both > 0 and not runs:
                yield f"{row['name']}: {part}{both} us in no run"
            # means of whole microseconds are cut, those of each node by themselves
            if not part and abs(both - host - device) > 2.001 * max(1, row.get("total_definition_count") or 0):
                yield f"{row['name']}: {both} us are not {host} + {device}"


def of_table(program, file, view):
    answer = ask(program, view, file)
    for name, rows in answer.items():
        if name in ("columns", "checkers") or not isinstance(rows, list):
            continue
        rows = [row for row in rows if isinstance(row, dict)]
        sums = collections.defaultdict(float)
        for row in rows:
            for key, share in row.items():
                if not key.endswith("share") or not isinstance(share, (int, float)):
                    continue
                if not -1e-9 <= share <= 1 + 1e-6:
                    yield f"{name}: {key} {share} of {list(row.values())[0]}"
                if key in PARTS or (view == "kernel" and key == "share"):
                    sums[key, row.get("rank")] += share
            if view == "lines" and name == "rows" and row.get("self_us", 0) > 0 and not row.get("runs"):
                yield f"{row.get('line')}: {row['self_us']} us in no run"
            if name == "rows" and row.get("total_us") and "count" in row and not row["count"]:
                yield f"{list(row.values())[0]}: {row['total_us']} us, never"
        for key, share in sums.items():
            if share > 1 + 1e-6:
                yield f"{name}: {key[0]} is {share} in all"


def look(program, file):
    found = [f"{view} -step {step}: {what}" for view in TREES for step in ("all", "mean") for what in of_tree(program, file, view, step)]
    return found + [f"{view}: {what}" for view in TABLES for what in of_table(program, file, view)]


def main():
    program, files = sys.argv[1], sys.argv[2:]
    if not files:
        files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(SAMPLE) for name in names
                       if "/chance" not in folder and not name.endswith((".csv", ".md", ".txt")))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for file, found in zip(files, pool.map(lambda f: look(program, f), files)):
            failed += bool(found)
            for what in found[:5]:
                print(f"{os.path.relpath(file)}: {what}")
    print(f"{len(files) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

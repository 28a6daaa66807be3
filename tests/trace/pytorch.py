#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds a trace against what PyTorch itself made of the same recording: tests/trace/pytorch.py PROGRAM

tests/data/sample/pytorch has a trace and the profiler's key_averages() of it (tests/data/pytorch.py recorded both). Calls, self time,
time and bytes of each operator must be the same, and calls by input shapes. What differs on purpose is in docs/differences.md: annotations have no row
in `op`, and lists of tensors keep their shapes.
"""
import csv
import io
import json
import os
import subprocess
import sys

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "sample", "pytorch")

passed = failed = 0


def check(good, words):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED", words)


def rows(program, *words):
    done = subprocess.run([program, *words, "-format", "csv"], cwd=SAMPLE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise SystemExit("%s\n%s" % (" ".join(words), done.stderr.decode()))
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def near(ours, theirs, count):
    """Both round each span to nanoseconds."""
    return abs(ours - theirs) <= 0.001 * count + 0.002


def main():
    program = os.path.abspath(sys.argv[1])
    with open(os.path.join(SAMPLE, "key_averages.json"), encoding="utf-8") as f:
        theirs = json.load(f)
    ours = {r["name"]: r for r in rows(program, "op", "train.json.gz", "-select", "cpu_micros,occurrence,bytes", "-max_depth", "10000")}
    spans = {r["name"]: r for r in rows(program, "query", "SELECT name, count(*) AS n, sum(duration_ns) / 1000.0 AS us FROM spans "
                                        "WHERE kind = 'op' GROUP BY name", "train.json.gz")}
    memory = {r["name"]: r for r in rows(program, "op", "train.json.gz", "-select", "residual_bytes", "-max_depth", "10000")}
    for row in theirs["by_name"]:
        name, count = row["name"], row["count"]
        if name.startswith(("ProfilerStep", "Optimizer.", "load data")):
            check(name not in ours, name + ": an annotation is no operator")
            continue
        mine = ours.get(name)
        check(mine is not None, "%s is missing" % name)
        if mine is None:
            continue
        check(int(mine["runs"]) == count, "%s: %s runs, not %d" % (name, mine["runs"], count))
        check(near(float(mine["cpu_micros"]), row["self_cpu_us"], count),
              "%s: %s us by itself, not %s" % (name, mine["cpu_micros"], row["self_cpu_us"]))
        check(near(float(spans[name]["us"]), row["cpu_us"], count), "%s: %s us, not %s" % (name, spans[name]["us"], row["cpu_us"]))
        check(int(memory[name]["residual_bytes"]) == row["self_cpu_bytes"],
              "%s: %s bytes, not %d" % (name, memory[name]["residual_bytes"], row["self_cpu_bytes"]))
    names = {row["name"] for row in theirs["by_name"]}
    check(not {n for n, r in spans.items() if n not in names}, "only ours: %s" % sorted(set(spans) - names)[:5])
    shapes = {}
    for r in rows(program, "query", "SELECT name, value, count(*) AS n FROM spans JOIN span_args USING (span) WHERE key = 'Input Dims' "
                  "GROUP BY 1, 2", "train.json.gz"):
        dims = json.loads(r["value"].lstrip("'"))
        key = r["name"], json.dumps([[] if d and isinstance(d[0], list) else d for d in dims])
        shapes[key] = shapes.get(key, 0) + int(r["n"])
    for row in theirs["by_shape"]:
        if row.get("shapes") and row["name"] in ours:
            mine = shapes.get((row["name"], json.dumps(row["shapes"])))
            check(mine == row["count"], "%s %s: %s calls, not %d" % (row["name"], row["shapes"], mine, row["count"]))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

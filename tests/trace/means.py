#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mean of a row is one number: that of its totals in the views of single steps, in stats, and in diff; and where every node
ran in every step that of the view's own mean, too. summary and stats agree on how long a step takes.   means.py TFPROF"""
import csv
import glob
import io
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = os.path.join(ROOT, "tests", "data", "sample")
PROGRAM = sys.argv[1]
FILES = ["traces/kineto.json", "pytorch/train.json.gz", "dense/profile_3.gz", "odd/profile_5", "towers/profile_9.gz"]
COLUMNS = "micros,cpu_micros,occurrence"
NEAR = 1e-6
passed = failed = 0


def check(fine, text):
    global passed, failed
    passed, failed = passed + bool(fine), failed + (not fine)
    if not fine:
        print(text)


def table(*words):
    done = subprocess.run([PROGRAM, *words, "-select", COLUMNS, "-format", "csv"], capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words}: {done.stderr.decode()[:300]}")
    return list(csv.DictReader(io.StringIO(done.stdout.decode()))), done.stderr.decode()


def paths(rows):
    """The identity of a row of a view: the names above it, its own, and its index among equal
    paths."""
    whole, seen, keys = [], {}, []
    for i, row in enumerate(rows):
        whole.append((*whole[int(row["parent"])], row["name"]) if i else ())
        seen[whole[i]] = seen.get(whole[i], -1) + 1
        keys.append((whole[i], seen[whole[i]]))
    return keys


def totals(view, rows):
    """By row: micros, cpu_micros and runs, including the rows below it; in the op view only its
    own."""
    names = [name if view == "op" else f"total_{name}" for name in ("micros", "cpu_micros", "runs")]
    return {key: [float(row[name]) for name in names] for key, row in zip(paths(rows), rows)}


def near(a, b, slack=NEAR):
    return all(abs(x - y) <= slack * max(1, abs(y)) for x, y in zip(a, b))


def compare(name, path, view, steps):
    deep = ["-max_depth", "10000"]
    shown, _ = table(view, path, *deep)
    keys = paths(shown)
    by_step = [totals(view, table(view, path, *deep, "-step", step)[0]) for step in steps]
    mean = {key: [sum(t.get(key, (0, 0, 0))[c] for t in by_step) / len(steps) for c in range(3)] for key in keys}
    stats, told = table("stats", path, "-view", view, *deep)
    check(len(stats) == len(keys) - 1, f"{name} {view}: {len(stats)} rows of stats, {len(keys) - 1} of the view")
    for key, row in zip(keys[1:], stats):
        got = [float(row[f"{c}_mean"]) for c in COLUMNS.split(",")]
        check(near(got, mean[key]), f"{name} {view} {key}: stats {got}, the steps {mean[key]}")
    compared, _ = table("diff", path, f"{path}@{steps[0]}", "-view", view, "--min_size", "0", "--delta", "0")
    for key, row in zip(paths(compared), compared):
        got = [float(row[f"{c}_left"] or 0) for c in COLUMNS.split(",")]
        if key[0]:
            check(near(got, mean[key]), f"{name} {view} {key}: diff {got}, the steps {mean[key]}")
    if "leave such steps out" not in told and view != "code" and path.endswith((".json", ".json.gz")):
        own = totals(view, table(view, path, *deep, "-step", "-1")[0])
        # the mean of each node is rounded down to the clock's grain, and its runs to a whole number
        for key in keys[1:]:
            check(near(own[key][:2], mean[key][:2], 1e-3), f"{name} {view} {key}: the view {own[key]}, the steps {mean[key]}")


def compare_durations(name, path):
    """Compares the facts about a step in summary with those of stats on the table `steps`, for
    files with one device."""
    done = subprocess.run([PROGRAM, "stats", path, "-view", "steps", "-show_name_regexes", ".*/(duration|step)_us", "-format", "csv"],
                          capture_output=True, check=True)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    rows = [row for row in rows if row["op"] == "step_us"] or rows  # where it differs from the window
    if len(rows) != 1:
        return
    done = subprocess.run([PROGRAM, "summary", path, "-format", "json"], capture_output=True, check=True)
    facts = json.loads(done.stdout)["summary"]
    for what in ("mean", "median", "p95"):
        told, ours = facts[f"step_{what}_us"], float(rows[0][f"micros_{what}"])
        check(near([told], [ours], 1e-9), f"{name}: {what} of a step: summary {told}, stats {ours}")


def main():
    for name in FILES + sorted(os.path.relpath(p, SAMPLE) for p in glob.glob(os.path.join(SAMPLE, "xplane", "*.xplane.pb*"))):
        path = os.path.join(SAMPLE, name)
        compare_durations(name, path)
        steps = subprocess.run([PROGRAM, "query", "select step from steps where listed order by step", path, "-format", "csv"],
                               capture_output=True, check=True).stdout.decode().split()[1:]
        for view in ("op", "scope", "code"):
            compare(name, path, view, steps)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

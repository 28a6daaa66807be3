#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tfprof trend: a fleet in which one job got slower, one faster, one had a bad day and one stayed as it was: what changed is found, from
its day on, with the times that the plan gives; nothing else is. trend.py TFPROF"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import fleet

TFPROF = os.path.abspath(sys.argv[1])
DAYS, SINCE = 12, 7
results = [0, 0]


def check(name, fine, *told):
    results[not fine] += 1
    if not fine:
        print("FAILED", name, *told)


def run(*args, status=0):
    done = subprocess.run([TFPROF, *args], capture_output=True, text=True, timeout=120, check=False)
    check(f"{args[1:]} ends with {status}", done.returncode == status, done.returncode, done.stderr[-300:])
    return done


def rows(*args, status=0):
    return {(r["job"], r["op"]): r for r in json.loads(run("trend", *args, "-format", "json", status=status).stdout)["rows"]}


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def close(a, b):
    return abs(a - b) <= 1e-5 * abs(b)  # files have times with a resolution of a thousandth of a microsecond


def as_planned(row, made, value):
    """Means of the days, each of which has the same number of runs."""
    before, after = (mean(value(r) for r in made if r["job"] == row["job"] and (r["day"] >= SINCE) == late) for late in (False, True))
    check(f"times of {row['job']}, {row['op']}", close(row["before_us"], before) and close(row["after_us"], after), row, before, after)
    check(f"change of {row['job']}, {row['op']}", abs(row["change"] - (after / before - 1)) < 1e-5 and row["date"] == fleet.date(SINCE), row)
    check(f"runs of {row['job']}, {row['op']}", (row["runs_before"], row["runs_after"]) == (2 * SINCE, 2 * (DAYS - SINCE)) and row["q"] <= 0.01, row)


def main():
    with tempfile.TemporaryDirectory() as folder:
        traces, out = os.path.join(folder, "traces"), os.path.join(folder, "out")
        made = fleet.write(traces, jobs=("even", "slower", "faster", "one bad day"), days=DAYS, since=SINCE)
        run("index", traces, "-o", out, "--path", fleet.PATTERN)
        found = rows(out)
        check("what changed", {k: r["status"] for k, r in found.items()} ==
              {("slower", None): "regressed", ("slower", "aten::gelu"): "regressed", ("faster", None): "improved", ("faster", "aten::softmax"): "improved"}, found)
        for (_, op), row in found.items():
            kernels = range(len(fleet.KERNELS))
            as_planned(row, made, (lambda r: fleet.duration(r, [k[0] for k in fleet.KERNELS].index(op))) if op else
                       lambda r: sum(fleet.duration(r, k) for k in kernels) + 50)
        check("the biggest growth comes first", list(found) == sorted(found, key=lambda k: -found[k]["change"]), found)
        check("--job", {k[0] for k in rows(out, "--job", "f.*")} == {"faster"})
        check("--op", set(rows(out, "--op", "aten::.*")) == {("slower", "aten::gelu"), ("faster", "aten::softmax")})
        check("--min-change", set(rows(out, "--min-change", "24%")) == {("slower", "aten::gelu"), ("faster", "aten::softmax")})
        check("--since, that day", len(rows(out, "--since", fleet.date(SINCE))) == 4)
        check("--since, the day after", not rows(out, "--since", fleet.date(SINCE + 1)))
        failed = run("trend", out, "--fail-on", "regressed", status=5)
        check("--fail-on says why", "regressed: 2 rows" in failed.stderr, failed.stderr)
        run("trend", out, "--fail-on", "regressed", "--job", "faster|even")
        refusals(folder, out)
    print(f"{results[0]} passed, {results[1]} failed")
    return bool(results[1])


def refusals(folder, out):
    for words, status, text in ((("--fail-on", "slower"), 2, "must be regressed"), (("-q", "2"), 2, "a share up to 1"), (("--since", "yesterday"), 2, "a date"),
                                (("--min-change", "x"), 2, "a share"), (("--op", "("), 2, "invalid regex")):
        done = run("trend", out, *words, status=status)
        check(f"refused: {words}", text in done.stderr and done.stderr.count("\n") == 1, done.stderr)
    check("no index", "no folder that tfprof index made" in run("trend", folder, status=1).stderr)
    parts = os.path.join(out, "ops")
    name = os.path.join(parts, sorted(os.listdir(parts))[0])
    shutil.copy(name, folder)
    with open(name, "r+b") as f:
        f.truncate(os.path.getsize(name) // 2)
    done = run("trend", out, status=1)
    check("a damaged part is named", name in done.stderr and done.stderr.count("\n") == 1, done.stderr)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pprof files: pprof.py PROGRAM

What the program itself writes (-output pprof) gives the same numbers when it is read back, and of Go's profiles in the sample
each function has the flat and cumulative numbers of `go tool pprof -top`: of the tool where it is there, else as recorded.
"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(os.path.dirname(HERE), "data", "sample")
DENSE = ["--graph_path", os.path.join(SAMPLE, "dense", "graph.pb"), "--run_meta_path", os.path.join(SAMPLE, "dense", "run_meta_3"),
         "--op_log_path", os.path.join(SAMPLE, "dense", "tfprof_log.gz")]
PLANS = [("code", "code", "micros"), ("code", "code", "bytes"), ("code", "code", "params"), ("code", "code", "float_ops"),
         ("scope", "calls", "micros"), ("scope", "calls", "bytes"), ("scope", "calls", "params")]
GRADIENT = " (gradient)"
GO = {"go_cpu.pb.gz": ("cpu", "micros", "ns", 1000.0), "go_allocs.pb.gz": ("alloc_space", "bytes", "b", 1.0)}


class Check:
    def __init__(self, program):
        self.program, self.passed, self.failed = program, 0, 0

    def rows(self, *words):
        done = subprocess.run([self.program, *words, "-format", "csv", "-max_depth", "1000"], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120)
        return list(csv.DictReader(io.StringIO(done.stdout.decode())))

    def same(self, what, mine, theirs):
        if mine == theirs:
            self.passed += 1
            return
        self.failed += 1
        for key in sorted(set(mine) | set(theirs)):
            if mine.get(key) != theirs.get(key):
                print("%s: %s: %s, not %s" % (what, key, mine.get(key), theirs.get(key)))
                return


def by_path(rows, column, scope):
    """Own values that are not 0, by the names from the root; the rows of the scope view are full paths."""
    out, paths = defaultdict(float), {}
    for row in rows:
        path = () if row["row"] == "0" else tuple(row["name"].split("/")) if scope else paths[row["parent"]] + (row["name"],)
        paths[row["row"]] = path
        if path and float(row[column]):
            out[path] += float(row[column])
    return dict(out)


def plain_frames(numbers):
    """The code view of a graph names files without their folder, and shortens function names of 20 letters and
    more."""
    out = defaultdict(float)
    for path, n in numbers.items():
        names = []
        for name in path:
            plain, mark = (name[:-len(GRADIENT)], GRADIENT) if name.endswith(GRADIENT) else (name, "")
            file, line, function = plain.rsplit("/", 1)[-1].split(":", 2)
            names.append("%s:%s:%s%s" % (file, line, function if len(function) < 20 else function[:17] + "...", mark))
        out[tuple(names)] += n
    return dict(out)


def read_back(check, folder):
    for view, back, column in PLANS:
        path = os.path.join(folder, "%s_%s.pb.gz" % (view, column))
        asked = [view, *DENSE, "-select", column]
        check.rows(*asked, "-output", "pprof:outfile=" + path)
        mine = by_path(check.rows(back, path, "-select", column), column, False)
        if view == "code":
            mine = plain_frames(mine)
        check.same("%s -select %s read back" % (view, column), mine, by_path(check.rows(*asked), column, view == "scope"))


def top_of(text, divisor):
    """Function: (flat, cum) from the output of `go tool pprof -top`; only rows have five numbers."""
    out = {}
    for line in text.splitlines():
        m = re.match(r"\s*(\d+)\w*\s+\S+%\s+\S+%\s+(\d+)\w*\s+\S+%\s+(.*?)(?: \((?:partial-)?inline\))?$", line)
        if m:
            out[m.group(3)] = (int(m.group(1)) / divisor, int(m.group(2)) / divisor)
    return out


def by_function(rows, column):
    flat, cumulative, above = defaultdict(float), defaultdict(float), {}
    for row in rows:
        if row["row"] == "0":
            above["0"] = frozenset()
            continue
        names = above[row["parent"]]
        flat[row["name"]] += float(row[column])
        if row["name"] not in names:  # a function that calls itself counts once
            cumulative[row["name"]] += float(row["total_" + column])
        above[row["row"]] = names | {row["name"]}
    return {name: (flat[name], cumulative[name]) for name in cumulative}


def against_go(check):
    for name, (kind, column, unit, divisor) in GO.items():
        path, recorded = os.path.join(SAMPLE, "pprof", name), os.path.join(SAMPLE, "pprof", name + ".top.txt")
        command = ["go", "tool", "pprof", "-top", "-nodefraction=0", "-symbolize=none", "-unit=" + unit, "-sample_index=" + kind, path]
        mine = by_function(check.rows("calls", path, "-sample_type", kind, "-select", column), column)
        # its first call compiles the tool: half a minute of processor time
        if "--go" in sys.argv and shutil.which("go"):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=900, check=False)
            if done.returncode == 0:
                check.same(name + " beside go", mine, top_of(done.stdout, divisor))
        with open(recorded, encoding="utf-8") as f:
            check.same(name + " as recorded of go", mine, top_of(f.read(), divisor))


def main():
    check = Check(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        read_back(check, folder)
    against_go(check)
    print("%d passed, %d failed" % (check.passed, check.failed))
    return 1 if check.failed or not check.passed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures `tfprof index` and what is asked of an index, in ratios and bounds of one run: tests/bench/fleet.py BUILD

  bare       `gzip -dc` and a walk over the strings of the same bytes (tests/bench/jsonwalk.c), one process each for all files
  cost       processor time of the index beside it, all tables, one process: traces of 3 KB at most 12 times, of 108 KB at most 2.5
  growth     processor time over a thousand, ten thousand ... LARGEST (100,000) distinct traces: exponent 1.00 +- 0.05
  memory     at most 64 MB, and 12 MB more for more files
  size       the index by the .gz: at most 0.40, at most 3 parts a table
  bad        one file in a hundred is empty, a page of a proxy, or damaged: all others are answered, each of them is named
  kills      an index with workers killed, and one that is killed itself and run again, have the rows of an undisturbed one
  rows       a million runs' rows, by `tfprof query`, by DuckDB and by Spark's local-cluster (fleet_rows.py, with the Python of
             $FLEET_PYTHON or this one, as far as it has duckdb and pyspark)
"""
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import fleet_traces as traces

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LARGEST = int(os.environ.get("LARGEST", "100000"))
PYTHON = os.environ.get("FLEET_PYTHON", sys.executable)
STEPS, SMALL, WIDE = 7, 1600, 16
RULE = ("--path", "job={job}/day={day}")


def measure(words, **more):
    """Processor seconds of a command and its children, the peak memory of one process in MB, and
    stdout."""
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **more)
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit("bench: status %d from %s" % (child.returncode, " ".join(map(str, words))[:300]))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out


class Fleet:
    def __init__(self, program, scratch):
        self.program, self.scratch = program, scratch
        self.walk = os.path.join(scratch, "walk")
        subprocess.run(["cc", "-O2", "-std=c11", "-D_GNU_SOURCE", os.path.join(ROOT, "tests", "bench", "jsonwalk.c"), "-o", self.walk], check=True)

    def at(self, *names):
        return os.path.join(self.scratch, *names)

    def index(self, source, out, *more):
        return measure([self.program, "index", *([source] if isinstance(source, str) else source), "-o", out, *RULE, *more, "-format", "csv"])

    def bare(self, paths):
        names = self.at("names")
        with open(names, "w", encoding="utf-8") as f:
            f.write("\0".join(paths))
        return min(measure(["sh", "-c", f"xargs -0 gzip -dc < {names} | {self.walk} -"])[0] for _ in range(3))


def print_cost(fleet, name, most, **shape):
    count = shape.pop("count")
    paths = traces.write(fleet.at(name), 0, count, **shape)
    size = sum(map(os.path.getsize, paths)) / count
    bare = fleet.bare(paths)
    took = min(fleet.index(fleet.at(name), fleet.at(f"{name}-{k}"), "--jobs", "1")[0] for k in range(3))
    print("%-7s %5d traces of %5.1f KB: %5.2f ms a trace = %5.2f times the bare bytes; at most %s"
          % (name, count, size / 1e3, took / count * 1e3, took / bare, most), flush=True)


def size_of(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)


def print_growth(fleet):
    """Different traces, one in a hundred damaged; larger folders contain the files of smaller ones. Returns the largest index."""
    counts, points, folder = [n for n in (1000, 10000, 100000) if n <= LARGEST], [], fleet.at("growing")
    done = 0
    for count in counts:
        traces.write(folder, done, count, STEPS, some_bad=True)
        done = count
        took, memory, _ = fleet.index(folder, fleet.at(f"grown-{count}"), "--jobs", "1")
        points.append((math.log(count), math.log(took)))
        print("growth  %6d distinct traces: %6.2f s, %.3f ms a trace, %4.1f MB; at most 64 MB" % (count, took, took / count * 1e3, memory), flush=True)
    print("growth  exponent %.3f over %s; at most 1.05" % (slope(points), ", ".join(map(str, counts))))
    out, source = fleet.at(f"grown-{counts[-1]}"), size_of(folder)
    parts = max(len(os.listdir(os.path.join(out, t))) for t in os.listdir(out) if os.path.isdir(os.path.join(out, t)))
    print("size    %.3f of %.0f MB of .gz; at most 0.40; %d parts of a table" % (size_of(out) / source, source / 1e6, parts), flush=True)
    return out, counts[-1]


def slope(points):
    n, x, y = len(points), sum(p[0] for p in points), sum(p[1] for p in points)
    return (n * sum(a * b for a, b in points) - x * y) / (n * sum(a * a for a, _ in points) - x * x)


def ask(fleet, out, sql):
    environment = dict(os.environ, PATH=os.path.dirname(PYTHON) + ":" + os.environ.get("PATH", ""))
    return measure([fleet.program, "query", sql, out, "-format", "csv"], env=environment)[2].split()[1:]


def print_answers(fleet, out, count):
    good, us = ask(fleet, out, "SELECT count(DISTINCT run) AS n, sum(duration_us) AS us FROM steps")[0].split(",")
    bad = {i for i in range(count) if traces.bad_of(i)}
    wanted = traces.sum_of_steps_us(count, STEPS, lambda i: i in bad)
    named = dict(line.split(",") for line in ask(fleet, out, "SELECT path, code FROM failures"))
    right = named == {traces.path_of(i): traces.bad_of(i) for i in bad}
    print("bad     %s runs of %d good files; their steps %.3f us, known %.3f; %d of %d bad files named, each with its code: %s"
          % (good, count - len(bad), float(us), wanted, len(named), len(bad), "yes" if right else "NO"), flush=True)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as f:
        return [int(p) for p in f.read().split()]


def kill_workers(child, most):
    """Kills running workers, one after another."""
    killed = 0
    while child.poll() is None and killed < most:
        for worker in children(child.pid)[:1]:
            os.kill(worker, signal.SIGKILL)
            killed += 1
        time.sleep(0.02)
    return killed


def rows_of(fleet, out):
    sql = "SELECT (SELECT md5(string_agg(run || path, '' ORDER BY run)) FROM runs) AS a, (SELECT count(*) FROM ops) AS b, (SELECT sum((accelerator_us * 1000)::HUGEINT) FROM ops) AS c, (SELECT count(*) FROM failures) AS d"
    return ask(fleet, out, sql)


def print_kills(fleet):
    folder, whole, killed, again = fleet.at("small"), fleet.at("small-0"), fleet.at("killed"), fleet.at("again")
    words = [fleet.program, "index", folder, *RULE]
    child = subprocess.Popen([*words, "-o", killed, "--jobs", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    workers = kill_workers(child, 5)
    child.wait()
    tries = 0
    while True:
        child = subprocess.Popen([*words, "-o", again, "--jobs", "2", "--part-bytes", "20000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            child.wait(0.1 * 1.3**tries)  # waits longer each time, because work that was not committed is repeated
            break
        except subprocess.TimeoutExpired:
            tries += 1
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    same = [rows_of(fleet, out) == rows_of(fleet, whole) for out in (killed, again)]
    print("kills   %d workers killed: the same rows: %s; an index killed %d times: the same rows: %s"
          % (workers, "yes" if same[0] else "NO", tries, "yes" if same[1] else "NO"), flush=True)


def has(module):
    return subprocess.run([PYTHON, "-c", f"import {module}"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def main():
    scratch = tempfile.mkdtemp(prefix="tfprof_bench_")
    fleet = Fleet(os.path.join(os.path.abspath(sys.argv[1]), "tfprof"), scratch)
    try:
        print_cost(fleet, "small", 12, count=SMALL, steps=STEPS)
        print_cost(fleet, "wide", 2.5, count=WIDE, steps=132, repeat=5)
        out, count = print_growth(fleet)
        if not has("duckdb"):
            print("left out: answers, kills and a million rows (no duckdb; FLEET_PYTHON names a Python that has it)")
            return
        print_answers(fleet, out, count)
        print_kills(fleet)
        rows = subprocess.run([PYTHON, os.path.join(ROOT, "tests", "bench", "fleet_rows.py"), fleet.program], stderr=subprocess.PIPE, text=True, check=False)
        if rows.returncode:
            sys.exit("bench: " + rows.stderr[-2000:])  # Spark prints many other messages
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()

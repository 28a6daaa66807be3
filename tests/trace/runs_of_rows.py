#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Statistics over runs (`median_micros` and its like) beside the runs that SQL tells, worked out here: every row of op and scope.
runs_of_rows.py TFPROF [TRACE...]   without any: the traces of tests/data. SQL does not tell which activities of XPlane continue the run
before them: of traces with such activities the numbers differ."""
import collections
import csv
import glob
import io
import json
import math
import os
import subprocess
import sys

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "sample")
COLUMNS = ("max_micros", "mean_micros", "median_micros", "p95_micros")
passed = failed = 0


def check(name, ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"{name}: {what}")


def quantile(values, share):
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def statistics(runs):
    if not runs:
        return dict.fromkeys(COLUMNS)
    runs = sorted(runs)
    return {"max_micros": runs[-1] / 1e3, "mean_micros": sum(runs) / len(runs) / 1e3, "median_micros": quantile(runs, 0.5) / 1e3,
            "p95_micros": quantile(runs, 0.95) / 1e3}


class Trace:
    def __init__(self, program, path):
        self.program, self.path = program, path
        self.nodes = {n["node"]: n for n in self.ask("SELECT node, name, op FROM nodes")}
        self.runs = self.find_runs(self.ask("SELECT span, node, owner, kind, self_ns FROM spans JOIN lanes USING (lane_number) "
                                            "WHERE node IS NOT NULL AND (kind <> 'activity' OR role = 'stream')"))

    def ask(self, sql):
        done = subprocess.run([self.program, "query", self.path, sql, "-format", "json"], capture_output=True, check=True, text=True)
        return json.loads(done.stdout)["rows"]

    def find_runs(self, spans):
        """By node: the times of its runs."""
        found, run_of, on_host = collections.defaultdict(list), {}, {s["node"] for s in spans if s["kind"] != "activity"}
        for s in sorted(spans, key=lambda s: (s["kind"] == "activity", s["span"])):
            run = run_of.get(s["owner"]) if s["kind"] == "activity" else None
            if run and run[0] == s["node"]:
                found[run[0]][run[1]] += s["self_ns"]
            elif s["kind"] != "activity" or s["node"] not in on_host:
                found[s["node"]].append(s["self_ns"])
                run_of[s["span"]] = (s["node"], len(found[s["node"]]) - 1)
        return found

    def in_sql(self, view):
        """The tables op and scope in queries give the same values as the views."""
        names = [prefix + column for column in COLUMNS for prefix in ("", "total_")]
        told = self.ask(f"SELECT name, {', '.join(names)} FROM {view}")
        shown = self.rows(view)
        same = len(told) == len(shown) and all(t["name"] == s["name"] and all(str(t[n] if t[n] is not None else "") == s[n] or math.isclose(t[n] or 0, float(s[n] or 0), rel_tol=1e-9)
                                                                              for n in names) for t, s in zip(told, shown))
        check(f"{self.path}: {view} in SQL", same, (told[:3], shown[:3]))

    def rows(self, view):
        done = subprocess.run([self.program, view, self.path, "-select", ",".join(COLUMNS), "-max_depth", "1000000", "-format", "csv",
                               "-account_type_regexes", ".*"], capture_output=True, check=True, text=True)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def compare(self, what, row, prefix, runs):
        mine = statistics(runs)
        for column in COLUMNS:
            told, expected = row[prefix + column], mine[column]
            same = told == "" if expected is None else told != "" and math.isclose(float(told), expected, rel_tol=1e-9, abs_tol=1e-6)
            check(f"{self.path}: {what}: {row['name']}: {prefix}{column}", same, (told, expected))

    def op(self):
        by_op, after = collections.defaultdict(list), []
        for node, runs in self.runs.items():
            by_op[self.nodes[node]["op"] or ""] += runs
        rows = self.rows("op")
        for row in reversed(rows):
            own = by_op[row["name"]] if row["row"] != "0" else []
            after += own
            if row["row"] != "0":
                self.compare("op", row, "", own)
            self.compare("op", row, "total_", after)

    def scope(self):
        rows, own = self.rows("scope"), collections.defaultdict(list)
        for node, runs in self.runs.items():
            own[self.nodes[node]["name"]] += runs
        total = {row["row"]: [] for row in rows}
        for row in reversed(rows):
            mine = own[row["name"]] if row["row"] != "0" else []
            total[row["row"]] += mine
            if row["row"] != "0":
                total[row["parent"]] += total[row["row"]]
                self.compare("scope", row, "", mine)
            self.compare("scope", row, "total_", total[row["row"]])


def main():
    program = os.path.abspath(sys.argv[1])
    os.chdir(SAMPLE)
    for path in sys.argv[2:] or sorted(glob.glob("traces/*.json") + glob.glob("tutorials/*/*.json*") + glob.glob("recorded/*.xplane.pb.gz")):
        trace = Trace(program, path)
        if trace.runs:
            trace.op()
            trace.scope()
            trace.in_sql("op")
            trace.in_sql("scope")
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or not passed


if __name__ == "__main__":
    sys.exit(main())

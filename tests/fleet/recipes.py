#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipes of docs/fleet.md for other engines, where these are installed: all answer what the plan of a fleet says. recipes.py TFPROF,
by a Python that has the package"""
import os
import re
import subprocess
import sys
import tempfile

import fleet

HERE = os.path.dirname(os.path.abspath(__file__))
results = [0, 0]


def check(name, fine, *told):
    results[not fine] += 1
    if not fine:
        print("FAILED", name, *told)


def blocks(kind, heading):
    with open(os.path.join(HERE, "..", "..", "docs", "fleet.md"), encoding="utf-8") as f:
        part = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", f.read(), re.M | re.S)[1]
    return re.findall(rf"```{kind}\n(.*?)```", part, re.S)


def recipe(code, paths, wanted):
    name = re.search(r"import (\w+)", code)[1]
    names = {"paths": paths, "pattern": fleet.PATTERN}
    try:
        exec(compile(code, f"docs/fleet.md: {name}", "exec"), names)
    except ImportError as e:
        print(f"left out: {e}")
        return
    got = names["answer"]
    check(name, got.keys() == wanted.keys() and all(abs(got[job] - wanted[job]) < 0.1 for job in wanted), got, wanted)


def panel(program, folder, made):
    """These traces have no communication: the result is a row for each job and day, with 0."""
    import duckdb
    out = os.path.join(folder, "out")
    subprocess.run([os.path.abspath(program), "index", os.path.join(folder, "traces"), "-o", out, "--path", fleet.PATTERN], check=True, capture_output=True)
    db = duckdb.connect()
    db.execute(f"CREATE VIEW step_devices AS SELECT * FROM read_parquet('{out}/step_devices/*.parquet')")
    rows = [(str(day), job, share) for day, job, share in db.execute(blocks("sql", "A panel in Grafana or Superset")[0]).fetchall()]
    check("panel", rows == sorted({(r["date"], r["job"], 0.0) for r in made}), rows[:3])


def main():
    with tempfile.TemporaryDirectory(prefix="tfprof-") as folder:
        # Ray writes a token into its user's home, and its sessions below /tmp; these folders are removed with
        # the test.
        os.environ.update(HOME=folder, RAY_TMPDIR=folder, RAY_USAGE_STATS_ENABLED="0")
        made = fleet.write(os.path.join(folder, "traces"))
        wanted = {}
        for run in made:
            wanted[run["job"]] = wanted.get(run["job"], 0) + fleet.compute_us(run) + 50 * fleet.STEPS
        codes = blocks("python", "Other engines")
        check("recipes", len(codes) == 4, len(codes))
        for code in codes:
            recipe(code, [os.path.join(folder, "traces", run["path"]) for run in made], wanted)
        panel(sys.argv[1], folder, made)
    print(f"{results[0]} passed, {results[1]} failed")
    return results[1] != 0


if __name__ == "__main__":
    sys.exit(main())

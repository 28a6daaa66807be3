#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tfprof.arrow: traces as tables of Arrow, the same rows as an index of them has, for pyarrow, DuckDB and Polars; and which files a cluster
would read in which tasks. tables.py TFPROF, by a Python that has the package"""
import glob
import importlib.util
import io
import os
import subprocess
import sys
import tempfile

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import tfprof
from tfprof import _plan

import fleet

TFPROF = os.path.abspath(sys.argv[1])
TABLES = tfprof._native.fleet_columns(None)
URLS = importlib.util.find_spec("fsspec") is not None
results = [0, 0]


def check(name, fine, *told):
    results[not fine] += 1
    if not fine:
        print("FAILED", name, *told)


def raises(name, kind, call):
    try:
        call()
    except kind as e:
        check(name, True)
        return str(e)
    check(name, False)
    return ""


def same_as_index(traces, out):
    """Schema and rows of each table equal those of the index."""
    subprocess.run([TFPROF, "index", traces, "-o", out, "--path", fleet.PATTERN, "--tables", "all"], check=True, capture_output=True)
    for table in TABLES:
        parts = glob.glob(f"{glob.escape(out)}/{table}/*.parquet")
        wanted, got = pa.concat_tables([pq.read_table(p) for p in parts]), pa.table(tfprof.arrow(traces, table, path_pattern=fleet.PATTERN))
        check(f"schema of {table}", [(f.name, f.type) for f in got.schema] == [(f.name, f.type) for f in wanted.schema], got.schema)
        names = [n for n in got.column_names if n not in ("indexed", "attempts")]
        order = [(n, "ascending") for n in names]
        check(f"rows of {table}", got.select(names).sort_by(order).equals(wanted.select(names).sort_by(order)), len(got), len(wanted))


def sources(folder, traces, made):
    """A path, bytes, an open file, a URL, a list of them; an unreadable source is a row of
    failures."""
    path = os.path.join(traces, made[0]["path"])
    with open(path, "rb") as f:
        data = f.read()
    runs = pa.table(tfprof.arrow([data, io.BytesIO(data), path] + ["file://" + path] * URLS, "runs"))["run"].to_pylist()
    check("every kind of source", len(runs) == 3 + URLS and len(set(runs)) == 1, runs)
    bad = [path, "/nowhere/x.json", b"", b"{}"] + ["file:///nowhere/y.json"] * URLS
    rows = pa.table(tfprof.arrow(bad, "failures")).select(["path", "code", "attempts"]).to_pylist()
    check("failures", [(r["path"], r["code"]) for r in rows] == [
        ("/nowhere/x.json", "missing"), ("<bytes>", "empty"), ("<bytes>", "format")] + [("file:///nowhere/y.json", "missing")] * URLS, rows)
    check("no rows of bad files", len(pa.table(tfprof.arrow(bad, "steps"))) == fleet.STEPS)
    x = tfprof.arrow(path, "step_devices")
    total = duckdb.sql("SELECT sum(compute_us) FROM x WHERE step IS NOT NULL").fetchall()[0][0]
    check("DuckDB", abs(total - fleet.compute_us(made[0])) < 0.01, total)
    check("Polars", polars.from_arrow(tfprof.arrow(path, "steps")).height == fleet.STEPS)
    stream = tfprof._arrow.Stream("runs", (), iter(()))
    check("no source, no row", len(pa.RecordBatchReader.from_stream(stream).read_all()) == 0)
    raises("a stream is read once", tfprof.UsageError, stream.__arrow_c_stream__)
    raises("no such table", tfprof.NotFoundError, lambda: tfprof.arrow(path, "nothing"))
    raises("a wrong pattern", tfprof.UsageError, lambda: tfprof.arrow(path, "runs", path_pattern="job={job"))
    raises("no path", Exception, lambda: tfprof.arrow(7, "runs").read_all())
    told = raises("a list that fails", Exception, lambda: pa.table(tfprof.arrow((1 // x for x in (1, 0)), "runs")))
    check("it says why", "TypeError" in told or "ZeroDivisionError" in told, told)
    lazy = iter([path, "/nowhere", path])
    reader = tfprof.arrow(lazy, "runs")
    check("nothing is read before it is pulled", next(lazy) == path)
    check("the rest", len(reader.read_all()) == 1)


def apart(traces, made):
    """In a separate process, as Spark reads."""
    files = _plan.listed([traces])

    def rows(table, *more):
        stream = tfprof._arrow.Stream(table, ("path", fleet.PATTERN, "apart", "1", *more), (f.part() for f in files))
        return pa.RecordBatchReader.from_stream(stream).read_all()
    whole = pa.table(tfprof.arrow(traces, "ops", path_pattern=fleet.PATTERN))
    check("the same rows", rows("ops").equals(whole))
    check("chosen columns", rows("ops", "columns", "cpu_us,job").equals(whole.select(["cpu_us", "job"])))
    raises("no such column", tfprof.UsageError, lambda: rows("ops", "columns", "nothing"))
    files.append(_plan.File(b"/nowhere.json", b"nowhere.json", 1, None))
    check("a file that went away", rows("failures")["code"].to_pylist() == ["missing"])
    told = raises("fails on missing files", OSError, lambda: rows("ops", "fail-on", "missing"))
    check("it names the file", "nowhere.json" in told, told)
    del files[:-1]
    check("a list of bad ones", len(rows("ops")) == 0)


def plan(folder, traces, made):
    """Files in order, split by bytes; filters exclude files whose paths and sidecars do not
    match."""
    files = _plan.listed([traces])
    check("all files", [os.fsdecode(f.path) for f in files] == sorted(r["path"] for r in made))
    check("sizes", all(f.size == os.path.getsize(f.file) and f.mtime_us for f in files))
    whose = ("path", fleet.PATTERN)
    some = _plan.chosen(files, {"job": ["even"], "rank": [1]}, whose)
    check("job and rank", [f.path for f in some] == [f.path for f in files if b"job=even" in f.path and b"rank=1" in f.path])
    check("a date", len(_plan.chosen(files, {"date": [fleet.DAY0]}, whose)) == sum(r["day"] == 0 for r in made))
    check("null fits nothing", not _plan.chosen(files, {"job": [None]}, whose))
    check("without a pattern all stay", len(_plan.chosen(files, {"job": ["even"]}, ())) == len(files))
    fleet.put(folder, "beside/meta.json", b'{"job": "other"}')
    fleet.put(folder, "beside/job=even/../t.json.gz", fleet.trace(made[0]))
    fleet.put(folder, "beside/page.html", b"")
    beside = _plan.listed([os.path.join(folder, "beside")])
    check("neither the sidecar nor pages", [f.path for f in beside] == [b"t.json.gz"], beside)
    check("the sidecar counts", not _plan.chosen(beside, {"job": ["even"]}, ()) and len(_plan.chosen(beside, {"job": ["other"]}, ())) == 1)
    check("names", not _plan.listed([traces], "*.pb") and len(_plan.listed([traces], "*.gz,*.pb")) == len(files))
    if URLS:
        url = _plan.listed(["file://" + traces])
        check("URLs", [(f.path, f.size) for f in url] == [(f.path, f.size) for f in files], url[:2])
        one = _plan.listed(["file://" + os.path.join(traces, made[0]["path"])])
        check("a URL of one file", len(one) == 1 and one[0].part()[2] == fleet.trace(made[0]))
    raises("missing", FileNotFoundError, lambda: _plan.listed(["/nowhere"]))
    check("after", not _plan.modified_after(files, "2999-01-01") and len(_plan.modified_after(files, "2001-01-01T00:00:00")) == len(files))
    raises("no time", tfprof.UsageError, lambda: _plan.modified_after(files, "yesterday"))
    sized = [_plan.File(b"", b"", size, None) for size in (10_000, 10_000, 90_000, 10, 10)]
    check("parts", [len(p) for p in _plan.cut(sized, 30_000)] == [2, 1, 2], [len(p) for p in _plan.cut(sized, 30_000)])
    check("no parts of nothing", _plan.cut([], 1) == [])
    for text in ("0", "-1", "x", ""):
        raises(f"bytesPerTask {text!r}", tfprof.UsageError, lambda: _plan.number({"bytespertask": text}, "bytesPerTask", 1))


def main():
    with tempfile.TemporaryDirectory(prefix="tfprof-tables-") as folder:
        traces = os.path.join(folder, "traces")
        made = fleet.write(traces)
        plan(folder, traces, made)
        apart(traces, made)
        sources(folder, traces, made)
        fleet.put(traces, "job=even/broken.json.gz", fleet.trace(made[0])[:-8] + b"01234567")
        same_as_index(traces, os.path.join(folder, "out"))
    print(f"{results[0]} passed, {results[1]} failed")
    return results[1] != 0


if __name__ == "__main__":
    sys.exit(main())

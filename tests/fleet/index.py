#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tfprof index: tables of many traces, again and again: what is added, changed, damaged, killed. The tables are read by DuckDB.
index.py TFPROF"""
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import duckdb

import fleet

TFPROF = os.path.abspath(sys.argv[1])
results = [0, 0]


def check(name, fine, *told):
    results[not fine] += 1
    if not fine:
        print("FAILED", name, *told)


def run(*args, status=0, **more):
    done = subprocess.run([TFPROF, *args], capture_output=True, text=True, timeout=120, check=False, **more)
    check(" ".join(args[:1]) + f" ends with {status}", done.returncode == status, args, done.returncode, done.stderr[-300:])
    return done


def index(source, out, *more, **wanted):
    done = run("index", source, "-o", out, "--path", fleet.PATTERN, "-format", "json", *more, status=wanted.pop("status", 0))
    rows = json.loads(done.stdout)["rows"][0] if done.stdout else {}
    for name, number in wanted.items():
        check(f"index tells {name}", rows.get(name) == number, rows)
    return done


def sql(out, text):
    db = duckdb.connect()
    for table in os.listdir(out):
        if table[0] != "_" and os.path.isdir(os.path.join(out, table)):
            db.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{out}/{table}/*.parquet')")
    return db.execute(text).fetchall()


def digest(out):
    return [sql(out, f"SELECT count(*), sum(hash({columns})::HUGEINT) FROM {table}")[0] for table, columns in
            (("runs", "run, path, job, date, host, rank"), ("step_devices", "run, step, device, compute_us"), ("ops", "run, op, cpu_us"),
             ("failures", "path, code"))]


def numbers(folder):
    """Sums agree with the plan; identity comes from path and trace; damaged files are named."""
    traces, out = os.path.join(folder, "traces"), os.path.join(folder, "out")
    made = fleet.write(traces)
    fleet.put(traces, "empty.json", b"")
    fleet.put(traces, "page.json.gz", gzip.compress(b"<html>504</html>"))
    fleet.put(traces, "crc.json.gz", fleet.trace(made[0])[:-8] + b"01234567")
    fleet.put(traces, "zz/copy.json.gz", fleet.trace(made[0]))
    os.mkfifo(os.path.join(traces, "pipe.json"))
    index(traces, out, files=len(made) + 4, indexed=len(made), failed=3, duplicates=1, unchanged=0)
    for path, job, host, rank, compute, steps, framework in sql(
            out, "SELECT path, r.job, r.host, r.rank, compute_us, steps, framework FROM runs r JOIN step_devices USING (run) WHERE step IS NULL"):
        wanted = next(x for x in made if x["path"] == path)
        check("identity", (job, host, rank, steps, framework) == (wanted["job"], wanted["host"], wanted["rank"], fleet.STEPS, "pytorch"), path, job)
        check("compute", abs(compute - fleet.compute_us(wanted)) < 0.01, path, compute)
    codes = dict(sql(out, "SELECT path, code FROM failures"))
    check("failures", codes == {"empty.json": "empty", "page.json.gz": "format", "crc.json.gz": "damaged", "zz/copy.json.gz": "duplicate"}, codes)
    check("dates", {str(x) for x, in sql(out, "SELECT DISTINCT date FROM runs")} == {x["date"] for x in made})
    before = digest(out)
    index(traces, out, indexed=0, unchanged=len(made) + 4, parts=0)
    check("nothing changed", digest(out) == before)
    return traces, out, made


def names(folder, made):
    """The reason for a failure comes from the reader's message, not from the path before it."""
    traces, out = os.path.join(folder, "names"), os.path.join(folder, "names-out")
    fleet.put(traces, "not a trace/crc.json.gz", fleet.trace(made[0])[:-8] + b"01234567")
    index(traces, out, failed=1)
    check("a path with words of a message", sql(out, "SELECT code FROM failures") == [("damaged",)])


def changes(traces, out, made):
    """A file that changes has new rows and no old ones, and its copies become runs of their own or copies
    again."""
    os.remove(os.path.join(traces, "pipe.json"))
    changed = dict(made[0], day=1, job="even", since=0, host="node1")
    time.sleep(0.01)  # so that the file has another time
    fleet.put(traces, made[0]["path"], fleet.trace(changed))
    fleet.put(traces, "empty.json", fleet.trace(dict(made[1], job="mended", date="2026-04-01")))
    index(traces, out, indexed=3, replaced=1, failed=0)
    count = sql(out, "SELECT count(*), count(DISTINCT run), count(DISTINCT path) FROM runs")[0]
    check("no old rows", count == (len(made) + 2,) * 3, count)
    check("the copy is a run", sql(out, "SELECT count(*) FROM runs WHERE path = 'zz/copy.json.gz'") == [(1,)])
    check("all rows have runs", sql(out, "SELECT count(*) FROM ops x ANTI JOIN runs USING (run)") == [(0,)])
    check("failures left", sql(out, "SELECT count(*) FROM failures") == [(2,)])
    index(traces, out, indexed=0, replaced=0, failed=0, unchanged=len(made) + 4)
    index(traces, out, "--retry", failed=2)
    check("attempts", sql(out, "SELECT min(attempts), count(*) FROM failures") == [(2, 2)])


def kills(folder, traces, made):
    """However often it is killed, the rows are those of a single pass."""
    whole, out = os.path.join(folder, "whole"), os.path.join(folder, "killed")
    index(traces, whole)
    for tenths in range(1, 8):
        done = subprocess.Popen([TFPROF, "index", traces, "-o", out, "--path", fleet.PATTERN, "--part-bytes", "3000"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(tenths * 0.02)  # wherever the kill comes, the rows must be the same
        os.killpg(done.pid, signal.SIGKILL)
        done.wait()
    index(traces, out)
    check("kills change nothing", digest(out) == digest(whole), digest(out), digest(whole))
    both = [subprocess.Popen([TFPROF, "index", traces, "-o", os.path.join(folder, "both")], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL) for _ in range(2)]
    ends = sorted(x.wait() for x in both)
    check("two at once", ends in ([0, 0], [0, 1]), ends)
    check("two at once: rows", sql(os.path.join(folder, "both"), "SELECT count(*) FROM runs")[0][0] == len(made) + 2)


def sharing(folder, traces, made):
    """Sharing by several machines; lists; sidecars; patterns."""
    out = os.path.join(folder, "shares")
    for k in (1, 2, 3):
        index(traces, out, "--shard", f"{k}/3")
    count = sql(out, "SELECT count(DISTINCT path), count(*) FROM (SELECT path FROM runs UNION ALL SELECT path FROM failures)")[0]
    check("shares", count == (len(made) + 4, len(made) + 4), count)
    out, beside = os.path.join(folder, "beside"), os.path.join(folder, "side")
    fleet.put(beside, "a/t.json.gz", fleet.trace(made[2]))
    fleet.put(beside, "a/meta.json", json.dumps({"job": "it's 日本", "rank": 7, "date": "2026-13-01", "team": {"a": [1, "x"]}, "x": 1.5}).encode())
    done = index(beside, out, indexed=1)
    row = sql(out, "SELECT job, rank, date::TEXT, host, labels, identity FROM runs")[0]
    check("sidecar", row[:2] == ("it's 日本", 7) and row[2] == made[2]["date"] and json.loads(row[4]) == {"team": {"a": [1, "x"]}, "x": 1.5}, row)
    check("sources are told", row[5] == "job=sidecar,date=trace,rank=sidecar", row[5])
    check("what is no date is told", "not taken" in done.stderr, done.stderr)
    names = "\n".join(os.path.join(traces, x["path"]) for x in made[3:5]) + "\n/nowhere/x.json\n"
    out = os.path.join(folder, "list")
    run("index", "-", "-o", out, input=names)
    check("list", sql(out, "SELECT code, path FROM failures") == [("missing", "/nowhere/x.json")] and sql(out, "SELECT count(*) FROM runs") == [(2,)])


def refusals(folder, traces):
    other = os.path.join(folder, "other")
    fleet.put(other, "thesis.tex", b"x")
    run("index", traces, "-o", other, status=1)
    check("untouched", os.listdir(other) == ["thesis.tex"])
    run("index", os.path.join(folder, "nowhere"), "-o", os.path.join(folder, "w"), status=1)
    check("no index of nothing", not os.path.exists(os.path.join(folder, "w")))
    run("index", traces, status=2)
    for words in (["--path", "a={b"], ["--path", "{1}"], ["--shard", "4/3"], ["--tables", "x"], ["--jobs", "0"], ["--fail-over", "x"]):
        run("index", traces, "-o", os.path.join(folder, "w"), *words, status=2)
    run("index", traces, "-o", os.path.join(folder, "over"), "--fail-over", "1%", status=5)
    check("kept", sql(os.path.join(folder, "over"), "SELECT count(*) > 0 FROM runs") == [(True,)])
    if os.path.exists("/dev/full"):
        full = os.path.join(folder, "full")
        index(traces, full)
        shutil.rmtree(os.path.join(full, "runs"))
        os.symlink("/dev/full", os.path.join(full, "runs"))
        run("index", traces, "-o", full, status=3)


def questions(out):
    """SQL in duckdb, which writes nothing and reads only the index."""
    duck = shutil.which("duckdb")
    if not duck:
        done = run("query", "SELECT 1 AS x", out, status=1, env=dict(os.environ, PATH="/nowhere"))
        check("how to install it", "pip install duckdb-cli" in done.stderr, done.stderr)
        return
    text = "SELECT job, count(*) AS runs, sum(steps) AS steps, avg(duration_us) AS us, max(date) AS d, bool_or(truncated) AS t FROM runs GROUP BY job ORDER BY job"
    rows = json.loads(run("query", text, out, "-format", "json").stdout)["rows"]
    wanted = sql(out, text)
    check("the same answer", len(rows) == len(wanted) and all(
        (x["job"], x["runs"], x["steps"], x["d"], x["t"]) == (y[0], y[1], y[2], str(y[4]), y[5]) and abs(x["us"] - y[3]) < 1e-6
        for x, y in zip(rows, wanted)), rows, wanted)
    check("no rows", json.loads(run("query", "SELECT run, steps FROM runs WHERE false", out, "-format", "json").stdout)["rows"] == [])
    for bad in ("SELEC 1", "COPY (SELECT 1) TO '/tmp/tfprof-no.csv'", "CREATE TABLE x(a INT)", "SELECT * FROM read_csv('/etc/passwd')",
                "SELECT 1; SELECT 2", "SELECT 1); COPY (SELECT 1", "SET threads=1", "ATTACH 'x.db'", "SELECT nothing FROM runs"):
        done = run("query", bad, out, status=1)
        check("one line", done.stderr.count("\n") == 1 and not done.stdout, bad, done.stderr)


def as_other(*words):
    """Runs a copy of it without root's rights, because root may read everything. The copy, because the folder of the build may be
    closed to other users."""
    drop = (lambda: (os.setgroups([]), os.setgid(65534), os.setuid(65534))) if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="tfprof-program-") as folder:
        os.chmod(folder, 0o755)
        program = shutil.copy(TFPROF, folder)
        return subprocess.run([program, *words], capture_output=True, text=True, preexec_fn=drop, check=False)  # pylint: disable=subprocess-popen-preexec-fn


def unreadable(folder, traces):
    """Unreadable files are reported, because a result from a part of the rows would be wrong."""
    out = os.path.join(folder, "closed")
    index(traces, out)
    for path in (folder, traces, out):
        os.chmod(path, 0o755)
    os.chmod(os.path.join(out, "runs"), 0)
    for words in (("query", "SELECT 1", out), ("trend", out)):
        done = as_other(*words)
        check("closed part", done.returncode == 1 and "cannot open" in done.stderr and not done.stdout, words, done.stdout, done.stderr)
    os.chmod(os.path.join(out, "runs"), 0o755)
    closed = next(e.path for e in os.scandir(traces) if e.is_dir())
    os.chmod(closed, 0)
    new = tempfile.mkdtemp(prefix="tfprof-other-")
    os.chmod(new, 0o777)
    done = as_other("index", traces, "-o", os.path.join(new, "out"))
    check("closed folder", done.returncode == 0 and "folders that may not be read were left out: 1" in done.stderr, done.returncode, done.stderr)
    os.chmod(closed, 0o755)
    shutil.rmtree(new)


def doubts(folder):
    """A step that is in doubt has no rows; the findings say what is in doubt. The first of four steps of before.json waits for earlier work."""
    sample, out = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "sample", "doubts"), os.path.join(folder, "doubts")
    index(sample, out)
    where = "WHERE run = (SELECT run FROM runs WHERE path LIKE '%before.json')"
    check("steps in doubt are left out", sql(out, f"SELECT count(*), max(duration_us) FROM steps {where}")[0] == (3, 2000.0))
    check("on devices, too", sql(out, f"SELECT count(*), max(idle_us) FROM step_devices {where} AND step IS NOT NULL")[0] == (3, 996.0))
    check("the findings say so", sql(out, f"SELECT count(*) FROM findings {where} AND source = 'check' AND message LIKE '%work from before%'")[0][0] == 1)


def limits(folder):
    """The table of limits is made where it is asked for; its numbers are those of `tfprof limits`."""
    trace, out, usual = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "sample", "limits", "model.json"), os.path.join(folder, "limits"), os.path.join(folder, "usual")
    run("index", trace, "-o", usual)
    check("limits only where they are asked for", not os.path.exists(os.path.join(usual, "limits")), os.listdir(usual))
    run("index", trace, "-o", out, "--tables", "all")
    told = json.loads(run("limits", trace, "-format", "json").stdout)
    names = ("ideal_us", "loss_us", "mfu", "bandwidth_use", "step_us", "bound_us")
    [whole] = sql(out, f"SELECT {', '.join(names)} FROM limits WHERE class IS NULL")
    check("limits of a run", all(abs(got - told["summary"][name]) < 1e-6 for name, got in zip(names, whole)), whole)
    for kind, loss in sql(out, "SELECT class, loss_us FROM limits WHERE class IS NOT NULL"):
        wanted = sum(r["loss_us"] or 0 for r in told["rows"] if r["class"] == kind)
        check(f"loss of {kind}", abs((loss or 0) - wanted) < 1e-6, loss, wanted)


def no_runs_yet(folder):
    """An index whose first pass is still running, or was killed."""
    out = os.path.join(folder, "begun")
    os.makedirs(os.path.join(out, "runs"))
    with open(os.path.join(out, "_tfprof.json"), "w", encoding="utf-8") as f:
        f.write('{"schema":"tfprof.fleet","version":1}')
    for words in (("query", "SELECT 1", out), ("trend", out)):
        done = run(*words, status=1)
        check("no runs yet", "has no runs yet" in done.stderr and done.stderr.count("\n") == 1, words, done.stderr)


def other_compressions(folder):
    """Parts that another program wrote with other compressions: an error of one line names the compression and those that
    can be read, and parts with these are read."""
    traces, out = os.path.join(folder, "trends"), os.path.join(folder, "packed")
    fleet.write(traces, jobs=("slower",), days=12, since=7)
    index(traces, out)
    answer = run("trend", out, "-format", "csv").stdout
    check("there is an answer", "regressed" in answer, answer)
    part, = (os.path.join(out, "ops", x) for x in os.listdir(os.path.join(out, "ops")))
    for codec in ("zstd", "brotli", "lz4_raw"):
        duckdb.sql(f"COPY (FROM '{part}') TO '{part}.new' (FORMAT parquet, COMPRESSION {codec})")
        os.replace(part + ".new", part)
        done = run("trend", out, status=1)
        told = f"{part}: column run: compressed with {codec}; only snappy, gzip and no compression are read."
        check(f"{codec} is named, with its file", told in done.stderr and done.stderr.count("\n") == 1, done.stderr)
        rewrite = done.stderr[done.stderr.find("COPY"):].strip()
        duckdb.sql(rewrite.replace("OLD.parquet", part).replace("NEW.parquet", part + ".new"))
        os.replace(part + ".new", part)
        check(f"{codec}, written again as told", run("trend", out, "-format", "csv").stdout == answer)


def main():
    with tempfile.TemporaryDirectory(prefix="tfprof-index-") as folder:
        traces, out, made = numbers(folder)
        names(folder, made)
        changes(traces, out, made)
        questions(out)
        kills(folder, traces, made)
        sharing(folder, traces, made)
        refusals(folder, traces)
        limits(folder)
        no_runs_yet(folder)
        other_compressions(folder)
        doubts(folder)
        unreadable(folder, traces)
    print(f"{results[0]} passed, {results[1]} failed")
    return results[1] != 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `tfprof query` against others: tests/compare/query.py PROGRAM

  sqlite   each query again by Python's own SQLite, over the same tables imported into real ones
  protobuf what the tables hold, against the ProfileProto as TensorFlow's protos read it (when TensorFlow is there)
  trace    spans, arguments and counters of traces, against the files as Python's JSON reads them
  views    sums by operation type and step, against the op view
  hostile  statements that would never end, or reach outside, end with an error in time and within memory
"""
import csv
import gzip
import importlib.util
import io
import json
import os
import resource
import sqlite3
import subprocess
import sys
import time
import types

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(os.path.dirname(HERE), "data", "sample")
PROFILES = [["odd/profile_5"], ["dense/profile_3.gz"], ["gpu/profile_1.gz"],
            ["odd/profile_5", "dense/profile_3.gz", "dense_resource/profile_3.gz", "gpu/profile_1.gz"],
            ["traces/kineto.json"], ["traces/plain.json"], ["odd/profile_5", "traces/kineto.json"]]
QUERIES = [
    "SELECT op, count(*), sum(run_us), avg(run_us), max(peak_bytes) FROM nodes JOIN executions USING (node) GROUP BY op ORDER BY op",
    "SELECT profile, step, count(*), sum(runs), min(start_us), max(end_us) FROM executions GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT a.profile, b.profile, a.name FROM nodes a JOIN nodes b USING (name) WHERE a.node < b.node ORDER BY 1, 2, 3",
    "SELECT m.name, n.name, position, e.shape FROM edges e JOIN nodes n ON n.node = e.source JOIN nodes m ON m.node = e.node "
    "ORDER BY edge",
    "SELECT n.name FROM nodes n LEFT JOIN executions USING (node) WHERE execution IS NULL ORDER BY n.node",
    "SELECT kind, lane, count(*), sum(duration_us) FROM spans GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT name, sum(bytes) FROM buffers JOIN memory USING (memory) JOIN nodes USING (node) GROUP BY node ORDER BY node",
    "SELECT node, step, sum(bytes), count(*) FROM allocations GROUP BY node, step ORDER BY 1, 2",
    "SELECT n.name, file, line, function FROM nodes n JOIN code USING (trace) ORDER BY node, position",
    "SELECT trace, lines, (SELECT count(*) FROM code c WHERE c.trace = t.trace) FROM traces t ORDER BY trace",
    "SELECT count(*) FROM steps JOIN executions USING (profile, step)",
    "SELECT name, (SELECT group_concat(name, ';') FROM (SELECT name FROM types t WHERE t.node = n.node ORDER BY type)) "
    "FROM nodes n ORDER BY node",
    "SELECT name, run_us, rank() OVER (PARTITION BY n.profile, step ORDER BY run_us DESC, node) AS place FROM nodes n "
    "JOIN executions USING (node) ORDER BY execution",
    "WITH RECURSIVE up(node, far) AS (SELECT max(node), 0 FROM nodes UNION SELECT source, far + 1 FROM up JOIN edges USING (node) "
    "WHERE source IS NOT NULL AND far < 5) SELECT far, name FROM up JOIN nodes USING (node) ORDER BY 1, 2",
    "SELECT * FROM nodes WHERE node IN (1, 3, '5', 7.0, 'x', NULL, -1, 1e30) ORDER BY node",
    "SELECT instr(name, '/'), replace(name, 'a', 'bc'), trim(name, 'abc/'), ltrim(name, 'ag'), rtrim(name, 'sd'), "
    "instr(name, ''), replace(name, '', 'x'), instr(name, 'g'), upper(op) FROM nodes ORDER BY node",
    "SELECT name FROM nodes WHERE name LIKE '%GRAD%' OR name GLOB '*/[a-c]*' ORDER BY node",
    "SELECT output, slot, o.shape, name FROM outputs o JOIN nodes USING (node) ORDER BY output",
    "SELECT op, count(*) FROM nodes WHERE profile = 'odd/profile_5' AND op = 'Const' GROUP BY op",
    "SELECT count(*), count(source), count(source_name) FROM edges WHERE source_name = 'x' OR source = 3",
    "SELECT kind, class, count(*), sum(duration_ns), sum(self_ns), count(DISTINCT lane) FROM spans GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT a.name, a.kind, b.name, b.kind FROM spans a JOIN spans b ON b.span = a.parent ORDER BY a.span",
    "SELECT k.name, l.name, o.name FROM spans k JOIN spans l ON l.span = k.launch LEFT JOIN spans o ON o.span = k.owner "
    "ORDER BY k.span",
    "SELECT s.name, key, value FROM spans s JOIN span_args USING (span) ORDER BY span, key",
    "SELECT key, value FROM span_args WHERE value > 1 ORDER BY span, key",
    "SELECT l.lane, l.role, p.rank, count(span) FROM lanes l LEFT JOIN processes p USING (process) LEFT JOIN spans s "
    "USING (lane_number) GROUP BY lane_number ORDER BY lane_number",
    "SELECT name, series, count(*), avg(value), max(at_ns) FROM counters WHERE value >= 0.5 GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT span, name FROM spans WHERE span = (SELECT max(span) FROM spans) OR parent IS NULL ORDER BY span",
    "SELECT NULL, 1, 2.5, 'x', sum(node) FROM nodes WHERE node = 100000",
]
TABLES = ["profiles", "nodes", "types", "edges", "outputs", "steps", "executions", "spans", "memory", "buffers", "allocations",
          "traces", "code", "processes", "lanes", "span_args", "counters"]
GROWN = "WITH RECURSIVE a(x) AS (SELECT 'aaaa' UNION ALL SELECT x || x FROM a WHERE length(x) < 2000000) "
HOSTILE = [
    "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t",
    "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT * FROM t ORDER BY -x",
    "WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT x + 1 FROM t) SELECT count(*) FROM t",
    "SELECT count(*) FROM " + ", ".join("nodes n%d" % i for i in range(60)),
    "SELECT a.name || b.name || c.name FROM nodes a, nodes b, nodes c, nodes d ORDER BY 1",
    "SELECT zeroblob(2147483648)", "SELECT randomblob(1000000000)", "SELECT printf('%.2147483647c', 'x')",
    "SELECT format('%.*c', 2147483647, 'x')",
    GROWN + "SELECT (SELECT max(x) FROM a) || node FROM nodes, edges ORDER BY 1",
    GROWN + "SELECT group_concat(x) FROM a, nodes, edges",
    GROWN + "SELECT trim((SELECT max(x) FROM a), (SELECT max(x) FROM a))",
    "WITH a0 AS (SELECT 1 x)" + "".join(", a%d AS (SELECT p.x FROM a%d p, a%d q)" % (i + 1, i, i) for i in range(40)) +
    " SELECT count(*) FROM a40",
    "WITH " + ", ".join("b%d AS (SELECT * FROM b%d UNION ALL SELECT * FROM b%d)" % (i, i + 1, i + 1) for i in range(40)) +
    ", b40 AS (SELECT 1) SELECT * FROM b0",
    "WITH 'a\"0' AS (SELECT 1 x)" + "".join(", \"a\"\"%d\" AS (SELECT p.x FROM [a\"%d] p, `a\"%d` q)" % (i + 1, i, i)
                                             for i in range(40)) + " SELECT count(*) FROM [a\"40]",
    "ATTACH '/tmp/x' AS x", "PRAGMA temp_store=1", "SELECT load_extension('x')", "SELECT * FROM pragma_function_list",
    "VACUUM INTO '/tmp/x'", "CREATE TEMP TABLE x AS SELECT 1", "INSERT INTO nodes(node) VALUES (1)", "UPDATE nodes SET op = 1",
    "DROP TABLE nodes", "BEGIN", "SELECT * FROM sqlite_master", "SELECT * FROM dbstat", "SELECT fts3_tokenizer('x')",
    "SELECT " + "(" * 20000 + "1" + ")" * 20000, "SELECT " + "+".join(["1"] * 20000), "SELECT '" + "x" * 60000 + "'",
    "SELECT * FROM " + "(SELECT * FROM " * 1000 + "nodes" + ")" * 1000,
    "SELECT 1" + " UNION SELECT 1" * 1000, "SELECT " + ",".join(["*"] * 200) + " FROM nodes", "SELECT 'x", "SELECT /* x", "SELECT [x",
]
SECONDS, MEGABYTES = 1, 700

passed = failed = 0


def check(good, words):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED", words)


def ask(program, sql, files):
    """-> (types, rows)"""
    done = subprocess.run([program, "query", sql, *files, "-format", "jsonl"], cwd=SAMPLE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise SystemExit("query: %s\n%s" % (sql, done.stderr.decode()))
    lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return lines[0]["columns"], [list(line.values()) for line in lines[1:]]


def same(ours, theirs):
    """Values in a text column are texts, even if they are numbers."""
    if isinstance(ours, float) or isinstance(theirs, float):
        return ours is not None and theirs is not None and abs(float(ours) - float(theirs)) <= 1e-12 * abs(float(theirs))
    return ours == theirs or (isinstance(ours, str) and ours == str(theirs))


def against_sqlite(program, files):
    db = sqlite3.connect(":memory:")
    for table in TABLES:
        columns, rows = ask(program, "SELECT * FROM " + table, files)
        types = {"int": "INTEGER", "text": "TEXT", "real": "REAL"}
        known = {"step": "INTEGER", "node": "INTEGER"}
        db.execute("CREATE TABLE %s(%s)" % (table, ", ".join(
            "%s %s" % (c["name"], known.get(c["name"], types[c["type"]])) for c in columns)))
        db.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(columns))), rows)
    for sql in QUERIES:
        theirs = [list(row) for row in db.execute(sql)]
        _, ours = ask(program, sql, files)
        good = len(ours) == len(theirs) and all(len(a) == len(b) and all(map(same, a, b)) for a, b in zip(ours, theirs))
        check(good, "%s: %s\n  ours   %s\n  theirs %s" % (files, sql, ours[:3], theirs[:3]))


def against_protobuf(program, path):
    if "tensorflow" not in sys.modules:
        found = importlib.util.find_spec("tensorflow")
        if not found:
            print("no TensorFlow: not held against its protos")
            return
        # Loads TensorFlow's messages without running its package's import code, which takes 5 s of
        # processor time.
        sys.modules["tensorflow"] = types.ModuleType("tensorflow")
        sys.modules["tensorflow"].__path__ = list(found.submodule_search_locations)
    from tensorflow.core.profiler import tfprof_log_pb2
    with open(os.path.join(SAMPLE, path), "rb") as f:
        data = f.read()
    proto = tfprof_log_pb2.ProfileProto.FromString(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    nodes = {n.name: n for n in proto.nodes.values()}
    by_id = {n.id: n.name for n in proto.nodes.values()}
    _, rows = ask(program, "SELECT name, op, float_ops FROM nodes", [path])
    check({name: (op or "", flops) for name, op, flops in rows} == {n: (x.op, x.float_ops) for n, x in nodes.items()},
          path + ": nodes")
    _, rows = ask(program, "SELECT n.name, position, m.name FROM edges e JOIN nodes n USING (node) JOIN nodes m ON "
                  "m.node = e.source", [path])
    check(sorted(map(tuple, rows)) == sorted((n.name, at, by_id[source]) for n in nodes.values()
                                             for at, source in n.inputs.items() if source in by_id), path + ": edges")
    _, rows = ask(program, "SELECT name, step, runs, start_us, end_us FROM executions JOIN nodes USING (node)", [path])
    check(sorted(map(tuple, rows)) == sorted((n.name, step, x.run_count, x.all_start_micros, x.latest_end_micros)
                                             for n in nodes.values() for step, x in n.execs.items()), path + ": executions")
    _, rows = ask(program, "SELECT nodes.name, step, lane, start_us, duration_us FROM spans JOIN nodes USING (node)", [path])
    check(sorted(map(tuple, rows)) == sorted(
        (n.name, step, lane, *t.int64_values) for n in nodes.values() for step, x in n.execs.items()
        for lanes in (x.cpu_execs, x.accelerator_execs) for lane, times in lanes.items() for t in times.times), path + ": spans")


def against_trace(program, path):
    """Compares spans, arguments and counters of a trace with the file itself, as Python's JSON reads
    it."""
    with open(os.path.join(SAMPLE, path), encoding="utf-8") as f:
        events = json.load(f)
    events = events["traceEvents"] if isinstance(events, dict) else events
    spans, args, counters, open_spans = [], [], [], []
    for e in events:
        name, at = e["name"].replace("nn.Module: ", ""), e.get("ts", 0) * 1000
        if e["ph"] == "X":
            spans.append((name, at, e["dur"] * 1000))
        elif e["ph"] == "B":
            open_spans.append((name, at))
        elif e["ph"] == "E":
            name, begin = open_spans.pop()
            spans.append((name, begin, at - begin))
        elif e["ph"] == "C":
            counters += [(name, key, at, value) for key, value in e["args"].items()]
        if e["ph"] in "XB":
            told = {k: v for k, v in e.get("args", {}).items() if k not in ("External id", "Sequence number", "Fwd thread id",
                                                                            "correlation", "device", "stream")}
            args += [(name, key, at, str(int(v) if isinstance(v, bool) else v)) for key, v in told.items()]
    _, rows = ask(program, "SELECT name, start_ns, duration_ns FROM spans", [path])
    check(sorted(map(tuple, rows)) == sorted(spans), path + ": spans of the trace")
    _, rows = ask(program, "SELECT name, key, start_ns, value FROM spans JOIN span_args USING (span)", [path])
    ours = sorted((name, key, at, str(json.loads(value) if str(value)[:1] == "[" else value)) for name, key, at, value in rows)
    check(ours == sorted(args), "%s: arguments\n  ours   %s\n  theirs %s" % (path, ours[:4], sorted(args)[:4]))
    _, rows = ask(program, "SELECT name, series, at_ns, value FROM counters", [path])
    check(sorted(map(tuple, rows)) == sorted(counters), path + ": counters")


def against_views(program, path):
    _, steps = ask(program, "SELECT step FROM steps WHERE listed", [path])
    for (step,) in steps:
        done = subprocess.run([program, "op", path, "-step", str(step), "-format", "csv", "-max_depth", "1000", "-select",
                               "micros,occurrence"], cwd=SAMPLE, stdout=subprocess.PIPE, check=True)
        view = {row["name"]: int(row["micros"]) for row in csv.DictReader(io.StringIO(done.stdout.decode()))}
        _, rows = ask(program, "SELECT t.name, sum(run_us) FROM types t JOIN executions USING (node) WHERE step = %d "
                      "AND t.name IN (SELECT op FROM nodes) GROUP BY 1" % step, [path])
        for name, us in rows:
            check(view.get(name) == us, "%s: step %d, %s: %s us, and in the op view %s" % (path, step, name, us, view.get(name)))


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def hostile(program):
    for sql in HOSTILE:
        start = time.monotonic()
        child = subprocess.Popen([program, "query", sql, "dense/profile_3.gz", "-time_limit", str(SECONDS)], cwd=SAMPLE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit_memory)
        out, err = child.communicate(timeout=120)
        took = time.monotonic() - start
        good = child.returncode in (2, 4) and not out and len(err.splitlines()) == 1 and took < SECONDS + 8
        check(good, "%.60s: status %d in %.1f s: %s" % (sql, child.returncode, took, err.decode()[:200]))
    held = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    check(held < MEGABYTES, "hostile statements held %d MB" % held)


def main():
    program = os.path.abspath(sys.argv[1])
    # before TensorFlow is loaded, because a child's peak memory includes that of its parent until it executes its
    # program
    hostile(program)
    for files in PROFILES:
        against_sqlite(program, files)
    for path in ("odd/profile_5", "dense/profile_3.gz", "gpu/profile_1.gz", "towers/profile_9.gz"):
        against_protobuf(program, path)
        against_views(program, path)
    for path in ("traces/kineto.json", "traces/plain.json"):
        against_trace(program, path)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

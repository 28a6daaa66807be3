#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JAX and TensorFlow 2 record small programs now, and tfprof reads them:   record.py TFPROF

    jax      tests/data/frameworks/record_jax.py, once without calls of Python and once with JAX's default: every event by thread and
             name, its count and time, against the trace.json.gz that JAX writes of the same run
    keras    tests/data/frameworks/record_tf2.py: the same against the trace.json.gz that JAX's exporter makes of TensorFlow's recording
    loop     (TensorFlow itself writes an XPlane file only)
    eager    a loop without a tf.function: what ran, and where its steps go
    costs    tests/data/frameworks/record_hlo.py: float operations and bytes of 21 nets, lowered and compiled, against cost_analysis()

recorded.py compares the recordings in tests/data in the same way: its tables say which differences are explained.
Runs under the Python of .venv, and is left out where that has no JAX. No profiler server is started: recordings are files.
"""
import decimal
import glob
import gzip
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

import recorded
from recorded import DATA, ask, check

# XLA calls these events "internal": its exporter to trace.json omits them.
INTERNAL = {"PrefetchProduce", "PrefetchConsume", "ParallelMapProduce", "ParallelMapConsume"}

# Nodes that each recording must have: an SQL expression over the nodes that ran, and the code that causes
# such a node.
RAN = "SELECT n.name, n.op, sum(e.runs) AS runs FROM executions e JOIN nodes n USING (node) GROUP BY 1, 2"
JAX_HAS = [
    ("name LIKE 'jit(train_step)/jvp(layers)/while/body/%/dense/dot_general' AND runs = 9", "scan of 3 layers in 3 steps, named scopes"),
    ("name = 'jit(train_step)/sgd/while' AND runs = 3", "while, which XLA's CPU compiles into one call"),
    ("name LIKE 'jit(train_step)/transpose(jvp(layers))/while/body/%' AND runs = 9", "grad"),
    ("name LIKE '%/rematted_computation/dense/dot_general' AND runs = 9", "remat"),
    ("name LIKE 'jit(body)/shard_map/exchange/psum%' AND runs = 12", "psum on 4 devices in 3 steps"),
    ("name = 'jit(body)/shard_map/exchange/ppermute' AND runs = 12", "ppermute on 4 devices in 3 steps"),
]
KERAS_HAS = [
    ("op LIKE '%MatMul' AND name LIKE '%gradient_tape/%' AND runs = 3", "gradients of fit in 3 batches"),
    ("op = 'SparseSoftmaxCrossEntropyWithLogits' AND runs = 3", "the loss of fit in 3 batches"),
]
LOOP_HAS = [("op LIKE '%MatMul' AND runs = 3", "products in 3 steps")]

EXPORT = """
import glob, sys
from jaxlib import _profiler
session = _profiler.ProfilerSession()
session.stop()
for path in sys.argv[1:]:
    with open(path, "rb") as f:
        session.export(f.read(), path + ".log")
"""


def run(*words):
    """Runs a program with this Python; its output is shown if it fails."""
    done = subprocess.run([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env=dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3"))
    if done.returncode:
        print(done.stdout.decode("utf-8", "replace")[-4000:])
    check(done.returncode == 0, "%s: status %d" % (os.path.basename(words[0]), done.returncode))
    return done.returncode == 0


def record(name, *words):
    return run(os.path.join(DATA, "frameworks", name), *words)


def told(path):
    """From a trace.json.gz: {(thread, name): [events, nanoseconds]} and {full name of a short one: events}."""
    with gzip.open(path, "rt", encoding="utf-8") as f:
        events = json.load(f, parse_float=decimal.Decimal)["traceEvents"]
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e.get("ph") == "M" and e["name"] == "thread_name"}
    rows, types = {}, {}
    for e in events:
        if e.get("ph") != "X":
            continue
        name = e.get("args", {}).get("long_name", e["name"])
        row = rows.setdefault((threads[e["pid"], e["tid"]], name), [0, 0])
        row[0] += 1
        row[1] += int(decimal.Decimal(e.get("dur", 0)) * 1000)
        if name.endswith(":" + e["name"]):
            types[e["name"]] = types.get(e["name"], 0) + 1
    return rows, types


def query(sql, path):
    answer = ask("query", sql, path, "-format", "json") or {"columns": [], "rows": []}
    names = [c["name"] for c in answer["columns"]]
    return [r if isinstance(r, dict) else dict(zip(names, r)) for r in answer["rows"]]


def check_events(title, trace, theirs):
    """Each event is in a thread, with a name and its time: also steps, instants and events of the library."""
    rows = query("SELECT l.label AS thread, s.name, count(*) AS events, sum(s.duration_ns) AS ns"
                 " FROM spans s JOIN lanes l USING (lane_number) GROUP BY 1, 2", trace)
    ours = {(r["thread"], r["name"]): (r["events"], r["ns"]) for r in rows}
    check(len(theirs) > 10, "%s: %d names in trace.json.gz" % (title, len(theirs)))
    for key in sorted(set(ours) | set(theirs)):
        if key[1] in INTERNAL and key not in theirs:
            continue
        (mine, my_ns), (events, ns) = ours.get(key, (0, 0)), theirs.get(key, (0, 0))
        check(mine == events, "%s: %s: %d events, trace.json.gz has %d" % (title, key, mine, events))
        # Both cut off picoseconds: the exporter from the duration, tfprof from start and end.
        check(abs(my_ns - ns) <= events, "%s: %s: %d ns, trace.json.gz has %d" % (title, key, my_ns, ns))


def check_has(title, trace, wanted):
    for condition, what in wanted:
        found = query("SELECT count(*) AS n FROM (%s) WHERE %s" % (RAN, condition), trace)
        check(found and found[0]["n"], "%s: nothing is %s" % (title, what))


def check_jax(folder, level):
    out = os.path.join(folder, "jax" + level)
    if not record("record_jax.py", out, level):
        return
    trace, title = out + "/jax.xplane.pb", "jax, calls of Python " + level
    check_events(title, trace, told(out + "/jax.trace.json.gz")[0])
    check_has(title, trace, JAX_HAS)
    with open(out + "/jax.totals.json", encoding="utf-8") as f:
        recorded.check_totals(trace, json.load(f))
    check(len(query("SELECT step FROM steps WHERE listed", trace)) == 3, title + ": not three steps")


def check_tensorflow(folder):
    out = os.path.join(folder, "tf2")
    traces = {name: "%s/%s.xplane.pb" % (out, name) for name in ("keras", "loop")}
    if not record("record_tf2.py", out) or not run("-c", EXPORT, *traces.values()):
        return
    for name, trace in traces.items():
        rows, types = told(glob.glob(trace + ".log/plugins/profile/*/*.trace.json.gz")[0])
        check_events(name, trace, rows)
        check_has(name, trace, KERAS_HAS if name == "keras" else LOOP_HAS)
        ran = query("SELECT n.op, sum(e.runs) AS runs FROM executions e JOIN nodes n USING (node) GROUP BY 1", trace)
        ours = {r["op"]: r["runs"] for r in ran}
        for op, events in types.items():
            check(ours.get(op) == events, "%s: %s ran %s times, trace.json.gz has %d" % (name, op, ours.get(op), events))
        check(any("Iterator::" in key[1] for key in rows), name + ": nothing of tf.data")
    check(len(query("SELECT step FROM steps WHERE listed", traces["loop"])) == 3, "loop: not three steps")
    check_eager(out + "/eager.xplane.pb")
    check_guessed_steps(out)


def check_eager(trace):
    """Code outside a tf.function appears as operations by type, which are the work of the steps."""
    ran = query("SELECT n.op, sum(e.runs) AS runs FROM executions e JOIN nodes n USING (node) GROUP BY 1", trace)
    ours = {r["op"]: r["runs"] for r in ran}
    # MatMul: forward, and the gradient for the weights
    for op, runs in (("MatMul", 6), ("Relu", 3), ("ReluGrad", 3), ("Sum", 3)):
        check(ours.get(op) == runs, "eager: %s ran %s times, not %d" % (op, ours.get(op), runs))
    steps = [r for r in (ask("steps", trace, "-format", "json") or {"rows": []})["rows"] if r["step"] != "all"]
    check(len(steps) == 3 and all(0 < r["compute_us"] <= r["duration_us"] for r in steps), "eager: steps are %s" % steps)


def check_guessed_steps(out):
    """Batches without marks become steps that contain the work, and a slow input is found in
    them."""
    for name, stands_in in (("keras", "Keras"), ("slow", "Keras"), ("predict", "Keras"), ("function", "roots")):
        trace = "%s/%s.xplane.pb" % (out, name)
        rows = {r["step"]: r for r in (ask("steps", trace, "-format", "json") or {"rows": []})["rows"]}
        check(sorted(rows) == ["0", "1", "2", "all"], "%s: steps %s" % (name, sorted(rows)))
        told = [f["what"] for f in (ask("check", trace, "-format", "json") or {"rows": []})["rows"]]
        check(any(stands_in in what and "count as steps" in what for what in told), "%s: check tells %s" % (name, told))
        advised = json.dumps(ask("advise", trace, "-format", "json"))
        check("steps are guessed" in advised, name + ": advise does not say that steps are guessed")
        if name == "slow" and "1" in rows:
            check("InputBound" in advised, "slow: InputBound is not told")
            check(rows["1"]["duration_us"] > 15000, "slow: a step of %s us" % rows["1"]["duration_us"])


def check_costs(folder):
    path = os.path.join(folder, "costs.json.gz")
    if not record("record_hlo.py", path):
        return
    nets = recorded.read(path)
    check(len({net["name"] for net in nets}) >= 12, "fewer than a dozen nets")
    recorded.check_costs(folder, nets)
    recorded.check_stablehlo(folder, nets)


def main():
    lacks = [name for name in ("jax", "tensorflow") if not importlib.util.find_spec(name)]
    if lacks:
        print("left out: no %s in .venv; tools/setup.sh test" % " and ".join(lacks))
        return
    with tempfile.TemporaryDirectory() as folder:
        check_tensorflow(folder)
        check_jax(folder, "0")
        check_jax(folder, "1")
        check_costs(folder)
    recorded.end()


main()

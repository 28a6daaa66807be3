#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds a trace against what PyTorch itself made of the same recording: tests/trace/pytorch.py PROGRAM

tests/data/sample/pytorch has a trace and the profiler's key_averages() of it (tests/data/frameworks/pytorch.py recorded both), tests/data/pytorch_more one whose
memory timeline and float operations torch told, too. Calls, self time, time and bytes of each operator must be the same, calls by input
shapes, and the peak of memory. What differs on purpose is in docs/differences.md.
"""
import csv
import io
import json
import os
import subprocess
import sys

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")

passed = failed = 0


def check(good, words):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED", words)


def rows(program, folder, *words):
    done = subprocess.run([program, *words, "-format", "csv"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise SystemExit("%s\n%s" % (" ".join(words), done.stderr.decode()))
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def near(ours, theirs, count):
    """Whether they are equal, if both round each span to nanoseconds."""
    return abs(ours - theirs) <= 0.001 * count + 0.002


# In torch's table, an operator and its only child with the same name are one call.
MERGED = """SELECT p.name AS name, count(*) AS n, sum(c.duration_ns) / 1000.0 AS us FROM spans c JOIN spans p ON c.parent = p.span
WHERE c.kind = 'op' AND p.kind = 'op' AND c.name = p.name
AND (SELECT count(*) FROM spans o WHERE o.parent = p.span AND o.kind = 'op') = 1 GROUP BY 1"""
ANNOTATIONS = ("ProfilerStep", "Optimizer.", "load data")


def hold_names(ask, theirs):
    ours = {r["name"]: r for r in ask("op", "-select", "cpu_micros,occurrence,bytes,float_ops", "-max_depth", "10000")}
    spans = {r["name"]: r for r in ask("query", "SELECT name, count(*) AS n, sum(duration_ns) / 1000.0 AS us FROM spans "
                                       "WHERE kind = 'op' GROUP BY name")}
    merged = {r["name"]: r for r in ask("query", MERGED)}
    memory = {r["name"]: r for r in ask("op", "-select", "residual_bytes", "-max_depth", "10000")}
    for row in theirs["by_name"]:
        name, count = row["name"], row["count"]
        if name.startswith(ANNOTATIONS):
            check(name not in ours, name + ": an annotation is no operator")
            continue
        mine, twice = ours.get(name), merged.get(name, {"n": 0, "us": 0})
        check(mine is not None, "%s is missing" % name)
        if mine is None:
            continue
        runs, micros = int(mine["runs"]) - int(twice["n"]), float(spans[name]["us"]) - float(twice["us"])
        check(runs == count, "%s: %d runs, not %d" % (name, runs, count))
        check(near(float(mine["cpu_micros"]), row["self_cpu_us"], count),
              "%s: %s us by itself, not %s" % (name, mine["cpu_micros"], row["self_cpu_us"]))
        check(near(micros, row["cpu_us"], count), "%s: %s us, not %s" % (name, micros, row["cpu_us"]))
        check(int(memory[name]["residual_bytes"]) == row["self_cpu_bytes"],
              "%s: %s bytes, not %d" % (name, memory[name]["residual_bytes"], row["self_cpu_bytes"]))
    names = {row["name"] for row in theirs["by_name"]}
    check(not {n for n, r in spans.items() if n not in names}, "only ours: %s" % sorted(set(spans) - names)[:5])
    return ours, merged


def hold_shapes(ask, theirs, ours, merged):
    shapes = {}
    for r in ask("query", "SELECT name, value, count(*) AS n FROM spans JOIN span_args USING (span) WHERE key = 'Input Dims' GROUP BY 1, 2"):
        dims = json.loads(r["value"].lstrip("'"))
        key = r["name"], json.dumps([[] if d and isinstance(d[0], list) else d for d in dims])
        shapes[key] = shapes.get(key, 0) + int(r["n"])
    for row in theirs["by_shape"]:
        if row.get("shapes") and row["name"] in ours and row["name"] not in merged:
            mine = shapes.get((row["name"], json.dumps(row["shapes"])))
            check(mine == row["count"], "%s %s: %s calls, not %d" % (row["name"], row["shapes"], mine, row["count"]))


def hold_float_ops(ours, theirs):
    """Compares with_flops and the counter of torch.utils, after subtracting the differences listed in
    docs/differences.md."""
    told = {row["name"]: row["flops"] for row in theirs["by_name"]}
    for name in ("aten::mm", "aten::addmm", "aten::bmm"):
        check(int(ours[name]["float_ops"]) == told[name], "%s: %s float operations, not %s" % (name, ours[name]["float_ops"], told[name]))
    counted = {op.replace("aten.", "aten::"): n for op, n in theirs["flop_counter"].items()}
    for name in ("aten::addmm", "aten::convolution"):
        check(int(ours[name]["float_ops"]) == counted[name], "%s: %s, the counter %s" % (name, ours[name]["float_ops"], counted[name]))
    grouped = 2 * 2 * 7 * 7 * 16 * (8 // 4) * 9  # 4 groups: one pass; the counter counts the weights 4 times
    check(counted["aten::convolution_backward"] - int(ours["aten::convolution_backward"]["float_ops"]) == 3 * grouped,
          "convolution_backward: %s, the counter %s" % (ours["aten::convolution_backward"]["float_ops"], counted["aten::convolution_backward"]))
    check(int(ours["aten::bmm"]["float_ops"]) > counted["aten::bmm"], "the products of a bilinear layer count")
    check(int(ours["aten::mkldnn_rnn_layer"]["float_ops"]) > 0, "an LSTM counts")


def hold_memory(program, folder, theirs):
    """Compares what the recording added to the memory timeline, which begins with the memory of the
    parameters."""
    done = subprocess.run([program, "memory", "train.json.gz", "-format", "json"], cwd=folder, stdout=subprocess.PIPE, check=True)
    report = json.loads(done.stdout)
    before = sum(r["bytes"] for r in report["rows"] if r["op"].startswith("(held before"))
    peak = theirs["memory"]["peak"] - theirs["memory"]["first"]
    check(report["summary"]["peak_bytes_1"] - before == peak, "peak of %s less %d, not %d" % (report["summary"], before, peak))


def hold(program, folder, table):
    with open(os.path.join(folder, table), encoding="utf-8") as f:
        theirs = json.load(f)

    def ask(*words):
        return rows(program, folder, *words, "train.json.gz")
    ours, merged = hold_names(ask, theirs)
    hold_shapes(ask, theirs, ours, merged)
    if "flop_counter" in theirs:
        check(merged, "no operator is merged with its child: this sample was to have some")
        hold_float_ops(ours, theirs)
        hold_memory(program, folder, theirs)


def main():
    program = os.path.abspath(sys.argv[1])
    hold(program, os.path.join(DATA, "sample", "pytorch"), "key_averages.json")
    hold(program, os.path.join(DATA, "pytorch_more"), "torch.json")
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

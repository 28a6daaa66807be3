#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares XPlane traces with xprof's results for the same files:   xprof.py TFPROF [FOLDER]

FOLDER holds NAME.xplane.pb and expected/NAME/*.json, xprof's tables; it is not part of the repository. For every number that
both have: how often each op ran, its self time, and of device ops the float operations for each byte. Where xprof is known to
differ, this says so.
"""
import csv
import io
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = sys.argv[1].split()
FOLDER = sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, "../../../shared/formats/xplane")

passed = failed = 0


def check(fine, text):
    global passed, failed
    passed, failed = passed + bool(fine), failed + (not fine)
    if not fine:
        print("FAILED " + text)


def near(a, b, share=0.001, least=0.5):
    return abs(a - b) <= max(least, share * max(abs(a), abs(b)))


def ask(view, name, *words):
    done = subprocess.run(PROGRAM + [view, os.path.join(FOLDER, name + ".xplane.pb"), "-format", "csv", *words],
                          stdout=subprocess.PIPE, check=True)
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def table(name, tool):
    """The rows of a table of xprof as dicts."""
    with open(os.path.join(FOLDER, "expected", name, tool + ".json"), encoding="utf-8") as f:
        data = json.load(f)
    data = data[0] if isinstance(data, list) else data
    keys = [column["id"] for column in data["cols"]]
    return [dict(zip(keys, (cell.get("v") for cell in row["c"]))) for row in data["rows"]]


def check_host_ops(name):
    """Compares ops of TensorFlow's executor. xprof sometimes counts ops with names such as NAME_1 twice."""
    ours = {row["name"]: row for row in ask("scope", name, "-select", "cpu_micros,occurrence", "-max_depth", "1000")}
    for row in table(name, "framework_op_stats"):
        if row["host_or_device"] != "Host" or row["operation"] == "IDLE" or row["operation"].startswith("Iterator::"):
            continue  # tf.data's iterators are annotations in tfprof, with rows in `calls` and `wait`
        op, runs, micros = row["operation"], int(row["occurrences"]), row["total_self_time"]
        mine = ours.get(op)
        if not mine:
            check(False, "%s: %s is not there" % (name, op))
            continue
        check(int(mine["runs"]) in (runs, runs / 2), "%s: %s ran %s times, xprof says %d" % (name, op, mine["runs"], runs))
        check(near(float(mine["cpu_micros"]), micros),
              "%s: %s took %s us, xprof says %s" % (name, op, mine["cpu_micros"], micros))


def check_device_ops(name):
    """Compares XLA's instructions. Their total agrees; xprof distributes the time among instructions of a kind in its own way,
    which differs up to 12 % from the sums of the events."""
    ours = {row["name"]: row for row in ask("kernel", name)}
    work = {row["name"]: row for row in ask("flops", name, "-nodes")}
    rows = table(name, "hlo_stats")
    total = sum(float(ours[row["hlo_op_name"]]["total_us"]) for row in rows if row["hlo_op_name"] in ours)
    told = sum(row["total_self_time"] for row in rows)
    check(near(total, told), "%s: %s us in all, xprof says %s" % (name, total, told))
    for row in rows:
        op, runs, micros = row["hlo_op_name"], int(row["occurrences"]), row["total_self_time"]
        mine = ours.get(op)
        if not mine:
            check(False, "%s: %s is not there" % (name, op))
            continue
        check(int(mine["count"]) == runs, "%s: %s ran %s times, xprof says %d" % (name, op, mine["count"], runs))
        check(near(float(mine["total_us"]), micros, 0.15),
              "%s: %s took %s us, xprof says %s" % (name, op, mine["total_us"], micros))
        moved = work.get(op, {}).get("bytes_moved")
        if moved and mine["class"] != "copy" and row["operational_intensity"]:
            mine = float(work[op]["float_ops"] or 0) / float(moved)
            check(near(mine, row["operational_intensity"], 0.01, 0.001),
                  "%s: %s has %s float operations a byte, xprof says %s" % (name, op, mine, row["operational_intensity"]))


for trace in ("tf1_session_grpc", "tf2_cpu_train"):
    check_host_ops(trace)
check_device_ops("tpu_inference_2")
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)

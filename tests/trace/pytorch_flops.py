#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the float operations of a trace against what PyTorch counts: tests/trace/pytorch_flops.py PROGRAM

tests/data/sample/pytorch/flops.json.gz has sixteen nets, each in an annotation (tests/data/frameworks/pytorch_flops.py
recorded it). Twice the multiply-adds of each must be the count of torch.utils.flop_counter; for products of matrices the
count must be that of with_flops.
"""
import csv
import io
import json
import os
import subprocess
import sys

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "sample", "pytorch")
passed = failed = 0


def check(good, words):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED", words)


def rows(program, view, *words):
    done = subprocess.run([program, view, "flops.json.gz", *words, "-max_depth", "1000", "-format", "csv"], cwd=SAMPLE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise SystemExit("%s\n%s" % (view, done.stderr.decode()))
    return {r["name"]: r for r in csv.DictReader(io.StringIO(done.stdout.decode()))}


def main():
    program = os.path.abspath(sys.argv[1])
    with open(os.path.join(SAMPLE, "flops.json"), encoding="utf-8") as f:
        theirs = json.load(f)
    nets = rows(program, "scope", "-select", "macs")
    for name, flops in theirs["flop_counter"].items():
        ours = 2 * int(nets[name]["total_macs"]) if name in nets else None
        check(ours == flops, "%s: %s float operations of products, not %d" % (name, ours, flops))
    ops = rows(program, "op", "-select", "float_ops")
    for name in ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"):
        check(int(ops[name]["float_ops"]) == theirs["with_flops"][name],
              "%s: %s, not %d" % (name, ops[name]["float_ops"], theirs["with_flops"][name]))
    everything = rows(program, "scope", "-select", "float_ops,macs,bytes_moved,coverage")["_TFProfRoot"]
    check(float(everything["total_coverage"]) > 0.95, "only %s of the operators have a count" % everything["total_coverage"])
    check(int(everything["total_float_ops"]) >= 2 * int(everything["total_macs"]), "more multiply-adds than float operations")
    check(int(everything["total_bytes_moved"]) > 0, "nothing moves")
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

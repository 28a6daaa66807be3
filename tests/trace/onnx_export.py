#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds ONNX models of torch.onnx.export(dynamo=True) against what PyTorch counts: tests/trace/onnx_export.py PROGRAM

tests/data/onnx_export has two of them (tests/data/frameworks/onnx_export.py recorded them): twice the multiply-adds are what
torch.utils.flop_counter counted, and the parameters those of the module, apart from what the exporter does with them.
"""
import csv
import io
import json
import math
import os
import subprocess
import sys

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "onnx_export")
# Weights that the file does not have as they were. The exporter computes the normalisation into the convolution before it.
# It writes weights of linear layers the other way round, under new names.
FUSED = {"1.weight", "1.bias"}
TURNED = {"qkv.weight", "out.weight", "net.0.weight", "net.2.weight"}
# Constants of floats that are no weights: the number by which attention divides.
CONSTANTS = {"convolution": 0, "attention": 1}
passed = failed = 0


def check(good, words):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED", words)


def ask(program, *words):
    done = subprocess.run([program, *words], cwd=DATA, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    if done.returncode:
        raise SystemExit("%s\n%s" % (words, done.stderr))
    return done.stdout


def elements(shape):
    return math.prod(map(int, shape.split("x")))


def compare(program, name, counts):
    path = name + ".onnx"
    table = ask(program, "scope", path, "-select", "params,macs,coverage", "-float_ops_source", "own", "-assume_batch", str(counts["batch"]),
                "-max_depth", "1000", "-format", "csv")
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(table))}
    total = rows["_TFProfRoot"]
    check(2 * int(total["total_macs"]) == counts["float_ops"], "%s: %s multiply-adds, not half of %d" % (name, total["total_macs"], counts["float_ops"]))
    check(float(total["total_coverage"]) == 1, "%s: %s of the operators have a count" % (name, total["total_coverage"]))
    weights = {key: shape for key, shape in counts["weights"].items() if key not in FUSED}
    wanted = sum(map(elements, weights.values())) + CONSTANTS[name]
    check(int(total["total_params"]) == wanted, "%s: %s parameters, not %d" % (name, total["total_params"], wanted))
    for key, shape in weights.items():
        row = rows.get(key.replace(".", "/"))
        check((row is None) == (key in TURNED), "%s: %s" % (name, key))
        check(not row or int(row["total_params"]) == elements(shape), "%s: %s has not %s" % (name, key, shape))


def main():
    program = os.path.abspath(sys.argv[1])
    with open(os.path.join(DATA, "counts.json"), encoding="utf-8") as f:
        counts = json.load(f)
    for name in CONSTANTS:
        compare(program, name, counts[name])
    open_batch = ask(program, "flops", "attention.onnx")
    check("add --assume-batch 1" in open_batch, "an open batch: %s" % open_batch)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares XPlane and HLO with the numbers that JAX and XLA gave at the recording:   recorded.py TFPROF

  costs    tests/data/frameworks/hlo_costs.json.gz: flops and bytes of small nets by XLA's cost_analysis(), made by record_hlo.py
           for lowered programs also the StableHLO, against the HLO of the same program
  totals   tests/data/frameworks/jax_totals.json.gz: events and times by name of JAX's own trace.json.gz, made by record_jax.py

XLA counts exp, tanh and the like separately, as transcendentals; our count includes them. Every other difference is in
DIFFERENCES with its cause, and docs/differences.md tells of it.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, os.pardir, "data")
PROGRAM = sys.argv[1].split()

PADDING = "XLA takes off what a window sees of the padding"
LOOP = "XLA counts a loop once, whatever its trips"
INTEGERS = "XLA counts integers, truth values and conversions too"
FFT = "XLA counts a real transform as a complex one"
FACTOR = "XLA knows nothing of the call of LAPACK"
# (net, stage): (our float operations minus XLA's, the reason)
DIFFERENCES = {
    ("convolution, padded", "lowered"): (192512, PADDING),
    ("convolution, padded", "compiled"): (192512, PADDING),
    ("convolution, strided", "lowered"): (48128, PADDING),
    ("convolution, strided", "compiled"): (48128, PADDING),
    ("convolution, gradient", "lowered"): (552960, PADDING),
    ("convolution, gradient", "compiled"): (552960, PADDING),
    ("layer norm", "lowered"): (-1, INTEGERS),
    ("max pool, gradient", "compiled"): (-55296, INTEGERS),
    ("embedding gradient", "lowered"): (-192, INTEGERS),
    ("embedding gradient", "compiled"): (-384, INTEGERS),
    ("rnn, scanned", "lowered"): (476670, LOOP),
    ("rnn, scanned", "compiled"): (476670, LOOP),
    ("loop of unknown length", "lowered"): (-99, INTEGERS),
    ("loop of unknown length", "compiled"): (-127, INTEGERS),
    ("branches", "lowered"): (-2, INTEGERS),
    ("branches", "compiled"): (-2, INTEGERS),
    ("fft", "lowered"): (-90112, FFT),
    ("fft", "compiled"): (-90112, FFT),
    ("cholesky", "lowered"): (7850, FACTOR),
    ("cholesky", "compiled"): (7850, FACTOR),
    ("integers", "lowered"): (-512, INTEGERS),
    ("integers", "compiled"): (-512, INTEGERS),
    ("half precision", "lowered"): (-6144, INTEGERS),
    ("half precision", "compiled"): (-51200, INTEGERS),
}
# Float operations of StableHLO minus those of its HLO: XLA omits sums with zeros when it converts it.
STABLEHLO = {"convolution, gradient": 12544, "max pool, gradient": 2048, "embedding gradient": 1024}
# Nets whose bytes differ: loops (XLA counts them once), scatters in place, tuples of calls and loops.
BYTES_DIFFER = {"mlp gradient", "convolution, gradient", "embedding gradient", "rnn, scanned", "loop of unknown length",
                "branches", "cholesky", "cumulative sum"}

passed = failed = 0


def check(fine, text):
    global passed, failed
    passed, failed = passed + bool(fine), failed + (not fine)
    if not fine:
        print("FAILED " + text)


def ask(*words):
    done = subprocess.run(PROGRAM + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        print(" ".join(words) + ": " + done.stderr.decode())
        return None
    return json.loads(done.stdout)


def read(name):
    with gzip.open(os.path.join(DATA, name), "rt", encoding="utf-8") as f:
        return json.load(f)


def check_costs(folder, nets):
    path = os.path.join(folder, "net.hlo.txt")
    for net in nets:
        with open(path, "w", encoding="utf-8") as f:
            f.write(net["hlo"])
        answer = ask("flops", path, "-format", "json")
        if not answer:
            check(False, net["name"])
            continue
        facts, title = answer["summary"], "%s, %s" % (net["name"], net["stage"])
        off, why = DIFFERENCES.get((net["name"], net["stage"]), (0, "nothing"))
        ours, theirs = facts["total_float_ops"], net["flops"] + net["transcendentals"]
        check(ours == theirs + off, "%s: %d float operations, XLA says %d (%s explains %d)" % (title, ours, theirs, why, off))
        loops = facts.get("loops_counted_once", 0) > 0  # then the numbers are a lower bound
        check(facts["total_coverage"] == (None if loops else 1), "%s: %s of it has a count" % (title, facts["total_coverage"]))
        check(facts["at_least"] == loops, "%s: at least: %s" % (title, facts["at_least"]))
        if net["name"] not in BYTES_DIFFER:
            check(facts["total_bytes_moved"] == net["bytes"],
                  "%s: %d bytes, XLA says %d" % (title, facts["total_bytes_moved"], net["bytes"]))


def check_stablehlo(folder, nets):
    path = os.path.join(folder, "net.mlir")
    for net in nets:
        if not net["stablehlo"]:
            continue
        answers = []
        for text in (net["hlo"], net["stablehlo"]):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            answers.append((ask("flops", path, "-format", "json") or {"summary": {}})["summary"])
        hlo, ours = [[a.get("total_" + k) for k in ("float_ops", "macs", "coverage")] for a in answers]
        hlo[0] += STABLEHLO.get(net["name"], 0)
        check(ours == hlo, "%s: StableHLO has %s, its HLO %s" % (net["name"], ours, hlo))


def add_rows(rows, row):
    """Adds a row of `calls` and those below it: runs, and the time including nested spans."""
    todo = list(row["children"])
    while todo:
        row = todo.pop()
        total = rows.setdefault(row["name"], [0, 0])
        total[0] += row["run_count"]
        total[1] += round(row["total_exec_micros"] * 1000)
        todo += row["children"]


def check_totals(trace, totals):
    """Compares all events except steps and instants, which `calls` omits. JAX cuts durations to whole nanoseconds; ours are the difference
    of a start and an end that are each cut."""
    answer, rows = ask("calls", trace, "-select", "micros,occurrence", "-max_depth", "1000", "-format", "json"), {}
    if answer:
        add_rows(rows, answer["root"])
    for name, (count, ns) in totals.items():
        if name == "train" or not ns:
            continue
        ours = rows.get(name, (0, 0))
        check(ours[0] == count, "%s: %d events, JAX's own trace has %d" % (name, ours[0], count))
        check(abs(ours[1] - ns) <= count, "%s: %d ns, JAX's own trace has %d" % (name, ours[1], ns))


def end():
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


def main():
    nets = read("frameworks/hlo_costs.json.gz")
    with tempfile.TemporaryDirectory() as scratch:
        check_costs(scratch, nets)
        check_stablehlo(scratch, nets)
    check_totals(os.path.join(DATA, "sample", "recorded", "jax.xplane.pb.gz"), read("frameworks/jax_totals.json.gz"))
    end()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how often `tfprof diff --gate` fails by chance, and how often it detects growth: rates.py LIBTFPROF.SO [COMPARISONS]

Each comparison makes two baselines of simulated runs and asks the library. A run has 20 operations; its speed, which all of them
share, varies from run to run by a standard deviation (column sd), of one in ten runs also by an exponential outlier of 10 % on average
(spikes), and each operation by 1 % of its own. With pairs, three quarters of the variance are the machine's, which both runs of a pair
share. The seed is fixed. docs/gate.md has a part of the table that this prints."""
import ctypes
import json
import math
import os
import random
import sys

OPERATIONS = 20


def shares(rng):
    parts = [rng.expovariate(1) + 0.05 for _ in range(OPERATIONS)]
    return [10000 * p / sum(parts) for p in parts]


def speed(rng, noise, sd):
    x = rng.gauss(0, sd)
    if noise == "spikes" and rng.random() < 0.1:
        x += rng.expovariate(10)
    return math.exp(x)


def side(rng, parts, factors, grown):
    """The text of a baseline. `grown`: how much longer the step takes, and whether all operations grow equally or only the first."""
    factor, alike = grown
    more = [p * factor for p in parts] if alike else [parts[0] + (factor - 1) * sum(parts), *parts[1:]]
    runs = [[p * f * math.exp(rng.gauss(0, 0.01)) for p in more] for f in factors]
    rows = [{"measure": "step", "name": "step", "values": [sum(r) for r in runs]}]
    rows += [{"measure": "op", "name": f"op{i}", "values": [r[i] for r in runs]} for i in range(OPERATIONS)]
    rows += [{"measure": "float_ops", "name": "all operations", "same": 4096}]
    return json.dumps({"tfprof_baseline": 1, "runs": [f"run{i}" for i in range(len(runs))], "rows": rows})


def factors(rng, noise, sd, count, paired):
    if not paired:
        return [[speed(rng, noise, sd) for _ in range(count)] for _ in range(2)]
    machine = [speed(rng, "normal", sd * math.sqrt(0.75)) for _ in range(count)]
    return [[m * speed(rng, noise, sd / 2) for m in machine] for _ in range(2)]


class Gate:
    """The gate of libtfprof.so in this process, because starting the program for each comparison takes most of the time."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(os.path.abspath(path))
        for name in ("tfp_gate_new", "tfp_options_new"):
            getattr(self.lib, name).restype = ctypes.c_void_p
        self.options = ctypes.c_void_p(self.lib.tfp_options_new())

    def fails(self, base, new, limit, paired):
        g, report, verdict = ctypes.c_void_p(self.lib.tfp_gate_new()), ctypes.c_void_p(), ctypes.c_int(-1)
        for side, text in enumerate((base.encode(), new.encode())):
            if self.lib.tfp_gate_add_baseline(g, side, b"runs", text, ctypes.c_size_t(len(text)), None):
                sys.exit("a baseline was refused")
        if self.lib.tfp_gate_judge(g, ctypes.c_double(limit), int(paired), self.options, ctypes.byref(report), ctypes.byref(verdict), None):
            sys.exit("the gate failed")
        self.lib.tfp_report_free(report)
        self.lib.tfp_gate_free(g)
        return verdict.value == 0  # TFP_GATE_IS_FAILED


def fails(gate, seed, case):
    noise, sd, count, grown, limit, paired = case
    rng = random.Random(f"{seed} {case}")
    parts = shares(rng)
    texts = [side(rng, parts, f, more) for f, more in zip(factors(rng, noise, sd, count, paired), ((1, True), grown))]
    return gate.fails(*texts, float(limit.rstrip("%")) / 100, paired)


def rate(gate, case, comparisons):
    return 100 * sum(fails(gate, seed, case) for seed in range(comparisons)) / comparisons


def main():
    gate, comparisons = Gate(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    print("| noise | sd | runs a side | equal runs that fail | +3 % | +3 % by one operation | +8 %, limit 5 % | +15 %, limit 5 % |\n|---|---|---|---|---|---|---|---|")
    for paired in (False, True):
        for noise in ("normal", "spikes"):
            for sd in (0.01, 0.013, 0.016, 0.02, 0.03):
                for count in ((3, 5, 10) if not paired else (10,)):
                    found = [rate(gate, (noise, sd, count, grown, limit, paired), comparisons)
                             for grown, limit in (((1, True), "0%"), ((1.03, True), "0%"), ((1.03, False), "0%"), ((1.08, True), "5%"), ((1.15, True), "5%"))]
                    print(f"| {noise}{', pairs' if paired else ''} | {100 * sd:.1f} % | {count} | " + " | ".join(f"{x:.1f} %" for x in found) + " |", flush=True)


if __name__ == "__main__":
    main()

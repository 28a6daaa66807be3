#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many runs a side `tfprof diff --gate 5%` needs to find a growth: power.py LIBTFPROF.SO [COMPARISONS]

Simulated runs as in rates.py (normal noise, all operations alike). For each spread of the step between runs it prints the share of
comparisons that fail with 3, 5, 7, 10 and 15 runs a side, and the least of these numbers that finds nine of ten. The seed is fixed.
docs/gate.md has the table that this prints."""
import sys

from rates import Gate, rate

RUNS = (3, 5, 7, 10, 15)
GROWN = (1.10, 1.15)


def main():
    gate, comparisons = Gate(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    print("| sd | growth | " + " | ".join(f"{n} runs" for n in RUNS) + " | nine of ten |\n|---|---|" + "---|" * (len(RUNS) + 1))
    for sd in (0.01, 0.02, 0.03, 0.04):
        for grown in GROWN:
            found = [rate(gate, ("normal", sd, n, (grown, True), "5%", False), comparisons) for n in RUNS]
            enough = next((str(n) for n, share in zip(RUNS, found) if share >= 90), f"more than {RUNS[-1]}")
            print(f"| {100 * sd:.0f} % | +{100 * grown - 100:.0f} % | " + " | ".join(f"{x:.0f} %" for x in found) + f" | {enough} |", flush=True)


if __name__ == "__main__":
    main()

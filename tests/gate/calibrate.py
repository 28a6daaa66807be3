# SPDX-License-Identifier: Apache-2.0
"""How often one more equal run is over a limit of `tfprof gate calibrate`: calibrate.py LIBTFPROF.SO [CHECKS] prints the table of docs/gate.md.
Runs are simulated as rates.py does; +5 % and more are found at 1 %, by one run."""
import ctypes
import random
import sys

import rates


def fails(gate, seed, case):
    noise, sd, count, rate, growth, checked = case
    rng = random.Random(f"{seed} {case}")
    parts = rates.shares(rng)
    base = rates.side(rng, parts, [rates.speed(rng, noise, sd) for _ in range(count)], (1, True))
    new = rates.side(rng, parts, [rates.speed(rng, noise, sd) for _ in range(checked)], (growth, True))
    g, report, verdict = ctypes.c_void_p(gate.lib.tfp_gate_new()), ctypes.c_void_p(), ctypes.c_int(-1)
    for side, text in enumerate((base.encode(), new.encode())):
        if gate.lib.tfp_gate_add_baseline(g, side, b"runs", text, ctypes.c_size_t(len(text)), None):
            sys.exit("a baseline was refused")
    if gate.lib.tfp_gate_calibrate(g, ctypes.c_double(rate), gate.options, ctypes.byref(report), ctypes.byref(verdict), None):
        sys.exit("the calibration failed")
    gate.lib.tfp_report_free(report)
    gate.lib.tfp_gate_free(g)
    return verdict.value == 0  # TFP_GATE_IS_FAILED


def share(gate, case, checks):
    return 100 * sum(fails(gate, seed, case) for seed in range(checks)) / checks


def main():
    gate, checks = rates.Gate(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    print("| noise | sd | equal runs | false alarms at 1 % | at 5 % | at 1 %, median of 3 runs | +5 % found | +10 % | +20 % |\n|---|---|---|---|---|---|---|---|---|")
    for noise in ("normal", "spikes"):
        for sd in (0.01, 0.02, 0.03):
            for count in (5, 10, 20):
                found = [share(gate, (noise, sd, count, rate, growth, checked), checks)
                         for rate, growth, checked in ((0.01, 1, 1), (0.05, 1, 1), (0.01, 1, 3), (0.01, 1.05, 1), (0.01, 1.1, 1), (0.01, 1.2, 1))]
                print(f"| {noise} | {100 * sd:.0f} % | {count} | " + " | ".join(f"{x:.1f} %" for x in found) + " |", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the gains that `tfprof advise` promises with what `tfprof whatif` says of the same change, for every sample: gains.py PROGRAM.
A finding that names a change gains at most as much as that; one about kernels at most as much as all kernels free; and findings stand in
the order of their gains, those of under 1 % of a step last, with the reason. The last line is `N passed, N failed`."""
import glob
import json
import os
import subprocess
import sys

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "sample")
DENIED = "is the limit: nothing to gain now"


def ask(program, *args):
    out = subprocess.run([program, *args, "-format", "json"], capture_output=True, text=True, timeout=120)
    return json.loads(out.stdout) if out.returncode == 0 and out.stdout.startswith("{") else None


def gain_of(program, path, change):
    """In seconds; None: whatif does not answer, or its replay is off by over 5 %."""
    answer = ask(program, "whatif", path, *change)
    rows = answer["rows"] if answer else []
    return rows[-1]["gain_us"] / 1e6 if rows and abs(rows[0]["replay_error"]) <= 0.05 else None


def faults_of(program, path):
    advice = ask(program, "advise", path)
    found = [f for c in (advice or {}).get("checkers", []) for f in c["findings"] if "gain_seconds" in f]
    free = None
    for f in found:
        gain = f["gain_seconds"]
        if gain is None:
            continue
        if f["whatif"]:
            words = f["whatif"].split(" ", 1)
            limit = gain_of(program, path, ["-" + words[0], *words[1:]])
        elif f["about"] == "compute":
            free = free if free is not None else gain_of(program, path, ["-faster", ".*=0"])
            limit = free
        else:
            continue
        if limit is not None and gain > max(limit, 0) * 1.001 + 1e-9:
            yield f"{f['name']} promises {gain}, whatif {limit}"
    gains = [f["gain_seconds"] for f in found if DENIED not in f["text"]]
    known = [g for g in gains if g is not None]
    if known != sorted(known, reverse=True):
        yield f"gains are not in order: {gains}"
    denied = [DENIED in f["text"] for f in found]
    if denied != sorted(denied):
        yield "a finding without a gain does not come last"


def main():
    program, passed, failed = os.path.abspath(sys.argv[1]), 0, 0
    for path in sorted(glob.glob(os.path.join(SAMPLES, "**", "*"), recursive=True)):
        if not path.endswith((".json", ".json.gz", ".pb", ".sqlite", ".db")) or not os.path.isfile(path):
            continue
        faults = list(faults_of(program, path))
        for fault in faults:
            print(f"{os.path.relpath(path, SAMPLES)}: {fault}")
        passed, failed = passed + (not faults), failed + bool(faults)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

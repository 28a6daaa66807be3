#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the unit test programs of a build folder: tools/run_unit.py BUILD [NAME ...]; counts cmocka's tests."""
import glob
import os
import re
import subprocess
import sys


def main():
    build, names = sys.argv[1], sys.argv[2:]
    programs = sorted(p for p in glob.glob(os.path.join(build, "tests", "unit", "test_*"))
                      if os.access(p, os.X_OK) and os.path.isfile(p))
    passed = failed = 0
    for program in programs:
        if names and not any(name in program for name in names):
            continue
        done = subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=600)
        output = done.stdout.decode("utf-8", "replace")
        ok = sum(int(n) for n in re.findall(r"\[  PASSED  \] (\d+) test", output))
        bad = len(set(re.findall(r"^\[  FAILED  \] (\w+)$", output, re.M)))
        if done.returncode and not bad:
            bad = 1
        if bad:
            print(f"{os.path.basename(program)}: status {done.returncode}\n{output[-4000:]}")
        passed, failed = passed + ok, failed + bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the unit tests of a build folder: tools/run_unit.py BUILD [NAME ...]; counts cmocka's tests."""
import os
import re
import subprocess
import sys


def main():
    folder, words = os.path.join(sys.argv[1], "tests", "unit"), sys.argv[2:]
    many = os.path.join(folder, "unit")
    names = subprocess.run([many], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    passed = failed = 0
    for name in names + ["test_column"]:
        if words and not any(word in name for word in words):
            continue
        command = [many, name] if name in names else [os.path.join(folder, name)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=600)
        output = done.stdout.decode("utf-8", "replace")
        ok = sum(int(n) for n in re.findall(r"\[  PASSED  \] (\d+) test", output))
        bad = len(set(re.findall(r"^\[  FAILED  \] (\w+)$", output, re.M)))
        if done.returncode and not bad:
            bad = 1
        if bad:
            print(f"{name}: status {done.returncode}\n{output[-4000:]}")
        passed, failed = passed + ok, failed + bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

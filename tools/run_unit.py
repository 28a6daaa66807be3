#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the unit tests of a build folder: tools/run_unit.py BUILD [WORD ...]; counts cmocka's tests. With WORDs, which choose tests by their
names, the tests are built first."""
import os
import re
import subprocess
import sys


def builds(folder):
    """Commands that build the unit tests; those of a release build are linked with its library, which is compiled already."""
    with open(os.path.join(folder, "build.ninja"), encoding="utf-8") as file:
        known = re.search(r"^build tests/unit/unit:", file.read(), re.M)
    steps = [] if known else [["meson", "configure", folder, "-Dtests=unit"]]
    return steps + [["ninja", "-C", folder, "-j2", "--quiet", "tests/unit/unit", "tests/unit/test_column"]]


def main():
    folder, words = os.path.join(sys.argv[1], "tests", "unit"), sys.argv[2:]
    many = os.path.join(folder, "unit")
    for step in builds(sys.argv[1]) if words else []:
        if subprocess.run(step, check=False).returncode:
            return 1
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
    if words and not passed + failed:
        print(f"no test has {' or '.join(words)} in its name; there are: {' '.join(names)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

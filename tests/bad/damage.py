#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the exhaustive damage of damage.c, two processes at a time: tests/bad/damage.py BUILD [EVERY]

EVERY takes one of so many prefixes and bits; it should share no divisor with 8 and 5, the steps of damage.c. `make test`
takes one of 37, `make fuzz` all.

The profile whose every bit is turned is the hand-made one, thinned to 4 KB.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, "..", "data", "sample")
sys.path.insert(0, os.path.join(HERE, "..", "fuzz", "seeds"))
import seeds  # noqa: E402


def main():
    program = os.path.join(sys.argv[1], "tests", "bad", "damage")
    with tempfile.NamedTemporaryFile(suffix=".profile") as small:
        small.write(seeds.thinned(seeds.sample("odd/profile_5"), 4096))
        small.flush()
        running = [subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                   for words in (["prefixes", SAMPLE, *sys.argv[2:]], ["bits", small.name, *sys.argv[2:]])]
        passed = failed = 0
        for process in running:
            output, _ = process.communicate()
            told = re.search(r"(\d+) passed", output)
            if process.returncode or not told:
                failed += 1
                print("status %d\n%s" % (process.returncode, output[-3000:]))
            else:
                passed += int(told[1])
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

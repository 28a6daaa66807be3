#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests how the program handles bad input and bad circumstances: tests/bad/run.py PROGRAM [WORD ...]

Each check runs the program once and judges its status, its one line on stderr, what it wrote, its time and its memory.
WORDs choose groups by name. Ends with "N passed, N failed".
"""
import os
import sys
import time

import groups
import not_readable  # noqa: F401  each adds its groups, in this order
import words  # noqa: F401
import rare  # noqa: F401
import big  # noqa: F401
import checkpoints  # noqa: F401
import surroundings  # noqa: F401
from harness import Bench


def busy():
    return sum(os.times()[:4])


def main():
    bench = Bench(sys.argv[1])
    start = time.monotonic()
    for name, group in groups.ALL:
        if len(sys.argv) > 2 and not any(word in name for word in sys.argv[2:]):
            continue
        before = bench.passed, busy()
        bench.group = name
        group(bench)
        if bench.verbose:
            print("%s: %d, %.1f s of processors" % (name, bench.passed - before[0], busy() - before[1]))
    bench.close()
    if bench.verbose:
        print("%.0f s" % (time.monotonic() - start))
    print("%d passed, %d failed" % (bench.passed, bench.failed))
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof serve` under hostile, slow and many requests, and its answers against the command line's.

    tests/server/run.py PROGRAM [WORD ...]    only the tests with these words in their names

Ends with `N passed, N failed`."""
import signal
import sys
import time

import answers
import changing_files
import hostile
import lifetime
import load
import reports
import runs
from checking import check, checks, serving, wait_for

TESTS = [f for module in (hostile, answers, changing_files, load, lifetime, reports, runs)
         for name, f in vars(module).items() if name.startswith("test_")]


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # under nohup the signal is ignored, also in children
    wanted = [t for t in TESTS if not sys.argv[2:] or any(w in t.__name__ for w in sys.argv[2:])]
    with serving(".") as shared:
        check(True, "begins")
        before = None
        for test in wanted:
            begin = time.monotonic()
            try:
                test(shared)
            except Exception as wrong:  # pylint: disable=broad-except
                check(False, f"{test.__name__}: {type(wrong).__name__}: {wrong}")
            if time.monotonic() - begin > 5:
                print(f"{test.__name__}: {time.monotonic() - begin:.0f} s", flush=True)
            if before is None:
                before = shared.descriptors()
        check(shared.process.poll() is None, "it still runs")
        check(wait_for(lambda: shared.descriptors() <= before + 2), f"descriptors: {before} at first, {shared.descriptors()} now")
    print(f"{checks['passed']} passed, {checks['failed']} failed")
    return 1 if checks["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())

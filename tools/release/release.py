#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes everything that is shipped, in dist/: what `make release` runs, after tools/setup.sh release. Nothing is
uploaded."""
import os
import shutil
import sys
import time

from common import ARCHES, DIST, ROOT, run

STEPS = ([["program.py", arch] for arch in ARCHES] + [["wheel.py", arch] for arch in ARCHES]
         + [["sdist.py"], ["deb.py"], ["docs.py"], ["sbom.py"], ["sums.py"], ["check.py"]])


def main():
    shutil.rmtree(DIST, ignore_errors=True)
    os.makedirs(DIST)
    for step in STEPS:
        start = time.monotonic()
        said = run(sys.executable, os.path.join(ROOT, "tools", "release", step[0]), *step[1:]).strip()
        print(f"{said}\nrelease: {' '.join(step)} took {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()

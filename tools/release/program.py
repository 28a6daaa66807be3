#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the static program of an architecture into dist/: tools/release/program.py x86_64|aarch64"""
import os
import shutil
import sys

from common import ARCHES, DIST, fail, reproducible, run, version
from mesonbuild import build


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in ARCHES:
        sys.exit(f"usage: program.py {'|'.join(ARCHES)}")
    reproducible()
    run("tools/page.sh")
    if not os.path.exists("web/dist/index.html"):
        fail("the page was not built: see tools/page.sh")
    folder = build(f"{sys.argv[1]}-linux-musl")
    os.makedirs(DIST, exist_ok=True)
    path = os.path.join(DIST, f"tfprof-{version()}-linux-{sys.argv[1]}")
    shutil.copyfile(os.path.join(folder, "tfprof"), path)
    os.chmod(path, 0o755)
    print(path)


if __name__ == "__main__":
    main()

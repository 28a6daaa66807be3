#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs the docs site into dist/: tools/release/docs.py (after program.py x86_64: its program prints the reference
pages)"""
import os
import shutil

from common import CACHE, DIST, ROOT, fail, reproducible, run, version, write_tar_gz


def entries(folder, top):
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as f:
                yield os.path.join(top, os.path.relpath(path, folder)), f.read(), 0o644


def main():
    reproducible()
    program = os.path.join(DIST, f"tfprof-{version()}-linux-x86_64")
    if not os.path.exists(program):
        fail(f"{program} is missing: run tools/release/program.py x86_64 first")
    folder = os.path.join(CACHE, "build", "site")
    shutil.rmtree(folder, ignore_errors=True)
    run("python3", os.path.join(ROOT, "tools", "docs.py"), "--program", program, folder)
    path = os.path.join(DIST, f"tfprof-{version()}-docs.tar.gz")
    write_tar_gz(path, list(entries(folder, f"tfprof-{version()}-docs")))
    print(path)


if __name__ == "__main__":
    main()

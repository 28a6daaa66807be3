#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs the source distribution into dist/: every file of the commit, the page as it was built (who builds from it
needs no node), NOTICE, and PKG-INFO for pip: tools/release/sdist.py"""
import os
import subprocess
import sys

from common import DIST, ROOT, enter_venv, fail, reproducible, run, version, write_tar_gz


def listed():
    """The files that git tracks; in an unpacked source distribution, all files that are not made by a
    build."""
    if os.path.exists(os.path.join(ROOT, ".git")):
        said = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
        return [name for name in os.fsdecode(said).split("\0") if name and os.path.lexists(os.path.join(ROOT, name))]
    found = []
    for top, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith((".cache", ".venv", "build")) and f not in ("dist", "node_modules", "__pycache__")]
        found += [os.path.relpath(os.path.join(top, name), ROOT) for name in names]
    return [name for name in found if name != "PKG-INFO"]


def page():
    folder = os.path.join(ROOT, "web", "dist")
    if not os.path.exists(os.path.join(folder, "index.html")):
        fail("the page was not built: see tools/page.sh")
    return [os.path.join("web", "dist", name) for name in os.listdir(folder)]


def entries():
    import wheel
    top = f"tfprof-{version()}"
    yield f"{top}/PKG-INFO", wheel.metadata()[0], 0o644
    for name in sorted({*listed(), *page(), "NOTICE"}):
        path = os.path.join(ROOT, name)
        if os.path.islink(path):
            yield f"{top}/{name}", os.readlink(path), None
            continue
        with open(path, "rb") as f:
            yield f"{top}/{name}", f.read(), 0o755 if os.stat(path).st_mode & 0o100 else 0o644


def main():
    reproducible()
    run("tools/page.sh")
    os.makedirs(DIST, exist_ok=True)
    path = os.path.join(DIST, f"tfprof-{version()}.tar.gz")
    write_tar_gz(path, list(entries()))
    print(path)


if __name__ == "__main__":
    enter_venv()
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/links.py [BUILD]: checks on the object files of a build that no link points up, between rooms and inside them: every symbol that
a folder of src/ uses from another is defined in one that src/meson.build lists before it. Includes alone cannot show a declaration without a
header, or a header of a lower room whose function an upper one defines."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


# Links inside rooms that still point up.
KNOWN = [
    "flops/rules/math/control.c flops/engine/instances.c",
    "flops/rules/rules.c flops/fold/fold.c",
    "formats/files/folder.c formats/xplane/folder.c",
    "live/jobs/top.c live/run/run.c",
    "live/python/find.c live/attach/method.c",
    "views/core/report.c views/tree/calls.c",
    "views/core/report.c views/tree/code.c",
    "views/core/report.c views/tree/code_trace.c",
    "views/spans/coverage.c views/tree/calls.c",
    "views/spans/coverage.c views/tree/scope.c",
    "views/timeline/lanes.c views/files/build.c",
    "views/timeline/sums.c views/files/build.c",
]


def objects(build):
    """(level, name of the source, object file) of every source of the library; the files of src/ itself are on top."""
    with open(os.path.join(ROOT, "src", "meson.build"), encoding="utf-8") as f:
        text = f.read()
    rooms = re.findall(r"^  '([\w/]+)': \[(.*?)\]", text, re.M | re.S)
    listed = [(level, room + "/" + name) for level, (room, names) in enumerate(rooms) for name in re.findall(r"'([\w.]+)'", names)]
    top = re.search(r"^sources = files\((.*?)\)", text, re.M | re.S)
    listed += [(len(rooms), name) for name in re.findall(r"'([\w.]+)'", top.group(1))]
    folders = glob.glob(os.path.join(build, "src", "libtfprof.*.p"))
    for level, name in listed:
        for path in (os.path.join(folder, name.replace("/", "_") + ".o") for folder in folders):
            if os.path.exists(path):
                yield level, name, path
                break


def symbols(path):
    defined, used = set(), set()
    for line in subprocess.run(["nm", "-g", path], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines():
        kind, name = line.split()[-2:]
        (used if kind in "Uw" else defined).add(name)
    return defined, used


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build")
    files = [(level, name) + symbols(path) for level, name, path in objects(build)]
    if not files:
        print("lint: links: no build in %s: links were not looked at" % build)
        return 0
    home = {symbol: (level, name) for level, name, defined, _ in files for symbol in defined}
    up = sorted({(name, home[symbol][1]) for level, name, _, used in files for symbol in used if symbol in home and home[symbol][0] > level})
    known = set(KNOWN)
    wrong = ["src/%s uses src/%s" % link for link in up if "%s %s" % link not in known]
    wrong += ["tools/links.py allows %s, which no longer stands there" % link for link in sorted(known - {"%s %s" % link for link in up})]
    for line in wrong:
        print("lint: links: " + line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

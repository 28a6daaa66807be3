#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/links.py [BUILD]: checks on the object files of a build that no link points up, between rooms and inside them:
every symbol that a folder of src/ uses from another is defined in one that src/meson.build lists before it. Includes
alone cannot show a declaration without a header, or a header of a lower room whose function an upper one defines."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


# Links inside rooms that still point up.
KNOWN = []
# Limits for cycles of object files inside folders: their number, and the files in one.
RINGS, RING_FILES = 8, 4


def objects(build):
    """(level, name of the source, object file) of every source of the library; the files directly in src/ are at the
    top."""
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


def circles(graph):
    """The strongly connected components of more than one file (Tarjan), with an explicit stack of
    iterators."""
    number, low, open_ones, found = {}, {}, [], []
    for root in graph:
        if root in number:
            continue
        work = [(root, iter(sorted(graph[root])))]
        number[root] = low[root] = len(number)
        open_ones.append(root)
        while work:
            name, others = work[-1]
            other = next(others, None)
            if other is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == number[name]:
                    part = open_ones[open_ones.index(name):]
                    del open_ones[open_ones.index(name):]
                    if len(part) > 1:
                        found.append(sorted(part))
            elif other not in number:
                number[other] = low[other] = len(number)
                open_ones.append(other)
                work.append((other, iter(sorted(graph[other]))))
            elif other in open_ones:
                low[name] = min(low[name], number[other])
    return sorted(found)


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
    graph = {name: {home[symbol][1] for symbol in used if symbol in home} - {name} for _, name, _, used in files}
    rings = circles(graph)
    biggest = max((len(ring) for ring in rings), default=0)
    if len(rings) > RINGS or biggest > RING_FILES:
        wrong += ["a circle of %d files: %s" % (len(ring), " ".join(ring)) for ring in rings if len(rings) > RINGS or len(ring) > RING_FILES]
    print("links: %d up, %d circles of object files, the biggest of %d files" % (len(up), len(rings), biggest))
    for line in wrong:
        print("lint: links: " + line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes point only downward, in the order of the folders in src/meson.build, between rooms and inside
them; cli/ and python/ see the public headers alone."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


# Limits: the longest chain of includes, and the number of sources that a change of any header in these
# rooms may rebuild.
CHAIN, AGAIN = 10, {"model/": 180, "views/core/": 135}
# Headers with limits of their own: above the general limit are the names of types, the functions that every reader of a
# profile calls (neither has a struct), spans and their kinds, tables, and the report as most files see it; below it is the
# header that lists the parts of a report.
OWN = {"model/tables/types.h": 478, "model/tables/read.h": 305, "model/tables/span_kinds.h": 233, "model/tables/spans.h": 180,
       "model/tables/lanes.h": 180, "views/core/handle.h": 202, "views/core/grid.h": 142, "views/core/report.h": 63}
# Which other folders a program's folder may use.
BESIDE = {"cli": ("server", "mcp"), "mcp": ("server",)}
# Includes inside rooms that still point up.
KNOWN = []


def rooms():
    """The folders of src/, including those inside rooms, bottom to top."""
    with open(os.path.join(ROOT, "src", "meson.build"), encoding="utf-8") as f:
        return list(dict.fromkeys(re.findall(r"^  '([\w/]+)': \[", f.read(), re.M)))


def sources(order):
    """(path, its folder), relative to src/; a folder without listed sources, such as live/agent, has no place in the
    order."""
    top = os.path.join(ROOT, "src")
    for folder, _, names in sorted(os.walk(top)):
        room = os.path.relpath(folder, top)
        if room in order:
            for name in sorted(names):
                yield room + "/" + name, room


def includes(path):
    with open(path, encoding="utf-8") as f:
        return re.findall(r'^#include "([^"]+)"', f.read(), re.M)


def include_graph():
    """The sources of src/ by path, each with the files of src/ that it includes."""
    top, graph = os.path.join(ROOT, "src"), {}
    for folder, _, names in os.walk(top):
        for name in names:
            if name.endswith((".c", ".h", ".cc", ".def")):
                path = os.path.relpath(os.path.join(folder, name), top)
                graph[path] = [t for t in includes(os.path.join(top, path)) if os.path.exists(os.path.join(top, t))]
    return graph


def measure():
    """Prints the longest chain of includes, and how many sources the change of a header rebuilds; returns what exceeds
    a limit."""
    graph, length, whole = include_graph(), {}, {}

    def visit(path):
        if path not in length:
            length[path] = 1 + max((visit(t) for t in graph[path]), default=0)
            whole[path] = set().union(*({t} | whole[t] for t in graph[path]))
        return length[path]
    longest = max(visit(path) for path in graph)
    again = {path: sum(path in whole[source] for source in graph if source.endswith((".c", ".cc"))) for path in graph if path.endswith(".h")}
    wrong = ["a chain of %d includes, more than %d" % (longest, CHAIN)] * (longest > CHAIN)
    print("rooms: the longest chain of includes has %d files" % longest)
    for room, most in AGAIN.items():
        all_of = sorted(((path, n) for path, n in again.items() if path.startswith(room)), key=lambda pair: (-pair[1], pair[0]))
        for many, what in ((True, "with limits of their own"), (False, "the others")):
            first = [(path, n) for path, n in all_of if (path in OWN) == many]
            print("rooms: a change builds again, of %s*, %s: %s" % (room, what, ", ".join("%s %d" % (path[len(room):], n) for path, n in first[:5])))
        wrong += ["a change of %s builds %d sources again, more than %d" % (path, n, OWN.get(path, most)) for path, n in all_of
                  if n > OWN.get(path, most)]
    return wrong


def main():
    order, wrong = rooms(), []
    level = {room: number for number, room in enumerate(order)}
    known = set(KNOWN)
    for path, room in sources(order):
        for target in includes(os.path.join(ROOT, "src", path)):
            above = level.get(os.path.dirname(target), 0) > level[room]
            # formats and views both use the model, but never each other
            beside = room.startswith("views/") and target.startswith("formats/")
            bare = "/" not in target and target.endswith(".h")
            if above and not beside and path + " " + target in known:
                known.discard(path + " " + target)
            elif above or beside or bare:
                wrong.append("src/%s includes %s" % (path, target))
    wrong += ["tools/rooms.py allows %s, which no longer stands there" % line for line in sorted(known)]
    for folder in ("cli", "server", "mcp", "python/native"):
        for top, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(names):
                for target in includes(os.path.join(top, name)) if name.endswith((".c", ".h")) else []:
                    near = [top] + [os.path.join(ROOT, place) for place in (folder,) + BESIDE.get(folder, ())]
                    if not target.startswith("tfprof/") and not any(os.path.exists(os.path.join(place, target)) for place in near):
                        wrong.append("%s includes %s" % (os.path.relpath(os.path.join(top, name), ROOT), target))
    wrong += measure()
    for line in wrong:
        print("lint: " + line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

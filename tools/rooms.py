#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes point only downward, in the order of the rooms in src/meson.build; cli/ and python/ see tfprof.h
alone."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


# What a folder may use of another one that is not below it.
BESIDE = {"cli": ("server.h", "report.h", "agent.h", "answer.h", "push.h", "mcp.h"), "mcp": ("answer.h", "confine.h", "folder.h")}


def rooms():
    with open(os.path.join(ROOT, "src", "meson.build"), encoding="utf-8") as f:
        return list(dict.fromkeys(re.findall(r"^  '(\w+)(?:/\w+)?': \[", f.read(), re.M)))


def sources(room):
    top = os.path.join(ROOT, "src", room)
    return sorted(os.path.relpath(os.path.join(folder, name), top) for folder, _, names in os.walk(top) for name in names)


def includes(path):
    with open(path, encoding="utf-8") as f:
        return re.findall(r'^#include "([^"]+)"', f.read(), re.M)


def main():
    order, wrong = rooms(), []
    for number, room in enumerate(order):
        for name in sources(room):  # with the folders of a room, which may use each other
            for target in includes(os.path.join(ROOT, "src", room, name)):
                other = target.split("/")[0]
                above = other in order and order.index(other) > number
                # formats and views both know the model, never each other; views know checkpoints by their header
                beside = room == "views" and other == "formats" and target != "formats/checkpoint.h"
                if above or beside or (other == target and target.endswith(".h") and "/" not in target):
                    wrong.append("src/%s/%s includes %s" % (room, name, target))
    for folder in ("cli", "server", "mcp", "python/native"):
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            for target in includes(os.path.join(ROOT, folder, name)) if name.endswith((".c", ".h")) else []:
                beside = os.path.exists(os.path.join(ROOT, folder, target)) or target in BESIDE.get(folder, ())
                if target != "tfprof/tfprof.h" and not beside:
                    wrong.append("%s/%s includes %s" % (folder, name, target))
    for line in wrong:
        print("lint: " + line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

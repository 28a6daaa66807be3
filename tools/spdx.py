#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every source file states its license in one line: tools/spdx.py; --add writes the line where it is
missing.

The line stands first, below the one that names an interpreter.
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAID = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {".py": "# %s", ".pyi": "# %s", ".sh": "# %s"}
COMMENTS.update({end: "// %s" for end in (".c", ".h", ".cc", ".def", ".ts", ".tsx", ".mjs")})


def sources():
    """(path, the line that it must have)"""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    for name in os.fsdecode(listed).split("\0"):
        comment = COMMENTS.get(os.path.splitext(name)[1])
        path = os.path.join(ROOT, name)
        if comment and os.path.isfile(path) and not os.path.islink(path):
            yield path, comment % SAID


def place_of(lines):
    return 1 if lines and lines[0].startswith("#!") else 0


def main():
    lacks = []
    for path, said in sources():
        with open(path, encoding="utf-8") as f:
            lines = f.read().split("\n")
        at = place_of(lines)
        if lines[at:at + 1] == [said] or lines == [""]:
            continue
        lacks.append(os.path.relpath(path, ROOT))
        if sys.argv[1:] == ["--add"]:
            with open(path, "w", encoding="utf-8") as f:
                f.write("\n".join(lines[:at] + [said] + lines[at:]))
    if lacks and sys.argv[1:] != ["--add"]:
        print("lint: no license line (tools/spdx.py --add writes it): " + " ".join(lacks))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

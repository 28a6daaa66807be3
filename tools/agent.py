#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of src/live/agent as a C source: agent.py OUT FILE...

The program contains them, and writes them to a folder where a job finds them."""
import os
import sys


def literal(data):
    out = []
    for line in data.split(b"\n"):
        text = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else "\\%03o" % b for b in line)
        out.append('    "%s\\n"' % text)
    return "\n".join(out[:-1] if data.endswith(b"\n") else out)


def main(out, files):
    parts = ['/* Made by tools/agent.py of the files in src/live/agent. */\n#include "live/files/run.h"\n\n']
    for path in files:
        name = os.path.splitext(os.path.basename(path))[0]
        with open(path, "rb") as f:
            data = f.read()
        # a string literal has a length limit in C; an array of pieces has none
        pieces = data.split(b"\n")
        blocks = [b"\n".join(pieces[i:i + 40]) + b"\n" for i in range(0, len(pieces), 40)]
        parts.append("const char *const tfp_file_%s[] = {\n%s,\n    NULL };\n" % (name, ",\n".join(literal(b) for b in blocks)))
    with open(out, "w", encoding="utf-8") as f:
        f.write("\n".join(parts))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes C with the files of a built page, gzip'ed: tools/page.py web/dist OUT.c. Without a page an empty list. The
output is left alone when nothing changed, so that nothing is compiled again."""
import gzip
import os
import sys

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".page": "", ".asks": "", ".script": ""}  # used by `tfprof report`; not served


def rows(folder):
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        kind = TYPES.get(os.path.splitext(name)[1])
        if kind is not None:
            with open(os.path.join(folder, name), "rb") as f:
                yield name, kind, gzip.compress(f.read(), 9, mtime=0)


def main():
    folder, path = sys.argv[1:]
    out, table = ['#include "page.h"\n'], []
    for i, (name, kind, data) in enumerate(rows(folder)):
        out.append("static const unsigned char file_%d[] = {" % i)
        out += ["    " + ",".join(map(str, data[at:at + 30])) + "," for at in range(0, len(data), 30)]
        out.append("};")
        fixed = "false" if name == "index.html" else "true"
        table.append('    { "%s", "%s", file_%d, sizeof file_%d, %s },' % (name, kind, i, i, fixed))
    out += ["const page_file page_files[] = {"] + table + ["    { 0 },", "};", ""]
    text = "\n".join(out)
    try:
        with open(path, encoding="ascii") as f:
            if f.read() == text:
                return
    except OSError:
        pass
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a file as bytes in a C source: bytes.py OUT FILE HEADER NAME [--compress]. The array is NAME, its size
NAME_size; --compress stores zlib's bytes, and the size of the file itself is NAME_plain_size. The program contains the
library that CUDA loads into a job, and NOTICE."""
import sys
import zlib


def main(out, path, header, name, *compress):
    with open(path, "rb") as f:
        plain = f.read()
    data = zlib.compress(plain, 9) if compress else plain
    rows = (",".join(map(str, data[i:i + 40])) for i in range(0, len(data), 40))
    with open(out, "w", encoding="utf-8") as f:
        f.write('/* Made by tools/bytes.py. */\n#include "%s"\n\nconst unsigned char %s[] = {\n%s };\n'
                "const size_t %s_size = %d;\n" % (header, name, ",\n".join(rows), name, len(data)))
        if compress:
            f.write("const size_t %s_plain_size = %d;\n" % (name, len(plain)))


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a file as bytes in a C source: bytes.py OUT FILE. The program contains the library that CUDA loads into a job."""
import sys


def main(out, path):
    with open(path, "rb") as f:
        data = f.read()
    rows = (",".join(map(str, data[i:i + 40])) for i in range(0, len(data), 40))
    with open(out, "w", encoding="utf-8") as f:
        f.write('/* Made by tools/bytes.py. */\n#include "live/files/run.h"\n\nconst unsigned char tfp_cuda_library[] = {\n%s };\n'
                "const size_t tfp_cuda_library_size = %d;\n" % (",\n".join(rows), len(data)))


if __name__ == "__main__":
    main(*sys.argv[1:])

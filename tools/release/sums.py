#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes dist/SHA256SUMS over all else in dist/: tools/release/sums.py"""
import hashlib
import os

from common import DIST

NAME = "SHA256SUMS"


def main():
    rows = []
    for name in sorted(os.listdir(DIST)):
        if name != NAME:
            with open(os.path.join(DIST, name), "rb") as f:
                rows.append(f"{hashlib.sha256(f.read()).hexdigest()}  {name}\n")
    with open(os.path.join(DIST, NAME), "w", encoding="utf-8") as f:
        f.writelines(rows)
    print(os.path.join(DIST, NAME))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Inputs of any size that make one table or pass work as hard as it can: each function takes a size and gives the files.

The functions stand in files by what they make (graphs.py, traces.py, saved.py ...), which find wire.py and xspace.py by the path that is set here. KINDS
lists (function, size); a function returns {name: bytes}. The first name is what is opened; a kind may name several
files with the flag that comes before each.
"""
import os
import sys

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")
sys.path += [DATA, os.path.join(DATA, "traces")]

KINDS = []


def kind(size):
    def keep(make):
        KINDS.append((make, size))
        return make
    return keep

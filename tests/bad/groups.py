# SPDX-License-Identifier: Apache-2.0
"""The checks, in groups; each promise of "what bad input must get" has one or more. run.py imports the files that
hold them."""
ALL = []


def group(function):
    ALL.append((function.__name__, function))
    return function

# SPDX-License-Identifier: Apache-2.0
"""The list of check groups; each promise of "what bad input must get" has one or more. run.py imports the files
that define them."""
ALL = []


def group(function):
    ALL.append((function.__name__, function))
    return function

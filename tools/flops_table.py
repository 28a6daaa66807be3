#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the tables of docs/flops.md equal to the program's own: flops_table.py [--check] [PROGRAM]

In: the output of `tfprof help ops`. Out: docs/flops.md with new tables between its two marks, or with --check one line,
"1 passed, 0 failed", that says whether they are the same.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "flops.md")
BEGIN, END = "<!-- made by tools/flops_table.py -->\n", "<!-- end of what is made -->\n"


def listing(program):
    """-> ([(operation, formula, source)], [(title, names)])"""
    text = subprocess.run([program, "help", "ops"], stdout=subprocess.PIPE, check=True).stdout.decode()
    rows, groups = [], []
    for line in text.splitlines():
        title = re.match(r"  (\S.*):$", line)
        if title:
            groups.append((title[1], []))
        elif groups:
            groups[-1][1].extend(line.split())
        elif re.match(r" {26}\S", line) and rows:
            rows[-1] += " " + line.strip()
        elif line.startswith("  "):
            rows.append(line.strip())
    split = []
    for row in rows:
        name, rest = row.split(None, 1)
        formula, source = rest.split(" -- ", 1)
        split.append((name, formula, source))
    return split, groups


def cell(text):
    return re.sub(r"([|*_<>])", r"\\\1", text)


def tables(program):
    rows, groups = listing(program)
    same = {}
    for name, formula, source in rows:
        same.setdefault((formula, source), []).append(name)
    lines = ["| operations | float operations | source |\n", "| --- | --- | --- |\n"]
    for (formula, source), names in same.items():
        lines.append("| %s | %s | %s |\n" % (", ".join("`%s`" % n for n in names), cell(formula), cell(source)))
    for title, names in groups:
        lines.append("\n%s:\n%s.\n" % (title, ", ".join("`%s`" % n for n in names)))
    return "".join(lines)


def main(words):
    check = "--check" in words
    words = [w for w in words if w != "--check"]
    program = words[0] if words else os.path.join(ROOT, "build", "tfprof")
    with open(PAGE, encoding="utf-8") as f:
        page = f.read()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    made = before + BEGIN + tables(program) + END + after
    if check:
        same = made == page
        print("%d passed, %d failed" % (same, not same))
        if not same:
            print("docs/flops.md: its tables are not those of the program; tools/flops_table.py makes them")
        return 0 if same else 1
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

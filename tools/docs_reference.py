#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the reference pages of the docs site from the program's tables: docs_reference.py PROGRAM OUT

In: what `tfprof help` and the SQL table `columns` print. Out: OUT/commands.md, options.md ... They are not kept in the
repository: they are made with each site, so they cannot go stale."""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TRACE = os.path.join(ROOT, "tests", "data", "sample", "traces", "kineto.json")

LISTS = [  # page, title, the topic of `tfprof help`, the introduction of the page
    ("options", "Options", "options", "Options of views and other commands: `-opt value`, `--opt value` or `-opt=value`. `tfprof help NAME` says more of one."),
    ("columns", "Columns", "columns", "Columns of the four views (`-select`), and where their numbers come from."),
    ("orders", "Orders", "orders", "By what rows are ordered (`-order_by`). Tables take the names of their columns, too."),
    ("inputs", "Input formats", "formats", "What tfprof reads. Files are recognised by their content; [formats](../formats.md) has the details."),
    ("outputs", "Outputs", "outputs", "How a report is written: `-format NAME`, or `-output NAME:outfile=FILE`."),
    ("checkers", "Checkers", "checkers", "What `tfprof advise` looks for; `-checkers` names some, `-rule_limits` sets their limits."),
    ("notes", "Codes of notes", "notes", "The codes of notes: a code keeps its meaning while the note's words change. `coverage` and `attributed` put no number in doubt."),
    ("status", "Exit status", "status", "With which status tfprof ends."),
]


def told(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, NO_COLOR="1", TERM="dumb", LC_ALL="C.UTF-8"))
    return done.stdout


def entries(text):
    """(section, name, help) from a list of `tfprof help`: a name is indented by two columns, its help is
    beside it or below."""
    section = name = None
    found = []
    for line in text.split("\n"):
        if re.match(r"\S", line):
            section, name = re.sub(r" \(.*", "", line), None
            if not line[0].isupper():  # an option with that name is explained after the list
                break
        elif head := re.match(r"  (\S+)(?: +(.*))?$", line):
            name = head[1]
            found.append((section, name, [head[2]] if head[2] else []))
        elif name and line.strip():
            found[-1][2].append(line.strip())
    return [(section, name, " ".join(parts)) for section, name, parts in found]


def cell(text):
    """A cell of a Markdown table: characters that could be taken as markup are escaped, except in
    code."""
    parts = re.split(r"(`[^`]*`)", text.replace("|", "\\|"))
    return "".join(p if p.startswith("`") else re.sub(r"([<>*_\[\]])", r"\\\1", p) for p in parts)


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def list_page(program, title, topic, intro):
    parts, last = [f"# {title}\n", intro + "\n"], None
    rows = []
    for section, name, text in entries(told(program, "help", topic)) + [("", None, "")]:
        if section != last and rows:
            parts.append(table(["name", "meaning"], rows))
            rows = []
        last = section
        if name:
            rows.append([f"`{name}`", cell(text)])
    return "\n".join(parts)


def commands_page(program):
    parts, last = ["# Commands\n", "`tfprof COMMAND --help` prints the same, with all options that the command takes.\n"], None
    for section, name, _ in entries(told(program, "help", "commands")):
        if section != last:
            parts.append(f"## {section}\n")
        last = section
        parts += [f"### {name}\n", "```text", told(program, "help", name).strip("\n"), "```\n"]
    return "\n".join(parts)


def operations_page(program):
    """The formulas of `tfprof help ops`: one row for the operations of one formula; then lists of those that count 0 or have none."""
    rows, groups, same = [], [], {}
    for line in told(program, "help", "ops").splitlines():
        if title := re.match(r"  (\S.*):$", line):
            groups.append((title[1], []))
        elif groups:
            groups[-1][1].extend(line.split())
        elif re.match(r" {26}\S", line) and rows:
            rows[-1] += " " + line.strip()
        elif line.startswith("  "):
            rows.append(line.strip())
    for row in rows:
        name, rest = row.split(None, 1)
        same.setdefault(tuple(rest.split(" -- ", 1)), []).append(f"`{name}`")
    parts = ["# Operations\n", "Float operations of TensorFlow's operations, as `tfprof help ops` lists them; n(x) is the number of elements of x, in0 the first "
             "input, out the first output. [flops](../flops.md) says what is counted.\n",
             table(["operations", "float operations", "source"], [[", ".join(names), cell(formula), cell(source)] for (formula, source), names in same.items()])]
    return "\n".join(parts + [f"{title}:\n" + ", ".join(f"`{n}`" for n in names) + ".\n" for title, names in groups])


def tables_page(program):
    rows = [json.loads(line) for line in told(program, "query", "SELECT * FROM columns", TRACE, "-format", "jsonl").splitlines()[1:]]
    parts = ["# SQL tables\n", "The tables of `tfprof query`, as `SELECT * FROM columns` lists them. [query](../query.md) has examples.\n"]
    for name in dict.fromkeys(row["table_name"] for row in rows):
        parts += [f"## {name}\n", table(["column", "type", "meaning"], [[f"`{r['name']}`", r["type"], cell(r["help"] or "")] for r in rows if r["table_name"] == name])]
    return "\n".join(parts)


def headers_page():
    """A page for the public headers, which are their own manual, in the order of tfprof.h."""
    folder = os.path.join(ROOT, "include", "tfprof")

    def read(name):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            return f.read()
    names = ["tfprof.h", *re.findall(r'#include "tfprof/(\w+\.h)"', read("tfprof.h"))]
    parts = ["# C\n", "The library's functions, as its headers describe them. `#include <tfprof/tfprof.h>` includes the others.\n"]
    for name in names:
        parts += [f"## {name}\n", "```c", read(name).strip("\n"), "```\n"]
    return "\n".join(parts)


def write(program, folder):
    """Returns the pages: (file, title)."""
    os.makedirs(folder, exist_ok=True)
    pages = [("commands.md", "Commands", commands_page(program)), ("tables.md", "SQL tables", tables_page(program)),
             ("operations.md", "Operations", operations_page(program)),
             ("c.md", "C", headers_page())]
    pages[1:1] = [(f"{page}.md", title, list_page(program, title, topic, intro)) for page, title, topic, intro in LISTS]
    for name, _, text in pages:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    return [(name, title) for name, title, _ in pages]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    write(os.path.abspath(sys.argv[1]), sys.argv[2])

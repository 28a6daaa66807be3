#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real outputs checked against the schemas of `tfprof help schema`, and the skill file of `tfprof help agents`: run.py PROGRAM"""
import json
import os
import re
import shlex
import subprocess
import sys

import others
from validating import Counts, Schemas

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "sample")
PROGRAM = os.path.abspath(sys.argv[1])
COUNTS, SCHEMAS = Counts(), Schemas(PROGRAM)
check = COUNTS.check


def ask(*words):
    return subprocess.run([PROGRAM, *words], cwd=SAMPLE, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


FILES = ["pytorch/train.json.gz", "towers/profile_9.gz", "dense/graph.pb", "recorded/jax.xplane.pb.gz", "pprof/go_cpu.pb.gz", "gpu/profile_1.gz",
         "tutorials/clusters/run", "resnet32"]
# these need more arguments than a file
OTHERS = ("diff", "gate", "stats", "query", "top", "stacks", "capture", "index", "trend", "serve", "report", "mcp")
MORE = [["diff", "dense/profile_3.gz@0", "dense/profile_3.gz@3"], ["stats", "towers/profile_9.gz", "-view", "op"], ["top", "--once"],
        ["query", "SELECT name, count(*) AS n, NULL AS x FROM nodes GROUP BY name", "dense/graph.pb"],
        ["diff", "--gate", "5%", "--base", "towers/profile_9.gz", "--new", "towers/profile_9.gz"],
        ["gate", "calibrate", "towers/profile_9.gz", "towers/profile_9.gz"],
        ["scope", "pytorch/train.json.gz", "-select", "params,flops_per_second,intensity,coverage,macs,bytes_moved"],
        ["scope", "dense/graph.pb", "-select", "input_shapes,tensor_value"],
        ["op", "towers/profile_9.gz", "-select", "median_micros,p95_micros,max_micros,mean_micros,macs"],
        ["scope", "dense/profile_3.gz", "-compat", "1.0"], ["hang", "jobs/hang"], ["whatif", "pytorch/train.json.gz", "-faster", "aten::mm=2"],
        ["diff", "--base", "towers/profile_9.gz", "--new", "towers/profile_9.gz", "--gate", "5%", "--node_names", ".*"], ["memory", "pytorch/train.json.gz", "-by", "line"]]


def has_told(*words):
    """The output of a command with -format json, or None if the file has no such data."""
    done = ask(*words, "-format", "json")
    if done.stdout.startswith("{"):
        return json.loads(done.stdout)
    check(f"{words}: no output after a failure", done.returncode and not done.stdout, done.stdout)
    return None


def lines(words, value):
    """The same as JSON lines: a first line, then one for each row."""
    told = [json.loads(line) for line in ask(*words, "-format", "jsonl").stdout.splitlines()]
    kind = "table" if value["schema"] == "tfprof.table" else "report"
    first, rest = ("advise", "") if "checkers" in value else (kind + "_head", "table_row" if kind == "table" else "report_line")
    for i, line in enumerate(told):
        f = SCHEMAS.fault(line, rest if i else first) or (SCHEMAS.fault(line, "jsonl") if i < 20 else None)
        check(f"{' '.join(words)}, line {i + 1}", f is None, f)
    check(f"{' '.join(words)}: a line a row", kind == "report" or len(told) in (1, 1 + len(value["rows"])) or words[0] == "top", len(told))


def outputs(views):
    seen = set()
    for words in [[v, f] for v in views for f in FILES if os.path.exists(os.path.join(SAMPLE, f))] + MORE:
        value = has_told(*words)
        if value is None:
            continue
        for name in ([], [words[0]]):
            f = SCHEMAS.fault(value, *name)
            check(" ".join(words), f is None, f)
        if words[0] not in seen or words in MORE:
            lines(words, value)
        seen.add(words[0])
    check("nearly every view was seen", len(set(views) - seen) <= 4, sorted(set(views) - seen))


def wrong():
    """The schemas refuse values that do not match."""
    good = json.loads(ask("steps", FILES[0], "-format", "json").stdout)
    for change in ({"view": "op"}, {"version": 2}, {"rows": [{"x": []}]}, {"columns": [{"name": "x"}]}):
        check(f"refused: {change}", SCHEMAS.fault(dict(good, **change), "steps"))
    for words in (["nothing"], ["convert"], ["http_"], ["$defs"]):
        done = ask("help", "schema", *words)
        check(f"no schema of {words}", done.returncode == 2 and not done.stdout and done.stderr.count("\n") == 1, done.stderr)


def skill():
    text = ask("help", "agents").stdout
    head = re.match(r"---\nname: (\S+)\ndescription: (.+)\n---\n", text)
    check("front matter", head and head[1] == "tfprof" and len(head[2]) < 1024, text[:200])
    check("at most 200 lines", text.count("\n") <= 200)
    commands = re.findall(r"`(tfprof [a-z]+ [^`]+)`", text) + re.findall(r"^    (tfprof .+)$", text, re.M)
    for line in commands:
        done = ask(*shlex.split(line)[1:], "--help") if " help " not in line else ask(*[w for w in shlex.split(line)[1:] if not w.isupper()])
        check(line, done.returncode == 0 and done.stdout, done.stderr)
    check("commands were found", len(commands) > 25, len(commands))


def main():
    views = re.findall(r"^  ([a-z_]+)", ask("help", "commands").stdout, re.M)
    views = [v for v in views if ask("help", "schema", v).returncode == 0 and v not in OTHERS]
    check("views", len(views) > 15, views)
    outputs(views)
    others.check_all(PROGRAM, SAMPLE, SCHEMAS, check)
    wrong()
    skill()
    print(f"{COUNTS.passed} passed, {COUNTS.failed} failed")
    sys.exit(COUNTS.failed > 0)


if __name__ == "__main__":
    main()

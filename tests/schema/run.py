#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real outputs against the schemas of `tfprof help schema`, and the skill file of `tfprof help agents`: run.py PROGRAM"""
import json
import os
import re
import shlex
import subprocess
import sys

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "sample")
PROGRAM = os.path.abspath(sys.argv[1])
passed = failed = 0
KNOWN = {"$schema", "$id", "title", "description", "$defs", "$ref", "oneOf", "type", "const", "enum", "required", "properties",
         "additionalProperties", "items"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def check(name, ok, what=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"{name}: {str(what)[-600:]}", flush=True)


def is_type(value, name):
    if name in ("number", "integer"):
        return not isinstance(value, bool) and isinstance(value, (int, float) if name == "number" else int)
    return isinstance(value, TYPES[name])


def fault(value, schema, whole, at="$"):
    """Where a value breaks a schema, or None: the part of JSON Schema that ours use."""
    if set(schema) - KNOWN:
        return f"{at}: this checker knows no {set(schema) - KNOWN}"
    if "$ref" in schema and (f := fault(value, whole["$defs"][schema["$ref"].rsplit("/", 1)[1]], whole, at)):
        return f
    if "oneOf" in schema and (n := sum(fault(value, s, whole, at) is None for s in schema["oneOf"])) != 1:
        return f"{at}: fits {n} of oneOf"
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        return f"{at}: {value!r} is not {schema.get('const', schema.get('enum'))!r}"
    types = schema.get("type", [])
    if types and not any(is_type(value, t) for t in ([types] if isinstance(types, str) else types)):
        return f"{at}: {value!r} is not {types}"
    if isinstance(value, dict):
        return fault_of_object(value, schema, whole, at)
    if isinstance(value, list) and "items" in schema:
        return next((f for i, x in enumerate(value) if (f := fault(x, schema["items"], whole, f"{at}[{i}]"))), None)
    return None


def fault_of_object(value, schema, whole, at):
    if missing := set(schema.get("required", [])) - set(value):
        return f"{at}: lacks {missing}"
    known = schema.get("properties", {})
    for key, x in value.items():
        part = known.get(key, schema.get("additionalProperties", True))
        if part is False:
            return f"{at}: {key!r} is not in the schema"
        if part is not True and (f := fault(x, part, whole, f"{at}.{key}")):
            return f
    return None


def ask(*words):
    return subprocess.run([PROGRAM, *words], cwd=SAMPLE, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def schema(*words):
    return json.loads(ask("help", "schema", *words).stdout)


FILES = ["pytorch/train.json.gz", "towers/profile_9.gz", "dense/graph.pb", "recorded/jax.xplane.pb.gz", "pprof/go_cpu.pb.gz", "gpu/profile_1.gz",
         "tutorials/clusters/run", "resnet32"]
MORE = [["diff", "dense/profile_3.gz@0", "dense/profile_3.gz@3"], ["stats", "towers/profile_9.gz", "-view", "op"], ["top", "--once"],
        ["query", "SELECT name, count(*) AS n, NULL AS x FROM nodes GROUP BY name", "dense/graph.pb"],
        ["diff", "--gate", "5%", "--base", "towers/profile_9.gz", "--new", "towers/profile_9.gz"],
        ["scope", "pytorch/train.json.gz", "-select", "params,flops_per_second,intensity,coverage,macs,bytes_moved"],
        ["scope", "dense/graph.pb", "-select", "input_shapes,tensor_value"], ["memory", "pytorch/train.json.gz", "-by", "line"]]


def outputs(views):
    whole, seen = schema(), set()
    for words in [[v, f] for v in views for f in FILES if os.path.exists(os.path.join(SAMPLE, f))] + MORE:
        done = ask(*words, "-format", "json")
        if not done.stdout.startswith("{"):  # the file has nothing of the kind
            check(f"{words}: no output after a failure", done.returncode and not done.stdout, done.stdout)
            continue
        value = json.loads(done.stdout)
        seen.add(words[0])
        for told in (whole, schema(words[0])):
            f = fault(value, told, told)
            check(" ".join(words), f is None, f)
    check("nearly every view was seen", len(set(views) - seen) <= 4, sorted(set(views) - seen))


def wrong():
    """The schemas refuse what is not theirs."""
    told = schema("steps")
    good = json.loads(ask("steps", FILES[0], "-format", "json").stdout)
    for change in ({"view": "op"}, {"version": 2}, {"rows": [{"x": []}]}, {"columns": [{"name": "x"}]}):
        check(f"refused: {change}", fault(dict(good, **change), told, told))
    for words in (["serve"], ["nothing"], ["mcp"]):
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
    views = [v for v in views if ask("help", "schema", v).returncode == 0 and v not in ("diff", "stats", "query", "top")]
    check("views", len(views) > 15, views)
    outputs(views)
    wrong()
    skill()
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

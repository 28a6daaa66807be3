# SPDX-License-Identifier: Apache-2.0
"""The checks, in groups; each promise of "what bad input must get" has one or more."""
import csv
import gzip
import io
import json
import os
import random
import stat
import struct
import subprocess
import threading
import time
import zlib

from harness import SAMPLE

import wire

SMALL = ("odd/profile_5", "odd/graph.pb", "odd/graph.pbtxt", "odd/run_meta_0", "odd/tfprof_log", "dense/run_meta_3",
         "dense/ckpt_v2/model.ckpt-3.index", "functions/saved_model/saved_model.pb")
VIEWS = ("scope", "graph", "op", "code", "advise")
ALL = []


def group(function):
    ALL.append((function.__name__, function))
    return function


# ---- making inputs ----

def text(number, value):
    return wire.bytes_field(number, value)


def node(name, op="NoOp", inputs=(), attrs=b""):
    """A field of GraphDef."""
    return text(1, text(1, name) + text(2, op) + b"".join(text(3, i) for i in inputs) + attrs)


def shape_attr(dims):
    shape = b"".join(text(2, wire.number_field(1, d)) for d in dims)
    return text(5, text(1, "shape") + text(2, text(7, shape)))


def execution(name, start=1000, duration=5, extra=b""):
    """A NodeExecStats; all_start, op_end and all_end are told."""
    return text(1, name) + b"".join(wire.number_field(n, v) for n, v in ((2, start), (4, duration), (5, duration))) + extra


def run_meta(*executions, device="/job:localhost/replica:0/task:0/device:CPU:0"):
    return text(1, text(1, text(1, device) + b"".join(text(2, e) for e in executions)))


CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
GRAPH = node("x", "Placeholder", (), shape_attr([2, 3])) + node("a/mul", "MatMul", ["x"]) + node("a/b", "Add", ["a/mul"])


def sample_path(name):
    return os.path.join(SAMPLE, name)


# ---- inputs that are none ----

@group
def foreign(b):
    """Files of other kinds, under every flag, by content, and at the prompt's start."""
    rng = random.Random(1)
    kinds = {
        "empty": b"", "zero": b"\0", "zeros": b"\0" * 5000, "newline": b"\n", "blanks": b" \n\t\n",
        "png": b"\x89PNG\r\n\x1a\n" + bytes(200), "elf": open("/bin/true", "rb").read(3000), "zip": b"PK\3\4" + bytes(300),
        "json": b'{"name": [1, 2]}', "html": b"<!DOCTYPE html><html></html>", "script": b"#!/bin/sh\nexit 0\n",
        "prose": b"This is a letter.\nIt is not a profile.\n", "csv": b"a,b\n1,2\n", "xml": b"<?xml version='1.0'?><a/>",
        "random": bytes(rng.randrange(256) for _ in range(3000)), "ones": b"\xff" * 300, "gzip of nothing": gzip.compress(b""),
        "gzip of prose": gzip.compress(b"This is a letter.\n" * 30), "half gzip": gzip.compress(b"x" * 5000)[:30],
        "utf-16": "node { }".encode("utf-16"), "tar": b"name" + bytes(508) + b"ustar", "pickle": b"\x80\x04\x95" + bytes(50),
        "pdf": b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "sqlite": b"SQLite format 3\0" + bytes(100),
    }
    for kind, content in kinds.items():
        path = b.file(content, "foreign " + kind)
        for flag in ("profile", "graph", "run_meta", "op_log", "checkpoint"):
            beside = [] if flag in ("profile", "graph") else ["--graph_path", b.file(GRAPH, "g.pb")]
            r = b.run("scope", *beside, "--%s_path" % flag, path)
            if kind in ("newline", "blanks"):  # an empty message, as text
                b.sound("%s as %s" % (kind, flag), r)
            else:
                b.refused("%s as %s" % (kind, flag), r, (1, 4), "foreign")
        b.refused("%s by content" % kind, b.run("scope", path), (1, 4), "foreign")
    for what, path in (("missing", "/nowhere/at/all"), ("folder", b.folder), ("null", "/dev/null")):
        for flag in ("profile", "graph", "run_meta", "op_log", "checkpoint"):
            b.refused("%s as %s" % (what, flag), b.run("scope", "--%s_path" % flag, path), 1, path)
    b.refused("nothing", b.run("scope"), 2, "_path")
    b.refused("one of another format", b.run("scope", "--profile_path", sample_path("odd/graph.pbtxt")), 1, "graph.pbtxt")


@group
def sides(b):
    """What diff cannot compare: foreign and cut texts, deep and wide ones, steps and files that are not there."""
    tree = b"_TFProfRoot (--/5MB)\n  a (1MB/4MB)\n    a/b (3MB/3MB)\n"
    whole = b.file(tree, "whole")
    for kind, content in {"empty": b"", "zeros": bytes(5000), "prose": b"This is a letter.\nIt is not a profile.\n",
                          "random": bytes(random.Random(2).randrange(256) for _ in range(3000)),
                          "control": tree.replace(b"a/b", b"a\1b"), "NUL": tree.replace(b"a/b", b"a\0b"),
                          "packed prose": gzip.compress(b"This is a letter.\n" * 30)}.items():
        path = b.file(content, "side " + kind)
        for words in ((path, whole), (whole, path)):
            b.refused(kind, b.run("diff", *words), (1, 4), "side " + kind)
    packed = b.run("diff", b.file(gzip.compress(tree, mtime=0), "packed"), whole)
    b.check("a packed text", packed.status != 0 and "status %d" % packed.status, packed)
    for size in range(1, len(tree) - 1):
        r = b.run("diff", b.file(tree[:size], "side cut"), whole)
        complete = tree[:size].rstrip(b" ").endswith((b")", b")\n"))
        if complete:
            b.sound("cut to %d" % size, r)
        else:
            b.refused("cut to %d" % size, r, 1, "side cut:%d:" % (tree[:size].count(b"\n") + 1))
    for what, path in {"deep": b"/".join([b"a"] * 1000000), "slashes": b"/" * 3999000}.items():
        path = b.file(b"_TFProfRoot (1MB)\n  " + path + b" (2MB)\n", what)
        b.refused(what, b.run("diff", path, whole), 4, "max_depth")
        b.sound(what, b.run("diff", path, whole, "--max_depth", "3"))
    b.refused("missing", b.run("diff", whole, "/nowhere/at/all"), 1, "/nowhere/at/all")
    os.mkdir(b.path("no files"))
    b.refused("folder", b.run("diff", whole, b.path("no files")), 1, "no files")
    b.refused("step of a text", b.run("diff", whole + "@3", whole), 2, "steps")
    b.refused("step of none", b.run("diff", sample_path("odd/profile_5") + "@77", whole), 2, "77")
    b.refused("huge step", b.run("diff", whole + "@99999999999999999999", whole), 2, "step")
    b.refused("one side", b.run("diff", whole), 2, "two sides")
    b.refused("no side", b.run("diff"), 2, "two sides")


@group
def prefixes(b):
    """Files cut short, through the program; every prefix of every file is tried in memory by damage.c."""
    for name in SMALL:
        data = b.sample(name)
        steps = 12 if b.sanitised else 40
        for size in sorted({len(data) * i // steps for i in range(1, steps)} | {1, 2, len(data) - 1}):
            path = b.file(data[:size], "prefix")
            b.sound("%s cut to %d" % (name, size), b.run("scope", path))
        packed = gzip.compress(data, mtime=0)
        for size in {len(packed) * i // 6 for i in range(1, 6)} | {len(packed) - 1, len(packed) - 8}:
            path = b.file(packed[:size], "prefix.gz")
            b.refused("%s packed and cut to %d" % (name, size), b.run("scope", path), 1, "prefix.gz")
    packed = gzip.compress(b.sample("traces/kineto.json"), mtime=0)  # traces alone are read as far as they go
    for size in range(len(packed) // 3, len(packed), 40):
        b.works("a trace packed and cut to %d" % size, b.run("scope", b.file(packed[:size], "cut.gz")), "_TFProfRoot", warns="cut short")


@group
def mutants(b):
    """Bytes changed at random, through the program with every view."""
    rng = random.Random(7)
    for round_ in range(30 if b.sanitised else 150):
        name = SMALL[round_ % len(SMALL)]
        data = bytearray(b.sample(name))
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
        view = rng.choice(VIEWS[:3])
        b.sound("%s round %d" % (name, round_), b.run(view, b.file(bytes(data), "mutant")))


# ---- flags ----

@group
def usage(b):
    """Wrong words: status 2, and the line names the option and the value."""
    g = b.file(GRAPH, "g.pb")
    for option, value in (("max_depth", "many"), ("max_depth", ""), ("max_depth", "1.5"), ("min_bytes", "1k"),
                          ("min_micros", "99999999999999999999"), ("step", "last"), ("order_by", "weight"),
                          ("select", "micros,weight"), ("account_type_regexes", "(a"), ("start_name_regexes", "a["),
                          ("trim_name_regexes", "*"), ("trim_name_regexes", "(?=x)a"), ("hide_name_regexes", "\\1"),
                          ("account_displayed_op_only", "maybe"), ("output", "paper"), ("output", "file"),
                          ("output", "timeline:"), ("output", "file:outfile="), ("format", "docx"), ("compat", "2.0"),
                          ("hide_name_regexes", "a{1000}{1000}"), ("checkers", "SpellChecker")):
        view = "advise" if option == "checkers" else "scope"
        r = b.run(view, "--graph_path", g, "-" + option, value)
        # a boolean takes the next word only if it is one: the word is then a file
        b.refused("%s=%s" % (option, value), r, *((1, value) if value == "maybe" else (2, option)))
        r = b.run(view, "--graph_path", g, "--%s=%s" % (option.replace("_", "-"), value))
        b.refused("--%s=%s" % (option, value), r, 2)
    for words in (["-frobnicate"], ["--frobnicate", "1"], ["-max_dept", "3"], ["--max_depth"], ["-"], ["--=1"], ["-=="],
                  ["---max_depth", "3"], ["--select"], ["--output"]):
        b.refused(" ".join(words), b.run("scope", "--graph_path", g, *words), (1, 2))
    for words in (["fly"], ["scop"], ["scope", "graph"], ["", "x"], ["help", "flying"]):
        b.refused(" ".join(words), b.run(*words), (1, 2))
    # TensorFlow's answer to a broken show regex is the root alone: it is printed too (docs/differences.md)
    r = b.run("scope", "--graph_path", g, "-show_name_regexes", "(a")
    b.check("a broken show regex", r.status != 2 or len(r.errors) != 1 or r.out.count(b"_TFProfRoot") != 1, r)
    b.refused("profile beside graph", b.run("scope", "--profile_path", sample_path("odd/profile_5"), "--graph_path", g), 2)
    long = "x" * 100000
    for words in (["-max_depth", long], ["-" + long], ["-account_type_regexes", "(" + long], ["-select", long],
                  ["--output", "file:outfile=/" + "y" * 5000], ["-order_by", long], [long]):
        b.refused("a long word for %s" % words[0][:20], b.run("scope", "--graph_path", g, *words), (1, 2, 3))
    b.refused("a long verb", b.run(long), (1, 2))
    b.refused("a long path", b.run("scope", "--graph_path", "/" + "z/" * 3000), 1)
    for odd in ("a\nb", "\x1b[31mred", "tab\t", "\u202eevil", b"\xff\xfe".decode("utf-8", "surrogateescape"), "\x85"):
        b.refused("odd characters in a path", b.run("scope", "--graph_path", "/nowhere/" + odd), 1, "/nowhere/")
        b.refused("odd characters in an option", b.run("scope", "--graph_path", g, "-" + odd), (1, 2))
        b.refused("odd characters in a value", b.run("scope", "--graph_path", g, "-max_depth", odd), 2)
        b.refused("odd characters in a verb", b.run(odd), (1, 2))


@group
def steps(b):
    """A step that is not there."""
    profile = sample_path("odd/profile_5")
    for step in ("7", "1", "9223372036854775807"):
        b.refused("step " + step, b.run("scope", profile, "-step", step), 2, "step " + step, "profile_5", "0 5")
    b.refused("step -2", b.run("scope", profile, "-step", "-2"), 2, "step")
    b.works("step 5", b.run("scope", profile, "-step", "5"), "_TFProfRoot")
    r = b.run("scope", "--graph_path", b.file(GRAPH), "--run_meta_path", b.file(run_meta(execution("x"))), "-step", "3")
    b.refused("step 3 of one run", r, 2, "step 3")


@group
def statistics(b):
    """stats of hostile names, numbers and steps; rewrites that are none, or too much."""
    g = b.file(GRAPH + node("deep/" * 2000 + "end") + node("=1+1") + node(b"new\nline\xff"), "g.pb")
    huge = [execution(n, start=-2 ** 63, duration=2 ** 63 - 1) for n in ("x", "a/mul", "a/b", "=1+1")]
    runs = [b.file(run_meta(*huge), "run_0"), b.file(run_meta(execution("x", duration=-5)), "run_1"), b.file(run_meta(), "run_2")]
    given = ["stats", "--graph_path", g, "--run_meta_path", ",".join(runs), "-max_depth", "100000"]
    for form in ("text", "csv", "json", "jsonl", "md"):
        for view in ("scope", "graph", "op"):
            b.sound("%s of %s" % (form, view), b.run(*given, "-view", view, "-format", form, "-select", "micros,bytes,params,occurrence"))
    for wrong in ("s", "s/a", "s/a/b", "y/a/b/", "s/(/b/", "s/a/\\1/", "s/a/b/gg", "s\na\nb\n", "s/a/\x01/", "s/" + "(" * 5000 + "/b/"):
        b.refused("rewrite %s" % wrong[:20], b.run(*given, "-rewrite", wrong), 2, "rewrite")
    for odd in ("s/.*//", "s/x*/\n/g", "s/^/=/", "s/(.*)/\\1\\1\\1\\1/", "s/[^\\/]/\x7f/g", "s/(a*)*b*/&&/g"):
        b.sound("rewrite %s" % odd, b.run(*given, "-rewrite", odd, "-format", "csv"))
    big = b.file(node("n" * 3000000), "big.pb")
    given = ["stats", "--graph_path", big, "--run_meta_path", b.file(run_meta(execution("n" * 3000000)), "run_3"), "-output", "none"]
    b.refused("a name that becomes too long", b.run(*given, "-rewrite", "s/n/" + "m" * 1000 + "/g"), 4)
    b.sound("a long name", b.run(*given, "-rewrite", "s/n*/m/g"))


@group
def depth(b):
    """-max_depth below 1 works as 1 and says so."""
    g = b.file(GRAPH)
    for value in ("0", "-1", "-2147483648"):
        for view in ("scope", "graph", "op"):
            b.works("%s -max_depth %s" % (view, value), b.run(view, "--graph_path", g, "-max_depth", value),
                    warns="max_depth")
    b.works("deepest", b.run("scope", "--graph_path", g, "-max_depth", "2147483647", "-select", "params"), "a/b")
    b.refused("deeper than 32 bits", b.run("scope", "--graph_path", g, "-max_depth", "2147483648"), 2, "max_depth")


@group
def no_code(b):
    """A code view without traces."""
    b.refused("graph alone", b.run("code", "--graph_path", b.file(GRAPH)), (1, 2), "no code traces")


@group
def regexes(b):
    """Every legal pattern gets its answer in time."""
    name = "a" * 4000 + "b"
    g = b.file(node(name) + node("a/b"))
    for pattern in ("(a+)+$", "(a|aa)+$", "(.*)*x", ".*.*.*.*.*.*.*.*=", "(a?){60}a{60}", "[a-z]*[a-z]*[a-z]*c", "a" * 3000,
                    "(?i)A+B", "\\pL+", "[^a]", "", "^", "$", "\\Qa\\E", "a\\zb"):
        b.sound("pattern %s" % pattern[:20], b.run("scope", "--graph_path", g, "-show_name_regexes", pattern))
    many = ",".join("(x%d|y)+z*" % i for i in range(3000))
    b.works("3,000 patterns", b.run("scope", "--graph_path", g, "-account_type_regexes", many))
    b.refused("lookahead", b.run("scope", "--graph_path", g, "-hide_name_regexes", "(?=a)"), 2, "hide_name_regexes")


# ---- legal and rare ----

@group
def legal(b):
    """What is odd but allowed works."""
    g = b.file(GRAPH)
    for what, graph in (("a self input", node("a", "NoOp", ["a"])), ("a cycle", node("a", "X", ["b"]) + node("b", "X", ["a"])),
                        ("no op", text(1, text(1, "a")) + node("b", "X")), ("an odd name", node("a//b/") + node("/") + node("//")),
                        ("a long name", node("n" * 100000)), ("unknown fields", node("a") + wire.number_field(999, 7) +
                                                             text(1000, "later") + wire.varint(77 << 3 | 1) + b"12345678"),
                        ("an unknown rank", node("a", "Placeholder", (), text(5, text(1, "shape") + text(2, text(7, wire.number_field(3, 1))))))):
        path = b.file(graph)
        for view in ("scope", "graph", "op"):
            b.works("%s, %s" % (what, view), b.run(view, "--graph_path", path, "-max_depth", "50", "-select", "params,op_types,input_shapes"),
                    "_TFProfRoot" if view != "op" else "")
    for form in (b'node { name: "a" op: "b" }', b'node < name: "a" op: "b" >', b"node: { name: 'a'; op: 'b', }",
                 b'node [ { name: "a" }, { name: "b" } ]', b'# only\nnode { name: "a" "b" op: "c" }',
                 b'node { name: "\\141\\x62\\n" op: "x" }\n', b"\xef\xbb\xbfnode { name: 'a' op: 'b' }"[3:]):
        b.works("text %r" % form[:24], b.run("scope", "--graph_path", b.file(form)), "_TFProfRoot")
    b.works("a gzip of two members", b.run("scope", "--graph_path", b.file(gzip.compress(GRAPH[:40]) + gzip.compress(GRAPH[40:]))), "_TFProfRoot")
    negative = run_meta(execution("x", start=-5, duration=7), execution("a/mul", duration=-3))
    r = b.run("scope", "--graph_path", g, "--run_meta_path", b.file(negative))
    b.works("negative times", r, warns="time")


@group
def warnings(b):
    """What had to be dropped or guessed is told once, with the file's name."""
    g = b.file(GRAPH, "whole.pb")
    b.works("nothing odd", b.run("scope", "--graph_path", g, "-select", "params"), quiet=True)
    for what, graph, words in (
            ("dangling input", node("a", "X", ["gone"]), "gone"), ("malformed input a:x", node("a") + node("b", "X", ["a:x"]), "a:x"),
            ("malformed input a:-1", node("a") + node("b", "X", ["a:-1"]), "a:-1"), ("malformed input ^^a", node("a") + node("b", "X", ["^^a"]), "^^a"),
            ("a name twice", node("a") + node("a", "Y"), "a"),
            ("too many parameters", node("v", "VariableV2", (), shape_attr([1 << 62, 1 << 62])), "odd.pb")):
        path = b.file(graph, "odd.pb")
        b.works(what, b.run("scope", "--graph_path", path, "-select", "params"), warns=["odd.pb", words])
    many = b"".join(node("n%d" % i, "X", ["gone%d" % i]) for i in range(5000))
    r = b.run("scope", "--graph_path", b.file(many, "many.pb"), "-select", "params")
    b.works("5,000 dangling inputs", r, warns=["5000"])
    b.check("no flood", len(r.lines) > 5 and "%d lines" % len(r.lines), r)
    huge = (1 << 63) - 1
    for what, run, words in (
            ("metadata of another graph", run_meta(execution("p"), execution("q")), "odd.run"),
            ("times that overflow", run_meta(execution("x", huge, huge), execution("x", 1, huge)), "odd.run"),
            ("negative duration", run_meta(execution("x", 1000, -50)), "odd.run"),
            ("no data", text(1, b""), "odd.run")):
        b.works(what, b.run("scope", "--graph_path", g, "--run_meta_path", b.file(run, "odd.run")), warns=words)
    log = text(1, text(1, "nobody") + wire.number_field(2, 5))
    b.works("a log of another graph", b.run("scope", "--graph_path", g, "--op_log_path", b.file(log, "odd.log")), warns="odd.log")
    floats = text(1, text(1, "x") + wire.number_field(2, huge)) + text(1, text(1, "a/b") + wire.number_field(2, huge))
    b.works("float operations that overflow", b.run("scope", "--graph_path", g, "--op_log_path", b.file(floats, "big.log"),
                                                    "-select", "float_ops", "-account_type_regexes", ".*"), warns=["whole.pb", "too big"])
    key = text(1, wire.number_field(1, 0) + text(2, text(1, "a") + text(2, "NoOp") + wire.number_field(8, 5)))
    b.sound("a key that is not its node's id", b.run("scope", "--profile_path", b.file(key, "key.profile")))


@group
def text_errors(b):
    """Text protos: line and column of what is wrong."""
    for content, place in ((b"node { nmae: 'x' }", "1:12"), (b"node {\n  name: 'a'\n  op: 5\n}", "3:"), (b"node {", "1:"),
                           (b"node { name: 'x }", "1:"), (b"\tnode { }\n\tnope { }", "2:14"), (b"node { name: 'a' } }", "1:"),
                           (b"node { name: 'a\nb' }", "1:"), (b"node { attr { key: 'f' value { i: 1.5 } } }", "1:"),
                           (b"node { name: 'a' }\nnode { name: '\\xZZ' }", "2:"), (b"node { name: \"a\" name: 'b' }", "1:"),
                           (b"node { attr { key: 'k' value { i: 99999999999999999999 } } }", "1:"),
                           (b"node { name: 'a' \x01 }", "1:"), (b"node { name: 'a' } versions { producer: 'x' }", "1:")):
        b.refused("text %r" % content[:30], b.run("scope", "--graph_path", b.file(content, "bad.pbtxt")), 1, "bad.pbtxt:" + place)


@group
def names(b):
    """Names are data: nothing in them reaches the terminal or breaks a format."""
    evil = ["a\nb", "\x1b[2J", "c\rd", "e\x00f", "g\x7fh", "\u202edecoy", "\x85next", "tab\there", '"quoted"', "back\\slash",
            "<script>alert(1)</script>", "=1+1", "|pipe|", "`tick`", "{brace}", "日本", "a,b", "'single'", "\u2066iso"]
    raw = [b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"ok\xf0\x9f"]
    body = b"".join(node(n.encode() if isinstance(n, str) else n, "Op" + (n if isinstance(n, str) else "X")) for n in evil + raw)
    body += node("in", "X", [n.encode() for n in evil[:6]])
    g = b.file(body, "evil.pb")
    everything = ["-max_depth", "100", "-select", "params,op_types,device,input_shapes,occurrence", "-account_type_regexes", ".*"]
    runs = b.file(run_meta(*[execution(n.encode()) for n in evil], device="/job:\n\x1b[1m/device:CPU:0"), "evil.run")
    for view in ("scope", "graph", "op"):
        words = [view, "--graph_path", g, "--run_meta_path", runs, *everything]
        r = b.run(*words)
        b.works(view + " as text", r)
        b.check(view + " starts no line", any(line.startswith(b"b ") or line.startswith(b"d ") for line in r.out.split(b"\n")) and
                "a name starts a line", r)
        r = b.run(*words, "--format", "json")
        b.works(view + " as json", r)
        b.check(view + " json parses", not parses(json.loads, r.out.decode("utf-8", "replace")) and "json does not parse", r)
        r = b.run(*words, "--format", "csv")
        rows = list(csv.reader(io.StringIO(r.out.decode("utf-8", "replace"), newline="")))
        b.check(view + " csv has equal rows", (len({len(row) for row in rows}) != 1 or len(rows) < 5) and "rows differ in width", r)
        b.works(view + " as md", b.run(*words, "--format", "md"))
        out = b.path("evil.out")
        r = b.run(*words, "-step", "0", "-output", "timeline:outfile=" + out) if view != "op" else None
        if r is not None:
            b.works(view + " timeline", r)
            with open(out + "_0", "rb") as f:
                b.check(view + " timeline parses", not parses(json.loads, f.read().decode()) and "json does not parse")
    odd_name = b.file(b"nonsense", "evil\nname\x1b[31m.pb")
    b.refused("a file with an odd name", b.run("scope", "--graph_path", odd_name), 1, "evil\\x0aname")


def parses(parse, data):
    try:
        parse(data)
        return True
    except ValueError:
        return False


# ---- deep and big ----

@group
def deep(b):
    """Depth and size are no danger: nothing recurses on data, work is linear."""
    chain = b"".join(node("n%d" % i, "X", ["n%d" % (i - 1)] if i else []) for i in range(60000))
    inputs = {
        "a chain of 60,000 nodes": chain, "a scope 50,000 deep": node("a/" * 50000 + "x"),
        "a scope of 500,000 slashes": node("/" * 500000), "100,000 nodes": b"".join(node("s%d/n%d" % (i % 97, i)) for i in range(100000)),
        "one node with 200,000 inputs": node("a", "X", ["a"] * 200000), "a name of 3 MB": node("n" * 3000000),
        "a shape of 200,000 dims": node("v", "V", (), shape_attr([1] * 200000)),
        "1,500 scopes 1,000 deep": b"".join(node("a%d/" % i + "b/" * 1000) for i in range(1500)),
        "20,000 takers of one node": node("x") + b"".join(node("n%d" % i, "X", ["x"]) for i in range(20000)),
        "each node takes all before": b"".join(node("n%d" % i, "X", ["n%d" % k for k in range(i)]) for i in range(700)),
    }
    everything = ["-select", "params,op_types,input_shapes,occurrence", "-account_type_regexes", ".*"]
    for what, graph in inputs.items():
        path = b.file(graph, "deep.pb")
        for view in ("scope", "graph", "op"):
            b.sound("%s, %s" % (what, view), b.run(view, "--graph_path", path, *everything))
            # rows are indented by their depth, so the text of all levels grows with the square: not printed
            b.sound("%s, %s, all levels" % (what, view), b.run(view, "--graph_path", path, "-max_depth", "1000000", "-output", "none", *everything))
    for what, graph in {"a chain of 3,000": b"".join(node("n%d" % i, "X", ["n%d" % (i + 1)]) for i in range(3000)),
                        "a scope 2,000 deep": node("a/" * 2000)}.items():
        for view in ("scope", "graph"):
            for form in ("text", "json", "csv"):
                b.sound("%s, %s, %s" % (what, view, form), b.run(view, "--graph_path", b.file(graph, "deep.pb"), "-max_depth", "1000000",
                                                                "-account_type_regexes", ".*", "--format", form))
    braces = {
        "nested braces": b"node { " + b"attr { value { list { " * 30000, "nested brackets": b"node " + b"[" * 300000,
        "angles": b"library < function < " * 50000, "a string without end": b"node { name: '" + b"x" * 3000000,
        "comments": b"# x\n" * 500000, "escapes": b"node { name: '" + b"\\n" * 1000000 + b"' }", "digits": b"versions { producer: " + b"9" * 1000000,
    }
    for what, content in braces.items():
        b.sound(what, b.run("scope", "--graph_path", b.file(content, "deep.pbtxt")))
    nested = b""
    for _ in range(3000):
        nested = text(1, nested)
    groups = wire.varint(1 << 3 | 3) * 200000
    for what, content in (("nested messages", nested), ("open groups", groups), ("groups", groups + wire.varint(1 << 3 | 4) * 200000)):
        for flag in ("profile", "graph", "run_meta", "op_log"):
            b.sound("%s as %s" % (what, flag), b.run("scope", "--%s_path" % flag, b.file(content, "deep.bin")))
    frames = b"".join(text(1, text(4, "f%d" % (i % 50)) + wire.number_field(2, i)) for i in range(20000))
    log = text(1, text(1, "x") + text(4, frames))
    b.sound("a trace of 20,000 frames", b.run("code", "--graph_path", b.file(GRAPH), "--op_log_path", b.file(log, "deep.log"), "-max_depth", "1000000"))
    lengths = b"\x0a" + wire.varint((1 << 62)) + b"x"
    for flag in ("profile", "graph", "run_meta", "op_log"):
        b.refused("a length past the end as " + flag, b.run("scope", "--%s_path" % flag, b.file(lengths, "length.pb")), 1, "length.pb")


@group
def bombs(b):
    """gzip that unpacks to more than the limit, and pipes without end."""
    bomb = gzip.compress(bytes(300 << 20), 9, mtime=0)
    b.refused("a gzip bomb", b.run("scope", b.file(bomb, "bomb.gz")), (1, 4), "bomb.gz")
    b.refused("a gzip bomb as a graph", b.run("scope", "--graph_path", b.file(bomb, "bomb.gz")), (1, 4), "bomb.gz")
    b.refused("/dev/zero", b.run("scope", "--graph_path", "/dev/zero"), (1, 4), "/dev/zero")
    b.refused("/dev/urandom", b.run("scope", "--profile_path", "/dev/urandom"), (1, 4), "/dev/urandom")


@group
def big_gzip(b):
    """gzip of more than is unpacked as a whole: traces are read in windows, and memory is bounded by what the profile holds."""
    event = '{"ph":"X","cat":"cpu_op","name":"op%d","pid":1,"tid":1,"ts":%d,"dur":3,"args":{"note":"' + "-" * 400 + '"}}'
    step = ",\n".join(event % (i % 10, 10 * i) for i in range(1000)).encode()
    start, end, count = b'{"traceEvents":[', b"]}", (260 << 20) // len(step)
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    packed = packer.compress(start)
    for i in range(count):
        packed += packer.compress((b",\n" if i else b"") + step)
    packed += packer.compress(end) + packer.flush()
    whole = b.file(packed, "big.gz")
    results = []
    for threads in ("1", "2", "3", "7"):
        os.environ["TFPROF_THREADS"] = threads
        results.append(b.run("op", whole))
    del os.environ["TFPROF_THREADS"]
    b.works("a trace of 260 MB in gzip", results[0], "op9")
    b.check("the same answer for any number of threads", len({(r.status, r.out) for r in results}) != 1, results[0])
    b.check("less memory than its content", not b.sanitised and min(r.megabytes for r in results) > 200, results[0])
    b.works("cut short", b.run("op", b.file(packed[:-len(packed) // 3], "big.gz")), "op9", warns="cut short")
    wrong = bytearray(packed)
    wrong[-6] ^= 1
    b.refused("a wrong checksum", b.run("op", b.file(wrong, "big.gz")), 1, "big.gz")
    b.refused("garbage behind it", b.run("op", b.file(packed + b"more", "big.gz")), 1, "big.gz")
    members = gzip.compress(start + step, 1) + b"".join([gzip.compress(b",\n" + step, 1)] * (count - 1)) + gzip.compress(end)
    r = b.run("op", b.file(members + bytes(1000), "big.gz"))
    b.works("many members", r, "op9")
    b.check("the same answer from many members", r.out != results[0].out, r)
    b.works("from a pipe", b.run("op", "/dev/stdin", stdin=packed), "op9")
    blanks = gzip.compress(b" " * (32 << 20))
    b.refused("a bomb of blanks", b.run("op", b.file(gzip.compress(start) + blanks * 100, "bomb.gz")), 4, "bomb.gz")
    zeros = gzip.compress(GRAPH) + gzip.compress(bytes(8 << 20), 0) * 33
    b.refused("a graph that is too big as gzip", b.run("scope", b.file(zeros, "graph.gz")), (1, 4), "graph.gz")


@group
def warnings_of_several_files(b):
    """A warning is about the file whose data it tells of, also when the join finds it after the last file."""
    spans = [{"ph": "X", "cat": "cpu_op", "name": "op%d" % i, "pid": 1, "tid": 1, "ts": i, "dur": 20000 - 2 * i} for i in range(9000)]
    nested = b.file(json.dumps({"traceEvents": spans}).encode(), "nested.json")
    flat = b.file(json.dumps({"traceEvents": spans[:1]}).encode(), "flat.json")
    for files in ((nested, flat), (flat, nested)):
        r = b.run("scope", *files)
        b.works("a nested trace beside another", r, warns="nested.json: spans nested so deep")
        b.check("no word about the other", any("flat.json" in line for line in r.warnings), r)


@group
def more_work_than_input(b):
    """Answers that a small file would make very long are refused, and those beside them are not."""
    nodes, steps = [], []
    for i in range(3000):
        run = wire.number_field(1, 1) + wire.number_field(2, 1000) + wire.number_field(3, 1009)
        data = text(1, "n%d" % i) + wire.number_field(13, i) + text(12, wire.number_field(1, i) + text(2, run))
        nodes.append(text(1, wire.number_field(1, i) + text(2, data)))
        steps.append(wire.number_field(3, i))
    sparse = b.file(b"".join(steps + nodes), "sparse_profile")
    b.refused("steps by nodes", b.run("diff", sparse, sparse), 4, "sparse_profile", "3000 steps of 3000 nodes")
    b.works("one step each", b.run("diff", sparse + "@1", sparse + "@2"))
    b.refused("a file for every step", b.run("graph", sparse, "-output", "timeline:outfile=" + b.path("t.json")), 4, "3000 steps")
    deep = b.file(node("a/" * 20000 + "b"), "deep.pb")
    b.refused("a pattern and one long name", b.run("scope", deep, "-show_name_regexes", ".*b"), 4, "MB")
    b.works("the first scopes of one long name", b.run("scope", deep, "-max_depth", "3"))


@group
def pipes(b):
    """FIFOs: one that nobody writes to, one that is written to, one whose writer stops."""
    fifo = b.path("fifo")
    os.mkfifo(fifo)
    r = b.run("scope", "--graph_path", fifo)
    b.refused("nobody writes", r, 1, "fifo")
    b.check("soon", r.seconds > 15 and "took %.1f s" % r.seconds, r)

    def write(data, pause=0.0):
        with open(fifo, "wb") as f:
            f.write(data[:len(data) // 2])
            f.flush()
            time.sleep(pause)
            f.write(data[len(data) // 2:])

    for what, data, pause in (("a writer", GRAPH, 0), ("a slow writer", GRAPH, 0.7), ("gzip", gzip.compress(GRAPH), 0)):
        writer = threading.Thread(target=write, args=(data, pause))
        writer.start()
        b.works(what, b.run("scope", "--graph_path", fifo), "_TFProfRoot")
        writer.join()
    writer = threading.Thread(target=write, args=(GRAPH[:-3], 0))
    writer.start()
    b.refused("a writer that stops", b.run("scope", "--graph_path", fifo), 1, "fifo")
    writer.join()
    b.works("stdin as a file", b.run("scope", "--graph_path", "/dev/stdin", stdin=GRAPH), "_TFProfRoot")


# ---- checkpoints ----

@group
def checkpoints(b):
    """Checkpoints whose parts are missing, damaged or of a later version."""
    g = ["--graph_path", sample_path("dense/graph.pb")]
    index, data = b.sample("dense/ckpt_v2/model.ckpt-3.index"), b.sample("dense/ckpt_v2/model.ckpt-3.data-00000-of-00001")
    v1 = b.sample("dense/ckpt_v1/model.ckpt-3")
    select = ["-select", "tensor_value", "-max_depth", "100"]
    prefix = b.path("c")

    def v2(i=index, d=data):
        b.file(i, "c.index")
        if d is None:
            if os.path.exists(prefix + ".data-00000-of-00001"):
                os.unlink(prefix + ".data-00000-of-00001")
        else:
            b.file(d, "c.data-00000-of-00001")
        return b.run("scope", *g, "--checkpoint_path", prefix, *select)

    b.works("whole v2", v2())
    b.refused("v2 without its data", v2(d=None), 1, "c.data-00000-of-00001")
    b.refused("v2 with cut data", v2(d=data[:100]), 1, "c.data-00000-of-00001")
    b.refused("v2 with changed data", v2(d=bytes([data[0] ^ 1]) + data[1:]), 1, "c.data-00000-of-00001")
    b.refused("v2 with zeroed data", v2(d=bytes(len(data))), 1, "c.data-00000-of-00001")
    for at in range(0, len(index), 7 if b.sanitised else 1):
        changed = bytearray(index)
        changed[at] ^= 0x40
        r = v2(i=bytes(changed))
        # the padding of the footer and the name of an unread metaindex say nothing
        b.refused("v2 index, byte %d" % at, r, 1, "c.index") if at < len(index) - 60 else b.sound("v2 index, byte %d" % at, r)
    for size in range(0, len(index), 31):
        b.refused("v2 index cut to %d" % size, v2(i=index[:size]), 1, "c.index")
    for size in list(range(0, len(v1), 997)) + [len(v1) - 1]:
        r = b.run("scope", *g, "--checkpoint_path", b.file(v1[:size], "v1"), *select)
        b.refused("v1 cut to %d" % size, r, 1, "v1")
    for at in range(0, len(v1) - 60, 1501):
        changed = bytearray(v1)
        changed[at] ^= 0x04
        r = b.run("scope", *g, "--checkpoint_path", b.file(bytes(changed), "v1"), *select)
        b.refused("v1 byte %d" % at, r, 1, "v1")


# ---- outputs ----

def left_over(b, folder):
    return [name for name in os.listdir(folder) if name not in ("out", "g.pb")]


@group
def outputs(b):
    """A failed write: status 3, one line, the old file intact, no part file."""
    profile = sample_path("odd/profile_5")
    full = os.open("/dev/full", os.O_WRONLY)
    for words in (["scope"], ["op"], ["advise"], ["scope", "--format", "json"], ["scope", "--format", "csv"], ["scope", "--format", "md"]):
        b.refused("%s to a full disk" % " ".join(words), b.run(*words, profile, stdout=full), 3)
    b.refused("help to a full disk", b.run("help", stdout=full), 3)
    os.close(full)
    b.refused("closed stdout", b.run("scope", profile, closed=(1,)), 3)
    b.sound("closed stdin", b.run("scope", profile, closed=(0,)))
    r = b.run("scope", profile, closed=(2,))
    b.check("closed stderr", r.status != 0 and "status %d" % r.status, r)
    r = b.run("scope", "/nowhere", closed=(0, 1, 2))
    b.check("all closed", r.status not in (1, 3) and "status %d" % r.status, r)
    folder = b.path("folder")
    os.mkdir(folder)
    out = os.path.join(folder, "out")
    forms = [["-output", "file:outfile="], ["-output", "timeline:outfile="], ["-step", "0", "-output", "timeline:outfile="], ["--proto_out="]]
    for form in forms:
        view = "graph" if "timeline" in form[-1] else "scope"
        what = " ".join(form)
        missing = form[:-1] + [form[-1] + os.path.join(folder, "no", "out")]
        b.refused(what + " in a missing folder", b.run(view, profile, "-account_type_regexes", ".*", *missing), 3, "no/out")
        b.refused(what + " on a folder", b.run(view, profile, "-account_type_regexes", ".*", *(form[:-1] + [form[-1] + folder])), 3) \
            if "timeline" not in form[-1] else None
        full = form[:-1] + [form[-1] + "/dev/full"]
        if "timeline" not in form[-1]:
            b.refused(what + " on /dev/full", b.run(view, profile, *full), 3, "/dev/full")
        target = out + ("_0" if "timeline" in form[-1] else "")
        b.file(b"old", os.path.join("folder", os.path.basename(target)))
        there = form[:-1] + [form[-1] + out]
        r = b.run(view, profile, "-account_type_regexes", ".*", "-max_depth", "100", *there, file_size=100)
        b.refused(what + " over the size limit", r, 3, "out")
        with open(target, "rb") as f:
            b.check(what + " keeps the old file", f.read() != b"old" and "the old file changed", r)
        b.check(what + " leaves no part", set(os.listdir(folder)) - {"out", "out_0"} and "left: %s" % os.listdir(folder), r)
        r = b.run(view, profile, "-account_type_regexes", ".*", *there)
        b.works(what + " works after all", r)
        b.check(what + " made it", os.path.getsize(target) < 10 and "no content", r)
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
    if os.geteuid() != 0:
        locked = b.path("locked")
        os.mkdir(locked, 0o500)
        b.refused("a folder without permission", b.run("scope", profile, "-output", "file:outfile=" + locked + "/out"), 3)
    link = b.path("link")
    os.symlink(b.file(b"old", "named"), link)
    b.works("through a link", b.run("scope", profile, "-output", "file:outfile=" + link))
    b.check("the link stays", not stat.S_ISLNK(os.lstat(link).st_mode) and "replaced")


@group
def readers(b):
    """A reader that goes away ends the program quietly."""
    big = b.file(b"".join(node("scope%d/n%d" % (i % 50, i)) for i in range(40000)), "big.pb")
    for form in ("text", "json", "csv"):
        command = "%s scope --graph_path %s -select params -account_type_regexes '.*' --format %s" % (b.program, big, form)
        done = subprocess.run(["bash", "-c", "set -o pipefail; %s | head -1; echo ${PIPESTATUS[0]}" % command],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        b.check("head -1 of " + form, done.stderr and "says %r" % done.stderr[:200])
        status = done.stdout.split()[-1]
        b.check("status of " + form, status not in (b"0", b"141", b"3") and "status %s" % status)


# ---- the prompt ----

@group
def prompt(b):
    """Bad lines are told in one line each; the session goes on and ends with 0."""
    profile = sample_path("odd/profile_5")
    lines = (b"fly\nscope -max_depth x\nscope -frob 1\nscope -step 9\n\n   \nset max_depth\nset nothing 1\nset max_depth 3\n"
             b"scope -account_type_regexes (\nop -order_by weight\n" + b"x" * 9000 + b"\n\x1b[31m\n\xff\xfe\nscope -max_depth 2\nhelp\n"
             b"scope -output file:outfile=/nowhere/x\n" + b"scope -max_depth 1 -select micros")
    r = b.run("--profile_path", profile, stdin=lines)
    fault = b.unsound(r) or b.unsafe(r.out, "stdout")
    if not fault and r.status != 2:  # of the first line that failed
        fault = "status %d" % r.status
    if not fault and not 9 <= len(r.errors) <= 13:
        fault = "%d error lines" % len(r.errors)
    if not fault and r.out.count(b"_TFProfRoot") < 2:
        fault = "the good lines got no answer"
    b.check("a session of bad lines", fault, r)
    for line in (b"fly\n", b"scope -max_depth x\n", b"scope -step 77\n", b"advise -checkers x\n", b"set order_by x\n",
                 b"code -output pprof:outfile=/nowhere/x\n", b"scope \\\n", b"scope '\n", b"\0\n", b"-max_depth\n"):
        r = b.run("--profile_path", profile, stdin=line + b"scope -max_depth 1\n")
        fault = b.unsound(r) or b.unsafe(r.out, "stdout")
        if not fault and (r.status not in (1, 2, 3) or len(r.errors) != 1 or b"_TFProfRoot" not in r.out):
            fault = "status %d, %d error lines" % (r.status, len(r.errors))
        b.check("line %r" % line, fault, r)
    b.refused("a prompt on nothing", b.run("--profile_path", "/nowhere", stdin=b"scope\n"), 1, "/nowhere")
    r = b.run("--profile_path", profile, stdin=b"scope -max_depth 1\nquit\nscope -max_depth 1\n")
    b.sound("quit", r)
    r = b.run("--profile_path", profile, stdin=b"x" * 3000000)
    b.check("a line of 3 MB", b.unsound(r) or (r.status != 2 and "status %d" % r.status), r)


@group
def statuses(b):
    """The statuses of what goes well."""
    profile = sample_path("odd/profile_5")
    for words in (["help"], ["--help"], ["help", "scope"], ["--version"], ["scope", profile], ["graph", profile], ["op", profile],
                  ["code", profile], ["advise", profile], ["scope", "--profile_path", profile, "-output", "none"]):
        b.works(" ".join(words)[:60], b.run(*words))
    r = b.run("scope", "--graph_path", b.file(GRAPH), "--run_meta_path", b.file(run_meta(execution("x"))))
    b.works("coverage", r, "_TFProfRoot")
    b.check("coverage is told on stderr", b"run graph coverage: 0.33" not in r.err and "no coverage", r)

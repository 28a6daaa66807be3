# SPDX-License-Identifier: Apache-2.0
"""Invalid inputs: files of other kinds, truncated files, and random changes of bytes."""
import gzip
import os
import random

from groups import group
from making import GRAPH, SMALL, sample_path


@group
def foreign(b):
    """Files of other kinds, with every flag, by content, and at the start of the prompt."""
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
    flags = ("profile", "graph", "run_meta", "op_log", "checkpoint")
    for number, (kind, content) in enumerate(kinds.items()):
        path = b.file(content, "foreign " + kind)
        for flag in flags[number % 5::2] if b.few else flags:
            beside = [] if flag in ("profile", "graph") else ["--graph_path", b.file(GRAPH, "g.pb")]
            r = b.run("scope", *beside, "--%s_path" % flag, path)
            if kind in ("newline", "blanks"):  # as text this is an empty message
                b.sound("%s as %s" % (kind, flag), r)
            else:
                b.refused("%s as %s" % (kind, flag), r, (1, 4), "foreign")
        b.refused("%s by content" % kind, b.run("scope", path), (1, 4), "foreign")
    for what, path in (("missing", "/nowhere/at/all"), ("folder", b.folder), ("null", "/dev/null")):
        for flag in flags:
            b.refused("%s as %s" % (what, flag), b.run("scope", "--%s_path" % flag, path), 1, path)
    b.refused("nothing", b.run("scope"), 2, "name files")
    b.refused("one of another format", b.run("scope", "--profile_path", sample_path("odd/graph.pbtxt")), 1, "graph.pbtxt")


@group
def sides(b):
    """Inputs that diff cannot compare: foreign and truncated texts, deep and wide ones, missing steps and
    files."""
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
    for what, path in {"deep": b"/".join([b"a"] * b.size(1000000)), "slashes": b"/" * b.size(3999000)}.items():
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
    """Truncated files, given to the program; damage.c tries every prefix of every file in memory."""
    for name in SMALL:
        data = b.sample(name)
        steps = 8 if b.few else 40
        for size in sorted({len(data) * i // steps for i in range(1, steps)} | {1, 2, len(data) - 1}):
            path = b.file(data[:size], "prefix")
            b.sound("%s cut to %d" % (name, size), b.run("scope", path))
        packed = gzip.compress(data, mtime=0)
        for size in {len(packed) * i // 6 for i in range(1, 6)} | {len(packed) - 1, len(packed) - 8}:
            path = b.file(packed[:size], "prefix.gz")
            b.refused("%s packed and cut to %d" % (name, size), b.run("scope", path), 1, "prefix.gz")
    # of the formats, only truncated traces are read, up to the cut
    packed = gzip.compress(b.sample("traces/kineto.json"), mtime=0)
    for size in range(len(packed) // 3, len(packed), 120 if b.few else 40):
        b.works("a trace packed and cut to %d" % size, b.run("scope", b.file(packed[:size], "cut.gz")), "(all)", warns="cut short")


@group
def mutants(b):
    """Random changes of bytes, given to the program with every view."""
    rng = random.Random(7)
    for round_ in range(30 if b.few else 150):
        name = SMALL[round_ % len(SMALL)]
        data = bytearray(b.sample(name))
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
        view = rng.choice(b.listed("views"))
        # status 2: the view needs a trace, or a file of another kind
        b.sound("%s round %d" % (name, round_), b.run(view, b.file(bytes(data), "mutant")), (0, 1, 2, 4))

# SPDX-License-Identifier: Apache-2.0
"""Inputs that are valid but unusual, and their warnings and positions of errors."""
import csv
import gzip
import io
import json

from groups import group
from making import GRAPH, execution, node, run_meta, shape_attr, text

import wire


@group
def legal(b):
    """Unusual but valid inputs work."""
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
    """Dropped or guessed data is reported once, with the file's name."""
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
    """Errors in text protos are reported with line and column."""
    for content, place in ((b"node { nmae: 'x' }", "1:12"), (b"node {\n  name: 'a'\n  op: 5\n}", "3:"), (b"node {", "1:"),
                           (b"node { name: 'x }", "1:"), (b"\tnode { }\n\tnope { }", "2:14"), (b"node { name: 'a' } }", "1:"),
                           (b"node { name: 'a\nb' }", "1:"), (b"node { attr { key: 'f' value { i: 1.5 } } }", "1:"),
                           (b"node { name: 'a' }\nnode { name: '\\xZZ' }", "2:"), (b"node { name: \"a\" name: 'b' }", "1:"),
                           (b"node { attr { key: 'k' value { i: 99999999999999999999 } } }", "1:"),
                           (b"node { name: 'a' \x01 }", "1:"), (b"node { name: 'a' } versions { producer: 'x' }", "1:")):
        b.refused("text %r" % content[:30], b.run("scope", "--graph_path", b.file(content, "bad.pbtxt")), 1, "bad.pbtxt:" + place)


@group
def names(b):
    """Names are data: none of their characters controls the terminal or breaks a format."""
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

# SPDX-License-Identifier: Apache-2.0
"""Inputs with deep nesting, large unpacked sizes or much work, and pipes."""
import gzip
import json
import os
import pickle
import threading
import time
import zlib

from groups import group
from making import GRAPH, node, shape_attr, text

import wire


@group
def nested_spans(b):
    """The paths of nested spans grow with the square of their number until they are shortened, and so does the part of a report that
    contains them."""
    for count, length in ((13000, 200), (70000, 20)):
        count = b.size(count)
        events = [{"ph": "X", "cat": "cpu_op", "name": "n" * length + str(i), "pid": 1, "tid": 1, "ts": i, "dur": 2 * (count - i)} for i in range(count)]
        path = b.file(json.dumps({"traceEvents": events}).encode(), "nested.json")
        b.works("%d spans in each other, op" % count, b.run("op", path, "-top", "3"), warns="paths were shortened")
        if length == 200:
            b.sound("%d spans in each other, report" % count, b.run("report", path, "-o", b.path("nested.html")))


@group
def deep(b):
    """Depth and size do no harm: nothing recurses on data, and work is linear."""
    chain = b"".join(node("n%d" % i, "X", ["n%d" % (i - 1)] if i else []) for i in range(b.size(60000)))
    inputs = {
        "a chain of 60,000 nodes": chain, "a scope 50,000 deep": node("a/" * b.size(50000) + "x"),
        "a scope of 500,000 slashes": node("/" * b.size(500000)), "100,000 nodes": b"".join(node("s%d/n%d" % (i % 97, i)) for i in range(b.size(100000))),
        "one node with 200,000 inputs": node("a", "X", ["a"] * b.size(200000)), "a name of 3 MB": node("n" * b.size(3000000)),
        "a shape of 200,000 dims": node("v", "V", (), shape_attr([1] * b.size(200000))),
        "1,500 scopes 1,000 deep": b"".join(node("a%d/" % i + "b/" * 1000) for i in range(b.size(1500))),
        "20,000 takers of one node": node("x") + b"".join(node("n%d" % i, "X", ["x"]) for i in range(b.size(20000))),
        "each node takes all before": b"".join(node("n%d" % i, "X", ["n%d" % k for k in range(i)]) for i in range(250 if b.few else 700)),
    }
    everything = ["-select", "params,op_types,input_shapes,occurrence", "-account_type_regexes", ".*"]
    for what, graph in inputs.items():
        path = b.file(graph, "deep.pb")
        for view in ("scope", "graph", "op"):
            b.sound("%s, %s" % (what, view), b.run(view, "--graph_path", path, *everything))
            # rows are indented by their depth, so the text of all levels would grow with the square; it is
            # not printed
            b.sound("%s, %s, all levels" % (what, view), b.run(view, "--graph_path", path, "-max_depth", "1000000", "-output", "none", *everything))
    for what, graph in {"a chain of 3,000": b"".join(node("n%d" % i, "X", ["n%d" % (i + 1)]) for i in range(3000)),
                        "a scope 2,000 deep": node("a/" * 2000)}.items():
        for view in ("scope", "graph"):
            for form in ("text", "json", "csv"):
                b.sound("%s, %s, %s" % (what, view, form), b.run(view, "--graph_path", b.file(graph, "deep.pb"), "-max_depth", "1000000",
                                                                "-account_type_regexes", ".*", "--format", form))
    braces = {
        "nested braces": b"node { " + b"attr { value { list { " * b.size(30000), "nested brackets": b"node " + b"[" * b.size(300000),
        "angles": b"library < function < " * b.size(50000), "a string without end": b"node { name: '" + b"x" * b.size(3000000),
        "comments": b"# x\n" * b.size(500000), "escapes": b"node { name: '" + b"\\n" * b.size(1000000) + b"' }", "digits": b"versions { producer: " + b"9" * b.size(1000000),
    }
    for what, content in braces.items():
        b.sound(what, b.run("scope", "--graph_path", b.file(content, "deep.pbtxt")))
    nested = b""
    for _ in range(3000):
        nested = text(1, nested)
    groups = wire.varint(1 << 3 | 3) * b.size(200000)
    for what, content in (("nested messages", nested), ("open groups", groups), ("groups", groups + wire.varint(1 << 3 | 4) * b.size(200000))):
        for flag in ("profile", "graph", "run_meta", "op_log"):
            b.sound("%s as %s" % (what, flag), b.run("scope", "--%s_path" % flag, b.file(content, "deep.bin")))
    frames = b"".join(text(1, text(4, "f%d" % (i % 50)) + wire.number_field(2, i)) for i in range(b.size(20000)))
    log = text(1, text(1, "x") + text(4, frames))
    b.sound("a trace of 20,000 frames", b.run("code", "--graph_path", b.file(GRAPH), "--op_log_path", b.file(log, "deep.log"), "-max_depth", "1000000"))
    lengths = b"\x0a" + wire.varint((1 << 62)) + b"x"
    for flag in ("profile", "graph", "run_meta", "op_log"):
        b.refused("a length past the end as " + flag, b.run("scope", "--%s_path" % flag, b.file(lengths, "length.pb")), 1, "length.pb")


@group
def bombs(b):
    """Gzip files that unpack to more than the limit, and endless pipes."""
    bomb = gzip.compress(bytes(300 << 20), 9, mtime=0)
    b.refused("a gzip bomb", b.run("scope", b.file(bomb, "bomb.gz")), (1, 4), "bomb.gz")
    b.refused("a gzip bomb as a graph", b.run("scope", "--graph_path", b.file(bomb, "bomb.gz")), (1, 4), "bomb.gz")
    b.refused("/dev/zero", b.run("scope", "--graph_path", "/dev/zero"), (1, 4), "/dev/zero")
    b.refused("/dev/urandom", b.run("scope", "--profile_path", "/dev/urandom"), (1, 4), "/dev/urandom")


@group
def big_gzip(b):
    """Gzip files larger than the limit for unpacking at once: traces are read in windows, and only the profile's content needs
    memory."""
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
    for threads in ("1", "3") if b.few else ("1", "2", "3", "7"):
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
    if not b.few:
        b.refused("garbage behind it", b.run("op", b.file(packed + b"more", "big.gz")), 1, "big.gz")
        b.works("from a pipe", b.run("op", "/dev/stdin", stdin=packed), "op9")
    members = gzip.compress(start + step, 1) + b"".join([gzip.compress(b",\n" + step, 1)] * (count - 1)) + gzip.compress(end)
    r = b.run("op", b.file(members + bytes(1000), "big.gz"))
    b.works("many members", r, "op9")
    b.check("the same answer from many members", r.out != results[0].out, r)
    blanks = gzip.compress(b" " * (32 << 20))
    b.refused("a bomb of blanks", b.run("op", b.file(gzip.compress(start) + blanks * 100, "bomb.gz")), 4, "bomb.gz")
    zeros = gzip.compress(GRAPH) + gzip.compress(bytes(8 << 20), 0) * 33
    b.refused("a graph that is too big as gzip", b.run("scope", b.file(zeros, "graph.gz")), (1, 4), "graph.gz")


@group
def big_facts(b):
    """Facts beside the events of a trace are kept if they are small; if not, they are never completely in memory."""
    events = b'"traceEvents": [{"ph":"X","cat":"cpu_op","name":"op9","pid":1,"tid":1,"ts":5,"dur":3}]'
    row = b'"one \\"error\\" of ]", {"a": [{"b": "}"}, %d]},\n'
    errors = b"".join(row % (i * 7919 % 1000003) for i in range(20000))
    path, times = b.path("facts.json"), b.size(60)

    def run(start, end, opener=open):
        # in pieces, because a process's peak memory includes that of its parent at the start
        with opener(path, "wb") as out:
            out.write(start)
            for _ in range(times):
                out.write(errors)
            out.write(end)
        return b.run("op", path)

    for what, start, end in (("before", b'{"ERROR": [', b"0], " + events + b"}"), ("behind", b"{" + events + b', "ERROR": [', b"0]}")):
        r = run(start, end)
        b.works("a list of 60 MB %s the events" % what, r, "op9", warns="of more than 4 MB beside")
        b.check("less memory than its content", not b.sanitised and r.megabytes > 100, r)
        r = run(start, end, lambda path, mode: gzip.open(path, mode, 1))
        b.works("a list of 60 MB %s the events, gzip" % what, r, "op9", warns="of more than 4 MB beside")
    b.works("cut short", run(b"{" + events + b', "ERROR": [', b""), "op9", warns="cut short")
    # a broken member costs only itself, whatever its size
    for what, start, end in (("before", b'{"ERROR": [', b"0}}, " + events + b"}"), ("behind", b"{" + events + b', "ERROR": [', b"0}}")):
        r = run(start, end)
        b.works("a bracket of another kind, %s the events" % what, r, "op9", warns="no JSON, left out")
        b.check("less memory than its content", not b.sanitised and r.megabytes > 100, r)


@group
def warnings_of_several_files(b):
    """A warning names the file whose data it is about, even if the join finds the problem after the last
    file."""
    spans = [{"ph": "X", "cat": "cpu_op", "name": "op%d" % i, "pid": 1, "tid": 1, "ts": i, "dur": 20000 - 2 * i} for i in range(9000)]
    nested = b.file(json.dumps({"traceEvents": spans}).encode(), "nested.json")
    flat = b.file(json.dumps({"traceEvents": spans[:1]}).encode(), "flat.json")
    for files in ((nested, flat), (flat, nested)):
        r = b.run("scope", *files)
        b.works("a nested trace beside another", r, warns="nested.json: spans nested so deep")
        b.check("no word about the other", any("flat.json" in line for line in r.warnings), r)


@group
def more_work_than_input(b):
    """Results that a small file would make very long are refused, and the others are still
    printed."""
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
    """FIFOs: one without a writer, one with a writer, one whose writer stops."""
    fifo = b.path("fifo")
    os.mkfifo(fifo)
    r = b.run("scope", "--graph_path", fifo)
    b.refused("nobody writes", r, 1, "fifo")
    b.check("soon", r.seconds > 15 and "took %.1f s" % r.seconds, r)

    def write(data, pause=0.0):
        with open(fifo, "wb") as f:
            f.write(data[:len(data) // 2])
            f.flush()
            time.sleep(pause)  # a reader that finds nothing in the pipe meanwhile is what is tested
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


@group
def shared_lists(b):
    """In a pickle many entries can refer to one list; a reader that reads it once for each entry would take a minute."""
    def dump(sizes, entries):
        entry = {"pg_id": 0, "process_group": ("0", "all"), "profiling_name": "nccl:all_reduce", "input_sizes": sizes, "state": "completed", "retired": True}
        return pickle.dumps({"pg_config": {}, "entries": [dict(entry, collective_seq_id=i) for i in range(entries)]}, 2)
    few, many = b.file(dump([[1]] * 1000, 10), "trace_rank_0"), b.file(dump([[1]] * 100000, 2000), "trace_rank_1")
    b.works("entries that share a list of 1,000 sizes", b.run("hang", few), "agrees in 10 collectives")
    b.refused("entries that share a list of 100,000 sizes", b.run("hang", many), 4, "trace_rank_1", "more sizes and types than a dump of its size can hold")

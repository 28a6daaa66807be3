# SPDX-License-Identifier: Apache-2.0
"""Kinds of graphs, of their nodes' runs, and of profiles."""
import gzip

from kinds import kind
from wire import bytes_field as text, number_field as number, varint

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
GPU = "/job:localhost/replica:0/task:0/device:GPU:%d"


# ---- graphs ----

def node(name, op="NoOp", inputs=(), more=b""):
    return text(1, text(1, name) + text(2, op) + b"".join(text(3, i) for i in inputs) + more)


def graph(nodes):
    return {"graph.pb": b"".join(nodes)}


@kind(4800)
def chain_of_inputs(n):
    return graph([node("n0")] + [node("n%d" % i, "Identity", ["n%d" % (i - 1)]) for i in range(1, n)])


@kind(4800)
def one_node_feeds_all(n):
    return graph([node("a")] + [node("n%d" % i, "Identity", ["a", "a"]) for i in range(n)])


@kind(6000)
def all_feed_one_node(n):
    return graph([node("n%d" % i) for i in range(n)] + [node("z", "AddN", ["n%d" % i for i in range(n)])])


@kind(15000)
def one_name_for_all(n):
    return graph([node("a", "Op", ["a"]) for _ in range(n)])


@kind(6000)
def inputs_that_are_not_there(n):
    return graph([node("n%d" % i, "Op", ["missing%d:%d" % (i, i)]) for i in range(n)])


@kind(4800)
def one_long_cycle(n):
    return graph([node("n%d" % i, "Op", ["n%d" % ((i + 1) % n)]) for i in range(n)])


@kind(4000)
def many_short_cycles(n):
    return graph([node("n%d" % i, "Op", ["n%d" % (i ^ 1), "n%d" % i]) for i in range(n)])


@kind(60000)
def two_full_layers(n):
    side = int(n ** 0.5)
    return graph([node("a%d" % i) for i in range(side)] +
                 [node("b%d" % i, "AddN", ["a%d" % k for k in range(side)]) for i in range(side)])


@kind(10000)
def one_deep_scope(n):
    return graph([node("a/" * n + "b", "MatMul")])


@kind(60000)
def ladder_of_scopes(n):
    """A node at each depth; the total size is that of the names."""
    return graph([node("a/" * i + "b", "MatMul") for i in range(1, int(n ** 0.5))])


@kind(4800)
def an_operation_type_each(n):
    return graph([node("s/n%d" % i, "Op%d" % i, ["s/n%d" % (i // 2)]) for i in range(n)])


@kind(12000)
def attributes_of_one_node(n):
    return graph([node("n", "Op", [], b"".join(text(5, text(1, "a%d" % i) + text(2, number(3, i))) for i in range(n)))])


@kind(4000)
def variables(n):
    shape = text(5, text(1, "shape") + text(2, text(7, text(2, number(1, 4)) * 2)))
    return graph([node("block_%d/v%d" % (i // 10, i), "VariableV2", [], shape) for i in range(n)])


@kind(8000)
def functions(n):
    bodies = b"".join(text(1, text(1, text(1, "f%d" % i)) + text(3, text(1, "x") + text(2, "f%d" % (i + 1)))) for i in range(n))
    return graph([node("c", "f0"), text(2, bodies)])


@kind(3600)
def text_graph(n):
    return {"graph.pbtxt": "".join('node { name: "n%d" op: "O" input: "n%d" # remark\n attr { key: "k" value { i: %d } } }\n'
                                   % (i, i // 2, i) for i in range(n)).encode()}


@kind(100000)
def text_string_in_pieces(n):
    return {"graph.pbtxt": b'node { name: ' + b'"a" ' * n + b' op: "O" }\n'}


@kind(400)
def gzip_members(n):
    return {"graph.pb.gz": b"".join(gzip.compress(node("n%d" % i, "O") * 5, mtime=0) for i in range(n))}


# ---- runs ----

def execution(name, start, more=b""):
    return text(1, name) + b"".join(number(k, v) for k, v in ((2, start), (3, 1), (4, 5), (5, 6))) + more


def run_meta(*devices):
    return text(1, b"".join(text(1, text(1, device) + b"".join(text(2, e) for e in executions)) for device, executions in devices))


@kind(10000)
def runs_of_one_node(n):
    return {"graph.pb": node("a"), "run_meta": run_meta((CPU, [execution("a", 1000 + i) for i in range(n)]))}


@kind(3200)
def runs_without_nodes(n):
    return {"graph.pb": node("a"), "run_meta": run_meta((CPU, [execution("x%d" % i, 1000) for i in range(n)]))}


@kind(2000)
def a_device_each(n):
    return {"graph.pb": b"".join(node("n%d" % i) for i in range(n)),
            "run_meta": run_meta(*((GPU % i, [execution("n%d" % i, 1000 + i)]) for i in range(n)))}


@kind(3600)
def one_node_on_many_devices(n):
    return {"graph.pb": node("a"), "run_meta": run_meta(*((GPU % i, [execution("a", 1000 + i)]) for i in range(n)))}


@kind(8000)
def memory_of_one_run(n):
    records = b"".join(text(6, number(1, 1000 + i) + number(2, 64)) for i in range(n))
    outputs = b"".join(text(7, number(1, i)) for i in range(n))
    return {"graph.pb": node("a"), "run_meta": run_meta((CPU, [execution("a", 1000, text(6, text(1, "cpu") + records) + outputs)]))}


@kind(3200)
def a_run_with_memory_each(n):
    held = text(6, text(1, "cpu") + number(2, 4096) + number(3, 4096) + number(4, 64))
    return {"graph.pb": b"".join(node("b%d/n%d" % (i % 50, i)) for i in range(n)),
            "run_meta": run_meta((CPU, [execution("b%d/n%d" % (i % 50, i), 1000 + i % 97, held) for i in range(n)]))}


@kind(60)
def many_files(n):
    files = {"graph.pb": b"".join(node("n%d" % i) for i in range(20))}
    for k in range(n):
        files["run_meta_%d" % k] = run_meta((CPU, [execution("n%d" % i, 1000 * k + i) for i in range(20)]))
    return files


# ---- ProfileProto ----

def profile_node(number_, name, steps=(), more=b""):
    execs = b"".join(text(12, number(1, step) + text(2, number(1, 1) + number(2, 1000 + step) + number(3, 1009 + step) + text(
        5, text(1, CPU) + text(2, text(1, text(1, varint(1000 + step) + varint(9))))))) for step in steps)
    data = text(1, name) + number(13, number_) + text(9, "MatMul") + text(6, CPU) + execs + more
    return text(1, number(1, number_) + text(2, data))


def profile(nodes, steps=(), more=b""):
    return {"profile": b"".join(number(3, s) for s in steps) + b"".join(nodes) + more}


@kind(5000)
def steps_of_one_node(n):
    return profile([profile_node(1, "a", range(n))], range(n))


@kind(6000)
def steps_by_nodes(n):
    side = int(n ** 0.5)
    return profile([profile_node(i + 1, "s%d/n%d" % (i % 9, i), range(side)) for i in range(side)], range(side))


@kind(3000)
def steps_backwards(n):
    return profile([profile_node(1 + i, "n%d" % i, [n - i]) for i in range(n)], range(n, 0, -1))


@kind(15000)
def types_of_one_node(n):
    return profile([profile_node(1, "a", [0], b"".join(text(5, "type%d" % i) for i in range(n)))], [0])


def frame(file, line, function):
    return text(1, number(6, file) + number(2, line) + number(7, function))


def names(n):
    return b"".join(text(4, number(1, i) + text(2, "word%d.py" % i)) for i in range(1, n))


@kind(3200)
def one_deep_trace(n):
    trace = text(10, b"".join(frame(1 + i % 50, i, 1 + i % 40) for i in range(n)))
    return profile([profile_node(i, "n%d" % i, [0], trace if i == 1 else b"") for i in range(1, 9)], [0], names(52) + number(2, 1))


@kind(1800)
def a_line_of_code_each(n):
    return profile([profile_node(i, "n%d" % i, [0], text(10, frame(1, 1, 1) + frame(i, i, i))) for i in range(1, n)], [0],
                   names(n) + number(2, 1))


@kind(8000)
def entries_of_one_name(n):
    entries = b"".join(text(1, text(1, "a") + number(2, i) + text(3, "t%d" % i)) for i in range(n))
    return {"graph.pb": node("a"), "op_log": entries}

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of inferring shapes and float operations: tests/bench/flops.py BUILD [NODES]

Graphs of 100,000 nodes: copies of a recorded model that is trained; one chain of layers whose nodes are in the file in
reverse order; and the same chain in a function. Prints for the command `tfprof flops` on each graph: the best time in
seconds (we aim at 0.3) and in walks (a bare visit of every field, tests/bench/walk.c), the factor by which ten times the
nodes take longer (at most 11), and the memory divided by the bytes of input. --check fails at 0.3 s and a factor of 15.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "tests", "data"), os.path.join(ROOT, "tests", "data", "large")]
import bench  # noqa: E402
import grow  # noqa: E402
from wire import bytes_field, number_field  # noqa: E402

FLOAT, INT32 = 1, 3
SECONDS, GROWTH = 0.3, 15


def attr(name, value):
    return bytes_field(5, bytes_field(1, name) + bytes_field(2, value))


def node(name, op, inputs=(), attrs=b""):
    return bytes_field(1, name) + bytes_field(2, op) + b"".join(bytes_field(3, i) for i in inputs) + attrs


TYPE = attr(b"T", number_field(6, FLOAT))
SHAPE = bytes_field(7, b"".join(bytes_field(2, number_field(1, d)) for d in (32, 64)))


def tensor(kind, dims, content):
    shape = bytes_field(2, b"".join(bytes_field(2, number_field(1, d)) for d in dims))
    return attr(b"dtype", number_field(6, kind)) + attr(b"value", bytes_field(8, number_field(1, kind) + shape + bytes_field(4, content)))


def layer(i, before, colon):
    """Eight nodes; the next layer reads the last one."""
    name = b"layer%d/" % i
    first = colon(b"product", b"product")
    return [
        node(name + b"weights", b"Const", (), tensor(FLOAT, (64, 64), b"\0\0\0\0")),
        node(name + b"product", b"MatMul", (before, name + colon(b"weights", b"output")), TYPE),
        node(name + b"biases", b"Const", (), tensor(FLOAT, (64,), b"\0\0\0\0")),
        node(name + b"sum", b"BiasAdd", (name + first, name + colon(b"biases", b"output")), TYPE),
        node(name + b"shape", b"Shape", (name + colon(b"sum", b"output"),), TYPE + attr(b"out_type", number_field(6, INT32))),
        node(name + b"flat", b"Reshape", (name + colon(b"sum", b"output"), name + colon(b"shape", b"output")), TYPE),
        node(name + b"relu", b"Relu", (name + colon(b"flat", b"output"),), TYPE),
        node(name + b"out", b"Identity", (name + colon(b"relu", b"activations"),), TYPE)]


def chain(count, colon, last):
    nodes, before = [], b"input"
    for i in range(count // 8):
        nodes += layer(i, before, colon)
        before = b"layer%d/" % i + last
    return nodes


def placeholder():
    return node(b"input", b"Placeholder", (), attr(b"dtype", number_field(6, FLOAT)) + attr(b"shape", SHAPE))


def reversed_chain(count):
    nodes = [placeholder()] + chain(count, lambda name, _: name, b"out")
    return b"".join(bytes_field(1, n) for n in reversed(nodes))


def function_chain(count):
    """One function, called once."""
    nodes = chain(count, lambda name, output: name + b":" + output + b":0", b"out:output:0")
    arg = bytes_field(1, b"input") + number_field(3, FLOAT)
    out = bytes_field(1, b"result") + number_field(3, FLOAT)
    signature = bytes_field(1, b"body") + bytes_field(2, arg) + bytes_field(3, out)
    ret = bytes_field(1, b"result") + bytes_field(2, b"layer%d/out:output:0" % (count // 8 - 1))
    function = bytes_field(1, signature) + b"".join(bytes_field(3, n) for n in nodes) + bytes_field(4, ret)
    types = bytes_field(1, number_field(6, FLOAT))
    call = node(b"call", b"PartitionedCall", (b"input",),
                attr(b"f", bytes_field(10, bytes_field(1, b"body"))) + attr(b"Tin", types) + attr(b"Tout", types))
    return bytes_field(1, placeholder()) + bytes_field(1, call) + bytes_field(2, bytes_field(1, function))


def trained(count):
    graph = grow.sample(grow.GRAPH)
    copies = -(-count // len(grow.wire.every(grow.wire.read(graph), 1)))
    return grow.copies_of(graph, copies, 1, grow.graph_node)


GRAPHS = (("trained", trained), ("chain from its end", reversed_chain), ("chain in a function", function_chain))


def main():
    words = [w for w in sys.argv[1:] if w != "--check"]
    program = os.path.join(os.path.abspath(words[0]), "tfprof")
    count = int(words[1]) if len(words) > 1 else 100000
    scratch, bad = tempfile.mkdtemp(prefix="tfprof_bench_"), 0
    try:
        walk = os.path.join(scratch, "walk")
        subprocess.run(["cc", "-O3", "-std=c11", "-D_GNU_SOURCE", os.path.join(HERE, "walk.c"), "-o", walk], check=True)
        for name, make in GRAPHS:
            big, small = os.path.join(scratch, "big.pb"), os.path.join(scratch, "small.pb")
            for path, nodes in ((big, count), (small, count // 10)):
                with open(path, "wb") as file:
                    file.write(make(nodes))
            out = subprocess.run([walk, big, "7", "graph"], check=True, stdout=subprocess.PIPE, text=True).stdout
            bare, size = float(out.split(", ")[1].split()[0]), os.path.getsize(big)
            took, memory = bench.measure([program, "flops", big])
            few, _ = bench.measure([program, "flops", small])
            growth = took / few
            print("%-20s %5.1f MB: %6.1f ms = %4.1f walks, growth %4.1f, %.2f bytes of memory a byte" % (
                name, size / 1e6, took * 1e3, took / bare, growth, memory / size), flush=True)
            for form in ([], ["--nodes", "--format", "csv"]):
                for source in ("own", "tensorflow"):
                    more, _ = bench.measure([program, "flops", big, *form, "-float_ops_source", source], 3)
                    print("    %-30s %6.1f ms" % (" ".join([*form, source]), more * 1e3), flush=True)
            bad += took > SECONDS or growth > GROWTH
    finally:
        shutil.rmtree(scratch)
    if "--check" in sys.argv:
        print("%d passed, %d failed" % (len(GRAPHS) - bad, bad))
    return 1 if bad and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())

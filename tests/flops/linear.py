#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that `tfprof flops` takes time linear in its input: tests/flops/linear.py [PROGRAM [NAME...]]

Each kind of graph is made to cost one table or pass of the engine as much as it can, at a size and at four times that
size. The larger one may take at most SLACK times four times the smaller one's processor time, and LIMIT seconds in all;
both may take at most 512 MB. It needs neither TensorFlow nor a file. With a sanitizer build the limit is three times that.
"""
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "data"))
from wire import bytes_field as text, number_field as number, varint  # noqa: E402

GROWTH, SLACK, FLOOR, LIMIT, MEMORY_KB = 4, 1.75, 0.08, 5.0, 512 * 1024
INT32, FLOAT = 3, 1


# ---- messages, as bytes ----

def attr(name, value):
    return text(5, text(1, name) + text(2, value))


def kind(t):
    return number(6, t)


def integer(n):
    return number(3, n)


def function(name):
    return text(10, text(1, name))


def shape(*dims):
    return b"".join(text(2, number(1, d)) for d in dims)


def node(name, op, inputs=(), **attrs):
    return b"".join([text(1, name), text(2, op)] + [text(3, i) for i in inputs] + [attr(k, v) for k, v in attrs.items()])


def constant(name, values, dims=()):
    tensor = number(1, INT32) + text(2, shape(*dims)) + text(7, b"".join(varint(v) for v in values))
    return node(name, "Const", dtype=kind(INT32), value=text(8, tensor))


def argument(name, t=INT32):
    return text(1, name) + number(3, t)


def body(name, args, results, nodes):
    """A FunctionDef; results: (name, the tensor that it returns)."""
    signature = text(1, name) + b"".join(text(2, argument(a)) for a in args)
    signature += b"".join(text(3, argument(r)) for r, _ in results)
    parts = [text(1, signature)] + [text(3, n) for n in nodes]
    parts += [text(4, text(1, r) + text(2, source)) for r, source in results]
    return b"".join(parts)


def graph(nodes, bodies=()):
    library = b"".join(text(1, b) for b in bodies)
    return b"".join(text(1, n) for n in nodes) + (text(2, library) if bodies else b"")


# ---- kinds of graphs ----

def instances(n, inner):
    """n calls of one function, each with another constant, so that each is an instance of its
    own."""
    nodes = [constant("s%d" % i, [i]) for i in range(n)]
    nodes += [node("c%d" % i, "PartitionedCall", ["s%d" % i], f=function("f")) for i in range(n)]
    return graph(nodes, [body("f", ["x"], [("r", "i:output:0")], [node("i", "Identity", ["x"])] + inner)])


def attributes_again(n):
    return instances(n, [node("p", "Placeholder", _output_shapes=text(1, text(7, shape(1, 2)) * n))])


def equations(n):
    return instances(n, [node("e", "Einsum", ["x", "x"], equation=text(2, "a" * 4 * n + ",b->ab"), T=kind(INT32))])


def constants_again(n):
    return instances(n, [constant("k", [7] * min(4096, n), [min(4096, n)])])


def attributes_of_one(n):
    many = b"".join(attr("a%d" % i, integer(i)) for i in range(n))
    users = [node("u%d" % i, "Identity", ["m:output"]) for i in range(n)]
    return graph([node("c", "f")], [body("f", [], [("r", "u0:output:0")], [node("m", "IdentityN") + many] + users)])


def named_results(n):
    results = [("r%d" % i, "x") for i in range(n)]
    users = [node("u%d" % i, "Identity", ["c:r%d:0" % i]) for i in range(n)]
    inner = body("f", ["x"], results, [])
    return graph([node("a", "g")], [inner, body("g", ["x"], [("y", "u0:output:0")], [node("c", "f", ["x"])] + users)])


def calls_by_name(n):
    side = int(n ** 0.5)
    results = [("r%d" % i, "k:output:0") for i in range(side)]
    nodes = [node("c%d" % i, "f") for i in range(side)]
    return graph(nodes, [body("f", [], results, [constant("k", [1])])])


def exits(n):
    """A TensorFlow 1 loop with a long chain of Identity, followed by as many exits."""
    nodes = [constant("s", [0]), node("en", "Enter", ["s"], frame_name=text(2, "f")),
             node("me", "Merge", ["en", "ni"], N=integer(2)), node("i0", "Identity", ["me"])]
    nodes += [node("i%d" % i, "Identity", ["i%d" % (i - 1)]) for i in range(1, n)]
    nodes += [node("x%d" % i, "Exit", ["i%d" % (n - 1)]) for i in range(n)]
    nodes += [node("ni", "NextIteration", ["i%d" % (n - 1)]), node("lc", "LoopCond", ["i%d" % (n - 1)])]
    return graph(nodes)


def enters(n):
    """Nested loops: a tensor that enters the innermost one enters all."""
    nodes = [constant("s", [0]), node("e0", "Enter", ["s"], frame_name=text(2, "f0"))]
    nodes += [node("e%d" % i, "Enter", ["e%d" % (i - 1)], frame_name=text(2, "f%d" % i)) for i in range(1, n)]
    nodes += [node("m", "Merge", ["e%d" % (n - 1), "ni"]), node("ni", "NextIteration", ["m"])]
    nodes += [node("lc%d" % i, "LoopCond", ["e%d" % (n - 1)]) for i in range(n)]
    return graph(nodes)


def conditions(n):
    """Conditions that share one long chain of LogicalAnd."""
    nodes = [constant("s", [0]), node("en", "Enter", ["s"], frame_name=text(2, "f")), node("me", "Merge", ["en", "ni"]),
             node("ni", "NextIteration", ["me"]), node("a0", "LogicalAnd", ["me", "me"])]
    nodes += [node("a%d" % i, "LogicalAnd", ["a%d" % (i - 1), "a%d" % (i - 1)]) for i in range(1, n)]
    nodes += [node("lc%d" % i, "LoopCond", ["a%d" % (n - 1)]) for i in range(n)]
    return graph(nodes)


def while_results(n):
    names = ["x%d" % i for i in range(n)]
    chain = [node("i0", "Identity", ["x0"])]
    chain += [node("i%d" % i, "Identity", ["i%d:output:0" % (i - 1)]) for i in range(1, n)]
    last = "i%d:output:0" % (n - 1)
    cond = body("c", names, [("r", "x0")], [])
    loop = body("b", names, [("r%d" % i, last) for i in range(n)], chain)
    types = text(1, text(6, b"".join(varint(INT32) for _ in names)))
    return graph([constant("s", [0]), node("w", "While", ["s"] * n, T=types, cond=function("c"), body=function("b"))], [cond, loop])


def branches(n):
    listed = text(1, b"".join(text(9, text(1, "f%d" % i)) for i in range(n)))
    bodies = [body("f%d" % i, ["x"], [("r", "x")], []) for i in range(n)]
    return graph([constant("s", [0]), node("c", "Case", ["s", "s"], branches=listed, Tout=text(1, text(6, varint(INT32))))], bodies)


def folding(n):
    """Each node computes with 4,096 elements, which are folded."""
    nodes = [constant("v", [3] * 4096, [4096]), node("a0", "Add", ["v", "v"], T=kind(INT32))]
    nodes += [node("a%d" % i, "Add", ["a%d" % (i - 1), "v"], T=kind(INT32)) for i in range(1, n)]
    return graph(nodes)


def long_shapes(n):
    """Shapes of the highest rank allowed."""
    wide = text(7, shape(*[1] * 254))
    nodes = [node("p", "Placeholder", dtype=kind(FLOAT), shape=wide), node("a0", "Relu", ["p"], T=kind(FLOAT))]
    nodes += [node("a%d" % i, "Concat", ["p", "a%d" % (i - 1), "p"], N=integer(2), T=kind(FLOAT)) for i in range(1, n)]
    return graph(nodes)


def squeezes(n):
    axes = text(1, text(3, b"".join(varint(k % 200) for k in range(n))))
    wide = text(7, shape(*[1] * 254))
    return graph([node("p", "Placeholder", dtype=kind(FLOAT), shape=wide),
                  node("q", "Squeeze", ["p"], squeeze_dims=axes, T=kind(FLOAT))])


def deep_calls(n):
    bodies = [body("f%d" % i, ["x"], [("r", "c:output:0")], [node("c", "PartitionedCall", ["x"], f=function("f%d" % (i + 1)))])
              for i in range(n)]
    bodies.append(body("f%d" % n, ["x"], [("r", "x")], []))
    return graph([constant("s", [0]), node("c", "PartitionedCall", ["s"], f=function("f0"))], bodies)


def circles(n):
    """Each function calls itself twice, and the next one."""
    bodies = [body("f%d" % i, ["x"], [("r", "x")], [node("c%d" % k, "PartitionedCall", ["x"], f=function("f%d" % (i + k % 2)))
                                                   for k in range(3)]) for i in range(n)]
    return graph([constant("s", [0]), node("c", "PartitionedCall", ["s"], f=function("f0"))], bodies)


def doubling(n):
    """Each function calls the next one twice, with other constants: instances double until the limit on work."""
    def calls(i):
        return [constant("k", [i]), constant("l", [i + 1]), node("s", "AddV2", ["x", "k:output:0"], T=kind(INT32)),
                node("t", "AddV2", ["x", "l:output:0"], T=kind(INT32)),
                node("a", "PartitionedCall", ["s:z:0"], f=function("f%d" % (i + 1))),
                node("b", "PartitionedCall", ["t:z:0"], f=function("f%d" % (i + 1)))]
    bodies = [body("f%d" % i, ["x"], [("r", "x")], calls(i)) for i in range(n)] + [body("f%d" % n, ["x"], [("r", "x")], [])]
    return graph([constant("s", [0]), node("c", "PartitionedCall", ["s"], f=function("f0"))], bodies)


def users_of_one(n):
    nodes = [node("p", "Placeholder", dtype=kind(FLOAT))]
    return graph(nodes + [node("u%d" % i, "Add", ["p", "p"], T=kind(FLOAT)) for i in range(n)])


KINDS = {attributes_again: 6000, equations: 6000, constants_again: 9000, attributes_of_one: 15000, named_results: 15000,
         calls_by_name: 250000, exits: 10000, enters: 10000, conditions: 8000, while_results: 6000, branches: 8000,
         folding: 15000, long_shapes: 15000, squeezes: 500000, deep_calls: 7000, circles: 3500, doubling: 3000,
         users_of_one: 20000}


def cost(program, path):
    """-> (status, seconds of processor time, KB)"""
    process = subprocess.Popen([*program, "flops", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def check(program, make, size, scratch, slow):
    """-> what is wrong with the graphs of both sizes, or None. A bad result is measured again: the lowest of three times
    counts."""
    paths = [os.path.join(scratch, name) for name in ("small.pb", "large.pb")]
    for path, n in zip(paths, (size, GROWTH * size)):
        with open(path, "wb") as file:
            file.write(make(n))
        if os.path.getsize(path) > 4 << 20:
            return "%d bytes: over the 4 MB of the promise" % os.path.getsize(path)
    costs = [cost(program, path) for path in paths]
    for _ in range(2):
        if not fault_of(make, size, costs, slow):
            return None
        costs = [min(known, cost(program, path), key=lambda c: c[1]) for known, path in zip(costs, paths)]
    return fault_of(make, size, costs, slow)


def fault_of(make, size, costs, slow):
    (status, small, _), (status_4, large, memory) = costs
    if os.environ.get("VERBOSE"):
        print("%-18s %6.2f s %6.2f s %4d MB" % (make.__name__, small, large, memory >> 10), flush=True)
    if status not in (0, 4) or status_4 not in (0, 4):
        return "status %d and %d" % (status, status_4)
    if large > LIMIT * slow or large > GROWTH * SLACK * max(small, FLOOR * slow):
        return "%.2f s at %d, %.2f s at %d" % (small, size, large, GROWTH * size)
    if slow == 1 and memory > MEMORY_KB:
        return "%d KB" % memory
    return None


def main():
    program = (sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "tfprof")).split()
    with open(program[-1], "rb") as file:
        slow = 3 if b"__asan_init" in file.read() else 1
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for make, size in KINDS.items():
            if len(sys.argv) > 2 and make.__name__ not in sys.argv[2:]:
                continue
            fault = check(program, make, size, scratch, slow)
            passed, failed = passed + (not fault), failed + bool(fault)
            if fault:
                print("FAILED %s: %s" % (make.__name__, fault), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

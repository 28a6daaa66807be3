#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes sample/pprof/odd.pb, a small pprof profile of what is rare in them: pprof.py OUT

Inlined functions, an address without symbols, a recursion, labels of text and number, a default type that is not the last,
a function with a system name only, a sample without a stack. (go_cpu.pb.gz and go_allocs.pb.gz beside it: pprof.go.)
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import wire  # noqa: E402

TEXTS = ["", "samples", "count", "wait", "milliseconds", "space", "bytes", "main", "load", "parse", "_ZN4fastEv", "net/main.py",
         "/usr/lib/libfast.so.1", "thread", "reader", "batch", "fast.cc"]
S = TEXTS.index


def fields(*rows):
    return wire.write([(n, wire.BYTES if isinstance(v, bytes) else wire.VARINT, v) for n, v in rows])


def packed(*numbers):
    return b"".join(wire.varint(n) for n in numbers)


def sample(locations, values, **labels):
    told = [(3, fields((1, S(k)), (2, S(v)) if isinstance(v, str) else (3, v))) for k, v in labels.items()]
    return 2, fields(*([(1, packed(*locations))] if locations else []), (2, packed(*values)), *told)


def line(function, at):
    return 4, fields((1, function), (2, at))


def profile():
    types = [(1, fields((1, S(a)), (2, S(b)))) for a, b in (("samples", "count"), ("wait", "milliseconds"), ("space", "bytes"))]
    samples = [sample([3, 2, 1], [4, 40, 4096], thread="reader", batch=32),
               sample([2, 2, 1], [2, 20, 0], thread="main"),
               sample([4, 1], [1, 5, 100]),
               sample([5, 1], [1, 2, 7], batch=8),
               sample([], [1, 3, 1])]
    mappings = [(3, fields((1, 1), (2, 4096), (3, 8192), (5, S("/usr/lib/libfast.so.1"))))]
    locations = [(4, fields((1, 1), line(1, 12))), (4, fields((1, 2), line(2, 20))),
                 (4, fields((1, 3), line(3, 31), line(2, 22))),  # parse was inlined into load
                 (4, fields((1, 4), (2, 1), (3, 5000))), (4, fields((1, 5), (2, 1), (3, 6000), line(4, 7)))]
    functions = [(5, fields((1, 1), (2, S("main")), (4, S("net/main.py")), (5, 10))),
                 (5, fields((1, 2), (2, S("load")), (4, S("net/main.py")), (5, 19))),
                 (5, fields((1, 3), (2, S("parse")), (4, S("net/main.py")), (5, 30))),
                 (5, fields((1, 4), (3, S("_ZN4fastEv")), (4, S("fast.cc"))))]
    strings = [(6, t.encode()) for t in TEXTS]
    rest = [(9, 1700000000000000000), (10, 2000000000), (12, 10000000), (14, S("wait"))]
    return fields(*types, *samples, *mappings, *locations, *functions, *strings, *rest)


def device_memory():
    """As jax.profiler.save_device_memory_profile() writes it: two lines that hold buffers, and executables."""
    texts = ["", "allocations", "count", "space", "bytes", "kind", "buffer", "executable", "device", "cuda:0", "cuda:1", "train.py", "init",
             "step"]
    at = texts.index

    def held(location, count, size, kind, device=None):
        labels = [(3, fields((1, at("kind")), (2, at(kind))))]
        if device:
            labels.append((3, fields((1, at("device")), (2, at(device)))))
        return 2, fields((1, packed(location)), (2, packed(count, size)), *labels)

    types = [(1, fields((1, at(a)), (2, at(b)))) for a, b in (("allocations", "count"), ("space", "bytes"))]
    samples = [held(1, 2, 3000, "buffer", "cuda:0"), held(2, 1, 5000, "buffer", "cuda:0"), held(1, 1, 7, "buffer", "cuda:1"),
               held(2, 3, 900, "executable"), held(2, 1, 0, "executable")]
    places = [(4, fields((1, n), line(n, 10 * n))) for n in (1, 2)]
    functions = [(5, fields((1, n), (2, at(name)), (4, at("train.py")))) for n, name in ((1, "init"), (2, "step"))]
    return fields(*types, *samples, *places, *functions, *[(6, t.encode()) for t in texts])


def main():
    with open(os.path.join(sys.argv[1], "device_memory.pb"), "wb") as f:
        f.write(device_memory())
    with open(os.path.join(sys.argv[1], "odd.pb"), "wb") as f:
        f.write(profile())


if __name__ == "__main__":
    main()

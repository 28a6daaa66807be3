# SPDX-License-Identifier: Apache-2.0
"""Kinds of sampled stacks and of printed reports."""
from kinds import kind
from wire import bytes_field as text, number_field as number


# ---- sampled stacks ----

def pprof(functions, stacks):
    """Functions with a location each, and samples whose frames are the numbers of these, from 1 on."""
    strings = ["", "cpu", "nanoseconds", "file.go"] + ["f%d" % i for i in range(functions)]
    return {"profile.pb": text(1, number(1, 1) + number(2, 2)) +
            b"".join(text(2, b"".join(number(1, frame) for frame in stack) + number(2, 10)) for stack in stacks) +
            b"".join(text(4, number(1, i + 1) + text(4, number(1, i + 1) + number(2, i))) for i in range(functions)) +
            b"".join(text(5, number(1, i + 1) + number(2, i + 4) + number(4, 3)) for i in range(functions)) +
            b"".join(text(6, s) for s in strings)}


@kind(6000)
def a_stack_each(n):
    return pprof(n, [[i + 1, i // 2 + 1, 1] for i in range(n)])


@kind(6000)
def one_deep_stack(n):
    return pprof(n, [range(1, n + 1)] * 2)


@kind(8000)
def one_function_calls_itself(n):
    return pprof(2, [[1] * n, [2] + [1] * n])


@kind(60000)
def stacks_of_every_depth(n):
    return pprof(int(n ** 0.5), [range(1, i + 1) for i in range(1, int(n ** 0.5))])


# ---- printed reports ----

@kind(15000)
def printed_scopes(n):
    lines = ["node name | # parameters", "_TFProfRoot (--/%d params)" % n] + ["  s%d/v%d (1, 1/1 params)" % (i % 100, i) for i in range(n)]
    return {"scope.txt": "\n".join(lines + [""]).encode()}

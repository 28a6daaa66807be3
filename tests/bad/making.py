# SPDX-License-Identifier: Apache-2.0
"""Helpers that make small inputs for the groups, field by field."""
import os

from harness import SAMPLE

import wire

SMALL = ("odd/profile_5", "odd/graph.pb", "odd/graph.pbtxt", "odd/run_meta_0", "odd/tfprof_log", "dense/run_meta_3",
         "dense/ckpt_v2/model.ckpt-3.index", "functions/saved_model/saved_model.pb")


def text(number, value):
    return wire.bytes_field(number, value)


def node(name, op="NoOp", inputs=(), attrs=b""):
    """A node as a field of GraphDef."""
    return text(1, text(1, name) + text(2, op) + b"".join(text(3, i) for i in inputs) + attrs)


def shape_attr(dims):
    shape = b"".join(text(2, wire.number_field(1, d)) for d in dims)
    return text(5, text(1, "shape") + text(2, text(7, shape)))


def execution(name, start=1000, duration=5, extra=b""):
    """A NodeExecStats with all_start, op_end and all_end."""
    return text(1, name) + b"".join(wire.number_field(n, v) for n, v in ((2, start), (4, duration), (5, duration))) + extra


def run_meta(*executions, device="/job:localhost/replica:0/task:0/device:CPU:0"):
    return text(1, text(1, text(1, device) + b"".join(text(2, e) for e in executions)))


CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
GRAPH = node("x", "Placeholder", (), shape_attr([2, 3])) + node("a/mul", "MatMul", ["x"]) + node("a/b", "Add", ["a/mul"])


def sample_path(name):
    return os.path.join(SAMPLE, name)

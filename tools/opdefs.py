#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/flops/rules/shared/opdefs.c: the outputs of every op that TensorFlow knows, from its own registry. Run it
with the Python that has TensorFlow (.venv/bin/python tools/opdefs.py) for a new version of TensorFlow; the result is
committed, so that a build needs no TensorFlow. `--check` writes nothing and tells whether the file is current.
"""
import os
import sys
import textwrap

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow  # noqa: E402
from tensorflow.core.framework import op_def_pb2  # noqa: E402
from tensorflow.python.client import pywrap_tf_session  # noqa: E402

PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src", "flops", "rules", "shared", "opdefs.c")
REFERENCE = 100  # a reference's DataType is the plain one plus this
USUAL = ":T"  # the outputs of ops without a row: TFP_USUAL_OUTPUTS in rule.h
LONGEST = 4000  # characters of a string, of which C's compilers must take 4095

HEAD = """// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/opdefs.c: the outputs of every op in the registry of TensorFlow %s, public or not: their
 * number and types; those with one output of type T are left out. Made by tools/opdefs.py; rule.h describes the form of
 * a row. */
#include "flops/rules/shared/rule.h"

/* clang-format off */
const tfp_opdef tfp_opdefs[] = {
"""

TAIL = """    { NULL },
};
/* clang-format on */
"""


def registry():
    """All ops as OpDefs, by name in byte order."""
    ops = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return sorted(ops.op, key=lambda op: op.name.encode())


def default(op, name):
    """=NUMBER if the attribute has a default that is a number or a type, else nothing."""
    for attr in op.attr:
        if attr.name == name and attr.HasField("default_value"):
            kind = attr.default_value.WhichOneof("value")
            if kind in ("i", "type"):
                return "=%d" % getattr(attr.default_value, kind)
            if kind != "list" or attr.default_value.list.ByteSize():
                sys.exit("%s.%s: a default that rule.h has no form for" % (op.name, name))
    return ""


def output(op, arg):
    if arg.type_list_attr:
        default(op, arg.type_list_attr)
        return "%s:%s[]" % (arg.name, arg.type_list_attr)
    kind = arg.type_attr + default(op, arg.type_attr) if arg.type_attr else str(arg.type % REFERENCE)
    times = "%s%s*" % (arg.number_attr, default(op, arg.number_attr)) if arg.number_attr else ""
    return "%s%s:%s" % (times, arg.name, kind)


def outputs(op):
    """A single output needs no name: whoever refers to an output of this op means it."""
    texts = [output(op, arg) for arg in op.output_arg]
    if len(texts) == 1:
        times, star, rest = texts[0].rpartition("*")
        texts = [times + star + rest[rest.index(":"):]]
    return "!" * op.is_stateful + " ".join(texts)


def row(outs, names):
    """The lines of one row."""
    lines = ['    { "%s",' % outs]
    texts = textwrap.wrap(" ".join(names), 108, break_long_words=False, break_on_hyphens=False)
    for text in ['"%s "' % t for t in texts[:-1]] + ['"%s"' % texts[-1]]:
        if len(lines) == 1 and len(lines[0]) + len(text) < 113:
            lines[0] += " " + text
        else:
            lines.append("      " + text)
    lines[-1] += " },"
    return lines


def text():
    """Ops with the same outputs share a row, as far as a string may be long; short rows share a line. Those with the
    usual outputs have no row."""
    rows = {}
    for op in registry():
        rows.setdefault(outputs(op), []).append(op.name)
    lines = []
    for outs in sorted(rows.keys() - {USUAL}):
        for names in textwrap.wrap(" ".join(rows[outs]), LONGEST):
            made = row(outs, names.split())
            if lines and len(made) == 1 and len(lines[-1]) + len(made[0]) - 3 <= 120:
                lines[-1] += made[0][3:]
            else:
                lines += made
    return HEAD % tensorflow.__version__ + "".join(line + "\n" for line in lines) + TAIL


def main():
    if sys.argv[1:] == ["--check"]:
        with open(PATH) as file:
            return 0 if file.read() == text() else "src/flops/rules/shared/opdefs.c is not what tools/opdefs.py writes"
    with open(PATH, "w") as file:
        file.write(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every op of TensorFlow's list, called in random ways that TensorFlow accepts, compared as compare.py does it.

    .venv/bin/python tests/flops/every_op.py [-v] [--seed N] [--calls N] [--keep FOLDER] [REGEX...]

A call begins with inputs of which nothing is known; then facts about one input after another are added (a rank, dimensions,
constants), and what TensorFlow refuses is taken back. Each op is tried in a process of its own: some inputs kill TensorFlow.
The calls of all ops go into a few graph files. Not part of the suite: it takes minutes.
"""
import argparse
import multiprocessing
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402
import oracle  # noqa: E402

tf = oracle.tf
from tensorflow.core.framework import attr_value_pb2, op_def_pb2  # noqa: E402
from tensorflow.python.client import pywrap_tf_session  # noqa: E402
from tensorflow.python.framework import op_def_library  # noqa: E402

import numpy as np  # noqa: E402

# Ops that are placeholders for something else, or that the importer treats specially.
LEFT_OUT = re.compile("_.*|Placeholder.*|Const|.*TestStringOutput|While|If|Case|Stateless(While|If|Case)|PartitionedCall|"
                      "StatefulPartitionedCall|RemoteCall|SymbolicGradient|For|TPUPartitionedCall|XlaLaunch|NextIteration|"
                      "RefNextIteration|Enter|RefEnter")
EQUATIONS = [b"ij,jk->ik", b"bij,bjk->bik", b"...ij,...jk->...ik", b"ij->ji", b"ii->i", b"ij,ij->"]
TEXTS = {"equation": EQUATIONS, "data_format": [b"NHWC", b"NCHW"], "mode": [b"REFLECT"], "interpolation": [b"BILINEAR"],
         "direction": [b"unidirectional", b"bidirectional"], "Activation": [b"Relu"]}
TYPES = [1, 1, 3, 9, 7, 10, 2]  # for attributes without a list of allowed types: mostly float


def definitions():
    buffer = pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList())
    every = op_def_pb2.OpList.FromString(buffer)
    return {op.name: op for op in every.op}


def function():
    """A function, for ops that need one."""
    @tf.function(input_signature=[tf.TensorSpec((2,))])
    def body(x):
        return x * 2.
    return body.get_concrete_function()


class Call:
    """The attributes of a call and what is known of each input; tensors are made from it in any
    graph."""

    def __init__(self, op, rng, body):
        self.op, self.rng = op, rng
        self.attrs = {a.name: self.attr(a, body) for a in op.attr}
        self.inputs = []  # (argument, index in it, type)
        for arg in op.input_arg:
            if arg.number_attr:
                types = [self.type_of(arg)] * self.attrs[arg.number_attr]
            else:
                types = self.attrs[arg.type_list_attr] if arg.type_list_attr else [self.type_of(arg)]
            self.inputs += [(arg, i, t) for i, t in enumerate(types)]
        self.known = [tf.TensorShape([]) if t in oracle.HELD and rng.random() < .7 else tf.TensorShape(None)
                      for _, _, t in self.inputs]

    def type_of(self, arg):
        return tf.as_dtype(arg.type) if arg.type else self.attrs[arg.type_attr]

    def attr(self, a, body):
        rng, default = self.rng, a.HasField("default_value") and self.rng.random() < .6
        kind = a.type
        if kind.startswith("list("):
            if default or a.HasField("default_value") and kind in ("list(float)", "list(string)"):
                return self.listed(a.default_value.list, kind)
            count = max(rng.choice([1, 1, 2, 4, 4, 5]) if kind == "list(int)" else rng.choice([1, 2]), a.minimum)
            return [self.one(a, kind[5:-1], body) for _ in range(count)]
        if default:
            value = a.default_value
            return {"type": lambda: tf.as_dtype(value.type), "int": lambda: value.i, "bool": lambda: value.b,
                    "float": lambda: value.f, "string": lambda: value.s, "tensor": lambda: value.tensor,
                    "shape": lambda: tf.TensorShape(value.shape), "func": lambda: value.func}[kind]()
        return self.one(a, kind, body)

    @staticmethod
    def listed(value, kind):
        return {"list(int)": list(value.i), "list(float)": list(value.f), "list(bool)": list(value.b),
                "list(string)": list(value.s), "list(type)": [tf.as_dtype(t) for t in value.type],
                "list(shape)": [tf.TensorShape(s) for s in value.shape]}.get(kind, [])

    def one(self, a, kind, body):
        rng, allowed = self.rng, a.allowed_values.list
        if kind == "type":
            types = [t for t in allowed.type if t not in (20, 21)] or list(allowed.type) or TYPES
            return tf.as_dtype(rng.choice([t for t in types if t in TYPES] or types))
        if kind == "int":
            return max(rng.choice([1, 1, 2, 2, 3, 0]), a.minimum) if a.has_minimum else rng.choice([1, 1, 2, 2, 3, 0])
        if kind == "string":
            return rng.choice(list(allowed.s) or TEXTS.get(a.name, [b"x"]))
        return {"bool": lambda: rng.random() < .5, "float": lambda: .5, "shape": self.shape,
                "func": lambda: attr_value_pb2.NameAttrList(name=body.name),
                "tensor": lambda: tf.make_tensor_proto([1, 2])}[kind]()

    def shape(self):
        rng = self.rng
        if rng.random() < .1:
            return tf.TensorShape(None)
        return tf.TensorShape([rng.choice([None, 1, 2, 3, 4, 5, 6, 8]) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4, 4, 5]))])

    def tell(self):
        """Reveals one more fact about an input; returns a function that undoes it."""
        rng, at = self.rng, self.rng.randrange(len(self.inputs))
        before, dtype = self.known[at], self.inputs[at][2]
        if dtype.base_dtype in (tf.int32, tf.int64) and rng.random() < .6:
            shape = rng.choice([(), (), (1,), (2,), (2,), (3,), (4,), (4,), (5,), (0,), (2, 2)])
            self.known[at] = np.array([rng.choice([0, 1, 1, 2, 3, 4, 6, -1]) for _ in range(int(np.prod(shape)))],
                                      dtype.base_dtype.as_numpy_dtype).reshape(shape)
        elif isinstance(before, tf.TensorShape) and before.rank and rng.random() < .6:
            dims = before.as_list()
            dims[rng.randrange(len(dims))] = rng.choice([None, 1, 2, 3, 4, 5, 6, 8])
            self.known[at] = tf.TensorShape(dims)
        else:
            self.known[at] = self.shape()
        return lambda: self.known.__setitem__(at, before)

    def make(self, name):
        """Builds the call in the default graph."""
        arguments, inferred = {}, set()
        for (arg, _, dtype), known in zip(self.inputs, self.known):
            inferred |= {arg.type_attr, arg.number_attr, arg.type_list_attr}
            if arg.is_ref:
                shape = known.shape if isinstance(known, np.ndarray) else known if known.is_fully_defined() else [2]
                tensor = tf.raw_ops.VariableV2(shape=shape, dtype=dtype)
            elif isinstance(known, np.ndarray):
                tensor = tf.constant(known)
            else:
                tensor = tf.compat.v1.placeholder(dtype, known)
            if arg.number_attr or arg.type_list_attr:
                arguments.setdefault(arg.name, []).append(tensor)
            else:
                arguments[arg.name] = tensor
        for arg in self.op.input_arg:
            inferred |= {arg.type_attr, arg.number_attr, arg.type_list_attr}
            arguments.setdefault(arg.name, [])
        attrs = {k: v for k, v in self.attrs.items() if k not in inferred}
        return op_def_library._apply_op_helper(self.op.name, name=name, **arguments, **attrs)[2]  # pylint: disable=protected-access

    def accepted(self, graph):
        try:
            with graph.as_default():
                self.make("try")
            return True
        except Exception:  # pylint: disable=broad-except
            return False

    def copy(self):
        other = object.__new__(Call)
        other.__dict__ = dict(self.__dict__, known=list(self.known))
        return other


def calls_of(op, seed, wanted, body):
    """Up to `wanted` calls that TensorFlow accepts, as a serialised graph."""
    rng, kept = random.Random("%s %d" % (op.name, seed)), []
    graph = tf.Graph()
    body.add_to_graph(graph)
    for attempt in range(60):
        if len(kept) >= wanted:
            break
        try:
            call = Call(op, rng, body)
        except (KeyError, TypeError, ValueError):
            continue
        for _ in range(attempt % 7 if call.inputs else 0):  # some ops refuse unknown inputs
            call.tell()
        if not call.accepted(graph):
            continue
        kept.append(call.copy())
        for step in range(24 if call.inputs else 0):
            back = call.tell()
            if not call.accepted(graph):
                back()
            elif step % 6 == 5 and len(kept) < wanted:
                kept.append(call.copy())
    final = tf.Graph()
    body.add_to_graph(final)
    with final.as_default():
        for i, call in enumerate(kept):
            with tf.name_scope("%s_%d" % (op.name.replace(">", "."), i)):
                call.make("call")
    return len(kept), final.as_graph_def().SerializeToString()


def in_own_process(op, seed, wanted, body):
    ours, theirs = multiprocessing.Pipe(False)

    def work():
        sys.stderr.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        theirs.send_bytes(calls_of(op, seed, wanted, body)[1])
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    theirs.close()
    data = None
    try:
        if ours.poll(60):
            data = ours.recv_bytes()
    except EOFError:
        pass
    if child.is_alive() and data is None:
        child.kill()
    child.join()
    return data


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-v", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=12)
    parser.add_argument("--keep")
    parser.add_argument("regex", nargs="*")
    asked = parser.parse_args()
    program, body, failed = os.environ.get("TFPROF", compare.PROGRAM).split(), function(), 0
    every = [op for name, op in sorted(definitions().items()) if not LEFT_OUT.fullmatch(name)
             and (not asked.regex or any(re.fullmatch(r, name) for r in asked.regex))]
    whole, part, dead, refused = tf.compat.v1.GraphDef(), [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.keep or scratch
        for i, op in enumerate(every):
            data = in_own_process(op, asked.seed, asked.calls, body)
            if data is None:
                dead.append(op.name)
            else:
                one = tf.compat.v1.GraphDef.FromString(data)
                (part if one.node else refused).append(op.name)
                whole.node.extend(one.node)
                whole.versions.CopyFrom(one.versions)
                if not whole.library.function:
                    whole.library.CopyFrom(one.library)
            if whole.node and (len(whole.node) > 20000 or i == len(every) - 1):
                path = os.path.join(folder, "ops_%d.pb" % i)
                with open(path, "wb") as file:
                    file.write(whole.SerializeToString())
                known = oracle.Oracle(oracle.read(path))
                for source in ("own", "tensorflow"):
                    outcome = compare.compare_with(known, program, path, source, "%s to %s" % (part[0], part[-1]))
                    print(outcome.summary(), flush=True)
                    for line in outcome.details(asked.v):
                        print(line[:400])
                    failed += bool(outcome.failures)
                whole, part = tf.compat.v1.GraphDef(), []
    print("killed TensorFlow: " + " ".join(dead))
    print("no call accepted: " + " ".join(refused))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

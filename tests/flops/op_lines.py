# SPDX-License-Identifier: Apache-2.0
"""Graphs from lines: a line has an op, its inputs, and those attributes that differ from the usual ones. A graph has the op
with all shapes known, with each dimension and each shape unknown in turn, and with none known, as far as TensorFlow accepts
them. A tuple is a shape, a list or number a constant."""
from making import placeholder
from oracle import tf
from tensorflow.core.framework import attr_value_pb2, op_def_pb2
from tensorflow.python.client import pywrap_tf_session as session

F = tf.float32


class Var:
    """A resource variable."""

    def __init__(self, *dims, dtype=F, known=True):
        self.dims, self.dtype, self.known = dims, dtype, known

    def tensor(self):
        shape = tf.TensorShape(self.dims) if self.known else tf.TensorShape(None)
        return tf.raw_ops.VarHandleOp(dtype=self.dtype, shape=shape, shared_name="v")


class Made:
    """The output of another op."""

    def __init__(self, make):
        self.make = make

    def tensor(self):
        return self.make()


def definitions():
    ops = op_def_pb2.OpList()
    ops.ParseFromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
    return {o.name: o for o in ops.op}


DEFINITIONS = definitions()


def shape_proto(value):
    return tf.TensorShape(value).as_proto()


def attr_of(kind, value):
    """An AttrValue of this kind; `value` is a Python value."""
    attr = attr_value_pb2.AttrValue()
    one = kind.removeprefix("list(").removesuffix(")")
    field = {"int": "i", "float": "f", "bool": "b", "string": "s", "type": "type", "shape": "shape", "func": "func"}[one]
    values = value if kind.startswith("list(") else [value]
    as_field = {"s": lambda v: v.encode() if isinstance(v, str) else v, "type": lambda v: tf.as_dtype(v).as_datatype_enum,
                "shape": shape_proto, "func": lambda v: attr_value_pb2.NameAttrList(name=v)}.get(field, lambda v: v)
    if kind.startswith("list("):
        attr.list.SetInParent()
        getattr(attr.list, field).extend(as_field(v) for v in values)
    elif field in ("shape", "func"):
        getattr(attr, field).CopyFrom(as_field(value))
    else:
        setattr(attr, field, as_field(value))
    return attr


def usual(attr):
    """A value for an attribute that a line does not give."""
    allowed = attr.allowed_values.list
    number = max(attr.minimum, 1) if attr.has_minimum else 1
    plain = {"int": number, "float": 0.5, "bool": False, "string": allowed.s[0] if allowed.s else b"", "shape": (4, 6),
             "func": "nothing", "type": F if not allowed.type or 1 in allowed.type else allowed.type[0]}
    kind = attr.type.removeprefix("list(").removesuffix(")")
    return [plain[kind]] * 2 if attr.type.startswith("list(") else plain[kind]


def attributes(op, given):
    out = {}
    for attr in op.attr:
        if attr.name in given:
            out[attr.name] = attr_of(attr.type, given[attr.name])
        elif not attr.HasField("default_value"):
            out[attr.name] = attr_of(attr.type, usual(attr))
    return out


def input_types(op, attrs):
    """(DataType, is it a ref) of every input."""
    def value(name):
        return attrs[name] if name in attrs else next(a.default_value for a in op.attr if a.name == name)
    for arg in op.input_arg:
        if arg.type_list_attr:
            yield from ((t, False) for t in value(arg.type_list_attr).list.type)
            continue
        count = value(arg.number_attr).i if arg.number_attr else 1
        for _ in range(count):
            yield arg.type or value(arg.type_attr).type, arg.is_ref


def tensor_of(wanted, dtype, is_ref):
    dtype = tf.as_dtype(dtype)
    if hasattr(wanted, "tensor"):
        return wanted.tensor()
    if isinstance(wanted, (list, int, float)):
        return tf.constant(wanted, dtype)
    if is_ref:
        return tf.raw_ops.VariableV2(shape=tf.TensorShape(wanted), dtype=dtype)
    return placeholder(wanted, dtype)


def variants(inputs):
    """The inputs with all shapes known, with each shape and each dimension unknown in turn, and
    with none known."""
    yield inputs
    for i, wanted in enumerate(inputs):
        if not isinstance(wanted, tuple):
            continue
        yield inputs[:i] + [None] + inputs[i + 1:]
        for k in range(len(wanted)):
            yield inputs[:i] + [wanted[:k] + (None,) + wanted[k + 1:]] + inputs[i + 1:]
    yield [None if isinstance(w, tuple) else w for w in inputs]
    yield [(None,) * len(w) if isinstance(w, tuple) else w for w in inputs]


def add(graph, name, inputs, given, node=None):
    op = DEFINITIONS[name]
    attrs = attributes(op, given)
    spare = len(inputs) - len(list(input_types(op, attrs)))
    for attr in [arg.type_list_attr for arg in op.input_arg if arg.type_list_attr and arg.type_list_attr not in given]:
        attrs[attr] = attr_of("list(type)", [F] * (len(attrs[attr].list.type) + spare))  # as many as the line gives
        break
    types = list(input_types(op, attrs))
    assert len(types) == len(inputs), (name, len(types), len(inputs))
    tensors = [tensor_of(w, t, r) for w, (t, r) in zip(inputs, types)]
    node = node or "n%d" % len(graph.get_operations())
    return graph._create_op_internal(name, tensors, None, attrs=attrs, name=node)  # pylint: disable=protected-access


def graph_of(lines):
    with tf.Graph().as_default() as graph:
        for name, inputs, *rest in lines:
            if name not in DEFINITIONS:
                continue
            given = rest[0] if rest else {}
            for i, some in enumerate(variants(list(inputs))):
                try:
                    add(graph, name, some, given)
                except ValueError:
                    if i == 0:
                        raise
    return graph

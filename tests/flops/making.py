# SPDX-License-Identifier: Apache-2.0
"""Helpers that build the small graphs of the cases."""
from oracle import tf
from tensorflow.python.framework import op_def_library, op_def_registry

FLOAT, INT, BOOL, COMPLEX = tf.float32, tf.int32, tf.bool, tf.complex64
SHAPES = [[2, 3], [2, None], [None, 3], [], None, [3], [1, 3], [0, 3], [5, 1, 3], [None, None, 3]]
# for empty tensors the registry counts negative numbers for some reductions
FILLED = [s for s in SHAPES if s != [0, 3]]
REFUSED = []  # TensorFlow's messages about nodes that it refuses: (op, text)


def placeholder(shape=None, dtype=FLOAT):
    """One placeholder for each shape and type in a graph, because most nodes of the cases were placeholders and took half of
    the time. Placeholders of other values, or within a loop or a branch, are made anew each time."""
    graph = tf.compat.v1.get_default_graph()
    if dtype in (tf.resource, tf.variant) or graph._get_control_flow_context() is not None:  # pylint: disable=protected-access
        return tf.compat.v1.placeholder(dtype, shape)
    kept = graph.get_collection_ref("placeholders of the cases")
    if not kept:
        kept.append({})
    key = dtype, str(shape)
    if key not in kept[0]:
        kept[0][key] = tf.compat.v1.placeholder(dtype, shape)
    return kept[0][key]


def default_of(attr):
    """The default of an attribute as a Python value."""
    value, kind = attr.default_value, attr.type
    if kind.startswith("list("):
        lists = {"int": value.list.i, "float": value.list.f, "string": value.list.s, "bool": value.list.b}
        return list(lists.get(kind[5:-1], []))
    return {"int": value.i, "float": value.f, "string": value.s, "bool": value.b, "type": value.type}[kind]


def add(op, *inputs, **attrs):
    """Adds a node to the default graph; None if TensorFlow refuses it. A list is an input of several tensors."""
    definition = op_def_registry.get(op)
    words = {arg.name: value for arg, value in zip(definition.input_arg, inputs)}
    derived = {arg.type_attr for arg in definition.input_arg} | {arg.number_attr for arg in definition.input_arg}
    derived |= {arg.type_list_attr for arg in definition.input_arg}
    for attr in definition.attr:
        if attr.name not in derived and attr.HasField("default_value"):
            words[attr.name] = default_of(attr)
    words.update(attrs)
    try:
        made = op_def_library.apply_op(op, name=words.pop("name", op.strip("_")), **words)
    except (ValueError, TypeError, IndexError) as wrong:
        REFUSED.append((op, str(wrong)))
        return None
    made = made[0] if isinstance(made, (list, tuple)) else made
    return made if isinstance(made, tf.Tensor) else None


def type_for(op):
    """A type that the first input of an op may have."""
    definition = op_def_registry.get(op)
    arg = definition.input_arg[0]
    if not arg.type_attr:
        return tf.as_dtype(arg.type)
    attr = next(a for a in definition.attr if a.name == arg.type_attr)
    allowed = [tf.as_dtype(t) for t in attr.allowed_values.list.type]
    return next((t for t in (FLOAT, INT, COMPLEX) if t in allowed or not allowed), None) or allowed[0]


def axis(value):
    """A constant, or a placeholder of a given shape."""
    shapes = {"scalar": [], "one": [1], "any": [None], "none": None}
    return placeholder(shapes[value], INT) if isinstance(value, str) else tf.constant(value, INT)


def built(*parts):
    """One graph for each function, with the function's name."""
    for part in parts:
        with tf.Graph().as_default() as graph:
            part()
        yield part.__name__, graph

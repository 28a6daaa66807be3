# SPDX-License-Identifier: Apache-2.0
"""What TensorFlow says of a graph file: the static shape of every output of every node, of the main graph and of the
bodies of its functions, and the float operations of its registry.

The main graph is what TensorFlow's importer makes of the file. A body is imported once more beside it, under a name of
its own, with placeholders for its arguments, which have the shapes (and, of resources and variants, the shapes of what
they hold) that all call sites agree on: the walk begins with the main graph, and comes to a body when all bodies that
call it are done. The arguments of a loop's functions are the outputs of the loop. Bodies that nobody calls from the main
graph come last, with what their signatures say. Bodies that call themselves are left out: they crash TensorFlow.
"""
import gzip
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # noqa: E402
from google.protobuf import text_format  # noqa: E402
from tensorflow.core.framework import graph_pb2  # noqa: E402
from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2  # noqa: E402
from tensorflow.python.framework import cpp_shape_inference_pb2, function_def_to_graph, importer, ops  # noqa: E402
from tensorflow.python.framework import errors as tf_errors  # noqa: E402
from tensorflow.python.ops import handle_data_util  # noqa: E402

tf.get_logger().setLevel("ERROR")
HELD = (tf.resource, tf.variant)
MOST = (1 << 63) - 1


def read(path):
    """The GraphDef in a file, which is a GraphDef (also as text or packed), a MetaGraphDef, or a SavedModel (also its
    folder)."""
    if os.path.isdir(path):
        path = os.path.join(path, "saved_model.pb")
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
        data = file.read()
    path = path.removesuffix(".gz")
    if path.endswith(".pbtxt"):
        return text_format.Parse(data, graph_pb2.GraphDef())
    if os.path.basename(path) == "saved_model.pb":
        return saved_model_pb2.SavedModel.FromString(data).meta_graphs[0].graph_def
    if path.endswith(".meta"):
        return meta_graph_pb2.MetaGraphDef.FromString(data).graph_def
    return graph_pb2.GraphDef.FromString(data)


def assume(graph_def, batch, shapes):
    """Sets assumed shapes in the placeholders of the main graph, like --assume-batch and --assume-shape."""
    for node in graph_def.node:
        if node.op == "Placeholder":
            shape = node.attr["shape"].shape
            if node.name in shapes:
                shape.CopyFrom(tf.TensorShape(shapes[node.name]).as_proto())
            elif batch and not shape.unknown_rank and shape.dim and shape.dim[0].size < 0:
                shape.dim[0].size = batch
            else:
                continue
            node.attr.pop("_output_shapes", None)


class Argument:
    """The known facts about an argument of a body."""

    def __init__(self, shape, held):
        self.shape, self.held = shape, held

    def agreed(self, other):
        return Argument(either(self.shape, other.shape), agreed_held(self.held, other.held))


def either(a, b):
    """The part of the shape in which both agree."""
    if a.rank is None or b.rank is None or a.rank != b.rank:
        return tf.TensorShape(None)
    return tf.TensorShape([m if m == n else None for m, n in zip(a.as_list(), b.as_list())])


def agreed_held(a, b):
    if a is None or b is None or len(a.shape_and_type) != len(b.shape_and_type):
        return None
    out = cpp_shape_inference_pb2.CppShapeInferenceResult.HandleData(is_set=True)
    for m, n in zip(a.shape_and_type, b.shape_and_type):
        if m.dtype != n.dtype:
            return None
        row = out.shape_and_type.add(dtype=m.dtype)
        row.shape.CopyFrom(either(tf.TensorShape(m.shape), tf.TensorShape(n.shape)).as_proto())
    return out


def of_tensor(tensor, otherwise=None):
    """The facts about a loop's output; `otherwise` is its input, which is the same resource."""
    held = handle_data(tensor)
    if held is None and otherwise is not None and tensor.dtype == tf.resource:
        held = handle_data(otherwise)
    return Argument(tensor.shape, held)


def handle_data(tensor):
    if tensor.dtype not in HELD:
        return None
    held = handle_data_util.get_resource_handle_data(tensor)
    return held if held.is_set else None


def functions_of(value):
    """The names of the functions in an attribute's value."""
    kind = value.WhichOneof("value")
    if kind == "func":
        return [value.func.name]
    return [f.name for f in value.list.func] if kind == "list" else []


def calls(node, op):
    """Pairs of a function's name and its arguments, which are None if they are unknown."""
    def named(*attrs):
        return [name for attr in attrs if attr in node.attr for name in functions_of(node.attr[attr])]

    ins = [of_tensor(t) for t in op.inputs] if op is not None else None
    if op is None:
        ins = outs = rest = None
    else:
        rest = ins[1:]
        outs = [of_tensor(t, i) for t, i in zip(op.outputs, op.inputs)]
    if node.op in ("If", "StatelessIf", "Case", "StatelessCase", "RemoteCall", "_If"):
        return [(name, rest) for name in named("then_branch", "else_branch", "branches", "f")]
    if node.op in ("While", "StatelessWhile", "_While"):
        return [(name, outs) for name in named("cond", "body")]
    if node.op in ("PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall"):
        return [(name, ins) for name in named("f")]
    return [(node.op, ins)] + [(name, None) for attr in node.attr.values() for name in functions_of(attr)]


class Body:
    """One FunctionDef, or the main graph (function ""), in the graph `inside`, its nodes under `prefix`."""

    def __init__(self, name, nodes, inside, prefix):
        self.name, self.nodes, self.inside, self.prefix = name, nodes, inside, prefix

    def op(self, node):
        return self.inside.get_operation_by_name(self.prefix + node.name)


class Oracle:
    """bodies: those that TensorFlow could read; left_out: function -> why it could not be read."""

    def __init__(self, graph_def, batch=0, shapes=None):
        given = graph_pb2.GraphDef()
        given.CopyFrom(graph_def)
        assume(given, batch, shapes or {})
        self.library = {f.signature.name: f for f in given.library.function}
        self.graph, self.left_out = tf.Graph(), {}
        with self.graph.as_default():
            tf.graph_util.import_graph_def(given, name="")
        self.bodies = [Body("", given.node, self.graph, "")]
        self.arguments = {}
        self.walk()

    # ---- the order of the bodies
    def called_by(self, nodes):
        """Function names, once each, in the order of the nodes."""
        return list(dict.fromkeys(name for node in nodes for name, _ in calls(node, None) if name in self.library))

    def order(self, first):
        """The bodies that are reached from `first`, callers before callees, and those that call
        themselves."""
        below = {name: self.called_by(f.node_def) for name, f in self.library.items()}
        reached, todo = set(), list(first)
        while todo:
            name = todo.pop()
            if name not in reached:
                reached.add(name)
                todo.extend(below[name])
        callers = dict.fromkeys(reached, 0)
        for name in reached:
            for called in below[name]:
                callers[called] += 1
        ready, out = [name for name in self.library if callers.get(name) == 0], []
        while ready:
            name = ready.pop(0)
            out.append(name)
            for called in below[name]:
                callers[called] -= 1
                if callers[called] == 0:
                    ready.append(called)
        return out, reached - set(out)

    def walk(self):
        self.visit_calls(self.bodies[0])
        reached, looping = self.order(self.called_by(self.bodies[0].nodes))
        self.visit(reached)
        done = set(reached) | looping
        others, more = self.order([name for name in self.library if name not in done])
        self.visit([name for name in others if name not in done])
        for name in looping | more:
            self.left_out[name] = "calls itself"

    def visit(self, names):
        for name in names:
            try:
                body = self.read_body(self.library[name])
            except (ValueError, TypeError, tf_errors.OpError) as wrong:
                self.left_out[name] = str(wrong).splitlines()[0][:200]
                continue
            self.bodies.append(body)
            self.visit_calls(body)

    def visit_calls(self, body):
        for node in body.nodes:
            if node.op not in self.library and not any(functions_of(a) for a in node.attr.values()):
                continue
            for name, arguments in calls(node, body.op(node)):
                if name in self.library:
                    self.add_call(name, arguments)

    def add_call(self, name, arguments):
        wanted = len(self.library[name].signature.input_arg)
        if arguments is None or len(arguments) != wanted:
            arguments = [Argument(tf.TensorShape(None), None)] * wanted
        before = self.arguments.get(name)
        self.arguments[name] = [a.agreed(b) for a, b in zip(before, arguments)] if before else arguments

    # ---- one body
    def argument(self, function, i):
        """The facts from the calls and, if it agrees, from the function itself."""
        given = self.arguments.get(function.signature.name)
        shape, held = (given[i].shape, given[i].held) if given else (tf.TensorShape(None), None)
        arg = function.signature.input_arg[i]
        attr = function.arg_attr[i].attr.get("_output_shapes") if i in function.arg_attr else None
        kind = attr.WhichOneof("value") if attr is not None else None
        if kind == "shape" or kind == "list" and attr.list.shape:
            said = tf.TensorShape(attr.shape if kind == "shape" else attr.list.shape[0])
            if said.is_compatible_with(shape):
                shape = shape.merge_with(said)
        if held is None and arg.handle_data:
            held = cpp_shape_inference_pb2.CppShapeInferenceResult.HandleData(is_set=True)
            for row in arg.handle_data:
                held.shape_and_type.add(dtype=row.dtype).shape.CopyFrom(row.shape)
        return Argument(shape, held)

    def read_body(self, function):
        prefix = "tfprof_body_%d" % len(self.bodies)
        placeholders = {}
        with self.graph.as_default():
            graph_def, _ = function_def_to_graph.function_def_to_graph_def(function)
            names = {arg.name for arg in function.signature.input_arg}
            for i, arg in enumerate(function.signature.input_arg):
                known = self.argument(function, i)
                placeholders[arg.name] = tf.compat.v1.placeholder(arg.type, known.shape, prefix + "_" + arg.name)
                if known.held is not None and arg.type in HELD:
                    handle_data_util.set_handle_data(placeholders[arg.name], known.held)
            nodes = [node for node in graph_def.node if node.name not in names]
            del graph_def.node[:]
            graph_def.node.extend(nodes)
            used = {}
            for node in nodes:
                for source in node.input:
                    name = source.lstrip("^").split(":")[0]
                    if name in placeholders:
                        used[source if source.startswith("^") else name + ":0"] = placeholders[name]
            importer._import_graph_def_internal(graph_def, input_map=used, name=prefix,  # pylint: disable=protected-access
                                                validate_colocation_constraints=False)
        return Body(function.signature.name, function.node_def, self.graph, prefix + "/")


# ---- float operations
def registered(graph, op):
    """The op log's number, or None if it has none; and the reason."""
    node = op.node_def
    try:
        ops._stats_registry.lookup(node.op + ",flops")  # pylint: disable=protected-access
    except LookupError:
        return None, "none"
    try:
        value = ops.get_stats_for_node_def(graph, node, "flops").value
    except ValueError:
        return None, "no_shape"
    return (None, "none") if value is None else (int(value), "formula")


def product(shape):
    n = 1
    for d in shape.as_list():
        n *= d
    return n


def right(op, value):
    """The registry's number without TensorFlow's bugs if all shapes are known; else `value`."""
    if not all(t.shape.is_fully_defined() for t in list(op.inputs) + list(op.outputs)):
        return value
    ins, outs = [t.shape for t in op.inputs], [t.shape for t in op.outputs]
    if op.type in ("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"):
        return 2 * product(outs[0]) * ins[0][-2 if op.get_attr("adj_x") else -1]
    if op.type == "MatMul":
        return 2 * product(outs[0]) * ins[0][0 if op.get_attr("transpose_a") else 1]
    if op.type == "AddN":
        return product(ins[0]) * (len(ins) - 1)
    if value is not None:
        return value
    first = op.get_attr("data_format") == b"NCHW" if "data_format" in op.node_def.attr else False
    if not first:
        return value
    if op.type in ("AvgPool", "MaxPool", "AvgPoolGrad", "MaxPoolGrad"):
        window = 1
        for k in op.get_attr("ksize"):
            window *= k
        return {"AvgPool": window * product(outs[0]), "MaxPool": window * product(outs[0]),
                "AvgPoolGrad": 2 * window * product(ins[1]) if len(ins) > 1 else None,
                "MaxPoolGrad": (window + 1) * product(ins[1]) if len(ins) > 1 else None}[op.type]
    strides = op.get_attr("strides") if op.type.startswith("Conv2DBackprop") else None
    if op.type == "Conv2DBackpropInput":
        return 2 * product(outs[0]) * product(ins[1]) // (outs[0][1] * strides[2] * strides[3])
    if op.type == "Conv2DBackpropFilter":
        return 2 * product(ins[0]) * product(outs[0]) // (ins[0][1] * strides[2] * strides[3])
    return value

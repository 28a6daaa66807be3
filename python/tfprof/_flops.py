# SPDX-License-Identifier: Apache-2.0
"""Float operations of a model in any form: a path, a profile, a graph, a function, a Keras model, a JAX program."""

import os
import warnings as _warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from tfprof import _native
from tfprof._profile import Profile, ProfileWarning
from tfprof._profile import open as _open
from tfprof._report import Report

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from tfprof._options import FlopsOptions

_GRAPHS = ("tensorflow.GraphDef", "tensorflow.MetaGraphDef", "tensorflow.SavedModel")


class Flops:
    """The cost of one run of a model, and how much of the model has a count.

    total: float operations, a multiply and an add counted as two; macs: multiply-adds. None when
    the number does not fit into 64 bits.
    at_least: whether these are a lower bound, because a product, a call or a body has no count.
    coverage: the share of the work that has a count, 0 to 1, estimated by shapes; None when it is unknown.
    report: the flops report, a table of operation types, those that count most first. Its to_dict()
    has everything: "summary", "top_nodes", "signatures", "no_formula", "no_shape".
    print(...) shows all of it.
    """

    def __init__(self, report: Report, parameters: Optional[Tuple[int, int]] = None) -> None:
        self.report = report
        self._all: Dict[str, Any] = report.to_dict()
        self._parameters = parameters

    @property
    def total(self) -> Optional[int]:
        """Float operations of one run."""
        found: Optional[int] = self._all["summary"]["total_float_ops"]
        return found

    float_ops = total

    @property
    def macs(self) -> Optional[int]:
        """Multiply-adds of one run."""
        found: Optional[int] = self._all["summary"]["total_macs"]
        return found

    @property
    def coverage(self) -> Optional[float]:
        """The share of the work that has a count, 0 to 1; None when the uncounted share is unknown."""
        found: Optional[float] = self._all["summary"]["total_coverage"]
        return found

    @property
    def at_least(self) -> bool:
        """Whether total and macs are a lower bound: a product, a call or a body has no count."""
        return bool(self._all["summary"]["at_least"])

    @property
    def parameters(self) -> int:
        """Elements of the model's variables; 0 for a compiled program, which has none."""
        if self._parameters is not None:
            return self._parameters[0]
        return int(self._all["summary"].get("total_parameters") or 0)

    @property
    def trainable_parameters(self) -> Optional[int]:
        """Elements of trained variables; None when the graph does not tell."""
        if self._parameters is not None:
            return self._parameters[1]
        found: Optional[int] = self._all["summary"].get("trainable_parameters")
        return found

    @property
    def signatures(self) -> Dict[str, int]:
        """The float operations of each signature of a SavedModel."""
        return {row["signature"]: row["float_ops"] for row in self._all.get("signatures", [])}

    @property
    def without_formula(self) -> List[Dict[str, Any]]:
        """Operation types that have no formula: op, nodes, and the first of the nodes."""
        return list(self._all.get("no_formula", []))

    @property
    def without_shape(self) -> List[Dict[str, Any]]:
        """Operation types that lack a shape: op, nodes, the first of them, and the missing shape."""
        return list(self._all.get("no_shape", []))

    def to_pandas(self) -> "pandas.DataFrame":
        """The report's table: a row an operation type."""
        return self.report.to_pandas()

    def __str__(self) -> str:
        return str(self.report)

    def __repr__(self) -> str:
        share = self.coverage
        return "<tfprof.Flops: %s%s float operations, %s multiply-adds, coverage %s>" % (
            "at least " if self.at_least else "",
            self.total,
            self.macs,
            "unknown" if share is None else "%.2f%%" % (100 * share),
        )

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


# ---- forms of a model: each function returns the bytes of a graph ----


def _is_message(x: Any) -> bool:
    return getattr(getattr(x, "DESCRIPTOR", None), "full_name", None) in _GRAPHS


def _graph_bytes(graph: Any) -> bytes:
    """The graph of a tf.Graph, with the shapes that it knows."""
    try:
        message = graph.as_graph_def(add_shapes=True)
    except TypeError:
        message = graph.as_graph_def()
    data: bytes = message.SerializeToString()
    return data


def _count(variables: Any) -> int:
    total = 0
    for one in variables:
        size = 1
        for dim in one.shape:
            size *= int(dim)
        total += size
    return total


def _with_outputs(graph: Any) -> bytes:
    """A function's graph as a MetaGraphDef whose signature names the call's outputs and effects: only nodes that these
    need run."""
    from tensorflow.core.protobuf import meta_graph_pb2

    meta = meta_graph_pb2.MetaGraphDef(graph_def=graph.as_graph_def(add_shapes=True))
    outputs = meta.signature_def["call"].outputs
    names = [tensor.name for tensor in graph.outputs] + [op.name for op in graph.control_outputs]
    for i, name in enumerate(names):
        outputs["%d" % i].name = name
    data: bytes = meta.SerializeToString()
    return data


def _of_concrete(function: Any) -> Tuple[bytes, Tuple[int, int]]:
    graph = function.graph
    variables = list(getattr(function, "variables", None) or graph.variables)
    runs = getattr(graph, "outputs", None) or getattr(graph, "control_outputs", None)
    data = _with_outputs(graph) if runs else _graph_bytes(graph)
    return data, (_count(variables), _count([v for v in variables if v.trainable]))


def _is_keras(x: Any) -> bool:
    return any(
        kind.__module__.split(".")[0] in ("keras", "tf_keras") and kind.__name__ == "Model"
        for kind in type(x).__mro__
    )


def _built_inputs(model: Any, batch: int) -> Tuple[Any, ...]:
    """The inputs of a subclassed model, with the shapes of its build() or its first call."""
    import tensorflow as tf

    shapes = getattr(model, "_build_shapes_dict", None) or getattr(model, "_build_input_shape", None)
    if not shapes:
        raise _native.UsageError(
            "this Keras model knows no inputs yet: build or call it once, or give them: flops(model, x)"
        )

    def spec(shape: Any) -> Any:
        if isinstance(shape, Mapping):
            return {name: spec(one) for name, one in shape.items()}
        if any(isinstance(dim, (list, tuple, Mapping)) for dim in shape):
            return type(shape)(spec(one) for one in shape)
        return tf.TensorSpec([batch, *shape[1:]] if len(shape) else [], getattr(model, "compute_dtype", "float32"))

    many = isinstance(shapes, Mapping) and getattr(model, "_build_shapes_dict", None)
    return tuple(spec(one) for one in shapes.values()) if many else (spec(shapes),)


def _keras_inputs(model: Any, batch: int) -> Any:
    """The model's inputs as tensor specs; an open batch dimension becomes `batch`."""
    import tensorflow as tf

    def spec(tensor: Any) -> Any:
        shape = list(tensor.shape)
        if shape and shape[0] is None:
            shape[0] = batch
        return tf.TensorSpec(shape, tensor.dtype)

    structure = getattr(model, "_inputs_struct", None)
    if structure is None:
        structure = model.inputs if len(model.inputs) > 1 else model.inputs[0]
    return tf.nest.map_structure(spec, structure)


def _of_keras(model: Any, args: Tuple[Any, ...], batch: int) -> Tuple[bytes, Tuple[int, int]]:
    import tensorflow as tf

    guessed = not args and not getattr(model, "inputs", None)
    if guessed:
        args = _built_inputs(model, batch)
    elif not args:
        args = (_keras_inputs(model, batch),)
    call = tf.function(lambda *inputs: model(*inputs, training=False))
    try:
        concrete = call.get_concrete_function(*args)
    except (TypeError, ValueError) as wrong:
        if not guessed:
            raise
        text = "this Keras model cannot be called with the shapes that it was built with (%s): give its inputs: " % (
            str(wrong).strip().split("\n")[0][:200]
        )
        raise _native.UsageError(text + "flops(model, x)") from wrong
    data, _ = _of_concrete(concrete)
    return data, (_count(model.weights), _count(model.trainable_weights))


def _is_program(text: str) -> bool:
    """HLO, or StableHLO, which may begin with a table of source locations."""
    begin = text.lstrip()
    return begin.startswith(("HloModule ", "module @", "module {", "module attributes", '"builtin.module"', "#loc"))


def _hlo_text(program: Any) -> str:
    """The text of a program that JAX lowered or compiled, with the names of its operations if available."""
    text: Any = None
    for more in ({"dialect": "hlo", "debug_info": True}, {"dialect": "hlo"}, {}):
        try:
            text = program.as_text(**more)
            break
        except TypeError:
            continue
    if isinstance(text, str) and _is_program(text):
        return text
    raise _native.UsageError(
        "flops of %r: its as_text() gives neither HLO nor StableHLO" % type(program).__name__
    )


def _profile_of(
    x: Any, args: Tuple[Any, ...], options: Dict[str, Any]
) -> Tuple[Profile, Optional[Tuple[int, int]]]:
    parameters = None
    if isinstance(x, Profile):
        return x, None
    if isinstance(x, str) and _is_program(x):
        return _open(x.encode()), None
    if isinstance(x, (str, os.PathLike, bytes, bytearray, memoryview)):
        return _open(x), None
    if hasattr(x, "as_text"):
        return _open(_hlo_text(x).encode()), None
    if hasattr(x, "lower") and hasattr(x, "eval_shape"):  # a jitted function
        return _open(_hlo_text(x.lower(*args)).encode()), None
    if _is_message(x):
        return _open(graph=x.SerializeToString()), None
    if _is_keras(x):
        batch = options.get("assume_batch")
        data, parameters = _of_keras(x, args, 1 if batch is None else int(batch))
    elif hasattr(x, "as_graph_def"):
        data = _graph_bytes(x)
    elif hasattr(x, "graph") and hasattr(x.graph, "as_graph_def"):
        data, parameters = _of_concrete(x)
    elif callable(x):
        if not hasattr(x, "get_concrete_function"):
            import tensorflow as tf

            x = tf.function(x)
        data, parameters = _of_concrete(x.get_concrete_function(*args))
    else:
        raise _native.UsageError("flops of %r: not a path, profile, graph, function or model" % type(x).__name__)
    return _open(graph=data), parameters


def flops(model: Any, *args: Any, **options: "Unpack[FlopsOptions]") -> Flops:
    """Counts the float operations of one run of a model from its graph.

        tfprof.flops("saved_model").total
        tfprof.flops(keras.applications.ResNet50(weights=None)).macs
        tfprof.flops(jax.jit(f).lower(x)).total

    model: a path or bytes of a graph, SavedModel or profile; a Profile; a GraphDef, MetaGraphDef or
        SavedModel message; a tf.Graph, or anything else with as_graph_def(); a concrete function; a
        tf.function or another callable, such as the result of jax2tf.convert, which is traced with
        `args` (tensors, arrays or TensorSpecs; none if it has an input signature); a Keras model,
        whose call for inference is traced with `args` or with its own inputs (a subclassed model:
        with the shapes of its build() or first call). In a function, only nodes that its outputs
        and effects need count. For JAX: the result of jax.jit(f).lower(...) or of its compile(), a
        function made by jax.jit with `args`, or the text of an HLO module.
    assume_batch: for the unknown first dimension of placeholders. The default for a Keras model is 1.
    assume_shape: {"input": (32, 224, 224, 3)}, or "input=32,224,224,3"; None or ? is not known.
    float_ops_source: "own" (the default), "tensorflow" (what TensorFlow's op log would say) or "files".
    peak_flops, peak_bandwidth: of the device, a second ("312T", 2e12): a roofline in the report.

    Raises InputError, UsageError, NotFoundError (no graph, or no placeholder of that name).
    """
    with _warnings.catch_warnings():
        # they are counted where they are called
        _warnings.filterwarnings("ignore", ".*nodes in functions", ProfileWarning)
        profile, parameters = _profile_of(model, args, dict(options))
    return Flops(profile.flops(**options), parameters)

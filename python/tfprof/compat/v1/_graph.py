# SPDX-License-Identifier: Apache-2.0
"""The parts of a TensorFlow graph that are new to the profiler, as wire bytes.

A graph of 10,000 ops has megabytes of stack traces and shapes, and none of them change from
one step to the next. A GraphLog remembers what it sent: the second call for the same graph checks
only the shapes that were unknown, and otherwise compares two numbers.

Wire layout: OpLogProto, OpLogEntry and CodeDef of tensorflow/core/profiler/tfprof_log.proto.
"""

import sys
import weakref
from typing import Any, Dict, Iterable, List, Optional, Set

from tfprof.compat.v1.protos import tensorflow

TRAINABLE_VARIABLES = "_trainable_variables"
REGISTERED_FLOP_STATS = "flops"

_NO_TEXT = "none"  # string 0 stands for an unknown file, function or source line
_MINUS_ONE = b"\xff" * 9 + b"\x01"


# ---- wire format ----


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1  # a negative number is encoded as its 64-bit complement
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(tag: bytes, data: bytes) -> bytes:
    return tag + _varint(len(data)) + data


def _number(tag: bytes, number: int) -> bytes:
    return tag + _varint(number) if number else b""


# ---- what was sent ----


class _Told:
    """What was already sent for one graph. Ops are kept by name, because an op would keep its graph
    alive."""

    def __init__(self, formulas: Set[str]) -> None:
        self.formulas = formulas  # op types that have a formula for float operations
        self.op_count = 0
        self.version = -1  # version of the graph when it was sent
        self.unknown: Dict[str, int] = {}  # op: how many of its outputs have an unknown shape
        self.no_flops: Set[str] = set()  # ops with a formula that lacked a known shape
        self.trainable: Set[str] = set()


class GraphLog:
    """Sends the parts of graphs that are new to a profiler. Only one thread at a time may use
    it."""

    def __init__(self, add_trace: bool = True, add_trainable_var: bool = True) -> None:
        self._add_trace = add_trace
        self._add_trainable_var = add_trainable_var
        self._strings = {_NO_TEXT: 0}
        self._told: "weakref.WeakKeyDictionary[Any, _Told]" = weakref.WeakKeyDictionary()

    def graph(self, graph: Any) -> bytes:
        """The GraphDef with shapes, if it changed since it was last sent; call op_log first."""
        told = self._told_of(graph)
        version = graph.version
        if told.version == version:
            return b""
        told.version = version
        return graph_def(graph)

    def op_log(self, graph: Any, run_meta: Any = None) -> bytes:
        """What is new in a graph's op log: an OpLogProto, or b"" for nothing.

        run_meta: a RunMetadata whose shapes complete those of the graph's tensors, for good.
        """
        told = self._told_of(graph)
        new_ops = graph.get_operations()[told.op_count :]
        _note_unknown_shapes(new_ops, told)
        completed = _completed_ops(graph, run_meta, told)
        float_ops = _float_ops_again(graph, completed, told)
        float_ops.update(_float_ops_of_all(graph, new_ops, told))
        told.op_count += len(new_ops)
        if told.no_flops and not run_meta:
            sys.stderr.write(
                "%d ops no flops stats due to incomplete shapes.\n" % len(told.no_flops)
            )
        code = self._code_of(new_ops) if self._add_trace else {}
        types = _new_types(graph, told) if self._add_trainable_var else {}
        names = [op.name for op in new_ops] + list(float_ops)
        entries = _entries(names, float_ops, types, code)
        return entries + self._all_strings() if new_ops else entries

    def _told_of(self, graph: Any) -> _Told:
        """If a formula was registered meanwhile it may apply to any op, so everything is sent
        again."""
        formulas = _formulas()
        told = self._told.get(graph)
        if told is None or told.formulas != formulas:
            told = self._told[graph] = _Told(formulas)
        return told

    # ---- code ----

    def _code_of(self, ops: Iterable[Any]) -> Dict[str, bytes]:
        """The stack trace of each op as CodeDef; most ops share theirs with others.

        Traces are not kept between calls: they point into their graph.
        """
        made: Dict[Any, bytes] = {}
        frames: Dict[Any, bytes] = {}
        code = {}
        for op in ops:
            trace = op.traceback
            data = made.get(trace)
            if data is None:
                data = made[trace] = b"".join([self._frame(f, frames) for f in trace or ()])
            code[op.name] = data
        return code

    def _frame(self, frame: Any, known: Dict[Any, bytes]) -> bytes:
        filename, line_number, function, line = frame
        key = (filename, line_number, function, line)
        data = known.get(key)
        if data is None:
            data = known[key] = _field(
                b"\x0a",  # CodeDef.traces
                _number(b"\x10", line_number or -1)
                + b"\x28"  # func_start_line, which is unknown
                + _MINUS_ONE
                + _number(b"\x30", self._string(filename))
                + _number(b"\x38", self._string(function))
                + _number(b"\x40", self._string(line)),
            )
        return data

    def _string(self, text: Optional[str]) -> int:
        return self._strings.setdefault(text, len(self._strings)) if text else 0

    def _all_strings(self) -> bytes:
        """OpLogProto.id_to_string: each op log with code contains all strings that it needs."""
        return b"".join(
            _field(b"\x12", b"\x08" + _varint(i) + _field(b"\x12", text.encode("utf-8", "replace")))
            for text, i in self._strings.items()
        )


def _entries(
    names: Iterable[str],
    float_ops: Dict[str, int],
    types: Dict[str, List[str]],
    code: Dict[str, bytes],
) -> bytes:
    """OpLogProto.log_entries: ops in the order of the graph, then variables that had no entry."""
    out = []
    logged = [name for name in names if name in float_ops or name in code]
    for name in dict.fromkeys(logged + list(types)):
        data = _field(b"\x0a", name.encode()) + _number(b"\x10", float_ops.get(name, 0))
        for one in types.get(name, ()):
            data += _field(b"\x1a", one.encode())
        if code.get(name):
            data += _field(b"\x22", code[name])
        out.append(_field(b"\x0a", data))
    return b"".join(out)


def _new_types(graph: Any, told: _Told) -> Dict[str, List[str]]:
    """The variables that became trainable, each as often as the graph lists it."""
    types: Dict[str, List[str]] = {}
    for variable in graph.get_collection("trainable_variables"):
        name = variable.op.name
        if name not in told.trainable:
            types.setdefault(name, []).append(TRAINABLE_VARIABLES)
    told.trainable.update(types)
    return types


# ---- shapes ----


def _unknown_outputs(op: Any) -> int:
    return sum(1 for tensor in op.outputs if not tensor.shape.is_fully_defined())


def _note_unknown_shapes(ops: Iterable[Any], told: _Told) -> None:
    for op in ops:
        count = _unknown_outputs(op)
        if count:
            told.unknown[op.name] = count


def _completed_ops(graph: Any, run_meta: Any, told: _Told) -> List[Any]:
    """The ops with an output whose shape became known through this run or through the user."""
    if run_meta and told.unknown:
        _fill_shapes(graph, run_meta, told)
    completed = []
    for name, before in list(told.unknown.items()):
        op = graph.get_operation_by_name(name)
        now = _unknown_outputs(op)
        if now == before:
            continue
        completed.append(op)
        told.unknown[name] = now
        if not now:
            del told.unknown[name]
    return completed


def _fill_shapes(graph: Any, run_meta: Any, told: _Told) -> None:
    """Sets the shapes that a run found onto the graph's tensors that have none."""
    unknown = told.unknown
    for device in run_meta.step_stats.dev_stats:
        for node in device.node_stats:
            # Others have nothing to learn or are no ops of the graph (RecvTensor).
            if node.node_name in unknown:
                _fill_node(graph.get_operation_by_name(node.node_name), node)


def _fill_node(op: Any, node: Any) -> None:
    # A conditional op has one output at run time: it is not known which.
    if len(node.output) != len(op.outputs):
        return
    make_shape = tensorflow("tensorflow").TensorShape
    for tensor, output in zip(op.outputs, node.output):
        if tensor.shape.is_fully_defined():
            continue
        found = make_shape([dim.size for dim in output.tensor_description.shape.dim])
        try:
            tensor.set_shape(tensor.shape.merge_with(found))
        except ValueError as wrong:
            sys.stderr.write("Node %s incompatible shapes: %s.\n" % (node.node_name, wrong))


# ---- float operations ----


def _registry() -> Any:
    ops = tensorflow("tensorflow.python.framework.ops")
    # Importing it registers TensorFlow's formulas.
    tensorflow("tensorflow.python.profiler.internal.flops_registry")
    return ops


def _formulas() -> Set[str]:
    """The op types that have a formula for their float operations."""
    end = "," + REGISTERED_FLOP_STATS
    names = _registry()._stats_registry.list()
    return {name[: -len(end)] for name in names if name.endswith(end)}


def _float_ops_of_all(graph: Any, ops: Iterable[Any], told: _Told) -> Dict[str, int]:
    """The float operations of the ops that have some; told.no_flops gets those whose shapes are unknown."""
    stats_of = _registry().get_stats_for_node_def
    made = {}
    for op in ops:
        if op.type not in told.formulas:
            continue
        name = op.name
        try:
            stats = stats_of(graph, op.node_def, REGISTERED_FLOP_STATS)
        except ValueError:  # a shape is unknown
            told.no_flops.add(name)
            continue
        told.no_flops.discard(name)
        if stats.value:
            made[name] = int(stats.value)
    return made


def _float_ops_again(graph: Any, completed: Iterable[Any], told: _Told) -> Dict[str, int]:
    """A formula looks at the shapes of an op's own outputs and of its inputs."""
    again: Dict[str, Any] = {}
    for op in completed:
        around = [op] + [user for tensor in op.outputs for user in tensor.consumers()]
        again.update((one.name, one) for one in around if one.name in told.no_flops)
    return _float_ops_of_all(graph, again.values(), told)


# ---- the graph ----


def _shapes_attr(op: Any, known: Dict[Any, bytes]) -> bytes:
    """AttrValue.list.shape with the shape of each output."""
    out = []
    for tensor in op.outputs:
        shape = tensor.shape
        key = tuple(shape.as_list()) if shape.rank is not None else None
        data = known.get(key)
        if data is None:
            data = known[key] = _field(b"\x3a", shape.as_proto().SerializeToString())
        out.append(data)
    return _field(b"\x0a", b"".join(out))


def graph_def(graph: Any) -> bytes:
    """The serialized GraphDef with `_output_shapes`; without functions, which views leave out."""
    made = graph.as_graph_def()
    made.ClearField("library")
    known: Dict[Any, bytes] = {}
    find = graph.get_operation_by_name
    for node in made.node:
        op = find(node.name)
        if op.outputs:
            node.attr["_output_shapes"].MergeFromString(_shapes_attr(op, known))
    return made.SerializeToString()

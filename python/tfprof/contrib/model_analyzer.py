# SPDX-License-Identifier: Apache-2.0
"""print_model_analysis and its option sets, as TensorFlow 1.0 had them.

Rows, numbers and rules are those of that time (`-compat 1.0` on the command line). The result has
the fields of its TFProfNode.
"""

from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Tuple

import tfprof
from tfprof import _native
from tfprof._options import options_of
from tfprof.compat.v1 import protos, pywrap
from tfprof.compat.v1._graph import GraphLog
from tfprof.compat.v1.tfprof_logger import TRAINABLE_VARIABLES, op_log_bytes

__all__ = [
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "PRINT_PARAMS_ON_DEVICE",
    "TFProfNode",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "print_model_analysis",
]

Options = Dict[str, Any]


def _options(**changed: Any) -> Options:
    made: Options = {
        "max_depth": 10000,
        "min_bytes": 0,
        "min_micros": 0,
        "min_params": 0,
        "min_float_ops": 0,
        "device_regexes": [".*"],
        "order_by": "name",
        "account_type_regexes": [".*"],
        "start_name_regexes": [".*"],
        "trim_name_regexes": [],
        "show_name_regexes": [".*"],
        "hide_name_regexes": [],
        "account_displayed_op_only": True,
        "select": ["params"],
        "viz": False,
        "dump_to_file": "",
    }
    made.update(changed)
    return made


# How many parameters the trainable variables have.
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = _options(account_type_regexes=[TRAINABLE_VARIABLES])

# How many float operations there are, the most first.
FLOAT_OPS_OPTIONS = _options(min_float_ops=1, order_by="float_ops", select=["float_ops"])

# Time and memory of the nodes that took time and memory.
PRINT_ALL_TIMING_MEMORY = _options(min_bytes=1, min_micros=1, select=["micros", "bytes"])

# How many parameters the first parameter server holds.
PRINT_PARAMS_ON_DEVICE = _options(
    max_depth=1,
    account_type_regexes=[".*ps.*task:0.*"],
    account_displayed_op_only=False,
    select=["device", "params"],
)


@dataclass(eq=False, repr=False)
class TFProfNode:
    """A row of a report with the fields of TensorFlow 1.0's TFProfNode.

    Times are microseconds, sizes bytes. total_... is with everything below the row.
    """

    name: str = ""
    exec_micros: int = 0
    requested_bytes: int = 0
    parameters: int = 0
    float_ops: int = 0
    inputs: int = 0  # graph view: how many nodes it reads from
    total_exec_micros: int = 0
    total_requested_bytes: int = 0
    total_parameters: int = 0
    total_float_ops: int = 0
    total_inputs: int = 0
    device: str = ""
    shapes: List[Any] = field(default_factory=list)  # TensorShapeProto, of a variable
    children: List["TFProfNode"] = field(default_factory=list)

    @property
    def tensor_value(self) -> Any:
        """A TFProfTensorProto. Always empty: its values come from checkpoints, of which
        print_model_analysis takes none."""
        return protos.TFProfTensorProto()

    def _own(self) -> Tuple[Any, ...]:
        names = [name for name in self.__dataclass_fields__ if name != "children"]
        return tuple(getattr(self, name) for name in names)

    def _walk(self) -> Iterator["TFProfNode"]:
        """All rows from this one down, parents first; a graph may be deeper than Python's stack."""
        rest = [self]
        while rest:
            node = rest.pop()
            yield node
            rest.extend(reversed(node.children))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TFProfNode):
            return NotImplemented
        pairs = [(self, other)]
        while pairs:
            mine, theirs = pairs.pop()
            if mine._own() != theirs._own() or len(mine.children) != len(theirs.children):
                return False
            pairs.extend(zip(mine.children, theirs.children))
        return True

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = [
            "%s=%r" % (name, getattr(self, name))
            for name in self.__dataclass_fields__
            if name != "children" and getattr(self, name)
        ]
        if self.children:
            shown.append("children=[%d nodes]" % len(self.children))
        return "TFProfNode(%s)" % ", ".join(shown)


# ---- the result ----

_NUMBERS = ("exec_micros", "requested_bytes", "parameters", "float_ops")


def _shape(dims: List[int]) -> Any:
    shapes = protos.tensorflow("tensorflow.core.framework.tensor_shape_pb2")
    made = shapes.TensorShapeProto()
    for size in dims:
        made.dim.add(size=size)
    return made


def _node(row: Dict[str, Any]) -> TFProfNode:
    made = TFProfNode(name=row["name"])
    for name in _NUMBERS:
        setattr(made, name, row[name] or 0)
        setattr(made, "total_" + name, row["total_" + name] or 0)
    made.device = (row.get("devices") or [""])[0]
    if row.get("shape"):
        made.shapes.append(_shape(row["shape"]))
    return made


def _tree(root: Dict[str, Any]) -> TFProfNode:
    made = _node(root)
    rest = [(made, root)]
    while rest:
        node, row = rest.pop()
        for below in row["children"]:
            child = _node(below)
            node.children.append(child)
            rest.append((child, below))
    return made


# ---- inputs, which only this form counts ----

_ROOT = "_TFProfRoot"


def _sources(graph: Any) -> Dict[str, List[str]]:
    """For each op, by name, the ops that it reads from or waits for, without duplicates."""
    return {
        op.name: sorted({t.op.name for t in op.inputs} | {c.name for c in op.control_inputs})
        for op in graph.get_operations()
    }


def _total_inputs(sources: Dict[str, List[str]]) -> Dict[str, int]:
    """For each op the number of inputs as this form counts them: its own inputs, those of the ops it takes, and one for
    each op that it takes; the root takes the ops where the walk starts.

    The walk starts at ops without readers. A finished op takes those of its inputs that no op
    took before it; an op that is still being visited (a loop) is not taken.
    """
    totals: Dict[str, int] = {}
    taken = set()
    read = {name for names in sources.values() for name in names}
    begun = set()
    for start in sorted(name for name in sources if name not in read):
        stack = [(start, iter(sources[start]))]
        begun.add(start)
        while stack:
            name, rest = stack[-1]
            below = next((one for one in rest if one not in begun), None)
            if below is not None:
                begun.add(below)
                stack.append((below, iter(sources[below])))
                continue
            stack.pop()
            mine = [one for one in sources[name] if one in totals and one not in taken]
            taken.update(mine)
            totals[name] = len(sources[name]) + sum(totals[one] + 1 for one in mine)
        totals[_ROOT] = totals.get(_ROOT, 0) + totals[start] + 1
    return totals


def _count_inputs(root: TFProfNode, graph: Any, given: Options) -> None:
    sources = _sources(graph)
    totals = {} if given.get("account_displayed_op_only") else _total_inputs(sources)
    if given.get("start_name_regexes") != [".*"]:
        totals.pop(_ROOT, None)  # it has only the rows shown under it
    for node in reversed(list(root._walk())):  # children come before their parent
        node.inputs = len(sources.get(node.name, ()))
        shown = sum(child.total_inputs + 1 for child in node.children)
        node.total_inputs = totals.get(node.name, node.inputs + shown)


# ---- print_model_analysis ----


def _options_given(options: Options) -> Options:
    """The keys that are options, as keywords; TensorFlow read those it knew and no others."""
    known = _native.table("options")
    given: Options = {"compat": "1.0"}
    given.update((key, value) for key, value in options.items() if key in known)
    if not given.get("dump_to_file"):
        given.pop("dump_to_file", None)
    if str(given.get("output", "stdout")).startswith("stdout"):
        given.pop("output", None)
    return given


def _profile_of(graph: Any, run_meta: Any, op_log: Any, add_trace: bool) -> "tfprof.Profile":
    log = GraphLog(add_trace)
    extra = op_log_bytes(log, graph, op_log, run_meta)
    runs = run_meta.SerializeToString() if run_meta else b""
    return tfprof.open(graph=log.graph(graph), run_meta=runs or None, op_log=extra or None)


def print_model_analysis(
    graph: Any,
    run_meta: Any = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Options = TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
    cmd: Optional[str] = None,
    options: Optional[Options] = None,
) -> TFProfNode:
    """Prints a view of a graph and one run of it, and returns its root.

    graph: tf.Graph.
    run_meta: RunMetadata of one traced run, for times and memory. Its shapes complete the graph's.
    op_log: an OpLogProto with types and float operations of your own.
    tfprof_cmd (or cmd): scope or graph, as they were then; op or code, as they are today.
    tfprof_options (or options): a dict, such as the sets of this module; by default
        TRAINABLE_VARS_PARAMS_STAT_OPTIONS. With dump_to_file the rows go into that file.

    Raises tfprof.UsageError for a view or a value that is not known.
    """
    view = cmd or tfprof_cmd
    if view not in ("scope", "graph", "op", "code"):
        raise tfprof.UsageError("unknown command: %s" % view)
    given = _options_given(tfprof_options if options is None else options)
    profile = _profile_of(graph, run_meta, op_log, add_trace=view == "code")
    report = profile.view(view, **given)
    if "dump_to_file" not in given and "output" not in given:
        listing = pywrap._listing(options_of(given))
        pywrap._print(pywrap._BANNER % (listing, report.to_bytes("text")))
    root = _tree(report.to_dict()["root"])
    if view == "graph":
        _count_inputs(root, graph, given)
    return root

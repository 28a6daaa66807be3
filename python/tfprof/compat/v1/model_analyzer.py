# SPDX-License-Identifier: Apache-2.0
"""Profiler, profile and advise as TensorFlow has them: graphs in, text and protos out."""

import contextlib
import os
import sys
import threading
from typing import Any, Dict, Iterator, Optional, Tuple, Union

from tfprof import gfile
from tfprof.compat.v1 import protos, pywrap
from tfprof.compat.v1._graph import GraphLog
from tfprof.compat.v1.option_builder import ProfileOptionBuilder
from tfprof.compat.v1.tfprof_logger import op_log_bytes

_DEFAULT_PROFILE_OPTIONS = 0
_DEFAULT_ADVISE_OPTIONS = 0

# The default checkers of advise; the inner dicts are the options of each checker.
ALL_ADVICE: Dict[str, Dict[str, str]] = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},  # not in any release; advise passes over it
    "OperationChecker": {},
}

_DEFAULTS: Dict[str, Any] = {
    "max_depth": 10,
    "min_bytes": 0,
    "min_peak_bytes": 0,
    "min_residual_bytes": 0,
    "min_output_bytes": 0,
    "min_micros": 0,
    "min_accelerator_micros": 0,
    "min_cpu_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "step": -1,
    "order_by": "name",
    "account_displayed_op_only": False,
    "output": "stdout",
    "dump_to_file": "",
}
_LISTS = (
    "account_type_regexes",
    "start_name_regexes",
    "trim_name_regexes",
    "show_name_regexes",
    "hide_name_regexes",
    "select",
)
_COMMANDS = {"scope": "GraphNodeProto", "graph": "GraphNodeProto"}
_COMMANDS.update({"op": "MultiGraphNodeProto", "code": "MultiGraphNodeProto"})


def _build_options(options: Dict[str, Any]) -> Any:
    """A dict of options as OptionsProto. A filter that is missing is an empty list."""
    made = protos.OptionsProto()
    for name, default in _DEFAULTS.items():
        setattr(made, name, options.get(name, default))
    for name in _LISTS:
        getattr(made, name).extend(options.get(name, []))
    return made


def _build_advisor_options(options: Optional[Dict[str, Dict[str, str]]]) -> Any:
    """A dict like ALL_ADVICE as AdvisorOptionsProto; None runs no checker."""
    made = protos.AdvisorOptionsProto()
    for checker, given in (options or {}).items():
        made.checkers[checker].options.update(given)
    return made


def _advice_of(options: Any) -> Any:
    chosen = ALL_ADVICE if options == _DEFAULT_ADVISE_OPTIONS else options
    return _build_advisor_options(chosen).SerializeToString()


def _news(
    log: GraphLog, graph: Any, op_log: Any = None, run_meta: Any = None
) -> Tuple[bytes, bytes]:
    """The new parts of a graph for the profiler: GraphDef and OpLogProto, serialized; b"" for
    nothing new."""
    if graph is None or not graph.version:
        return b"", b""
    # First the op log: it completes shapes, which the GraphDef includes.
    extra = op_log_bytes(log, graph, op_log, run_meta)
    return log.graph(graph), extra


def _parsed(command: str, data: bytes) -> Any:
    """The result as a proto; a message on stderr if it is nested deeper than protobuf can read (100)."""
    message = protos.tensorflow("google.protobuf.message")
    made = getattr(protos, _COMMANDS[command])()
    try:
        made.ParseFromString(data)
    except message.DecodeError as wrong:
        sys.stderr.write("Cannot parse returned proto: %s.\n" % wrong)
    return made


class Profiler:
    """Profiles many steps of one graph. Any number may live at a time, in any threads.

        profiler = Profiler(sess.graph)
        for i in range(steps):
            run_meta = tf.compat.v1.RunMetadata()
            sess.run(..., options=FULL_TRACE, run_metadata=run_meta)
            profiler.add_step(i, run_meta)
        profiler.profile_operations(options=ProfileOptionBuilder.time_and_memory())
        profiler.advise(ALL_ADVICE)

    graph: tf.Graph; None means the default graph, or none at all in eager mode.
    op_log: an OpLogProto with types, float operations and code of your own.

    An instance made without __init__ uses pywrap's current profiler.
    """

    _stats: Optional[pywrap.Stats] = None
    _graph: Any = None
    _coverage = 0.0

    def __init__(self, graph: Any = None, op_log: Any = None) -> None:
        self._graph = protos.graph_or_default(graph, "Profiler")
        self._coverage = 0.0
        self._begin()
        self._stats = pywrap.Stats(*_news(self._log, self._graph, op_log))

    def _begin(self) -> None:
        self._log = GraphLog()
        self._adding = threading.Lock()

    @classmethod
    def from_file(cls, path: Union[str, bytes, "os.PathLike[str]"]) -> "Profiler":
        """A profiler over a file that was written before (profile_N)."""
        made = cls.__new__(cls)
        made._begin()
        made._stats = pywrap.Stats.from_file(path)
        return made

    @property
    def _core(self) -> pywrap.Stats:
        return self._stats if self._stats is not None else pywrap.current()

    def add_step(self, step: int, run_meta: Any) -> None:
        """Adds the measurements of one run.

        step: the number that options ask for it by; several runs may share one.
        run_meta: RunMetadata of a session.run that was traced. Its shapes complete the graph's.
        """
        if "_log" not in self.__dict__:  # made without __init__
            self._begin()
        with self._adding:
            nodes, extra = _news(self._log, self._graph, None, run_meta)
            data = run_meta.SerializeToString()
            self._coverage = self._core.add_step(step, nodes, data, extra)

    def _profile(self, command: str, options: Dict[str, Any]) -> Any:
        asked = _build_options(options).SerializeToString()
        return _parsed(command, self._core.profile(command, asked))

    def profile_python(self, options: Dict[str, Any]) -> Any:
        """By the Python code that made the ops. Result: MultiGraphNodeProto.

        options: a dict as ProfileOptionBuilder makes them, here and below.
        """
        return self._profile("code", options)

    def profile_operations(self, options: Dict[str, Any]) -> Any:
        """By op type (MatMul, Conv2D ...). Result: MultiGraphNodeProto."""
        return self._profile("op", options)

    def profile_name_scope(self, options: Dict[str, Any]) -> Any:
        """By name scope, a tree. Result: GraphNodeProto."""
        return self._profile("scope", options)

    def profile_graph(self, options: Dict[str, Any]) -> Any:
        """By inputs, a tree from the outputs down. Result: GraphNodeProto."""
        return self._profile("graph", options)

    def advise(self, options: Any = _DEFAULT_ADVISE_OPTIONS) -> Any:
        """Looks for slow parts and their causes. Result: AdviceProto.

        options: a dict like ALL_ADVICE, which is the default.
        """
        return protos.AdviceProto.FromString(self._core.profile("advise", _advice_of(options)))

    def serialize_to_string(self) -> bytes:
        """All of it as a serialized ProfileProto, for a file or for tfprof.open."""
        return self._core.serialize()

    def _write_profile(self, filename: Union[str, bytes]) -> None:
        """Writes a ProfileProto; a local file appears whole or not at all."""
        if gfile.is_remote(filename):
            gfile.write_whole(filename, self._core.serialize())
        else:
            self._core.write(filename)


@contextlib.contextmanager
def ProfilerFromFile(profile_file: Union[str, bytes]) -> Iterator[Profiler]:
    """A Profiler over a file, for a with statement, as TensorFlow's tests write it."""
    yield Profiler.from_file(profile_file)


def _print_analysis(
    graph: Any, run_meta: Any, op_log: Any, command: str, options: bytes, add_trace: bool
) -> bytes:
    nodes, extra = _news(GraphLog(add_trace), graph, op_log, run_meta)
    runs = run_meta.SerializeToString() if run_meta else b""
    return pywrap.PrintModelAnalysis(nodes, runs, extra, command.encode(), options)


def profile(
    graph: Any = None,
    run_meta: Any = None,
    op_log: Any = None,
    cmd: str = "scope",
    options: Any = _DEFAULT_PROFILE_OPTIONS,
) -> Any:
    """Profiles one run of a graph, or the graph alone, and prints as the options say.

    graph: tf.Graph; None means the default graph, or none at all in eager mode.
    run_meta: RunMetadata of one traced run, for times and memory.
    op_log: an OpLogProto with types, float operations and code of your own.
    cmd: scope, graph (a GraphNodeProto is returned), op or code (a MultiGraphNodeProto).
    options: a dict as ProfileOptionBuilder makes them; by default the trainable parameters.
    """
    if cmd not in _COMMANDS:
        errors = protos.tensorflow("tensorflow.errors", needed_by="profile")
        raise errors.InvalidArgumentError(None, None, "unknown cmd: %s\n" % cmd)
    graph = protos.graph_or_default(graph, "profile")
    if options == _DEFAULT_PROFILE_OPTIONS:
        options = ProfileOptionBuilder.trainable_variables_parameter()
    asked = _build_options(options).SerializeToString()
    result = _print_analysis(graph, run_meta, op_log, cmd, asked, add_trace=cmd == "code")
    return _parsed(cmd, result)


def advise(graph: Any = None, run_meta: Any = None, options: Any = _DEFAULT_ADVISE_OPTIONS) -> Any:
    """Looks for slow parts of one run of a graph and their causes. Result: AdviceProto.

    graph, run_meta: as for profile.
    options: a dict like ALL_ADVICE, which is the default.
    """
    graph = protos.graph_or_default(graph, "advise")
    asked = _advice_of(options)
    result = _print_analysis(graph, run_meta, None, "advise", asked, add_trace=True)
    return protos.AdviceProto.FromString(result)

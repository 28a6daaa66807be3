# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's profiler core by its names (_pywrap_tfprof), over tfprof's.

Graphs, run metadata, op logs and options are serialized protos, as TensorFlow's own binding takes
them; results are serialized GraphNodeProto (scope, graph), MultiGraphNodeProto (op, code) or
AdviceProto. What TensorFlow prints goes to sys.stdout, byte for byte. Neither TensorFlow nor
protobuf is needed here.

Any number of `Stats` may live at a time, in any threads. The functions below work on one that the
whole module shares, as TensorFlow's do.
"""

import os
import sys
import threading
import warnings
from typing import List, Optional, Tuple, Union

from tfprof import _native
from tfprof._profile import ProfileWarning

_KEEP = _native.KEEP_MEMORY | _native.KEEP_ATTRS

Text = Union[str, bytes]
Path = Union[str, bytes, "os.PathLike[str]"]


def _bytes(text: Optional[Text]) -> bytes:
    """A binding takes bytes; scripts also give str, whose characters are then bytes."""
    if text is None:
        return b""
    return text.encode("latin-1") if isinstance(text, str) else bytes(text)


def _name(text: Text) -> str:
    return text if isinstance(text, str) else text.decode()


def _warn(lines: List[str]) -> None:
    for line in lines:
        warnings.warn(line, ProfileWarning, stacklevel=4)


def _say(line: object) -> None:
    sys.stderr.write("tfprof: %s\n" % line)


class Stats:
    """One profiler's data: a graph, and the steps that were added to it.

    graph: a serialized GraphDef, whose `_output_shapes` are the shapes; b"" for none.
    op_log: a serialized OpLogProto: types, float operations and code of the nodes.
    """

    def __init__(self, graph: Text = b"", op_log: Text = b"") -> None:
        self._start()
        self._add(_bytes(graph), "graph")
        self._add(_bytes(op_log), "op_log")
        _warn(self._settle())

    @classmethod
    def from_file(cls, path: Path) -> "Stats":
        """Reads a ProfileProto (profile_N)."""
        made = cls.__new__(cls)
        made._start()
        made._profile.add_file(path, "profile")
        _warn(made._settle())
        return made

    @classmethod
    def of_one_run(cls, graph: Text, run_meta: Text, op_log: Text) -> "Stats":
        """A graph with at most one run, which is step 0, and whose nodes the op log knows too."""
        made = cls.__new__(cls)
        made._start()
        made._add(_bytes(graph), "graph")
        made._add(_bytes(run_meta), "run_meta", 0)
        made._add(_bytes(op_log), "op_log")
        _warn(made._settle())
        return made

    def _start(self) -> None:
        self._profile = _native.Profile(_KEEP)
        self._lock = threading.Lock()
        self._warned = 0  # the number of warnings already shown

    def _add(self, data: bytes, format: str, step: Optional[int] = None) -> None:
        if data:
            self._profile.add_bytes(data, "<%s>" % format, format, step)

    def _settle(self) -> List[str]:
        """Ends adding; returns the new warnings."""
        self._profile.finish()
        lines = self._profile.warnings()
        new, self._warned = lines[self._warned :], len(lines)
        return new

    def add_step(self, step: int, graph: Text, run_meta: Text, op_log: Text) -> float:
        """Adds the statistics of one run to step number `step`.

        graph and op_log hold the parts that are new since the last call; b"" for nothing. Result: the share
        of all nodes with statistics from some run, 0 to 1.
        """
        data = _bytes(run_meta)
        if not data:
            raise _native.UsageError("no run metadata for step %d" % step)
        with self._lock:
            self._add(_bytes(graph), "graph")
            self._add(data, "run_meta", step)
            self._add(_bytes(op_log), "op_log")
            new = self._settle()
            coverage = self._profile.coverage()[-1]
        _warn(new)  # outside the lock: code that shows a warning may use this profiler
        return coverage

    def _options(self, view: str, options: bytes) -> "Optional[_native.Options]":
        made = _native.Options()
        made.every_value(True)
        made.set("compat", "tensorflow")  # the findings and pprof files of TensorFlow's tool
        try:
            made.read_proto(view, options)
        except _native.UsageError as wrong:
            _say(wrong)
            if str(wrong).startswith("option -output"):
                return None
            # all the rest is in force, as in TensorFlow
        if view == "advise":
            asked, checkers = made.get("checkers").split(","), _native.table("checkers")
            known = [checker for checker in asked if checker in checkers]
            made.set("checkers", ",".join(known or [","]))
        return made

    def _show(self, view: str, options: "_native.Options") -> Tuple[bytes, bytes]:
        """The output to stdout, and the serialized result."""
        try:
            with self._lock:  # a report becomes invalid once a step is added
                report, text = self._profile.show(view, options)
                return text, report.write("proto")
        except _native.NotFoundError as wrong:
            _say(wrong)
            return b"", b""
        except _native.UsageError as wrong:  # no timeline or pprof file of this view
            _say(wrong)
            return b"", _BARE_ROOT

    def profile(self, command: Text, options: Text) -> bytes:
        """Shows a view (or "advise") and returns it.

        options: a serialized OptionsProto, for "advise" AdvisorOptionsProto. Missing data (a
        step, code traces) are reported on stderr, and the result is empty, as in TensorFlow.
        """
        view = _name(command)
        if view not in _native.table("views"):
            _say("unknown command: %s" % view)
            return b""
        asked = self._options(view, _bytes(options))
        if asked is None:
            return b""
        banner = view != "advise" and asked.get("output").startswith("stdout")
        banner = banner and not asked.get("dump_to_file")
        text, result = self._show(view, asked)
        if banner:
            _print(_BANNER % (_listing(asked), text))
        else:
            _print(text)
        timeline = asked.get("output").startswith("timeline")
        if view == "graph" and timeline and asked.get("step") == "-1":
            return b""  # one file a step, and no result of one
        return result

    def serialize(self) -> bytes:
        """The serialized ProfileProto."""
        with self._lock:
            return self._profile.write()

    def write(self, path: Path) -> None:
        """Writes the ProfileProto, whole or not at all."""
        with self._lock:
            self._profile.write(path)


_BARE_ROOT = b"\n\x0b_TFProfRoot"  # the result that TensorFlow has when it refuses to draw: a name

_BANNER = b"""
=========================Options=============================
%s
==================Model Analysis Report======================
%s
======================End of Report==========================
"""


def _listing(options: "_native.Options") -> bytes:
    """The 21 lines that TensorFlow prints before a report."""
    lines: List[str] = []
    for name in _native.table("options"):
        if options.listed(name):
            lines.append("%-28s%s\n" % ("-" + name, options.get(name)))
    return "".join(lines).encode("utf-8", "surrogateescape")


def _print(text: bytes) -> None:
    if text:
        sys.stdout.write(text.decode("utf-8", "backslashreplace"))
        sys.stdout.flush()


_current: Optional[Stats] = None


def current() -> Stats:
    """The current profiler of this module's functions."""
    if _current is None:
        raise _native.UsageError("no profiler: call NewProfiler or ProfilerFromFile first")
    return _current


def NewProfiler(graph: Text, op_log: Text) -> bool:
    """Makes a profiler the current one."""
    global _current
    _current = Stats(graph, op_log)
    return True


def ProfilerFromFile(filename: Path) -> None:
    """Makes the profile in a file (a ProfileProto) the current profiler."""
    global _current
    _current = Stats.from_file(filename)


def DeleteProfiler() -> None:
    """Drops the current profiler, if there is one."""
    global _current
    _current = None


def AddStep(step: int, graph: Text, run_meta: Text, op_log: Text) -> float:
    return current().add_step(step, graph, run_meta, op_log)


def Profile(command: Text, options: Text) -> bytes:
    return current().profile(command, options)


def SerializeToString() -> bytes:
    return current().serialize()


def WriteProfile(filename: Path) -> None:
    current().write(filename)


def PrintModelAnalysis(
    graph: Text, run_meta: Text, op_log: Text, command: Text, options: Text
) -> bytes:
    """One view of a graph with at most one run, which is step 0; nothing is kept."""
    return Stats.of_one_run(graph, run_meta, op_log).profile(command, options)

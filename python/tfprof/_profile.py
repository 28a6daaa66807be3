# SPDX-License-Identifier: Apache-2.0
"""Profiles: inputs in, reports out."""

import inspect
import itertools
import operator
import os
import sys
import warnings as _warnings
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Type, Union

from tfprof import _native
from tfprof._notebook import InNotebooks
from tfprof._options import (
    CodeOptions,
    FlopsOptions,
    LimitsOptions,
    LinesOptions,
    MemoryOptions,
    RangeOptions,
    StatsOptions,
    StepOptions,
    TransferOptions,
    TriageOptions,
    ViewOptions,
    WaitOptions,
    WhatifOptions,
)
from tfprof._options import OF_VIEWS, Parameters, Path, destination, hinted, is_put, options_of, suggestion
from tfprof._report import Report
from tfprof._tables import _keywords

if TYPE_CHECKING:
    from typing_extensions import Unpack

Source = Union[str, "os.PathLike[str]", "os.PathLike[bytes]", bytes, bytearray, memoryview]
Sources = Union[Source, Iterable[Source]]
class ProfileWarning(UserWarning):
    """Input data had to be dropped, clamped or guessed."""


class _Input:
    """A path, or bytes in memory, and its given format."""

    def __init__(self, source: Source, format: Optional[str], step: Optional[int] = None) -> None:
        self.data: Optional[bytes] = None
        self.path: Any = None
        if isinstance(source, (bytes, bytearray, memoryview)):
            self.data = bytes(source)
        else:
            try:
                self.path = os.fspath(source)
            except TypeError:
                raise TypeError("%s: %r is neither a path nor bytes" % (format or "source", source)) from None
        self.format, self.step = format, step
        self.name = "<%s>" % (format or "bytes")

    def can_look(self) -> bool:
        """A pipe can be read only once."""
        return (
            self.data is not None
            or not os.path.exists(self.path)
            or os.path.isfile(self.path)
            or os.path.isdir(self.path)
        )

    def recognise(self) -> None:
        if self.data is not None:
            self.format = _native.recognise(self.data, self.name)
        elif self.can_look():
            self.format = _native.recognise(self.path)


def _add(profile: "_native.Profile", alike: List[_Input]) -> None:
    """Adds inputs that are all files or all bytes, and of which all have a step or none has."""
    if alike[0].data is None:
        profile.add_files([(one.path, one.format, one.step) for one in alike])
        return
    for one in alike:
        assert one.data is not None
        profile.add_bytes(one.data, one.name, one.format, one.step)


class _Opened:
    """The inputs of a profile, so that another process can open it again: paths, formats and steps."""

    def __init__(self, files: List[Tuple[Any, Optional[str], Optional[int]]], functions: bool) -> None:
        self.files = files
        self.functions = functions

    @classmethod
    def of(cls, inputs: List[_Input], functions: bool) -> "Optional[_Opened]":
        """None when one of them was bytes in memory or a pipe, which another process cannot open."""
        if any(one.data is not None or not one.can_look() for one in inputs):
            return None
        return cls([(os.path.abspath(one.path), one.format, one.step) for one in inputs], functions)

    def again(self) -> "Profile":
        inputs = []
        for path, format, step in self.files:
            inputs.append(_Input("", format, step))
            inputs[-1].path = path
        return _read(inputs, self.functions, None)


def _listed(sources: Sources) -> List[Source]:
    if isinstance(sources, (str, bytes, bytearray, memoryview, os.PathLike)):
        return [sources]
    return list(sources)


def _inputs(given: Sources, format: str) -> List[_Input]:
    try:
        listed = _listed(given)
    except TypeError:
        raise TypeError("%s: %r is neither a path nor bytes" % (format, given)) from None
    return [_Input(source, format) for source in listed]


def _step_of(step: Any) -> int:
    try:
        return operator.index(step)
    except TypeError:
        raise TypeError("run_meta: step %r: a step is a whole number" % (step,)) from None


def _steps(given: Union[Sources, Mapping[int, Source]], format: str) -> List[_Input]:
    if isinstance(given, Mapping):
        return [_Input(source, format, _step_of(step)) for step, source in given.items()]
    return _inputs(given, format)


def _has(one: _Input, fact: int) -> bool:
    return one.format is not None and _native.format_is(one.format, fact)


def _collect(sources: Tuple[Source, ...], named: Mapping[str, Any]) -> List[_Input]:
    """All inputs in the order in which they are added: by format, then as they were named."""
    inputs: List[_Input] = []
    for format, given in named.items():
        if given is not None:
            several = _native.format_is(format, _native.FORMAT_SEVERAL)
            inputs += _steps(given, format) if several else _inputs(given, format)
    plain = [_Input(source, None) for source in sources]
    if len(plain) + len(inputs) > 1:
        for one in plain:
            one.recognise()
    inputs += plain
    if not inputs:
        raise _native.UsageError(
            "no input: name files, or give profile=, or graph= with run_meta=, op_log= and checkpoint="
        )
    whole = [one.format for one in inputs if _has(one, _native.FORMAT_WHOLE)]
    others = [
        one.format
        for one in inputs
        if not _has(one, _native.FORMAT_WHOLE) and not _has(one, _native.FORMAT_BESIDE_WHOLE)
    ]
    if whole and others:
        raise _native.UsageError(
            "%s and %s exclude each other: a profile holds the graph and its runs"
            % (whole[0], others[0])
        )
    order = list(_native.table("formats"))
    return sorted(inputs, key=lambda one: order.index(one.format) if one.format else -1)


def open(
    *sources: Source,
    profile: Optional[Sources] = None,
    graph: Optional[Sources] = None,
    run_meta: Union[Sources, Mapping[int, Source], None] = None,
    op_log: Optional[Sources] = None,
    checkpoint: Optional[Sources] = None,
    capture: Optional[Sources] = None,
    inductor: Optional[Sources] = None,
    functions: bool = False,
    progress: Optional[Callable[[int, int], Any]] = None,
) -> "Profile":
    """Reads a model's profile from files or from bytes in memory.

    sources: paths or bytes, each recognised by its content (gzip is unpacked); a folder is a SavedModel,
        a checkpoint is named by its prefix.
    profile, graph, run_meta, op_log, checkpoint: the same with a given format. run_meta takes
        several: a list makes steps 0, 1, 2 ..., a dict {step number: source} gives the numbers.
    capture: traces of the captures of those graphs that a trace replays. inductor: TorchInductor's files.
    functions: include the nodes of a graph's functions, as FUNCTION/NODE.
    progress: called regularly with (bytes read, total bytes); an exception that it raises ends the load.

    Data that had to be dropped, clamped or guessed give a ProfileWarning. Ctrl-C ends a load.
    Raises InputError, UsageError, LimitError, OutOfMemoryError.
    """
    named = {"profile": profile, "graph": graph, "run_meta": run_meta, "op_log": op_log}
    named.update(checkpoint=checkpoint, capture=capture, inductor=inductor)
    return _read(_collect(sources, named), functions, progress)


def _read(
    inputs: List[_Input], functions: bool, progress: Optional[Callable[[int, int], Any]]
) -> "Profile":
    keep = _native.KEEP_MEMORY | _native.KEEP_ATTRS | _native.KEEP_PROGRAM
    keep |= _native.KEEP_FUNCTIONS if functions else 0
    native = _native.Profile(keep, progress)
    for _, alike in itertools.groupby(inputs, lambda one: (one.data is None, one.step is None)):
        _add(native, list(alike))
    native.finish()
    made = Profile(native, _Opened.of(inputs, functions))
    for line in made.warnings:
        _warnings.warn(line, ProfileWarning, stacklevel=3)
    return made


def recognise(source: Source) -> str:
    """The format of a file or of bytes, recognised by the content: a name of tfprof.names("formats")."""
    one = _Input(source, None)
    if one.data is not None:
        return _native.recognise(one.data, one.name)
    return _native.recognise(one.path)


class Profile(InNotebooks):
    """One model's profile, made by tfprof.open. Any number of threads may use it."""

    def __init__(self, native: "_native.Profile", opened: Optional[_Opened] = None) -> None:
        self._native = native
        self._opened = opened

    # ---- its life ----

    def close(self) -> None:
        """Closes it: using it or one of its reports raises UsageError from now on.

        Its memory is freed when its reports are gone. Optional: an unreferenced profile is freed anyway.
        """
        self._native.close()

    @property
    def closed(self) -> bool:
        """Whether close() was called, or its `with` block ended."""
        return self._native.is_closed()

    def __enter__(self) -> "Profile":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickles the paths from which it was opened; unpickling reads them again."""
        if self._opened is None:
            raise TypeError(
                "cannot pickle a profile that was not opened from files: write() it and open that file"
            )
        return _Opened.again, (self._opened,)

    # ---- what is in it ----

    @property
    def steps(self) -> List[int]:
        """The numbers of its steps, ascending."""
        return self._native.steps()

    @property
    def node_names(self) -> List[str]:
        """The names of its nodes, in the order of the files."""
        return self._native.node_names()

    @property
    def warnings(self) -> List[str]:
        """Warnings about data that were dropped, clamped or guessed: one line each, naming the file."""
        return self._native.warnings()

    @property
    def coverage(self) -> List[float]:
        """For each run_meta the share of the graph's nodes with statistics, 0 to 1."""
        return self._native.coverage()

    def view(self, name: str, **options: "Unpack[ViewOptions]") -> Report:
        """A view by its name; tfprof.names("views") lists them."""
        asked = options_of(options)
        known = _native.table("views")
        if name not in known:
            raise _native.NotFoundError("no view %r%s" % (name, suggestion(name, known)))
        try:
            if not is_put(options):
                return Report(self, name, self._native.report(name, asked))
            native, text = self._native.show(name, asked)
        except _native.UsageError as wrong:
            raise hinted(wrong, options) from None
        except _native.OutputError as wrong:
            wrong.filename = wrong.filename or destination(options)
            raise
        sys.stdout.write(text.decode())
        return Report(self, name, native)

    def scope(self, **options: "Unpack[RangeOptions]") -> Report:
        return self.view("scope", **options)

    def graph(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("graph", **options)

    def op(self, **options: "Unpack[RangeOptions]") -> Report:
        return self.view("op", **options)

    def code(self, **options: "Unpack[RangeOptions]") -> Report:
        return self.view("code", **options)

    def advise(self, **options: "Unpack[CodeOptions]") -> Report:
        return self.view("advise", **options)  # type: ignore[misc]

    def flops(self, **options: "Unpack[FlopsOptions]") -> Report:
        return self.view("flops", **options)  # type: ignore[misc]

    def info(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("info", **options)

    def lines(self, **options: "Unpack[LinesOptions]") -> Report:
        return self.view("lines", **options)  # type: ignore[misc]

    def memory(self, **options: "Unpack[MemoryOptions]") -> Report:
        return self.view("memory", **options)  # type: ignore[misc]

    def params(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("params", **options)

    def summary(self, **options: "Unpack[CodeOptions]") -> Report:
        return self.view("summary", **options)  # type: ignore[misc]

    def calls(self, **options: "Unpack[RangeOptions]") -> Report:
        return self.view("calls", **options)

    def kernel(self, **options: "Unpack[LinesOptions]") -> Report:
        return self.view("kernel", **options)  # type: ignore[misc]

    def step_table(self, **options: "Unpack[StepOptions]") -> Report:
        return self.view("steps", **options)  # type: ignore[misc]

    def transfer(self, **options: "Unpack[TransferOptions]") -> Report:
        return self.view("transfer", **options)  # type: ignore[misc]

    def wait(self, **options: "Unpack[WaitOptions]") -> Report:
        return self.view("wait", **options)  # type: ignore[misc]

    def limits(self, **options: "Unpack[LimitsOptions]") -> Report:
        return self.view("limits", **options)  # type: ignore[misc]

    def triage(self, **options: "Unpack[TriageOptions]") -> Report:
        return self.view("triage", **options)  # type: ignore[misc]

    def whatif(self, **options: "Unpack[WhatifOptions]") -> Report:
        return self.view("whatif", **options)  # type: ignore[misc]

    def hang(self, **options: "Unpack[CodeOptions]") -> Report:
        return self.view("hang", **options)  # type: ignore[misc]

    def check(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("check", **options)

    def stats(self, **options: "Unpack[StatsOptions]") -> Report:
        """Statistics of a view's rows over the steps.

        For each row (but the root) its name, split at the last slash into name and op, and for each
        numeric column C of select, in the order given: C_mean, C_cv (the population's standard
        deviation in per cent of the mean), C_min, C_median, C_p95 and C_max of its totals in each
        step; a step in which it did not run counts as 0.

        view: scope (the default), graph, op, code, or steps: each column of the table on each device.
        rewrite: changes the names shown as sed would, "s/PATTERN/TEXT/g", or several of them.
        The other keywords are those of the views, and choose the rows as there.

        Raises UsageError, NotFoundError (no steps, no code traces), LimitError, OutputError.
        """
        made = self._native.stats(None, options_of(options))
        if is_put(options):
            sys.stdout.write(made.put().decode())
        return Report(self, "stats", made)

    def query(self, sql: str, parameters: Parameters = (), *, time_limit: Optional[float] = None) -> Report:
        """Answers one SELECT over this profile's tables, as tfprof.query does over several. parameters: values for ?
        in the order of a sequence, for :name by the keys of a mapping."""
        from tfprof._query import query

        return query(sql, self, parameters=parameters, time_limit=time_limit)

    def records(self, what: str, step: Optional[int] = None) -> Report:
        """A table of recorded data: "steps", "spans" (each execution with lane and times) or "memory" (bytes held over
        time).

        step: a step of `steps`; None: all steps, for memory the last one.
        Raises NotFoundError (no such table or step).
        """
        made = self._native.records(what, -1 if step is None else step)
        return Report(self, what, made)

    def write(self, path: Path) -> None:
        """Writes it as a ProfileProto, which TensorFlow's tools read, too. The file appears whole or not at all."""
        self._native.write(path)

    def to_bytes(self) -> bytes:
        """The serialized ProfileProto."""
        return self._native.write()

    def save(self, path: Path) -> None:
        """Writes all tables in tfprof's own format, as `tfprof convert -o NAME.tfprof` does: tfprof.open reads it
        without the original files. Values of a checkpoint's tensors are not included."""
        self._native.save(path)

    def __repr__(self) -> str:
        if self.closed:
            return "<tfprof.Profile: closed>"
        return "<tfprof.Profile: %d nodes, %d steps>" % (len(self.node_names), len(self.steps))


# Profile.steps is the list of steps, so the view of that name is another method.
_METHODS = {"steps": "step_table"}


def _document() -> None:
    """The views' docstrings and the keywords that completion shows come from the library's tables."""
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
        for name in _native.table("options")
    ]
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    for name, text in _native.table("views").items():
        method = getattr(Profile, _METHODS.get(name, name))
        more = [
            inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=None)
            for option in OF_VIEWS.get(name, ViewOptions).__annotations__
            if option not in ViewOptions.__annotations__
        ]
        method.__signature__ = inspect.Signature([itself, *keywords, *more], return_annotation=Report)
        method.__doc__ = (
            "%s\n\nEvery option of the command line is a keyword; lists hold whole patterns.\n"
            "With output=, dump_to_file= or proto_out= the report is also put there, as the command\n"
            "line does; without them nothing is printed or written.\n\n%s\n\n"
            "Raises UsageError, NotFoundError (no such step, no code traces), OutputError."
            % (text, _keywords())
        )


_document()

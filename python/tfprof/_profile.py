"""Profiles: inputs in, reports out."""

import difflib
import inspect
import operator
import os
import sys
import warnings as _warnings
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypedDict,
    Union,
)

from tfprof import _native
from tfprof._report import Report
from tfprof._tables import _keywords

if TYPE_CHECKING:
    from typing_extensions import Unpack

Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]
Sources = Union[Source, Iterable[Source]]

_DESTINATIONS = frozenset(("output", "dump_to_file", "proto_out"))


Items = Union[str, Sequence[str]]  # "a,b" or ["a", "b"]; items of a list are taken whole
Path = Union[str, "os.PathLike[str]"]


class ViewOptions(TypedDict, total=False):
    """The keywords of the views, for type checkers; tfprof.help("options") tells what each does."""

    max_depth: int
    min_bytes: int
    min_peak_bytes: int
    min_residual_bytes: int
    min_output_bytes: int
    min_micros: int
    min_accelerator_micros: int
    min_cpu_micros: int
    min_params: int
    min_float_ops: int
    min_occurrence: int
    min_macs: int
    min_bytes_moved: int
    step: int
    device_regexes: Items
    order_by: str
    account_type_regexes: Items
    start_name_regexes: Items
    trim_name_regexes: Items
    show_name_regexes: Items
    hide_name_regexes: Items
    account_displayed_op_only: bool
    select: Items
    output: str
    viz: bool
    dump_to_file: Path
    format: str
    show_source: bool
    proto_out: Path
    top: int
    float_ops_source: str
    assume_batch: int
    assume_shape: Union[Items, Mapping[str, Any]]
    signature: str
    rule_limits: str
    checkers: Items
    compat: str


class StatsOptions(ViewOptions, total=False):
    """The keywords of Profile.stats, for type checkers."""

    view: str
    rewrite: Items


class FlopsOptions(ViewOptions, total=False):
    """The keywords of Profile.flops, for type checkers."""

    nodes: bool
    peak_flops: Union[float, str]
    peak_bandwidth: Union[float, str]


class ProfileWarning(UserWarning):
    """Something in an input had to be dropped, clamped or guessed."""


class _Input:
    """A path, or bytes in memory, and the format it was said to have."""

    def __init__(self, source: Source, format: Optional[str], step: Optional[int] = None) -> None:
        self.data: Optional[bytes] = None
        self.path: Any = None
        if isinstance(source, (bytes, bytearray, memoryview)):
            self.data = bytes(source)
        else:
            self.path = os.fspath(source)
        self.format = format
        self.name = "<%s>" % (format or "bytes")
        self.step = step

    def can_look(self) -> bool:
        """A pipe can be read once only."""
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

    def add_to(self, profile: "_native.Profile") -> None:
        if self.data is not None:
            profile.add_bytes(self.data, self.name, self.format, self.step)
        else:
            profile.add_file(self.path, self.format, self.step)


def _listed(sources: Sources) -> List[Source]:
    if isinstance(sources, (str, bytes, bytearray, memoryview, os.PathLike)):
        return [sources]
    return list(sources)


def _inputs(given: Sources, format: str) -> List[_Input]:
    return [_Input(source, format) for source in _listed(given)]


def _steps(given: Union[Sources, Mapping[int, Source]], format: str) -> List[_Input]:
    if isinstance(given, Mapping):
        return [_Input(source, format, step) for step, source in given.items()]
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
    functions: bool = False,
    progress: Optional[Callable[[int, int], Any]] = None,
) -> "Profile":
    """Reads a model's profile from files or from bytes in memory.

    sources: paths or bytes, each known by its content (gzip is unpacked); a folder is a SavedModel,
        a checkpoint is named by its prefix.
    profile, graph, run_meta, op_log, checkpoint: the same with the format said. run_meta takes
        several: a list makes steps 0, 1, 2 ..., a dict {step number: source} says the numbers.
    functions: take the nodes of a graph's functions too, as FUNCTION/NODE.
    progress: called now and then with (bytes read, bytes in all); what it raises ends the load.

    What had to be dropped, clamped or guessed is a ProfileWarning. Ctrl-C ends a load.
    Raises InputError, UsageError, LimitError, OutOfMemoryError.
    """
    named = {
        "profile": profile,
        "graph": graph,
        "run_meta": run_meta,
        "op_log": op_log,
        "checkpoint": checkpoint,
    }
    inputs = _collect(sources, named)
    keep = _native.KEEP_MEMORY | _native.KEEP_ATTRS | _native.KEEP_PROGRAM
    keep |= _native.KEEP_FUNCTIONS if functions else 0
    native = _native.Profile(keep, progress)
    for one in inputs:
        one.add_to(native)
    native.finish()
    made = Profile(native)
    for line in made.warnings:
        _warnings.warn(line, ProfileWarning, stacklevel=2)
    return made


def recognise(source: Source) -> str:
    """The format of a file or of bytes, by the content: profile, graph, run_meta, op_log or checkpoint."""
    one = _Input(source, None)
    if one.data is not None:
        return _native.recognise(one.data, one.name)
    return _native.recognise(one.path)


def dims_of(dims: Any) -> str:
    """A shape as the option assume_shape writes it: (None, 224, 3) is ?,224,3."""
    if isinstance(dims, str):
        return dims
    return ",".join("?" if dim is None else str(operator.index(dim)) for dim in dims)


def options_of(given: Mapping[str, Any]) -> "_native.Options":
    """Options from keywords: texts, numbers, booleans, and lists, whose items are taken whole."""
    options = _native.Options()
    options.every_value(True)
    known = [*_native.table("options"), *_native.table("command_options")]
    for name, value in given.items():
        if name.replace("-", "_") not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = "; did you mean %s?" % near[0] if near else ""
            raise _native.UsageError("unknown option %r%s" % (name, hint))
        if value is None:
            continue
        if isinstance(value, bool):
            options.set(name, "true" if value else "false")
        elif isinstance(value, str):
            options.set(name, value)
        elif hasattr(value, "__index__"):  # numpy's integers too
            options.set(name, str(operator.index(value)))
        elif isinstance(value, float):  # numpy's too
            options.set(name, repr(float(value)))
        elif isinstance(value, os.PathLike):
            options.set(name, os.fspath(value))
        elif isinstance(value, Mapping) and name == "assume_shape":
            options.set_list(name, ["%s=%s" % (node, dims_of(dims)) for node, dims in value.items()])
        elif isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)):
            options.set_list(name, [str(item) for item in value])
        else:
            raise _native.UsageError("option -%s: value %r" % (name, value))
    return options


def is_put(given: Mapping[str, Any]) -> bool:
    """Whether the keywords also put the report somewhere, as the command line does."""
    return not _DESTINATIONS.isdisjoint(name.replace("-", "_") for name in given)


class Profile:
    """One model's profile. Made by tfprof.open; any number of threads may look at it."""

    def __init__(self, native: "_native.Profile") -> None:
        self._native = native

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
        """What in the inputs was dropped, clamped or guessed: a line each, naming the file."""
        return self._native.warnings()

    @property
    def coverage(self) -> List[float]:
        """For each run_meta the share of the graph's nodes that it has statistics for, 0 to 1."""
        return self._native.coverage()

    def view(self, name: str, **options: "Unpack[ViewOptions]") -> Report:
        """A view by its name; tfprof.names("views") lists them."""
        asked = options_of(options)
        if not is_put(options):
            return Report(self, name, self._native.report(name, asked))
        native, text = self._native.show(name, asked)
        sys.stdout.write(text.decode())
        return Report(self, name, native)

    def scope(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("scope", **options)

    def graph(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("graph", **options)

    def op(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("op", **options)

    def code(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("code", **options)

    def advise(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("advise", **options)

    def flops(self, **options: "Unpack[FlopsOptions]") -> Report:
        return self.view("flops", **options)  # type: ignore[misc]

    def info(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("info", **options)

    def summary(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("summary", **options)

    def calls(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("calls", **options)

    def kernel(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("kernel", **options)

    def step_table(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("steps", **options)

    def transfer(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("transfer", **options)

    def wait(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("wait", **options)

    def check(self, **options: "Unpack[ViewOptions]") -> Report:
        return self.view("check", **options)

    def stats(self, **options: "Unpack[StatsOptions]") -> Report:
        """How the numbers of a view's rows spread over the steps.

        For each row (but the root) its name, split at the last slash into name and op, and for each
        numeric column C of select, in the order given: C_mean, C_cv (the population's standard
        deviation in per cent of the mean), C_min, C_median, C_p95 and C_max of its totals, one a
        step; a step in which it did not run counts as 0.

        view: scope (the default), graph, op or code.
        rewrite: changes the names shown as sed would, "s/PATTERN/TEXT/g", or several of them.
        The other keywords are those of the views, and choose the rows as there.

        Raises UsageError, NotFoundError (no steps, no code traces), LimitError, OutputError.
        """
        made = self._native.stats(None, options_of(options))
        if is_put(options):
            sys.stdout.write(made.put().decode())
        return Report(self, "stats", made)

    def query(self, sql: str, *, time_limit: Optional[float] = None) -> Report:
        """Answers one SELECT over this profile's tables, as tfprof.query does over several."""
        return query(sql, self, time_limit=time_limit)

    def write(self, path: "os.PathLike[str] | str") -> None:
        """Writes it as a ProfileProto, which TensorFlow's tools read too; whole or not at all."""
        self._native.write(path)

    def to_bytes(self) -> bytes:
        """The serialized ProfileProto."""
        return self._native.write()

    def __repr__(self) -> str:
        return "<tfprof.Profile: %d nodes, %d steps>" % (len(self.node_names), len(self.steps))


def query(
    sql: str,
    *profiles: Union[Profile, Source],
    names: Optional[Sequence[str]] = None,
    time_limit: Optional[float] = None,
) -> Report:
    """Answers one SELECT over the tables of profiles.

        tfprof.query("SELECT op, sum(run_us) FROM nodes JOIN executions USING (node) GROUP BY op", p)

    The tables are nodes, types, edges, outputs, steps, executions, spans, memory, buffers,
    allocations, traces, code, profiles, and columns, which lists them all. Each row has the name of
    its profile in the column profile. The columns of the report are those of the query.

    profiles: Profiles, or what tfprof.open takes, each a profile of its own.
    names: what they are called in the column profile; by themselves: their first files.
    time_limit: in seconds (60 by itself), 0 for none.

    Raises UsageError with SQLite's words, LimitError, NotFoundError (no SQLite here).
    """
    opened = [p if isinstance(p, Profile) else open(p) for p in profiles]
    if names is not None and len(names) != len(opened):
        raise _native.UsageError("%d names for %d profiles" % (len(names), len(opened)))
    called = names if names is not None else [None] * len(opened)
    pairs = tuple((p._native, name) for p, name in zip(opened, called))
    if not opened:
        raise _native.UsageError("no profile to query")
    return Report(opened[0], "query", _native.query(sql, pairs, options_of({"time_limit": time_limit})))


# Profile.steps is the list of steps, so that the view of that name has another method.
_METHODS = {"steps": "step_table"}


def _document() -> None:
    """The views' docstrings and the keywords that completion shows come from the library's tables."""
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
        for name in _native.table("options")
    ]
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    kinds: Dict[str, str] = _native.table("views")
    for name, text in kinds.items():
        method = getattr(Profile, _METHODS.get(name, name))
        more = [
            inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=None)
            for option in FlopsOptions.__annotations__
            if name == "flops" and option not in ViewOptions.__annotations__
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

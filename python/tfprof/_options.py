# SPDX-License-Identifier: Apache-2.0
"""The keywords of views, and how they become options."""

import difflib
import operator
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, TypedDict, Union

from tfprof import _native

_DESTINATIONS = frozenset(("output", "dump_to_file", "proto_out"))  # these may be paths of bytes
_NO_LISTS = (bytes, bytearray, memoryview, Mapping)


Items = Union[str, Sequence[str]]  # "a,b" or ["a", "b"]; items of a list may contain commas
Amount = Union[int, str]  # 2000 or "2ms"
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


Parameters = Union[Sequence[Any], Mapping[str, Any]]  # parameters of a query: for ?, or for :name


class ViewOptions(TypedDict, total=False):
    """The keywords of the views, for type checkers; tfprof.help("options") explains each. None leaves an option
    unchanged."""

    max_depth: Optional[int]
    min_bytes: Optional[Amount]
    min_peak_bytes: Optional[Amount]
    min_residual_bytes: Optional[Amount]
    min_output_bytes: Optional[Amount]
    min_micros: Optional[Amount]
    min_accelerator_micros: Optional[Amount]
    min_cpu_micros: Optional[Amount]
    min_params: Optional[Amount]
    min_float_ops: Optional[Amount]
    min_occurrence: Optional[Amount]
    min_macs: Optional[Amount]
    min_bytes_moved: Optional[Amount]
    min_trainable_params: Optional[Amount]
    min_fixed_params: Optional[Amount]
    min_slot_params: Optional[Amount]
    step: Optional[int]
    device_regexes: Optional[Items]
    order_by: Optional[str]
    account_type_regexes: Optional[Items]
    start_name_regexes: Optional[Items]
    trim_name_regexes: Optional[Items]
    show_name_regexes: Optional[Items]
    hide_name_regexes: Optional[Items]
    account_displayed_op_only: Optional[bool]
    select: Optional[Items]
    output: Optional[str]
    viz: Optional[bool]
    dump_to_file: Optional[Path]
    format: Optional[str]
    full_names: Optional[bool]
    show_source: Optional[bool]
    proto_out: Optional[Path]
    top: Optional[int]
    float_ops_source: Optional[str]
    assume_batch: Optional[int]
    assume_shape: Optional[Union[Items, Mapping[str, Any]]]
    signature: Optional[str]
    rule_limits: Optional[str]
    checkers: Optional[Items]
    compat: Optional[str]
    sample_type: Optional[str]
    sample_label: Optional[str]
    step_marker: Optional[Items]
    phase: Optional[str]


class StatsOptions(ViewOptions, total=False):
    """The keywords of Profile.stats, for type checkers."""

    view: Optional[str]
    rewrite: Optional[Items]


class PlaceOptions(ViewOptions, total=False):
    """The keywords of views that can be limited to some ranks or a device, for type checkers."""

    ranks: Optional[str]
    device: Optional[str]


class RangeOptions(PlaceOptions, total=False):
    """The keywords of views that can be limited to a part of a recording, for type checkers."""

    range: Optional[str]


class CodeOptions(ViewOptions, total=False):
    """The keywords of views that name lines of code, for type checkers."""

    library_regexes: Optional[Items]
    home: Optional[Items]


class LinesOptions(RangeOptions, CodeOptions, total=False):
    """The keywords of Profile.lines and Profile.kernel, for type checkers."""


class WaitOptions(PlaceOptions, CodeOptions, total=False):
    """The keywords of Profile.wait, for type checkers."""


class MemoryOptions(CodeOptions, total=False):
    """The keywords of Profile.memory, for type checkers."""

    at: Optional[str]
    by: Optional[str]


class TransferOptions(RangeOptions, total=False):
    """The keywords of Profile.transfer, for type checkers."""

    by: Optional[str]


class StepOptions(RangeOptions, total=False):
    """The keywords of Profile.step_table, for type checkers."""

    critical_path: Optional[bool]
    why: Optional[bool]


class WhatifOptions(CodeOptions, total=False):
    """The keywords of Profile.whatif, for type checkers."""

    peak_flops: Optional[Union[float, str]]
    peak_bandwidth: Optional[Union[float, str]]
    floor: Optional[Union[float, str]]
    faster: Optional[Union[Items, Mapping[str, float]]]
    no_sync: Optional[bool]
    overlap: Optional[str]
    link: Optional[Union[float, str]]
    ideal: Optional[Items]
    fuse: Optional[Items]
    keep: Optional[Items]
    launch: Optional[Union[float, str]]
    input: Optional[Union[float, str]]


class LimitsOptions(CodeOptions, total=False):
    """The keywords of Profile.limits, for type checkers."""

    by: Optional[str]
    peak_flops: Optional[Union[float, str]]
    peak_bandwidth: Optional[Union[float, str]]
    floor: Optional[Union[float, str]]


class TriageOptions(CodeOptions, total=False):
    """The keywords of Profile.triage, for type checkers."""

    ranks: Optional[str]
    min_share: Optional[float]


class FlopsOptions(ViewOptions, total=False):
    """The keywords of Profile.flops, for type checkers."""

    nodes: Optional[bool]
    peak_flops: Optional[Union[float, str]]
    peak_bandwidth: Optional[Union[float, str]]


# The keywords of views that have additional ones.
OF_VIEWS: Dict[str, Any] = {
    "advise": CodeOptions,
    "calls": RangeOptions,
    "code": RangeOptions,
    "flops": FlopsOptions,
    "hang": CodeOptions,
    "kernel": LinesOptions,
    "limits": LimitsOptions,
    "lines": LinesOptions,
    "memory": MemoryOptions,
    "op": RangeOptions,
    "scope": RangeOptions,
    "steps": StepOptions,
    "summary": CodeOptions,
    "transfer": TransferOptions,
    "triage": TriageOptions,
    "wait": WaitOptions,
    "whatif": WhatifOptions,
}


def dims_of(dims: Any) -> str:
    """Writes a shape as the option assume_shape takes it: (None, 224, 3) is ?,224,3."""
    if isinstance(dims, str):
        return dims
    try:
        return ",".join("?" if dim is None else str(operator.index(dim)) for dim in dims)
    except TypeError:
        raise _wrong(
            "assume_shape", dims, "a shape is a tuple of whole numbers, with None for unknown"
        ) from None


def _wrong(name: str, value: object, why: str) -> "_native.UsageError":
    return _native.UsageError("option -%s: value %r: %s" % (name, value, why))


def _text(name: str, value: Any) -> Union[str, bytes, None]:
    """The text of one value as on the command line; None: the value cannot be written so."""
    if isinstance(value, bool) or type(value).__module__ == "numpy" and type(value).__name__.startswith("bool"):
        return "true" if value else "false"
    if isinstance(value, str) or isinstance(value, bytes) and name.replace("-", "_") in _DESTINATIONS:
        return value
    if isinstance(value, float):  # also numpy's floats
        return repr(float(value))
    if isinstance(value, os.PathLike):
        found: Union[str, bytes] = os.fspath(value)
        return found
    try:
        return str(operator.index(value))  # also numpy's integers
    except TypeError:
        return None


def _items(name: str, value: Iterable[Any]) -> List[Union[str, bytes]]:
    found = []
    for item in value:
        text = _text(name, item)
        if text is None:
            raise _wrong(name, value, "an item has the type %s" % type(item).__name__)
        found.append(text)
    return found


def _set(options: "_native.Options", name: str, value: Any) -> None:
    text = _text(name, value)
    if text is not None:
        options.set(name, text)
    elif isinstance(value, Mapping) and name == "assume_shape":
        options.set_list(name, ["%s=%s" % (node, dims_of(dims)) for node, dims in value.items()])
    elif isinstance(value, Mapping) and name == "faster":
        options.set_list(name, ["%s=%s" % (what, _text(name, factor)) for what, factor in value.items()])
    elif isinstance(value, Iterable) and not isinstance(value, _NO_LISTS):
        options.set_list(name, _items(name, value))
    else:
        raise _wrong(name, value, "type %s is no value of an option" % type(value).__name__)


# Options whose values are words of a table, and the word for them in messages.
_VALUES = {
    "select": ("columns", "no column"),
    "order_by": ("orders", "no such order"),
    "checkers": ("checkers", "no checker"),
}


def suggestion(word: str, known: Iterable[str]) -> str:
    """A suggestion for the message about an unknown name; "": no known name is similar."""
    near = difflib.get_close_matches(word, list(known), 1)
    return "; did you mean %s?" % near[0] if near else ""


def hinted(wrong: "_native.UsageError", given: Mapping[str, Any]) -> "_native.UsageError":
    """The error, with a suggestion if a value is similar to one of the option's words."""
    message = str(wrong)
    for name, (table, what) in _VALUES.items():
        value = given.get(name)
        if value is None or not message.startswith("option -%s:" % name) or what not in message:
            continue
        items = value.split(",") if isinstance(value, str) else value
        words = [v for v in items if isinstance(v, str)] if isinstance(items, Iterable) else []
        known = _native.table(table)
        hint = next((suggestion(word, known) for word in words if word not in known), "")
        return _native.UsageError(message + hint) if hint else wrong
    return wrong


def options_of(given: Mapping[str, Any]) -> "_native.Options":
    """Converts keywords to options: texts, numbers, booleans, and lists, whose items are not
    split."""
    options = _native.Options()
    options.every_value(True)
    known = [*_native.table("options"), *_native.table("command_options")]
    for name, value in given.items():
        if name.replace("-", "_") not in known:
            raise _native.UsageError("unknown option %r%s" % (name, suggestion(name, known)))
        if value is None:
            continue
        try:
            _set(options, name, value)
        except ValueError as wrong:  # a NUL or a lone surrogate
            if isinstance(wrong, _native.UsageError):
                raise hinted(wrong, given) from None
            raise _wrong(name, value, str(wrong)) from None
    return options


def is_put(given: Mapping[str, Any]) -> bool:
    """Whether the keywords also ask to write the report to a file, as on the command line."""
    return any(
        value is not None and name.replace("-", "_") in _DESTINATIONS for name, value in given.items()
    )


def destination(given: Mapping[str, Any]) -> Optional[str]:
    """The only file in the keywords; None: there is none, or there are several."""
    named = [given.get(name) for name in ("dump_to_file", "proto_out")]
    put = _text("output", given.get("output"))
    if isinstance(put, str) and "outfile=" in put:
        named.append(put.split("outfile=", 1)[1].split(",")[0])
    files = [file for file in named if file]
    return os.fsdecode(files[0]) if len(files) == 1 else None


def bind(options: "_native.Options", parameters: Parameters) -> None:
    """Values for the parameters of a query: a sequence for ?, a mapping for :name."""
    if isinstance(parameters, (str, bytes)) or not isinstance(parameters, (Mapping, Iterable)):
        raise _native.UsageError("parameters %r: give a sequence, or a mapping of names" % (parameters,))
    named: Dict[str, Any] = dict(parameters) if isinstance(parameters, Mapping) else {}
    if not isinstance(parameters, Mapping):
        named = {str(i + 1): value for i, value in enumerate(parameters)}
    for name, value in named.items():
        if value is not None and not isinstance(value, (str, float)):
            try:
                value = int(operator.index(value))
            except TypeError:
                raise _native.UsageError(
                    "parameter %s: value %r: type %s is none of SQL" % (name, value, type(value).__name__)
                ) from None
        elif isinstance(value, float):
            value = float(value)
        try:
            options.bind(name, value)
        except OverflowError:
            raise _native.UsageError("parameter %s: value %r: more than 64 bits" % (name, value)) from None

# SPDX-License-Identifier: Apache-2.0
"""Comparisons: takes profiles, steps of them and printed scope views, and returns a report of the
differences."""

import builtins
import os
import sys
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple, Union

from tfprof import _native
from tfprof._options import CodeOptions, Items, is_put, options_of
from tfprof._profile import Profile, Source
from tfprof._profile import open as _open
from tfprof._report import Report

if TYPE_CHECKING:
    from typing_extensions import Unpack

Side = Union[Profile, Source, Sequence[Source]]

_HEAD = 1 << 20  # the tree of a printed view must begin within this many bytes


class DiffOptions(CodeOptions, total=False):
    """The keywords of diff, for type checkers."""

    view: Optional[str]
    delta: Optional[Union[float, str]]
    min_size: Optional[Union[int, str]]
    names: Optional[Items]
    node_names: Optional[Items]
    hide_nodes: Optional[Items]
    swap_files: Optional[bool]
    fail_over: Optional[Union[int, str]]


_Native = Union[
    Tuple[None, Union[str, bytes, None], "_native.Profile", int],
    Tuple[None, Union[str, bytes], Optional[bytes]],
]


def _is_text(path: Any) -> bool:
    """A file that is not a profile is read as a printed text; its errors name the line."""
    if not os.path.isfile(path):
        return False
    with builtins.open(path, "rb") as file:
        head = file.read(_HEAD)
    if _native.is_scope_text(head):
        return True
    try:
        _native.recognise(path)
    except _native.InputError:
        return head.startswith(b"\x1f\x8b") or b"\0" not in head
    return False


def _side(given: Union[Side, Tuple[Side, int]], kept: List[Profile]) -> _Native:
    step = -1
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], int):
        given, step = given  # type: ignore[assignment]
    if isinstance(given, (bytes, bytearray, memoryview)) and _native.is_scope_text(bytes(given)):
        return None, "<text>", bytes(given)
    if isinstance(given, (str, os.PathLike)) and _is_text(given):
        return None, os.fspath(given), None
    label = None
    if not isinstance(given, Profile):
        label = os.fspath(given) if isinstance(given, (str, os.PathLike)) else None
        plain = isinstance(given, (str, os.PathLike, bytes, bytearray, memoryview))
        given = _open(given) if plain else _open(*given)  # type: ignore[arg-type, misc]
    kept.append(given)
    return None, label, given._native, step


def diff(*sides: Union[Side, Tuple[Side, int]], **options: "Unpack[DiffOptions]") -> Report:
    """Compares sides, each with the first.

    sides: each a Profile, or a path, bytes or a list of them as tfprof.open takes them; (side, STEP)
        is one step of it. The printed text of a scope view, a file or bytes, is a side, too.
    view: scope (the default), graph, op, code, or steps: each column of the table on each device.
    select: the columns to compare; by default micros, and for texts the columns that they have.
    names: the sides' names in columns; by default left and right, or side1, side2 ... for more.
    delta, min_size: shows rows whose largest value is at least min_size and exceeds the smallest
        by more than the share delta; for times only if Welch's test finds the difference significant.
    fail_over: "5%", "10ms", "5MB" or a number; report.over lists the values that grew by more.

    Columns, for each column C: C_NAME for each side, C_difference, C_ratio, and for times C_low and
    C_high (the 95 % interval of the difference) and C_significant: yes, no or unknown; `only` names
    the sides that have a row if some do not. report.notes says when the sides did different work.

    Raises UsageError, InputError, NotFoundError (no such step), LimitError, OutputError.
    """
    kept: List[Profile] = []
    given = tuple(_side(side, kept) for side in sides)
    for side in given:
        if len(side) == 4 and isinstance(side[3], int) and side[3] < -1:
            raise _native.UsageError("step %d: steps count from 0" % side[3])
    owner = _native.Profile()
    owner.finish()
    chosen = dict(options)
    view = str(chosen.pop("view", None) or "scope")
    made = _native.diff(owner, given, view, options_of(chosen))
    if is_put(options):
        sys.stdout.write(made.put().decode())
    return Report(kept[0] if kept else Profile(owner), "diff", made)

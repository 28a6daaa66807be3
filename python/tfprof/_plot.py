# SPDX-License-Identifier: Apache-2.0
"""Pictures of reports, drawn with matplotlib: bars, flames, a step's timeline, memory over time."""

import zlib
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

from tfprof import _native

if TYPE_CHECKING:
    from tfprof._report import Report

_COLOURS = ("#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377", "#bbbbbb")
_FLAME_LEAST = 0.002  # share of the whole; narrower boxes are left out
_TIMELINE_MOST = 20000  # most spans, because a picture cannot show more
_LABEL_LEAST = 0.05  # share of the width; narrower boxes show no name


def _axes(ax: Any, height: float) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as wrong:
        raise ImportError("plot() needs matplotlib: pip install matplotlib (%s)" % wrong) from wrong
    _, made = pyplot.subplots(figsize=(10, height), layout="constrained")
    return made


def _colour(name: str) -> str:
    """The colour of a name, the same in every picture."""
    return _COLOURS[zlib.crc32(name.encode("utf-8", "replace")) % len(_COLOURS)]


def _unit(column: str) -> str:
    if column.endswith(("micros", "_us")):
        return "%s (us)" % column
    return "%s (bytes)" % column if column.endswith("bytes") else column


def _numbers(report: "Report") -> List[str]:
    """The numeric columns that were selected."""
    kinds = dict(report._native.columns())
    left = ("row", "parent", "depth")
    return [name for name, kind in kinds.items() if kind in "ir" and name not in left]


def _column_of(report: "Report", column: Optional[str]) -> str:
    known = _numbers(report)
    if column is None and known:
        return known[0]
    if column is None or report._native_type(column) not in ("i", "r"):
        raise _native.UsageError(
            "plot: column %r is no numeric column; selected: %s" % (column, ", ".join(known) or "none")
        )
    return column


def _own(column: str) -> str:
    return column[len("total_") :] if column.startswith("total_") else column


def _label(report: "Report", i: int) -> str:
    """A row's label: its texts in a table, its name in a view."""
    if not report.is_table:
        return str(report[i].name)
    texts = [name for name, kind in report._native.columns() if kind == "s"]
    return " ".join(str(report[i][name]) for name in texts[:2] if report[i][name]) or str(i)


def bars(report: "Report", column: Optional[str], step: Optional[int], top: int, ax: Any) -> Any:
    name = _column_of(report, column)
    found: List[Tuple[float, int]] = []
    for i, value in enumerate(report.column(name)):
        if value and (report.is_table or i):  # the root of a tree is its total, so it is skipped
            found.append((value, i))
    found.sort(key=lambda pair: (-abs(pair[0]), pair[1]))
    found = found[: max(top, 0)]
    ax = _axes(ax, 1.2 + 0.28 * max(len(found), 3))
    labels = [_label(report, i) for _, i in found]
    ax.barh(range(len(found)), [value for value, _ in found], color=[_colour(text) for text in labels])
    ax.set_yticks(range(len(found)), [text if len(text) < 50 else "..." + text[-47:] for text in labels])
    ax.invert_yaxis()
    ax.set_xlabel(_unit(name))
    ax.set_title("%s: %s" % (report.view, name))
    return ax


def flame(report: "Report", column: Optional[str], step: Optional[int], top: int, ax: Any) -> Any:
    if report.is_table or "depth" not in report.columns:
        raise _native.UsageError("plot: a flame is drawn of views that are trees, not of %s" % report.view)
    name = "total_" + _own(_column_of(report, column))
    if report._native_type(name) not in ("i", "r"):
        raise _native.UsageError("plot: %s has no total" % _own(name))
    totals = [value or 0 for value in report.column(name)]
    parents, depths = report.column("parent"), report.column("depth")
    whole = totals[0] if totals else 0
    ax = _axes(ax, 1.2 + 0.32 * (max(depths, default=0) + 1))
    next_at: Dict[int, float] = {}  # for each row, where its next child begins
    for i, total in enumerate(totals):
        above = parents[i]
        left = 0.0 if above is None else next_at.get(above, 0.0)
        if above is not None:
            next_at[above] = left + total
        next_at[i] = left
        if not whole or total < whole * _FLAME_LEAST:
            continue
        text = str(report[i].name).rsplit("/", 1)[-1]
        ax.barh(depths[i], total, left=left, height=0.92, color=_colour(text), edgecolor="white", linewidth=0.4)
        if total >= whole * _LABEL_LEAST:
            room = int(total / whole * 110)
            ax.text(left + total / 2, depths[i], text[:room], ha="center", va="center", fontsize=7, clip_on=True)
    ax.invert_yaxis()
    ax.set_yticks([])
    ax.set_xlim(0, whole or 1)
    ax.set_xlabel(_unit(name))
    ax.set_title("%s: %s" % (report.view, name))
    return ax


def _step_of(report: "Report", step: Optional[int]) -> int:
    steps = report.profile.steps
    if not steps:
        raise _native.NotFoundError("plot: the profile has no steps")
    return steps[0] if step is None else step


def timeline(report: "Report", column: Optional[str], step: Optional[int], top: int, ax: Any) -> Any:
    step = _step_of(report, step)
    spans = report.profile.records("spans", step)
    lanes, starts, took = spans.column("lane"), spans.column("start_us"), spans.column("duration_us")
    names = [op or name for op, name in zip(spans.column("op"), spans.column("name"))]
    if not starts:
        raise _native.NotFoundError("plot: no spans were recorded in step %d" % step)
    first = min(starts)
    order = list(dict.fromkeys(lanes))
    ax = _axes(ax, 1.2 + 0.5 * len(order))
    longest = sorted(range(len(starts)), key=lambda i: -took[i])[:_TIMELINE_MOST]
    for number, lane in enumerate(order):
        mine = [i for i in longest if lanes[i] == lane]
        ax.broken_barh(
            [(starts[i] - first, max(took[i], 1)) for i in mine],
            (number - 0.4, 0.8),
            facecolors=[_colour(names[i] or "") for i in mine],
        )
    ax.set_yticks(range(len(order)), [lane if len(lane) < 40 else "..." + lane[-37:] for lane in order])
    ax.invert_yaxis()
    ax.set_xlabel("us since the first span")
    ax.set_title("step %d" % step)
    return ax


def memory(report: "Report", column: Optional[str], step: Optional[int], top: int, ax: Any) -> Any:
    step = _step_of(report, step)
    held = report.profile.records("memory", step)
    if not len(held):
        raise _native.NotFoundError("plot: no memory was recorded in step %d" % step)
    times, bytes_held, devices = held.column("at_us"), held.column("held_bytes"), held.column("device")
    first = min(times)
    ax = _axes(ax, 4)
    for device in dict.fromkeys(devices):
        mine = [i for i, one in enumerate(devices) if one == device]
        ax.step([times[i] - first for i in mine], [bytes_held[i] or 0 for i in mine], where="post", label=device)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("us since the first allocation")
    ax.set_ylabel("bytes held")
    ax.set_title("step %d" % step)
    ax.legend(fontsize=7)
    return ax


KINDS: Dict[str, Callable[..., Any]] = {
    "bars": bars,
    "flame": flame,
    "timeline": timeline,
    "memory": memory,
}


def plot(
    report: "Report", kind: Optional[str], column: Optional[str], step: Optional[int], top: int, ax: Any
) -> Any:
    if kind is None:
        kind = "flame" if report.view in ("scope", "code", "calls") else "bars"
    if kind not in KINDS:
        raise _native.UsageError("plot: kind %r: there are %s" % (kind, ", ".join(KINDS)))
    return KINDS[kind](report, column, step, top, ax)

# SPDX-License-Identifier: Apache-2.0
"""Limits for tests: `@tfprof.limit(step_ms=…, float_ops=…, peak_bytes=…)`."""

import functools
import os
import statistics
from typing import Any, Callable, Dict, List, Mapping, Optional, TypeVar, Union, cast

from tfprof import _native
from tfprof._profile import Profile
from tfprof._profile import open as open_profile

Test = TypeVar("Test", bound=Callable[..., Any])


class Measured:
    """One number that was compared with its limit; pytest's summary lists them."""

    def __init__(self, test: str, name: str, value: float, most: float) -> None:
        self.test, self.name, self.value, self.most = test, name, value, most

    def __str__(self) -> str:
        return "%s: %s %s, limit %s" % (self.test, self.name, _shown(self.value), _shown(self.most))


measured: List[Measured] = []


def _shown(x: float) -> str:
    return "{:,}".format(int(x)) if x == int(x) else "{:,.3f}".format(x)


# ---- what is measured ----


def _step_ms(p: Profile) -> float:
    """The median over the steps; with several devices their mean."""
    steps: Dict[str, List[float]] = {}
    for row in p.view("steps"):
        if row["step"] != "all" and row["duration_us"] is not None:
            steps.setdefault(row["step"], []).append(row["duration_us"])
    if not steps:  # for a graph, which has no steps
        raise _native.NotFoundError("step_ms: the profile has no steps")
    return statistics.median(statistics.mean(d) for d in steps.values()) / 1000


def _total(p: Profile, column: str, cell: Optional[str] = None) -> float:
    return float(p.op(select=[column], max_depth=10**6).root["total_" + (cell or column)])


def _float_ops(p: Profile) -> float:
    return _total(p, "float_ops")


def _params(p: Profile) -> float:
    return _total(p, "params")


def _calls(p: Profile) -> float:
    return _total(p, "occurrence", "runs")


def _peak_bytes(p: Profile) -> float:
    """The peak of the device that held most."""
    told = p.memory().to_dict()["summary"]
    return float(max(value for key, value in told.items() if key.startswith("peak_bytes")))


_MEASURES: Dict[str, Callable[[Profile], float]] = {
    "step_ms": _step_ms,
    "float_ops": _float_ops,
    "peak_bytes": _peak_bytes,
    "params": _params,
    "calls": _calls,
}

# ---- what a failure says ----


def _top_operation(p: Profile, column: str) -> Optional[str]:
    """The operation with the largest value in a column."""
    rows = p.op(select=[column], order_by=column)
    return str(rows[1].name) if len(rows) > 1 else None


def _top_line(p: Profile) -> Optional[str]:
    """The line of code that takes most time; None if the profile has no lines."""
    try:
        rows = p.lines(top=1)
    except _native.Error:
        return None
    return str(rows[0]["line"]) if len(rows) else None


_SORTED_BY = {"step_ms": "micros", "float_ops": "float_ops", "peak_bytes": "bytes", "params": "params", "calls": "occurrence"}


def _failure(p: Profile, over: List[Measured]) -> str:
    lines = []
    for one in over:
        op = _top_operation(p, _SORTED_BY[one.name])
        line = _top_line(p) if one.name == "step_ms" else None
        most = ["most of it in %s" % op] if op else []
        most += ["at %s" % line] if line else []
        lines.append("%s is %s, over the limit of %s%s" % (one.name, _shown(one.value), _shown(one.most), "; " + ", ".join(most) if most else ""))
    return "\n".join(lines)


def _profile_of(made: Any) -> Profile:
    if isinstance(made, Profile):
        return made
    if isinstance(made, (str, bytes, os.PathLike)):
        return open_profile(made)
    if isinstance(made, (list, tuple)) and made:
        return open_profile(*made)
    raise _native.UsageError("a test with tfprof.limit returns its profile: a Profile, a path, or several paths")


def _check_names(limits: Mapping[str, float]) -> None:
    unknown = sorted(set(limits) - set(_MEASURES))
    if unknown or not limits:
        raise _native.UsageError("limits are %s%s" % (", ".join(_MEASURES), ", not " + unknown[0] if unknown else ""))


def check(made: Any, test: str = "profile", **limits: float) -> None:
    """Raises AssertionError when a profile, or what was recorded at a path, is over one of the limits."""
    _check_names(limits)
    p = _profile_of(made)
    all_of = [Measured(test, name, _MEASURES[name](p), most) for name, most in limits.items()]
    measured.extend(all_of)
    over = [one for one in all_of if one.value > one.most]
    if over:
        raise AssertionError(_failure(p, over))


def limit(**limits: Union[int, float]) -> Callable[[Test], Test]:
    """Fails a test whose profile is over a limit.

        @tfprof.limit(step_ms=12, float_ops=2e9, peak_bytes=6e8)
        def test_training_step(tmp_path):
            record(tmp_path / "trace.json")
            return tmp_path / "trace.json"

    step_ms: the median duration of a step in milliseconds. float_ops, calls: of all operations in a step. params:
    the parameters of the model. peak_bytes: most memory held at once on one device. The test returns its Profile, a
    path or several paths. Works in pytest, whose summary then lists what was measured, and in unittest. Time varies
    from run to run: give step_ms room, or gate it by `tfprof diff --gate`; the other numbers are exact.
    """
    _check_names(limits)

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def limited(*args: Any, **kwargs: Any) -> None:
            check(test(*args, **kwargs), getattr(test, "__qualname__", "test"), **limits)

        return cast(Test, limited)

    return decorate

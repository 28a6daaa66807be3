# SPDX-License-Identifier: Apache-2.0
"""SQL over the tables of profiles."""

from typing import Optional, Sequence, Union

from tfprof import _native
from tfprof._options import Parameters, bind, options_of
from tfprof._profile import Profile, Source, open
from tfprof._report import Report


def query(
    sql: str,
    *profiles: Union[Profile, Source],
    parameters: Parameters = (),
    names: Optional[Sequence[str]] = None,
    time_limit: Optional[float] = None,
) -> Report:
    """Answers one SELECT over the tables of profiles.

        tfprof.query("SELECT op, sum(run_us) FROM nodes JOIN executions USING (node) GROUP BY op", p)

    tfprof.tables() lists the tables with their columns. Each row has the name of
    its profile in the column profile. The columns of the report are those of the query.

    profiles: Profiles, or inputs of tfprof.open, each a profile of its own.
    parameters: values for ? in the order of a sequence, for :name by the keys of a mapping: numbers,
        texts or None.
    names: their names in the column profile; by default their first files.
    time_limit: in seconds (default 60), 0 for none.

    Raises UsageError with SQLite's message, LimitError, NotFoundError (no SQLite here).
    """
    opened = [p if isinstance(p, Profile) else open(p) for p in profiles]
    if names is not None and len(names) != len(opened):
        raise _native.UsageError("%d names for %d profiles" % (len(names), len(opened)))
    called = names if names is not None else [None] * len(opened)
    pairs = tuple((p._native, name) for p, name in zip(opened, called))
    if not opened:
        raise _native.UsageError("no profile to query")
    options = options_of({"time_limit": time_limit})
    bind(options, parameters)
    return Report(opened[0], "query", _native.query(sql, pairs, options))


def tables(name: Optional[str] = None) -> Report:
    """The tables for queries, one row for each column: table_name, name, type and help; with a name only that
    table's."""
    nothing = _native.Profile()
    nothing.finish()
    empty = Profile(nothing)
    if name is None:
        return empty.query("SELECT table_name, name, type, help FROM columns")
    found = empty.query("SELECT table_name, name, type, help FROM columns WHERE table_name = ?", [name])
    if len(found):
        return found
    known = empty.query("SELECT DISTINCT table_name FROM columns").column("table_name")
    raise _native.NotFoundError("no table %s: there are %s" % (name, ", ".join(known)))

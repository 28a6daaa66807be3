# SPDX-License-Identifier: Apache-2.0
"""What the library can do, read from its tables."""

from typing import List, Optional

from tfprof import _native


def names(table: str) -> List[str]:
    """The rows of one of the library's tables.

    table: "views", "columns" (of select), "options" (keywords of the views), "command_options"
        (of stats, diff, query and flops alone), "outputs", "formats", "checkers" (of advise), "orders" (of
        order_by), "ops" (the help is the formula of float operations), "op_sources" (where it is from),
        "trace_columns" (the columns; the help is what they mean in a trace of events) or "notes" (codes of notes).
    """
    return list(_native.table(table))


_TABLES = ("views", "columns", "options", "command_options", "outputs", "formats", "checkers", "orders", "ops")


def help(table: str, name: Optional[str] = None) -> str:
    """Describes a row of a table in a sentence; without a name all rows of the table, one line each.

    help("micros") explains a name of any table.
    """
    if name is None and table not in _TABLES + ("op_sources", "trace_columns", "notes"):
        found = [t for t in _TABLES if table in _native.table(t)]
        if found:
            return "\n".join("%s of %s: %s" % (table, t, _native.table(t)[table]) for t in found)
    rows = _native.table(table)
    if name is not None:
        return rows[name]
    width = max(len(row) for row in rows) + 2
    return "\n".join(row.ljust(width) + text for row, text in rows.items())


def _keywords() -> str:
    return "\n".join("    %s: %s" % row for row in _native.table("options").items())

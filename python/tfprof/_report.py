# SPDX-License-Identifier: Apache-2.0
"""Reports: rows that print, iterate, and go out to other tools."""

import json as _json
import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Union, overload

from tfprof import _native, _shown
from tfprof._columns import Columns

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from tfprof._notebook import Page
    from tfprof._options import Path
    from tfprof._profile import Profile


class Row(Columns):
    """One row of a report: a node, a scope, an op type, a frame of code.

    Every column is an attribute and an item, whether it was selected or not: row.micros is its own
    time, row.total_micros that with everything below it; row["micros"] is the same. `columns` of
    the report names them. None is an absent number. Iterating gives its children;
    dict(row) and row.to_dict() are the selected columns.
    """

    __slots__ = ("_report", "index")

    def __init__(self, report: "Report", index: int) -> None:
        self._report = report
        self.index = index

    @property
    def name(self) -> str:
        """The name of the node, scope, op type or frame; "" where findings and SQL rows have none."""
        found: str = self.__getattr__("name")
        return found

    @property
    def parent(self) -> Optional["Row"]:
        """The row above; None for the root."""
        above = self._report._native.get(self.index, "parent")
        return None if above is None else Row(self._report, above)

    @property
    def children(self) -> List["Row"]:
        """The children of the row, in the order of order_by."""
        return [Row(self._report, i) for i in self._report._below(self.index)]

    def __iter__(self) -> Iterator["Row"]:
        return iter(self.children)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._report._native.get(self.index, name)
        except KeyError:
            raise AttributeError("no column %s" % name) from None

    def __getitem__(self, column: str) -> Any:
        return self._report._native.get(self.index, column)

    # ---- the selected columns ----

    def keys(self) -> List[str]:
        """The columns of the report, as CSV and pandas have them; dict(row) takes these."""
        return self._report.columns

    def values(self) -> List[Any]:
        """The cells of these columns."""
        return [self[name] for name in self.keys()]

    def items(self) -> List[Tuple[str, Any]]:
        """The columns with their cells."""
        return [(name, self[name]) for name in self.keys()]

    def get(self, column: str, default: Any = None) -> Any:
        """A cell; `default` for an unknown column or an absent number."""
        try:
            found = self[column]
        except KeyError:
            return default
        return default if found is None else found

    def to_dict(self) -> Dict[str, Any]:
        """The columns of the report with their cells, without the children."""
        return dict(self.items())

    def __dir__(self) -> List[str]:
        names = self.keys() if self._report.is_table else [*Columns.__annotations__, *self.keys()]
        return sorted({*object.__dir__(self), *filter(str.isidentifier, names)})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Row):
            return NotImplemented
        return self._report is other._report and self.index == other.index

    def __hash__(self) -> int:
        return hash((id(self._report), self.index))

    def __repr__(self) -> str:
        columns = self._report.columns
        if self._report.view == "advise":
            names = [c for c in columns if c not in ("checker", "report")]  # that report is a line of text
        else:
            names = columns[1 if self._report.is_table else 4 :]
        shown = [c for c in names if self[c] not in (None, "")]
        cells = ["%s=%r" % (c, self[c]) for c in shown]
        first = self[columns[0]]  # for a finding the first column is the checker
        return "<tfprof.Row %s%s>" % (first, ": " + ", ".join(cells) if cells else "")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """For IPython's terminal: one column per line."""
        printer.text(_shown.row_text(self))


Mapping.register(Row)  # so that pandas and similar libraries read rows by their columns


class Report:
    """One view of a profile.

    print(report) shows TensorFlow's text. It is a sequence of rows, parents before children:
    report[0] is a row by number, report[1:4] a list of some, report["a/b"] one by name,
    report.index("a/b") its number. Row 0 of a tree is the root. pandas.DataFrame(report) is the
    table. The rows of advise are its findings, with the columns checker, report,
    seconds (what it is about), gain_seconds (what a remedy saves at most), file, span and command.
    """

    def __init__(self, profile: "Profile", view: str, native: "_native.Report") -> None:
        self.profile = profile
        self.view = view
        self._native = native
        self._children: Optional[List[List[int]]] = None
        self._rows_by_name: Optional[Dict[str, int]] = None

    # ---- rows ----

    @property
    def root(self) -> Row:
        return Row(self, 0)

    @property
    def columns(self) -> List[str]:
        """The columns that were selected, as CSV, pandas and Arrow have them."""
        return [name for name, _ in self._native.columns()]

    @property
    def is_table(self) -> bool:
        """Whether it has columns of its own, as statistics have, and its rows are not rows of a view."""
        return self._native.is_table()

    @property
    def notes(self) -> List[str]:
        """Data that the report could not take into account, one line each."""
        return self._native.notes()

    @property
    def note_codes(self) -> List[str]:
        """The code of each note, such as "steps_guessed", for programs: sentences may change, codes do not."""
        return self._native.note_codes()

    @property
    def over(self) -> List[str]:
        """The values that grew over the limit of fail_over in a comparison, one line each."""
        return self._native.over()

    @property
    def findings(self) -> List[Tuple[str, str]]:
        """The findings of advise: (checker, text). Empty for other views."""
        if self.view != "advise":
            return []
        return list(zip(self._native.column("checker"), self._native.column("report")))

    def _native_type(self, name: str) -> str:
        """The column's type i, r, s or b; "" for an unknown column."""
        return self._native.column_type(name)

    def column(self, name: str) -> List[Any]:
        """The cells of one column, a row each."""
        return self._native.column(name)

    def _below(self, index: int) -> List[int]:
        if self._children is None:
            below: List[List[int]] = [[] for _ in range(len(self))]
            for row, above in enumerate(self._native.column("parent")):
                if above is not None:
                    below[above].append(row)
            self._children = below
        return self._children[index]

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> Iterator[Row]:
        return (Row(self, i) for i in range(len(self)))

    def __reversed__(self) -> Iterator[Row]:
        return (Row(self, i) for i in reversed(range(len(self))))

    def _number_of(self, name: str) -> int:
        if self._rows_by_name is None:
            names = self._native.column("name")
            self._rows_by_name = {name: i for i, name in reversed(list(enumerate(names)))}
        return self._rows_by_name[name]

    @overload
    def __getitem__(self, key: Union[int, str]) -> Row: ...
    @overload
    def __getitem__(self, key: slice) -> List[Row]: ...
    def __getitem__(self, key: Union[int, str, slice]) -> Union[Row, List[Row]]:
        if isinstance(key, slice):
            return [Row(self, i) for i in range(*key.indices(len(self)))]
        if isinstance(key, str):
            return Row(self, self._number_of(key))
        number = operator.index(key)  # also numpy's integers
        index = number + len(self) if number < 0 else number
        if not 0 <= index < len(self):
            raise IndexError("no row %d of %d" % (number, len(self)))
        return Row(self, index)

    def index(self, row: Union[Row, str], start: int = 0, stop: Optional[int] = None) -> int:
        """The number of a row, or of the first one with a name. Raises ValueError where there is none."""
        found: Optional[int] = None
        if isinstance(row, Row):
            found = row.index if row._report is self else None
        elif row in self:
            found = self._number_of(row)
        if found is None or found not in range(*slice(start, stop).indices(len(self))):
            raise ValueError("%r is no row of %r" % (row, self))
        return found

    def count(self, row: Union[Row, str]) -> int:
        """How many rows equal a row, or have a name."""
        if isinstance(row, Row):
            return int(row in self)
        return sum(name == row for name in self._native.column("name")) if row in self else 0

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return isinstance(name, Row) and name._report is self
        try:
            self[name]
        except KeyError:
            return False
        return True

    # ---- display ----

    def __str__(self) -> str:
        return self._native.write("text").decode() + _shown.attributed_text(self)

    def __repr__(self) -> str:
        return "<tfprof.Report: %s view, %d rows>" % (self.view, len(self))

    def _repr_html_(self) -> str:
        """A table for notebooks, of the first 500 rows."""
        return _shown.report_html(self)

    def show(self, *, height: int = 640) -> "Page":
        """The page of the profile, begun where it has this view: flame graph, timeline, table ...

        It shows the whole profile; the options of this report do not apply to it. Raises what Profile.show raises.
        """
        from tfprof._notebook import page, place_of

        return page(self.profile, place_of(self.view), height, 64)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """For IPython's terminal: the first rows as a table."""
        printer.text(_shown.report_text(self))

    def plot(
        self,
        kind: Optional[str] = None,
        *,
        column: Optional[str] = None,
        step: Optional[int] = None,
        top: int = 20,
        ax: Any = None,
    ) -> Any:
        """Draws it with matplotlib, and returns the Axes.

        kind: "bars": the rows with the highest own values; "flame": a tree of rows, each as wide as
            its total; "timeline": what ran where and when in a step; "memory": bytes held over time
            in a step. The default is flame for scope and code views, otherwise bars.
        column: the numeric column of bars and widths; by default the first selected one.
        step: for timeline and memory; by default the first.
        top: the number of bars.
        ax: the Axes to draw into; by default those of a new figure.

        Raises ImportError (no matplotlib), UsageError, NotFoundError (no step was recorded).
        """
        from tfprof import _plot

        return _plot.plot(self, kind, column, step, top, ax)

    # ---- other forms ----

    def to_dict(self) -> Dict[str, Any]:
        """The JSON form (docs/json.md): its "root" is the first row, with its "children".

        That of a table has "rows", a list.
        """
        if self.is_table:
            table: Dict[str, Any] = _json.loads(self._native.write("json"))
            return table
        lines = self._native.write("jsonl").splitlines()
        whole: Dict[str, Any] = _json.loads(lines[0])
        if self.view == "advise":
            return whole
        rows = [_json.loads(line) for line in lines[1:]]
        for row in rows:
            row["children"] = []
        for row in rows[1:]:
            rows[row["parent"]]["children"].append(row)
        for row in rows:
            del row["row"], row["parent"], row["depth"]
        whole["root"] = rows[0] if rows else None
        return whole

    def to_pandas(self) -> "pandas.DataFrame":
        """A DataFrame of the selected columns, a row each; absent numbers are <NA>."""
        import pandas

        made = {}
        columns = self._native.columns()
        if self.view != "advise" and not self.is_table:
            columns.insert(4, ("accounted", "b"))
        for name, kind in columns:
            cells = self._native.column(name)
            dtype = {"i": "Int64", "r": "Float64"}.get(kind) if None in cells else None
            made[name] = pandas.array(cells, dtype=dtype) if dtype else cells
        return pandas.DataFrame(made)

    def to_arrow(self) -> "pyarrow.Table":
        """A pyarrow Table of the selected columns, without going through Python's numbers."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule protocol: pyarrow, polars, duckdb, pandas and Spark read a report this way.

        requested_schema is ignored, as the protocol allows: columns are int64, float64, bool and utf8.
        """
        return self._native.arrow_stream()

    def to_bytes(self, output: str) -> bytes:
        """One form of tfprof.names("outputs"): text, json, csv, md, proto, timeline, pprof, folded, speedscope ..."""
        return self._native.write(output)

    def write(self, output: str, path: "Path") -> None:
        """The same into a file, which appears whole or not at all."""
        self._native.write(output, path)

    def timeline(self, path: "Path") -> None:
        """Writes a Chrome trace (chrome://tracing, Perfetto) to path; of one step in graph view."""
        self.write("timeline", path)

    def pprof(self, path: "Path") -> None:
        """Writes a gzipped profile for pprof to path; of the code and scope views."""
        self.write("pprof", path)

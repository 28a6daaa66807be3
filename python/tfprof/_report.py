"""Reports: rows that print, iterate, and go out to other tools."""

import html as _html
import json as _json
import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Union

from tfprof import _native

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from tfprof._profile import Profile

_HTML_ROWS = 500


class Row:
    """One row of a report: a node, a scope, an op type, a frame of code.

    Every column is an attribute and an item, whether it was selected or not: row.micros is its own
    time, row.total_micros that with everything below it; row["micros"] is the same. `columns` of
    the report names them. None stands where there is no number. Iterating gives the rows below.
    """

    __slots__ = ("_report", "index")

    def __init__(self, report: "Report", index: int) -> None:
        self._report = report
        self.index = index

    @property
    def name(self) -> str:
        """Of the node, scope, op type or frame. Findings and SQL rows need not have one."""
        found: str = self.__getattr__("name")
        return found

    @property
    def parent(self) -> Optional["Row"]:
        """The row above; None for the root."""
        above = self._report._native.get(self.index, "parent")
        return None if above is None else Row(self._report, above)

    @property
    def children(self) -> List["Row"]:
        """The rows right below, in the order of order_by."""
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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Row):
            return NotImplemented
        return self._report is other._report and self.index == other.index

    def __hash__(self) -> int:
        return hash((id(self._report), self.index))

    def __repr__(self) -> str:
        names = self._report.columns[1 if self._report.is_table else 4 :]
        shown = [c for c in names if self[c] not in (None, "")]
        cells = ["%s=%r" % (c, self[c]) for c in shown]
        first = self[self._report.columns[0]]  # the name, or the checker of a finding
        return "<tfprof.Row %s%s>" % (first, ": " + ", ".join(cells) if cells else "")


class Report:
    """One view of a profile.

    print(report) shows TensorFlow's text. Iterating gives the rows, parents before children;
    report[0] is a row by number, report["a/b"] by name. Rows of a report are numbered from 0, the
    root. The rows of advise are its findings, with the columns checker and report.
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
        """Whether it has columns of its own, as statistics have, and its rows are no rows of a view."""
        return self._native.is_table()

    @property
    def notes(self) -> List[str]:
        """What the report could not take into account, a line each."""
        return self._native.notes()

    @property
    def over(self) -> List[str]:
        """What grew over the limit of fail_over in a comparison, a line each; empty: nothing did."""
        return self._native.over()

    @property
    def findings(self) -> List[Tuple[str, str]]:
        """What advise found: (checker, text). Empty for other views."""
        if self.view != "advise":
            return []
        return list(zip(self._native.column("checker"), self._native.column("report")))

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

    def __getitem__(self, key: Union[int, str]) -> Row:
        if isinstance(key, int):
            index = key + len(self) if key < 0 else key
            if not 0 <= index < len(self):
                raise IndexError("no row %d of %d" % (key, len(self)))
            return Row(self, index)
        if self._rows_by_name is None:
            names = self._native.column("name")
            self._rows_by_name = {name: i for i, name in reversed(list(enumerate(names)))}
        return Row(self, self._rows_by_name[key])

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return isinstance(name, Row) and name._report is self
        try:
            self[name]
        except KeyError:
            return False
        return True

    # ---- what people see ----

    def __str__(self) -> str:
        return self._native.write("text").decode()

    def __repr__(self) -> str:
        return "<tfprof.Report: %s view, %d rows>" % (self.view, len(self))

    def _repr_html_(self) -> str:
        """A table for notebooks, of the first 500 rows."""
        count = min(len(self), _HTML_ROWS)
        names = self.columns
        shown = [c for c in names if c not in ("row", "parent", "depth")]
        depths = self._native.column("depth")[:count] if "depth" in names else [0] * count
        head = "".join("<th>%s</th>" % _html.escape(c) for c in shown)
        body = []
        for i, depth in enumerate(depths):
            cells = [_cell(self._native.get(i, c)) for c in shown]
            first = '<td style="%spadding-left:%dem">%s</td>' % (_TEXT_STYLE, depth + 1, cells[0][1])
            rest = "".join('<td style="%s">%s</td>' % cell for cell in cells[1:])
            body.append("<tr>%s%s</tr>" % (first, rest))
        more = "<p>%d more rows</p>" % (len(self) - count) if len(self) > count else ""
        table = "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>%s"
        return table % (head, "".join(body), more)

    # ---- what programs take ----

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
        """The Arrow PyCapsule protocol: pyarrow, polars, duckdb, pandas and Spark take a report so.

        requested_schema is ignored, as the protocol allows: columns are int64, float64, bool and utf8.
        """
        return self._native.arrow_stream()

    def to_bytes(self, output: str) -> bytes:
        """One form of tfprof.names("outputs"): text, json, csv, md, proto, timeline, pprof ..."""
        return self._native.write(output)

    def write(self, output: str, path: "os.PathLike[str] | str") -> None:
        """The same into a file, which appears whole or not at all."""
        self._native.write(output, path)

    def timeline(self, path: "os.PathLike[str] | str") -> None:
        """Writes a Chrome trace (chrome://tracing, Perfetto) to path; of one step in graph view."""
        self.write("timeline", path)

    def pprof(self, path: "os.PathLike[str] | str") -> None:
        """Writes a gzipped profile for pprof to path; of the code and scope views."""
        self.write("pprof", path)


_TEXT_STYLE = "text-align:left;white-space:pre-line;"


def _cell(value: Any) -> Tuple[str, str]:
    """The style and the text of a table's cell."""
    if isinstance(value, str):
        return _TEXT_STYLE, _html.escape(value)
    return "", "" if value is None else "{:,}".format(value)

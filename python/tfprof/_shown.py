# SPDX-License-Identifier: Apache-2.0
"""How rows and reports are displayed as the result of a cell, in notebooks and in IPython's
terminal."""

import html as _html
from typing import TYPE_CHECKING, Any, List, Tuple

if TYPE_CHECKING:
    from tfprof._report import Report, Row

_HTML_ROWS = 500
_TEXT_ROWS = 40
_CELL_WIDTH = 60

_TEXT_STYLE = "text-align:left;white-space:pre-line;"


def escaped(text: str) -> str:
    return _html.escape(text)


def _cell(value: Any) -> Tuple[str, str]:
    """The CSS style and the text of a table's cell."""
    if isinstance(value, str):
        return _TEXT_STYLE, _html.escape(value)
    return "", "" if value is None else "{:,}".format(value)


def _names(report: "Report") -> List[str]:
    return [c for c in report.columns if c not in ("row", "parent", "depth")]


def _depths(report: "Report", count: int) -> List[int]:
    return report.column("depth")[:count] if "depth" in report.columns else [0] * count


def attributed_text(report: "Report") -> str:
    """How much of a trace's device time has a place of its own, where not all of it has: one launch of a graph may hold
    a whole model."""
    told = zip(report.note_codes, report.notes)
    return "".join("note: %s\n" % note for code, note in told if code == "attributed")


def report_html(report: "Report") -> str:
    """Its notes, and a table of the first rows."""
    count = min(len(report), _HTML_ROWS)
    shown = _names(report)
    head = "".join("<th>%s</th>" % _html.escape(c) for c in shown)
    body = []
    for i, depth in enumerate(_depths(report, count)):
        cells = [_cell(report[i][c]) for c in shown]
        first = '<td style="%spadding-left:%dem">%s</td>' % (_TEXT_STYLE, depth + 1, cells[0][1])
        rest = "".join('<td style="%s">%s</td>' % cell for cell in cells[1:])
        body.append("<tr>%s%s</tr>" % (first, rest))
    more = "<p>%d more rows</p>" % (len(report) - count) if len(report) > count else ""
    notes = "".join("<p>note: %s</p>" % _html.escape(note) for note in report.notes)
    table = "%s<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>%s"
    return table % (notes, head, "".join(body), more)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or isinstance(value, str):
        text = str(value).replace("\n", " ")
        return text if len(text) <= _CELL_WIDTH else text[: _CELL_WIDTH - 3] + "..."
    return "{:,}".format(value) if isinstance(value, int) else "{:,.6g}".format(value)


def row_text(row: "Row") -> str:
    """One column per line; columns without a value are left out."""
    names = [c for c in _names(row._report) if row[c] not in (None, "")]
    width = max((len(name) for name in names), default=0)
    lines = ["  %-*s  %s" % (width, name, _plain(row[name])) for name in names]
    return "\n".join(["<tfprof.Row %d of %s>" % (row.index, row._report.view), *lines])


def report_text(report: "Report") -> str:
    """A table of the first rows: names to the left, numbers to the right."""
    names = _names(report)
    count = min(len(report), _TEXT_ROWS)
    table = [names]
    texts = [True] * len(names)
    for i, depth in enumerate(_depths(report, count)):
        values = [report[i][name] for name in names]
        table.append([_plain(value) for value in values])
        table[-1][0] = "  " * min(depth, 20) + table[-1][0]
        texts = [t and (v is None or isinstance(v, str)) for t, v in zip(texts, values)]
    widths = [max(len(line[i]) for line in table) for i in range(len(names))]
    lines = [repr(report)]
    for line in table:
        cells = [c.ljust(w) if t else c.rjust(w) for c, w, t in zip(line, widths, texts)]
        lines.append("  ".join(cells).rstrip())
    if len(report) > count:
        lines.append("... %d more rows: print(report) shows all of it" % (len(report) - count))
    lines += ["note: %s" % note for note in report.notes]
    return "\n".join(lines)

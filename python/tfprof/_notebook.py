# SPDX-License-Identifier: Apache-2.0
"""The page of a profile as the result of a notebook's cell: timeline, flame graph and tables."""

import os as _os
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Optional, Tuple

from tfprof import _native, _shown

if TYPE_CHECKING:
    from tfprof._options import Path
    from tfprof._profile import Profile

_CELL_MB = 8  # size limit of the page that a profile shows by itself; show() allows more
_MOST_MB = 64
_HEIGHT = 640
PLACES = (
    "overview",
    "findings",
    "timeline",
    "steps",
    "memory",
    "table",
    "flame",
    "graph",
    "more",
)
# The page's place for each view. Views that are missing here are shown as a table of their own
# name.
_OF_VIEWS = {
    "scope": "flame",
    "code": "flame",
    "calls": "flame",
    "graph": "graph",
    "op": "table?by=op",
    "kernel": "table?by=kernel",
    "lines": "table?by=line",
    "params": "table?by=parameter",
    "transfer": "table?by=transfer",
    "wait": "table?by=wait",
    "steps": "steps",
    "stats": "steps",
    "memory": "memory",
    "spans": "timeline",
    "summary": "findings",
    "check": "findings",
    "advise": "findings",
    "flops": "more?by=flops",
}
_CHARSET = '<meta charset="utf-8" />'


class Page:
    """The page of a profile, as `tfprof report` writes it. As the result of a cell a notebook shows it."""

    def __init__(self, html: str, height: int = _HEIGHT) -> None:
        self.html = html
        self.height = int(height)

    def _repr_html_(self) -> str:
        # The frame may only run the page's script: it can access neither the notebook nor the network.
        inside = self.html.replace("&", "&amp;").replace('"', "&quot;")
        return (
            '<iframe sandbox="allow-scripts allow-downloads" title="tfprof" width="100%%" height="%d" '
            'style="border:1px solid #8884" srcdoc="%s"></iframe>' % (self.height, inside)
        )

    def __repr__(self) -> str:
        return "<tfprof.Page: %d bytes, shown by notebooks; save(PATH) keeps it>" % len(self.html)

    def save(self, path: "Path") -> None:
        """Writes it as one HTML file that works without a network."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)


def _name_of(profile: "Profile") -> str:
    """The page's title: the name of the first file."""
    files = profile._opened.files if profile._opened else []
    first = _os.path.basename(_os.fsdecode(files[0][0]).rstrip("/")) if files else ""
    return first.lstrip("-.") or "profile"


def _page_of(profile: "Profile", most: int) -> str:
    # imported here, because `python -m tfprof` must run this module before anything has imported it
    from tfprof.__main__ import program

    command = program()
    if command is None:
        raise _native.UsageError("this installation came without the program, which has the page")
    with tempfile.TemporaryDirectory(prefix="tfprof-") as folder:
        path = _os.path.join(folder, _name_of(profile)[:200] + ".tfprof")
        profile.save(path)
        words = [command, "report", path, "-o", "-", "--max-size", str(most)]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise _native.OutputError(said[-1] if said else "tfprof report: status %d" % done.returncode)
    return done.stdout.decode()


def _beginning_at(html: str, place: str) -> str:
    """Adds a base to the page: without it, links of a page in a frame would lead to the
    notebook."""
    told = '<base href="about:srcdoc" /><meta name="tfprof-place" content="%s" />' % place
    return html.replace(_CHARSET, _CHARSET + told, 1)


def page(profile: "Profile", place: str, height: int, most: int) -> Page:
    if place not in PLACES and place not in _OF_VIEWS.values():
        raise _native.UsageError("no place %r: one of %s" % (place, ", ".join(PLACES)))
    return Page(_beginning_at(_page_of(profile, most), place), height)


def place_of(view: str) -> str:
    return _OF_VIEWS.get(view, "overview")


class InNotebooks:
    """What a profile shows in a notebook."""

    def show(self: Any, place: str = "overview", *, height: int = _HEIGHT, max_mb: int = _MOST_MB) -> Page:
        """The page of this profile, which a notebook shows as the result of a cell. It is interactive, and needs no
        server and no network.

        place: where it begins: overview, findings, timeline, steps, memory, table, flame, graph or more.
        height: of the frame, in pixels.
        max_mb: the page leaves out what would make it larger, 1 to 1024.

        Raises UsageError (no such place, no program in this installation), OutputError.
        """
        return page(self, place, height, max_mb)

    def _repr_html_(self: Any) -> Optional[str]:
        """The facts of a profile, then its page; without the page if it cannot be made."""
        if self.closed:
            return None
        facts, frame = _parts(self)
        return facts + frame


def _parts(profile: "Profile") -> Tuple[str, str]:
    try:
        facts = _shown.report_html(profile.info())
    except _native.Error as wrong:
        facts = "<p>%s</p>" % _shown.escaped(str(wrong))
    try:
        return facts, page(profile, "overview", _HEIGHT, _CELL_MB)._repr_html_()
    except (_native.Error, OSError) as wrong:
        return facts, "<p>No page: %s</p>" % _shown.escaped(str(wrong))

# SPDX-License-Identifier: Apache-2.0
"""Plans which files a cluster reads, and in which tasks: finds files, selects them by what their paths tell, and
divides them into parts of similar size. It needs no cluster; tfprof.spark uses it."""

import datetime
import fnmatch
import os
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from tfprof import _native
from tfprof._arrow import Part, fetched, file_system, is_url

FILE_COST = 4096  # the cost of a file in addition to its bytes, as bytes
NAMES = "*.json,*.json.gz,*.pb,*.pb.gz,*.tfprof"
FIELDS = ("job", "date", "host", "rank")


class File(NamedTuple):
    """A file of a fleet."""

    file: Union[bytes, str]  # str: a URL
    path: bytes  # its path in the tables
    size: int
    mtime_us: Optional[int]

    def part(self) -> Part:
        if isinstance(self.file, str):
            return fetched(self.file, os.fsdecode(self.path))
        return self.file, self.path, None, None, None


def _of_url(url: str, names: str, sidecar: str) -> Iterator[File]:
    system, top = file_system(url)
    top = top.rstrip("/")
    for place, about in sorted(system.find(top, detail=True).items()):
        name = place.rsplit("/", 1)[-1]
        whole = place == top
        if not whole and (name == sidecar or not any(fnmatch.fnmatchcase(name, n) for n in names.split(","))):
            continue
        path = url if whole else place[len(top) :].lstrip("/")
        yield File(system.unstrip_protocol(place), os.fsencode(path), int(about.get("size") or 0), _modified(about))


def _modified(about: Mapping[str, Any]) -> Optional[int]:
    """Microseconds since 1970; file systems have different names for it."""
    for name in ("mtime", "LastModified", "updated", "last_modified"):
        at = about.get(name)
        if isinstance(at, datetime.datetime):
            return int(at.timestamp() * 1e6)
        if isinstance(at, (int, float)):
            return int(at * 1e6)
    return None


def listed(sources: Sequence[str], names: Optional[str] = None, sidecar: Optional[str] = None) -> List[File]:
    """The files of folders, files and URLs, in order. Raises MissingFileError."""
    found: List[File] = []
    for source in sources:
        if is_url(source):
            found += _of_url(source, names or NAMES, sidecar or "meta.json")
            continue
        place = os.fsencode(os.path.abspath(source))  # an executor may have another current folder
        if not os.path.exists(place):
            raise _native.MissingFileError("%s: no such file or folder" % source)
        for file, path, size, mtime_us in _native.fleet_files((place,), names, sidecar):
            found.append(File(file, path, size or 0, mtime_us))
    return found


def modified_after(files: Iterable[File], text: str) -> List[File]:
    """text: as datetime.fromisoformat reads it, UTC where it names no zone."""
    try:
        after = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise _native.UsageError("modifiedAfter: '%s' is not a time such as 2026-11-24T00:00:00" % text) from None
    if after.tzinfo is None:
        after = after.replace(tzinfo=datetime.timezone.utc)
    limit = after.timestamp() * 1e6
    return [f for f in files if f.mtime_us is None or f.mtime_us > limit]


def _is_one_of(field: str, known: str, values: Iterable[Any]) -> bool:
    if field == "rank":
        return int(known) in {v for v in values if v is not None}
    return known in {str(v) for v in values if v is not None}  # a date becomes its ISO form


def chosen(files: Iterable[File], wanted: Mapping[str, Sequence[Any]], settings: Tuple[str, ...]) -> List[File]:
    """Leaves out files whose path or sidecar gives another job, date, host or rank than the wanted ones. What only the
    trace tells is unknown here, so such a file stays. wanted: the values by field, all of which must match; settings:
    patterns and sidecar."""
    if not wanted:
        return list(files)
    kept = []
    for f in files:
        place = f.file if isinstance(f.file, bytes) else b""
        known = _native.fleet_whose(settings, place, f.path)
        if all(_is_one_of(field, known[field], values) for field, values in wanted.items() if field in known):
            kept.append(f)
    return kept


def cut(files: Iterable[File], bytes_per_task: int) -> List[List[File]]:
    """Joins neighbouring files into parts of about bytes_per_task; a bigger file is a part by itself."""
    parts: List[List[File]] = []
    room = 0
    for f in files:
        cost = f.size + FILE_COST
        if not parts or cost > room:
            parts.append([])
            room = max(bytes_per_task, cost)
        parts[-1].append(f)
        room -= cost
    return parts


def number(options: Mapping[str, str], name: str, default: int) -> int:
    """Reads an option that must be a positive number."""
    text = options.get(name.lower(), str(default))
    if not text.isdecimal() or int(text) < 1:
        raise _native.UsageError("option %s: '%s' must be a number from 1 on" % (name, text))
    return int(text)


def columns_of(table: str) -> Dict[str, str]:
    """The types of a table's columns by name: i, r, s, b, d or t, as in docs/fleet.md."""
    columns = dict(_native.fleet_columns(table))
    if not columns:
        raise _native.NotFoundError("no table %s: there are %s" % (table, ", ".join(_native.fleet_columns(None))))
    return columns

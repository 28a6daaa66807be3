# SPDX-License-Identifier: Apache-2.0
"""Any number of traces as the Arrow tables of docs/fleet.md; the traces are read one by one as the
stream is pulled."""

import os
from typing import Any, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from tfprof import _native

# A source in the extension's form: file, path in the tables, data, and if there is no data, a failure code and the
# reason.
Part = Tuple[Optional[bytes], Optional[bytes], Optional[bytes], Optional[bytes], Optional[bytes]]


def is_url(source: object) -> bool:
    return isinstance(source, str) and "://" in source


def unread(path: str, error: Exception) -> Part:
    """The row in the table failures for a file that could not be read."""
    code = b"missing" if isinstance(error, FileNotFoundError) else b"unreadable"
    return None, os.fsencode(path), None, code, str(error).encode("utf-8", "replace").replace(b"\0", b"")


def file_system(url: str) -> Tuple[Any, str]:
    """The file system of a URL and the path in it, from fsspec."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise _native.UsageError("%s: URLs need fsspec (pip install fsspec)" % url) from None
    system, path = url_to_fs(url)
    return system, path


def fetched(url: str, path: Optional[str] = None) -> Part:
    """Reads a URL. path: its name in the tables."""
    system, place = file_system(url)
    try:
        return None, os.fsencode(path or url), system.cat_file(place), None, None
    except OSError as e:
        return unread(path or url, e)


def _from_one(source: Any, sidecar: Optional[str]) -> Iterator[Part]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        yield None, b"<bytes>", bytes(source), None, None
    elif is_url(source):
        yield fetched(source)
    elif hasattr(source, "read"):
        name = getattr(source, "name", None)
        data = source.read()
        if not isinstance(data, bytes):
            raise TypeError("%r: a file must be opened for reading bytes" % (source,))
        yield None, os.fsencode(name if isinstance(name, (str, bytes)) else "<file>"), data, None, None
    elif os.path.isdir(source):
        for file, path, _, _ in _native.fleet_files((os.fsencode(source),), None, sidecar):
            yield file, path, None, None, None
    else:
        yield os.fsencode(source), None, None, None, None


def _from_all(sources: Iterable[Any], sidecar: Optional[str]) -> Iterator[Part]:
    for source in sources:
        yield from _from_one(source, sidecar)


def settings_of(path_pattern: Union[str, Sequence[str], None], sidecar: Optional[str]) -> Tuple[str, ...]:
    """The settings in the extension's form."""
    patterns = [path_pattern] if isinstance(path_pattern, str) else list(path_pattern or ())
    settings: List[str] = []
    for pattern in patterns:
        settings += ["path", pattern]
    return (*settings, "sidecar", sidecar) if sidecar else tuple(settings)


class Stream:
    """A table of traces as a stream of Arrow; it can be read once."""

    def __init__(self, table: str, settings: Tuple[str, ...], sources: Iterator[Part]) -> None:
        self._capsule: Optional[object] = _native.fleet_stream(table, settings, sources)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule protocol: pyarrow, polars, duckdb and pandas read it this way."""
        if self._capsule is None:
            raise _native.UsageError("the stream was read already")
        capsule, self._capsule = self._capsule, None
        return capsule


def arrow(
    source: Any,
    table: str,
    path_pattern: Union[str, Sequence[str], None] = None,
    sidecar: Optional[str] = None,
) -> Any:
    """A table of traces as a stream of Arrow record batches, which reads trace after trace as it is pulled.

        polars.from_arrow(tfprof.arrow(paths, "step_devices", path_pattern="job={job}/rank={rank}"))

    source: a path, a folder, bytes, an open file or a URL (which needs fsspec), or an iterable of them.
    table: runs, steps, step_devices, ops, modules, lines, kernels, collectives, transfers, memory_peaks, findings,
        limits or failures; docs/fleet.md tells their columns.
    path_pattern: the meaning of the folders in a path, such as "job={job}/rank={rank}"; of several the first that
        matches counts.
    sidecar: the name of the file beside a trace that tells its job, host, rank and date (meta.json).

    The result has __arrow_c_stream__; where pyarrow can be imported it is a pyarrow.RecordBatchReader. A file that
    cannot be read is a row of the table failures, and has no row in other tables.
    """
    one = isinstance(source, (str, bytes, bytearray, memoryview, os.PathLike)) or hasattr(source, "read")
    stream = Stream(table, settings_of(path_pattern, sidecar), _from_all([source] if one else source, sidecar))
    try:
        import pyarrow
    except ImportError:
        return stream
    return pyarrow.RecordBatchReader.from_stream(stream)

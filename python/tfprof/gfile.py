# SPDX-License-Identifier: Apache-2.0
"""Files by the names of TensorFlow's gfile, over the standard library.

Notebooks that read profiles use `gfile.Open`, `gfile.Exists` and the like; these take local paths.
Paths with a scheme (gs://, hdfs://) go through TensorFlow's own gfile when it is there.
"""

import glob as _glob
import os
import secrets
import shutil
from typing import Any, Iterator, List, Tuple, Union

Path = Union[str, bytes, "os.PathLike[str]"]


def is_remote(path: Path) -> bool:
    """Whether a path has a scheme, so that only TensorFlow can reach it."""
    return "://" in os.fsdecode(path)


def _remote() -> Any:
    from tfprof.compat.v1.protos import tensorflow

    return tensorflow("tensorflow", needed_by="a path with a scheme").io.gfile


def GFile(name: Path, mode: str = "r") -> Any:
    """Opens a file: a context manager that reads, writes and iterates over lines.

    Text is UTF-8. As in TensorFlow, "w" also takes bytes: the mode is then "wb".
    """
    if is_remote(name):
        return _remote().GFile(name, mode)
    if "b" in mode:
        return open(name, mode)
    return _TextFile(name, mode, encoding="utf-8", errors="surrogateescape", newline="\n")


class _TextFile:
    """A text file that takes bytes as well, which scripts from Python 2 write."""

    def __init__(self, name: Path, mode: str, **how: str) -> None:
        self._file = open(name, mode, **how)  # type: ignore[call-overload]

    def write(self, content: Union[str, bytes]) -> int:
        if isinstance(content, bytes):
            content = content.decode("utf-8", "surrogateescape")
        return self._file.write(content)

    def size(self) -> int:
        """Bytes in the file."""
        return os.fstat(self._file.fileno()).st_size

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._file)

    def __enter__(self) -> "_TextFile":
        return self

    def __exit__(self, *wrong: Any) -> None:
        self._file.close()


def exists(path: Path) -> bool:
    """Whether there is such a file or folder."""
    return _remote().exists(path) if is_remote(path) else os.path.exists(path)


def isdir(path: Path) -> bool:
    """Whether there is such a folder."""
    return _remote().isdir(path) if is_remote(path) else os.path.isdir(path)


def makedirs(path: Path) -> None:
    """Makes a folder and those above it; one that is there already is fine."""
    if is_remote(path):
        _remote().makedirs(path)
    else:
        os.makedirs(path, exist_ok=True)


def mkdir(path: Path) -> None:
    """Makes one folder."""
    if is_remote(path):
        _remote().mkdir(path)
    else:
        os.mkdir(path)


def remove(path: Path) -> None:
    """Removes a file."""
    if is_remote(path):
        _remote().remove(path)
    else:
        os.remove(path)


def rmtree(path: Path) -> None:
    """Removes a folder with all that is in it."""
    if is_remote(path):
        _remote().rmtree(path)
    else:
        shutil.rmtree(path)


def listdir(path: Path) -> List[Any]:
    """The names in a folder."""
    return _remote().listdir(path) if is_remote(path) else os.listdir(path)


def glob(pattern: Union[Path, List[Path]]) -> List[Any]:
    """The paths that match a pattern, or any of several, in order."""
    if isinstance(pattern, (list, tuple)):
        return [path for one in pattern for path in glob(one)]
    if is_remote(pattern):
        return _remote().glob(pattern)
    return sorted(_glob.glob(os.fspath(pattern)))  # type: ignore[type-var]


def copy(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Copies a file. Raises FileExistsError unless it may overwrite."""
    if is_remote(src) or is_remote(dst):
        _remote().copy(src, dst, overwrite)
        return
    if not overwrite and os.path.exists(dst):
        raise FileExistsError("%s exists" % os.fsdecode(dst))
    shutil.copyfile(src, dst)


def rename(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Renames a file. Raises FileExistsError unless it may overwrite."""
    if is_remote(src) or is_remote(dst):
        _remote().rename(src, dst, overwrite)
        return
    if not overwrite and os.path.exists(dst):
        raise FileExistsError("%s exists" % os.fsdecode(dst))
    os.replace(src, dst)


def stat(path: Path) -> Any:
    """Length in bytes and times of a file; `length` is TensorFlow's name for the size."""
    return _remote().stat(path) if is_remote(path) else _Stat(os.stat(path))


class _Stat:
    def __init__(self, found: os.stat_result) -> None:
        self.length = found.st_size
        self.mtime_nsec = found.st_mtime_ns
        self.is_directory = (found.st_mode & 0o170000) == 0o040000


def walk(top: Path) -> Iterator[Tuple[Any, List[Any], List[Any]]]:
    """(folder, folders in it, files in it) for a folder and all below it, from the top."""
    return _remote().walk(top) if is_remote(top) else os.walk(top)


def write_whole(path: Path, data: bytes) -> None:
    """Writes all of `data` or leaves the file as it was: the data go to a temporary file beside it, which is then renamed."""
    if is_remote(path):
        with _remote().GFile(path, "wb") as out:
            out.write(data)
        return
    beside = "%s.%d.%s" % (os.fsdecode(path), os.getpid(), secrets.token_hex(4))
    try:
        with open(beside, "xb") as out:
            out.write(data)
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


# TensorFlow's older spellings.
Open = FastGFile = GFile
Copy = copy
DeleteRecursively = rmtree
Exists = exists
Glob = glob
IsDirectory = isdir
ListDirectory = listdir
MakeDirs = makedirs
MkDir = mkdir
Remove = remove
Rename = rename
Stat = stat
Walk = walk

# SPDX-License-Identifier: Apache-2.0
"""`python -m tfprof ...` is the program `tfprof ...` that came with this package.

`python -m tfprof --build` says how the package was built and what it links.
"""
from __future__ import annotations

import importlib.metadata
import os
import sys
import sysconfig
from typing import Iterator, NoReturn, Optional


def _places() -> Iterator[str]:
    """Where the program may be: where pip recorded it, then the usual folders for scripts."""
    try:
        for path in importlib.metadata.files("tfprof") or []:
            if path.name == "tfprof" and path.parent.name == "bin":
                yield os.path.abspath(path.locate())
    except importlib.metadata.PackageNotFoundError:
        pass
    yield os.path.join(sysconfig.get_path("scripts"), "tfprof")


def program() -> Optional[str]:
    """The program that came with this package, or None."""
    return next((path for path in _places() if os.access(path, os.X_OK)), None)


def main() -> NoReturn:
    """Replaces this process by the program, so that its signals and exit status are the
    caller's."""
    arguments = sys.argv[1:]
    if arguments == ["--build"]:
        from tfprof import _build

        sys.exit(_build.main())
    found = program()
    if found is None:
        sys.exit("tfprof: this installation came without the program")
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(found, [found, *arguments])


if __name__ == "__main__":
    main()

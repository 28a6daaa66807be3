# SPDX-License-Identifier: Apache-2.0
"""Writes the module tfprof/_build.py: what Meson found, and which libraries the files load.

    build_info.py OUTPUT KEY=VALUE ... -- LIBRARY=VERSION ... -- FILE ...
"""
import os
import pprint
import re
import subprocess
import sys

MODULE = '''"""How this copy of tfprof was built. Written by the build."""
from __future__ import annotations

import copy
from typing import Any

_BUILD: dict[str, Any] = {build}


def build_info() -> dict[str, Any]:
    """How this copy of tfprof was built.

    A new dictionary: version, compiler, optimization, ... as strings; "libraries", the versions of the libraries it was
    compiled with, by name (RE2's packages do not all tell theirs: "unknown"); "links", for each compiled file of the
    wheel the shared libraries that it loads, by file name.
    """
    return copy.deepcopy(_BUILD)


def main() -> int:
    """Prints build_info(), a line each."""
    build = build_info()
    libraries, links = build.pop("libraries"), build.pop("links")
    for name, value in build.items():
        print(f"{{name}}: {{value}}")
    print("libraries: " + ", ".join(f"{{name}} {{version}}" for name, version in libraries.items()))
    for file, names in links.items():
        print(f"{{file}} links: " + " ".join(names))
    return 0
'''


def links(path):
    """The shared libraries that a file asks the loader for."""
    told = subprocess.run(["readelf", "--dynamic", "--wide", path], check=True, stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, LC_ALL="C")).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", told)


def main():
    output, *told = sys.argv[1:]
    first = told.index("--")
    second = told.index("--", first + 1)
    build = dict(pair.split("=", 1) for pair in told[:first])
    # 0.0.0 is what a package says that was not told its version
    build["libraries"] = {name: "unknown" if version == "0.0.0" else version
                          for name, version in (pair.split("=", 1) for pair in told[first + 1:second])}
    build["links"] = {os.path.basename(path): links(path) for path in told[second + 1:]}
    with open(output, "w", encoding="utf-8") as out:
        out.write(MODULE.format(build=pprint.pformat(build, sort_dicts=False, width=100)))


if __name__ == "__main__":
    main()

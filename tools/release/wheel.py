#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel of an architecture into dist/: tools/release/wheel.py x86_64|aarch64

Meson compiles the extension, the program and the page for glibc 2.28; this script writes the archive, so that its bytes
are the same wherever it is built. One wheel serves every CPython from 3.10 on."""
import base64
import glob
import hashlib
import os
import pathlib
import re
import shutil
import sys
import sysconfig
import time

import sbom
from common import ARCHES, CACHE, DIST, GLIBC, ROOT, enter_venv, epoch, fail, read, reproducible, run, version
from mesonbuild import build
from packed import write_zip

OLDEST = "cp310"  # the value of limited_api in python/meson.build


def tag(arch):
    return f"{OLDEST}-abi3-manylinux_{GLIBC.replace('.', '_')}_{arch}"


def headers():
    """Debian's Python.h includes a pyconfig.h from a folder named after the architecture. All our targets have the same
    types, so one serves all."""
    found = sysconfig.get_path("include")
    ours = glob.glob(f"/usr/include/*/{os.path.basename(found)}/pyconfig.h") or [os.path.join(found, "pyconfig.h")]
    for arch in ARCHES:
        folder = os.path.join(CACHE, "python", f"{arch}-linux-gnu", os.path.basename(found))
        os.makedirs(folder, exist_ok=True)
        shutil.copy(ours[0], folder)
    return os.path.join(CACHE, "python")


def description(home):
    """README.md for PyPI, where links need a full address."""
    return re.sub(r"\]\((?!https?:|#|mailto:)([^)\s]+)\)", rf"]({home}/\1)", read("README.md"))


def metadata():
    import pyproject_metadata
    import tomllib
    sbom.write_notice()
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as f:
        project = tomllib.load(f)
    told = dict(project["project"], version=version(), readme={"content-type": "text/markdown",
                                                               "text": description(project["project"]["urls"]["Homepage"])})
    told.pop("dynamic")
    made = pyproject_metadata.StandardMetadata.from_pyproject({"project": told}, pathlib.Path(ROOT))
    return bytes(made.as_rfc822()), made


def installed(target):
    """{name in the wheel: path} of everything that the build installs."""
    options = ("-Dpython=true", "-Dpython.purelibdir=/package", "-Dpython.platlibdir=/package", "-Dpython.bytecompile=-1",
               f"-Dc_args=-I{headers()}")
    folder = build(target, *options, wanted=("all",), name="wheel")
    place = os.path.join(CACHE, "build", f"wheel-{target}-files")
    shutil.rmtree(place, ignore_errors=True)
    run("meson", "install", "-C", folder, "--no-rebuild", "--tags=python-runtime,bin", f"--destdir={place}")
    found = {}
    for top, _, names in os.walk(os.path.join(place, "package")):
        for name in names:
            path = os.path.join(top, name)
            found[os.path.relpath(path, os.path.join(place, "package"))] = path
    found[f"tfprof-{version()}.data/scripts/tfprof"] = os.path.join(place, "usr", "bin", "tfprof")
    return found


def write(path, files):
    """files: {name: (bytes, mode)}. They are sorted and have the same time; RECORD comes last, as the
    format requires."""
    record = f"tfprof-{version()}.dist-info/RECORD"
    rows = []
    for name, (data, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}\n")
    ordered = sorted(files.items(), key=lambda item: (".dist-info/" in item[0], item[0]))
    ordered.append((record, ("".join([*rows, f"{record},,\n"]).encode(), 0o644)))
    write_zip(path, [(name, data, mode) for name, (data, mode) in ordered], time.gmtime(epoch()))


def contents(arch):
    info = f"tfprof-{version()}.dist-info/"
    files = {}
    for name, path in installed(f"{arch}-linux-gnu").items():
        with open(path, "rb") as f:
            data = f.read()
        files[name] = (data, 0o755 if data[:4] == b"\x7fELF" else 0o644)
    text, made = metadata()
    files[info + "METADATA"] = (text, 0o644)
    files[info + "WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: tfprof make release\nRoot-Is-Purelib: false\nTag: {tag(arch)}\n".encode(), 0o644)
    groups = made.entrypoints
    files[info + "entry_points.txt"] = ("\n".join(f"[{g}]\n" + "".join(f"{k} = {v}\n" for k, v in rows.items()) for g, rows in groups.items()).encode(), 0o644)
    for name in made.license_files or []:
        files[f"{info}licenses/{name}"] = (read(str(name)).encode(), 0o644)
    return files


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in ARCHES:
        sys.exit(f"usage: wheel.py {'|'.join(ARCHES)}")
    reproducible()
    run("tools/page.sh")
    if not os.path.exists(os.path.join(ROOT, "web", "dist", "index.html")):
        fail("the page was not built: see tools/page.sh")
    os.makedirs(DIST, exist_ok=True)
    path = os.path.join(DIST, f"tfprof-{version()}-{tag(sys.argv[1])}.whl")
    write(path, contents(sys.argv[1]))
    print(f"{path}: {os.path.getsize(path):,} bytes")


if __name__ == "__main__":
    enter_venv()
    main()

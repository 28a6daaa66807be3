#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks dist/: the tools that others use on wheels and packages, and a question to each program, aarch64 under
emulation."""
import glob
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

from common import ARCHES, DIST, GLIBC, ROOT, need, reproducible, version

TRACE = os.path.join(ROOT, "tests", "data", "sample", "pytorch", "train.json.gz")
QUESTIONS = (["--version"], ["summary", TRACE], ["op", TRACE, "-start_name_regexes", "aten::.*", "-format", "csv"],
             ["query", "SELECT count(*) FROM nodes", TRACE])
LARGEST_WHEEL = 5_000_000
faults = []


def case(name, good, why=""):
    if not good:
        faults.append(name)
        print(f"FAIL {name}: {why[-400:]}")


def wheels():
    for path in sorted(glob.glob(os.path.join(DIST, "*.whl"))):
        name = os.path.basename(path)
        case(f"at most {LARGEST_WHEEL:,} bytes: {name}", os.path.getsize(path) <= LARGEST_WHEEL, f"{os.path.getsize(path):,}")
        said = subprocess.run(["auditwheel", "show", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        floors = [tuple(map(int, found)) for found in re.findall(r"manylinux_(\d+)_(\d+)_", " ".join(said.split('tag: "')[1:]))]
        case(f"auditwheel: {name}", floors and floors[0] <= tuple(map(int, GLIBC.split("."))), said)
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(path) as archive:
                natives = [member for member in archive.namelist() if member.endswith("_native.abi3.so")]
                archive.extractall(folder, natives)
            case(f"one extension: {name}", len(natives) == 1, str(natives))
            for native in natives:
                done = subprocess.run(["abi3audit", "--strict", "--assume-minimum-abi3", "3.10", os.path.join(folder, native)],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                case(f"abi3audit: {name}", done.returncode == 0, done.stdout)


def packages():
    for path in sorted(glob.glob(os.path.join(DIST, "*.deb"))):
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", "--suppress-tags", "initial-upload-closes-no-bugs",
                               path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        case(f"lintian: {os.path.basename(path)}", done.returncode == 0, done.stdout)


def answer(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                          env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"})
    return done.returncode, done.stdout


def emulated(arch):
    return [] if arch == platform.machine() else [need(f"qemu-{arch}-static", "qemu-user-static")]


def programs():
    """Checks that the programs of all architectures give the same bytes."""
    first = {}
    for arch in ARCHES:
        path = os.path.join(DIST, f"tfprof-{version()}-linux-{arch}")
        for question in QUESTIONS if os.path.exists(path) else ():
            got = answer(*emulated(arch), path, *question)
            case(f"{arch}: {question[0]}", got[0] == 0 and got == first.setdefault(question[0], got), got[1].decode(errors="replace"))


def main():
    reproducible()
    wheels()
    packages()
    programs()
    print(f"release: {len(faults)} faults in {len(os.listdir(DIST))} files of {os.path.relpath(DIST, ROOT)}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

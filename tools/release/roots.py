#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries what lies in dist/ on bare Debian 11, 12 and 13: tools/release/roots.py [SUITE ...]

Each is a folder made by debootstrap (kept in .cache/release/roots), with Python and pip and without a compiler. Needs root and a network.
The static program and the wheel answer as build/tfprof does; on Debian 12 the packages are installed by apt. Debian 11's own Python is 3.9,
older than the wheel asks for: there the program inside the wheel is tried."""
import glob
import os
import shutil
import subprocess
import sys

from common import CACHE, DIST, ROOT, fail, need, run, version

SUITES = ("bullseye", "bookworm", "trixie")
MIRROR = "http://deb.debian.org/debian"
INSIDE = ("python3", "python3-pip", "python3-venv", "ca-certificates")
TRACE = "tests/data/sample/pytorch/train.json.gz"
PROGRAM = f"./tfprof-{version()}-linux-x86_64"
WHEEL = f"./tfprof-{version()}-cp310-abi3-manylinux_2_28_x86_64.whl"
PIP = f"python3 -m venv /venv && /venv/bin/pip install -q --no-index {WHEEL} && /venv/bin/"
APT = "apt-get update -qq && apt-get install -y -qq ./*.deb >/dev/null 2>&1 && "
TRIES = {
    "bullseye": {"static": f"{PROGRAM} summary trace.json.gz",
                 "program of the wheel": f"python3 -m zipfile -e {WHEEL} /wheel && chmod 755 /wheel/*.data/scripts/tfprof && "
                                         "/wheel/*.data/scripts/tfprof summary trace.json.gz"},
    "bookworm": {"static": f"{PROGRAM} summary trace.json.gz", "wheel": PIP + "tfprof summary trace.json.gz",
                 "python -m": PIP + "python -m tfprof summary trace.json.gz",
                 "packages": APT + "/usr/bin/tfprof summary trace.json.gz && /usr/bin/python3 -c 'import tfprof'"},
    "trixie": {"static": f"{PROGRAM} summary trace.json.gz", "wheel": PIP + "tfprof summary trace.json.gz"},
}


def made(suite):
    """The folder of a suite, made once."""
    root = os.path.join(CACHE, "roots", suite)
    if not os.path.exists(os.path.join(root, ".ready")):
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(root)
        run(need("debootstrap", "debootstrap"), "--variant=minbase", "--include=" + ",".join(INSIDE), suite, root, MIRROR)
        open(os.path.join(root, ".ready"), "w", encoding="utf-8").close()
    return root


def inside(root, command):
    done = subprocess.run(["env", "-i", "HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                           "chroot", root, "/bin/sh", "-c", "cd /dist && " + command],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=900)
    return done.returncode, done.stdout, done.stderr


def tried(suite, wanted):
    root, faults = made(suite), 0
    if inside(root, "command -v cc gcc clang")[0] == 0:
        fail(f"{root} has a compiler")
    shutil.rmtree(os.path.join(root, "dist"), ignore_errors=True)
    shutil.copytree(DIST, os.path.join(root, "dist"))
    shutil.copy(os.path.join(ROOT, TRACE), os.path.join(root, "dist", "trace.json.gz"))
    for name in ("resolv.conf", "hosts"):
        shutil.copy(os.path.join("/etc", name), os.path.join(root, "etc", name))
    for name, command in TRIES[suite].items():
        for folder in glob.glob(os.path.join(root, "venv")) + glob.glob(os.path.join(root, "wheel")):
            shutil.rmtree(folder)
        status, said, wrong = inside(root, command)
        good = status == 0 and said == wanted
        faults += not good
        print(f"{'ok  ' if good else 'FAIL'} {suite}: {name}" + ("" if good else f": status {status}: {(wrong or said).decode()[-400:]}"), flush=True)
    return faults


def main():
    suites = sys.argv[1:] or SUITES
    # the name of the file is in the answer
    folder = os.path.join(CACHE, "build", "trace")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(ROOT, TRACE), os.path.join(folder, "trace.json.gz"))
    wanted = subprocess.run([os.path.join(ROOT, "build", "tfprof"), "summary", "trace.json.gz"], cwd=folder, check=True, stdout=subprocess.PIPE).stdout
    sys.exit(bool(sum(tried(suite, wanted) for suite in suites)))


if __name__ == "__main__":
    main()

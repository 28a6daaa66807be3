#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries what lies in dist/ on bare Debian 11, 12 and 13, and on Debian 12 for aarch64 under emulation:
tools/release/roots.py [SUITE ...]

Each is a folder made by debootstrap (kept in .cache/release/roots), with Python and pip and without a compiler. Needs
root and a network; `arm64` also qemu-user-static, which the kernel is told of while it runs. The static program and the
wheel answer as build/tfprof does, by the commands of README's Install; on Debian 12 the packages are installed by apt.
Debian 11's own Python is 3.9, older than the wheel asks for: there the program inside the wheel is tried."""
import contextlib
import glob
import os
import shutil
import subprocess
import sys

from common import CACHE, DIST, ROOT, fail, need, run, version

sys.path.insert(0, os.path.join(ROOT, "tests", "install"))
import readme  # noqa: E402

# The parameters of debootstrap: suite and architecture.
SUITES = {"bullseye": ("bullseye", "amd64"), "bookworm": ("bookworm", "amd64"), "trixie": ("trixie", "amd64"), "arm64": ("bookworm", "arm64")}
BINFMT = "/proc/sys/fs/binfmt_misc"
# Matches 64-bit ELF files of AArch64; F: the emulator is opened now, so that the roots need no copy
# of it.
AARCH64 = (r":tfprof-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
           r":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:{emulator}:F")
MIRROR = "http://deb.debian.org/debian"
INSIDE = ("python3", "python3-pip", "python3-venv", "ca-certificates")
TRACE = "tests/data/sample/pytorch/train.json.gz"
ASK = "summary trace.json.gz"
WHEEL = f"./tfprof-{version()}-cp310-abi3-manylinux_2_28_x86_64.whl"
TOLD = readme.commands()
QUIET = " >/dev/null 2>&1 && "
STATIC = "{ " + TOLD["static"] + "; }" + QUIET + "/root/.local/bin/tfprof " + ASK
PIP = "python3 -m venv /venv && PATH=/venv/bin:$PATH && PIP_NO_INDEX=1 " + TOLD["pip"] + QUIET
APT = "apt-get update -qq && apt-get install -y -qq ./*.deb" + QUIET
ONE_PACKAGE = "apt-get update -qq && " + TOLD["apt"].replace("sudo apt install", "apt-get install -y -qq") + QUIET
# Uses all parts of the extension: views, patterns (RE2), SQL (SQLite).
PYTHON = ("python -c \"import tfprof; p = tfprof.open('trace.json.gz'); p.op(select=['micros'], start_name_regexes=['aten::.*']).to_dict(); "
          "assert p.query('SELECT count(*) AS n FROM nodes')[0].n\" && ")
TRIES = {
    "bullseye": {"static": STATIC,
                 "program of the wheel": f"python3 -m zipfile -e {WHEEL} /wheel && chmod 755 /wheel/*.data/scripts/tfprof && "
                                         "/wheel/*.data/scripts/tfprof " + ASK},
    "bookworm": {"static": STATIC, "wheel": PIP + PYTHON + "tfprof " + ASK, "python -m": PIP + "python -m tfprof " + ASK,
                 "one package": ONE_PACKAGE + "/usr/bin/tfprof " + ASK,
                 "packages": APT + "/usr/bin/tfprof " + ASK + " && /usr/bin/python3 -c 'import tfprof'"},
    "trixie": {"static": STATIC, "wheel": PIP + PYTHON + "tfprof " + ASK},
}
TRIES["arm64"] = {name: command.replace("x86_64", "aarch64") for name, command in TRIES["trixie"].items()}


def made(suite):
    """The folder of a suite, which is made once."""
    root = os.path.join(CACHE, "roots", suite)
    if not os.path.exists(os.path.join(root, ".ready")):
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(root)
        name, arch = SUITES[suite]
        run(need("debootstrap", "debootstrap"), f"--arch={arch}", "--variant=minbase", "--include=" + ",".join(INSIDE), name, root, MIRROR)
        open(os.path.join(root, ".ready"), "w", encoding="utf-8").close()
    return root


@contextlib.contextmanager
def emulated():
    """In this context the kernel starts AArch64 programs with qemu, including those started by other
    programs."""
    entry = os.path.join(BINFMT, "tfprof-aarch64")
    if not os.path.exists(os.path.join(BINFMT, "register")):
        run("mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT)
    if not os.path.exists(entry):
        with open(os.path.join(BINFMT, "register"), "w", encoding="ascii") as f:
            f.write(AARCH64.format(emulator=need("qemu-aarch64-static", "qemu-user-static")))
    try:
        yield
    finally:
        with open(entry, "w", encoding="ascii") as f:
            f.write("-1")


def inside(root, command):
    done = subprocess.run(["env", "-i", "HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                           "chroot", root, "/bin/sh", "-c", "cd /dist && " + command],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=1800)
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
    suites = sys.argv[1:] or list(SUITES)
    # the answer contains the name of the file
    folder = os.path.join(CACHE, "build", "trace")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(ROOT, TRACE), os.path.join(folder, "trace.json.gz"))
    wanted = subprocess.run([os.path.join(ROOT, "build", "tfprof"), "summary", "trace.json.gz"], cwd=folder, check=True, stdout=subprocess.PIPE).stdout
    faults = 0
    for suite in suites:
        with emulated() if SUITES[suite][1] == "arm64" else contextlib.nullcontext():
            faults += tried(suite, wanted)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Shared by the steps of `make release`: folders, targets, the compiler, the version, reproducible archives."""
import glob
import gzip
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.path.join(ROOT, ".cache", "release")
DIST = os.path.join(ROOT, "dist")
VENV = os.path.join(ROOT, ".venv-release")
JOBS = int(os.environ.get("RELEASE_JOBS") or os.cpu_count() or 1)

# The targets of wheels and programs in Zig's form: the C library and its version.
GLIBC = "2.28"
ARCHES = ("x86_64", "aarch64")
TARGETS = {f"{arch}-linux-{libc}": f"{arch}-linux-{libc}" + (f".{GLIBC}" if libc == "gnu" else "")
           for arch in ARCHES for libc in ("musl", "gnu")}


def arch_of(target):
    return target.split("-")[0]


def fail(message):
    sys.exit("release: " + message)


def run(*command, cwd=ROOT, env=None, **more):
    """Runs a command; its output is shown only if it fails."""
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode:
        sys.stderr.write(done.stdout.decode(errors="replace")[-6000:])
        fail(f"{' '.join(map(str, command))[:300]}: status {done.returncode}")
    return done.stdout.decode(errors="replace")


def need(program, package):
    found = shutil.which(program, path=os.path.join(VENV, "bin") + os.pathsep + os.environ["PATH"])
    return found or fail(f"{program} is missing: tools/setup.sh release installs it ({package})")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def version():
    """The version, which only meson.build defines."""
    return re.search(r"^\s*version: '([^']+)'", read("meson.build"), re.M)[1]


def epoch():
    """The time stamp for every generated file: that of the commit, or of the sdist."""
    told = os.environ.get("SOURCE_DATE_EPOCH")
    if not told:
        git = os.path.exists(os.path.join(ROOT, ".git"))
        told = run("git", "log", "-1", "--format=%ct") if git else os.stat(os.path.join(ROOT, "meson.build")).st_mtime
    return int(told)


def reproducible():
    """An environment in which two builds give the same bytes."""
    os.umask(0o022)
    os.environ.update(SOURCE_DATE_EPOCH=str(epoch()), TZ="UTC", LC_ALL="C.UTF-8", ZERO_AR_DATE="1",
                      PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0",
                      PATH=os.path.join(VENV, "bin") + os.pathsep + os.environ["PATH"])
    for name in ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "PKG_CONFIG_PATH"):
        os.environ.pop(name, None)


def enter_venv():
    """Starts the script again with the Python of .venv-release, which has the packages that it
    imports."""
    python = os.path.join(VENV, "bin", "python")
    if os.path.exists(python) and os.path.realpath(sys.prefix) != os.path.realpath(VENV):
        os.execv(python, [python, *sys.argv])


def compilers(target):
    """Writes one wrapper for each tool of Zig and returns their paths: {"cc": ..., "cxx": ..., "ar": ..., "ranlib":
    ...}."""
    zig = next(iter(glob.glob(os.path.join(VENV, "lib", "python3*", "site-packages", "ziglang", "zig"))), None)
    if not zig:
        fail("zig is missing: tools/setup.sh release installs it (ziglang of PyPI, in .venv-release)")
    folder = os.path.join(CACHE, "bin", target)
    os.makedirs(folder, exist_ok=True)
    # By default Zig traps on undefined behaviour; build paths must not get into the results
    aim = f"-target {TARGETS[target]} -mcpu=baseline -fno-sanitize=all"
    maps = f"-ffile-prefix-map={ROOT}=. -ffile-prefix-map={CACHE}=cache"
    tools = {"cc": f"cc {aim} {maps}", "cxx": f"c++ {aim} {maps}", "ar": "ar", "ranlib": "ranlib"}
    for name, arguments in tools.items():
        path = os.path.join(folder, name)
        text = (f'#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR="{CACHE}/zig" ZIG_LOCAL_CACHE_DIR="{CACHE}/zig"\n'
                f'exec "{zig}" {arguments} "$@"\n')
        if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            os.chmod(path, 0o755)
        tools[name] = path
    return tools


def write_tar_gz(path, entries):
    """entries: (name, bytes, mode) or (name, target of a link, None). They are sorted, and have the
    same time and no owner."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data, mode in sorted(entries, key=lambda entry: entry[0]):
            info = tarfile.TarInfo(name)
            info.mtime, info.uid, info.gid = epoch(), 0, 0
            if mode is None:
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, data, 0o777
                tar.addfile(info)
            else:
                info.size, info.mode = len(data), mode
                tar.addfile(info, io.BytesIO(data))
    with open(path, "wb") as f, gzip.GzipFile(filename="", fileobj=f, mode="wb", mtime=0) as packed:
        packed.write(raw.getvalue())

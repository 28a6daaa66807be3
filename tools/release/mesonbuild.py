# SPDX-License-Identifier: Apache-2.0
"""Builds the tree for a target, with the libraries of deps.py and nothing from this machine."""
import os

from common import CACHE, JOBS, ROOT, arch_of, compilers, need, read, run
from deps import built

# Meson options of everything that is shipped; tests/release compares the names with meson_options.txt.
OPTIONS = {"tests": "false", "bundled": "true"}


def cross_file(target, prefix):
    tools = compilers(target)
    arch = arch_of(target)
    quoted = {name: f"'{path}'" for name, path in tools.items()}
    static = ", '-static'" if target.endswith("musl") else ""
    path = os.path.join(CACHE, "bin", target, "cross.ini")
    # The embedded library for CUDA must use the C library of the job, which is glibc.
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"""[binaries]
c = {quoted['cc']}
cpp = {quoted['cxx']}
ar = {quoted['ar']}
ranlib = {quoted['ranlib']}
strip = 'true'
pkg-config = '{need("pkg-config", "pkg-config")}'

[built-in options]
c_link_args = ['-s'{static}]
cpp_link_args = ['-s'{static}]

[properties]
pkg_config_libdir = '{prefix}/lib/pkgconfig'
needs_exe_wrapper = true

[host_machine]
system = 'linux'
cpu_family = '{arch}'
cpu = '{arch}'
endian = 'little'
""")
    return path


def build(target, *options, wanted=("tfprof",), name="program"):
    """Builds the targets; returns the build folder, which is kept for the next time."""
    prefix = built(target)
    folder = os.path.join(CACHE, "build", f"{name}-{target}")
    arguments = [f"-D{option}={value}" for option, value in OPTIONS.items()] + list(options)
    description = cross_file(target, prefix)
    said = "\n".join([*arguments, read(os.path.relpath(description, ROOT))])
    kept = os.path.join(folder, "release-options")
    if not os.path.exists(kept) or open(kept, encoding="utf-8").read() != said:
        run("rm", "-rf", folder)
        run("meson", "setup", folder, "--buildtype=release", "--prefix=/usr", "--libdir=lib", f"--cross-file={description}", *arguments)
        with open(kept, "w", encoding="utf-8") as f:
            f.write(said)
    run("ninja", "-C", folder, f"-j{JOBS}", *wanted)
    return folder

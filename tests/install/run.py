#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build into an empty folder and uses it from there as others would: tests/install/run.py BUILD

The examples are built with pkg-config against the shared and against the static library and run on the sample.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = os.path.join(ROOT, "tests", "data", "sample")
passed = failed = 0


def check(what, good, detail=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("%s: %s" % (what, detail))


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, **more)


def installed(build, scratch):
    """Everything under DESTDIR/prefix; gives back that prefix."""
    done = run("meson", "install", "-C", os.path.abspath(build), "--no-rebuild", "--quiet", "--destdir", scratch)
    check("install", done.returncode == 0, done.stderr)
    prefix = re.search(r"\"prefix\", \"value\": \"([^\"]+)\"|^prefix=(.*)$",
                       run("meson", "introspect", "--buildoptions", build).stdout, re.M)
    return scratch + (prefix[1] if prefix else "/usr/local")


def find(root, name):
    return [os.path.join(folder, f) for folder, _, files in os.walk(root) for f in files if f == name]


def exported(library):
    names = run("nm", "-D", "--defined-only", library).stdout.split("\n")
    return [line.split()[-1] for line in names if line and "tfp" not in line.split()[-1]]


def build_and_run(source, compiler, standard, environment, folder, static):
    flags = run("pkg-config", "--cflags", "--libs", *(["--static"] if static else []), "tfprof", env=environment)
    check("pkg-config", flags.returncode == 0, flags.stderr)
    words = flags.stdout.split()
    if static:
        words = [os.path.join(folder, "libtfprof.a") if w == "-ltfprof" else w for w in words] + ["-lstdc++"]
    program = os.path.join(environment["SCRATCH"], "example")
    done = run(compiler, standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", os.path.join(ROOT, "examples", source), *words, "-o", program)
    what = "%s, %s" % (source, "static" if static else "shared")
    check(what + " builds", done.returncode == 0, done.stderr)
    if done.returncode:
        return
    done = run(program, os.path.join(SAMPLE, "odd", "profile_5"), env=dict(environment, LD_LIBRARY_PATH=folder))
    check(what + " runs", done.returncode == 0 and done.stdout, done.stderr)
    done = run(program, "/nowhere", env=dict(environment, LD_LIBRARY_PATH=folder))
    check(what + " says what is missing", done.returncode == 1 and "/nowhere" in done.stderr, done.stderr)


def main():
    scratch = tempfile.mkdtemp(prefix="tfprof_install_")
    try:
        prefix = installed(sys.argv[1], scratch)
        headers = sorted(os.listdir(os.path.join(ROOT, "include", "tfprof")))
        for name in ("tfprof", "tfprof.pc", "libtfprof.a", "libtfprof.so", "tfprof.1", *headers):
            found = find(scratch, name) or find(scratch, name + ".gz")
            check(name + " is installed", found, "not found")
        pc = find(scratch, "tfprof.pc")
        if pc:
            folder = os.path.dirname(os.path.dirname(pc[0]))
            check("only tfp_ names are exported", not exported(os.path.join(folder, "libtfprof.so")),
                  exported(os.path.join(folder, "libtfprof.so")))
            environment = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(pc[0]), PKG_CONFIG_SYSROOT_DIR=scratch, SCRATCH=scratch)
            for name in headers:
                done = run("cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I" + os.path.join(prefix, "include"),
                           "-include", "tfprof/" + name, "-x", "c", os.devnull)
                check(name + " compiles alone", done.returncode == 0, done.stderr)
            for static in (False, True):
                build_and_run("summary.c", "cc", "-std=c11", environment, folder, static)
                build_and_run("views.cpp", "c++", "-std=c++17", environment, folder, static)
        done = run(os.path.join(prefix, "bin", "tfprof"), "--version")
        check("the installed program starts", done.returncode == 0, done.stderr)
    finally:
        shutil.rmtree(scratch)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

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
sys.path.insert(0, os.path.join(ROOT, "tools"))
import abi  # noqa: E402

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
    """Installs everything under DESTDIR/prefix; returns that prefix."""
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


def build(source, compiler, standard, environment, folder, static):
    """-> the compiled program, in the scratch folder; None if it does not compile."""
    flags = run("pkg-config", "--cflags", "--libs", *(["--static"] if static else []), "tfprof", env=environment)
    check("pkg-config", flags.returncode == 0, flags.stderr)
    words = flags.stdout.split()
    if static:
        words = [os.path.join(folder, "libtfprof.a") if w == "-ltfprof" else w for w in words] + ["-lstdc++"]
    program = os.path.join(environment["SCRATCH"], "example")
    done = run(compiler, standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", os.path.join(ROOT, "examples", source), *words, "-o", program)
    check("%s, %s builds" % (source, "static" if static else "shared"), done.returncode == 0, done.stderr)
    return program if done.returncode == 0 else None


def build_and_run(source, compiler, standard, environment, folder, static):
    program = build(source, compiler, standard, environment, folder, static)
    if not program:
        return
    what, env = "%s, %s" % (source, "static" if static else "shared"), dict(environment, LD_LIBRARY_PATH=folder)
    done = run(program, os.path.join(SAMPLE, "odd", "profile_5"), env=env)
    check(what + " runs", done.returncode == 0 and done.stdout, done.stderr)
    done = run(program, "/nowhere", env=env)
    check(what + " says what is missing", done.returncode == 1 and "/nowhere" in done.stderr, done.stderr)


# Examples for the headers, each with the file on which it runs, and a part of its output.
EXAMPLES = {"tables.c": ([], "max_depth is still 10"), "query.c": (["gpu/profile_1.gz"], "MaxPool: "), "compare.c": (["gpu/profile_1.gz"], "over 5 %: not known"),
            "lanes.c": (["traces/kineto.json"], "us busy  compute"), "jobs.c": ([], '"view":"top"'), "watch.c": ([], '"view":"watch_jobs"'),
            "index.c": (["traces/kineto.json"], "1 of 1 files are in the index, 0 have")}


def examples(environment, folder):
    seen = set()
    for source, (files, wanted) in EXAMPLES.items():
        with open(os.path.join(ROOT, "examples", source), encoding="utf-8") as f:
            seen.update(re.findall(r"\b(\w+)\.h\b", f.read().split("*/")[0]))
        program = build(source, "cc", "-std=c11", environment, folder, False)
        if program:
            done = run(program, *(os.path.join(SAMPLE, name) for name in files), env=dict(environment, LD_LIBRARY_PATH=folder), cwd=environment["SCRATCH"])
            check(source + " runs", done.returncode == 0 and wanted in done.stdout, done.stdout[-500:] + done.stderr)
    headers = {name[:-2] for name in os.listdir(os.path.join(ROOT, "include", "tfprof"))} - {"tfprof"}
    check("each header has an example", headers <= seen, sorted(headers - seen))


def nulls(environment, folder):
    """Each function of the headers with NULL and 0 for every argument, in a process of its own: an error, never a crash."""
    source, functions = abi.declarations()
    code = "#include <stdio.h>\n#include <unistd.h>\n#include <sys/wait.h>\n" + source + "int main(void) {\n"
    for line in functions:
        name, arguments = re.search(r"\b(tfp_\w+)\s*\((.*)\)$", line.strip()).groups()
        flat = re.sub(r"\([^()]*\)", "", arguments)
        given = "" if flat == "void" else ", ".join("NULL" if "*" in a or "_fn " in a or "void " in a else "0" for a in flat.split(","))
        code += "{ pid_t p = fork(); int s; if (!p) { alarm(20); (void)%s(%s); _exit(0); } waitpid(p, &s, 0); if (s) puts(\"%s\"); fflush(stdout); }\n" % (name, given, name)
    program = os.path.join(environment["SCRATCH"], "nulls")
    done = run("cc", "-w", "-I" + os.path.join(ROOT, "include"), "-x", "c", "-", "-x", "none", os.path.join(folder, "libtfprof.so"), "-o", program, input=code + "return 0; }\n")
    check("a program of calls without arguments builds", done.returncode == 0, done.stderr)
    done = run(program, env=dict(environment, LD_LIBRARY_PATH=folder), cwd=environment["SCRATCH"])
    check("no call without arguments crashes", done.returncode == 0 and not done.stdout, done.stdout)


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
            examples(environment, folder)
            nulls(environment, folder)
        done = run(os.path.join(prefix, "bin", "tfprof"), "--version")
        check("the installed program starts", done.returncode == 0, done.stderr)
    finally:
        shutil.rmtree(scratch)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests of the package with its extension under sanitizers: tests/python/sanitized.py BUILD [WORD ...]

Builds the extension with the address and undefined-behaviour sanitizers in the folder BUILD, then runs the test files
with a WORD in their name (all without) against it. The interpreter itself is an ordinary one, so the sanitizer's
runtime is loaded before it, its own leaks are not looked for, and each of its small objects is a block of its own.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def build(folder, site):
    """The extension and the modules over it in `site`; None, or what went wrong."""
    # pip's Meson and Ninja, which lie beside this interpreter
    environment = dict(os.environ, PATH=os.path.join(sys.prefix, "bin") + os.pathsep + os.environ["PATH"])
    steps = [["meson", "setup", folder, "--buildtype=debugoptimized", "-Db_sanitize=address,undefined",
              "-Db_lundef=false", "-Dwerror=true", "-Dtests=false", "-Dpython=true",
              f"-Dpython.platlibdir={site}", f"-Dpython.purelibdir={site}"],
             ["ninja", "-C", folder, "-j2", "--quiet"],
             ["meson", "install", "-C", folder, "--no-rebuild", "--quiet", "--tags=python-runtime"]]
    if os.path.exists(os.path.join(folder, "build.ninja")):
        steps[0].append("--reconfigure")
    for step in steps:
        done = subprocess.run(step, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            return done.stdout[-4000:]
    return None


def runtime(name):
    """Where the compiler keeps a sanitizer's runtime."""
    told = subprocess.run([os.environ.get("CC", "cc"), f"-print-file-name={name}"], stdout=subprocess.PIPE, text=True)
    return os.path.realpath(told.stdout.strip())


def main():
    folder = os.path.abspath(sys.argv[1])
    site = os.path.join(folder, "site")
    wrong = build(folder, site)
    if wrong:
        print(wrong)
        print("0 passed, 1 failed")
        return 1
    # libstdc++ too: the sanitizer looks for what it throws with before the extension brings it
    environment = dict(os.environ, PYTHONPATH=site, PYTHONMALLOC="malloc",
                       LD_PRELOAD=f"{runtime('libasan.so')} {runtime('libstdc++.so')}",
                       ASAN_OPTIONS="detect_leaks=0:abort_on_error=0:exitcode=99:allocator_may_return_null=1",
                       UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:exitcode=99")
    loaded = subprocess.run([sys.executable, "-c", "import tfprof._native as n; print(n.__file__)"], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not loaded.stdout.startswith(site):
        print(f"not the extension in {site}: {loaded.stdout}")
        print("0 passed, 1 failed")
        return 1
    return subprocess.run([sys.executable, os.path.join(HERE, "run.py"), *sys.argv[2:]], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())

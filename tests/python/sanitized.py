#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests of the package with its extension under sanitizers: tests/python/sanitized.py BUILD [WORD ...]

Runs the test files with a WORD in their name (all without) against the package in BUILD/site, which tools/test.py puts
there: its extension has the address and undefined-behaviour sanitizers. The interpreter itself is an ordinary one, so the
sanitizer's runtime is loaded before it, its own leaks are not looked for, and each of its small objects is a block of its own.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def runtime(name):
    """The path of a sanitizer's runtime, from the compiler."""
    told = subprocess.run([os.environ.get("CC", "cc"), f"-print-file-name={name}"], stdout=subprocess.PIPE, text=True)
    return os.path.realpath(told.stdout.strip())


def main():
    site = os.path.join(os.path.abspath(sys.argv[1]), "site")
    # libstdc++ is loaded early too: the sanitizer looks up its function for exceptions before the
    # extension loads it
    environment = dict(os.environ, PYTHONPATH=site, PYTHONMALLOC="malloc",
                       LD_PRELOAD=f"{runtime('libasan.so')} {runtime('libstdc++.so')}",
                       ASAN_OPTIONS="detect_leaks=0:abort_on_error=0:exitcode=99:allocator_may_return_null=1:handle_sigill=1")
    loaded = subprocess.run([sys.executable, "-c", "import tfprof._native as n; print(n.__file__)"], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not loaded.stdout.startswith(site):
        print(f"not the extension in {site}: {loaded.stdout}")
        print("0 passed, 1 failed")
        return 1
    return subprocess.run([sys.executable, os.path.join(HERE, "run.py"), *sys.argv[2:]], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())

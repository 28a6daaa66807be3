#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the public interface with that of the last release: tools/abi.py [--record] [LIBRARY]

Makes a library of empty functions from the headers; abidw (Debian: abigail-tools) describes its functions, types and
values of enums. --record writes this description to tools/abi/VERSION.abi, at a release. Without it abidiff compares
with the newest record: functions or values that are gone or changed are findings, new ones are not. With LIBRARY, its
exported names must be the functions of the headers. Without these tools it prints a line that says so, and no more.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORDS = os.path.join(ROOT, "tools", "abi")
DECLARATION = re.compile(r'__attribute__\(\(visibility\("default"\)\)\)\s+([^;{]+);')


def declarations():
    source = "#include <tfprof/tfprof.h>\n#include <tfprof/fleet.h>\n#include <tfprof/watch.h>\n"
    done = subprocess.run(["cc", "-E", "-P", "-I" + os.path.join(ROOT, "include"), "-x", "c", "-"], input=source, capture_output=True, text=True, check=True)
    return source, [" ".join(d.split()) for d in DECLARATION.findall(done.stdout)]


def names_of(lines):
    return {re.search(r"\b(tfp_\w+)\s*\(", line)[1] for line in lines}


def describe(folder):
    """-> the path of the description of the current headers."""
    source, functions = declarations()
    code, library, out = (os.path.join(folder, name) for name in ("interface.c", "libtfprof.so", "now.abi"))
    with open(code, "w", encoding="utf-8") as f:
        f.write(source + "".join(f"{line} {{ __builtin_trap(); }}\n" for line in functions))
    subprocess.run(["cc", "-std=gnu2x", "-g", "-fPIC", "-shared", "-w", "-Wl,-soname,libtfprof.so.0", "-I" + os.path.join(ROOT, "include"), code, "-o", library],
                   check=True)
    subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--out-file", out, library], check=True)
    return out


def version():
    with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as f:
        return re.search(r"version: '([\d.]+)'", f.read())[1]


def compare(now):
    """-> the text of abidiff's findings; empty if there are none."""
    records = sorted(glob.glob(os.path.join(RECORDS, "*.abi")), key=lambda p: [int(n) for n in re.findall(r"\d+", os.path.basename(p))])
    if not records:
        return "no interface was recorded: tools/abi.py --record"
    done = subprocess.run(["abidiff", "--no-added-syms", "--suppressions", os.path.join(RECORDS, "suppressions.ini"), records[-1], now], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode else ""


def exported(library):
    told = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    there, said = set(re.findall(r"\b(tfp_\w+)$", told, re.M)), names_of(declarations()[1])
    return [f"{name} is in a header and not in the library" for name in sorted(said - there)] + [f"{name} is in the library and in no header" for name in sorted(there - said)]


def main():
    libraries = [word for word in sys.argv[1:] if not word.startswith("-")]
    findings = [line for library in libraries for line in exported(library)]
    if not shutil.which("abidiff"):
        print("abi: abidiff (abigail-tools) is missing: the interface was not compared")
    else:
        with tempfile.TemporaryDirectory(prefix="tfprof_abi_") as folder:
            now = describe(folder)
            if "--record" in sys.argv:
                os.makedirs(RECORDS, exist_ok=True)
                shutil.copy(now, os.path.join(RECORDS, version() + ".abi"))
            else:
                findings += filter(None, [compare(now)])
    for line in findings:
        print("abi: " + line)
    print(f"abi: {len(declarations()[1])} public functions, {len(findings)} findings")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks for leaks of the extension: tests/python/leaks.py

Every function of tfprof._native runs again and again, with good and with bad arguments, and so does what the package
makes of them (leak_cases.py). After each round three numbers must be what they were: the references that the interpreter
counts (a debug interpreter alone does; Debian's python3-dbg is used when it is there), the blocks that it has handed out,
and the bytes that C holds on its heap. Last, a thousand profiles are opened, shown and dropped, and the process must not
grow.
"""
import ctypes
import gc
import os
import shutil
import subprocess
import sys
import tempfile

from leak_cases import SMALL, every_case, without_case

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build-python", "meson")  # created by tools/python.sh

CALLS, ROUNDS = 10, 4
CYCLES, GROWTH_KB = 1000, 1024

# ---- what is held ----


class Heap(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]


LIBC = ctypes.CDLL(None)
if hasattr(LIBC, "mallinfo2"):
    LIBC.mallinfo2.restype = Heap


def heap_bytes():
    """The bytes allocated on C's heap; 0 if the C library does not report them."""
    if not hasattr(LIBC, "mallinfo2"):
        return 0
    told = LIBC.mallinfo2()
    return told.uordblks + told.hblkhd


def resident_kb():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def held():
    """References, blocks, bytes on C's heap."""
    references = sys.gettotalrefcount() if hasattr(sys, "gettotalrefcount") else 0
    return references, sys.getallocatedblocks(), heap_bytes()


# ---- the check ----


def growth(function):
    """The growth of each number in the round where it grew least: a leak grows in every round."""
    for _ in range(3):  # caches fill in these rounds
        function()
    least = None
    for _ in range(ROUNDS):
        gc.collect()
        before = held()
        for _ in range(CALLS):
            function()
        gc.collect()
        grew = tuple(now - then for now, then in zip(held(), before))
        least = grew if least is None else tuple(map(min, least, grew))
    return least


def check_cases(native, folder):
    """Returns how many cases passed and how many failed."""
    cases = every_case(native, folder)
    missing = without_case(native, cases)
    if missing:
        print("no case calls " + ", ".join(missing))
    failed = bool(missing)
    own = growth(lambda: None)
    for name, function in cases.items():
        for _ in range(3):  # a leak grows again each time; a cache that filled late does not
            references, blocks, size = (grew - less for grew, less in zip(growth(function), own))
            if max(references, blocks, size) < CALLS:
                break
        if references >= CALLS or blocks >= CALLS or size >= CALLS:
            print(f"{name}: {CALLS} calls keep {references} references, {blocks} blocks, {size} bytes of C's heap")
            failed += 1
    return len(cases) + 1 - failed, failed


def check_size():
    """Opens a thousand profiles, one after the other."""
    import tfprof

    def cycle():
        str(tfprof.open(SMALL).scope(max_depth=100))

    for _ in range(CYCLES // 5):
        cycle()
    before = resident_kb()
    for _ in range(CYCLES):
        cycle()
    grown = resident_kb() - before
    print(f"{CYCLES} profiles opened, shown and dropped: {before} kB, then {grown:+} kB")
    return grown <= GROWTH_KB


def check_here():
    from tfprof import _native as native

    with tempfile.TemporaryDirectory(prefix="tfprof-leaks-") as folder:
        passed, failed = check_cases(native, folder)
    fits = check_size()
    if not fits:
        print(f"FAILED: the process grew by more than {GROWTH_KB} kB")
    print(f"{sys.version.split()[0]}, references {'' if hasattr(sys, 'gettotalrefcount') else 'not '}counted")
    print(f"{passed + fits} passed, {failed + (not fits)} failed", flush=True)
    return 0 if fits and not failed else 1


def counted(folder):
    """Copies the package, with an extension that counts its references if the interpreter does; returns what went wrong, or
    None.

    Only the package is copied: the other packages of this environment were built for another interpreter.
    """
    import tfprof

    shutil.copytree(os.path.dirname(tfprof.__file__), os.path.join(folder, "tfprof"))
    made = "python/counted/_native.abi3.so"
    done = subprocess.run([os.path.join(sys.prefix, "bin", "ninja"), "-C", BUILD, "-j2", made], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        return done.stdout[-4000:]
    shutil.copy(os.path.join(BUILD, made), os.path.join(folder, "tfprof"))
    return None


def main():
    if sys.argv[1:] == ["--here"]:
        return check_here()
    # without the allocator's caches, which count as allocated, C's numbers are exact
    environment = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0")
    command = [sys.executable, "-W", "ignore", os.path.abspath(__file__), "--here"]
    counting = shutil.which("python3-dbg")
    if not counting:
        print("no python3-dbg: references are not counted")
        return subprocess.run(command, env=environment).returncode
    with tempfile.TemporaryDirectory(prefix="tfprof-leaks-") as folder:
        wrong = counted(folder)
        if wrong:
            print(wrong)
            print("0 passed, 1 failed")
            return 1
        environment.update(PYTHONPATH=folder, PYTHONDONTWRITEBYTECODE="1")
        return subprocess.run([counting, *command[1:]], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())

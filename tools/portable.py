#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that headers of Linux alone, such as <sys/epoll.h>, are included only in a few places, so that the library
stays portable enough to be tried on macOS. It needs no build."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

LINUX = re.compile(r"^(linux|asm)/|^sys/(auxv|epoll|eventfd|fanotify|fsuid|inotify|personality|prctl|ptrace|sendfile|signalfd|syscall|sysinfo|timerfd|user|vfs|xattr)\.h$"
                   r"|^(byteswap|elf|endian|error|link|malloc|mntent|pty)\.h$")
# Live commands, watches and the server's protection need Linux: epoll, pidfds, numbers of system calls in /proc, Landlock, openat2,
# capabilities.
PLACES = ("src/live/", "src/watch/record/", "cli/live/run.c", "server/")
# Files in which such a header is between #ifdef __linux__ or __GLIBC__ and #endif.
GUARDED = ("src/base/system.c",)


def included(path):
    """(line, header, whether a guard surrounds it)"""
    depth = 0
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if re.match(r"#\s*if", line):
                depth += 1 if depth or re.match(r"#\s*ifdef (__linux__|__GLIBC__)", line) else 0
            elif re.match(r"#\s*endif", line):
                depth -= bool(depth)
            elif found := re.match(r"#\s*include <([^>]+)>", line):
                yield number, found[1], depth > 0


def faults():
    listed = subprocess.run(["git", "ls-files", "*.c", "*.h", "*.cc"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    for path in listed:
        if path.startswith(("src/", "cli/", "mcp/", "python/", "include/", "server/")) and not path.startswith(PLACES):
            for number, header, guarded in included(path):
                if LINUX.search(header) and not (guarded and path in GUARDED):
                    yield f"{path}:{number}: <{header}> is a header of Linux: use what base/system.c has, or add to it"


def main():
    found = list(faults())
    print("\n".join(found) or f"portable: headers of Linux stand in {', '.join(PLACES)} and between guards in {', '.join(GUARDED)}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

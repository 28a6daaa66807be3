#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What people see at a terminal, in a pseudo-terminal of a known width; and that a pipe sees none of it.

    run.py PROGRAM [NAME...]
"""
import os
import pty
import re
import select
import struct
import subprocess
import sys
import fcntl
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(os.path.dirname(HERE), "data", "sample")
PROGRAM = os.path.abspath(sys.argv[1])
SECONDS = 120  # on a busy machine
PROFILE = "dense/profile_3.gz"


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "PAGER", "TFPROF_PAGER", "COLUMNS", "LINES")}
    return {**kept, "TERM": "xterm", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", **more}


def at_terminal(words, typed="", width=100, height=50, **more):
    """What the program writes to a terminal of that size; (text, status). `typed` is sent when the prompt is there."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(SAMPLE)
        os.execve(PROGRAM, ["tfprof", *words], environment(**more))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    told, end = b"", time.monotonic() + SECONDS
    while time.monotonic() < end:
        if typed and b"tfprof> " in told:
            os.write(fd, typed.encode())
            typed = ""
        if not select.select([fd], [], [], 0.2)[0]:
            continue
        try:
            more_told = os.read(fd, 65536)
        except OSError:  # the program closed the terminal
            break
        if not more_told:
            break
        told += more_told
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    return told.decode("utf-8", "replace").replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)


def piped(words, **more):
    done = subprocess.run([PROGRAM, *words], cwd=SAMPLE, env=environment(**more), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS)
    return done.stdout.decode(), done.returncode


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def check(true, what):
    if not true:
        raise AssertionError(what)


# ---- tests ----

def files_without_a_command_say_what_is_in_them_before_the_prompt():
    text, status = at_terminal([PROFILE], "quit\r")
    check(status == 0, "status %d" % status)
    text = plain(text)
    for word in ("files", PROFILE, "recorded", "part", "what to ask next", "tfprof op " + PROFILE):
        check(word in text, "no %r in %r" % (word, text))
    check(text.index("what to ask next") < text.index("tfprof> "), "the prompt came first")


def a_session_in_a_pipe_says_nothing_of_its_own():
    done = subprocess.run([PROGRAM, PROFILE], cwd=SAMPLE, env=environment(), input=b"", stdout=subprocess.PIPE,
                          timeout=SECONDS)
    check(done.stdout == b"", done.stdout)


TESTS = [t for n, t in list(globals().items()) if callable(t) and getattr(t, "__module__", "") == "__main__"
         and n not in ("environment", "at_terminal", "piped", "plain", "check")]


def main():
    passed = failed = 0
    for test in TESTS:
        if len(sys.argv) > 2 and not any(word in test.__name__ for word in sys.argv[2:]):
            continue
        try:
            test()
            passed += 1
        except Exception as wrong:  # a test that ends badly is a test that failed
            failed += 1
            print("%s: %s" % (test.__name__, wrong))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

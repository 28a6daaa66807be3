# SPDX-License-Identifier: Apache-2.0
"""Shared by all tests of the server: the program, counted checks, and the promises that each answer must
keep."""
import contextlib
import os
import subprocess
import sys
import threading
import time

from serving import SAMPLE, Server

PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/tfprof")
SANITIZED = b"__asan_init" in open(PROGRAM, "rb").read() or b"__tsan_init" in open(PROGRAM, "rb").read()
PROFILE = "dense/profile_3.gz"
ALWAYS = {"x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "no-referrer"}

checks = {"passed": 0, "failed": 0}
lock = threading.Lock()


def check(right, what):
    with lock:
        checks["passed" if right else "failed"] += 1
        if not right:
            print("FAILED " + what, flush=True)
    return right


def run(*words, cwd=SAMPLE, timeout=60):
    done = subprocess.run([PROGRAM, *words], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


@contextlib.contextmanager
def serving(*words, **more):
    server = Server(PROGRAM, *words, **more)
    try:
        yield server
    finally:
        status, err, seconds = server.stop()
        check(status == 0, f"ends with status 0, not {status}: {err[-3000:]}")
        check(seconds < 3, f"ends within 3 s, not {seconds:.1f}")
        check(err == "", "says nothing on stderr: " + err[-3000:])


def safe(answer, what):
    """Every answer has the strict headers, and none allows access from other sites."""
    for name, value in ALWAYS.items():
        check(answer.headers.get(name) == value, f"{what}: {name} is {answer.headers.get(name)}")
    policy = answer.headers.get("content-security-policy", "")
    check("default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy,
          f"{what}: policy '{policy}'")
    check(not any(h.startswith("access-control") for h in answer.headers), f"{what}: no CORS")
    check("html" not in answer.headers.get("content-type", ""), f"{what}: no HTML")


def refused(answer, what, statuses=range(400, 500)):
    check(answer.status in statuses, f"{what}: {answer.status} {answer.body[:200]!r}")
    safe(answer, what)


def wait_for(right, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if right():
            return True
        time.sleep(0.1)
    return False

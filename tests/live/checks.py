# SPDX-License-Identifier: Apache-2.0
"""Counts checks for the tests of this folder, and waits for events."""
import os
import threading
import time

passed = failed = 0
counting = threading.Lock()


def check(name, ok, what=""):
    global passed, failed
    with counting:
        passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"{name}: {str(what)[:1500]}", flush=True)


def ended():
    """Prints the last line of a suite, and returns its exit status."""
    print(f"{passed} passed, {failed} failed")
    return failed != 0


def until(true, seconds=60):
    """Waits for an event: returns the result of `true` as soon as it is true, or at the timeout."""
    end = time.monotonic() + seconds
    while not (got := true()) and time.monotonic() < end:
        time.sleep(0.01)
    return got


def prepared(folder, count=1):
    """Waits until this many jobs that `tfprof run` started have announced their agents in the run
    folder."""
    def announced():
        return [name for name in os.listdir(folder) if name.endswith(".json")]
    check("agents are announced", until(lambda: len(announced()) >= count), os.listdir(folder))


def allowance():
    """The seconds that a command may take longer than promised. When more processes run than there are processors, every wait is longer; the
    test then only checks that the command ends before its own limit."""
    return 15 if os.getloadavg()[0] > (os.cpu_count() or 1) else 0


def state_of(pid, tid=None):
    """A thread's state as the kernel's letter: R runs, S waits in the kernel, T is stopped; None: it has
    ended."""
    try:
        with open(f"/proc/{pid}/task/{tid or pid}/stat", encoding="utf-8") as f:
            return f.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return None


def is_asleep(pid, tid=None):
    return state_of(pid, tid) == "S"


def child_of(pid):
    """A child of the process, or None."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                if int(f.read().rpartition(")")[2].split()[1]) == pid:
                    return int(name)
        except OSError:
            pass
    return None

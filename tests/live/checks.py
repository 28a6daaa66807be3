# SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder count, and how they wait for events."""
import time

passed = failed = 0


def check(name, ok, what=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"{name}: {str(what)[:1500]}", flush=True)


def ended():
    """The last line of a suite, and its exit status."""
    print(f"{passed} passed, {failed} failed")
    return failed != 0


def until(true, seconds=60):
    """Waits for an event: what `true` gives, as soon as that is true, or at the end."""
    end = time.monotonic() + seconds
    while not (got := true()) and time.monotonic() < end:
        time.sleep(0.01)
    return got


def is_asleep(pid, tid=None):
    """Whether a thread waits in the kernel."""
    try:
        with open(f"/proc/{pid}/task/{tid or pid}/stat", encoding="utf-8") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "S"
    except OSError:
        return False

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the Python package's tests, each file in a process of its own: tests/python/run.py [WORD ...]

    package/    what the package itself can do; most files need no TensorFlow
    compat/     tfprof.compat and tfprof.contrib beside TensorFlow's own profiler, on the same questions and scripts (examples/)

Files that look at TensorFlow run in a fork of this process, which has loaded it once: each would spend 4 seconds on that.

WORD picks the files with it in their name. Prints a line of reason for each failure and each skip, then a file's
"N passed, N failed". The interpreter is the one that runs this; the package is the one that it imports.
"""
import glob
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FILE_SECONDS = 600


class Counting(unittest.TestResult):
    """Counts tests: each failed subtest counts as a failure of its test, a skip does not count."""

    def __init__(self):
        super().__init__()
        self.passed = self.failed = 0

    def addSuccess(self, test):
        self.passed += 1

    def addExpectedFailure(self, test, err):
        self.passed += 1

    def addUnexpectedSuccess(self, test):
        self.told(test, "passed, though it was expected to fail")

    def addFailure(self, test, err):
        self.told(test, self._exc_info_to_string(err, test))

    def addError(self, test, err):
        self.told(test, self._exc_info_to_string(err, test))

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.told(subtest, self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        print(f"skipped: {test.id()}: {reason}", flush=True)

    def told(self, test, trace):
        """One line with the reason, then the place."""
        self.failed += 1
        lines = trace.rstrip().splitlines()
        reason = next((line for line in reversed(lines) if line[:1].strip()), "")
        where = [line.strip() for line in lines if line.startswith("  File ")][-1:]
        print(f"FAILED: {test.id()}: {reason}\n  {''.join(where)}", flush=True)
        if os.environ.get("VERBOSE"):
            print(trace, flush=True)


def find_helpers():
    """Lets tests import support.py and what the files of compat/ share."""
    sys.path[:0] = [HERE, os.path.join(HERE, "compat")]


def keep_answers():
    """Keeps the JSON that reports give to the tests, for tests/schema/check_logged.py."""
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "schema"))
    from logged import FILE, log
    if not FILE:
        return
    import tfprof
    to_bytes, to_dict = tfprof.Report.to_bytes, tfprof.Report.to_dict

    def logged_bytes(report, output):
        made = to_bytes(report, output)
        if output in ("json", "jsonl"):
            log("command", made.decode("utf-8", "replace"), f"Python: {report.view}.to_bytes -format {output}")
        return made

    def logged_dict(report):
        made = to_dict(report)
        try:
            log("command", json.dumps(made), f"Python: {report.view}.to_dict")
        except RecursionError:  # a tree of thousands of levels; the one of a test whose subject is its depth
            pass
        return made

    tfprof.Report.to_bytes, tfprof.Report.to_dict = logged_bytes, logged_dict


def run_here(path):
    """Runs all tests of a file in this process."""
    find_helpers()
    keep_answers()
    sys.path.insert(0, os.path.dirname(path))
    name = os.path.splitext(os.path.basename(path))[0]
    result = Counting()
    unittest.defaultTestLoader.loadTestsFromName(name).run(result)
    print(f"\n{result.passed} passed, {result.failed} failed", flush=True)
    return 1 if result.failed else 0


def looks_at_tensorflow(path):
    """Whether the file, or a helper that it imports, imports TensorFlow at its beginning."""
    with open(path, encoding="utf-8") as file:
        return re.search(r"^(import|from) (models|scripts|sides|tensorflow)\b|^ +tensorflow = support", file.read(), re.M)


def with_tensorflow():
    """Loads TensorFlow into this process. Loading starts no threads, so the process can be
    forked."""
    if "tensorflow" not in sys.modules:
        find_helpers()
        import support
        support.load_tensorflow()


def run_in_fork(path):
    """Runs a file in a fork of this process; returns its output and its status."""
    sys.stdout.flush()
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setsid()
            os.close(ours)
            for number in (1, 2):
                os.dup2(theirs, number)
            os.close(theirs)
            status = run_here(path)
        except BaseException as wrong:  # pylint: disable=broad-except
            print(repr(wrong))
        finally:
            sys.stdout.flush()
            os._exit(status)
    os.close(theirs)
    late = threading.Timer(FILE_SECONDS, lambda: os.killpg(child, signal.SIGKILL))
    late.start()
    with open(ours, "rb") as pipe:
        output = pipe.read().decode("utf-8", "replace")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    late.cancel()
    return output, status


def run_alone(path):
    """Runs a file in a new process; returns its output and its status."""
    command = [sys.executable, os.path.abspath(__file__), "--here", path]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=FILE_SECONDS)
        return done.stdout.decode("utf-8", "replace"), done.returncode
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode("utf-8", "replace"), "too long"


def run_apart(path):
    """Runs a file; returns its output, and how many tests passed and failed."""
    if looks_at_tensorflow(path):
        with_tensorflow()
        output, status = run_in_fork(path)
    else:
        output, status = run_alone(path)
    last = output.rstrip().rsplit("\n", 1)[-1].split()
    if len(last) == 4 and last[1] == "passed," and last[3] == "failed" and (status == 0 or last[2] != "0"):
        return output, int(last[0]), int(last[2])
    return f"{output[-3000:]}\n{os.path.basename(path)}: ended with {status}", 0, 1


def processors():
    """Processor seconds of child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # under nohup the signal is ignored, so it is set here
    if sys.argv[1:2] == ["--here"]:
        return run_here(sys.argv[2])
    words = sys.argv[1:]
    os.chdir(os.path.dirname(os.path.dirname(HERE)))
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(HERE, "*", "test_*.py"))):
        name = os.path.basename(path)
        if words and not any(word in name for word in words):
            continue
        before = processors()
        output, good, bad = run_apart(path)
        passed, failed = passed + good, failed + bad
        shown = output.splitlines() if bad or os.environ.get("VERBOSE") else \
            [line for line in output.splitlines() if line.startswith("skipped: ")]
        told = "\n".join(line for line in shown if not line.endswith(" failed"))
        if told.strip():
            print(told.strip())
        print(f"{name}: {good} ok, {bad} not, {processors() - before:.0f} s of processors", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

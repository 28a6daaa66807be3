#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every test and ends with one line, "N passed, N failed"; the exit status says whether all passed.

A suite is a command whose output holds lines "N passed, N failed" (cmocka's own summary counts too). A suite that ends
badly without telling of a failure counts as one. Two suites run at a time; what failed is printed again at the end.
A suite of WITH_OTHERS that failed runs a second time, alone, and both results are printed: the second counts.
`tools/test.py NAME ...` runs only those;
`tools/test.py --check` runs those that answer within a minute, without sanitizers; `--exhaustive` those of which the others
take samples.
What needs .venv (TensorFlow, JAX, the Python package) is left out where tools/setup.sh could not make it.
"""
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RELEASE, ASAN, UNIT = "build", "build-asan", "build-unit"
PYTHON = sys.executable
HANGS_AFTER = 1200  # seconds: a busy machine makes suites late, but none takes that long (at most 300 on a quiet one)
TENSORFLOW = os.path.join(ROOT, ".venv", "bin", "python")

ENVIRONMENT = dict(os.environ,
                   ASAN_OPTIONS="detect_leaks=1:abort_on_error=0:exitcode=99:allocator_may_return_null=1:detect_stack_use_after_return=1",
                   UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:exitcode=99",
                   TERM="dumb", LC_ALL="C.UTF-8", NO_COLOR="1")

# name, command, a file without which there is nothing to run (the reason is printed); the longest first, so that both run to
# the end. Each tells its processor time and how long it took: what takes minutes here belongs into samples or into EXHAUSTIVE.
SUITES = [
    ("python package", [TENSORFLOW, "tests/python/run.py"], ".venv/ready"),
    ("shapes and float operations against TensorFlow", [TENSORFLOW, "tests/flops/run.py"], ".venv/ready"),
    ("live comparison with TensorFlow", [TENSORFLOW, "tests/compare/live.py", f"{RELEASE}/tfprof"], ".venv/ready"),
    ("page in Chromium", [PYTHON, "tests/page/run.py", f"{RELEASE}/tfprof"], None),
    ("python package, sanitizers", [TENSORFLOW, "tests/python/sanitized.py", ASAN, "test_native"], ".venv/ready"),
    ("fuzz replay", [PYTHON, "tests/fuzz/replay.py", ASAN], None),
    ("bad input, sanitizers", [PYTHON, "tests/bad/run.py", f"{ASAN}/tfprof"], None),
    ("server, sanitizers", [PYTHON, "tests/server/run.py", f"{ASAN}/tfprof"], None),
    ("faults, memory", [f"{ASAN}/tests/faults/memory", "-e", "16"], None),
    ("threads, sanitizers", [PYTHON, "tests/threads/run.py", f"{ASAN}/tfprof", "3/300"], None),
    ("damage", [PYTHON, "tests/bad/damage.py", ASAN, "11"], None),
    ("faults, input and output", [f"{ASAN}/tests/faults/io"], None),
    ("golden, sanitizers", [PYTHON, "tests/golden/run.py", f"{ASAN}/tfprof"], "tests/golden/run.py"),
    ("bad input, release", [PYTHON, "tests/bad/run.py", f"{RELEASE}/tfprof"], None),
    ("recorded answers of TensorFlow, sanitizers", [PYTHON, "tests/compare/recorded.py", f"{ASAN}/tfprof"], None),
    ("python package, leaks", [TENSORFLOW, "tests/python/leaks.py"], ".venv/ready"),
    ("growth of costs", [PYTHON, "tests/growth/run.py", f"{RELEASE}/tfprof"], None),
    ("float operations of hostile graphs", [PYTHON, "tests/flops/linear.py", f"{RELEASE}/tfprof"], None),
    ("faults, whole program", [PYTHON, "tests/faults/program.py", f"{RELEASE}/tfprof"], None),
    ("unit", [PYTHON, "tools/run_unit.py", ASAN], None),
    ("golden, release", [PYTHON, "tests/golden/run.py", f"{RELEASE}/tfprof"], "tests/golden/run.py"),
    ("golden, on converted files", [PYTHON, "tests/golden/converted.py", f"{RELEASE}/tfprof"], None),
    ("terminal", [PYTHON, "tests/terminal/run.py", f"{RELEASE}/tfprof"], None),
    ("threads, release", [PYTHON, "tests/threads/run.py", f"{RELEASE}/tfprof"], None),
    ("running jobs", [PYTHON, "tests/live/run.py", f"{RELEASE}/tfprof"], None),
    ("prepared jobs", [PYTHON, "tests/live/start.py", f"{RELEASE}/tfprof"], None),
    ("captures", [PYTHON, "tests/live/capture.py", f"{RELEASE}/tfprof"], None),
    ("attach", [PYTHON, "tests/live/attach.py", f"{RELEASE}/tfprof"], None),
    ("metrics of running jobs", [PYTHON, "tests/live/agent.py", f"{RELEASE}/tfprof"], None),
    ("captures by PyTorch's own daemon protocol", [PYTHON, "tests/live/kineto.py", f"{RELEASE}/tfprof"], None),
    ("page of running jobs", [PYTHON, "tests/live/serve.py", f"{RELEASE}/tfprof"], None),
    ("stacks of running jobs", [PYTHON, "tests/live/stacks.py", f"{RELEASE}/tfprof"], None),
    ("planted causes", [PYTHON, "tests/trace/planted.py", f"{RELEASE}/tfprof"], None),
    ("advice that would be wrong", [PYTHON, "tests/trace/quiet.py", f"{RELEASE}/tfprof"], None),
    ("one mean", [PYTHON, "tests/trace/means.py", f"{RELEASE}/tfprof"], None),
    ("random traces against a second program", [PYTHON, "tests/trace/random_traces.py", f"{RELEASE}/tfprof", "0", "200"], None),
    ("steps and gaps of HTA and xprof", [PYTHON, "tests/trace/peers.py", f"{RELEASE}/tfprof"], None),
    ("XPlane and HLO as recorded", [PYTHON, "tests/trace/recorded.py", f"{RELEASE}/tfprof"], None),
    ("XPlane against xprof's tables", [PYTHON, "tests/trace/xprof.py", f"{RELEASE}/tfprof"],
     "../shared/formats/xplane/expected"),
    ("table of formulas", [PYTHON, "tools/flops_table.py", "--check", f"{RELEASE}/tfprof"], None),
    ("server, release", [PYTHON, "tests/server/run.py", f"{RELEASE}/tfprof"], None),
    ("pprof files, ours and Go's", [PYTHON, "tests/trace/pprof.py", f"{RELEASE}/tfprof"], None),
    ("a trace against PyTorch's own table", [PYTHON, "tests/trace/pytorch.py", f"{RELEASE}/tfprof"], None),
    ("float operations against PyTorch's counters", [PYTHON, "tests/trace/pytorch_flops.py", f"{RELEASE}/tfprof"], None),
    ("installed library", [PYTHON, "tests/install/run.py", RELEASE], None),
    ("recorded answers of TensorFlow, release", [PYTHON, "tests/compare/recorded.py", f"{RELEASE}/tfprof"], None),
    ("diff against the script in Python", [PYTHON, "tests/bench/diff.py", "--check", f"{RELEASE}/tfprof"], None),
    ("JAX and TF2 record", [TENSORFLOW, "tests/trace/record.py", f"{RELEASE}/tfprof"], ".venv/ready"),
    ("statistics against numpy", [TENSORFLOW, "tests/compare/stats.py", f"{RELEASE}/tfprof"], ".venv/ready"),
    ("queries against SQLite and protobuf", [TENSORFLOW, "tests/compare/query.py", f"{RELEASE}/tfprof"], ".venv/ready"),
]

# Suites that watch other processes (a browser, jobs that run) meet the clock of a busy machine. None of them waits for a fixed
# time, but a job that the kernel does not run for seconds is late for any limit.
WITH_OTHERS = {"page in Chromium", "running jobs", "prepared jobs", "captures", "attach", "metrics of running jobs",
               "captures by PyTorch's own daemon protocol", "page of running jobs", "stacks of running jobs"}

# What SUITES take samples of, whole: at the end of `make fuzz`. Half an hour of processors.
EXHAUSTIVE = [
    ("damage, every prefix and bit", [PYTHON, "tests/bad/damage.py", ASAN], None),
    ("faults, every allocation", [f"{ASAN}/tests/faults/memory"], None),
]

# `make check`
QUICK = [
    ("unit", [PYTHON, "tools/run_unit.py", UNIT], None),
    ("golden", [PYTHON, "tests/golden/run.py", f"{RELEASE}/tfprof"], None),
    ("recorded answers of TensorFlow", [PYTHON, "tests/compare/recorded.py", f"{RELEASE}/tfprof"], None),
]


def counts(output):
    """Passed and failed in all lines that tell them."""
    passed = failed = 0
    for line in output.splitlines():
        told = re.match(r"^(\d+) passed, (\d+) failed", line)
        if told:
            passed, failed = passed + int(told[1]), failed + int(told[2])
    return passed, failed


def run(suite):
    name, command, needs = suite
    if needs and not os.path.exists(os.path.join(ROOT, needs)):
        return name, 0, 0, 0.0, 0.0, f"left out: no {needs}\n"
    start = time.monotonic()
    try:
        output, status, seconds = watched(command)
    except OSError as wrong:
        output, status, seconds = str(wrong), 1, 0.0
    wall = time.monotonic() - start
    passed, failed = counts(output)
    if status == 0 and output.startswith("left out"):
        return name, 0, 0, 0.0, wall, output
    if status != 0 and failed == 0 or passed + failed == 0:
        failed += 1
    return name, passed, failed, seconds, wall, output


running = set()


def end(process):
    """With all that it started: each suite has a session of its own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def watched(command):
    """-> what it printed, its status, seconds of processors (its own and of those that it waited for)"""
    process = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    late = []
    running.add(process)
    killer = threading.Timer(HANGS_AFTER, lambda: (late.append(True), end(process)))
    killer.start()
    output = process.stdout.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(process.pid, 0)
    killer.cancel()
    running.discard(process)
    process.stdout.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    return output + "\nran too long\n" * len(late), process.returncode, usage.ru_utime + usage.ru_stime


def sanitized_build():
    """Commands for the build with sanitizers. Where there is .venv the Python extension is a part of it, so that the library is
    compiled once for both; that takes the Meson in .venv, since Debian's does not know the limited API."""
    folder = os.path.join(ROOT, ASAN)
    with_python = os.path.exists(os.path.join(ROOT, ".venv", "ready"))
    meson = ".venv/bin/meson" if with_python else "meson"
    if with_python != os.path.exists(os.path.join(folder, "python")):
        shutil.rmtree(folder, ignore_errors=True)
    steps = []
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        steps.append([meson, "setup", ASAN, "--buildtype=debugoptimized", "-Db_sanitize=address,undefined",
                      "-Db_lundef=false", "-Dwerror=true", "-Dtests=true"])
        if with_python:
            site = os.path.join(folder, "site")
            steps[-1] += ["-Dpython=true", f"-Dpython.platlibdir={site}", f"-Dpython.purelibdir={site}"]
    steps.append(["ninja", "-C", ASAN, "--quiet"])
    if with_python:
        steps.append([meson, "install", "-C", ASAN, "--no-rebuild", "--quiet", "--tags=python-runtime"])
    return steps


def build(wanted, check=False):
    """What the suites need beside the release build, which is there already. With `check` unit tests only, without
    sanitizers."""
    steps = []
    python = any("python" in name for name, _, _ in wanted)
    sanitizers = any(word.startswith(ASAN) for _, command, _ in wanted for word in command)
    if check:
        if not os.path.exists(os.path.join(ROOT, UNIT, "build.ninja")):
            steps.append(["meson", "setup", UNIT, "--buildtype=debug", "-Dtests=true"])
        steps.append(["ninja", "-C", UNIT, "--quiet"])
        python = False
    elif sanitizers:
        steps += sanitized_build()
    if python and os.path.exists(os.path.join(ROOT, ".venv", "ready")):
        steps.append(["tools/python.sh"])
    for step in steps:
        done = subprocess.run(step, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            print(done.stdout.decode("utf-8", "replace")[-8000:])
            return False
    return True


def excerpt(output):
    """The lines that say what failed, or the last ones where none does."""
    lines = [line for line in output.splitlines() if line.strip()]
    told = [line for line in lines if re.search(r"FAIL|not ok|Error|ERROR|error:|Assertion", line)]
    return "\n".join("  " + line[:400] for line in (told or lines)[-20:])


def tell(result, complaints):
    name, ok, bad, seconds, wall, output = result
    if output.startswith("left out"):
        print(f"{name}: {output.strip()}", flush=True)
        return
    if bad:
        print(f"---- {name}\n{output[-6000:].rstrip()}\n----")
        complaints.append(f"{name}:\n{excerpt(output)}")
    print(f"{name}: {ok} passed, {bad} failed, {seconds:.0f} s of processors, {wall:.0f} s in all", flush=True)


def main():
    # Under nohup, and in the background of a script, SIGINT is ignored, and so would every program started from here do:
    # with a handler of its own a child begins with the default.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    check = sys.argv[1:] == ["--check"]
    if check or sys.argv[1:] == ["--exhaustive"]:
        wanted = QUICK if check else EXHAUSTIVE
    else:
        wanted = [s for s in SUITES if len(sys.argv) == 1 or any(word in s[0] for word in sys.argv[1:])]
    start = time.monotonic()
    if not build(wanted, check):
        print("0 passed, 1 failed")
        return 1
    print(f"test build: {time.monotonic() - start:.0f} s", flush=True)
    passed = failed = 0
    busy = 0.0
    again, complaints = [], []
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=2)
    try:
        for done in concurrent.futures.as_completed([pool.submit(run, s) for s in wanted]):
            result = done.result()
            busy += result[3]
            if result[2] and result[0] in WITH_OTHERS:
                again.append(result)
                continue
            passed, failed = passed + result[1], failed + result[2]
            tell(result, complaints)
        for first in again:
            print(f"{first[0]}: {first[2]} failed beside others; it runs again, alone\n{excerpt(first[5])}", flush=True)
            result = run(next(s for s in wanted if s[0] == first[0]))
            busy += result[3]
            passed, failed = passed + result[1], failed + result[2]
            tell(result, complaints)
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(running):
            end(process)
        return 130
    for first in again:
        complaints.insert(0, f"{first[0]}, first run beside others:\n{excerpt(first[5])}")
    for complaint in complaints:
        print(complaint)
    print(f"{time.monotonic() - start:.0f} s, {busy:.0f} s of processors")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

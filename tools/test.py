#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every test and ends with one line, "N passed, N failed"; the exit status says whether all passed.

A suite is a command whose output has lines "N passed, N failed" (cmocka's own summary counts, too). A suite that exits
with an error but reports no failure counts as one failure. Failures are printed again at the end.

Four suites run at a time: two that compute, with a low priority, and two that wait for other processes (a browser,
running jobs). The longest of each kind comes first. Builds that suites need in addition to the release build run first,
instead of a suite that computes; suites that do not need them do not wait. A failed suite of those that wait runs a
second time, alone; both results are printed, and the second counts.
`tools/test.py NAME ...` runs only these suites; `tools/test.py --check` those that take less than a minute, without
sanitizers; `--exhaustive` the full versions of suites that otherwise test samples.
Suites that need .venv (TensorFlow, JAX, the Python package) are left out if tools/setup.sh could not make it.
"""
import glob
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import typing

import run_unit

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RELEASE, ASAN = "build", "build-asan"
PYTHON = sys.executable
BEHIND = 4  # nice value of suites that compute: suites that wait run first, and other users' programs still get a share
HANGS_AFTER = 1800  # seconds: a busy machine slows suites, but none takes this long (at most 300 on a quiet one)
TENSORFLOW = os.path.join(ROOT, ".venv", "bin", "python")

# handle_sigill: undefined behaviour traps, see sanitized_build(). The quarantine, which holds freed memory back, has
# 256 MB by default; its pages all come from the system, which takes a third of the fuzz targets' time. The fake stacks,
# which detect a use after return, take 1 MB for each size of frames; with 128 KB a program starts in 85 % of the time.
# EXHAUSTIVE uses the defaults.
ASAN_OPTIONS = ("detect_leaks=1:abort_on_error=0:exitcode=99:allocator_may_return_null=1:detect_stack_use_after_return=1:"
                "handle_sigill=1")
# Where the system has no node, tools/page.sh installs one, which the page's tests need, too.
NODE = os.path.join(ROOT, ".venv-node", "bin")
PATH = os.pathsep.join([os.environ.get("PATH", os.defpath)] + [NODE] * os.path.isdir(NODE))
ENVIRONMENT = dict(os.environ, PATH=PATH, ASAN_OPTIONS=ASAN_OPTIONS + ":quarantine_size_mb=16:max_uar_stack_size_log=17",
                   TERM="dumb", LC_ALL="C.UTF-8", NO_COLOR="1")


class Suite(typing.NamedTuple):
    """seconds: about how many processor seconds it takes, or in total if it waits. A suite that takes minutes should
    test samples; its full version belongs in EXHAUSTIVE."""
    name: str
    command: list
    seconds: int
    needs: typing.Optional[str] = None  # without this file there is nothing to run
    waits: bool = False  # waits for other processes, so the load of the machine affects its timing


SUITES = [
    Suite("python package", [TENSORFLOW, "tests/python/run.py"], 160, needs=".venv/ready"),
    Suite("shapes and float operations against TensorFlow", [TENSORFLOW, "tests/flops/run.py"], 105, needs=".venv/ready"),
    Suite("live comparison with TensorFlow", [TENSORFLOW, "tests/compare/live.py", f"{RELEASE}/tfprof", "-count", "100"], 63,
          needs=".venv/ready"),
    Suite("bad input, sanitizers", [PYTHON, "tests/bad/run.py", f"{ASAN}/tfprof"], 55),
    Suite("fuzz replay", [PYTHON, "tests/fuzz/replay.py", ASAN, "-m", "10"], 65),
    Suite("faults, memory", [f"{ASAN}/tests/faults/memory", "-e", "48"], 16),
    Suite("damage", [PYTHON, "tests/bad/damage.py", ASAN, "37"], 14),
    Suite("golden, sanitizers", [PYTHON, "tests/golden/run.py", f"{ASAN}/tfprof"], 40, needs="tests/golden/run.py"),
    Suite("threads, sanitizers", [PYTHON, "tests/threads/run.py", f"{ASAN}/tfprof", "--one", f"{RELEASE}/tfprof", "3/300"], 17),
    Suite("faults, input and output", [f"{ASAN}/tests/faults/io", "-e", "5"], 19),
    Suite("bad input, release", [PYTHON, "tests/bad/run.py", f"{RELEASE}/tfprof"], 35),
    Suite("growth of costs", [PYTHON, "tests/growth/run.py", f"{RELEASE}/tfprof"], 55),
    Suite("recorded answers of TensorFlow, sanitizers",
          [PYTHON, "tests/compare/recorded.py", f"{ASAN}/tfprof", "^(?!random)|[05]$"], 15),
    Suite("python package, sanitizers", [TENSORFLOW, "tests/python/sanitized.py", ASAN, "test_native"], 15,
          needs=".venv/ready"),
    Suite("unit", [PYTHON, "tools/run_unit.py", ASAN], 30),
    Suite("float operations of hostile graphs", [PYTHON, "tests/flops/linear.py", f"{RELEASE}/tfprof"], 15),
    Suite("statistics against numpy", [TENSORFLOW, "tests/compare/stats.py", f"{RELEASE}/tfprof"], 15, needs=".venv/ready"),
    Suite("steps and gaps of HTA and xprof", [PYTHON, "tests/trace/peers.py", f"{RELEASE}/tfprof"], 19),
    Suite("random traces against a second program", [PYTHON, "tests/trace/random_traces.py", f"{RELEASE}/tfprof", "0", "120"], 8),
    Suite("lists of make release", [PYTHON, "tests/release/run.py", RELEASE], 2),
    Suite("JAX and TF2 record", [TENSORFLOW, "tests/trace/record.py", f"{RELEASE}/tfprof"], 13, needs=".venv/ready"),
    Suite("queries against SQLite and protobuf", [TENSORFLOW, "tests/compare/query.py", f"{RELEASE}/tfprof"], 10,
          needs=".venv/ready"),
    Suite("python package, leaks", [TENSORFLOW, "tests/python/leaks.py"], 11, needs=".venv/ready"),
    Suite("threads, release", [PYTHON, "tests/threads/run.py", f"{RELEASE}/tfprof"], 13),
    Suite("faults, whole program", [PYTHON, "tests/faults/program.py", f"{RELEASE}/tfprof"], 10),
    Suite("golden, release", [PYTHON, "tests/golden/run.py", f"{RELEASE}/tfprof"], 9, needs="tests/golden/run.py"),
    Suite("golden, on converted files", [PYTHON, "tests/golden/converted.py", f"{RELEASE}/tfprof"], 6),
    Suite("recorded answers of TensorFlow, release", [PYTHON, "tests/compare/recorded.py", f"{RELEASE}/tfprof"], 6),
    Suite("planted causes", [PYTHON, "tests/trace/planted.py", f"{RELEASE}/tfprof"], 4),
    Suite("installed library", [PYTHON, "tests/install/run.py", RELEASE], 3),
    Suite("README's ways to install", [PYTHON, "tests/install/readme.py"], 1),
    Suite("changes in an index of many traces", [PYTHON, "tests/fleet/trend.py", f"{RELEASE}/tfprof"], 2),
    Suite("python package, tables of many traces", [TENSORFLOW, "tests/fleet/tables.py", f"{RELEASE}/tfprof"], 4, needs=".venv/ready"),
    Suite("python package, recipes for many traces", [TENSORFLOW, "tests/fleet/recipes.py", f"{RELEASE}/tfprof"], 4, needs=".venv/ready"),
    Suite("python package, many traces in Spark", [TENSORFLOW, "tests/fleet/spark.py"], 60, needs=".venv/spark"),
    Suite("index of many traces", [TENSORFLOW, "tests/fleet/index.py", f"{RELEASE}/tfprof"], 8, needs=".venv/ready"),
    Suite("numbers of one row agree", [PYTHON, "tests/trace/consistent.py", f"{RELEASE}/tfprof"], 14),
    Suite("ranks merged into one file", [PYTHON, "tests/trace/merged.py", f"{RELEASE}/tfprof"], 8),
    Suite("one mean", [PYTHON, "tests/trace/means.py", f"{RELEASE}/tfprof"], 2),
    Suite("advice that would be wrong", [PYTHON, "tests/trace/quiet.py", f"{RELEASE}/tfprof"], 1),
    Suite("lines of libraries, counted from the frames", [PYTHON, "tests/serving/own_lines.py", f"{RELEASE}/tfprof"], 6),
    Suite("limits, calculated twice", [PYTHON, "tests/limits/twice.py", f"{RELEASE}/tfprof"], 1),
    Suite("limits of public traces, calculated twice", [PYTHON, "tests/limits/public.py", f"{RELEASE}/tfprof"], 8, needs="../shared/formats/public"),
    Suite("advice on hosts of TensorFlow and JAX", [PYTHON, "tests/trace/tfhost.py", f"{RELEASE}/tfprof"], 1),
    Suite("one value a quantity", [PYTHON, "tests/trace/one_value.py", f"{RELEASE}/tfprof"], 11),
    Suite("statistics over runs", [PYTHON, "tests/trace/runs_of_rows.py", f"{RELEASE}/tfprof"], 3),
    Suite("lines of kernels that torch.compile made", [PYTHON, "tests/trace/compiled.py", f"{RELEASE}/tfprof"], 60),
    Suite("typed traces of PyTorch as its JSON", [PYTHON, "tests/trace/torch_pftrace.py", f"{RELEASE}/tfprof"], 60),
    Suite("command buffers drawn", [PYTHON, "tests/trace/buffers.py", f"{RELEASE}/tfprof"], 2),
    Suite("changed jobs predicted", [PYTHON, "tests/trace/replayed.py", f"{RELEASE}/tfprof"], 2),
    Suite("gains that whatif does not deny", [PYTHON, "tests/trace/gains.py", f"{RELEASE}/tfprof"], 1),
    Suite("critical paths", [PYTHON, "tests/trace/path.py", f"{RELEASE}/tfprof"], 1),
    Suite("XPlane and HLO as recorded", [PYTHON, "tests/trace/recorded.py", f"{RELEASE}/tfprof"], 1),
    Suite("XPlane against xprof's tables", [PYTHON, "tests/trace/xprof.py", f"{RELEASE}/tfprof"], 1,
          needs="../shared/formats/xplane/expected"),
    Suite("published traces against a second program",
          [PYTHON, "tests/trace/random_traces.py", f"{RELEASE}/tfprof", *sorted(glob.glob(os.path.join(ROOT, "../shared/formats/public/*.xplane.pb")))], 8,
          needs="../shared/formats/public"),
    Suite("figures of published traces", [PYTHON, "tests/trace/public.py", f"{RELEASE}/tfprof"], 2, needs="../shared/formats/public"),
    Suite("how to add a column, view, format, output and rule", [PYTHON, "tests/recipe/run.py"], 60),
    Suite("pprof files, ours and Go's", [PYTHON, "tests/trace/pprof.py", f"{RELEASE}/tfprof"], 1),
    Suite("a trace against PyTorch's own table", [PYTHON, "tests/trace/pytorch.py", f"{RELEASE}/tfprof"], 1),
    Suite("float operations against PyTorch's counters", [PYTHON, "tests/trace/pytorch_flops.py", f"{RELEASE}/tfprof"], 1),
    Suite("ONNX models of PyTorch against its counters", [PYTHON, "tests/trace/onnx_export.py", f"{RELEASE}/tfprof"], 1),
    Suite("programs of torch.export against PyTorch's counters", [PYTHON, "tests/trace/torch_export.py", f"{RELEASE}/tfprof"], 2),
    Suite("schemas and the skill file", [PYTHON, "tests/schema/run.py", f"{RELEASE}/tfprof"], 20),
    Suite("gate for CI", [PYTHON, "tests/gate/run.py", f"{RELEASE}/tfprof"], 8),
    Suite("diff against the script in Python", [PYTHON, "tests/bench/diff.py", "--check", f"{RELEASE}/tfprof"], 1),

    # Suites that wait for other processes.
    Suite("page in Chromium", [PYTHON, "tests/page/run.py", f"{RELEASE}/tfprof"], 159, waits=True),
    Suite("attach", [PYTHON, "tests/live/attach.py", f"{RELEASE}/tfprof"], 92, waits=True),
    Suite("server, release", [PYTHON, "tests/server/run.py", f"{RELEASE}/tfprof"], 56, waits=True),
    Suite("server, sanitizers", [PYTHON, "tests/server/run.py", f"{ASAN}/tfprof"], 62, waits=True),
    Suite("running jobs", [PYTHON, "tests/live/run.py", f"{RELEASE}/tfprof"], 19, waits=True),
    Suite("jobs that are watched", [PYTHON, "tests/live/watch.py", f"{RELEASE}/tfprof"], 110, waits=True),
    Suite("steps a second at the first look", [PYTHON, "tests/live/rates.py", f"{RELEASE}/tfprof"], 9, waits=True),
    Suite("RAS of watched jobs", [PYTHON, "tests/watch/ras.py", f"{RELEASE}/tfprof"], 160, waits=True),
    Suite("GPUs of watched jobs", [PYTHON, "tests/watch/gpus.py", f"{RELEASE}/tfprof"], 55, waits=True),
    Suite("captures", [PYTHON, "tests/live/capture.py", f"{RELEASE}/tfprof"], 27, waits=True),
    Suite("inference servers", [PYTHON, "tests/live/engines.py", f"{RELEASE}/tfprof"], 14, waits=True),
    Suite("commands and tutorials of the docs", [PYTHON, "tests/docs/run.py", f"{RELEASE}/tfprof"], 90, waits=True),
    Suite("stacks sent to stores of profiles", [PYTHON, "tests/live/push.py", f"{RELEASE}/tfprof"], 25, waits=True),
    Suite("metrics of running jobs", [PYTHON, "tests/live/agent.py", f"{RELEASE}/tfprof"], 34, waits=True),
    Suite("page of running jobs", [PYTHON, "tests/live/serve.py", f"{RELEASE}/tfprof"], 12, waits=True),
    Suite("agents of several machines", [PYTHON, "tests/live/machines.py", f"{RELEASE}/tfprof"], 5, waits=True),
    Suite("files in folders of others", [PYTHON, "tests/live/files.py", f"{RELEASE}/tfprof"], 33, waits=True),
    Suite("prepared jobs", [PYTHON, "tests/live/start.py", f"{RELEASE}/tfprof"], 12, waits=True),
    Suite("stacks of running jobs", [PYTHON, "tests/live/stacks.py", f"{RELEASE}/tfprof"], 18, waits=True),
    Suite("jobs that hang", [PYTHON, "tests/live/hang.py", f"{RELEASE}/tfprof"], 9, waits=True),
    Suite("options of stacks", [PYTHON, "tests/live/stacks_options.py", f"{RELEASE}/tfprof"], 40, waits=True),
    Suite("hostile jobs", [PYTHON, "tests/live/hostile.py", f"{RELEASE}/tfprof"], 60, waits=True),
    Suite("captures by PyTorch's own daemon protocol", [PYTHON, "tests/live/kineto.py", f"{RELEASE}/tfprof"], 10, waits=True),
    Suite("CUDA of prepared jobs", [PYTHON, "tests/live/cuda.py", f"{RELEASE}/tfprof"], 2, waits=True),
    Suite("Model Context Protocol", [PYTHON, "tests/mcp/run.py", f"{RELEASE}/tfprof"], 25, waits=True),
    Suite("files of deploy/", [PYTHON, "tests/deploy/run.py", f"{RELEASE}/tfprof"], 11, waits=True),
    Suite("terminal", [PYTHON, "tests/terminal/run.py", f"{RELEASE}/tfprof"], 3, waits=True),
]

# The full versions of suites of which SUITES runs samples: at the end of `make fuzz`. Half an hour
# of processor time.
EXHAUSTIVE = [
    Suite("damage, every prefix and bit", [PYTHON, "tests/bad/damage.py", ASAN], 900),
    Suite("random traces, more of them", [PYTHON, "tests/trace/random_traces.py", f"{RELEASE}/tfprof", "120", "1000"], 80),
    Suite("faults, every call of input and output", [f"{ASAN}/tests/faults/io"], 45),
    Suite("faults, every allocation", [f"{ASAN}/tests/faults/memory"], 700),
    Suite("recorded answers of TensorFlow, all with sanitizers", [PYTHON, "tests/compare/recorded.py", f"{ASAN}/tfprof"], 22),
    Suite("fuzz replay, five times the mutants", [PYTHON, "tests/fuzz/replay.py", ASAN, "-m", "150"], 110),
    Suite("bad input, sanitizers, every byte and size", ["env", "TFP_WHOLE=1", PYTHON, "tests/bad/run.py", f"{ASAN}/tfprof"], 100),
    Suite("pprof files, Go's own answers", [PYTHON, "tests/trace/pprof.py", f"{RELEASE}/tfprof", "--go"], 35),
    Suite("live comparison with TensorFlow, other questions",
          [TENSORFLOW, "tests/compare/live.py", f"{RELEASE}/tfprof", "-seed", "2", "-count", "1000"], 180, needs=".venv/ready"),
    Suite("python package, every question and round",
          ["env", "TFP_WHOLE=1", TENSORFLOW, "tests/python/run.py", "test_compare", "test_memory", "test_wheel"], 190, needs=".venv/ready"),
    Suite("models and drawn graphs against TensorFlow",
          [TENSORFLOW, "tests/flops/run.py", "--whole", "nets", "totals", "cases_array", "cases_fold"], 150, needs=".venv/ready"),
]

# the suites of `make check`
QUICK = [
    Suite("unit", [PYTHON, "tools/run_unit.py", RELEASE], 6),
    Suite("golden", [PYTHON, "tests/golden/run.py", f"{RELEASE}/tfprof"], 10),
    Suite("recorded answers of TensorFlow", [PYTHON, "tests/compare/recorded.py", f"{RELEASE}/tfprof"], 6),
]


def counts(output):
    """The numbers of passed and failed tests in all lines that have them."""
    passed = failed = 0
    for line in output.splitlines():
        told = re.match(r"^(\d+) passed, (\d+) failed", line)
        if told:
            passed, failed = passed + int(told[1]), failed + int(told[2])
    return passed, failed


def run(suite):
    if suite.needs and not os.path.exists(os.path.join(ROOT, suite.needs)):
        return suite, 0, 0, 0.0, 0.0, f"left out: no {suite.needs}\n"
    start = time.monotonic()
    try:
        output, status, seconds = watched(suite.command, not suite.waits)
    except OSError as wrong:
        output, status, seconds = str(wrong), 1, 0.0
    wall = time.monotonic() - start
    passed, failed = counts(output)
    if status == 0 and output.startswith("left out") and not passed + failed:
        return suite, 0, 0, seconds, wall, output
    if status != 0 and failed == 0 or passed + failed == 0:
        failed += 1
    return suite, passed, failed, seconds, wall, output


running = set()


def end(process):
    """Ends a process and all that it started, because each suite has its own session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def watched(command, behind=False):
    """-> the command's output, its status, and processor seconds, with those of its child processes. `behind`: other
    processes have priority."""
    command = ["nice", "-n", str(BEHIND), *command] if behind else command
    process = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    if behind:
        try:  # if each session is scheduled as a group, nice values inside it have no effect on others
            with open(f"/proc/{process.pid}/autogroup", "w", encoding="ascii") as file:
                file.write(str(BEHIND))
        except OSError:
            pass
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
    """Commands for the build with sanitizers. If there is .venv the build includes the Python extension, so that the
    library is compiled once for both; this needs the Meson in .venv, because Debian's does not know the limited API.

    Undefined behaviour ends in a trap, which AddressSanitizer reports with its place (handle_sigill). Without libubsan
    and its tables of messages, and at fixed addresses, a program starts in half the time, and the tests start
    thousands. -Og compiles in 60 % of the time of -O1, and 15 % less without the release build's own checks of the stack;
    -g1 gives the line numbers in reports."""
    folder = os.path.join(ROOT, ASAN)
    with_python = os.path.exists(os.path.join(ROOT, ".venv", "ready"))
    meson = ".venv/bin/meson" if with_python else "meson"
    flags = "-g1 -fno-stack-protector -fno-stack-clash-protection -fcf-protection=none -fsanitize=undefined -fsanitize-undefined-trap-on-error"
    setup = [meson, "setup", ASAN, "-Doptimization=g", "-Ddebug=true", f"-Dc_args={flags}", f"-Dcpp_args={flags}",
             "-Db_sanitize=address", "-Db_pie=false", "-Db_lundef=false", "-Dwerror=true", "-Dtests=true"]
    if with_python:
        site = os.path.join(folder, "site")
        setup += ["-Dpython=true", f"-Dpython.platlibdir={site}", f"-Dpython.purelibdir={site}"]
    steps = []
    made_by = os.path.join(folder, "made_by")
    if not os.path.exists(made_by) or open(made_by, encoding="utf-8").read() != repr(setup):
        shutil.rmtree(folder, ignore_errors=True)
        steps = [setup, [PYTHON, "-c", f"open({made_by!r}, 'w').write({repr(setup)!r})"]]
    steps.append(["ninja", "-C", ASAN, "-j2", "--quiet"])
    if with_python:
        steps.append([meson, "install", "-C", ASAN, "--no-rebuild", "--quiet", "--tags=python-runtime"])
    return steps


BUILDS = {"with sanitizers": sanitized_build, "of the unit tests": lambda: run_unit.builds(os.path.join(ROOT, RELEASE)),
          "of the Python package": lambda: [["tools/python.sh"]]}


def build_of(suite):
    """The build that a suite needs in addition to the release build, which exists; or None."""
    folders = {word.split("/")[0] for word in suite.command}
    if ASAN in folders:
        return "with sanitizers"
    if suite.command[1:] == ["tools/run_unit.py", RELEASE]:
        return "of the unit tests"
    return "of the Python package" if suite.name.startswith("python package") and os.path.exists(TENSORFLOW) else None


def build(name):
    """-> whether it succeeded, its output, processor seconds, seconds in total"""
    start, busy = time.monotonic(), 0.0
    for step in BUILDS[name]():
        try:
            output, status, seconds = watched(step, True)
        except OSError as wrong:
            output, status, seconds = str(wrong), 1, 0.0
        busy += seconds
        if status:
            return False, output, busy, time.monotonic() - start
    return True, "", busy, time.monotonic() - start


class Lanes:
    """Runs builds and suites in threads; `results` has the result of run(), also for a suite whose build
    failed."""

    def __init__(self, wanted):
        self.results, self.stopped, self.busy = queue.Queue(), False, 0.0
        self.changed, self.built = threading.Condition(), {}
        self.builds = sorted({build_of(suite) for suite in wanted} - {None})
        ordered = sorted(wanted, key=lambda suite: -suite.seconds)
        self.computing = [suite for suite in ordered if not suite.waits]
        self.waiting = [suite for suite in ordered if suite.waits]
        for lane in (self.computing, self.computing, self.waiting, self.waiting):
            threading.Thread(target=self.work, args=(lane,), daemon=True).start()

    def next(self, lane):
        """The next build, a suite that can run, or None at the end."""
        with self.changed:
            while not self.stopped and (lane or self.builds):
                if self.builds and (lane is self.computing or not self.computing):
                    return self.builds.pop(0)
                for suite in lane:
                    if build_of(suite) in self.built or not build_of(suite):
                        lane.remove(suite)
                        return suite
                self.changed.wait()
            return None

    def work(self, lane):
        while task := self.next(lane):
            if isinstance(task, Suite):
                wrong = build_of(task) and not self.built[build_of(task)]
                self.results.put((task, 0, 1, 0.0, 0.0, "it was not built") if wrong else run(task))
                continue
            good, output, seconds, wall = build(task)
            print(f"build {task}: {seconds:.0f} s of processors, {wall:.0f} s in all\n{output[-8000:]}", end="", flush=True)
            with self.changed:
                self.busy += seconds
                self.built[task] = good
                self.changed.notify_all()

    def stop(self):
        with self.changed:
            self.stopped = True
            self.changed.notify_all()
        for process in list(running):
            end(process)


# After the others: every JSON answer that they provoked (tests/schema/logged.py).
ANSWERS = Suite("answers of all tests against the schema", [PYTHON, "tests/schema/check_logged.py", f"{RELEASE}/answers.jsonl"], 20)


def excerpt(output):
    """The lines that describe failures, or the last lines if there are none."""
    lines = [line for line in output.splitlines() if line.strip()]
    told = [line for line in lines if re.search(r"FAIL|not ok|Error|ERROR|error:|Assertion", line)]
    return "\n".join("  " + line[:400] for line in (told or lines)[-20:])


def tell(result, complaints, absent):
    suite, ok, bad, seconds, wall, output = result
    absent += [f"{suite.name}: {why}" for why in re.findall(r"^left out: (.*)", output, re.M)]
    if output.startswith("left out") and not ok + bad:
        print(f"{suite.name}: {output.strip()}", flush=True)
        return
    if bad:
        print(f"---- {suite.name}\n{output[-6000:].rstrip()}\n----")
        complaints.append(f"{suite.name}:\n{excerpt(output)}")
    print(f"{suite.name}: {ok} passed, {bad} failed, {seconds:.0f} s of processors, {wall:.0f} s in all", flush=True)


def main():
    # Child processes inherit what the shell set: ignored signals (under nohup, in the background of a script) and the umask.
    # With default actions here, and a handler for SIGINT, they start as from a terminal.
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCHLD, signal.SIGCONT):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.umask(0o022)
    check = sys.argv[1:] == ["--check"]
    if check or sys.argv[1:] == ["--exhaustive"]:
        wanted = QUICK if check else EXHAUSTIVE
        ENVIRONMENT["ASAN_OPTIONS"] = ASAN_OPTIONS
    else:
        wanted = [s for s in SUITES if len(sys.argv) == 1 or any(word in s.name for word in sys.argv[1:])]
    start = time.monotonic()
    passed = failed = 0
    busy = 0.0
    if wanted is not QUICK and len(wanted) == len(SUITES):
        ENVIRONMENT["TFPROF_ANSWERS"] = os.path.join(ROOT, RELEASE, "answers.jsonl")
        pathlib.Path(ENVIRONMENT["TFPROF_ANSWERS"]).unlink(missing_ok=True)
    again, complaints, absent = [], [], []
    lanes = Lanes(wanted)
    try:
        for _ in wanted:
            result = lanes.results.get()
            busy += result[3]
            if result[2] and result[0].waits:
                again.append(result)
                continue
            passed, failed = passed + result[1], failed + result[2]
            tell(result, complaints, absent)
        for first in again:
            suite = first[0]
            print(f"{suite.name}: {first[2]} failed beside others; it runs again, alone\n{excerpt(first[5])}", flush=True)
            result = run(suite)
            busy += result[3]
            passed, failed = passed + result[1], failed + result[2]
            tell(result, complaints, absent)
        if "TFPROF_ANSWERS" in ENVIRONMENT:
            result = run(ANSWERS)
            passed, failed = passed + result[1], failed + result[2]
            tell(result, complaints, absent)
    except KeyboardInterrupt:
        lanes.stop()
        return 130
    for first in again:
        complaints.insert(0, f"{first[0].name}, first run beside others:\n{excerpt(first[5])}")
    for complaint in complaints:
        print(complaint)
    print(f"{time.monotonic() - start:.0f} s, {busy + lanes.busy:.0f} s of processors")
    print(f"{len(absent)} left out{': ' if absent else ''}{'; '.join(absent)}")
    print(f"{len(again)} suites ran a second time{': ' if again else ''}{', '.join(first[0].name for first in again)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

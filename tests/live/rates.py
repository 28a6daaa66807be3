#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps a second of the first answers of `tfprof top --once` and of an agent, compared with what the jobs counted themselves: within 10 %.
rates.py TFPROF   The libraries are made here: they have a framework's names for libraries and functions, and nothing else."""
import json
import os
import subprocess
import sys
import tempfile
import time

from checks import check, ended

# Makes a step at each deadline and records the time; after delays it catches up, so that a busy machine keeps
# the rate.
JOB = """
import ctypes, sys, time
log, period, calls = open(sys.argv[1], "w"), float(sys.argv[2]), []
for word in sys.argv[3:]:
    path, function, times = word.split("@")
    call = getattr(ctypes.CDLL(path), function) if function else ctypes.CDLL(path)
    calls += [call] * int(times)
start, n = time.monotonic(), 0
while time.monotonic() < start + 120:
    n += 1
    time.sleep(max(0, start + n * period - time.monotonic()))
    for call in calls:
        call()
    print(time.monotonic(), file=log, flush=True)
"""
BACKWARD = "_ZN5torch8autograd6Engine7execute"
INFERENCE = "_ZN3c1013AutogradState13set_tls_stateES0_"
NO_GRAD = "_ZN5torch8autogradL16set_grad_enabledEP7_objectS2_S2_"
BATCH = "_ZN10tensorflow4data17IteratorGetNextOp9DoComputeEPNS_15OpKernelContextE"
NEXT = "_ZN10tensorflow4data27IteratorGetNextAsOptionalOp9DoComputeEPNS_15OpKernelContextE"
CALL, SESSION = "TFE_Execute", "TF_SessionRun"
MANY = 300000  # symbols before the wanted one: the search takes longer than a step

# name, period in seconds, the table's name for a step (None: the cell is empty), calls for each
# step
JOBS = [
    ("training", 0.02, "backward passes", [("libtorch_cpu.so", BACKWARD, 1), ("libtorch_python.so", NO_GRAD, 2)]),
    ("inference_mode", 0.02, "inference_mode blocks", [("libtorch_cpu.so", BACKWARD, 0), ("libc10.so", INFERENCE, 2)]),
    ("no_grad", 0.03, "no_grad blocks", [("libtorch_cpu.so", BACKWARD, 0), ("libtorch_python.so", NO_GRAD, 2)]),
    ("fit", 0.02, "batches", [("libjax_common.so", "none", 0), ("libtensorflow_cc.so.2", BATCH, 1), ("libtensorflow_cc.so.2", CALL, 7)]),
    ("fit of several steps", 0.02, "batches", [("libtensorflow_cc.so.2", NEXT, 1), ("libtensorflow_cc.so.2", CALL, 2)]),
    ("loop", 0.02, "function calls", [("libtensorflow_cc.so.2", CALL, 1)]),
    ("sessions", 0.02, "session runs", [("libtensorflow_cc.so.2", SESSION, 1), ("libtensorflow_cc.so.2", CALL, 0)]),
    ("slow", 0.43, "backward passes", [("libtorch_cpu.so", BACKWARD, 1)]),
    ("too slow", 30, None, [("libtorch_cpu.so", BACKWARD, 1)]),
]
FUNCTIONS = {"libtorch_cpu.so": [BACKWARD], "libc10.so": [INFERENCE], "libtorch_python.so": [NO_GRAD], "libjax_common.so": ["none"],
             "libtensorflow_cc.so.2": [BATCH, NEXT, CALL, SESSION]}


def make_libraries(folder):
    for library, functions in FUNCTIONS.items():
        source = os.path.join(folder, "source.s")
        with open(source, "w", encoding="utf-8") as f:
            f.write(".text\n")
            if library == "libtorch_cpu.so":
                f.write("".join(f".globl _ZN2at6native{i}\n.type _ZN2at6native{i}, @function\n_ZN2at6native{i}:\n" for i in range(MANY)))
            for name in functions:
                f.write(f".globl {name}\n.type {name}, @function\n{name}:\n\tendbr64\n\tnop\n\tret\n.size {name}, .-{name}\n")
            f.write('.section .note.GNU-stack,"",@progbits\n')
        subprocess.run(["gcc", "-shared", "-nostdlib", "-o", os.path.join(folder, library), source], check=True)


def times_of(log):
    with open(log, encoding="utf-8") as f:
        return [float(line) for line in f if line.endswith("\n")]


def start(folder, number, job):
    _, period, _, calls = job
    words = [f"{os.path.join(folder, library)}@{function if times else ''}@{times}" for library, function, times in calls]
    return subprocess.Popen([sys.executable, "-c", JOB, os.path.join(folder, f"{number}.log"), str(period), *words])


def wait_for_steps(folder):
    end = time.monotonic() + 60
    for number, (_, period, _, _) in enumerate(JOBS):
        log = os.path.join(folder, f"{number}.log")
        while (not os.path.exists(log) or (period < 1 and len(times_of(log)) < 3)) and time.monotonic() < end:
            time.sleep(0.02)


def compare(who, job, row, steps):
    name, what = f"{who}: {job[0]}", job[2]
    check(f"{name}: what a step is", row["steps_are"] == what, row)
    if what is None:
        check(f"{name}: the reason", row["steps_per_second"] is None and "step" in row["why"], row)
        return
    rate = (len(steps) - 1) / (steps[-1] - steps[0]) if len(steps) > 1 else 0
    check(f"{name}: steps a second", rate and abs((row["steps_per_second"] or 0) / rate - 1) <= 0.1, (row["steps_per_second"], rate))


def asked(command, environment=None):
    """The table's rows by process, and when the query began and ended."""
    begun = time.monotonic()
    done = subprocess.run([*command, "-format", "json"], capture_output=True, timeout=120, check=True, env=environment)
    return {row["pid"]: row for row in json.loads(done.stdout)["rows"]}, begun, time.monotonic()


def first_answer(who, folder, processes, answer):
    rows, begun, ended_at = answer
    rows = {p.pid: rows[p.pid] for p in processes}
    if any(why in (row["why"] or "") for row in rows.values() for why in ("CAP_PERFMON", "no uprobes")):
        print("rates: this machine lets us set no uprobes: left out")
        return
    for number, (job, process) in enumerate(zip(JOBS, processes)):
        steps = times_of(os.path.join(folder, f"{number}.log"))
        compare(who, job, rows[process.pid], [t for t in steps if begun <= t <= ended_at])


def ask_an_agent(program):
    """Starts an agent; returns its answer to the first query."""
    environment = {**os.environ, "TFPROF_TOKEN": "0123456789abcdef"}
    with subprocess.Popen([program, "agent", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True, env=environment) as agent:
        try:
            address = agent.stdout.readline().split()[-1]
            return asked([program, "top", "--once", "--agent", address], environment)
        finally:
            agent.terminate()


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        make_libraries(folder)
        processes = [start(folder, number, job) for number, job in enumerate(JOBS)]
        try:
            wait_for_steps(folder)
            once = asked([program, "top", "--once", "--interval", "2", *(str(p.pid) for p in processes)])
            first_answer("top --once", folder, processes, once)
            first_answer("an agent", folder, processes, ask_an_agent(program))
        finally:
            for process in processes:
                process.kill()
                process.wait()
    sys.exit(ended())


main()

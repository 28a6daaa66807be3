#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what looking at running jobs costs: how long an attach holds a job's main thread, and the processor time of `top` in a
terminal with 50 jobs of 200 threads: tests/bench/live.py TFPROF   Aims: held for 1 ms in the middle and never over 20 ms, 1 % of a
core. On a machine that is busy with other things an attach waits for a CPU: the load is shown beside."""
import json
import os
import pty
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "live"))
import fake  # noqa: E402

ATTACHES, JOBS, THREADS, SECONDS = 100, 50, 200, 20
BUSY = "import jax\nprint('ready', flush=True)\nwhile True: sum(range(1000))\n"
MANY = f"""
import jax, threading, time
threading.stack_size(65536)
for _ in range({THREADS - 1}):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print("ready", flush=True)
time.sleep(600)
"""


def start(text, env):
    job = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, env=env)
    job.stdout.readline()
    return job


def attach(program, folder, env):
    job, held = start(BUSY, env), []
    try:
        for i in range(ATTACHES):
            out = os.path.join(folder, f"out{i}")
            subprocess.run([program, "capture", "--attach", str(job.pid), "-o", out, "--ms", "1"], check=True, capture_output=True, env=env)
            with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
                held.append(json.load(f)["captures"][0]["stopped_micros"])
    finally:
        job.kill()
        job.wait()
    print(f"attach: held {statistics.median(held):.0f} us in the middle, {min(held)} to {max(held)} us, {ATTACHES} times, load {os.getloadavg()[0]:.1f}")


def top(program, env):
    jobs = [start(MANY, env) for _ in range(JOBS)]
    try:
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(program, [program, "top"], dict(env, TERM="xterm"))
        end = time.monotonic() + SECONDS
        os.set_blocking(terminal, False)
        while time.monotonic() < end:
            time.sleep(0.1)
            try:
                os.read(terminal, 1 << 16)
            except BlockingIOError:
                pass
        descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        os.write(terminal, b"q")
        _, _, usage = os.wait4(pid, 0)
        used = usage.ru_utime + usage.ru_stime
        print(f"top: {100 * used / SECONDS:.2f} % of a core over {SECONDS} s, {JOBS} jobs of {THREADS} threads, {descriptors} descriptors")
    finally:
        for job in jobs:
            job.kill()
            job.wait()


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        fake.make(os.path.join(folder, "fakes"))
        env = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"), PYTHONPATH=os.path.join(folder, "fakes"))
        attach(program, folder, env)
        top(program, env)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of observing running jobs: how long an attach holds a job's main thread, and the processor time of `top`
in a terminal with 50 jobs of 200 threads: tests/bench/live.py TFPROF   Aims: held for 1 ms (median) and never over 20 ms; 1 %
of a core. On a machine that is busy with other things an attach waits for a CPU: the load is shown beside. And, with the
frameworks of tests/live/real.py, the processor time of a step: without tfprof, started by `run` and not recorded, and while
it is recorded."""
import json
import os
import pty
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "live"))
import fake  # noqa: E402
import real  # noqa: E402

ATTACHES, JOBS, THREADS, SECONDS = 100, 50, 200, 20
SETTLED = 40  # seconds until top has looked at the threads of all processes once
BUSY = "import jax\nprint('ready', flush=True)\nwhile True: sum(range(1000))\n"
MANY = f"""
import jax, threading, time
threading.stack_size(65536)
for _ in range({THREADS - 1}):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print("ready", flush=True)
while True: time.sleep(PAUSE)
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


def cpu_seconds(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as f:  # top has only one thread
        return int(f.read().split()[0]) / 1e9


def read_for(terminal, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.1)
        try:
            os.read(terminal, 1 << 16)
        except BlockingIOError:
            pass


def top(program, env, name, pause):
    jobs = [start(MANY.replace("PAUSE", str(pause)), env) for _ in range(JOBS)]
    try:
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(program, [program, "top"], dict(env, TERM="xterm"))
        os.set_blocking(terminal, False)
        used = [0.0]
        for seconds in (SETTLED, SECONDS):
            read_for(terminal, seconds)
            used.append(cpu_seconds(pid))
        descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        os.write(terminal, b"q")
        os.waitpid(pid, 0)
        print(f"top: {100 * (used[2] - used[1]) / SECONDS:.2f} % of a core ({100 * used[1] / SETTLED:.2f} % in the first {SETTLED} s), "
              f"{JOBS} jobs of {THREADS} threads, {name}; {descriptors} descriptors, load {os.getloadavg()[0]:.1f}")
    finally:
        for job in jobs:
            job.kill()
            job.wait()


STEPS = """
import time
n = 0
while True:
    step()
    n += 1
    if n % 20 == 0:
        print(time.time(), n, time.process_time(), flush=True)
"""


class Stepping:
    """A job that prints its steps and its processor time, and the lines that it has printed."""

    def __init__(self, words, env):
        self.job, self.told = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, start_new_session=True), []
        self.told.append([float(x) for x in self.job.stdout.readline().split()])
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.job.stdout:
            self.told.append([float(x) for x in line.split()])

    def cost(self, begin, end):
        """Microseconds of processor time for each step between two moments."""
        inside = [t for t in list(self.told) if len(t) == 3 and begin <= t[0] <= end]
        return 1e6 * (inside[-1][2] - inside[0][2]) / (inside[-1][1] - inside[0][1]) if len(inside) > 1 else float("nan")

    def end(self):
        os.killpg(self.job.pid, signal.SIGKILL)
        self.job.wait()


def overhead(program, folder, name, framework, text):
    script, env = os.path.join(folder, f"steps_{name}.py"), real.environment(folder, "run_" + name)
    with open(script, "w", encoding="utf-8") as f:
        f.write(text + STEPS)
    words, out, costs = [real.PYTHONS[framework], script], os.path.join(folder, "steps_" + name), []
    for before in ([], [program, "run", "--dir", out + "_run", "--"]):
        job = Stepping([*before, *words], env)
        try:
            time.sleep(5)
            now = time.time()
            costs.append(job.cost(now - 4, now))
            if before:
                subprocess.run([program, "capture", os.path.basename(script), "-o", out, "--ms", "1000", "--timeout", "60"], check=True, capture_output=True, env=env)
                with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
                    row = json.load(f)["captures"][0]
                began = row["started_unix_micros"] / 1e6
                costs.append(job.cost(began, began + row["window_micros"] / 1e6))
        finally:
            job.end()
    print(f"{name}: {costs[0]:.0f} us of processor time a step, prepared {costs[1]:.0f} ({100 * (costs[1] / costs[0] - 1):+.0f} %), recorded {costs[2]:.0f} "
          f"({100 * (costs[2] / costs[0] - 1):+.0f} %), load {os.getloadavg()[0]:.1f}", flush=True)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        fake.make(os.path.join(folder, "fakes"))
        env = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"), PYTHONPATH=os.path.join(folder, "fakes"))
        for name, (framework, _, text) in real.JOBS.items():
            if real.has(framework):
                overhead(program, folder, name, framework, text)
        attach(program, folder, env)
        top(program, env, "all asleep", 600)
        top(program, env, "each wakes ten times a second", 0.1)


if __name__ == "__main__":
    main()

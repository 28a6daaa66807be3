#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what it costs a job to be observed: `tfprof stacks` and `capture --attach` beside py-spy and the framework's own profiler.
beside.py TFPROF [FRAMEWORK...]   py-spy and torch are those of $TFPROF_TORCH_PYTHON's folder, TensorFlow and JAX those of .venv. The job counts: its
longest time without a step, its processor time a step, its resident memory, and how long a fork takes it. torch runs on one thread: its others spin while they wait."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from real import JOBS, ROOT  # noqa: E402

TORCH = os.environ.get("TFPROF_TORCH_PYTHON", "")
VENV = os.path.join(ROOT, ".venv", "bin", "python")
PYTHONS = {"torch": TORCH, "jax": os.environ.get("TFPROF_JAX_PYTHON", VENV), "tf2": os.environ.get("TFPROF_TENSORFLOW_PYTHON", VENV)}
SECONDS = 3

LOOP = """
import json, os, resource, select, sys, time
def rss():
    return int(open("/proc/self/statm").read().split()[1]) * 4
def cpu():
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
def forks():
    times = []
    for _ in range(21):
        t = time.perf_counter()
        pid = os.fork()
        if not pid:
            os._exit(0)
        times.append(time.perf_counter() - t)
        os.waitpid(pid, 0)
    return sorted(times)[10]
def own(seconds):
    import torch
    with torch.profiler.profile() as p:
        end = time.time() + seconds
        while time.time() < end:
            step()
            tick()
    p.export_chrome_trace(sys.argv[1])
    tick()
n, gap, last = 0, 0.0, time.perf_counter()
def tick():
    global n, gap, last
    now = time.perf_counter()
    n, gap, last = n + 1, max(gap, now - last), now
for _ in range(200):
    step()
from_n, from_cpu = n, cpu()
print("ready", flush=True)
while True:
    step()
    tick()
    if n % 20 or not select.select([0], [], [], 0)[0]:
        continue
    word = sys.stdin.readline().split()
    if not word:
        break
    if word[0] == "own":
        own(float(word[1]))
    print(json.dumps({"steps": n - from_n, "gap_ms": 1e3 * gap, "step_us": 1e6 * (cpu() - from_cpu) / max(1, n - from_n), "rss_kb": rss(),
                      "fork_us": 1e6 * forks()}), flush=True)
    from_n, from_cpu, gap, last = n, cpu(), 0.0, time.perf_counter()
"""


class Job:
    def __init__(self, python, text, folder):
        script = os.path.join(folder, "job.py")
        with open(script, "w", encoding="utf-8") as f:
            f.write(text + LOOP)
        self.folder = folder
        self.process = subprocess.Popen([python, script, os.path.join(folder, "own.json")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", OMP_NUM_THREADS="1"))
        assert self.process.stdout.readline() == b"ready\n"
        self.ask()

    def ask(self, words="mark"):
        self.process.stdin.write(words.encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def during(self, *command):
        """The job's numbers while the command ran, and the command's output."""
        done = subprocess.run(command, capture_output=True, check=False, cwd=self.folder)
        return self.ask(), done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


def measure(program, name, python, folder):
    spy = os.path.join(os.path.dirname(TORCH), "py-spy")
    job = Job(python, JOBS[name][2], folder)
    pid = str(job.process.pid)
    ways = [("nothing", ["sleep", str(SECONDS)]),
            ("tfprof stacks, 100 Hz", [program, "stacks", pid, "--seconds", str(SECONDS)]),
            ("tfprof stacks, 1,000 Hz", [program, "stacks", pid, "--seconds", str(SECONDS), "--rate", "1000"]),
            ("py-spy record, 100 Hz", [spy, "record", "-p", pid, "-d", str(SECONDS), "-r", "100", "-f", "raw", "-o", "raw"]),
            ("py-spy record, 1,000 Hz", [spy, "record", "-p", pid, "-d", str(SECONDS), "-r", "1000", "-f", "raw", "-o", "raw"]),
            ("nothing", ["sleep", str(SECONDS)]),
            ("tfprof capture --attach, 1 s", [program, "capture", pid, "--attach", "--ms", "1000", "-o", "capture1", "-format", "jsonl"]),
            ("nothing", ["sleep", str(SECONDS)]),
            ("a second capture", [program, "capture", pid, "--attach", "--ms", "1000", "-o", "capture2", "-format", "jsonl"]),
            ("nothing", ["sleep", str(SECONDS)])]
    for what, command in ways:
        if command[0] == spy and not os.access(spy, os.X_OK):
            continue
        told, said = job.during(*command)
        stalled = re.search(r'"stalled_micros":(\d+)', said)
        status = re.search(r'"status":"(\w+)"', said)
        row(name, what, told, f"row: {int(stalled[1]) / 1e3:.0f} ms, {status[1]}" if stalled and status else "")
    if name == "torch":
        row(name, "torch.profiler, 1 s", job.ask("own 1"), "")
        row(name, "nothing", job.during("sleep", str(SECONDS))[0], "")
    job.process.stdin.close()
    job.process.wait()


def row(name, what, told, note):
    print(f"| {name} | {what} | {told['gap_ms']:.0f} ms | {told['step_us']:.0f} us | {told['rss_kb'] / 1024:.0f} MB | {told['fork_us']:.0f} us | {note} |", flush=True)


def main():
    program = os.path.abspath(sys.argv[1])
    print(f"load {os.getloadavg()[0]:.1f}")
    for name in sys.argv[2:] or PYTHONS:
        if PYTHONS[name] and os.access(PYTHONS[name], os.X_OK):
            with tempfile.TemporaryDirectory() as folder:
                measure(program, name, PYTHONS[name], folder)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

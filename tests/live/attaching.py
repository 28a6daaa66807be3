# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of `tfprof capture --attach`: jobs, captures of them, and inspection of processes."""
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys

import fake
from checks import check

# A computation whose result a single wrong bit would change: floats, and SHA-256 in vector registers. On request it prints its
# modules, threads and descriptors before and after. Its namespace hides builtins that a text could use.
COMPUTE = """
import hashlib, os, select, sys
{imports}
before = after = results = line = None
exec = compile = print = open = globals = None
def state():
    names = sorted(os.readlink("/proc/self/fd/" + f) for f in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + f))
    return [sorted(sys.modules), len(os.listdir("/proc/self/task")), names, sorted(sys.modules["__main__"].__dict__)]
block = b"x" * 3000000
def work(n):
    x, h = 0.1, b""
    for i in range(n):
        for j in range(2000):
            x = x * 3.7 * (1.0 - x)
        h = hashlib.sha256(h + block).digest()
    return repr(x), h.hex()
before = state()
sys.stdout.write("ready\\n"); sys.stdout.flush()
results = set()
while not select.select([0], [], [], 0)[0]:
    results.add(work(5))
after = state()
sys.stdout.write(repr((before == after, [[x for x in a if x not in b] + [x for x in b if x not in a] if isinstance(a, list) else (a, b) for a, b in zip(after, before)], sorted(results), sorted({{work(5)}}))) + "\\n")
"""

IDLE = "import jax, time\nprint('ready', flush=True)\ntime.sleep(60)\n"
# Accepts a text as quickly as BUSY, but uses no processor time.
AWAKE = "import jax, time\nprint('ready', flush=True)\nend = time.time() + 60\nwhile time.time() < end:\n    time.sleep(0.002)\n"
BUSY = "import jax, time\nprint('ready', flush=True)\nend = time.time() + 60\nwhile time.time() < end:\n    sum(range(1000))\n"


class Place:
    def __init__(self, program, folder):
        self.program, self.folder, self.counted, self.jobs = program, folder, itertools.count(1), []
        self.fakes = os.path.join(folder, "fakes")
        fake.make(self.fakes)
        self.run = os.path.join(folder, "run")
        self.env = dict(os.environ, TFPROF_RUN_DIR=self.run, PYTHONPATH=self.fakes)

    def name(self, what):
        return os.path.join(self.folder, f"{what}{next(self.counted)}")  # several threads may ask

    def job(self, text, python=sys.executable, options=(), folder=None, wait=True, env=None):
        script = (os.path.join(folder, "train.py") if folder else self.name("job") + ".py")
        with open(script, "w", encoding="utf-8") as f:
            f.write(text)
        job = subprocess.Popen([python, *options, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=env or self.env, start_new_session=True)
        self.jobs.append(job)
        if wait:
            check("ready", job.stdout.readline() == b"ready\n", job.args)
        return job

    def capture(self, *words, attach=True, before=(), timeout=60, env=None):
        out = self.name("capture")
        done = subprocess.run([*before, self.program, "capture", "-o", out, *(["--attach"] if attach else []), *([] if "--steps" in words or "--ms" in words else ["--ms", "20"]), *map(str, words)],
                              capture_output=True, timeout=timeout, check=False, env=env or self.env)
        try:
            with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
                rows = json.load(f)["captures"]
        except OSError:
            rows = []
        return done, rows, out

    def start(self, *words, env=None):
        return subprocess.Popen([self.program, "capture", "-o", self.name("capture"), "--attach", *map(str, words)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env=env or self.env)

    def clean(self):
        """Removes what killed processes left in the run folder."""
        for name in os.listdir(self.run):
            path = os.path.join(self.run, name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)

    def end(self):
        """Ends all jobs, because one that computes takes processor time from the following
        parts."""
        for job in self.jobs:
            try:
                os.killpg(job.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            job.communicate()
        self.jobs.clear()


def is_ok(rows):
    return len(rows) == 1 and rows[0]["status"] == "ok" and rows[0]["via"] == "attach" and rows[0]["stopped_micros"] > 0


def agent_threads(pid):
    found = []
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/comm", encoding="utf-8") as f:
                found += [tid] if f.read() == "tfprof-agent\n" else []
        except OSError:
            pass
    return found


def has_our_pages(pid):
    """Whether a page of the process begins like the text of an attach."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            words = line.split()
            low, high = (int(x, 16) for x in words[0].split("-"))
            if len(words) > 5 or words[1] != "rw-p" or high - low > 1 << 24:
                continue
            for at in range(low, high, 4096):
                memory.seek(at)
                try:
                    if memory.read(20) == b"try: (lambda: (yield":
                        return True
                except OSError:
                    pass  # after the end of a mapped file
    return False


def same_as_before(p, name, job):
    """Compares what a COMPUTE job prints at its end."""
    out, err = job.communicate(b"\n", timeout=60)
    try:
        same, differ, results, expected = eval(out.decode())  # noqa: S307: our own job's output
        check(f"{name}: as before", same, differ)
        check(f"{name}: same results", results == expected, (results, expected))
    except SyntaxError:
        check(f"{name}: a result", False, (out, err))
    check(f"{name}: status and stderr", job.returncode == 0 and not err, (job.returncode, err))
    check(f"{name}: run folder is empty", not os.listdir(p.run), os.listdir(p.run))


def preloaded(p, name, text):
    """Compiles this C text to a library for LD_PRELOAD; None without a compiler."""
    source, library = p.name(name) + ".c", p.name(name) + ".so"
    with open(source, "w", encoding="utf-8") as f:
        f.write(text)
    try:
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return library

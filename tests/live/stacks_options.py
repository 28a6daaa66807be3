#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof stacks` with --gil, --subprocesses and --locals, and in order of time for speedscope.
stacks_options.py TFPROF   With each CPython of 3.8 to 3.14 that stacks.py finds."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

from checks import check, ended, is_asleep, until
from stacks import pythons

# The main thread holds the lock, except during a C call that releases it; in that time another thread
# computes.
GIL = """
import hashlib, threading, time
def outside():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 200000)
def inside():
    n = 0
    while True:
        for i in range(10000):
            n += i
def waits():
    threading.Event().wait()
for f in (outside, waits):
    threading.Thread(target=f, daemon=True).start()
print("ready", flush=True)
inside()
"""

FAMILY = """
import os, subprocess, sys, time
def child():
    while True:
        time.sleep(0.001)
        sum(range(20000))
def parent():
    while True:
        sum(range(20000))
if len(sys.argv) > 1:
    print("ready", flush=True)
    child()
pid = os.fork()
if not pid:
    child()
shell = subprocess.Popen(["sh", "-c", f"'{sys.executable}' '{__file__}' again; true"], stdout=subprocess.PIPE)
shell.stdout.readline()
print("ready", pid, flush=True)
parent()
"""

LOCALS = """
import time
class Model:
    pass
def variables(name, count, rate=0.5, *rest, flag=True, **more):
    nothing, below, zero, wide, big = None, -7, 0, 2 ** 40, 1 << 100
    items, pair, many = [1, 2.5, "a", None, [1, 2]], (1,), list(range(100))
    text, letters, mapping, raw = "h\\u00f6rt\\u4e2d", "x" * 500, {1: 2, 3: 4}, b"abc"
    model, kind, unset = Model(), Model, 1
    del unset
    def inner():
        return zero + below
    time.sleep(600)
print("ready", flush=True)
variables("a", 12, 0.25, "r", k=1)
"""
EXPECTED = {"name": "'a'", "count": "12", "rate": "0.25", "rest": "('r',)", "flag": "True", "more": "<dict of 1>", "nothing": "None", "below": "-7",
            "zero": "0", "wide": "1099511627776", "big": "<int of about 120 bits>", "items": "[1, 2.5, 'a', None, <list of 2>]", "pair": "(1,)",
            "many": "[0, 1, 2, 3, 4, 5, 6, 7, \u2026 92 more]", "text": "'h\u00f6rt\u4e2d'", "letters": "'" + "x" * 80 + "\u2026'",
            "mapping": "<dict of 2>", "raw": "<bytes>", "model": "<Model>", "kind": "<type>", "inner": "<function>"}

# One code object after another at the same address, with different names.
MAKER = """
print("ready", flush=True)
n = 0
while True:
    n = (n + 1) % 40
    space = {}
    exec(f"def f{n}():\\n    s = 0\\n    for i in range(3000): s += i\\n", space)
    space[f"f{n}"]()
    del space
"""


class Job:
    def __init__(self, python, folder, text, *words):
        self.script = os.path.join(folder, f"job {os.getpid()}.py")
        with open(self.script, "w", encoding="utf-8") as f:
            f.write(text)
        self.process = subprocess.Popen([python, self.script, *words], stdout=subprocess.PIPE, start_new_session=True)
        self.line = self.process.stdout.readline().split()
        self.pid = str(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            pass
        self.process.communicate()


def stacks(program, *words, status=0):
    done = subprocess.run([program, "stacks", *words], capture_output=True, timeout=120, check=False)
    check(f"stacks {words}", done.returncode == status, done)
    return done.stdout.decode(), done.stderr.decode()


def folded(program, *words):
    out, err = stacks(program, *words, "-format", "folded")
    return [(line.rsplit(" ", 1)[0].split(";"), int(line.rsplit(" ", 1)[1])) for line in out.splitlines()], err


def gil(program, python, folder, name):
    with Job(python, folder, GIL) as job:
        lines, err = folded(program, job.pid, "--gil", "--seconds", "1", "--rate", "200")
        whole = sum(n for _, n in lines)
        inside = sum(n for frames, n in lines if frames[-1].endswith(":inside"))
        check(f"{name}: --gil", whole > 20 and inside > 0.7 * whole, (lines, err))
        check(f"{name}: --gil says how often", "lock (GIL) in " in err and " looks" in err, err)
        lines, _ = folded(program, job.pid, "--seconds", "1", "--rate", "200")
        check(f"{name}: without it", any(frames[-1].endswith(":outside") for frames, _ in lines), lines)
        once, _ = stacks(program, job.pid, "--once", "--gil", "-format", "csv")
        check(f"{name}: --once --gil", {r["tid"] for r in csv.DictReader(io.StringIO(once))} <= {job.pid}, once)


def family(program, python, folder, name):
    with Job(python, folder, FAMILY) as job:
        child = job.line[1].decode()
        lines, err = folded(program, job.pid, "--subprocesses", "--seconds", "1.5", "--idle")
        by = {}
        for frames, n in lines:
            by.setdefault(frames[0].split("/")[0], set()).add(frames[-1].rsplit(":", 1)[-1])
        check(f"{name}: --subprocesses", "parent" in by.get(job.pid, ()) and by.get(child) == {"child"} and len(by) == 3, (by, err))
        check(f"{name}: of a shell, too", by and all("child" in v for pid, v in by.items() if pid != job.pid), by)
        once, _ = stacks(program, job.pid, "--once", "--subprocesses", "-format", "csv")
        threads = {r["thread"].split("/")[0] for r in csv.DictReader(io.StringIO(once))}
        check(f"{name}: --once --subprocesses", threads == set(by), (threads, by))
        alone, _ = folded(program, job.pid, "--seconds", "0.3")
        check(f"{name}: without it", all("/" not in frames[0] for frames, _ in alone), alone)


def variables(program, python, folder, name):
    with Job(python, folder, LOCALS) as job:
        until(lambda: is_asleep(job.pid))
        out, err = stacks(program, job.pid, "--once", "--locals", "-format", "csv")
        rows = list(csv.DictReader(io.StringIO(out)))
        text = next((r["locals"] for r in rows if r["name"].endswith(":variables")), "")
        got = dict(part.split("=", 1) for part in split(text))
        check(f"{name}: --locals", got == EXPECTED, (sorted(set(got.items()) ^ set(EXPECTED.items())), err))
        check(f"{name}: a module has none", rows and rows[-1]["name"].endswith("<module>") and rows[-1]["locals"] == "", rows)
        plain, _ = stacks(program, job.pid, "--once", "-format", "csv")
        check(f"{name}: without it", plain.splitlines()[0].split(",")[-1] == "kind", plain)


def split(text):
    """Splits "a=1, b=[2, 3]" into a=1 and b=[2, 3]."""
    depth, quoted, part = 0, False, ""
    for c in text:
        quoted ^= c == "'"
        depth += 0 if quoted else (c in "([<") - (c in ")]>")
        if c == "," and not depth and not quoted:
            yield part.strip()
            part = ""
        else:
            part += c
    if part:
        yield part.strip()


def made_again(program, python, folder, name):
    """The name of a function comes from the code object that is at its address now."""
    with Job(python, folder, MAKER) as job:
        lines, _ = folded(program, job.pid, "--seconds", "1", "--rate", "1000")
        names = {frames[-1].rsplit(":", 1)[-1] for frames, _ in lines}
        check(f"{name}: functions that are made again", len([n for n in names if n[0] == "f" and n[1:].isdigit()]) > 20, names)


def over_time(program, folder):
    """The thread sleeps between two functions: a flame chart in order of time has gaps."""
    text = "import time\ndef first():\n    end = time.monotonic() + 0.2\n    while time.monotonic() < end: pass\n" \
           "def second():\n    end = time.monotonic() + 0.2\n    while time.monotonic() < end: pass\n" \
           "print('ready', flush=True)\nwhile True:\n    first()\n    second()\n    time.sleep(0.2)\n"
    with Job(sys.executable, folder, text) as job:
        path = os.path.join(folder, "out.speedscope.json")
        stacks(program, job.pid, "--seconds", "3", "-output", f"speedscope:outfile={path}")
        with open(path, encoding="utf-8") as f:
            file = json.load(f)
        out, _ = stacks(program, job.pid, "--seconds", "0.3", "-format", "speedscope")
        check("-format speedscope", json.loads(out)["profiles"][0]["type"] == "sampled", out)
    frames, profile = file["shared"]["frames"], file["profiles"][0]
    check("speedscope", len(file["profiles"]) == 1 and profile["type"] == "sampled" and profile["unit"] == "nanoseconds" and
          len(profile["samples"]) == len(profile["weights"]) and sum(profile["weights"]) == profile["endValue"], profile)
    check("frames", {"name": "first", "file": job.script, "line": 2} in frames, frames)
    order = []
    for sample, weight in zip(profile["samples"], profile["weights"]):
        here = frames[sample[-1]]["name"] if sample else "asleep"
        check("a weight", weight > 0, profile)
        if here != "<module>" and order[-1:] != [here]:
            order.append(here)
    follows = {"first": "second", "second": "asleep", "asleep": "first"}
    steps = list(zip(order, order[1:]))
    check("in order of time", len(order) >= 5 and sum(follows[a] == b for a, b in steps) >= 0.6 * len(steps), order)
    check("outer frames first", all(frames[s[0]]["name"] == "<module>" for s in profile["samples"] if s), profile["samples"][:5])


def refused(program, folder):
    with Job(sys.executable, folder, LOCALS) as job:
        for words, told in ((("--locals",), "--once"), (("--native", "--gil"), "--gil"), (("--native", "--subprocesses"), "--subprocesses")):
            out, err = stacks(program, job.pid, *words, status=2)
            check(f"refused {words}", not out and err.count("\n") == 1 and told in err, err)
        stacks(program, job.pid, "--once", "-format", "speedscope", status=2)


def main():
    program = os.path.abspath(sys.argv[1])
    if os.uname().machine != "x86_64":
        print("left out: stacks are read on x86-64 only")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for name, python in sorted(pythons().items()):
            for part in (gil, family, variables, made_again):
                part(program, python, folder, name)
        if 8 <= sys.version_info[1] <= 14:
            over_time(program, folder)
            refused(program, folder)
    return ended()


if __name__ == "__main__":
    sys.exit(main())

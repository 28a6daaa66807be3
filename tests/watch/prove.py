#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what docs/performance.md says of `tfprof watch` and `tfprof hang`: prove.py TFPROF PYTHON WHAT [COUNT] [RANKS]

PYTHON has torch. WHAT: hangs (verdicts over COUNT faults), drags (COUNT late ranks that watch must find), killed (COUNT times kill -9), blocks
(COUNT blocks of 8 s with and without watch, ABBA), long (COUNT seconds of a healthy job: memory, own CPU, bytes a rank and step).
Prints a line for each try and the sums at the end. Not a test of `make test`: it takes minutes and wants a machine for itself."""
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TFPROF, PYTHON, WHAT = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
DICE = random.Random(int(os.environ.get("SEED", "1")))
SOURCE = open(os.path.join(HERE, "faulty.py")).read().split("\n")


def run(*words, timeout=60):
    return subprocess.run([TFPROF, *map(str, words)], capture_output=True, text=True, timeout=timeout)


def rows_of(store, table):
    return json.loads(run("watch", "--show", store, "--table", table, "-format", "json").stdout)["rows"]


def names_line(text, kind):
    """Whether a text names a line that is marked with this kind."""
    return any("faulty.py:%d:" % i in (text or "") for i, line in enumerate(SOURCE, 1) if line.endswith("# @" + kind))


def until(what, seconds):
    end = time.time() + seconds
    while time.time() < end:
        if what():
            return True
        time.sleep(0.05)
    return False


class Job:
    def __init__(self, ranks):
        self.ranks, self.number = ranks, 0
        self.folder = tempfile.mkdtemp(prefix="tfprof_prove_")
        self.process = subprocess.Popen([PYTHON, os.path.join(HERE, "faulty.py"), self.folder, str(ranks)], start_new_session=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not until(lambda: all(self.steps(r) > 15 for r in range(ranks)), 180):
            self.end()
            raise SystemExit("prove: the job did not start")
        with open(os.path.join(self.folder, "pids")) as file:
            self.pids = [int(line) for line in file]

    def times(self, rank=0):
        try:
            with open(os.path.join(self.folder, "steps.%d" % rank)) as file:
                return [tuple(map(float, line.split())) for line in file if line.endswith("\n")]
        except OSError:
            return []

    def steps(self, rank=0):
        return len(self.times(rank))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path + ".new", "w") as file:
            file.write(text)
        os.rename(path + ".new", path)

    def fault(self, kind, who, ms=0):
        self.number += 1
        self.write("order", json.dumps({"number": self.number, "kind": kind, "who": who, "ms": ms}))
        if not until(lambda: os.path.exists(os.path.join(self.folder, "began.%d" % self.number)), 30):
            raise SystemExit("prove: the fault did not begin")

    def heal(self, kind, who):
        self.write("heal", str(self.number))
        if kind == "stopped":
            os.kill(self.pids[who], signal.SIGCONT)
        before = [self.steps(r) for r in range(self.ranks)]
        if not until(lambda: all(self.steps(r) > before[r] + 3 for r in range(self.ranks)), 60):
            raise SystemExit("prove: the job did not go on")

    def outside(self):
        return [(len(os.listdir("/proc/%d/task" % p)), len(os.listdir("/proc/%d/fd" % p))) for p in self.pids]

    def end(self):
        os.killpg(self.process.pid, signal.SIGCONT)
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def hangs(count, ranks):
    job, right, named, seconds = Job(ranks), 0, 0, []
    for i in range(count):
        kind, who = DICE.choice(["missing", "endless", "locked", "stopped"]), DICE.randrange(ranks)
        job.fault(kind, who)
        time.sleep(2)
        begin = time.time()
        verdict = json.loads(run("hang", *(job.pids if i % 2 else [job.process.pid]), "-format", "json").stdout)["summary"]["verdict"]
        seconds.append(time.time() - begin)
        job.heal(kind, who)
        culprit = re.match(r"rank ([0-9|]+)\b", verdict)
        fine = bool(culprit) and culprit[1] == str(who) and names_line(verdict.split(", and ")[0], kind)
        right += fine
        healthy = json.loads(run("hang", *job.pids, "-format", "json").stdout)["summary"]["verdict"]
        named += healthy.startswith("rank")
        print("%s %d ranks, rank %d %s: %s%s" % ("right" if fine else "WRONG", ranks, who, kind, verdict[:200], "" if healthy.startswith("nothing") else "; healthy: " + healthy[:200]), flush=True)
    job.end()
    print("hangs of %d ranks: %d of %d right; %d verdicts name a rank of the healthy job; median %.1f s, longest %.1f s" % (ranks, right, count, named, statistics.median(seconds), max(seconds)))


def drags(count, ranks):
    job, right, took = Job(ranks), 0, []
    for i in range(count):
        kind, who, ms = DICE.choice(["input", "compute"]), DICE.randrange(ranks), DICE.choice([10, 15, 25, 40])
        store = os.path.join(job.folder, "watched%d" % i)
        watch = subprocess.Popen([TFPROF, "watch", str(job.process.pid), "-o", store, "--for", "90s"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(22)
        job.fault(kind, who, ms)
        began = time.time()
        alarms = lambda: [f for f in rows_of(store, "watch_findings") if f["kind"] in ("late", "slow", "hang")]  # noqa: E731
        until(alarms, 30)
        seconds, found = time.time() - began, alarms()
        first = found[0] if found else {}
        fine = first.get("kind") == "late" and first["rank"] == who and first["cause"] == kind and names_line(first["line"], kind) and seconds <= 22
        right += fine
        took.append(seconds)
        print("%s %d ranks, rank %d +%d ms %s: %s after %.1f s" % ("right" if fine else "WRONG", ranks, who, ms, kind, {k: first.get(k) for k in ("kind", "rank", "cause", "line", "evidence")}, seconds), flush=True)
        watch.send_signal(signal.SIGINT)
        watch.wait(30)
        job.heal(kind, who)
        shutil.rmtree(store, ignore_errors=True)
    job.end()
    print("drags of %d ranks: %d of %d right (kind, rank, cause, line, time); median %.1f s" % (ranks, right, count, statistics.median(took)))


def killed(count, ranks):
    job, read, unharmed, rows, lost = Job(ranks), 0, 0, 0, []
    store = os.path.join(job.folder, "watched")
    for _ in range(count):
        before = job.outside()
        watch = subprocess.Popen([TFPROF, "watch", str(job.process.pid), "-o", store], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(DICE.uniform(0.2, 14))
        watch.kill()
        watch.wait()
        at, steps = time.time(), job.steps()
        shown = run("watch", "--show", store, "--table", "watch_steps", "-format", "json")
        read += shown.returncode == 0 or not os.path.exists(os.path.join(store, "_tfprof.json"))
        now = len(json.loads(shown.stdout)["rows"]) if shown.returncode == 0 else 0
        lost.append(now < rows)
        rows = now
        unharmed += until(lambda: job.steps() > steps + 10, 20) and job.outside() == before
        assert time.time() > at
    job.end()
    print("killed: %d of %d stores read, %d of %d jobs unharmed, %d times rows of an earlier watch were missing; %d rows at the end" % (read, count, unharmed, count, sum(lost), rows))


def blocks(count, ranks):
    job, medians = Job(ranks), {True: [], False: []}
    for on in ([False, True, True, False] * count)[:count]:
        store = os.path.join(job.folder, "watched")
        watch = subprocess.Popen([TFPROF, "watch", str(job.process.pid), "-o", store], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) if on else None
        time.sleep(2)
        begin = time.time()
        time.sleep(6)
        end = time.time()
        medians[on].append(statistics.median(d for _, t, d in job.times() if begin < t < end))
        if watch:
            watch.send_signal(signal.SIGINT)
            watch.wait(20)
    job.end()
    ratios = sorted(statistics.mean(DICE.choices(medians[True], k=len(medians[True]))) / statistics.mean(DICE.choices(medians[False], k=len(medians[False]))) - 1 for _ in range(4000))
    print("blocks: %d ranks, %d blocks; step %.2f ms without, %.2f ms with; change %+.2f %% (95 %%: %+.2f to %+.2f %%)" % (
        ranks, count, 1e3 * statistics.mean(medians[False]), 1e3 * statistics.mean(medians[True]), 100 * statistics.median(ratios), 100 * ratios[100], 100 * ratios[3899]))


def figures(pid):
    with open("/proc/%d/stat" % pid) as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def long(seconds, ranks):
    job = Job(ranks)
    store = os.path.join(job.folder, "watched")
    watch = subprocess.Popen([TFPROF, "watch", str(job.process.pid), "-o", store, "--for", "%ds" % seconds], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    begin, marks = time.time(), []
    while watch.poll() is None:
        if not marks or time.time() - begin >= 60 * len(marks):
            marks.append(figures(watch.pid))
            print("minute %d: %.1f s of CPU, %.1f MB" % (len(marks) - 1, *marks[-1]), flush=True)
        time.sleep(1)
    steps, findings = rows_of(store, "watch_steps"), rows_of(store, "watch_findings")
    size = sum(os.path.getsize(os.path.join(store, "watch_steps", name)) for name in os.listdir(os.path.join(store, "watch_steps")))
    job.end()
    first = marks[1] if len(marks) > 1 else marks[0]
    print("long: %d s, %d ranks, %d rows of steps, %.0f bytes a rank and step; own CPU %.2f %% of a core; memory %.1f MB after a minute, %.1f MB at the end; findings %s" % (
        seconds, ranks, len(steps), size / max(1, len(steps)), 100 * (marks[-1][0] - marks[0][0]) / max(1, 60 * (len(marks) - 1)), first[1], marks[-1][1],
        [(f["kind"], f["rank"], f["cause"]) for f in findings]))


if __name__ == "__main__":
    defaults = {"hangs": 25, "drags": 10, "killed": 50, "blocks": 24, "long": 600}
    globals()[WHAT](int(sys.argv[4]) if len(sys.argv) > 4 else defaults[WHAT], int(sys.argv[5]) if len(sys.argv) > 5 else 4)

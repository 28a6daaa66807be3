#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof hang` of running jobs, by their processes and through an agent.
hang.py TFPROF   Collectives are functions of a pretended torch.distributed that wait; with TFPROF_TORCH_PYTHON set, two ranks of gloo too."""
import contextlib
import csv
import io
import os
import signal
import socket
import subprocess
import sys
import tempfile

from checks import check, ended, is_asleep, until
from remote import TOKEN, agent, answered

C10D = """
import sys
def all_reduce(x):
    _wait()
def barrier():
    _wait()
def _wait():
    sys.stdin.readline()
"""
JOB = """
import sys, time
from torch.distributed.distributed_c10d import all_reduce, barrier
def train(what):
    if what == "all_reduce":
        all_reduce(1)
    elif what == "barrier":
        barrier()
    elif what == "elsewhere":
        all_reduce(2)
    elif what in ("loop", "calls"):
        loop() if what == "loop" else calls()
    elif what == "goes":
        go()
    elif what == "data":
        load()
    sys.stdin.readline()
def load():
    sys.stdin.readline()
def loop():
    while True:
        pass
def go():
    while True:
        a()
        b()
def a():
    time.sleep(0.05)
def b():
    time.sleep(0.05)
def calls():
    while True:
        for i in range(3000000):
            pass
        helper()
def helper():
    end = time.perf_counter() + 0.002
    while time.perf_counter() < end:
        pass
train(sys.argv[1])
"""
LAUNCHER = """
import os, subprocess, sys
whats = sys.argv[2:]
started = [subprocess.Popen([sys.executable, sys.argv[1], what], stdin=subprocess.PIPE,
                            env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(len(whats)), "MASTER_ADDR": os.environ["MEETS"]}) for rank, what in enumerate(whats)]
print(*(p.pid for p in started), flush=True)
sys.stdin.readline()
for p in started:
    p.kill()
    p.wait()
"""
GLOO = """
import os, sys, time
import torch, torch.distributed as dist
dist.init_process_group("gloo", init_method="file://" + sys.argv[1], rank=int(os.environ["RANK"]), world_size=2)
x = torch.ones(4)
dist.all_reduce(x)
print("ready", flush=True)
if dist.get_rank() == 1:
    time.sleep(600)
dist.all_reduce(x)
"""


WAITS = ("waits", "all_reduce", "job.py:6:train")


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


@contextlib.contextmanager
def ranks(folder, whats, world=None, python=sys.executable):
    """Processes, each of which waits in the place that its word names."""
    started = []
    job = os.path.join(folder, "job.py")
    try:
        for rank, what in enumerate(whats):
            environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(world or len(whats)), "PYTHONPATH": os.path.join(folder, "site-packages"),
                           "TORCH_FR_DUMP_TEMP_FILE": os.path.join(folder, "dump_")}
            started.append(subprocess.Popen([python, job, what], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment))
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait(20)
            process.stdin.close()
            process.stdout.close()


def ask(program, *words, status=0):
    done = subprocess.run([program, "hang", *words, "-format", "csv"], capture_output=True, timeout=120, check=False, text=True,
                          env={**os.environ, "TFPROF_TOKEN": TOKEN})
    if done.returncode != status:
        check(f"hang {words}: status", False, (done.returncode, done.stdout, done.stderr))
    return list(csv.DictReader(io.StringIO(done.stdout))), done.stderr


def pids(started):
    return [str(process.pid) for process in started]


def told(rows):
    return {row["rank"]: (row["finding"], row["collective"], os.path.basename(row["line"])) for row in rows}


def settled(program, started, want, *words):
    """The rows, once all processes have reached their places."""
    seen = []
    def there():
        rows, _ = ask(program, *(words or pids(started)))
        seen[:] = rows
        return all(is_asleep(process.pid) for process in started) and told(rows) == want
    check(f"{want}", until(there), [told(seen), seen])
    return seen


def verdict(program, started):
    done = subprocess.run([program, "hang", *pids(started)], capture_output=True, timeout=120, check=False, text=True)
    return done.stdout.split("\n")[0].split("  ", 1)[-1]


def places(program, folder):
    waits = WAITS
    with ranks(folder, ["all_reduce", "data", "all_reduce"]) as started:
        write(folder, "dump_0", "x")
        rows = settled(program, started, {"0": waits, "1": ("missing", "", "job.py:19:load"), "2": waits})
        check("whole stacks", rows[1]["stack"].count(";") == 2 and rows[1]["stack"].endswith("job.py:19:load"), rows)
        check("a dump since it began", [row["dump"] for row in rows] == [os.path.join(folder, "dump_0"), "", ""], rows)
        said = verdict(program, started)
        check("the verdict", said.startswith("rank 1 is at ") and said.endswith("job.py:19:load, and rank 0|2 waits in all_reduce"), said)
        agents(program, started, {"0": waits, "1": ("missing", "", "job.py:19:load"), "2": waits})
    os.utime(os.path.join(folder, "dump_0"), (0, 0))
    with ranks(folder, ["all_reduce", "barrier", "all_reduce"]) as started:
        rows = settled(program, started, {"0": waits, "1": ("order", "barrier", "job.py:8:train"), "2": waits})
        check("an old dump", not rows[0]["dump"], rows)
    with ranks(folder, ["none", "none", "data"]) as started:
        there = ("", "", "job.py:17:train")
        settled(program, started, {"0": there, "1": there, "2": ("elsewhere", "", "job.py:19:load")})
    with ranks(folder, ["all_reduce"], world=4) as started:
        settled(program, started, {"0": waits})
        said = verdict(program, started)
        check("absent ranks", said.startswith("unknown: 3 of 4 ranks are not among these processes, and rank 0 waits in all_reduce"), said)


def looks(program, folder):
    """Two looks: a job that goes on hangs nowhere; a rank in a loop keeps the others waiting; the line of a collective counts."""
    with ranks(folder, ["goes", "goes", "all_reduce"]) as started:
        until(lambda: verdict(program, started).startswith("nothing hangs: 2 of 3 ranks moved, and rank 2 waits in all_reduce"))
        said = verdict(program, started)
        check("a job that goes on", said.startswith("nothing hangs: 2 of 3 ranks moved"), said)
    with ranks(folder, ["all_reduce", "loop", "all_reduce"]) as started:
        until(lambda: "loop, where it runs" in verdict(program, started))
        said = verdict(program, started)
        check("an endless loop", said.startswith("rank 1 is at ") and "job.py:" in said and "loop, where it runs, and rank 0|2 waits in all_reduce" in said, said)
    with ranks(folder, ["all_reduce", "calls", "all_reduce"]) as started:
        until(lambda: "calls, where it runs" in verdict(program, started))
        said = [verdict(program, started) for _ in range(5)]
        check("an endless loop that calls a function", sum("calls, where it runs, and rank 0|2 waits in all_reduce" in x for x in said) >= 4, said)
    with ranks(folder, ["all_reduce", "elsewhere", "all_reduce"]) as started:
        settled(program, started, {"0": WAITS, "1": ("order", "all_reduce", "job.py:10:train"), "2": WAITS})
    with ranks(folder, ["all_reduce", "elsewhere"]) as started:
        until(lambda: verdict(program, started).startswith("no rank alone: rank 0 is at "))
        said = verdict(program, started)
        check("a tie", said.startswith("no rank alone: rank 0 is at ") and said.endswith("job.py:10:train in all_reduce"), said)
    with ranks(folder, ["all_reduce", "all_reduce"]) as started:
        settled(program, started, {"0": WAITS, "1": WAITS})
        said = verdict(program, started)
        check("all", said.startswith("all 2 ranks wait in all_reduce, at ") and said.endswith("job.py:6:train"), said)
        os.kill(started[1].pid, signal.SIGSTOP)
        said = verdict(program, started)
        check("a stopped rank", said.startswith("rank 1 is stopped at ") and said.endswith("job.py:6:train, in all_reduce, and rank 0 waits in all_reduce"), said)


def launched(program, folder):
    """A launcher and the name of a script mean the ranks; one that ended has a row, also when the ranks meet at the machine's own name."""
    launcher = write(folder, "launch.py", LAUNCHER)
    name = write(folder, "train_by_name.py", JOB)
    for meets in ("127.0.0.1", socket.gethostname()):
        environment = {**os.environ, "PYTHONPATH": os.path.join(folder, "site-packages"), "MEETS": meets}
        with subprocess.Popen([sys.executable, launcher, name, "all_reduce", "data", "all_reduce"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env=environment) as top:
            started = [int(word) for word in top.stdout.readline().split()]
            for words in ([str(top.pid)], ["train_by_name.py"], ["launch.py"]):
                rows = []
                def there(words=words, rows=rows):
                    rows[:] = ask(program, *words)[0]
                    waits = ("waits", "all_reduce", "train_by_name.py:6:train")
                    return told(rows) == {"0": waits, "1": ("missing", "", "train_by_name.py:19:load"), "2": waits}
                check(f"the ranks of {words[0]}", until(there), told(rows))
            os.kill(started[1], signal.SIGKILL)
            rows = []
            def gone(rows=rows, top=top):
                rows[:] = ask(program, str(top.pid))[0]
                return {row["rank"]: row["finding"] for row in rows} == {"0": "waits", "1": "ended", "2": "waits"}
            check(f"a rank that has ended, of {meets}", until(gone, 20) and [row["pid"] for row in rows if row["rank"] == "1"] == [""], rows)
            top.stdin.write(b"\n")
            top.stdin.flush()


def agents(program, started, want):
    with agent(program, "--commands") as (address, _):
        rows = settled(program, started, want, "--agent", address)
        check("the machine is told", all(row["host"] == address for row in rows), rows)
        check("nothing beside", "takes no files" in ask(program, "1", "--agent", address, status=2)[1])
    with agent(program) as (address, _):
        _, words = ask(program, "--agent", address, status=1)
        check("stacks name files", "--commands only" in words, words)


def unread(program, folder):
    """A rank that does not run Python has a row, both on this machine and from an agent; the row does not
    affect the others."""
    environment = {**os.environ, "RANK": "1", "WORLD_SIZE": "2"}
    with ranks(folder, ["all_reduce"], world=2) as started, subprocess.Popen(["sleep", "100"], env=environment) as other:
        want = {"0": ("waits", "all_reduce", "job.py:6:train"), "1": ("unread", "", "")}
        rows = settled(program, started, want, *pids(started), str(other.pid))
        check("why", "not-python" in rows[1]["why"], rows)
        done = subprocess.run([program, "hang", *pids(started), str(other.pid)], capture_output=True, timeout=120, check=False, text=True)
        check("the verdict of those that were read", "unknown: 1 of 2 ranks were not read, and rank 0 waits in all_reduce" in done.stdout, done.stdout)
        check("a note", "processes that were not read: 1; " in done.stdout and "not-python" in done.stdout, done)
        other.kill()


def joined(program):
    """An agent's table of ranks, one of which could not be read; its text may be hostile."""
    table = (b"rank,world,pid,finding,collective,line,state,dump,why,stack\r\n0,2,7,waits,all_reduce,/job.py:6:train,sleeping,,,\r\n"
             b"1,2,8,,,,,,process 8: no-permission \x1b[2J,\r\n")
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(table)
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = answered(program, server, head + table, "hang", "-format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        check("rows of an agent", told(rows) == {"0": ("waits", "all_reduce", "job.py:6:train"), "1": ("unread", "", "")}, done)
        done = answered(program, server, head + table, "hang")
        check("a note of an agent's ranks", b"processes that were not read: 1; process 8: no-permission" in done.stdout and b"\x1b" not in done.stdout, done)


def refused(program):
    with subprocess.Popen(["sleep", "100"]) as other:
        _, words = ask(program, str(other.pid), status=1)
        check("no Python", "not-python" in words, words)
        other.kill()
    _, words = ask(program, str(other.pid), status=1)
    check("it has ended", "no such process" in words, words)


def gloo(program, folder, python):
    write(folder, "job.py", GLOO)
    with ranks(folder, [os.path.join(folder, "meeting")] * 2, python=python) as started:
        check("both are there", all(process.stdout.readline() == b"ready\n" for process in started))
        settled(program, started, {"0": ("waits", "all_reduce", "job.py:10:<module>"), "1": ("missing", "", "job.py:9:<module>")})


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "site-packages/torch/__init__.py", "")
        write(folder, "site-packages/torch/distributed/__init__.py", "")
        write(folder, "site-packages/torch/distributed/distributed_c10d.py", C10D)
        write(folder, "job.py", JOB)
        places(program, folder)
        looks(program, folder)
        launched(program, folder)
        unread(program, folder)
        refused(program)
        joined(program)
    torch = os.environ.get("TFPROF_TORCH_PYTHON")
    if torch:
        with tempfile.TemporaryDirectory() as folder:
            gloo(program, folder, torch)
    return ended()


if __name__ == "__main__":
    sys.exit(main())

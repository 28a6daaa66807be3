#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof hang` of running jobs, by their processes and through an agent.
hang.py TFPROF   Collectives are functions of a pretended torch.distributed that wait; with TFPROF_TORCH_PYTHON set, two ranks of gloo too."""
import contextlib
import csv
import io
import os
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
import sys
from torch.distributed.distributed_c10d import all_reduce, barrier
def train(what):
    if what == "all_reduce":
        all_reduce(1)
    elif what == "barrier":
        barrier()
    elif what == "data":
        load()
    sys.stdin.readline()
def load():
    sys.stdin.readline()
train(sys.argv[1])
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
    waits = ("waits", "all_reduce", "job.py:6:train")
    with ranks(folder, ["all_reduce", "data", "all_reduce"]) as started:
        write(folder, "dump_0", "x")
        rows = settled(program, started, {"0": waits, "1": ("missing", "", "job.py:13:load"), "2": waits})
        check("whole stacks", rows[1]["stack"].count(";") == 2 and rows[1]["stack"].endswith("job.py:13:load"), rows)
        check("a dump since it began", [row["dump"] for row in rows] == [os.path.join(folder, "dump_0"), "", ""], rows)
        said = verdict(program, started)
        check("the verdict", said.startswith("rank 1 is at ") and said.endswith("job.py:13:load, and rank 0|2 waits in all_reduce"), said)
        agents(program, started, {"0": waits, "1": ("missing", "", "job.py:13:load"), "2": waits})
    os.utime(os.path.join(folder, "dump_0"), (0, 0))
    with ranks(folder, ["all_reduce", "barrier", "all_reduce"]) as started:
        rows = settled(program, started, {"0": waits, "1": ("order", "barrier", "job.py:8:train"), "2": waits})
        check("an old dump", not rows[0]["dump"], rows)
    with ranks(folder, ["none", "none", "data"]) as started:
        there = ("", "", "job.py:11:train")
        settled(program, started, {"0": there, "1": there, "2": ("elsewhere", "", "job.py:13:load")})
    with ranks(folder, ["all_reduce"], world=4) as started:
        settled(program, started, {"0": waits})
        said = verdict(program, started)
        check("absent ranks", said == "all wait in all_reduce; 3 of 4 ranks are not among these processes", said)


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
        check("the verdict of those that were read", "all that were read wait in all_reduce" in done.stdout, done.stdout)
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

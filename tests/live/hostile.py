#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The live commands beside processes that lie: files of terabytes, pipes and devices in the place of libraries, an interpreter that is
invented, agents that flood or are silent. Every command ends in its time, with little memory, and says which limit it met.
hostile.py TFPROF   What needs root (mounts, probes) or a C compiler is left out without."""
import ctypes
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import hostile_peers  # noqa: E402

from checks import allowance, check, ended

MEMORY_MOST = 512 << 10  # KB, as reported by wait4

# Maps a page of each file below all libraries in memory, so that these are found first.
MAPS = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
libc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
at = 0x200000000
for name in sys.argv[1:]:
    fd = os.open(name, os.O_RDONLY)
    assert libc.mmap(at, 4096, 1, 0x100002, fd, 0) == at
    os.close(fd)
    at += 1 << 20
print("ready", flush=True)
sys.stdin.read()
"""


class Done:
    """A finished command: its output, its time and its memory."""

    def __init__(self, command, env=None, cwd=None, limit=60):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.monotonic()
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=cwd)
            timer = threading.Timer(limit, child.kill)
            timer.start()
            _, status, usage = os.wait4(child.pid, 0)
            timer.cancel()
            child.returncode = os.waitstatus_to_exitcode(status)
            self.seconds, self.kilobytes, self.status = time.monotonic() - start, usage.ru_maxrss, child.returncode
            for name, f in (("out", out), ("err", err)):
                f.seek(0)
                setattr(self, name, f.read(1 << 20).decode("utf-8", "replace"))

    def __str__(self):
        return f"status {self.status}, {self.seconds:.1f} s, {self.kilobytes >> 10} MB: {self.out[-600:]} {self.err[-600:]}"

    def is_within(self, seconds):
        return self.seconds < seconds + allowance() and self.kilobytes < MEMORY_MOST and self.status >= 0


class Place:
    def __init__(self, program, folder):
        self.program, self.folder, self.jobs, self.count = program, folder, [], 0
        self.env = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"))
        os.mkdir(self.env["TFPROF_RUN_DIR"], 0o700)

    def start(self, *command, before=()):
        job = subprocess.Popen([*before, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.env)
        self.jobs.append(job)
        check(f"the job is there: {command[-1]}", job.stdout.readline() == b"ready\n")
        return job

    def maps(self, *files, before=()):
        return self.start(sys.executable, "-c", MAPS, *files, before=before)

    def tfprof(self, *words, limit=60):
        return Done([self.program, *words], self.env, self.folder, limit)

    def capture(self, *words, limit=60):
        self.count += 1
        out = os.path.join(self.folder, f"capture{self.count}")
        done = self.tfprof("capture", "-o", out, "-format", "jsonl", *words, limit=limit)
        rows = [json.loads(line) for line in done.out.splitlines()[1:]]
        return done, rows, out

    def end(self, job=None):
        for j in [job] if job else self.jobs:
            j.kill()
            j.wait()


# ---- files ----

def evil_elf(path):
    """An ELF file whose symbol tables are holes of 8 TB, with names in a hole of 512 MB."""
    count, hole = 1000, 8 << 40
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 4096, 0, 64, 56, 0, 64, count, 0)
    def section(kind, size, entry):
        return struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, 1 << 20, size, 0, 0, 0, entry)
    with open(path, "wb") as f:
        f.write(head)
        f.seek(4096)
        f.write(section(3, 1 << 29, 0) + section(2, hole, 24) * (count - 1))
        f.truncate(hole + (2 << 20))


def files(p):
    python, torch = os.path.join(p.folder, "libpython3.12.so.1.0"), os.path.join(p.folder, "libtorch_cpu.so")
    evil_elf(python)
    evil_elf(torch)
    job = p.maps(python, torch)
    pid = str(job.pid)
    for words in (("--seconds", "1"), ("--once",), ("--native", "--seconds", "1")):
        done = p.tfprof("stacks", pid, *words)
        check(f"stacks of terabytes {words}", done.is_within(3) and done.status == 1 and "48 MB of symbols" in done.err, done)
    done = p.tfprof("top", "--once", "-format", "json", pid)
    check("top of terabytes", done.is_within(4) and done.status == 0 and pid in done.out, done)
    if os.geteuid() == 0 and os.path.exists("/sys/bus/event_source/devices/uprobe/type"):
        check("top says why", "400 MB of symbols" in done.out, done)
    done, rows, _ = p.capture("--attach", pid, "--timeout", "3")
    check("attach of terabytes", done.is_within(5) and rows[0]["code"] == "not-python" and "48 MB" in rows[0]["message"], (done, rows))
    p.end(job)


def places(p):
    """A pipe or a device is mounted over the mapped libraries. Neither is opened."""
    if os.geteuid() != 0 or not shutil.which("unshare") or subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        print("left out: mounts over libraries, which cannot be made here")
        return
    python, torch = (os.path.join(p.folder, "over", name) for name in ("libpython3.12.so.1.0", "libtorch_cpu.so"))
    os.mkdir(os.path.dirname(python))
    for path in (python, torch):
        with open(path, "wb") as f:
            f.write(bytes(4096))
    pipe = os.path.join(p.folder, "pipe")
    os.mkfifo(pipe)
    opened = []
    threading.Thread(target=lambda: opened.append(os.open(pipe, os.O_WRONLY)), daemon=True).start()
    for what in (pipe, "/dev/zero"):
        over = f"import os, subprocess, sys\n{MAPS}".replace('print("ready"', f"for name in sys.argv[1:]: subprocess.run(['mount', '--bind', {what!r}, name], check=True)\nprint(\"ready\"")
        job = p.start("unshare", "-m", sys.executable, "-c", over, python, torch)
        pid = str(job.pid)
        done = p.tfprof("stacks", pid, "--seconds", "1")
        check(f"stacks, {what}", done.is_within(3) and "no plain file" in done.err, done)
        done = p.tfprof("top", "--once", "-format", "json", pid)
        check(f"top, {what}", done.is_within(4) and done.status == 0, done)
        done, rows, _ = p.capture("--attach", pid, "--timeout", "3")
        check(f"attach, {what}", done.is_within(5) and rows[0]["code"] == "not-python", (done, rows))
        p.end(job)
    check("nobody opened the pipe", not opened)
    os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))


# ---- libraries that are cut ----

# Runs in a library, and truncates its file after the running code: first the symbol table is lost, then the end of
# the unwind tables.
CUTS = """
import ctypes, os, struct, sys, threading, time
library = ctypes.CDLL(sys.argv[1])
with open(sys.argv[1], "rb") as f:
    head = f.read(64)
    f.seek(struct.unpack_from("<Q", head, 40)[0])
    sections = [struct.unpack("<IIQQQQIIQQ", f.read(64)) for _ in range(struct.unpack_from("<H", head, 60)[0])]
at = next(s[4] for s in sections if s[1] == 2) + 100
def cut():
    sys.stdin.readline()
    os.truncate(sys.argv[1], at)
    print("cut", flush=True)
threading.Thread(target=cut, daemon=True).start()
print("ready", flush=True)
while True:
    library.spin(200000)
"""


def cut_files(p):
    """A library is truncated before and while its functions are sampled: no signal ends tfprof, and the job's Python functions are still
    reported."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    try:
        ctypes.CDLL("libdw.so.1")
    except OSError:
        return
    if not compiler:
        return
    source, library = (os.path.join(p.folder, name) for name in ("cut.c", "libcut.so"))
    with open(source, "w", encoding="utf-8") as f:
        f.writelines(f"int fill_{i}(int x) {{ return x + {i}; }}\n" for i in range(4000))
        f.write("unsigned long spin(unsigned long n) { volatile unsigned long x = 0; for (unsigned long i = 0; i < n; i++) x += i; return x; }\n")
    subprocess.run([compiler, "-shared", "-fPIC", source, "-o", library], check=True)
    job = p.start(sys.executable, "-c", CUTS, library)
    words = [p.program, "stacks", str(job.pid), "--native", "--seconds", "2"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=p.env, text=True) as child:
        time.sleep(1)  # during the sampling; a cut that comes earlier or later must do no harm either
        job.stdin.write(b"\n")
        job.stdin.flush()
        check("the file is cut", job.stdout.readline() == b"cut\n")
        out, err = child.communicate(timeout=60)
    if "perf_event" in err:
        return
    check("cut while it is sampled", child.returncode == 0 and "<module>" in out, (child.returncode, out[-800:], err))
    done = p.tfprof("stacks", str(job.pid), "--native", "--seconds", "1")
    check("cut before", done.is_within(4) and done.status == 0 and "<module>" in done.out, done)
    p.end(job)


# ---- an interpreter that is invented ----

def liars(p):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        return
    folder = os.path.join(p.folder, "liar")
    os.mkdir(folder)
    source, library = os.path.join(HERE, "liar.c"), os.path.join(folder, "libpython3.12.so.1.0")
    subprocess.run([compiler, "-shared", "-fPIC", "-DLIBRARY", source, "-o", library], check=True)
    subprocess.run([compiler, "-fPIC", source, library, f"-Wl,-rpath,{folder}", "-o", os.path.join(folder, "job")], check=True)
    cases = {  # threads, frames, characters of a name, a cycle, names that change
        "many threads": ((5000, 300, 20, 0, 0), "4096 of its Python threads"),
        "threads and frames": ((4096, 4096, 20, 0, 0), "looks were made"),
        "deep": ((1, 6000, 10, 0, 0), "more than 4096 frames"),
        "circles": ((1, 100, 10, 1, 0), "torn"),
        "long names": ((1, 4096, 100000, 0, 0), ""),
        "new names": ((1, 1000, 2000, 0, 1), "more than 48 MB"),
    }
    for name, (numbers, text) in cases.items():
        job = p.start(os.path.join(folder, "job"), *map(str, numbers))
        pid = str(job.pid)
        for words in (("--seconds", "1", "--idle"), ("--seconds", "1", "--idle", "-format", "folded"), ("--seconds", "1", "--idle", "-format", "speedscope"),
                      ("--once",), ("--once", "--locals")):
            done = p.tfprof("stacks", pid, *words)
            check(f"{name} {words}", done.is_within(5) and done.status == 0, done)
            if "-format" not in words and "--once" not in words:
                check(f"{name} tells of it", text in done.out, done)
        p.end(job)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="tfprof_hostile_") as folder:
        p = Place(program, folder)
        try:
            wanted = sys.argv[2:]
            for part in (files, places, cut_files, liars):
                if not wanted or part.__name__ in wanted:
                    part(p)
            for part in (hostile_peers.local_agents, hostile_peers.servers, hostile_peers.remote_agents, hostile_peers.listen):
                if not wanted or part.__name__ in wanted:
                    part(p, check)
        finally:
            p.end()
    return ended()


if __name__ == "__main__":
    sys.exit(main())

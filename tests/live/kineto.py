#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof capture --via kineto` against processes that speak as libkineto does: good, slow, hostile, silent. kineto.py TFPROF"""
import json
import os
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fake  # noqa: E402

from checks import check, ended

# A process that asks the daemon every 0.2 s, and treats the answers in the way that argv[1] names.
JOB = r'''
import json, os, socket, struct, sys, time
if sys.argv[1] != "nothing":
    import torch
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
home = os.environ.get("KINETO_IPC_SOCKET_DIR")
daemon = home + "/dynolog" if home else "\0dynolog\0"
s.bind(home + "/dynoconfigclient%d" % os.getpid() if home else "\0dynoconfigclient%d\0" % os.getpid())
s.settimeout(0.2)
print("ready", flush=True)
def poll(pid, kind=b"req", count=1):
    body = struct.pack("<iiqi", 3, count, 0, pid)
    return struct.pack("<Q32s", len(body), kind) + body
what, end = sys.argv[1], time.time() + 60
while time.time() < end:
    try:
        if what == "noise":
            for bad in (b"", b"x", poll(1, count=-1), poll(1, count=1 << 30), poll(1)[:50], poll(1, b"r" * 32), struct.pack("<Q32s", 1 << 63, b"req") + b"x" * 20,
                        struct.pack("<Q32s", 8000, b"req") + b"x" * 8000, struct.pack("<Q32siiq", 16, b"ctxt", 0, 1, 0)):
                s.sendto(bad, daemon)
        s.sendto(poll(int(sys.argv[2]) if what == "lies" else os.getpid()), daemon)
        data = s.recv(65536)
        while what == "noise" and data[8:12] != b"req\0":
            data = s.recv(65536)
    except (ConnectionRefusedError, FileNotFoundError, TimeoutError):
        time.sleep(0.2)  # it asks again and again, as PyTorch does
        continue
    time.sleep(0.2)
    text = data[40:40 + struct.unpack("<Q", data[:8])[0]].decode()
    if not text or what == "silent":
        continue
    asked = dict(line.split("=", 1) for line in text.strip().split("\n"))
    path = asked["ACTIVITIES_LOG_FILE"].replace(".json", "_%d.json" % os.getpid())
    out = json.dumps({"schemaVersion": 1, "asked": asked, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a \\ } \" ]", "pid": 1, "tid": 1, "ts": 1.0, "dur": 2.0}]})
    if what == "link":
        os.symlink("/etc/hostname", path)
    elif what == "cut":
        open(path, "w").write(out[:-1])
    elif what == "ends":
        sys.exit(0)
    elif what == "huge":
        with open(path, "w") as f:
            for i in range(200):
                f.write((out[:-2] + ", " if not i else "") + json.dumps({"ph": "M", "name": "x" * 1000000}) + (", " if i < 199 else "]}"))
    elif what == "big":
        open(path, "w").write(out + " " * 100000)
    else:
        with open(path, "w") as f:
            for i in range(0, len(out), 100 if what == "slow" else len(out)):
                f.write(out[i:i + 100] if what == "slow" else out)
                f.flush()
                time.sleep(0.35 if what == "slow" else 0)
'''
class Place:
    def __init__(self, program, folder):
        self.program, self.folder, self.jobs, self.count = program, folder, [], 0
        fake.make(os.path.join(folder, "fakes"))
        os.mkdir(os.path.join(folder, "run"), 0o700)
        self.env = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"), PYTHONPATH=os.path.join(folder, "fakes"))
        with open(os.path.join(folder, "job.py"), "w", encoding="utf-8") as f:
            f.write(JOB)

    def job(self, *words):
        job = subprocess.Popen([sys.executable, "job.py", *map(str, words)], cwd=self.folder, env=self.env, stdout=subprocess.PIPE, text=True)
        self.jobs.append(job)
        check("a job begins", job.stdout.readline() == "ready\n", words)
        return str(job.pid)

    def capture(self, *words):
        self.count += 1
        out = os.path.join(self.folder, f"out{self.count}")
        done = subprocess.run([self.program, "capture", "--via", "kineto", "-o", out, *words], env=self.env, capture_output=True, text=True, timeout=120, check=False)
        rows = []
        if os.path.exists(os.path.join(out, "manifest.json")):
            with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
                rows = json.load(f)["captures"]
        return done, rows, out

    def end(self):
        for job in self.jobs:
            job.kill()
            job.wait()


def asked(out, row):
    with open(os.path.join(out, row["file"]), encoding="utf-8") as f:
        return json.load(f)["asked"]


def recordings(p):
    jobs = {what: p.job(what) for what in ("good", "slow", "noise", "link", "cut", "silent", "big")}
    jobs["lies"] = p.job("lies", jobs["good"])
    jobs["ends"] = p.job("ends")
    jobs["nothing"] = p.job("nothing")
    done, rows, out = p.capture(*jobs.values(), "--ms", "100", "--timeout", "6", "--wait", "0", "--max-bytes", "50000")
    of = {what: next(r for r in rows if str(r["pid"]) == pid) for what, pid in jobs.items()}
    for what, status, code in (("good", "ok", None), ("slow", "ok", None), ("noise", "ok", None), ("lies", "ok", None), ("link", "failed", "timeout"),
                               ("cut", "failed", "timeout"), ("silent", "failed", "timeout"), ("big", "failed", "too-big"), ("ends", "failed", "gone"),
                               ("nothing", "refused", "no-framework")):
        check(what, (of[what]["status"], of[what]["code"], of[what]["via"]) == (status, code, "kineto"), of[what])
    check("status", done.returncode == 1 and "KINETO" not in done.stdout, done)
    for what in ("good", "slow", "noise", "lies"):
        got = asked(out, of[what])
        check(f"asked of {what}", got["ACTIVITIES_DURATION_MSECS"] == "100" and got["ACTIVITIES_LOG_FILE"].startswith("/tmp/tfprof-kineto-"), got)
        check(f"kind of {what}", of[what]["kind"] == "kineto" and of[what]["file"].endswith(".kineto.json"), of[what])
    left = [asked(out, of[what])["ACTIVITIES_LOG_FILE"] for what in ("good", "slow", "noise", "lies")]
    check("no folder is left", not [f for f in left if os.path.exists(os.path.dirname(f))], left)
    done, rows, out = p.capture(p.job("huge"), "--ms", "100", "--timeout", "60")
    check("a trace of 200 MB", done.returncode == 0 and rows[0]["bytes"] > 200000000, (done, rows))
    # the maximum over all tfprofs that have ended so far
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    check("it is never in memory as a whole", most < 100 << 10, most)
    done, rows, out = p.capture(jobs["good"], "--steps", "7", "--python-level", "1")
    check("--steps", done.returncode == 0 and rows[0]["window_micros"] is None, done)
    got = asked(out, rows[0])
    check("steps are asked for", got["ACTIVITIES_ITERATIONS"] == "7" and got["PROFILE_WITH_STACK"] == "true" and "ACTIVITIES_DURATION_MSECS" not in got, got)
    start = time.monotonic()
    done, rows, _ = p.capture(jobs["nothing"], "127.0.0.1:1")
    check("refused long before --timeout", [r["code"] for r in rows] == ["no-framework"] * 2 and time.monotonic() - start < 20, rows)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind("\0dynolog\0")
        done, rows, _ = p.capture(jobs["good"])
        check("another daemon", (rows[0]["status"], rows[0]["code"]) == ("refused", "busy") and "dynolog" in rows[0]["message"], rows)
    home = p.env["KINETO_IPC_SOCKET_DIR"] = tempfile.mkdtemp(dir="/tmp")
    apart = p.job("good")
    for turn in range(2):
        done, rows, out = p.capture(apart, "--ms", "20")
        check(f"KINETO_IPC_SOCKET_DIR, {turn}", done.returncode == 0 and asked(out, rows[0])["ACTIVITIES_DURATION_MSECS"] == "20", (done, rows))
        check("its socket goes", os.listdir(home) == [f"dynoconfigclient{apart}"], os.listdir(home))
        left = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        left.bind(home + "/dynolog")  # left by a tfprof that was killed
        left.close()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        os.unlink(home + "/dynolog")
        other.bind(home + "/dynolog")
        check("another daemon of the folder", p.capture(apart)[1][0]["code"] == "busy" and os.path.exists(home + "/dynolog"))
    shutil.rmtree(home)
    del p.env["KINETO_IPC_SOCKET_DIR"]
    done, rows, _ = p.capture(jobs["silent"], "--timeout", "1", "--wait", "0", "--ms", "1")
    check("it says what is missing", "did not come" in rows[0]["message"] or "KINETO_USE_DAEMON=1" in rows[0]["message"], rows)
    for words in (("--attach",), ("--align",), ("--snapshot",), ("--recorder", "stop")):
        check(f"with {words}", p.capture("1", *words)[0].returncode == 2)
    check("another way", subprocess.run([p.program, "capture", "--via", "x", "1"], env=p.env, cwd=p.folder, capture_output=True, timeout=20, check=False).returncode == 2)


def go_inside():
    """Moves into a network namespace of its own, because all processes of a namespace share the
    daemon's name."""
    words = ["unshare", "-n"]
    if "TFPROF_INSIDE" not in os.environ and shutil.which("unshare") and not subprocess.run([*words, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        os.execvpe("unshare", [*words, sys.executable, *sys.argv], dict(os.environ, TFPROF_INSIDE="1"))


def main():
    program = os.path.abspath(sys.argv[1])
    go_inside()
    with tempfile.TemporaryDirectory() as folder:
        p = Place(program, folder)
        try:
            recordings(p)
        finally:
            p.end()
    return ended()


if __name__ == "__main__":
    sys.exit(main())

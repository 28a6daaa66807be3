#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof top` beside processes of our own: processes are grouped into jobs, rates are those of /proc, an error is one line.
run.py TFPROF   A framework is a mapped file of its library's name, so that none need be installed."""
import json
import os
import pty
import resource
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

from checks import check, ended, state_of, until

JOB = """
import mmap, os, sys, time
with open(sys.argv[1], "rb") as f:
    held = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
children = int(sys.argv[2])
if children and os.fork() == 0:
    time.sleep(60)
print("ready", flush=True)
end = time.time() + 600
while time.time() < end:
    if sys.argv[3] == "busy":
        sum(range(10000))
    else:
        time.sleep(0.05)
"""

CAN_ATTACH = "attach" if os.uname().machine == "x86_64" else "other-machine"
def top(program, *options):
    done = subprocess.run([program, "top", "--once", "--interval", "1", "-format", "json", *options],
                          capture_output=True, timeout=60, check=False)
    return json.loads(done.stdout)["rows"] if done.returncode == 0 else done.stderr.decode()


def notes(program, *options):
    done = subprocess.run([program, "top", "--once", "--interval", "0.2", "-format", "json", *options], capture_output=True, timeout=60, check=False)
    return str(json.loads(done.stdout)["notes"])


def start_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        return int(f.read().rsplit(")", 1)[1].split()[19])


def agents(program, folder, job):
    """Makes a run folder with an entry for the job, for the column capture, and with steps that the
    agent counts."""
    run = os.path.join(folder, "run")
    os.mkdir(run, 0o700)
    os.environ["TFPROF_RUN_DIR"] = run
    one = lambda: top(program, str(job.pid))[0]
    check("capture, unprepared", one()["capture"] == CAN_ATTACH, one())
    entry = {"pid": job.pid, "start_ticks": start_ticks(job.pid), "steps_are": "optimizer steps"}
    with open(os.path.join(run, f"{job.pid}.json"), "w", encoding="utf-8") as f:
        json.dump(entry, f)
    with open(os.path.join(run, f"{job.pid}.steps"), "wb") as f:
        f.write(struct.pack("qq", 7, 0))
    check("capture, no socket", one()["capture"] == CAN_ATTACH, one())
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(os.path.join(run, f"{job.pid}.sock"))
        s.listen()
        row = one()
        check("capture, agent", row["capture"] == "agent", row)
        check("steps of the agent", row["steps_are"] == "optimizer steps" and row["steps_per_second"] == 0, row)
        os.kill(job.pid, signal.SIGSTOP)
        until(lambda: state_of(job.pid) == "T")
        check("capture, stopped", (one()["capture"], one()["state"]) == ("stopped", "stopped"), one())
        os.kill(job.pid, signal.SIGCONT)
        entry["start_ticks"] += 1  # as if the process number was reused
        with open(os.path.join(run, f"{job.pid}.json"), "w", encoding="utf-8") as f:
            json.dump(entry, f)
        check("capture, stale", one()["capture"] == CAN_ATTACH, one())
    os.chmod(run, 0o755)
    check("open run folder", "0700" in notes(program, str(job.pid)) and len(top(program, str(job.pid))) == 1, "")
    os.symlink(run, run + "-link")
    os.environ["TFPROF_RUN_DIR"] = run + "-link/"
    check("linked run folder", "is a link" in notes(program, str(job.pid)), "")
    os.chmod(run, 0o700)
    os.environ["TFPROF_RUN_DIR"] = run


def formats(program, folder, job):
    """-o and the formats work as in the other commands."""
    for name in ("text", "json", "jsonl", "csv", "md"):
        path = os.path.join(folder, "table." + name)
        done = subprocess.run([program, "top", "--once", "--interval", "0.2", str(job.pid), "-format", name, "-o", path],
                              capture_output=True, timeout=60, check=False)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if name == "text":
            shown = subprocess.run([program, "top", "--once", "--interval", "0.2", str(job.pid)], capture_output=True, timeout=60, check=False)
            check("a table for people", b"FRAMEWORK" in shown.stdout and str(job.pid).encode() in shown.stdout, shown)
        check(f"-o, {name}", done.returncode == 0 and not done.stdout and str(job.pid) in text, done)


def few_descriptors(program, folder, job):
    """If descriptors run out, the error says so, and no job is reported as ended."""
    out = os.path.join(folder, "few")
    for count in (4, 5, 6, 8, 10, 12, 16, 24, 40):
        for words in (["top", "--once", "--interval", "0.2", str(job.pid), "-format", "csv"], ["capture", str(job.pid), "-o", out, "-format", "csv"],
                      ["stacks", str(job.pid), "--once", "-format", "csv"]):
            done = subprocess.run([program, *words], capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count)))
            if done.returncode == 4:
                told = not done.stdout and done.stderr.count(b"\n") == 1 and b"descriptors" in done.stderr and not os.path.exists(out) and count < 16
            else:
                told = str(job.pid).encode() in done.stdout and b"gone" not in done.stdout and b",?," not in done.stdout
                if words[0] == "capture":
                    shutil.rmtree(out)
            check(f"{words[0]} with {count} descriptors", told or (words[0] == "stacks" and not 8 <= sys.version_info[1] <= 14), done)


USED_AGAIN = """
import json, os, socket, struct, subprocess, sys
program, script, library, run = sys.argv[1:]
os.environ["TFPROF_RUN_DIR"] = run
def start():
    with open("/proc/sys/kernel/ns_last_pid", "w") as f:
        f.write("4241")
    job = subprocess.Popen([sys.executable, script, library, "0", "idle"], stdout=subprocess.PIPE)
    job.stdout.readline()
    return job
def ticks(pid):
    with open(f"/proc/{pid}/stat") as f:
        return int(f.read().rsplit(")", 1)[1].split()[19])
def top(pid):
    out = subprocess.run([program, "top", "--once", "--interval", "0.2", "-format", "json", str(pid)], capture_output=True).stdout
    return json.loads(out)["rows"][0]
first = start()
with open(f"{run}/{first.pid}.json", "w") as f:
    json.dump({"pid": first.pid, "start_ticks": ticks(first.pid), "steps_are": "optimizer steps"}, f)
s = socket.socket(socket.AF_UNIX)
s.bind(f"{run}/{first.pid}.sock")
s.listen()
before = top(first.pid)
first.kill(); first.wait()
second = start()
after = top(second.pid)
second.kill()
print(json.dumps([before, after]))
"""


def number_used_again(program, folder, script, library):
    """A process that reuses the number of one that has ended is another job, and the agent of the first is not its
    agent."""
    run = os.path.join(folder, "again")
    os.mkdir(run, 0o700)
    done = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", USED_AGAIN, program, script, library, run],
                          capture_output=True, timeout=60, check=False)
    if b"unshare" in done.stderr or b"Permission" in done.stderr:
        print("left out: a pid namespace needs root")
        return
    before, after = json.loads(done.stdout or b"[{}, {}]")
    check("the same number", before.get("pid") == after.get("pid") == 4242, done)
    check("another job", before.get("job") != after.get("job") and (before.get("capture"), after.get("capture")) == ("agent", CAN_ATTACH), (before, after))


def terminal(program, job):
    """The table in a pseudo-terminal: it refreshes, shows a job's threads, and restores the terminal."""
    main_end, other = pty.openpty()
    before = termios.tcgetattr(other)
    shown = subprocess.Popen([program, "top", "--interval", "0.2", str(job.pid)], stdin=other, stdout=other, stderr=other)

    def wait_for(text, key=None):
        if key:
            os.write(main_end, key)
        got, end = b"", time.time() + 20
        while text not in got and time.time() < end:
            if select.select([main_end], [], [], 0.2)[0]:
                got += os.read(main_end, 65536)
        return text in got

    check("terminal, table", wait_for(b"FRAMEWORK"))
    check("terminal, again", wait_for(b"FRAMEWORK"))
    check("terminal, details", wait_for(b"process %d" % job.pid, b"d"))
    check("terminal, stacks", wait_for(b"train_it.py:") or not 8 <= sys.version_info[1] <= 14)
    check("terminal, back", wait_for(b"FRAMEWORK", b"d"))
    check("terminal, sort", wait_for(b"FRAMEWORK", b"m"))
    os.write(main_end, b"q")
    check("terminal, end", wait_for(b"\033[?1049l") and shown.wait(timeout=20) == 0)
    check("terminal, as before", termios.tcgetattr(other) == before)
    os.close(main_end)
    os.close(other)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        package = os.path.join(folder, "lib", "site-packages", "torch")
        os.makedirs(os.path.join(package, "lib"))
        os.makedirs(os.path.join(folder, "lib", "site-packages", "torch-9.8.7.dist-info"))
        library = os.path.join(package, "lib", "libtorch_cpu.so")
        with open(library, "wb") as f:
            f.write(b"\0" * 4096)
        script = os.path.join(folder, "train_it.py")
        with open(script, "w", encoding="utf-8") as f:
            f.write(JOB)
        jobs = [subprocess.Popen([sys.executable, script, library, children, kind], stdout=subprocess.PIPE,
                                 start_new_session=True)
                for children, kind in (("1", "busy"), ("0", "idle"))]
        try:
            for job in jobs:
                job.stdout.readline()
            rows = top(program, "train_it.py")
            check("two jobs", isinstance(rows, list) and len(rows) == 2, rows)
            busy, idle = ({r["pid"]: r for r in rows}[job.pid] for job in jobs)
            check("folded", (busy["processes"], idle["processes"]) == (2, 1), rows)
            check("framework", busy["framework"] == "torch" and busy["version"] == "9.8.7", busy)
            check("order", rows[0]["pid"] == jobs[0].pid, rows)
            check("cpu", busy["cpu"] > idle["cpu"] and idle["cpu"] < 0.3, (busy["cpu"], idle["cpu"]))
            check("name", busy["job"].startswith(f"{jobs[0].pid}@"), busy["job"])
            check("command", "train_it.py" in busy["command"], busy["command"])
            check("program", busy["program"] == "train_it.py", busy["program"])
            check("why", all(f"{k}: " in (r["why"] or "") for r in rows for k, v in r.items()
                             if v is None and k != "why"), rows)
            elsewhere = os.path.join(folder, "path", "torch", "lib")  # a folder of PYTHONPATH
            os.makedirs(elsewhere)
            os.makedirs(os.path.join(folder, "path", "torch-1.2.3.dist-info"))
            shutil.copy(library, elsewhere)
            jobs.append(subprocess.Popen([sys.executable, script, os.path.join(elsewhere, "libtorch_cpu.so"), "0", "idle"],
                                         stdout=subprocess.PIPE, start_new_session=True))
            jobs[2].stdout.readline()
            check("version on PYTHONPATH", top(program, str(jobs[2].pid))[0]["version"] == "1.2.3", jobs[2].pid)
            os.killpg(jobs[2].pid, signal.SIGKILL)
            jobs.pop().wait()
            one = top(program, str(jobs[1].pid))
            check("by number", [r["pid"] for r in one] == [jobs[1].pid], one)
            check("sorted", [r["pid"] for r in top(program, "train_it.py", "--sort", "pid")] ==
                  sorted((j.pid for j in jobs), reverse=True))
            agents(program, folder, jobs[1])
            formats(program, folder, jobs[1])
            few_descriptors(program, folder, jobs[1])
            number_used_again(program, folder, script, library)
            terminal(program, jobs[1])
        finally:
            for job in jobs:
                os.killpg(job.pid, signal.SIGKILL)
                job.wait()
        check("ended", top(program, "train_it.py") == [], "a job that ended is shown")
    for words, status in ((["999999999"], 1), (["--sort", "nothing"], 2), (["--interval", "0"], 2), (["--user", "no such one"], 2)):
        done = subprocess.run([program, "top", "--once", *words], capture_output=True, timeout=60, check=False)
        check(f"top {words}", done.returncode == status and done.stderr.count(b"\n") == 1 and not done.stdout, done)
    return ended()


if __name__ == "__main__":
    sys.exit(main())

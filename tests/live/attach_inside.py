# SPDX-License-Identifier: Apache-2.0
"""Jobs in containers, recorded from outside: they have other files, other process numbers, and filters of system
calls."""
import json
import os
import signal
import subprocess
import sys
import tempfile

from attaching import BUSY, agent_threads, is_ok
from checks import check, child_of, until


CONTAINER = ["unshare", "--pid", "--fork", "--mount", "--mount-proc", "--kill-child"]
USERS = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount", "--mount-proc", "--net", "--kill-child"]

# A job that prints which of tfprof's files are in its folders when it gets a signal.
TELLING = BUSY.replace("import jax, time\n", "import jax, os, signal, time\nsignal.signal(signal.SIGUSR1, lambda *_: print(sorted(\n"
                       "    n for d in ('/tmp', '/dev/shm') for n in os.listdir(d) if n.startswith('tfprof')), flush=True))\n")
TMP, NO_TMP = "-t tmpfs none /tmp", "-o remount,ro,bind /tmp"
SHM, NO_SHM, NO_VAR = "-t tmpfs none /dev/shm", "-o remount,ro,bind /dev/shm", "-t tmpfs -o ro none /var/tmp"

# Installs a filter that allows every system call, the given number of times, and then executes
# another program.
FILTERED = """
import ctypes, os, struct, sys
code = ctypes.create_string_buffer(struct.pack("<HBBI", 6, 0, 0, 0x7fff0000))
class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("code", ctypes.c_void_p)]
libc = ctypes.CDLL(None)
for _ in range(int(sys.argv[1])):
    assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(Program(1, ctypes.addressof(code))), 0, 0) == 0
os.execv(sys.executable, [sys.executable, "-c", sys.argv[2]])
"""


def job_in(p, what, *command, space=tuple(CONTAINER), mounts=()):
    """-> the process of `unshare`, the number of its child; None, None if namespaces are not
    permitted."""
    env = p.env
    if mounts:
        env = dict(p.env, PYTHONPATH="/mnt")
        mount = " && ".join(f"mount {words}" for words in (f"--bind {p.fakes} /mnt", *mounts))
        command = ["sh", "-c", f'{mount} && exec "$@"', "sh", *command]
    outer = subprocess.Popen([*space, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, start_new_session=True)
    p.jobs.append(outer)
    if outer.stdout.readline() == b"ready\n":
        return outer, child_of(outer.pid)
    print(f"left out: {what}, which cannot be made here")
    return None, None


def way_of(p, pid):
    shown = subprocess.run([p.program, "top", "--once", "--interval", "0.2", str(pid), "-format", "json"], capture_output=True, check=False, env=p.env)
    return json.loads(shown.stdout)["rows"][0]["capture"]


def stacks_inside(p, name, pid):
    """Its threads have other numbers inside than outside."""
    for words in ([], ["--native"]):
        shown = subprocess.run([p.program, "stacks", str(pid), *words, "--seconds", "0.5", "-format", "json"], capture_output=True, check=False, env=p.env)
        if words and b"perf_event" in shown.stderr:
            print(f"left out: stacks --native of {name}, which is not permitted here")
            continue
        rows = json.loads(shown.stdout)["rows"]
        check(f"{name}: stacks {words}", any(r["name"].endswith("<module>") and r["kind"] == "python" and r["total"] for r in rows), (shown, rows))


def leaves_nothing(name, outer, pid):
    check(f"{name}: no thread is left", until(lambda: not agent_threads(pid)))
    os.kill(pid, signal.SIGUSR1)
    left = outer.stdout.readline()
    check(f"{name}: no file is left", left == b"[]\n", left)


def in_containers(p):
    for name, mounts in (("a container", [TMP]), ("one without /tmp", [TMP, NO_TMP, SHM])):
        outer, pid = job_in(p, name, sys.executable, "-c", TELLING, mounts=mounts)
        if not outer:
            continue
        check(f"{name}: top", way_of(p, pid) == "attach")
        stacks_inside(p, name, pid)
        for _ in range(2):
            done, rows, out = p.capture(pid)
            check(name, is_ok(rows) and os.path.getsize(os.path.join(out, rows[0]["file"])) > 0, (done, rows))
            until(lambda: not agent_threads(pid))  # a busy machine may take longer than tfprof waits for it
        leaves_nothing(name, outer, pid)
        rows = p.capture(pid, "--keep-agent")[1]
        check(f"{name}: --keep-agent", is_ok(rows) and agent_threads(pid), rows)
    outer, pid = job_in(p, "a job without a place for files", sys.executable, "-c", TELLING, mounts=[TMP, NO_TMP, SHM, NO_SHM, NO_VAR])
    if outer:
        rows = p.capture(pid, "--wait", "0")[1]
        check("no place for files", rows[0]["code"] == "no-permission" and "/dev/shm" in rows[0]["message"] and rows[0]["stopped_micros"] == 0, rows)


def with_filters(p):
    """The container's filter does not prevent attaching, but the job's own filter does."""
    for name, count, code in (("the container's filter", 1, None), ("two filters", 2, "unsafe")):
        outer, pid = job_in(p, name, sys.executable, "-c", FILTERED, str(count), BUSY)
        if outer:
            rows = p.capture(pid, "--wait", "0")[1]
            check(name, rows[0]["code"] == code and (code or is_ok(rows)), rows)


def killed_inside(p):
    """tfprof removes the files of an agent whose job was killed, if their folder outlives the job."""
    outer, pid = job_in(p, "a job that is killed", sys.executable, "-c", BUSY, mounts=[TMP])
    if not outer:
        return
    folder = os.open(f"/proc/{pid}/root/tmp", os.O_PATH)
    first = p.start(pid, "--ms", "20000")
    own = f"/proc/self/fd/{folder}/tfprof-{os.geteuid()}"
    check("it records", until(lambda: agent_threads(pid) and os.path.exists(own) and os.listdir(own)))
    os.kill(pid, signal.SIGKILL)
    check("a killed job", first.wait(timeout=20) == 1)
    check("its files are gone", os.listdir(own) == [], os.listdir(own))
    os.close(folder)


def from_inside(p):
    """tfprof in a container that sees all processes of the machine, like a monitor of a cluster node."""
    job = p.job(BUSY)
    done, rows, _ = p.capture(job.pid, before=["unshare", "--mount"])
    if b"unshare" in done.stderr:
        print("left out: tfprof in a container, which cannot be made here")
    else:
        check("tfprof in a container", is_ok(rows), (done, rows))


def prepared_inside(p):
    """A job that `tfprof run` started in a container is reachable from within it."""
    inner = dict(p.env)
    inner.pop("TFPROF_RUN_DIR")
    outer = subprocess.Popen([*CONTAINER, "sh", "-c", f"mount -t tmpfs none /dev/shm && cd / && exec {p.program} run --dir /dev/shm/out -- {sys.executable} -c \"$TEXT\""],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(inner, TFPROF_RUN_DIR="/dev/shm/run", TEXT=BUSY), start_new_session=True)
    p.jobs.append(outer)
    if outer.stdout.readline() != b"ready\n":
        print("left out: a prepared job in a container, which cannot be made here")
        return
    pid = child_of(child_of(outer.pid))
    check("prepared: top", until(lambda: way_of(p, pid) == "agent"))
    done, rows, _ = p.capture(pid, attach=False)
    check("prepared", done.returncode == 0 and rows[0]["status"] == "ok" and rows[0]["via"] == "agent", (done, rows))


def in_other_users(p):
    """User numbers differ in that namespace, so the agent cannot see that root asks; but the creator of the namespace is its user
    on both sides."""
    outer, pid = job_in(p, "a job in a user namespace", sys.executable, "-c", BUSY, space=USERS)
    if not outer:
        return
    own = p.capture(pid, "--wait", "0")
    if os.geteuid():
        check("user namespace", is_ok(own[1]), own)
        return
    done, rows, _ = own
    check("user namespace: refused", done.returncode == 1 and rows[0]["code"] == "no-permission" and "user namespace" in rows[0]["message"] and rows[0]["stopped_micros"] == 0, (done, rows))
    check("user namespace: top", way_of(p, pid) == "no-permission")
    os.chmod(p.folder, 0o755)
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o777)
        nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        outer, pid = job_in(p, "a rootless container", *USERS, "/usr/bin/python3", "-c", BUSY, space=nobody)
        if not outer:
            return
        done = subprocess.run([*nobody, p.program, "capture", "--attach", "--ms", "20", str(child_of(pid) or child_of(outer.pid)), "-o", folder + "/out"], capture_output=True,
                              check=False, env=dict(p.env, TFPROF_RUN_DIR=folder + "/run"), cwd="/", timeout=60)
        check("a rootless container", done.returncode == 0 and b" ok " in done.stdout, done)


def inside(p):
    in_containers(p)
    with_filters(p)
    killed_inside(p)
    from_inside(p)
    prepared_inside(p)
    in_other_users(p)

# SPDX-License-Identifier: Apache-2.0
"""Jobs to which `tfprof capture --attach` never or only sometimes attaches: a row says why, and the job
continues."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import fake
from attaching import BUSY, IDLE, agent_threads, is_ok, preloaded
from checks import allowance, check, until


# Runs a command before the first call of ptrace.
HOOK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
long ptrace(int request, ...)
{
    static long (*real)(int, ...);
    va_list a;
    va_start(a, request);
    long pid = va_arg(a, long);
    void *x = va_arg(a, void *), *y = va_arg(a, void *);
    va_end(a);
    if (!real) {
        unsetenv("LD_PRELOAD");
        if (system(getenv("BEFORE"))) _exit(99);
        *(void **)&real = dlsym(RTLD_NEXT, "ptrace");
    }
    return real(request, (int)pid, x, y);
}
"""


def refused(p):
    def one(name, job, code, text):
        done, rows, _ = p.capture(job.pid, "--wait", "0", "--timeout", "1")
        check(name, done.returncode == 1 and rows[0]["status"] == "refused" and rows[0]["code"] == code and text in rows[0]["message"], rows)
        check(f"{name}: still there", job.poll() is None)

    job = p.job(IDLE)
    os.kill(job.pid, signal.SIGSTOP)
    until(lambda: open(f"/proc/{job.pid}/stat", encoding="utf-8").read().split()[2] == "T")
    one("stopped", job, "stopped", "CONT")
    one("no framework", p.job("import time\nprint('ready', flush=True)\ntime.sleep(60)\n"), "no-framework", "stacks")
    filtered = IDLE.replace("print", """import ctypes, struct
code = ctypes.create_string_buffer(struct.pack("<HBBI", 6, 0, 0, 0x7fff0000))
class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("code", ctypes.c_void_p)]
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(Program(1, ctypes.addressof(code))), 0, 0) == 0
print""", 1)
    one("seccomp", p.job(filtered), "unsafe", "seccomp")
    small = IDLE.replace("time.sleep(60)", """import ctypes, mmap
libc = ctypes.CDLL(None)
stack = mmap.mmap(-1, 40000)
guard = [mmap.mmap(-1, 4096, prot=mmap.PROT_READ) for _ in range(8)]
context, back = ctypes.create_string_buffer(2048), ctypes.create_string_buffer(2048)
libc.getcontext(context)
address = ctypes.addressof(ctypes.c_char.from_buffer(stack))
ctypes.memmove(ctypes.addressof(context) + 16, (ctypes.c_uint64 * 3)(address, 0, 40000), 24)
libc.makecontext(context, libc.sleep, 1, 60)
libc.swapcontext(back, context)""")
    one("a small stack", p.job(small), "unsafe", "stack")
    if os.path.isdir("/proc/self") and sys.version_info < (3, 13):
        one("subinterpreters", p.job("import _xxsubinterpreters as s\nkeep = s.create()\n" + IDLE), "unsafe", "subinterpreters")
    if os.geteuid() == 0:
        open_to_all = tempfile.mkdtemp()
        os.chmod(open_to_all, 0o777)
        done = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", p.program, "capture", str(p.job(IDLE).pid), "--attach", "-o",
                               open_to_all + "/out"], capture_output=True, check=False, env=dict(p.env, TFPROF_RUN_DIR=open_to_all + "/run"), cwd="/", timeout=30)
        check("another user's", done.returncode == 1 and b"other-user" in done.stdout, done)
        shutil.rmtree(open_to_all)
        os.chmod(p.folder, 0o755)
        made_before = os.path.exists("/tmp/tfprof-65534")
        job = subprocess.Popen(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", sys.executable, "-c", BUSY], stdout=subprocess.PIPE,
                               env=p.env, start_new_session=True)
        p.jobs.append(job)
        if job.stdout.readline() == b"ready\n":  # otherwise other users may not run this Python
            done, rows, _ = p.capture(job.pid)
            check("root attaches to a user's job", is_ok(rows) and rows[0]["user"] != "root", (done, rows))
            check("and leaves no folder", made_before or not os.path.exists("/tmp/tfprof-65534"))


def at_their_limits(p):
    """A job, or tfprof, that has no memory or no descriptors left: a row says so, and the job continues undisturbed."""
    limits = {"no page": ("RLIMIT_AS", "vm_bytes"), "no stack for a thread": ("RLIMIT_AS", "vm_bytes + (1 << 20)"), "no descriptor": ("RLIMIT_NOFILE", "3")}
    for name, (limit, value) in limits.items():
        job = p.job("import jax, hashlib, resource, select\n"
                    "vm_bytes = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
                    f"most = resource.getrlimit(resource.{limit})[1]\nresource.setrlimit(resource.{limit}, ({value}, most))\n"
                    "print('ready', flush=True)\nh = b''\nwhile not select.select([0], [], [], 0)[0]:\n    h = hashlib.sha256(h).digest()\n"
                    f"resource.setrlimit(resource.{limit}, (most, most))\nprint('end')\n")
        threads = os.listdir(f"/proc/{job.pid}/task")
        done, rows, _ = p.capture(job.pid, "--timeout", "1", "--wait", "0")
        code = "low-memory" if name == "no page" else "timeout"  # the text runs, but starts nothing
        check(f"{name}: a row", done.returncode == 1 and rows[0]["status"] in ("refused", "failed") and rows[0]["code"] == code, (done, rows))
        check(f"{name}: no thread", until(lambda: os.listdir(f"/proc/{job.pid}/task") == threads))
        out, err = job.communicate(b"\n", timeout=20)
        check(f"{name}: goes on", out == b"end\n" and not err and job.returncode == 0, (out, err))
        check(f"{name}: run folder is empty", until(lambda: os.listdir(p.run) == []), os.listdir(p.run))
    job = p.job(BUSY)
    ends = set()
    for most in range(4, 16):
        done, rows, _ = p.capture(job.pid, "--timeout", "2", "--wait", "0", before=["prlimit", f"--nofile={most}:{most}"])
        ends.add(done.returncode)
        check(f"tfprof with {most} descriptors", done.returncode in (0, 1, 3, 4) and (done.returncode == 0 or done.stderr or rows), (done, rows))
        check(f"the job goes on, {most}", job.poll() is None and until(lambda: not agent_threads(job.pid)))
    check("from too few descriptors to enough", 0 in ends and len(ends) > 1, ends)
    p.clean()


def another_program(p):
    """Between the selection and the stop the process executes another program, or its number is reused: nothing is written to it."""
    shim = preloaded(p, "hook", HOOK)
    if not shim:
        print("left out: no C compiler for a process that becomes another program")
        return
    job = p.job("import jax, os, signal, sys, time\nsignal.signal(signal.SIGUSR1, lambda *_: os.execv(sys.executable, [sys.executable, '-c', "
                "'print(1, flush=True)\\ninput()\\nprint(2)']))\n"
                "print('ready', flush=True)\nwhile True: time.sleep(0.01)\n")
    done, rows, _ = p.capture(job.pid, "--wait", "0", env=dict(p.env, LD_PRELOAD=shim, BEFORE=f"kill -USR1 {job.pid}; until grep -q input /proc/{job.pid}/cmdline; do sleep 0.01; done"))
    check("another program", done.returncode == 1 and rows[0]["code"] == "gone" and "another program" in rows[0]["message"], (done, rows))
    out, err = job.communicate(b"\n", timeout=20)
    check("it goes on", out == b"1\n2\n" and not err and job.returncode == 0, (out, err))


def runs_another_program_meanwhile(p):
    """A job that executes another program while it is recorded: a row says so, long before --timeout."""
    job = p.job("import jax, os, select, sys, time\nprint('ready', flush=True)\nwhile not select.select([0], [], [], 0.01)[0]: pass\n"
                "os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(60)'])\n")

    def replace():
        until(lambda: fake.is_recording(p.fakes, job.pid), 30)
        job.stdin.write(b"\n")
        job.stdin.flush()

    threading.Thread(target=replace, daemon=True).start()
    done, rows, _ = p.capture(job.pid, "--ms", "30000")
    check("a program instead of the job", done.returncode == 1 and rows[0]["code"] == "gone" and "another program" in rows[0]["message"], (done, rows))
    p.clean()


def runs_another_program_before_the_agent_is_there(p):
    """The job executes another program as soon as the agent's thread has begun."""
    job = p.job("import jax, os, sys\nprint('ready', flush=True)\nwhile len(os.listdir('/proc/self/task')) == 1: pass\n"
                "os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(60)'])\n")
    begun = time.monotonic()
    done, rows, _ = p.capture(job.pid)
    check("another program before the agent", done.returncode == 1 and rows[0]["code"] == "gone" and "another program" in rows[0]["message"], (done, rows))
    check("and soon", time.monotonic() - begun < 8 + allowance(), time.monotonic() - begun)
    p.clean()


def its_program_is_gone(p):
    """An update replaces or deletes the interpreter of a running job: the job is still recognised."""
    whole = os.path.realpath(sys.executable)
    # python3.11: without a libpython the file name gives the version
    python = os.path.join(p.name("bin"), os.path.basename(whole))
    os.mkdir(os.path.dirname(python))
    find = f"import sys\nsys.path[:0] = {[x for x in sys.path if x]!r}\n"
    away = os.path.join(os.path.dirname(python), ".nfs00a1b2c3")  # as NFS and package managers name what is still in use
    for how in ("deleted", "replaced", "renamed", "renamed and deleted"):
        shutil.copy(whole, python)
        job = p.job(find + BUSY, python=python, env=dict(p.env, PYTHONHOME=sys.base_prefix))
        os.rename(python, away) if "renamed" in how else os.unlink(python)
        if how == "renamed and deleted":
            os.unlink(away)
        if how == "replaced":
            shutil.copy("/bin/true", python)
        done, rows, _ = p.capture(job.pid)
        check(f"an interpreter that was {how}", is_ok(rows), (done, rows))
        stacks = subprocess.run([p.program, "stacks", str(job.pid), "--once"], capture_output=True, check=False)
        check(f"its stacks, {how}", stacks.returncode == 0 and b"<module>" in stacks.stdout, stacks)
        job.kill()
        os.path.exists(python) and os.unlink(python)


def its_agent_leaves(p):
    """The agent that another tfprof attached exists when the job is selected, but has ended when the job's turn comes: tfprof
    attaches again."""
    first, second = p.job(BUSY), p.job(BUSY)
    out = p.name("other")
    other = subprocess.Popen([p.program, "capture", "--attach", str(second.pid), "--ms", "2000", "-o", out], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, env=p.env)
    until(lambda: os.path.exists(os.path.join(p.run, f"{second.pid}.sock")), 30)
    done, rows, _ = p.capture(first.pid, str(second.pid), "--ms", "4000", "--parallel", "1", "--wait", "30")
    other.communicate(timeout=60)
    check("an agent that leaves", done.returncode == 0 and [r["status"] for r in rows] == ["ok", "ok"] and
          {r["via"] for r in rows} == {"attach"}, (done, rows))

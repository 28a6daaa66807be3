# SPDX-License-Identifier: Apache-2.0
"""Jobs that are unharmed if tfprof dies while it attaches, or if it interferes with their signals and
locks."""
import os
import signal
import subprocess
import sys
import time

from attaching import AWAKE, BUSY, COMPUTE, IDLE, agent_threads, is_ok, preloaded, same_as_before
from checks import check, until
from stacks import pythons


def a_namesake(p):
    """A thread of the job that has the name of the agent's is neither waited for nor stopped."""
    job = p.job("import jax, threading, time\ndef work():\n    with open('/proc/thread-self/comm', 'w') as f: f.write('tfprof-agent')\n    time.sleep(60)\n"
                "threading.Thread(target=work, daemon=True).start()\ntime.sleep(0.2)\nprint('ready', flush=True)\nwhile True: time.sleep(0.002)\n")
    before, lasted = agent_threads(job.pid), []
    for pid in (p.job(AWAKE).pid, job.pid):
        begun = time.monotonic()
        done, rows, _ = p.capture(pid, "--ms", "50")
        check("a namesake: the capture", is_ok(rows), (done, rows))
        lasted.append(time.monotonic() - begun)
    check("a namesake is not waited for", lasted[1] < lasted[0] + 2, lasted)
    check("a namesake stays", len(before) == 1 and agent_threads(job.pid) == before, (before, agent_threads(job.pid)))


def handlers(p):
    """An exception of a signal handler reaches the job, even if the handler ran within our text. The text is taken from a job."""
    job = p.job(IDLE)
    p.capture(job.pid, "--timeout", "0.2", "--wait", "0")
    text = None
    with open(f"/proc/{job.pid}/maps", encoding="utf-8") as maps, open(f"/proc/{job.pid}/mem", "rb", 0) as memory:
        for line in maps:
            words = line.split()
            low, high = (int(x, 16) for x in words[0].split("-"))
            if len(words) > 5 or words[1] != "rw-p" or high - low > 1 << 24:
                continue
            memory.seek(low)
            data = memory.read(high - low)
            at = data.find(b"\0ry: (lambda: (yield")  # the text after cleanup
            if at >= 0:
                text = b"t" + data[at + 1:data.index(b"\0", at + 1)]
    check("the text is found", text)
    script = p.name("handlers") + ".py"
    with open(script, "w", encoding="utf-8") as f:
        f.write("import signal, sys, time\ntext = open(sys.argv[1]).read()\nclass Tick(Exception): pass\ndef on(number, frame):\n    raise Tick\n"
                "signal.signal(signal.SIGALRM, on)\nlost = 0\nfor i in range(40):\n    try:\n        signal.setitimer(signal.ITIMER_REAL, 4e-5 * (1 + i))\n"
                "        exec(text, {})\n        for _ in range(2000): time.sleep(0.001)\n        lost += 1\n    except Tick: pass\nprint(lost)\n")
    with open(script + ".text", "wb") as f:
        f.write(text or b"")
    for name, python in sorted(pythons().items()):
        done = subprocess.run([python, script, script + ".text"], capture_output=True, check=False, timeout=120)
        check(f"{name}: no signal is lost", done.stdout == b"0\n" and not done.stderr, done)


# ---- tfprof dies ----

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
static int count;
long ptrace(int request, ...)
{
    static long (*real)(int, ...);
    va_list a;
    va_start(a, request);
    long pid = va_arg(a, long);
    void *x = va_arg(a, void *), *y = va_arg(a, void *);
    va_end(a);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "ptrace");
    int at = atoi(getenv("DIE_AT")), n = count++;
    if (n == at / 2 && at % 2 == 0) kill(getpid(), SIGKILL);
    long result = real(request, (int)pid, x, y);
    if (n == at / 2) kill(getpid(), SIGKILL);
    return result;
}
"""


def deaths(p):
    """tfprof is killed before and after each of its ptrace calls; the job continues, and its results are the same."""
    shim = preloaded(p, "shim", SHIM)
    if not shim:
        print("left out: no C compiler for the deaths of tfprof")
        return
    jobs = {"computes": p.job(COMPUTE.format(imports="import jax")),
            "sleeps": p.job("import jax, time, select\nprint('ready', flush=True)\nwhile not select.select([0], [], [], 0)[0]:\n    t = time.monotonic()\n    time.sleep(0.05)\n"
                            "    assert time.monotonic() - t > 0.0499\nprint('end')\n")}
    for name, job in jobs.items():
        stages = 0
        for at in range(0, 400):
            done, rows, _ = p.capture(job.pid, env=dict(p.env, LD_PRELOAD=shim, DIE_AT=str(at)))
            if done.returncode != -signal.SIGKILL:
                break
            stages += 1
            check(f"{name}: lives on after {at}", job.poll() is None, at)
            until(lambda: open(f"/proc/{job.pid}/stat", encoding="utf-8").read().split()[2] in "RS")
            check(f"{name}: is not stopped after {at}", open(f"/proc/{job.pid}/stat", encoding="utf-8").read().split()[2] in "RS", at)
            if job.poll() is not None:
                break
        # 28 to 40: fewer calls if the thread is at a suitable place at once
        check(f"{name}: stages", stages >= 20, stages)
        check(f"{name}: agents leave", until(lambda: not agent_threads(job.pid), 8), agent_threads(job.pid))
        done, rows, _ = p.capture(job.pid, "--wait", "5")
        check(f"{name}: attach after all that", is_ok(rows), rows)
        p.clean()
        if name == "computes":
            same_as_before(p, "deaths", job)
        else:
            out, err = job.communicate(b"\n", timeout=20)
            check("sleeps: as long as ever", out == b"end\n" and job.returncode == 0, (out, err))


def killed_while_recording(p):
    job = p.job(BUSY)
    first = p.start(job.pid, "--ms", "20000")
    check("it records", until(lambda: agent_threads(job.pid) and len(os.listdir(f"/proc/{job.pid}/task")) >= 3))
    first.kill()
    first.wait()
    start = time.monotonic()
    check("the agent leaves long before its window ends", until(lambda: not agent_threads(job.pid), 10), time.monotonic() - start)
    check("and its socket", until(lambda: not any(n.endswith(".sock") for n in os.listdir(p.run))), os.listdir(p.run))


FLOOD = """import jax, ctypes, time, select, sys
f = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda x: 0)
add = ctypes.pythonapi.Py_AddPendingCall
print('ready', flush=True)
while not select.select([0], [], [], 0)[0]:
    for _ in range(1000): add(f, None)
sys.stdin.readline()
print('calm', flush=True)
while not select.select([0], [], [], 0.002)[0]:
    pass
print('end')
"""


def pending_lock(p):
    """A job that adds pending calls all the time is sometimes stopped while it holds the interpreter's internal lock; our call is then
    given up. The test does not count successful recordings, because such a job can keep all its other threads from running for seconds.
    Attaching must not harm or block the job, nor leave anything that spoils the next recording."""
    for name, python in sorted(pythons().items()):
        job = p.job(FLOOD, python)
        rows = [p.capture(job.pid, "--timeout", "2", "--wait", "0")[1][0] for _ in range(12 if python == sys.executable else 5)]
        wrong = [r for r in rows if r["code"] not in (None, "unsafe", "timeout", "busy")]
        check(f"{name}: pending calls all the time", not wrong, wrong)
        check(f"{name}: held for less than 200 ms a time", max(r["stopped_micros"] for r in rows) < 200000, rows)
        job.stdin.write(b"\n")
        job.stdin.flush()
        check(f"{name}: calm", job.stdout.readline() == b"calm\n", job.poll())
        done, rows, _ = p.capture(job.pid, "--wait", "20")
        check(f"{name}: recorded when it is calm", done.returncode == 0 and rows[0]["status"] == "ok", (done, rows))
        out, err = job.communicate(b"\n", timeout=20)
        check(f"{name}: unharmed", out == b"end\n" and job.returncode == 0, (out, err, job.returncode))

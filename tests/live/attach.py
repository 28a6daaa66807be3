#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof capture --attach` to processes that know nothing of it: nothing in them changes, whatever they do and whenever tfprof
dies. attach.py TFPROF [PART...]   Every CPython of 3.8 to 3.14 that this machine has (TFPROF_PYTHONS names more folders) is a
case. The jobs pretend to be frameworks; real ones are in real.py. More parts: attach_refused.py, attach_unharmed.py."""
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from attach_inside import inside  # noqa: E402
from attach_refused import another_program, at_their_limits, its_agent_leaves, its_program_is_gone, refused, runs_another_program_before_the_agent_is_there, runs_another_program_meanwhile  # noqa: E402
from attach_unharmed import a_namesake, deaths, handlers, killed_while_recording, pending_lock  # noqa: E402
from attaching import AWAKE, BUSY, COMPUTE, IDLE, Place, agent_threads, has_our_pages, is_ok, preloaded, same_as_before  # noqa: E402
import fake  # noqa: E402
from checks import allowance, check, ended, prepared, until  # noqa: E402
from stacks import pythons  # noqa: E402


def versions(p):
    """Every CPython: threads, descriptors, modules and names stay as before, and results are equal to the
    bit."""
    for name, python in sorted(pythons().items()):
        job = p.job(COMPUTE.format(imports="import jax"), python)
        for i in range(4):
            done, rows, _ = p.capture(job.pid)
            check(f"{name}: attach {i}", done.returncode == 0 and is_ok(rows), (done, rows))
        check(f"{name}: the pages are given back", not has_our_pages(job.pid))
        same_as_before(p, name, job)


def frameworks(p):
    for name in ("tensorflow", "torch"):
        job = p.job(COMPUTE.format(imports="import " + name))
        done, rows, out = p.capture(job.pid)
        check(f"{name}: attach", done.returncode == 0 and is_ok(rows) and os.path.exists(os.path.join(out, rows[0]["file"])), (done, rows))
        same_as_before(p, name, job)
    torch = p.job("import torch, time\nsgd = torch.optim.SGD()\nprint('ready', flush=True)\nwhile True:\n    sgd.step()\n    time.sleep(0.002)\n")
    done, rows, out = p.capture(torch.pid, "--steps", "5")
    check("torch steps", is_ok(rows) and b'"steps": 5' in open(os.path.join(out, rows[0]["file"]), "rb").read(), rows)
    tf1 = p.job("import tensorflow, time\nfrom tensorflow.python.client import session\ns = session.BaseSession()\nbefore = session.BaseSession.run\n"
                "print('ready', flush=True)\nwhile True:\n    s.run(1)\n    time.sleep(0.002)\n")
    done, rows, out = p.capture(tf1.pid, "--steps", "3")
    check("TF1 steps", is_ok(rows) and rows[0]["kind"] == "tf1" and "graph.pb" in os.listdir(os.path.join(out, str(tf1.pid))), (done, rows))
    jax = p.job(BUSY)
    _, rows, _ = p.capture(jax.pid, "--steps", "3")
    check("no-steps", rows[0]["code"] == "no-steps" and not agent_threads(jax.pid), rows)


def framework_threads(p):
    """A profiler starts a thread that stays, like Kineto: it belongs to the job, not to us, and nothing waits for it. A profiler that holds
    the interpreter's lock stalls the job; its row says so."""
    job = p.job("""
import jax, jaxlib._profiler, threading, time
class Session(jaxlib._profiler.ProfilerSession):
    first = []
    def __init__(self, options):
        super().__init__(options)
        if not self.first:
            self.first.append(threading.Thread(target=time.sleep, args=(1e6,), daemon=True))
            self.first[0].start()
    def stop(self):
        (1 << 800001) // 3 ** 240001  # one instruction of the interpreter
        return super().stop()
jaxlib._profiler.ProfilerSession = Session
print('ready', flush=True)
end = time.time() + 60
while time.time() < end:
    time.sleep(0.002)
""")
    lasted = []
    for turn in ("first", "second"):
        begun = time.monotonic()
        _, rows, _ = p.capture(job.pid)
        check(f"a profiler's thread: {turn} attach", is_ok(rows), rows)
        lasted.append(time.monotonic() - begun)
        check(f"a profiler's thread: not ours, {turn}", not agent_threads(job.pid) and len(os.listdir(f"/proc/{job.pid}/task")) == 2, rows)
        check(f"a stall is told, {turn}", 50000 < rows[0]["stalled_micros"] < 20000000, rows)
    quiet = p.job(AWAKE)
    begun = time.monotonic()
    _, rows, _ = p.capture(quiet.pid)
    waits = 3  # the seconds to wait for a thread that does not end
    check("a profiler's thread is not waited for", min(lasted) < time.monotonic() - begun + waits - 0.5, lasted)
    check("no stall where there is none", rows[0]["stopped_micros"] <= rows[0]["stalled_micros"] < 1000000, rows)


def only_when_asked(p):
    job = p.job(IDLE)
    done, rows, _ = p.capture(job.pid, attach=False)
    check("without --attach", done.returncode == 1 and rows[0]["code"] == "unprepared" and f"--attach {job.pid}" in rows[0]["message"] and
          rows[0]["stopped_micros"] == 0, rows)
    check("nothing was touched", len(os.listdir(f"/proc/{job.pid}/task")) == 1)
    shown = subprocess.run([p.program, "top", "--once", "--interval", "0.2", str(job.pid), "-format", "json"], capture_output=True, check=False, env=p.env)
    check("top says attach", json.loads(shown.stdout)["rows"][0]["capture"] == "attach", shown)


# The first wait with a limit prints "ready", and begins a second later: until then the thread computes.
LATE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static void late(void)
{
    static int told;
    if (told++) return;
    (void)!write(1, "ready\n", 6);
    for (double end = now() + 1; now() < end;) {}
}
int sem_timedwait(sem_t *s, const struct timespec *t)
{
    int (*real)(sem_t *, const struct timespec *) = dlsym(RTLD_NEXT, "sem_timedwait");
    late();
    return real(s, t);
}
int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *t)
{
    int (*real)(sem_t *, clockid_t, const struct timespec *) = dlsym(RTLD_NEXT, "sem_clockwait");
    late();
    return real(s, clock, t);
}
"""


def about_to_wait(p):
    """A main thread that has decided to wait for a lock when the text is queued, and has not begun."""
    shim = preloaded(p, "late", LATE)
    if not shim:
        print("left out: no C compiler for a thread that is about to wait")
        return
    for name, python in sorted(pythons().items()):
        job = p.job("import jax, threading\nthreading.Event().wait(60)\n", python, env=dict(p.env, LD_PRELOAD=shim))
        done, rows, _ = p.capture(job.pid, "--timeout", "25")
        check(f"{name}: about to wait", is_ok(rows), (done, rows))
        job.kill()


def waits(p):
    """A main thread that waits for a lock runs the line at once and continues to wait; one that sleeps never runs it after we
    gave up."""
    kinds = {"Event.wait": "threading.Event().wait(3)", "join": "t = threading.Thread(target=time.sleep, args=(3,)); t.start(); t.join()",
             "queue.get": "import queue\n    try: queue.Queue().get(timeout=3)\n    except queue.Empty: pass",
             "lock": "l = threading.Lock(); l.acquire(); l.acquire(True, 3)"}
    for name, line in kinds.items():
        job = p.job(f"import jax, threading, time\ndef main():\n    {line}\nprint('ready', flush=True)\nt0 = time.monotonic()\nmain()\nprint(time.monotonic() - t0)\n")
        done, rows, _ = p.capture(job.pid, "--timeout", "2")
        check(f"{name}: at once", is_ok(rows), rows)
        took = float(job.communicate(timeout=20)[0])
        check(f"{name}: waits on", 2.99 < took < 6 + allowance(), took)
    about_to_wait(p)
    job = p.job("import jax, time\nprint('ready', flush=True)\nt0 = time.monotonic()\ntime.sleep(2)\nprint(time.monotonic() - t0, flush=True)\n"
                "end = time.time() + 1\nwhile time.time() < end: pass\nimport os\nprint(len(os.listdir('/proc/self/task')))\n")
    done, rows, _ = p.capture(job.pid, "--timeout", "0.3", "--wait", "0")
    check("sleep: its text is emptied", not has_our_pages(job.pid))
    check("sleep: timeout", done.returncode == 1 and rows[0]["code"] == "timeout" and rows[0]["message"].endswith(":<module>"), rows)
    took, threads = job.communicate(timeout=20)[0].split()
    check("sleep: as long as ever", 1.99 < float(took) < 5 + allowance(), took)
    check("sleep: the text was emptied", threads == b"1" and os.listdir(p.run) == [], (threads, os.listdir(p.run)))
    job = p.job("import jax, hashlib, time\nprint('ready', flush=True)\nhashlib.pbkdf2_hmac('sha256', b'x', b'y', 3000000)\nprint('end')\n")
    done, rows, _ = p.capture(job.pid, "--timeout", "0.3", "--wait", "0")
    check("a long C call", rows[0]["code"] == "timeout", rows)
    check("a long C call ends", job.communicate(timeout=60)[0] == b"end\n")


def surroundings(p):
    """A module beside the script is not taken for the library's module; -I, -S and -E make no
    difference."""
    folder = p.name("beside")
    os.mkdir(folder)
    for name in ("socket", "_socket", "select", "json", "os_", "importlib"):
        with open(os.path.join(folder, name + ".py"), "w", encoding="utf-8") as f:
            f.write("import sys\nsys.stderr.write('shadowed\\n')\n")
    find = f"import sys; sys.path.append({p.fakes!r})\n"
    for options in ((), ("-E",), ("-S",), ("-I",), ("-I", "-S", "-E")):
        job = p.job(find + IDLE.replace("time.sleep(60)", "import threading; threading.Event().wait(60)"), options=options, folder=folder)
        done, rows, _ = p.capture(job.pid)
        check(f"beside, {options}", is_ok(rows), (done, rows))
        job.kill()
        check(f"nothing was imported, {options}", b"shadowed" not in job.communicate()[1])


def processes(p):
    """Jobs that fork, spawn, run threads, receive signals, end."""
    for way in ("fork", "spawn"):
        # the child waits until the parent has printed its line, because both print to the same pipe
        job = p.job("import jax, multiprocessing as mp, time\ndef work(told):\n    import jax\n    told.wait()\n    print('child', flush=True)\n    end = time.time() + 60\n    while time.time() < end: time.sleep(0.002)\n"
                    f"if __name__ == '__main__':\n    way = mp.get_context('{way}')\n    told = way.Event()\n    c = way.Process(target=work, args=(told,))\n    c.start()\n    print('ready', flush=True)\n    told.set()\n    c.join()\n")
        check(f"{way}: its child", job.stdout.readline() == b"child\n")
        done, rows, out = p.capture(job.pid, "--timeout", "2", "--wait", "0")
        codes = [r["code"] for r in rows]  # the parent is in waitpid, so it runs no Python code until that returns
        check(f"{way}", codes == ["timeout", None] and rows[1]["pid"] != job.pid and os.listdir(os.path.join(out, str(job.pid))) == [f"{rows[1]['pid']}.xplane.pb"], rows)
        os.killpg(job.pid, signal.SIGKILL)
    job = p.job("import jax, os, select\nprint('ready', flush=True)\nn = 0\nwhile n < 11 or not select.select([0], [], [], 0)[0]:\n    c = os.fork()\n    if not c: os._exit(3)\n"
                "    n += os.waitpid(c, 0)[1] == 3 << 8\nprint(n > 10)\n")
    rows = [p.capture(job.pid)[1][0]["status"] for _ in range(5)]
    check("forks all the time", rows == ["ok"] * 5 and job.communicate(b"\n", timeout=60)[0] == b"True\n", rows)
    job = p.job("import jax, select, signal\ngot = 0\ndef on(*_):\n    global got\n    got += 1\nsignal.signal(signal.SIGALRM, on)\nsignal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\n"
                "print('ready', flush=True)\nwhile got <= 500 or not select.select([0], [], [], 0)[0]: pass\nprint(got > 500)\n")
    rows = [p.capture(job.pid)[1][0] for _ in range(8)]
    check("signals all the time", all(r["status"] == "ok" for r in rows) and job.communicate(b"\n", timeout=60)[0] == b"True\n", rows)
    job = p.job("import jax, threading, time\ndef spin():\n    while True: pass\nfor _ in range(8): threading.Thread(target=spin, daemon=True).start()\nprint('ready', flush=True)\nspin()\n")
    done, rows, _ = p.capture(job.pid)
    check("threads that hold the lock", is_ok(rows) and not agent_threads(job.pid), rows)
    job.kill()
    job = p.job(f"import jax\n{fake.RECORDS}print('ready', flush=True)\nwhile not records(): pass\nprint('end')\nraise SystemExit(7)\n")
    done, rows, _ = p.capture(job.pid, "--ms", "20000")
    check("ends during the capture", rows[0]["status"] == "failed" and rows[0]["code"] == "gone", rows)
    check("with its own status", job.communicate(timeout=10)[0] == b"end\n" and job.returncode == 7, job.returncode)
    check("its files are gone", until(lambda: os.listdir(p.run) == []), os.listdir(p.run))


def all_of_them(p):
    """In a separate pid namespace, because --all --attach would reach every job of this machine."""
    inside = ["unshare", "--pid", "--fork", "--mount-proc"]
    try:
        subprocess.run([*inside, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        print("left out: --all --attach, which needs a pid namespace")
        return
    done = subprocess.run([*inside, sys.executable, os.path.abspath(__file__), p.program, "inside_of_all"], capture_output=True, check=False, timeout=120)
    check("--all --attach in a namespace", done.returncode == 0, done.stdout.decode())


def inside_of_all(p):
    jobs = [p.job(BUSY), p.job(AWAKE.replace("jax", "torch")), p.job(IDLE.replace("jax", "tensorflow").replace("time.sleep(60)", "import threading; threading.Event().wait(60)"))]
    started = subprocess.Popen([p.program, "run", "--dir", p.name("run-out"), "--", sys.executable, "-c", IDLE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                env=p.env, start_new_session=True)
    p.jobs.append(started)
    started.stdout.readline()
    prepared(p.run)
    _, rows, _ = p.capture("--all", "--align", "--ms", "100")
    mine = {j.pid: "attach" for j in jobs}
    ours = [r for r in rows if r["pid"] in mine]
    agents = [r for r in rows if r["via"] == "agent" and r["status"] == "ok"]
    check("--all --attach", len(rows) == 4 and len(ours) == 3 and all(r["status"] == "ok" and r["via"] == "attach" for r in ours) and agents, rows)
    starts = [r["started_unix_micros"] for r in ours + agents]
    check("--align", max(starts) - min(starts) < 500000, starts)  # 50 ms if a CPU is free


def one_at_a_time(p):
    job = p.job(AWAKE)
    first = p.start(job.pid, "--ms", "3000")
    check("first attaches", until(lambda: agent_threads(job.pid)))
    # a second request before that, if it is faster, would be served
    check("first records", until(lambda: fake.is_recording(p.fakes, job.pid)))
    done, rows, _ = p.capture(job.pid, "--wait", "0.2")
    check("a second is told", rows[0]["code"] == "busy" and rows[0]["status"] == "refused", rows)
    check("first", first.wait(timeout=20) == 0)
    relative = subprocess.run([p.program, "capture", "--attach", str(job.pid), "-o", p.name("relative")], capture_output=True, check=False, cwd=p.folder,
                              env=dict(p.env, TFPROF_RUN_DIR="run"))
    check("a relative run folder", relative.returncode == 0, relative)
    kept = p.capture(job.pid, "--keep-agent")[1]
    check("--keep-agent", is_ok(kept) and agent_threads(job.pid) and f"{job.pid}.sock" in os.listdir(p.run), kept)
    done, rows, _ = p.capture(job.pid, attach=False)
    check("a kept agent answers", rows[0]["status"] == "ok" and rows[0]["via"] == "agent", rows)
    job.kill()
    job.wait()
    p.clean()


def terminal(p):
    """`top` records the selected job on request, but only after a y."""
    job = p.job(BUSY)
    folder = p.name("terminal")
    os.mkdir(folder)
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(p.program, [p.program, "top", "--interval", "0.3", str(job.pid)], dict(p.env, TERM="xterm"))
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("4H", 40, 200, 0, 0))

    def wait_for(text, key=b""):
        os.write(screen, key)
        got, end = b"", time.monotonic() + 30
        while text not in got and time.monotonic() < end:
            if select.select([screen], [], [], 0.2)[0]:
                got += os.read(screen, 65536)
        check(f"terminal, {text.decode()}", text in got, got)

    wait_for(b"r record")
    wait_for(b"record process %d for 0.5 s by attach?" % job.pid, b"r")
    check("nothing happens before an answer", not agent_threads(job.pid) and not os.listdir(folder))
    wait_for(b"r record", b"n")
    check("nothing happens after a no", not agent_threads(job.pid) and not os.listdir(folder))
    wait_for(b"record process", b"r")
    wait_for(b"is recorded: tfprof op " + os.path.realpath(folder).encode() + b"/tfprof-capture-", b"y")
    found = os.listdir(folder)
    check("a folder", len(found) == 1 and os.listdir(os.path.join(folder, found[0], str(job.pid))) == [f"{job.pid}.xplane.pb"], found)
    wait_for(b"r record", b"x")
    wait_for(b"record process", b"r")
    job.kill()
    job.wait()
    wait_for(b"the job has ended", b"y")
    check("no second folder", os.listdir(folder) == found, os.listdir(folder))
    os.write(screen, b"q")
    check("terminal, end", os.waitpid(pid, 0)[1] == 0)
    os.close(screen)


PARTS = (versions, frameworks, framework_threads, only_when_asked, waits, surroundings, processes, all_of_them, inside_of_all, one_at_a_time, terminal,
         refused, at_their_limits, another_program, runs_another_program_meanwhile,
         runs_another_program_before_the_agent_is_there, its_program_is_gone, its_agent_leaves, inside, a_namesake, handlers, deaths, killed_while_recording, pending_lock)


def main():
    program = os.path.abspath(sys.argv[1])
    if os.uname().machine != "x86_64":
        print("left out: attach works on x86-64 only")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        p = Place(program, folder)
        try:
            for part in PARTS:
                if part.__name__ in sys.argv[2:] or (len(sys.argv) < 3 and part is not inside_of_all):
                    start = time.monotonic()
                    part(p)
                    p.end()
                    if len(sys.argv) > 2:
                        print(f"{part.__name__}: {time.monotonic() - start:.1f} s")
        finally:
            p.end()
    return ended()


if __name__ == "__main__":
    sys.exit(main())

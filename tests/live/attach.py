#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof capture --attach` to processes that know nothing of it: nothing in them changes, whatever they do and whenever tfprof
dies. attach.py TFPROF   Every CPython of 3.8 to 3.14 that this machine has (TFPROF_PYTHONS names more folders) is a case. The jobs pretend to be frameworks; real ones
are in real.py."""
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fake  # noqa: E402
from stacks import pythons  # noqa: E402

passed = failed = 0

# A computation whose result a lost bit would change: floats, and SHA-256 in vector registers. It tells its modules, threads and
# descriptors before and after, when it is asked to go on. Its namespace hides builtins that a text could use.
COMPUTE = """
import hashlib, os, select, sys
{imports}
before = after = results = line = None
exec = compile = print = open = globals = None
def state():
    names = sorted(os.readlink("/proc/self/fd/" + f) for f in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + f))
    return [sorted(sys.modules), len(os.listdir("/proc/self/task")), names, sorted(sys.modules["__main__"].__dict__)]
block = b"x" * 3000000
def work(n):
    x, h = 0.1, b""
    for i in range(n):
        for j in range(2000):
            x = x * 3.7 * (1.0 - x)
        h = hashlib.sha256(h + block).digest()
    return repr(x), h.hex()
before = state()
sys.stdout.write("ready\\n"); sys.stdout.flush()
results = set()
while not select.select([0], [], [], 0)[0]:
    results.add(work(5))
after = state()
sys.stdout.write(repr((before == after, [[x for x in a if x not in b] + [x for x in b if x not in a] if isinstance(a, list) else (a, b) for a, b in zip(after, before)], sorted(results), sorted({{work(5)}}))) + "\\n")
"""

IDLE = "import jax, time\nprint('ready', flush=True)\ntime.sleep(60)\n"
BUSY = "import jax, time\nprint('ready', flush=True)\nend = time.time() + 60\nwhile time.time() < end:\n    sum(range(1000))\n"


def check(name, ok, what=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"{name}: {str(what)[:1500]}")


class Place:
    def __init__(self, program, folder):
        self.program, self.folder, self.count, self.jobs = program, folder, 0, []
        self.fakes = os.path.join(folder, "fakes")
        fake.make(self.fakes)
        self.run = os.path.join(folder, "run")
        self.env = dict(os.environ, TFPROF_RUN_DIR=self.run, PYTHONPATH=self.fakes)

    def name(self, what):
        self.count += 1
        return os.path.join(self.folder, f"{what}{self.count}")

    def job(self, text, python=sys.executable, options=(), folder=None, wait=True):
        script = (os.path.join(folder, "train.py") if folder else self.name("job") + ".py")
        with open(script, "w", encoding="utf-8") as f:
            f.write(text)
        job = subprocess.Popen([python, *options, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env,
                               start_new_session=True)
        self.jobs.append(job)
        if wait:
            check("ready", job.stdout.readline() == b"ready\n", job.args)
        return job

    def capture(self, *words, attach=True, before=(), timeout=60, env=None):
        out = self.name("capture")
        done = subprocess.run([*before, self.program, "capture", "-o", out, *(["--attach"] if attach else []), *([] if "--steps" in words or "--ms" in words else ["--ms", "20"]), *map(str, words)],
                              capture_output=True, timeout=timeout, check=False, env=env or self.env)
        try:
            with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
                rows = json.load(f)["captures"]
        except OSError:
            rows = []
        return done, rows, out

    def start(self, *words, env=None):
        return subprocess.Popen([self.program, "capture", "-o", self.name("capture"), "--attach", *map(str, words)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env=env or self.env)

    def clean(self):
        """What killed processes left in the run folder."""
        for name in os.listdir(self.run):
            path = os.path.join(self.run, name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)

    def end(self):
        """Of all jobs: one that computes takes a processor from the parts that follow."""
        for job in self.jobs:
            try:
                os.killpg(job.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            job.communicate()
        self.jobs.clear()


def is_ok(rows):
    return len(rows) == 1 and rows[0]["status"] == "ok" and rows[0]["via"] == "attach" and rows[0]["stopped_micros"] > 0


def agent_threads(pid):
    found = []
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/comm", encoding="utf-8") as f:
                found += [tid] if f.read() == "tfprof-agent\n" else []
        except OSError:
            pass
    return found


def child_of(pid):
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as f:
                if int(f.read().rpartition(")")[2].split()[1]) == pid:
                    return int(name)
        except OSError:
            pass
    return None


def has_our_pages(pid):
    """Whether a page of the process begins as the text of an attach does."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            words = line.split()
            low, high = (int(x, 16) for x in words[0].split("-"))
            if len(words) > 5 or words[1] != "rw-p" or high - low > 1 << 24:
                continue
            for at in range(low, high, 4096):
                memory.seek(at)
                try:
                    if memory.read(20) == b"try: (lambda: (yield":
                        return True
                except OSError:
                    pass  # behind the end of a mapped file
    return False


def until(test, seconds=5.0):
    end = time.monotonic() + seconds
    while not test() and time.monotonic() < end:
        time.sleep(0.02)
    return test()


def same_as_before(p, name, job):
    """What a COMPUTE job says at its end."""
    out, err = job.communicate(b"\n", timeout=60)
    try:
        same, differ, results, expected = eval(out.decode())  # noqa: S307: our own job's output
        check(f"{name}: as before", same, differ)
        check(f"{name}: same results", results == expected, (results, expected))
    except SyntaxError:
        check(f"{name}: a result", False, (out, err))
    check(f"{name}: status and stderr", job.returncode == 0 and not err, (job.returncode, err))
    check(f"{name}: run folder is empty", not os.listdir(p.run), os.listdir(p.run))


# ---- one by one ----

def versions(p):
    """Every CPython; threads, descriptors, modules and names are as before, and the results to the bit."""
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


def only_when_asked(p):
    job = p.job(IDLE)
    done, rows, _ = p.capture(job.pid, attach=False)
    check("without --attach", done.returncode == 1 and rows[0]["code"] == "unprepared" and f"--attach {job.pid}" in rows[0]["message"] and
          rows[0]["stopped_micros"] == 0, rows)
    check("nothing was touched", len(os.listdir(f"/proc/{job.pid}/task")) == 1)
    shown = subprocess.run([p.program, "top", "--once", "--interval", "0.2", str(job.pid), "-format", "json"], capture_output=True, check=False, env=p.env)
    check("top says attach", json.loads(shown.stdout)["rows"][0]["capture"] == "attach", shown)


def waits(p):
    """A main thread that waits for a lock runs the line at once, and waits on; one that sleeps runs it never once we gave up."""
    kinds = {"Event.wait": "threading.Event().wait(3)", "join": "t = threading.Thread(target=time.sleep, args=(3,)); t.start(); t.join()",
             "queue.get": "import queue\n    try: queue.Queue().get(timeout=3)\n    except queue.Empty: pass",
             "lock": "l = threading.Lock(); l.acquire(); l.acquire(True, 3)"}
    for name, line in kinds.items():
        job = p.job(f"import jax, threading, time\ndef main():\n    {line}\nprint('ready', flush=True)\nt0 = time.monotonic()\nmain()\nprint(time.monotonic() - t0)\n")
        done, rows, _ = p.capture(job.pid, "--timeout", "2")
        check(f"{name}: at once", is_ok(rows), rows)
        took = float(job.communicate(timeout=20)[0])
        check(f"{name}: waits on", 2.99 < took < 6, took)
    job = p.job("import jax, time\nprint('ready', flush=True)\nt0 = time.monotonic()\ntime.sleep(2)\nprint(time.monotonic() - t0, flush=True)\n"
                "end = time.time() + 1\nwhile time.time() < end: pass\nimport os\nprint(len(os.listdir('/proc/self/task')))\n")
    done, rows, _ = p.capture(job.pid, "--timeout", "0.3", "--wait", "0")
    check("sleep: its text is emptied", not has_our_pages(job.pid))
    check("sleep: timeout", done.returncode == 1 and rows[0]["code"] == "timeout" and rows[0]["message"].endswith(":<module>"), rows)
    took, threads = job.communicate(timeout=20)[0].split()
    check("sleep: as long as ever", 1.99 < float(took) < 5, took)
    check("sleep: the text was emptied", threads == b"1" and os.listdir(p.run) == [], (threads, os.listdir(p.run)))
    job = p.job("import jax, hashlib, time\nprint('ready', flush=True)\nhashlib.pbkdf2_hmac('sha256', b'x', b'y', 3000000)\nprint('end')\n")
    done, rows, _ = p.capture(job.pid, "--timeout", "0.3", "--wait", "0")
    check("a long C call", rows[0]["code"] == "timeout", rows)
    check("a long C call ends", job.communicate(timeout=60)[0] == b"end\n")


def surroundings(p):
    """A module beside the script is not taken for the library's; -I, -S and -E do not matter."""
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
    """Jobs that fork, spawn, run threads, take signals, end."""
    for way in ("fork", "spawn"):
        job = p.job("import jax, multiprocessing as mp, time\ndef work():\n    import jax\n    end = time.time() + 60\n    while time.time() < end: pass\n"
                    f"if __name__ == '__main__':\n    c = mp.get_context('{way}').Process(target=work)\n    c.start()\n    print('ready', flush=True)\n    c.join()\n")
        time.sleep(1)
        done, rows, out = p.capture(job.pid, "--timeout", "2", "--wait", "0")
        codes = [r["code"] for r in rows]  # the parent is in waitpid, which runs nothing until it ends
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
    job = p.job("import jax, threading, time\ndef spin():\n    while True: pass\nfor _ in range(8): threading.Thread(target=spin, daemon=True).start()\nprint('ready', flush=True)\ntime.sleep(0.5)\nspin()\n")
    time.sleep(0.6)
    done, rows, _ = p.capture(job.pid)
    check("threads that hold the lock", is_ok(rows) and not agent_threads(job.pid), rows)
    job = p.job("import jax, time\nprint('ready', flush=True)\nend = time.time() + 1.5\nwhile time.time() < end: pass\nprint('end')\nraise SystemExit(7)\n")
    done, rows, _ = p.capture(job.pid, "--ms", "20000")
    check("ends during the capture", rows[0]["status"] == "failed" and rows[0]["code"] == "gone", rows)
    check("with its own status", job.communicate(timeout=10)[0] == b"end\n" and job.returncode == 7, job.returncode)
    check("its files are gone", until(lambda: os.listdir(p.run) == []), os.listdir(p.run))


def all_of_them(p):
    """In a pid namespace of its own: --all --attach would reach every job of this machine."""
    inside = ["unshare", "--pid", "--fork", "--mount-proc"]
    try:
        subprocess.run([*inside, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        print("left out: --all --attach, which needs a pid namespace")
        return
    done = subprocess.run([*inside, sys.executable, os.path.abspath(__file__), p.program, "inside_of_all"], capture_output=True, check=False, timeout=120)
    check("--all --attach in a namespace", done.returncode == 0, done.stdout.decode())


def inside_of_all(p):
    jobs = [p.job(BUSY), p.job(BUSY.replace("jax", "torch")), p.job(IDLE.replace("jax", "tensorflow").replace("time.sleep(60)", "import threading; threading.Event().wait(60)"))]
    prepared = subprocess.Popen([p.program, "run", "--dir", p.name("run-out"), "--", sys.executable, "-c", IDLE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                env=p.env, start_new_session=True)
    p.jobs.append(prepared)
    prepared.stdout.readline()
    time.sleep(1)
    _, rows, _ = p.capture("--all", "--align", "--ms", "100")
    mine = {j.pid: "attach" for j in jobs}
    ours = [r for r in rows if r["pid"] in mine]
    agents = [r for r in rows if r["via"] == "agent" and r["status"] == "ok"]
    check("--all --attach", len(rows) == 4 and len(ours) == 3 and all(r["status"] == "ok" and r["via"] == "attach" for r in ours) and agents, rows)
    starts = [r["started_unix_micros"] for r in ours + agents]
    check("--align", max(starts) - min(starts) < 500000, starts)  # 50 ms where a CPU is free


def one_at_a_time(p):
    job = p.job(BUSY)
    first = p.start(job.pid, "--ms", "3000")
    check("first attaches", until(lambda: agent_threads(job.pid)))
    time.sleep(0.7)  # the agent is there before the first asks it: a second that is quicker would be served
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
    """`top` records the chosen job when it is told to, and only after a y."""
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


# ---- what is refused ----

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
        if job.stdout.readline() == b"ready\n":  # else this Python may not be run by others
            done, rows, _ = p.capture(job.pid)
            check("root attaches to a user's job", is_ok(rows) and rows[0]["user"] != "root", (done, rows))
            check("and leaves no folder", made_before or not os.path.exists("/tmp/tfprof-65534"))


def at_their_limits(p):
    """A job, or tfprof, that has no memory or no descriptors left: a row says so, and the job goes on as if nothing was."""
    limits = {"no page": ("RLIMIT_AS", "vm_bytes"), "no stack for a thread": ("RLIMIT_AS", "vm_bytes + (1 << 20)"), "no descriptor": ("RLIMIT_NOFILE", "3")}
    for name, (limit, value) in limits.items():
        job = p.job("import jax, hashlib, resource, select\n"
                    "vm_bytes = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
                    f"most = resource.getrlimit(resource.{limit})[1]\nresource.setrlimit(resource.{limit}, ({value}, most))\n"
                    "print('ready', flush=True)\nh = b''\nwhile not select.select([0], [], [], 0)[0]:\n    h = hashlib.sha256(h).digest()\n"
                    f"resource.setrlimit(resource.{limit}, (most, most))\nprint('end')\n")
        threads = os.listdir(f"/proc/{job.pid}/task")
        done, rows, _ = p.capture(job.pid, "--timeout", "1", "--wait", "0")
        code = "low-memory" if name == "no page" else "timeout"  # the text runs, and starts nothing
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


def preloaded(p, name, text):
    """A library of that C text for LD_PRELOAD; None without a compiler."""
    source, library = p.name(name) + ".c", p.name(name) + ".so"
    with open(source, "w", encoding="utf-8") as f:
        f.write(text)
    try:
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return library


def another_program(p):
    """Between the selection and the stop the process becomes another program, or its number another process's: nothing is written to it."""
    shim = preloaded(p, "hook", HOOK)
    if not shim:
        print("left out: no C compiler for a process that becomes another program")
        return
    job = p.job("import jax, os, signal, sys, time\nsignal.signal(signal.SIGUSR1, lambda *_: os.execv(sys.executable, [sys.executable, '-c', "
                "'import time\\nprint(1, flush=True)\\ntime.sleep(1)\\nprint(2)']))\n"
                "print('ready', flush=True)\nwhile True: time.sleep(0.01)\n")
    done, rows, _ = p.capture(job.pid, "--wait", "0", env=dict(p.env, LD_PRELOAD=shim, BEFORE=f"kill -USR1 {job.pid}; sleep 0.4"))
    check("another program", done.returncode == 1 and rows[0]["code"] == "gone" and "another program" in rows[0]["message"], (done, rows))
    out, err = job.communicate(timeout=20)
    check("it goes on", out == b"1\n2\n" and not err and job.returncode == 0, (out, err))


def in_a_container(p):
    """A job in other namespaces is refused from outside, with the remedy; tfprof in the same ones attaches (all_of_them)."""
    for name, words, text in (("container", ["--pid", "--fork", "--mount", "--mount-proc", "--kill-child"], "container"),
                              ("user namespace", ["--user", "--map-root-user", "--pid", "--fork", "--mount", "--mount-proc", "--net", "--kill-child"], "user namespace")):
        outer = subprocess.Popen(["unshare", *words, sys.executable, "-c", BUSY], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=p.env, start_new_session=True)
        p.jobs.append(outer)
        if outer.stdout.readline() != b"ready\n":
            print(f"left out: a job in another {name}, which cannot be made here")
            continue
        child = str(child_of(outer.pid))
        done, rows, _ = p.capture(child, "--wait", "0")
        check(f"{name}: refused", done.returncode == 1 and rows[0]["code"] == "no-permission" and text in rows[0]["message"] and rows[0]["stopped_micros"] == 0, (done, rows))
        shown = subprocess.run([p.program, "top", "--once", "--interval", "0.2", child, "-format", "json"], capture_output=True, check=False, env=p.env)
        check(f"{name}: top", json.loads(shown.stdout)["rows"][0]["capture"] == "no-permission", shown)


def handlers(p):
    """What a signal's handler raises reaches the job, also when the handler ran inside of our text. The text is taken from a job."""
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
            at = data.find(b"\0ry: (lambda: (yield")  # emptied
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


def deaths(p):
    """tfprof is killed before and after each of its calls of ptrace; the job goes on, and its results are the same."""
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
        check(f"{name}: stages", stages >= 30, stages)
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
    check("it records", until(lambda: len(agent_threads(job.pid)) == 2))
    first.kill()
    first.wait()
    start = time.monotonic()
    check("the agent leaves within a second", until(lambda: not agent_threads(job.pid), 3) and time.monotonic() - start < 1.5, time.monotonic() - start)
    check("and its socket", until(lambda: not any(n.endswith(".sock") for n in os.listdir(p.run))), os.listdir(p.run))


def pending_lock(p):
    """A job that adds pending calls all the time is stopped inside the interpreter's lock now and then: our call is given up there."""
    for name, python in sorted(pythons().items()):
        job = p.job("import jax, ctypes, time, select\nf = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda x: 0)\nadd = ctypes.pythonapi.Py_AddPendingCall\n"
                    "print('ready', flush=True)\nwhile not select.select([0], [], [], 0)[0]:\n    for _ in range(1000): add(f, None)\nprint('end')\n", python)
        rows = [p.capture(job.pid, "--timeout", "2", "--wait", "0")[1][0] for _ in range(12)]
        good = sum(r["status"] == "ok" for r in rows)
        check(f"{name}: pending calls all the time", good >= 8 and all(r["code"] in (None, "unsafe", "timeout") for r in rows), rows)
        check(f"{name}: held for less than 20 ms a time", max(r["stopped_micros"] for r in rows) < 200000, rows)
        out, err = job.communicate(b"\n", timeout=20)
        check(f"{name}: unharmed", out == b"end\n" and job.returncode == 0, (out, err, job.returncode))


PARTS = (versions, frameworks, only_when_asked, waits, surroundings, processes, all_of_them, inside_of_all, one_at_a_time, terminal, refused, at_their_limits, another_program, in_a_container, handlers, deaths, killed_while_recording, pending_lock)


def main():
    program = os.path.abspath(sys.argv[1])
    if os.uname().machine != "x86_64":
        print("left out: attach is known on x86-64 only")
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
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

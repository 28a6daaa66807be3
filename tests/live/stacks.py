#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof stacks` on processes of which it is known what they do: functions, lines, threads, forms, refusals.
stacks.py TFPROF   Every CPython of 3.8 to 3.14 that this machine has (TFPROF_PYTHONS names more folders) is a case; without one that
is known nothing is tested. Native stacks are tested where libdw.so.1 and a C compiler are."""
import collections
import ctypes
import glob
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from checks import check, ended, is_asleep, until

JOB = """
import sys, threading, time
class Worker:
    def busy(self):
        while True:
            hot()
def hot():
    s = 0
    for i in range(20000):
        s += i * i
    return s
def h\u00f6rt():
    time.sleep(60)                     # line 13
def r\u4e2d(n):
    return h\u00f6rt() if n == 0 else r\u4e2d(n - 1)
if sys.argv[1] == "idle":
    print("ready", flush=True)
    r\u4e2d(5)
threading.Thread(target=r\u4e2d, args=(0,), daemon=True).start()
print("ready", flush=True)
Worker().busy()
"""

# A library with a computing function, which a known Python function calls, and a function of the interpreter that calls
# Python back.
LIBRARY = """
double tfp_test_inner(double x, long n) { for (long i = 0; i < n; i++) x = x * 1.0000001 + 1e-9; return x; }
double tfp_test_outer(double x, long n) { return tfp_test_inner(x, n) + 1; }
"""
NATIVE_JOB = """
import ctypes, sys, time
lib = ctypes.CDLL(sys.argv[1])
lib.tfp_test_outer.restype = ctypes.c_double
lib.tfp_test_outer.argtypes = [ctypes.c_double, ctypes.c_long]
def calls_c(x):
    return lib.tfp_test_outer(1.0, 20000000)
def train():
    list(map(calls_c, range(1000000)))
print("ready", flush=True)
if sys.argv[2] == "idle":
    time.sleep(60)
train()
"""

def pythons():
    """Interpreters by version, including the one that runs this; those of other folders also by folder: there may be several builds of a
    version."""
    found = {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    for folder in ("/usr/bin", "/usr/local/bin", *glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin"))):
        for minor in range(8, 15):
            path = os.path.join(folder, f"python3.{minor}")
            if os.access(path, os.X_OK):
                found.setdefault(f"3.{minor}", path)
                if folder == "/usr/bin":
                    found[f"3.{minor} of the system"] = path
    for folder in filter(None, os.environ.get("TFPROF_PYTHONS", "").split(":")):
        for path in glob.glob(os.path.join(folder, "python3.*[0-9]")):
            found[f"{os.path.basename(path)[6:]} of {folder}"] = path
    return {v: p for v, p in found.items() if 8 <= int(v.split()[0].split(".")[1]) <= 14}


def run(program, *words, status=0):
    done = subprocess.run([program, "stacks", *words], capture_output=True, timeout=60, check=False)
    check(f"stacks {words}", done.returncode == status, done)
    return done.stdout.decode(), done.stderr.decode()


def rows(program, *words):
    out, _ = run(program, *words, "-format", "json")
    return json.loads(out)["rows"] if out else []


def one_version(program, python, script, name):
    with subprocess.Popen([python, script, "busy"], stdout=subprocess.PIPE) as job:
        try:
            job.stdout.readline()
            until(lambda: all(int(t) == job.pid or is_asleep(job.pid, t) for t in os.listdir(f"/proc/{job.pid}/task")))
            pid = str(job.pid)
            table = rows(program, pid, "--seconds", "0.5")
            hot = table[0] if table else {}
            check(f"{name}: hot first", hot.get("name", "").endswith(f"same name {os.getpid()}.py:7:hot") and hot["self"] > 5 and
                  hot["self_share"] > 0.8 and hot["kind"] == "python", table)
            total = {r["name"].rsplit("/", 1)[-1]: r["total"] for r in table}
            check(f"{name}: callers", any(k.endswith("busy") and v >= hot.get("total", 0) for k, v in total.items()), total)
            check(f"{name}: waiting threads don't count", all(r["self"] < 3 for r in table if "h\u00f6rt" in r["name"]), table)
            idle = rows(program, pid, "--seconds", "0.3", "--idle")
            check(f"{name}: --idle", any(r["name"].endswith(":12:h\u00f6rt") and r["self"] > 3 for r in idle), idle)
            once = rows(program, pid, "--once")
            threads = collections.defaultdict(list)
            for r in once:
                threads[r["tid"]].append(r)
            check(f"{name}: threads", len(threads) == 2 and job.pid in threads, once)
            main = threads[job.pid]
            check(f"{name}: depth", [r["depth"] for r in main] == list(range(len(main))), main)
            check(f"{name}: current line", main[-2]["name"].endswith("busy") and ":6:" in main[-2]["name"], main)
            other = next((t for tid, t in threads.items() if tid != job.pid), [{}])
            check(f"{name}: line of the sleep", other[0].get("name", "").endswith(":13:h\u00f6rt"), other)
            check(f"{name}: states", other[0].get("state") == "sleeping" and main[0]["state"] in ("running", "sleeping"), once)
            os.kill(job.pid, signal.SIGSTOP)
            check(f"{name}: a stopped job", len(rows(program, pid, "--once")) == len(once) or
                  rows(program, pid, "--once")[-1]["state"] == "stopped")
            os.kill(job.pid, signal.SIGCONT)
        finally:
            job.kill()


def forms(program, script, folder):
    with subprocess.Popen([sys.executable, script, "busy"], stdout=subprocess.PIPE) as job:
        try:
            job.stdout.readline()
            out, _ = run(program, os.path.basename(script), "--seconds", "0.5", "-format", "folded")
            lines = dict(line.rsplit(" ", 1) for line in out.splitlines())
            # a sample may come between two calls of hot()
            check("folded", lines and all(k.count(";") >= 2 and int(v) > 0 for k, v in lines.items()), out)
            check("folded, hot", max(lines, key=lambda k: int(lines[k]), default="").endswith(":hot"), out)
            check("folded, order", all("<module>" in k.split(";")[1] for k in lines), out)
            path = os.path.join(folder, "out.pb.gz")
            run(program, str(job.pid), "--seconds", "0.3", "-output", f"pprof:outfile={path}")
            with gzip.open(path) as f:
                data = f.read()
            check("pprof", all(word in data for word in (b"samples", b"hot", f"same name {os.getpid()}.py".encode(), b"nanoseconds")), data[:200])
            for form in ("text", "jsonl", "csv", "md"):
                out, _ = run(program, str(job.pid), "--seconds", "0.2", "-format", form)
                check(f"form {form}", "hot" in out, out)
            run(program, str(job.pid), "--once", "-format", "folded", status=2)
            run(program, str(job.pid), "--seconds", "0.2", "-o", os.path.join(folder, "t.csv"), "-format", "csv")
            check("-o", "hot" in open(os.path.join(folder, "t.csv"), encoding="utf-8").read())
            with subprocess.Popen([sys.executable, script, "idle"], stdout=subprocess.PIPE) as second:
                try:
                    second.stdout.readline()
                    _, err = run(program, os.path.basename(script), status=1)
                    check("two of a name", str(second.pid) in err and str(job.pid) in err, err)
                    out, err = run(program, str(second.pid), "--seconds", "0.2")
                    check("nothing ran", "no Python thread ran" in out + err, out + err)
                finally:
                    second.kill()
            sampler = subprocess.Popen([program, "stacks", str(job.pid), "--seconds", "30"], stdout=subprocess.PIPE)
            timer = threading.Timer(0.5, job.kill)
            timer.start()
            out = sampler.communicate(timeout=20)[0].decode()
            check("a job that ends", sampler.returncode == 0 and "ended" in out and "hot" in out, out)
        finally:
            job.kill()


def native_version(program, python, folder, name):
    """Native frames are between the Python functions that called them and that they called."""
    script = os.path.join(folder, "native.py")
    with subprocess.Popen([python, script, os.path.join(folder, "libtest.so"), "busy"], stdout=subprocess.PIPE) as job:
        try:
            job.stdout.readline()
            out, err = run(program, str(job.pid), "--native", "--seconds", "0.5", "-format", "folded")
            lines = [line.rsplit(" ", 1) for line in out.splitlines()]
            whole = sum(int(v) for _, v in lines)
            hot = sum(int(v) for k, v in lines if k.endswith("libtest.so:tfp_test_outer;libtest.so:tfp_test_inner"))
            check(f"{name}: native first", whole > 2 and hot >= 0.8 * whole, (out, err))
            top = max(lines, key=lambda x: int(x[1]))[0].split(";") if lines else []
            where = [next((i for i, f in enumerate(top) if f.endswith(w)), -1) for w in (
                ":<module>", ":train", ":calls_c", ":tfp_test_outer", ":tfp_test_inner")]
            check(f"{name}: one stack", where == sorted(where) and -1 not in where, top)
            check(f"{name}: map between two functions", where[2] > where[1] + 1, top)
            check(f"{name}: the loop is Python's functions", "_PyEval_EvalFrame" not in out and "main" not in top[1], out)
            out, _ = run(program, str(job.pid), "--native", "--seconds", "0.5", "-format", "speedscope")
            shown = json.loads(out)
            inner = [i for i, f in enumerate(shown["shared"]["frames"]) if f["name"] == "tfp_test_inner"]
            check(f"{name}: native in order of time", any(s and s[-1] in inner for p in shown["profiles"] for s in p["samples"]), out)
            with open(f"/proc/{job.pid}/status", encoding="utf-8") as f:
                check(f"{name}: not stopped", "TracerPid:\t0\n" in f.read())
            for _ in range(10):  # a thread that gets no CPU in this time has no sample
                once = rows(program, str(job.pid), "--native", "--once")
                if once and once[0]["kind"] == "native":
                    break
            check(f"{name}: native once", [r["kind"] for r in once[:2]] == ["native", "native"] and
                  once[0]["name"] == "libtest.so:tfp_test_inner" and once[-1]["kind"] == "python" and
                  [r["depth"] for r in once] == list(range(len(once))), once)
        finally:
            job.kill()


def native_new(program, python, folder, name):
    """A loop with too many functions is refused; otherwise native frames come below their function."""
    with subprocess.Popen([python, os.path.join(folder, "native.py"), os.path.join(folder, "libtest.so"), "busy"], stdout=subprocess.PIPE) as job:
        try:
            job.stdout.readline()
            done = subprocess.run([program, "stacks", str(job.pid), "--native", "-format", "folded"], capture_output=True, timeout=60, check=False)
            told = [line.rsplit(b" ", 1)[0].split(b";") for line in done.stdout.splitlines()]
            right = any(s[-1] == b"libtest.so:tfp_test_inner" and any(f.endswith(b":calls_c") for f in s) for s in told)
            check(f"{name}: native", right if not done.returncode else done.returncode == 1 and b"tail calls" in done.stderr, done)
        finally:
            job.kill()


def native_forms(program, folder):
    """Threads that wait, other users, a machine without libdw."""
    words = [sys.executable, os.path.join(folder, "native.py"), os.path.join(folder, "libtest.so")]
    with subprocess.Popen([*words, "idle"], stdout=subprocess.PIPE) as job:
        try:
            job.stdout.readline()
            until(lambda: is_asleep(job.pid))
            pid = str(job.pid)
            out, err = run(program, pid, "--native", "--seconds", "0.2")
            check("native: nothing ran", "no thread ran" in out + err, out + err)
            for words_of in (("--once",), ("--idle", "--seconds", "0.3")):
                table = rows(program, pid, "--native", *words_of)
                kinds = {r["kind"] for r in table}
                check(f"native {words_of}", kinds == {"python", "native", "kernel"} and
                      any("nanosleep" in r["name"] or "select" in r["name"] for r in table), table)
            bad = os.path.join(folder, "bad")
            os.mkdir(bad)
            with open(os.path.join(bad, "libdw.so.1"), "w", encoding="utf-8") as f:
                f.write("no library")
            done = subprocess.run([program, "stacks", pid, "--native"], capture_output=True, timeout=60, check=False,
                                  env={**os.environ, "LD_LIBRARY_PATH": bad})
            check("without libdw", done.returncode == 1 and not done.stdout and b"libdw" in done.stderr, done)
        finally:
            job.kill()
    if os.geteuid() == 0 and os.access(sys.executable, os.X_OK):
        other = {"user": 65534, "group": 65534, "extra_groups": []}
        with tempfile.TemporaryDirectory() as open_folder:
            os.chmod(open_folder, 0o755)
            for name in ("native.py", "libtest.so"):
                shutil.copy(os.path.join(folder, name), open_folder)
            tfprof = shutil.copy(program, open_folder)
            try:
                job = subprocess.Popen(["/usr/bin/python3", os.path.join(open_folder, "native.py"),
                                        os.path.join(open_folder, "libtest.so"), "busy"], stdout=subprocess.PIPE, **other)
            except OSError:
                return
            with job:
                try:
                    if not job.stdout.readline():
                        return
                    done = subprocess.run([tfprof, "stacks", str(job.pid), "--native", "-format", "json"], timeout=60, check=False,
                                          capture_output=True, cwd="/", **other)
                    with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as f:
                        paranoid = int(f.read())
                    if paranoid > 2:
                        check("native, not allowed", done.returncode == 1 and b"perf_event_paranoid" in done.stderr, done)
                    else:
                        check("native, no root", done.returncode == 0 and b"tfp_test_inner" in done.stdout and
                              (b"time in the kernel is not sampled" in done.stderr) == (paranoid == 2), done)
                finally:
                    job.kill()


def native(program, folder):
    compiler = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    try:
        ctypes.CDLL("libdw.so.1")
    except OSError:
        compiler = None
    if not compiler:
        print("left out: native stacks need libdw.so.1 and a C compiler")
        return
    source = os.path.join(folder, "test.c")
    for path, text in ((source, LIBRARY), (os.path.join(folder, "native.py"), NATIVE_JOB)):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    subprocess.run([compiler, "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-shared", "-fPIC", "-o",
                    os.path.join(folder, "libtest.so"), source], check=True)
    for name, python in sorted(pythons().items()):
        if name.startswith("3.14"):
            native_new(program, python, folder, name)
        else:
            native_version(program, python, folder, name)
    if 8 <= sys.version_info[1] <= 13:
        native_forms(program, folder)


def deep(program, folder):
    """A recursion of 800 calls, whose function and file have long names in other alphabets, is reported
    completely."""
    function = "f\u00fcnktion_\u4e2d\u6587" + "\u00e4" * 60
    script = os.path.join(folder, "r\u00fcckw\u00e4rts.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write(f"import sys, time\nsys.setrecursionlimit(3000)\ndef {function}(n):\n    if n:\n        return {function}(n - 1)\n"
                f"    print('ready', flush=True)\n    time.sleep(60)\n{function}(799)\n")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE) as job:
        try:
            job.stdout.readline()
            until(lambda: is_asleep(job.pid))
            once = rows(program, str(job.pid), "--once")
            check("800 calls", len(once) == 801 and sum(r["name"].endswith(f":{function}") for r in once) == 800, once[-3:])
            out, _ = run(program, str(job.pid), "--seconds", "0.2", "--idle", "-format", "folded")
            check("800 calls, folded", [line.count(function) for line in out.splitlines()] == [800], out[-300:])
        finally:
            job.kill()


def refusals(program):
    with subprocess.Popen(["sleep", "60"]) as other:
        for words, status, told in (((str(other.pid),), 1, "not-python"), (("999999999",), 1, "no such process"), (("no such.py",), 1, "no such"),
                                    ((), 2, "needs one"), ((str(other.pid), "--rate", "0"), 2, "--rate"),
                                    ((str(other.pid), "--rate", "1001"), 2, "--rate"), ((str(other.pid), "--seconds", "x"), 2, "--seconds")):
            out, err = run(program, *words, status=status)
            check(f"refused {words}", not out and err.count("\n") == 1 and told in err, err)
        other.kill()


def main():
    program = os.path.abspath(sys.argv[1])
    if os.uname().machine != "x86_64":
        print("left out: stacks are read on x86-64 only")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, f"same name {os.getpid()}.py")
        with open(script, "w", encoding="utf-8") as f:
            f.write(JOB)
        for name, python in sorted(pythons().items()):
            one_version(program, python, script, name)
        if 8 <= sys.version_info[1] <= 14:
            forms(program, script, folder)
            deep(program, folder)
        native(program, folder)
        refusals(program)
    return ended()


if __name__ == "__main__":
    sys.exit(main())

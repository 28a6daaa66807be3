#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof capture` against jobs that pretend to be frameworks, an agent that misbehaves, and servers of every kind: good, slow,
busy, truncated, hostile. capture.py TFPROF"""
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fake  # noqa: E402
from checks import check, child_of, ended, state_of, until  # noqa: E402
from profiler_server import HEAD, Server, frame, literal, message, response, trailers  # noqa: E402

JAX = "import jax, time\nprint('ready', flush=True)\ntime.sleep(60)\n"
TF2 = "import tensorflow, time\nprint('ready', flush=True)\ntime.sleep(60)\n"
TORCH = "import torch, time\nsgd = torch.optim.SGD()\nprint('ready', flush=True)\nend = time.time() + 60\nwhile time.time() < end:\n    sgd.step()\n    time.sleep(0.002)\n"
TF1 = ("import tensorflow, time\nfrom tensorflow.python.client import session\ns = session.BaseSession()\nprint('ready', flush=True)\n"
       "end = time.time() + 60\nwhile time.time() < end:\n    s.run(1)\n    time.sleep(0.002)\n")
# holds the interpreter's lock, like a long C call that does not release it
STUCK = ("import jax, os, sys, time\nagent = '%s/%d.json' % (os.environ['TFPROF_RUN_DIR'], os.getpid())\nwhile not os.path.exists(agent): time.sleep(0.01)\n"
         "sys.setswitchinterval(100)\ndef spin():\n    while True: pass\nprint('ready', flush=True)\nspin()\n")
PAIR = ("import jax, multiprocessing as mp, time\ndef work():\n    time.sleep(60)\nif __name__ == '__main__':\n    c = mp.get_context('fork').Process(target=work)\n"
        "    c.start()\n    print('ready', flush=True)\n    time.sleep(60)\n")


class Place:
    def __init__(self, program, folder):
        self.program, self.folder, self.count, self.jobs = program, folder, 0, []
        self.fakes = os.path.join(folder, "fakes")
        fake.make(self.fakes)
        self.env = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"), PYTHONPATH=self.fakes)

    def name(self, what):
        self.count += 1
        return os.path.join(self.folder, f"{what}{self.count}")

    def job(self, text, prepared=True):
        script = self.name("job") + ".py"
        with open(script, "w", encoding="utf-8") as f:
            f.write(text)
        before = [self.program, "run", "--dir", self.name("run-out"), "--"] if prepared else []
        job = subprocess.Popen([*before, sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.env,
                               start_new_session=True)
        self.jobs.append(job)
        job.stdout.readline()
        job.script = os.path.basename(script)
        job.python = job.pid
        if prepared:  # the interpreter is the child of tfprof
            job.python = child_of(job.pid)
            entry = os.path.join(self.env["TFPROF_RUN_DIR"], f"{job.python}.json")
            check("an agent is there", until(lambda: os.path.exists(entry)), entry)
        return job

    def recorded_by(self, job, *words, **options):
        """Starts a tfprof that records the job now."""
        first = subprocess.Popen([self.program, "capture", str(job.python), *words], env=self.env, **options)
        check("a recording has begun", until(lambda: fake.is_recording(self.fakes, job.python)), words)
        return first

    def capture(self, *words, form="jsonl", timeout=60):
        out = self.name("capture")
        done = subprocess.run([self.program, "capture", "-o", out, "-format", form, *words], capture_output=True, timeout=timeout,
                              check=False, env=self.env)
        try:
            with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
                manifest = json.load(f)
        except OSError:
            manifest = {"captures": []}
        return done, manifest["captures"], out, manifest

    def end(self):
        for job in self.jobs:
            try:
                os.killpg(job.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            job.wait()


def agents(p):
    jobs = {"jax": p.job(JAX), "tensorflow": p.job(TF2), "torch": p.job(TORCH)}
    done, rows, out, manifest = p.capture(*(str(j.python) for j in jobs.values()), "--ms", "200")
    check("status", done.returncode == 0, done)
    check("rows", [r["framework"] for r in rows] == list(jobs), rows)
    for r in rows:
        path = os.path.join(out, r["file"])
        kind = {"jax": "xspace", "tensorflow": "xspace", "torch": "kineto"}[r["framework"]]
        check(f"row {kind}", r["status"] == "ok" and r["code"] is None and r["via"] == "agent" and r["kind"] == kind, r)
        check(f"file {kind}", os.path.getsize(path) == r["bytes"] and os.stat(path).st_mode & 0o777 == 0o600, r)
        check(f"name {kind}", r["file"] == f"{r['pid']}/{r['pid']}" + (".xplane.pb" if kind == "xspace" else ".kineto.json"), r)
        check(f"window {kind}", 190000 <= r["window_micros"] < 2000000 and abs(r["started_unix_micros"] / 1e6 - time.time()) < 30, r)
        check(f"nothing was waited for, {kind}", r["waited_micros"] == 0 and r["stopped_micros"] == 0, r)
        check(f"facts {kind}", r["user"] and r["version"] is None and "job" in r["command"] and r["start_ticks"] > 0, r)
    check("manifest", manifest["schema"] == "tfprof.capture" and manifest["ms"] == 200 and manifest["steps"] is None and
          os.stat(out).st_mode & 0o777 == 0o700, manifest)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    check("jsonl", [line["pid"] for line in lines[1:]] and len(lines) == 4, done.stdout)
    shown = subprocess.run([p.program, "check", os.path.join(out, rows[0]["file"])], capture_output=True, check=False)
    check("readable", shown.returncode == 0, shown)
    done, rows, out, _ = p.capture(jobs["torch"].script, "--steps", "5")
    check("torch steps", done.returncode == 0 and rows[0]["status"] == "ok", (done, rows))
    with open(os.path.join(out, rows[0]["file"]), encoding="utf-8") as f:
        check("five steps", json.load(f)["steps"] == 5)
    old = p.job(TORCH.replace("sgd =", "del torch.profiler.profile.toggle_collection_dynamic\nsgd =", 1))
    for words in (("--ms", "50"), ("--steps", "2")):
        done, rows, out, _ = p.capture(str(old.python), *words)
        check(f"a torch that frees under its writers, {words}", done.returncode == 1 and rows[0]["code"] == "unsafe" and "2.9" in rows[0]["message"], rows)
    old.kill()
    done, rows, out, _ = p.capture(str(jobs["jax"].python), "--steps", "5")
    check("no-steps", done.returncode == 1 and rows[0]["code"] == "no-steps" and rows[0]["status"] == "refused", rows)
    check("manifest alone", os.listdir(out) == ["manifest.json"], os.listdir(out))
    done, rows, out, _ = p.capture("--all", "--ms", "100", form="text")
    mine = [r for r in rows if r["pid"] in [j.python for j in jobs.values()]]
    check("--all", len(mine) == 3 and all(r["status"] == "ok" for r in mine), rows)
    check("text", done.stdout.count(b"agent") >= 3 and b"tfprof summary" in done.stdout, done.stdout)
    for _ in range(5):  # on a busy machine one of them may wait for a CPU
        done, rows, out, _ = p.capture(*(str(j.python) for j in jobs.values()), "--ms", "200", "--align")
        starts = [r["started_unix_micros"] for r in rows]
        if done.returncode or max(starts) - min(starts) < 50000:
            break
    check("--align", done.returncode == 0 and max(starts) - min(starts) < 50000, starts)
    check("--align is no waiting for a session", all(r["waited_micros"] == 0 for r in rows), rows)
    aligned(p, jobs)
    unread(p, jobs["jax"].python)
    tf1 = p.job(TF1)
    done, rows, out, _ = p.capture(str(tf1.python), "--steps", "3")
    folder = os.path.join(out, str(tf1.python))
    check("TF1 steps", done.returncode == 0 and rows[0]["kind"] == "tf1" and len(os.listdir(folder)) == 4 and "graph.pb" in os.listdir(folder), (done, rows))
    return jobs


def aligned(p, jobs):
    """The common start time is set when all are ready, however long one of them takes; a recording that begins late
    says so."""
    slow = p.job(TORCH.replace("sgd =", "torch.profiler.profile.prepare_trace = lambda self: time.sleep(2)\nsgd =", 1))
    late = p.job(JAX.replace("print(", "import jaxlib._profiler as q\nbegin = q.ProfilerSession.__init__\n"
                             "q.ProfilerSession.__init__ = lambda s, o: (time.sleep(0.3), begin(s, o))[1]\nprint(", 1))
    for _ in range(5):
        done, rows, _, _ = p.capture(str(jobs["jax"].python), str(slow.python), str(late.python), "--ms", "100", "--align")
        if done.returncode or all(abs(r["started_us_late"]) < 50000 and r["message"] is None for r in rows[:2]):
            break
    check("a slow one is waited for", done.returncode == 0 and all(abs(r["started_us_late"]) < 50000 and r["message"] is None for r in rows[:2]), rows)
    check("a late one says so", rows[2]["status"] == "ok" and rows[2]["code"] is None and 250000 < rows[2]["started_us_late"] < 2000000 and
          "after the common start" in rows[2]["message"], rows[2])
    stuck = p.job(STUCK)
    start = time.monotonic()
    done, rows, _, _ = p.capture(str(jobs["jax"].python), str(stuck.python), "--ms", "100", "--align", "--timeout", "6")
    check("one that is never ready holds nobody", rows[0]["status"] == "ok" and rows[0]["started_us_late"] < 500000 and rows[1]["code"] == "timeout" and
          time.monotonic() - start < 25, (rows, time.monotonic() - start))
    done, rows, _, _ = p.capture(str(jobs["jax"].python), "--ms", "50")
    check("without --align there is no common start", rows[0]["started_us_late"] is None, rows)
    for job in (slow, late, stuck):
        os.killpg(job.pid, signal.SIGKILL)


def unread(p, pid):
    """A connection that is closed with unread bytes, as after SIGKILL, also ends the recording."""
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(os.path.join(p.env["TFPROF_RUN_DIR"], f"{pid}.sock"))
        s.sendall(b"capture ms=20000 steps=0 host=2 python=0 wait=0 align=0\n")
        check("a recording has begun", select.select([s], [], [], 20)[0])
    done, rows, _, _ = p.capture(str(pid), "--ms", "50", "--wait", "5")
    check("and ended", done.returncode == 0 and rows[0]["status"] == "ok", rows)


def limits(p, jobs):
    pid = str(jobs["jax"].python)
    first = p.recorded_by(jobs["jax"], "-o", p.name("busy"), "--ms", "5000", stdout=subprocess.DEVNULL)
    done, rows, _, _ = p.capture(pid, "--ms", "50", "--wait", "0.2")
    check("busy", done.returncode == 1 and (rows[0]["code"], rows[0]["status"]) == ("busy", "refused"), rows)
    done, rows, _, _ = p.capture(pid, "--ms", "50", "--wait", "30")
    check("waited", done.returncode == 0 and rows[0]["waited_micros"] > 300000, rows)
    check("first", first.wait(timeout=20) == 0)
    first = p.recorded_by(jobs["jax"], "-o", p.name("killed"), "--ms", "60000", stdout=subprocess.DEVNULL)
    first.kill()
    first.wait()
    check("a killed tfprof ends the session", until(lambda: not fake.is_recording(p.fakes, pid), 30))
    done, rows, _, _ = p.capture(pid, "--ms", "50", "--wait", "5")
    check("and another may record", done.returncode == 0, rows)
    out = p.name("interrupted")
    first = p.recorded_by(jobs["jax"], "-o", out, "--ms", "20000", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=10)
    with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
        rows = json.load(f)["captures"]
    check("interrupted", first.returncode == 130 and rows[0]["status"] == "cancelled", (first.returncode, rows))
    done, rows, out, _ = p.capture(str(jobs["torch"].python), "--ms", "50", "--max-bytes", "10")
    check("too big", done.returncode == 5 and rows[0]["code"] == "too-big", (done.returncode, rows))
    stuck = p.job(STUCK)
    start = time.monotonic()
    done, rows, _, _ = p.capture(str(stuck.python), "--ms", "50", "--timeout", "0.5", "--wait", "0")
    check("timeout", done.returncode == 1 and rows[0]["code"] == "timeout" and "spin" in rows[0]["message"] and time.monotonic() - start < 25, rows)


def turns(p):
    """Recordings of one job take turns; they also wait for the job's own profiler, and then name
    it."""
    job = p.job(JAX)
    asked = [subprocess.Popen([p.program, "capture", str(job.python), "-o", p.name("turn"), "-format", "jsonl", "--ms", "500", "--wait", "30"],
                              stdout=subprocess.PIPE, env=p.env) for _ in range(3)]
    rows = [json.loads(one.communicate(timeout=60)[0].splitlines()[-1]) for one in asked]
    check("three at once", [(r["status"], r["via"]) for r in rows] == [("ok", "agent")] * 3 and sum(r["waited_micros"] > 0 for r in rows) == 2, rows)
    own = {"jax": JAX.replace("print(", "import jaxlib._profiler as q\noptions = q.ProfileOptions()\noptions.host_tracer_level = options.python_tracer_level = 0\n"
                              "own = q.ProfilerSession(options)\nprint(", 1),
           "torch": TORCH.replace("print(", "torch.profiler.profile.on = True\nprint(", 1)}
    for name, text in own.items():
        done, rows, _, _ = p.capture(str(p.job(text).python), "--ms", "50", "--wait", "0.5")
        check(f"the job's own profiler, {name}", done.returncode == 1 and (rows[0]["status"], rows[0]["code"]) == ("failed", "busy") and
              "own profiler" in rows[0]["message"], rows)


def refusals(p, jobs):
    plain = p.job(JAX, prepared=False)
    done, rows, out, _ = p.capture(str(plain.pid))
    check("unprepared", done.returncode == 1 and rows[0]["code"] == "unprepared" and "tfprof run" in rows[0]["message"] and
          f"tfprof capture --attach {plain.pid}" in rows[0]["message"], rows)
    python = p.job("print('ready', flush=True)\nimport time\ntime.sleep(60)\n", prepared=False)
    done, rows, out, _ = p.capture(python.script)
    check("no-framework", rows[0]["code"] == "no-framework", rows)
    os.kill(plain.pid, signal.SIGSTOP)
    until(lambda: state_of(plain.pid) == "T")
    done, rows, out, _ = p.capture(str(plain.pid))
    check("stopped", rows[0]["code"] == "stopped", rows)
    done, rows, out, _ = p.capture("999999999", "no such script.py")
    check("gone", done.returncode == 1 and [r["code"] for r in rows] == ["gone", "gone"], rows)
    ended = p.job(f"import jax, time\n{fake.RECORDS}print('ready', flush=True)\nwhile not records(): time.sleep(0.01)\nos._exit(0)\n")
    done, rows, out, _ = p.capture(str(ended.python), "--ms", "15000")
    check("ends during the capture", rows[0]["code"] == "gone" and rows[0]["status"] == "failed", rows)
    pair = p.job(PAIR)
    child = child_of(pair.python)
    check("its child has an agent", until(lambda: os.path.exists(os.path.join(p.env["TFPROF_RUN_DIR"], f"{child}.json"))))
    done, rows, out, _ = p.capture(str(pair.python), "--ms", "100")
    check("a job of two", done.returncode == 0 and len(rows) == 2 and len({r["job"] for r in rows}) == 1 and
          len(os.listdir(os.path.join(out, str(pair.python)))) == 2, rows)
    for words, status in (((), 2), (("1", "--ms", "0"), 2), (("1", "--ms", "60001"), 2), (("1", "--host-level", "4"), 2), (("1", "--ms", "5", "--steps", "1"), 2)):
        done = subprocess.run([p.program, "capture", *words], capture_output=True, check=False, env=p.env, cwd=p.folder)
        check(f"usage {words}", done.returncode == status and done.stderr.count(b"\n") == 1 and not done.stdout, done)
    full = p.name("full")
    os.makedirs(os.path.join(full, "x"))
    done = subprocess.run([p.program, "capture", str(jobs["jax"].python), "-o", full], capture_output=True, check=False, env=p.env)
    check("a full folder", done.returncode == 3, done)


# ---- servers ----

def servers(p):
    xspace = fake.sample()
    whole = HEAD + frame(0, 0, 1, message(response(xspace))) + trailers(b"0")
    many = xspace * 3000
    cases = {
        "good": (lambda n, r: whole, "ok", None),
        "one byte at a time": (lambda n, r: [whole[i:i + 1] for i in range(len(whole))], "ok", None),
        "padded": (lambda n, r: HEAD + frame(0, 8, 1, b"\x02" + message(response(xspace)) + b"\0\0") + trailers(b"0"), "ok", None),
        "pings": (lambda n, r: HEAD + frame(6, 0, 0, b"12345678") + frame(0, 0, 1, message(response(xspace))) + trailers(b"0"), "ok", None),
        "headers in pieces": (lambda n, r: HEAD + frame(0, 0, 1, message(response(xspace))) + frame(1, 1, 1, literal(b"grpc-status", b"0")[:5]) +
                              frame(9, 4, 1, literal(b"grpc-status", b"0")[5:]), "ok", None),
        "refused": (lambda n, r: HEAD + trailers(b"12", b"unimplemented%2E \x1b"), "failed", "grpc-12"),
        "busy once": (lambda n, r: HEAD + trailers(b"13", b"Another profiling session active.") if n == 0 else whole, "ok", None),
        "empty": (lambda n, r: HEAD + frame(0, 0, 1, message(b"\x38\x01")) + trailers(b"0"), "failed", "protocol"),
        "no message": (lambda n, r: HEAD + trailers(b"0"), "failed", "protocol"),
        "truncated": (lambda n, r: whole[:-30], "failed", "protocol"),
        "cut message": (lambda n, r: HEAD + frame(0, 0, 1, message(response(xspace))[:20]) + trailers(b"0"), "failed", "protocol"),
        "no protobuf": (lambda n, r: HEAD + frame(0, 0, 1, message(b"\xff\x0b\x07" * 30)) + trailers(b"0"), "failed", "protocol"),
        "two messages": (lambda n, r: HEAD + frame(0, 0, 1, message(response(xspace)) * 2) + trailers(b"0"), "failed", "protocol"),
        "an XSpace of other bytes": (lambda n, r: HEAD + frame(0, 0, 1, message(response(bytes(range(7, 250))))) + trailers(b"0"), "failed", "protocol"),
        "an XSpace of no bytes": (lambda n, r: HEAD + frame(0, 0, 1, message(response(b""))) + trailers(b"0"), "failed", "protocol"),
        "a plane of other bytes": (lambda n, r: HEAD + frame(0, 0, 1, message(response(b"\x0a\x14" + bytes(range(7, 27))))) + trailers(b"0"), "failed", "protocol"),
        "closed at once": (lambda n, r: b"", "failed", "protocol"),
        "HTTP/1": (lambda n, r: b"HTTP/1.1 400 Bad Request\r\n\r\n", "failed", "protocol"),
        "noise": (lambda n, r: bytes(range(256)) * 40, "failed", "protocol"),
        "reset": (lambda n, r: HEAD + frame(3, 0, 1, b"\0\0\0\2"), "failed", "protocol"),
        "goes away": (lambda n, r: frame(4, 0, 0, b"") + frame(7, 0, 0, b"\0\0\0\0\0\0\0\2"), "failed", "protocol"),
        "headers without end": (lambda n, r: HEAD + b"".join(frame(9 if i else 1, 0, 1, b"\0" * 16000) for i in range(10)), "failed", "protocol"),
        "a table that we do not have": (lambda n, r: HEAD + frame(1, 5, 1, b"\xff\x70"), "failed", "protocol"),
        "padding too long": (lambda n, r: HEAD + frame(0, 8, 1, b"\xff12"), "failed", "protocol"),
        "slow": (lambda n, r: [HEAD, 30, whole], "failed", "timeout"),
    }
    running = {name: Server(answer) for name, (answer, _, _) in cases.items()}
    words = [f"127.0.0.1:{s.port}" for s in running.values()]
    start = time.monotonic()
    done, rows, out, _ = p.capture(*words, "--ms", "100", "--timeout", "4", "--wait", "2", "--parallel", "50")
    check("servers, status", done.returncode == 1 and len(rows) == len(cases), done)
    check("servers, before the slow one answers", time.monotonic() - start < 29, time.monotonic() - start)
    for r, (name, (_, status, code)) in zip(rows, cases.items()):
        check(f"server {name}", (r["status"], r["code"], r["via"]) == (status, code, "grpc"), r)
        if status == "ok":
            with open(os.path.join(out, r["file"]), "rb") as f:
                check(f"bytes of {name}", f.read() == xspace, r)
    preface, request = running["good"].calls[0]
    check("preface", preface == b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", preface)
    check("request", b"\x08\x64" in request and request.endswith(b"\x48\x01"), request)
    check("file of a server", rows[0]["file"] == "127.0.0.1_{0}/127.0.0.1_{0}.xplane.pb".format(running["good"].port), rows[0])
    big = Server(lambda n, r: [HEAD] + [frame(0, 0, 1, part) for part in (message(response(many))[i:i + 16000] for i in range(0, len(many) + 20, 16000))] + [trailers(b"0")])
    done, rows, out, _ = p.capture(f"localhost:{big.port}", "--max-bytes", "100000")
    check("--max-bytes", done.returncode == 5 and (rows[0]["status"], rows[0]["code"]) == ("partial", "too-big") and 0 < rows[0]["bytes"] <= 100000 and
          rows[0]["bytes"] % len(xspace) == 0, (done.returncode, rows))
    done, rows, out, _ = p.capture(f"localhost:{big.port}", "--ms", "50")
    check("a big one", done.returncode == 0 and rows[0]["bytes"] == len(many), rows)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        done, rows, _, _ = p.capture(f"127.0.0.1:{free.getsockname()[1]}", "no-such-host.invalid:1", "127.0.0.1:1", "--steps", "1")
        check("no-steps of a server", [r["code"] for r in rows] == ["no-steps"] * 3, rows)
        done, rows, _, _ = p.capture(f"127.0.0.1:{free.getsockname()[1]}")
        check("unreachable", rows[0]["code"] == "unreachable", rows)
    for wrong in ("127.0.0.1:70000", "localhost:0", "::1:80"):
        done, rows, out, _ = p.capture(wrong)
        check(f"no port: {wrong}", done.returncode == 2 and wrong.encode() in done.stderr and not rows, done)
    try:
        six = Server(lambda n, r: whole, socket.AF_INET6)
        done, rows, _, _ = p.capture(f"[::1]:{six.port}", "--ms", "50")
        check("IPv6", done.returncode == 0 and rows[0]["status"] == "ok", rows)
    except OSError:
        pass  # a machine without it


def schedulers(p):
    """Jobs have the names that their scheduler gives them."""
    env = dict(p.env)
    p.env = dict(env, SLURM_JOB_ID="4711", SLURM_ARRAY_JOB_ID="4700", SLURM_ARRAY_TASK_ID="3")
    slurm = p.job(JAX)
    p.env = dict(env, KUBERNETES_SERVICE_HOST="10.0.0.1", HOSTNAME="trainer-0")
    pod = p.job(JAX)
    p.env = dict(env, HOSTNAME="trainer-1", SLURM_JOB_ID="47110")
    p.job(JAX)
    p.env = env
    for selector, pid in (("slurm@4711", slurm.python), ("slurm@4700_3", slurm.python), ("k8s@trainer-0", pod.python), ("k8s@trainer-1", None), ("slurm@", None)):
        done, rows, _, _ = p.capture(selector, "--ms", "50")
        check(f"selector {selector}", [r["pid"] for r in rows] == [pid] and rows[0]["code"] == (None if pid else "gone"), rows)
        done = subprocess.run([p.program, "top", "--once", selector, "-format", "json"], capture_output=True, check=False, env=p.env)
        check(f"top {selector}", [r["pid"] for r in json.loads(done.stdout)["rows"]] == ([pid] if pid else []), done)


def hostile_agents(p):
    """A malformed or lying socket in the run folder does no harm."""
    run = p.env["TFPROF_RUN_DIR"]
    answers = {"noise": b"\xff" * 9000, "cut": b"file .xplane.pb 100\nabc", "elsewhere": b"file ../../x 3\nabcdone xspace 1 1 jax\n",
               "no file": b"done xspace 1 1 jax\n", "no kind": b"file .kineto.json 1\nxdone what 1 1 jax\n", "its own code": b"error no-such-code because\n",
               "an XSpace of no bytes": b"file .xplane.pb 0\ndone xspace 1 1 jax\n",
               "an XSpace of other bytes": b"file .xplane.pb 200\n" + bytes(range(7, 207)) + b"done xspace 1 1 jax\n",
               "huge": b"file .xplane.pb 99999999999999999\nabc", "negative": b"file .xplane.pb -3\nabc"}
    script = p.name("agent") + ".py"
    with open(script, "w", encoding="utf-8") as f:
        f.write("import jax, os, socket, sys\nfrom json import dumps\npid, run = os.getpid(), sys.argv[1]\n"
                "ticks = int(open('/proc/self/stat').read().rpartition(')')[2].split()[19])\n"
                "s = socket.socket(socket.AF_UNIX)\ns.bind(f'{run}/{pid}.sock')\ns.listen()\n"
                "open(f'{run}/{pid}.json', 'w').write(dumps({'pid': pid, 'start_ticks': ticks}))\nprint('ready', flush=True)\n"
                "while True:\n    c, _ = s.accept()\n    c.recv(4096)\n    c.sendall(bytes.fromhex(sys.argv[2]))\n    c.close()\n")
    for name, data in answers.items():
        job = subprocess.Popen([sys.executable, script, run, data.hex()], stdout=subprocess.PIPE, env=p.env, start_new_session=True)
        p.jobs.append(job)
        job.stdout.readline()
        done, rows, out, _ = p.capture(str(job.pid), "--timeout", "3", "--wait", "0")
        status = "partial" if name == "no kind" else "failed"  # one file was received before
        check(f"hostile agent: {name}", done.returncode in (1, 5) and rows[0]["status"] == status and rows[0]["code"] in ("protocol", "too-big"), rows)
        check(f"no file: {name}", (os.listdir(out) == ["manifest.json"]) == (status == "failed"), os.listdir(out))
        os.killpg(job.pid, signal.SIGKILL)


def recorders(p):
    """--snapshot and --recorder make one call each, have no window, and work only with servers."""
    xspace, names = fake.sample(), []

    def method(server, number):
        return server.heads[number].split(b"/tensorflow.ProfilerService/")[1].split(b"\0")[0]

    class Named(Server):
        """A server that also keeps the heads of calls, which contain the method."""
        heads = ()

        def serve(self, peer):
            self.heads = [*self.heads, peer.recv(4096, socket.MSG_PEEK)]
            super().serve(peer)

    whole = HEAD + frame(0, 0, 1, message(response(xspace))) + trailers(b"0")
    good = Named(lambda n, r: whole)
    done, rows, out, _ = p.capture(f"127.0.0.1:{good.port}", "--snapshot")
    check("a snapshot", done.returncode == 0 and (rows[0]["status"], rows[0]["window_micros"], rows[0]["started_unix_micros"]) == ("ok", None, None), rows)
    check("its call", method(good, 0).startswith(b"GetSnapshot") and good.calls[0][1] == b"", (good.heads, good.calls))
    with open(os.path.join(out, rows[0]["file"]), "rb") as f:
        check("its bytes", f.read() == xspace, rows)
    with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
        check("its manifest", json.load(f)["ms"] is None, out)
    empty = Named(lambda n, r: HEAD + frame(0, 0, 1, message(b"")) + trailers(b"0"))
    for word, call in (("start", b"StartContinuousProfiling"), ("stop", b"StopContinuousProfiling")):
        done, rows, _, _ = p.capture(f"127.0.0.1:{empty.port}", "--recorder", word)
        check(f"--recorder {word}", done.returncode == 0 and (rows[0]["status"], rows[0]["file"]) == ("ok", None), rows)
        names.append(method(empty, len(names)).startswith(call))
    check("their calls", names == [True, True] and b"\x10\x02" in empty.calls[0][1] and empty.calls[1][1] == b"", empty.calls)
    none = Server(lambda n, r: HEAD + trailers(b"5", b"No continuous profiling session found."))
    done, rows, _, err = p.capture(f"127.0.0.1:{none.port}", "--snapshot")
    check("no recorder", (rows[0]["status"], rows[0]["code"]) == ("failed", "grpc-5") and b"--recorder start" in done.stderr, done)
    done, rows, _, _ = p.capture(f"127.0.0.1:{Server(lambda n, r: HEAD + trailers(b'6', b'A profiling session is already running.')).port}", "--recorder", "start")
    check("a recorder that is there", rows[0]["code"] == "grpc-6" and rows[0]["waited_micros"] == 0, rows)
    done, rows, _, _ = p.capture(f"127.0.0.1:{empty.port}", "--snapshot")
    check("an empty snapshot", rows[0]["code"] == "protocol", rows)
    job = p.job(JAX)
    done, rows, _, _ = p.capture(str(job.python), "--snapshot")
    check("a process has none", (rows[0]["status"], rows[0]["code"]) == ("refused", "unprepared"), rows)
    for words in (("--snapshot", "--ms", "5"), ("--snapshot", "--recorder", "stop"), ("--recorder", "start", "--attach"), ("--recorder", "on")):
        done, _, _, _ = p.capture("127.0.0.1:1", *words)
        check(f"{words}", done.returncode == 2, done)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        p = Place(program, folder)
        try:
            jobs = agents(p)
            limits(p, jobs)
            turns(p)
            refusals(p, jobs)
            schedulers(p)
            hostile_agents(p)
            servers(p)
            recorders(p)
        finally:
            p.end()
    return ended()


if __name__ == "__main__":
    sys.exit(main())

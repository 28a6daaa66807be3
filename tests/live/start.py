#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof run`: nothing of the command changes, and what it was asked to record is there. start.py TFPROF"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fake  # noqa: E402
from checks import check, child_of, ended, until  # noqa: E402


TORCH = """
import sys, time, torch
sgd = torch.optim.SGD()
for i in range(int(sys.argv[1])):
    sgd.step()
    time.sleep(0.002)
"""
TF1 = """
import sys, tensorflow
from tensorflow.python.client import session
s = session.BaseSession()
assert s.run.__doc__ == "runs"
for i in range(int(sys.argv[1])):
    assert s.run([i]) == [i]
"""
JAX = "import jax, sys, time\nprint('ready', flush=True)\ntime.sleep(float(sys.argv[1]))\n"
SHOW = """
import json, os, sys, warnings
try:
    import sitecustomize
    site = getattr(sitecustomize, "MINE", "none")
except Exception as e:
    site = repr(e)
print(json.dumps([sys.path, sys.argv, sorted(m for m in sys.modules if "tfprof" in m), site, sys.warnoptions,
                  os.environ.get("PYTHONPATH", "").split(":")[-1], sys.flags.isolated]))
"""


class Place:
    def __init__(self, program, folder):
        self.program, self.folder, self.count = program, folder, 0
        self.fakes = os.path.join(folder, "fakes")
        fake.make(self.fakes)
        self.env = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"), PYTHONPATH=self.fakes)

    def script(self, text):
        self.count += 1
        path = os.path.join(self.folder, f"script{self.count}.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def run(self, options, command, **more):
        self.count += 1
        out = os.path.join(self.folder, f"out{self.count}")
        done = subprocess.run([self.program, "run", "--dir", out, *options, "--", *command], capture_output=True, timeout=60,
                              check=False, env=more.pop("env", self.env), **more)
        try:
            with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
                manifest = json.load(f)
        except OSError:
            manifest = None
        return done, manifest, out


def transparent(p):
    for code in (0, 3, 255):
        done, _, _ = p.run([], [sys.executable, "-c", f"import sys; print('o'); print('e', file=sys.stderr); sys.exit({code})"])
        check(f"status {code}", done.returncode == code and done.stdout == b"o\n" and done.stderr.startswith(b"e\n"), done)
    done, _, _ = p.run([], [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"])
    check("128 + N", done.returncode == 128 + signal.SIGTERM, done)
    done, _, _ = p.run([], ["no-such-command"])
    check("127", done.returncode == 127 and done.stderr.count(b"\n") == 1, done)
    done, _, _ = p.run([], ["/etc/passwd"])
    check("126", done.returncode == 126 and done.stderr.count(b"\n") == 1, done)
    done, _, _ = p.run([], ["cat"], input=b"through")
    check("stdin", done.stdout == b"through", done)
    done = subprocess.run([p.program, "run", "--every", "x", "--", "true"], capture_output=True, check=False, env=p.env)
    check("usage", done.returncode == 2, done)
    done = subprocess.run([p.program, "run"], capture_output=True, check=False, env=p.env)
    check("no command", done.returncode == 2, done)
    done = subprocess.run([p.program, "run", "--dir", "/proc/no", "--", sys.executable, "-c", "print(1)"], capture_output=True, check=False, env=p.env)
    check("no folder", done.returncode == 3 and not done.stdout, done)
    os.makedirs(os.path.join(p.folder, "full", "x"))
    done = subprocess.run([p.program, "run", "--dir", os.path.join(p.folder, "full"), "--", "true"], capture_output=True, check=False, env=p.env)
    check("a full folder", done.returncode == 3, done)


def interpreter(p):
    """sys.path, sys.argv, sitecustomize and warnings are the same as without tfprof."""
    show = p.script(SHOW)
    for name, site in (("none", None), ("own", "MINE = 'own'\n"), ("broken", "raise ValueError('own fault')\n"), ("absent import", "import no_such_module\n")):
        env = dict(p.env)
        if site is not None:
            folder = os.path.join(p.folder, "site " + name)
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, "sitecustomize.py"), "w", encoding="utf-8") as f:
                f.write(site)
            env["PYTHONPATH"] = p.fakes + ":" + folder
        plain = subprocess.run([sys.executable, "-W", "error", show, "a b"], capture_output=True, check=False, env=env)
        ours, _, _ = p.run([], [sys.executable, "-W", "error", show, "a b"], env=env)
        check(f"as without, {name}", plain.stdout == ours.stdout and plain.stdout, (plain.stdout, ours.stdout))
        said = [line for line in ours.stderr.splitlines() if not line.startswith(b"tfprof: note:")]
        check(f"errors as without, {name}", said == plain.stderr.splitlines(), (said, plain.stderr))
    env = {k: v for k, v in p.env.items() if k != "PYTHONPATH"}
    plain = subprocess.run([sys.executable, show], capture_output=True, check=False, env=env)
    ours, _, _ = p.run([], [sys.executable, show], env=env)
    check("no PYTHONPATH", json.loads(plain.stdout)[:5] == json.loads(ours.stdout)[:5], (plain.stdout, ours.stdout))
    for option in ("-S", "-I", "-E"):
        done, manifest, _ = p.run([], [sys.executable, option, "-c", "print(1)"])
        check(f"not reached, {option}", done.returncode == 0 and b"no Python process was reached" in done.stderr and manifest["captures"] == [], done)


def recorded(p):
    done, m, out = p.run(["--every", "10"], [sys.executable, p.script(TF1), "35"])
    files = sorted(c["file"].split("/")[1] for c in m["captures"])
    check("TF1", files == ["run_meta_10.pb", "run_meta_20.pb", "run_meta_30.pb"] and done.returncode == 0, (files, done))
    job = os.path.join(out, m["captures"][0]["file"].split("/")[0])
    check("TF1, graph", sorted(os.listdir(job)) == ["graph.pb"] + files and open(job + "/graph.pb", "rb").read() == b"graph", os.listdir(job))
    check("TF1, traced", open(job + "/run_meta_10.pb", "rb").read() == b"traced")
    check("TF1, kind", all((c["kind"], c["via"], c["status"], c["framework"]) == ("tf1", "agent", "ok", "tensorflow") for c in m["captures"]), m)
    check("TF1, command", all(c["command"].startswith(sys.executable + " ") for c in m["captures"]), m)
    modes = {oct(os.stat(os.path.join(d, f)).st_mode & 0o777) for d, _, fs in os.walk(out) for f in fs}
    check("modes", modes == {"0o600"} and os.stat(out).st_mode & 0o777 == 0o700, modes)
    done, m, out = p.run(["--at-step", "5,9", "--steps", "2"], [sys.executable, p.script(TF1), "12"])
    check("TF1, --at-step", sorted(c["file"].split("/")[1] for c in m["captures"]) == ["run_meta_10.pb", "run_meta_5.pb", "run_meta_6.pb", "run_meta_9.pb"], m)
    done, m, out = p.run(["--every", "20", "--steps", "3"], [sys.executable, p.script(TORCH), "50"])
    check("torch", len(m["captures"]) == 2 and done.returncode == 0, (m, done))
    for c in m["captures"]:
        with open(os.path.join(out, c["file"]), encoding="utf-8") as f:
            trace = json.load(f)
        check("torch, steps", trace["steps"] == 3 and c["kind"] == "kineto" and c["file"].endswith(".kineto.json"), (c, trace["steps"]))
    for level in ("0", "1"):
        done, m, out = p.run(["--at-step", "7", "--python-level", level], [sys.executable, p.script(TORCH), "12"])
        with open(os.path.join(out, m["captures"][0]["file"]), encoding="utf-8") as f:
            trace = json.load(f)
        check(f"stacks, modules and shapes of PyTorch, --python-level {level}", [trace[key] for key in ("with_stack", "with_modules", "record_shapes")] == [int(level)] * 3, trace)
    done, m, out = p.run(["--every", "10"], [sys.executable, p.script(JAX), "0.2"])
    check("JAX has no steps", [(c["status"], c["code"]) for c in m["captures"]] == [("refused", "no-steps")] and done.returncode == 0, (m, done))
    done, m, out = p.run(["--every", "1s", "--ms", "20"], [sys.executable, p.script(JAX), "2.6"])
    check("windows", 1 <= len(m["captures"]) <= 2 and all(c["kind"] == "xspace" and c["window_micros"] >= 20000 for c in m["captures"]), (m, done))
    check("no part is left", not [f for _, _, fs in os.walk(out) for f in fs if "part" in f])
    p.run([], [sys.executable, "-c", "import jax, os, signal, time; time.sleep(0.3); os.kill(os.getpid(), signal.SIGKILL)"])
    run = p.env["TFPROF_RUN_DIR"]
    check("run folder is empty", os.listdir(run) == [], os.listdir(run))


def children(p):
    """Children are prepared too; those of a shell, forked and spawned."""
    job = p.script(TF1)
    done, m, out = p.run(["--every", "10"], ["sh", "-c", f"{sys.executable} {job} 10 & {sys.executable} {job} 20; wait"])
    check("two jobs", len({c["pid"] for c in m["captures"]}) == 2 and len(m["captures"]) == 3, (m, done))
    spawn = p.script("import multiprocessing as mp, sys, tensorflow\nfrom tensorflow.python.client import session\n"
                     "def work():\n    s = session.BaseSession()\n    [s.run(i) for i in range(10)]\n"
                     "if __name__ == '__main__':\n    ctx = mp.get_context(sys.argv[1])\n    c = ctx.Process(target=work); c.start(); c.join(); sys.exit(c.exitcode)\n")
    for way in ("fork", "spawn"):
        done, m, out = p.run(["--every", "10"], [sys.executable, spawn, way])
        rows = [c for c in m["captures"] if c["status"] == "ok"]
        check(f"a child by {way}", b"prepared" not in done.stderr and done.returncode == 0 and len(rows) == 1 and rows[0]["job"].split("@")[0] != str(rows[0]["pid"]), (m, done))


def start(p, options, command, out):
    return subprocess.Popen([p.program, "run", "--dir", out, *options, "--", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=p.env)


def signals(p):
    # os.write: a signal may interrupt print(), whose buffer refuses a second print() in the handler
    script = p.script("import os, signal, sys\ndef say(word): os.write(1, word.encode() + b'\\n')\n"
                      "for n in ('HUP', 'INT', 'QUIT', 'USR1', 'USR2', 'CONT'):\n"
                      "    signal.signal(getattr(signal, 'SIG' + n), lambda n, f: say(signal.Signals(n).name))\n"
                      "def end(n, f):\n    say('end'); sys.exit(7)\nsignal.signal(signal.SIGTERM, end)\n"
                      "say('ready')\nwhile True: signal.pause()\n")
    job = start(p, [], [sys.executable, script], os.path.join(p.folder, "signals"))
    check("ready", job.stdout.readline() == b"ready\n")
    for name in ("SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT"):
        job.send_signal(getattr(signal, name))
        check(f"passed on: {name}", job.stdout.readline().decode().strip() == name)
    job.send_signal(signal.SIGTERM)
    out, _ = job.communicate(timeout=20)
    check("passed on: SIGTERM", job.returncode == 7 and out == b"end\n", (job.returncode, out))
    out = os.path.join(p.folder, "on signal")
    job = start(p, ["--on-signal", "USR2", "--ms", "30"], [sys.executable, p.script(JAX), "6"], out)
    job.stdout.readline()
    check("an agent is there", until(lambda: os.path.exists(os.path.join(p.env["TFPROF_RUN_DIR"], f"{child_of(job.pid)}.json"))))
    job.send_signal(signal.SIGUSR2)
    job.communicate(timeout=20)
    with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
        m = json.load(f)
    check("--on-signal", [c["status"] for c in m["captures"]] == ["ok"] and job.returncode == 0 and
          os.path.getsize(os.path.join(out, m["captures"][0]["file"])) > 0, m)
    out = os.path.join(p.folder, "on signal at the end")
    job = start(p, ["--on-signal", "USR2", "--ms", "600"],
                [sys.executable, p.script("import jax, os, signal\nos.kill(os.getpid(), signal.SIGUSR2)\n")], out)
    job.communicate(timeout=20)
    with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
        m = json.load(f)
    check("--on-signal: the end of the job waits for the recording", len(m["captures"]) == 1 and job.returncode == 0, m)
    late = "import os, signal, sys, time\n%sos.write(1, b'ready\\n')\ntime.sleep(1)\nimport jax\ntime.sleep(1)\n"
    for name, begin in (("tfprof", ""), ("the job", "os.kill(os.getpid(), signal.SIGUSR2)\n")):
        out = os.path.join(p.folder, "early signal of " + name)
        job = start(p, ["--on-signal", "USR2", "--ms", "30"], [sys.executable, p.script(late % begin)], out)
        job.stdout.readline()
        if name == "tfprof":
            job.send_signal(signal.SIGUSR2)
        job.communicate(timeout=20)
        with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
            m = json.load(f)
        check(f"--on-signal before the framework is there, to {name}", [c["status"] for c in m["captures"]] == ["ok"], m)
    for name, script, note in (("none", JAX, b"no signal came"), ("too late", "import os, time\nos.write(1, b'ready\\n')\ntime.sleep(1)\nimport jax\nos._exit(0)\n", b"ended before")):
        job = start(p, ["--on-signal", "USR2"], [sys.executable, p.script(script), "0.1"], os.path.join(p.folder, "signal " + name))
        job.stdout.readline()
        if name == "too late":
            job.send_signal(signal.SIGUSR2)
        _, err = job.communicate(timeout=20)
        check(f"--on-signal: {name}", note in err, err)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        p = Place(program, folder)
        for part in (transparent, interpreter, recorded, children, signals):
            part(p)
    return ended()


if __name__ == "__main__":
    sys.exit(main())

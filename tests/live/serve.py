#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof serve --live`: who may see and record jobs, what its processes answer, how they end.
serve.py TFPROF   Frameworks are the pretended ones of fake.py."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "server")]
import fake  # noqa: E402
from serving import Server  # noqa: E402

from checks import check, ended, until

JOB = """
import sys, time, %s
def work():
    sum(range(20000))
    time.sleep(0.001)
print("ready", flush=True)
end = time.time() + 120
while time.time() < end:
    work()
"""
CAN_ATTACH = os.uname().machine == "x86_64"


@contextlib.contextmanager
def started(command, folder, environment):
    job = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        check("a job begins", job.stdout.readline() == "ready\n", command)
        yield job
    finally:
        job.terminate()
        job.wait()


class Live(Server):
    """A client with a token in a header, like programs."""

    def __init__(self, program, folder, environment, *words):
        super().__init__(program, "--live", "--dir", "recorded", *words, cwd=folder, token=True, environment=environment)
        self.bearer = f"Authorization: Bearer {self.token}"

    def ask(self, path):
        return self.get("/api/v1/live" + path, self.bearer)

    def post(self, path, *headers):
        return self.get("/api/v1/live" + path, *(headers or (self.bearer,)), method="POST")

    def workers(self):
        """The process that starts the workers, and the workers."""
        def children(pid):
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
                return f.read().split()
        return [p for keeper in children(self.process.pid) for p in (keeper, *children(keeper))]

    def job(self, pid):
        return next((r for r in self.ask("/jobs").json()["rows"] if r["pid"] == pid), None)

    def recorded(self, answer):
        """The finished recording that an answer began."""
        number = answer.json()["recording"]
        one = lambda: next(r for r in self.ask("").json()["recordings"] if r["recording"] == number)
        until(lambda: one()["state"] != "running", 60)
        return one()


def who_may(s, job):
    """Nothing changes without a token in a header, sent from this origin."""
    path = f"/record?job={job}&ms=100"
    own = s.ask("").json()["token"]
    cookie = f"Cookie: {s.cookie}"
    host = f"Origin: http://{s.host}"
    refused = {
        "no token": ("Cookie: a=b",), "a cookie alone": (cookie,), "a cookie, own origin": (cookie, host, "Sec-Fetch-Site: same-origin"),
        "the page's token alone": (f"Authorization: Bearer {own}",), "another token": (cookie, "Authorization: Bearer " + "0" * 32),
        "no bearer": (cookie, f"Authorization: {own}"), "another origin": (s.bearer, "Origin: http://evil.example"),
        "another site": (s.bearer, "Sec-Fetch-Site: cross-site"), "another site's form": (s.bearer, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"),
        "a sister site": (s.bearer, "Sec-Fetch-Site: same-site"), "typed by hand": (s.bearer, "Sec-Fetch-Site: none"), "null": (s.bearer, "Origin: null"),
    }
    for name, headers in refused.items():
        answer = s.post(path, *headers)
        check(f"refused: {name}", answer.status == 403 and "access-control-allow-origin" not in answer.headers, answer.raw[:300])
    check("the token in the address", s.get(f"/api/v1/live{path}&token={s.token}", "Cookie: a=b", method="POST").status == 403)
    check("GET changes nothing", (s.ask(path).status, s.ask(path).headers.get("allow")) == (405, "POST"))
    check("HEAD changes nothing", s.get("/api/v1/live" + path, s.bearer, method="HEAD").status == 405)
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "post"):
        check(f"{method}", s.get("/api/v1/live" + path, s.bearer, method=method).status == 405)
    for other in ("/api/v1/tables", "/api/v1/live", "/api/v1/live/jobs", "/", "/nothing"):
        answer = s.get(other, s.bearer, method="POST")
        check(f"POST {other}", (answer.status, answer.headers.get("allow")) == (405, "GET, HEAD"), answer.raw[:200])
    check("a body", s.post(path, s.bearer, "Content-Length: 3").status == 413)
    check("nothing was recorded", s.ask("").json()["recordings"] == [])
    page = s.post(path, cookie, f"Authorization: Bearer {own}", host, "Sec-Fetch-Site: same-origin", "Content-Length: 0")
    check("the page may", page.status == 200, page.raw[:300])
    s.recorded(page)


def wrong_questions(s, job):
    pid, ticks = job.split("@")
    for query in ("", "job=", "job=1", "job=x@1", "job=1@", "job=@1", f"job={pid}@{ticks}x", "job=-1@1", "job=0@1", f"job={job}&ms=0", f"job={job}&ms=60001",
                  f"job={job}&ms=1&steps=1", f"job={job}&steps=x", f"job={job}&other=1", "job=1@1&" * 64 + "job=1@1", "job=99999999999@1"):
        answer = s.post("/record?" + query)
        check(f"record?{query[:40]}", answer.status == 400 and answer.json()["error"], answer.raw[:300])
    for path, status in (("/jobs/1/threads", 400), ("/jobs/x@y/stacks", 400), (f"/jobs/{job}/stacks?seconds=0", 400), (f"/jobs/{job}/stacks?seconds=11", 400),
                         (f"/jobs/{pid}@1/threads", 422), ("/jobs/4194305@1/threads", 422), (f"/jobs/{job}/other", 404), (f"/jobs/{job}", 404)):
        check(path, s.ask(path).status == status, s.ask(path).raw[:300])
    other = s.recorded(s.post(f"/record?job={pid}@{int(ticks) + 1}"))
    check("a number that is used again", (other["state"], other["table"]) == ("failed", None) and "it has ended" in other["error"], other)


def seen(s, prepared, plain):
    row = until(lambda: s.job(prepared.pid)) or {}
    check("a prepared job", (row.get("framework"), row.get("capture")) == ("torch", "agent"), row)
    check("its command line", "train.py" in row.get("command", ""), row)
    other = s.job(plain.pid)
    check("a plain job", other["framework"] == "jax" and (other["capture"] == "attach") == CAN_ATTACH, other)
    if CAN_ATTACH:
        threads = s.ask(f"/jobs/{other['job']}/threads").json()["rows"]
        check("threads", any(t["tid"] == plain.pid and "plain.py" in t["name"] for t in threads), threads)
        stacks = s.ask(f"/jobs/{other['job']}/stacks?seconds=1&idle=1").json()["rows"]
        check("stacks", any(r["name"].endswith("plain.py:3:work") and r["self"] > 0 for r in stacks), stacks)
    return row["job"], other["job"]


def capabilities(server):
    """As root: the server keeps the capability to read files, and the workers that look at jobs keep those for
    looking and recording."""
    def kept(pid):
        with open(f"/proc/{pid}/status", encoding="utf-8") as f:
            lines = dict(line.split(":", 1) for line in f)
        return [int(lines[name], 16) for name in ("CapEff", "CapPrm", "CapBnd")]
    read, lookers, admin = 1 << 2, (1 << 1) | (1 << 2) | (1 << 14) | (1 << 19) | (1 << 38), 1 << 21
    check("capabilities of the server", all(k & ~read == 0 for k in kept(server)), [hex(k) for k in kept(server)])
    children = [int(p) for p in os.listdir("/proc") if p.isdigit() and parent_of(int(p)) == server]
    below = children + [int(p) for p in os.listdir("/proc") if p.isdigit() and parent_of(int(p)) in children]
    check("there are some that look at jobs", len(below) > 1, below)
    for pid in below:
        check("capabilities of those that look at jobs", all(k & ~lookers & ~admin == 0 for k in kept(pid)), [hex(k) for k in kept(pid)])


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            return int(f.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def recordings(s, folder, prepared, plain):
    done = s.recorded(s.post(f"/record?job={prepared}&job={plain}&ms=200"))
    rows = {r["job"]: r for r in done["table"]["rows"]}
    check("the prepared job is recorded", (rows[prepared]["status"], rows[prepared]["via"]) == ("ok", "agent"), done)
    check("the other one is not touched", (rows[plain]["status"], rows[plain]["code"]) == ("refused", "unprepared") or not CAN_ATTACH, done)
    path = os.path.join(folder, "recorded", done["folder"], rows[prepared]["file"])
    check("the file is the user's own", os.stat(path).st_mode & 0o777 == 0o600, path)
    name = f"{done['folder']}/{rows[prepared]['file']}"
    found = until(lambda: next((p for p in s.profiles() if p["name"] == name and p["folder"] == "recorded"), None))
    check("it opens where it is", found and s.api(f"profiles/{found['id']}").status == 200, s.profiles())
    check("the manifest is no profile", not any("manifest" in p["name"] for p in s.profiles()), s.profiles())
    if CAN_ATTACH:
        done = s.recorded(s.post(f"/record?job={plain}&ms=200&attach=1&align=1"))
        check("attach, when asked", done["table"]["rows"][0]["status"] == "ok" and done["table"]["rows"][0]["via"] == "attach", done)
    first = s.post(f"/record?job={prepared}&ms=1000")
    check("one at a time", s.post(f"/record?job={prepared}&ms=100").status == 503)
    check("meanwhile jobs are listed", s.ask("/jobs").status == 200)
    check("it runs", any(r["state"] == "running" for r in s.ask("").json()["recordings"]))
    s.recorded(first)


def ends(s, folder, job):
    """When the server ends, a recording ends too, and so do its processes."""
    workers = s.workers()
    check("a keeper and three processes", len(workers) == 4, workers)
    before = len(os.listdir(os.path.join(folder, "recorded")))
    s.post(f"/record?job={job}&ms=30000")
    until(lambda: len(os.listdir(os.path.join(folder, "recorded"))) > before)
    status, err, seconds = s.stop(signal.SIGINT)
    check("it ends at once", status == 0 and seconds < 4 and not err, (status, err, seconds))
    check("its processes end", until(lambda: not any(os.path.exists(f"/proc/{p}/stat") for p in workers), 10), workers)
    last = sorted(os.listdir(os.path.join(folder, "recorded")))[-1]
    with open(os.path.join(folder, "recorded", last, "manifest.json"), encoding="utf-8") as f:
        rows = json.load(f)["captures"]
    check("what ran is cancelled", rows and rows[0]["status"] in ("cancelled", "partial"), rows)


def dead_workers(s, job):
    """Each killed worker is replaced at the next request, which is answered."""
    for turn in range(2):
        before = s.workers()
        for pid in before[1:]:
            os.kill(int(pid), signal.SIGKILL)
        if turn:
            until(lambda: not any(os.path.exists(f"/proc/{pid}/exe") for pid in before[1:]))
        check(f"jobs are listed by another process, {turn}", s.ask("/jobs").status == 200)
        check(f"stacks are read by another process, {turn}", s.ask(f"/jobs/{job}/threads").status == 200)
    done = s.recorded(s.post(f"/record?job={job}&ms=100"))
    check("another process records", done["state"] == "done", done)
    check("no more processes than before", len(s.workers()) == 4, s.workers())


def without(program, folder, environment):
    """Without the option there is no page of jobs; without a token, no jobs; an empty folder is
    removed."""
    s = Server(program, cwd=folder, token=True, environment=environment)
    check("without --live", s.get("/api/v1/live/jobs").status == 404 and "live" not in s.get("/api/v1/tables").json())
    check("without --live no POST", s.get("/api/v1/live/record", method="POST").headers.get("allow") == "GET, HEAD")
    s.stop()
    for words, text in (("--live", "--no-token"), "token"), (("--commands",), "--live"), (("--dir", "x"), "--live"), (("--live", "--dir", "missing/x"), "missing/x"):
        done = subprocess.run([program, "serve", *words, "--port", "0"], cwd=folder, env=environment, capture_output=True, text=True, timeout=30, check=False)
        check(f"serve {words}", done.returncode == (3 if "missing/x" in words else 2) and text in done.stderr and done.stderr.count("\n") == 1, done)
    check("nothing is left of those", sorted(os.listdir(folder)) == ["fake", "plain.py", "run", "train.py"], os.listdir(folder))


def from_elsewhere(program, folder, environment, pid):
    """At an address that other machines can reach, command lines and stacks are not shown."""
    for commands in (False, True):
        words = ["--host", "0.0.0.0"] + (["--commands"] if commands else [])
        p = subprocess.Popen([program, "serve", "--live", *words, "--port", "0"], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
        lines = [p.stdout.readline() for _ in range(3)]
        s = Live.__new__(Live)
        s.process, s.cookie, (s.port, s.token) = p, None, lines[2].strip().split(":")[2].split("/?token=")
        s.port, s.host, s.bearer = int(s.port), "127.0.0.1:" + s.port, f"Authorization: Bearer {s.token}"
        check("what it means is said", "jobs of this machine" in lines[1], lines)
        row = s.job(pid) or {}
        shown = bool(row.get("command")) and s.ask(f"/jobs/{row['job']}/threads").status == 200
        check(f"--commands {commands}", row and shown == commands or not CAN_ATTACH, row)
        if not commands:
            check("why there is none", "command: " in row["why"] and s.ask(f"/jobs/{row['job']}/threads").status == 422, row)
        p.terminate()
        p.communicate(timeout=20)
    check("empty folders go", not [n for n in os.listdir(folder) if n.startswith("tfprof-live")], os.listdir(folder))


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="tfprof_live_") as folder:
        fake.make(os.path.join(folder, "fake"))
        for name, framework in (("train.py", "torch"), ("plain.py", "jax")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(JOB % framework)
        os.mkdir(os.path.join(folder, "run"), 0o700)
        environment = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"), PYTHONPATH=os.path.join(folder, "fake"))
        without(program, folder, environment)
        command = [program, "run", "--dir", os.path.join(folder, "results"), "--", sys.executable, "train.py"]
        with started(command, folder, environment) as above, started([sys.executable, "plain.py"], folder, environment) as plain:
            with open(f"/proc/{above.pid}/task/{above.pid}/children", encoding="ascii") as f:
                above.pid_of_job = int(f.read().split()[0])
            prepared = type("Job", (), {"pid": above.pid_of_job})
            s = Live(program, folder, environment)
            try:
                first, second = seen(s, prepared, plain)
                who_may(s, first)
                wrong_questions(s, first)
                if os.geteuid() == 0:
                    capabilities(s.process.pid)
                recordings(s, folder, first, second)
                dead_workers(s, first)
                ends(s, folder, first)
            finally:
                s.stop()
            from_elsewhere(program, folder, environment, plain.pid)
    return ended()


if __name__ == "__main__":
    sys.exit(main())

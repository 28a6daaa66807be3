#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof agent --listen` and `top --agent`, `capture --agent`: who may see and record, what arrives, hostile ends of both sides.
remote.py TFPROF   Frameworks are the pretended ones of fake.py. As root the two also stand in network namespaces of their own."""
import contextlib
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fake  # noqa: E402
from checks import allowance, check, ended, prepared, until  # noqa: E402

JOB = "import jax, time\nprint('ready', flush=True)\nend = time.time() + 120\nwhile time.time() < end:\n    sum(range(2000))\n    time.sleep(0.002)\n"
TOKEN = "secret-of-12-bytes"


def run(program, *words, before=(), token=TOKEN, status=0):
    environment = {**os.environ, "TFPROF_TOKEN": token}
    done = subprocess.run([*before, program, *words], capture_output=True, timeout=90, check=False, env=environment, text=True)
    check(f"{words}", done.returncode == status, (done.returncode, done.stdout, done.stderr))
    return done.stdout, done.stderr


@contextlib.contextmanager
def agent(program, *words, address="127.0.0.1:0", before=(), environment=None):
    """Starts an agent; returns its address."""
    with subprocess.Popen([*before, program, "agent", "--listen", address, *words], stdout=subprocess.PIPE, text=True,
                          env={**(environment or os.environ), "TFPROF_TOKEN": TOKEN}) as process:
        try:
            line = process.stdout.readline()
            yield line.split()[-1] if line else "", process
        finally:
            process.terminate()
            process.wait(20)


def raw(address, data, wait=5):
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), wait) as s:
        s.settimeout(wait)
        s.sendall(data)
        got = b""
        with contextlib.suppress(OSError):
            while piece := s.recv(65536):
                got += piece
        return got


def request(address, target, token=TOKEN, method="GET", more=""):
    return f"{method} {target} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{more}\r\n".encode()


def gates(program, address):
    """Unauthorized and malformed requests are refused."""
    for name, data, status in (
            ("no token", b"GET /v1/top HTTP/1.1\r\nHost: x\r\n\r\n", 403), ("wrong token", request(address, "/v1/top", TOKEN[:-1] + "x"), 403),
            ("a prefix", request(address, "/v1/top", TOKEN[:-1]), 403), ("longer", request(address, "/v1/top", TOKEN + "x"), 403),
            ("capture without", request(address, "/v1/capture?all=", "wrong-token-here", "POST"), 403),
            ("other path", request(address, "/metrics"), 404), ("capture by GET", request(address, "/v1/capture?all="), 404),
            ("nothing selected", request(address, "/v1/capture", method="POST"), 400), ("percent", request(address, "/v1/capture?job=%41", method="POST"), 400),
            ("a port of ours", request(address, "/v1/capture?job=127.0.0.1:22", method="POST"), 400),
            ("another setting", request(address, "/v1/capture?all=&dir=x", method="POST"), 400), ("twice", request(address, "/v1/capture?all=&ms=1&ms=2", method="POST"), 400),
            ("a switch with a value", request(address, "/v1/capture?all=&align=0", method="POST"), 400), ("all with a value", request(address, "/v1/capture?all=0", method="POST"), 400),
            ("shared with a value", request(address, "/v1/capture?all=&shared=1", method="POST"), 400),
            ("form", request(address, "/v1/top?format=x"), 400), ("stacks without --commands", request(address, "/v1/hang?format=csv"), 403), ("many", request(address, "/v1/capture?" + "&".join(["job=1"] * 25), method="POST"), 400),
            ("body", request(address, "/v1/top", more="Content-Length: 5\r\n"), 413), ("long", b"GET /" + b"x" * 20000, 400)):
        got = raw(address, data)
        late = name == "capture without" and got.startswith(b"HTTP/1.1 429 ")  # this is the fourth wrong token
        check(f"gate, {name}", got.startswith(f"HTTP/1.1 {status} ".encode()) or late or (name == "long" and got.startswith(b"HTTP/1.1 4")), got[:300])
    for wrong, status in (("wrong-secret", 1), ("short", 2), ("", 2)):
        out, err = run(program, "top", "--agent", address, token=wrong, status=status)
        check(f"token {wrong!r}", not out and err.count("\n") == 1 and TOKEN not in err, err)
    slow = [socket.create_connection(address.rsplit(":", 1)) for _ in range(20)]
    for s in slow:
        s.sendall(b"GET /v1/top HTTP/1.1\r\n")
    out, _ = run(program, "top", "--agent", address, "-format", "json")
    check("beside slow ones", out.startswith("{"), out)
    for s in slow:
        s.close()


def tables(program, address, job):
    out, _ = run(program, "top", "--agent", address, "-format", "json")
    rows = json.loads(out)["rows"]
    mine = next((r for r in rows if r["pid"] == job.pid), {})
    check("top", mine.get("framework") == "jax" and mine.get("command") is None, rows)
    for form in ("text", "csv", "jsonl", "md"):
        out, _ = run(program, "top", "--agent", address, "-format", form)
        check(f"top, {form}", str(job.pid) in out, out)
    run(program, "top", "--agent", address, "--user", "x", status=2)
    out, err = run(program, "top", "--agent", f"{address},127.0.0.1:1,{address}", status=1)
    lines = out.splitlines()
    mine = [line for line in lines if f" {job.pid} " in line and line.startswith(address)]
    check("several agents", lines[0].startswith("AGENT ") and len(mine) == 2 and len([line for line in lines if line.startswith("127.0.0.1:1 ")]) == 1 and err.count("127.0.0.1:1:") == 1,
          (out, err))
    check("columns of several", len({line.find(f" {job.pid} ") for line in mine}) == 1, out)
    rows = json.loads(run(program, "top", "--agent", f"{address},{address}", "-format", "json")[0])["rows"]
    check("several agents, json", [r["host"] for r in rows if r["pid"] == job.pid] == [address] * 2, rows)
    with tempfile.NamedTemporaryFile("w") as f:
        f.write("# nodes\n" + f"{address}  # this one\n\n" * 70)
        f.flush()
        rows = json.loads(run(program, "top", "--agent", f"@{f.name}", "-format", "json")[0])["rows"]
        check("a file of 70 addresses", len([r for r in rows if r["pid"] == job.pid]) == 70, len(rows))
    run(program, "top", "--agent", "@/no/such/file", status=1)
    for wrong, more in ((f"{address},", ()), (",", ()), (",".join([address] * 1001), ())):
        out, err = run(program, "top", "--agent", wrong, *more, status=2)
        check(f"refused: {wrong[:40]}", not out and err.count("\n") == 1, (out, err))
    run(program, "top", "--agent", "no-port-here:1:2", status=1)
    run(program, "top", "--agent", "127.0.0.1:1", status=1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hangs = "127.0.0.1:%d" % silent.getsockname()[1]
        with subprocess.Popen([program, "top", "--agent", f"{hangs},{address}", "--timeout", "5"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "TFPROF_TOKEN": TOKEN}) as top:
            begin, lines = time.monotonic(), []
            while not any(f" {job.pid} " in line for line in lines) and (line := top.stdout.readline()):
                lines.append(line)
            check("rows of the others do not wait for it", top.poll() is None, lines)
            out, err = top.communicate(timeout=20)
            check("the silent one has its time", top.returncode == 1 and hangs in out and "in time" in err and 4 < time.monotonic() - begin < 7 + allowance(), (out, err))


def refreshed(program, address, job):
    """On a terminal the table is fetched repeatedly, until q."""
    pid, screen = pty.fork()
    if pid == 0:
        os.execve(program, [program, "top", "--agent", address, "--interval", "0.2"], {**os.environ, "TFPROF_TOKEN": TOKEN})
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("4H", 20, 100, 0, 0))
    got, end = b"", time.monotonic() + 30
    while got.count(f" {job.pid} ".encode()) < 3 and time.monotonic() < end:
        if select.select([screen], [], [], 0.2)[0]:
            got += os.read(screen, 65536)
    os.write(screen, b"q")
    with contextlib.suppress(OSError):
        while os.read(screen, 65536):
            pass
    check("refreshed", got.count(f" {job.pid} ".encode()) >= 3 and b"of 1 agent" in got and os.waitpid(pid, 0)[1] == 0, got)
    os.close(screen)


def recordings(program, address, job, folder, before=(), leaves=None):
    out = os.path.join(folder, f"out{time.monotonic_ns()}")
    text, err = run(program, "capture", str(job.pid), "--agent", address, "--attach", "--ms", "200", "-o", out, before=before)
    path = os.path.join(out, str(job.pid), f"{job.pid}.xplane.pb")
    check("capture", os.path.isfile(path) and str(job.pid) in text, (text, err, os.path.isdir(out) and os.listdir(out)))
    if not os.path.isfile(path):
        return
    check("modes", oct(os.stat(path).st_mode)[-3:] == "600" and oct(os.stat(out).st_mode)[-3:] == "700")
    with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
        manifest = json.load(f)
    row = manifest["captures"][0]
    check("manifest", row["status"] == "ok" and row["command"] is None and row["bytes"] == os.path.getsize(path), manifest)
    check("opens", subprocess.run([program, "info", os.path.join(out, str(job.pid))], capture_output=True, check=False).returncode == 0)
    if leaves:
        # the answer is complete before the agent's child has ended
        until(lambda: not any(n.startswith("tfprof-agent-") for n in os.listdir(leaves)), 30)
        check("nothing stays at the agent", not [n for n in os.listdir(leaves) if n.startswith("tfprof-agent-")], os.listdir(leaves))
    out, err = run(program, "capture", str(job.pid), "--agent", address, "-o", out, before=before, status=3)
    check("folder in use", "not empty" in err, err)


def refusals(program, address, job, folder):
    out = os.path.join(folder, "unprepared")
    text, _ = run(program, "capture", str(job.pid), "--agent", address, "-o", out, "-format", "json", status=1)
    rows = json.loads(text)["rows"]
    check("unprepared", rows[0]["code"] == "unprepared" and os.listdir(out) == ["manifest.json"], rows)
    _, err = run(program, "capture", "a b", "--agent", address, "-o", os.path.join(folder, "x"), status=2)
    check("a name with a blank", "PID" in err, err)
    _, err = run(program, "capture", str(job.pid), "--agent", address, "--ms", "99999999", "-o", os.path.join(folder, "y"), status=2)
    check("a wrong window", "ms" in err and not os.path.exists(os.path.join(folder, "y")), err)


def together(program, folder, environment):
    """Several machines, simulated by separate jobs and run folders: one folder and table, and recordings begin together."""
    with contextlib.ExitStack() as stack:
        agents, jobs = [], []
        for i in range(2):
            own = {**environment, "TFPROF_RUN_DIR": os.path.join(folder, f"run{i}")}
            os.mkdir(own["TFPROF_RUN_DIR"], 0o700)
            job = stack.enter_context(subprocess.Popen([program, "run", "--dir", os.path.join(folder, f"own{i}"), "--", sys.executable, os.path.join(folder, "train.py")],
                                                       stdout=subprocess.PIPE, env=own))
            job.stdout.readline()
            stack.callback(job.terminate)
            jobs.append(job)
            agents.append(stack.enter_context(agent(program, environment=own))[0])
        silent = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        hangs = "127.0.0.1:%d" % silent.getsockname()[1]
        for i in range(2):
            prepared(os.path.join(folder, f"run{i}"))
        for _ in range(4):
            out = os.path.join(folder, f"together{time.monotonic_ns()}")
            text, err = run(program, "capture", "--agent", ",".join(agents), "--all", "--ms", "100", "-o", out, "-format", "json", status=1)
            rows = json.loads(text)["rows"]
            good = [r for r in rows if r["status"] == "ok"]
            starts = [r["started_unix_micros"] for r in good]
            if len(starts) == 2 and abs(starts[0] - starts[1]) < 50000:
                break
        check("one job of each machine", sorted(r["host"] for r in good) == sorted(agents) and {r["code"] for r in rows} == {None, "unprepared"}, (rows, err))
        check("they begin together", abs(starts[0] - starts[-1]) < 50000 and all(r["started_us_late"] < 50000 for r in good), good)
        with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
            manifest = json.load(f)
        check("a manifest of all", len(manifest["captures"]) == len(rows) and all(os.path.isfile(os.path.join(out, r["file"])) for r in good), manifest)
        check("a job opens", subprocess.run([program, "info", os.path.dirname(os.path.join(out, good[0]["file"]))], capture_output=True, check=False).returncode == 0)
        begin = time.monotonic()
        out = os.path.join(folder, "beside")
        text, err = run(program, "capture", "--agent", f"{agents[0]},{hangs}", "--all", "--ms", "100", "--timeout", "4", "-o", out, "-format", "json", status=1)
        good = [r for r in json.loads(text)["rows"] if r["status"] == "ok"]
        check("a machine that hangs holds nobody", len(good) == 1 and time.monotonic() - begin < 6.2 + allowance() and hangs in err, (time.monotonic() - begin, text, err))
        run(program, "capture", "--agent", f"{agents[0]},{agents[0]}", "--all", "-o", os.path.join(folder, "twice"), status=2)


def interrupted(program, address, job, folder, leaves):
    """If the reader disconnects, the recording ends, and another one can begin."""
    with subprocess.Popen([program, "capture", str(job.pid), "--agent", address, "--attach", "--ms", "60000", "-o", os.path.join(folder, "z")],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TFPROF_TOKEN": TOKEN}) as client:
        check("it records", until(lambda: [n for n in os.listdir(leaves) if n.startswith("tfprof-agent-")]), os.listdir(leaves))
        got = raw(address, request(address, "/v1/capture?all=", method="POST"))
        check("one at a time", got.startswith(b"HTTP/1.1 503 ") and b"another recording" in got, got)
        client.send_signal(signal.SIGINT)
        check("^C", client.wait(20) == 130, client.returncode)
    gone = until(lambda: not [n for n in os.listdir(leaves) if n.startswith("tfprof-agent-")], 20)
    check("^C leaves nothing at the agent", gone, os.listdir(leaves))


def answered(program, server, data, *words):
    """The result of a command that gets this answer."""
    def serve():
        s, _ = server.accept()
        with s, contextlib.suppress(OSError):
            s.settimeout(5)
            s.recv(65536)
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            s.recv(1)
    thread = threading.Thread(target=serve)
    thread.start()
    done = subprocess.run([program, *words, "--agent", "127.0.0.1:%d" % server.getsockname()[1]], capture_output=True, timeout=60, check=False,
                          env={**os.environ, "TFPROF_TOKEN": TOKEN})
    thread.join()
    return done


LATE = """
import mmap, sys
print("ready", flush=True)
sys.stdin.readline()
with open(sys.argv[1], "rb") as f:
    held = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
sys.stdin.readline()
"""


def late_library(program, address, folder):
    """A program that loads CUDA's library, which is small, after the agent has looked at the
    program."""
    library = os.path.join(folder, "libcudart.so.13")
    with open(library, "wb") as f:
        f.write(bytes(700000))
    with subprocess.Popen([sys.executable, "-c", LATE, library], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as late:
        frameworks = lambda: [r["framework"] for r in json.loads(run(program, "top", "--agent", address, "-format", "json")[0])["rows"] if r["pid"] == late.pid]
        late.stdout.readline()
        before = frameworks()
        print(file=late.stdin, flush=True)
        check("a library that is loaded after a look", not before and until(lambda: frameworks() == ["cuda"], 30), before)
        late.stdin.close()


def hostile_tables(program):
    """Hostile answers to `top`: a valid table is shown, but without control characters that move
    the cursor."""
    tables_of = {"other columns": (b"a,b\n1,2\n", 1, b""), "a row too short": (b"pid,user\n1,x\n2\n", 1, b""), "nothing": (b"", 1, b""), "NULs": (b"pid\n\0\n", 1, b""),
                 "no rows": (b"pid,user\n", 0, b"no running job"), "quotes": (b'pid,command\n7,"a ""b"", c\nd"\n', 0, b'a "b", c'), "not ended": (b'pid,command\n7,"abc', 0, b"abc"),
                 "escapes": (b"pid,user\n7,\x1b[2J\xc2\x9b1m\n", 0, b"  7 "), "no number": (b"pid,cpu\nx,nan(3)\n", 0, b" - "),
                 "many columns": (b"pid" + b",x" * 100 + b"\n7" + b",y" * 100 + b"\n", 0, b" 7 "), "a long cell": (b"pid,command\n7," + b"z" * 100000 + b"\n", 0, b"zzzz")}
    with socket.create_server(("127.0.0.1", 0)) as server:
        for name, (table, status, text) in tables_of.items():
            done = answered(program, server, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(table) + table, "top")
            check(f"hostile table, {name}", done.returncode == status and text in done.stdout and not set(b"\x1b\x9b\0") & set(done.stdout + done.stderr)
                  and done.stderr.count(b"\n") == status, done)


def hostile_agents(program, folder):
    """Answers with every kind of error: no file is written outside the folder, and the command does not wait
    forever."""
    report = b"report 0 3\nabc"
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    answers = {
        "climbs": head + report + b"file ../evil 1\nx", "absolute": head + report + b"file /tmp/evil 1\nx", "hidden": head + b"file .x/y 1\nx",
        "deep": head + b"file a/b/c 1\nx", "huge": head + b"file a/b 99999999999999\nx", "negative": head + b"file a/b -1\nx", "cut": head + b"file a/b 10\nx",
        "twice": head + b"file a/b 1\nxfile a/b 1\nx", "no manifest": head + report + b"end\n", "after the manifest": head + report + b"file manifest.json 2\n{}file a/b 1\nx",
        "empty": b"", "no HTTP": b"SSH-2.0-x\r\n", "endless head": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 9000, "escape": b"HTTP/1.1 403 Forbidden\r\n\r\n\x1b[2Jevil\n",
        "NUL": head + b"end\0\n", "long line": head + b"f" * 5000}
    with socket.create_server(("127.0.0.1", 0)) as server:
        for i, (name, data) in enumerate(answers.items()):
            done = answered(program, server, data, "capture", "1", "-o", os.path.join(folder, f"hostile{i}"))
            check(f"hostile, {name}", done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"\x1b" not in done.stdout + done.stderr, done)
        check("nothing outside", not os.path.exists("/tmp/evil") and not os.path.exists(os.path.join(folder, "evil")))


def namespaces(program, folder, environment, job):
    """The agent and its reader on two machines, simulated by network namespaces."""
    ip = shutil.which("ip") if shutil.which("nsenter") else None
    names = [f"tfp{os.getpid()}{x}" for x in "ab"]
    made = ip and os.geteuid() == 0 and subprocess.run([ip, "netns", "add", names[0]], capture_output=True, check=False).returncode == 0
    if not made:
        print("left out: two network namespaces cannot be made here")
        return
    try:
        commands = (f"netns add {names[1]}", f"link add {names[0]} netns {names[0]} type veth peer name {names[1]} netns {names[1]}",
                    *(f"-n {n} addr add 10.77.0.{i + 1}/24 dev {n}" for i, n in enumerate(names)), *(f"-n {n} link set {n} up" for n in names))
        if any(subprocess.run([ip, *c.split()], capture_output=True, check=False).returncode for c in commands):
            print("left out: two network namespaces cannot be joined here")
            return
        enter = [["nsenter", f"--net=/var/run/netns/{n}"] for n in names]
        with agent(program, address="10.77.0.1:0", before=enter[0], environment=environment) as (address, _):
            out, _ = run(program, "top", "--agent", address, "-format", "json", before=enter[1])
            check("top of another machine", str(job.pid) in out, out)
            recordings(program, address, job, folder, before=enter[1])
    finally:
        for n in names:
            subprocess.run([ip, "netns", "del", n], capture_output=True, check=False)


def main():
    program = os.path.abspath(sys.argv[1])
    for words, token in ((("--listen", "127.0.0.1:0"), ""), (("--listen", "0.0.0.0:0"), ""), (("--listen", "x"), TOKEN), (("--listen", "127.0.0.1:0", "1"), TOKEN)):
        run(program, "agent", *words, token=token, status=2)
    with tempfile.TemporaryDirectory() as folder:
        leaves = os.path.join(folder, "agent")
        os.mkdir(leaves)
        fake.make(os.path.join(folder, "fake"))
        environment = {**os.environ, "PYTHONPATH": os.path.join(folder, "fake"), "TMPDIR": leaves, "TFPROF_RUN_DIR": os.path.join(folder, "run")}
        script = os.path.join(folder, "train.py")
        with open(script, "w", encoding="utf-8") as f:
            f.write(JOB)
        with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, env=environment) as job:
            try:
                job.stdout.readline()
                with agent(program, environment=environment) as (address, process):
                    gates(program, address)
                    tables(program, address, job)
                    late_library(program, address, folder)
                    refreshed(program, address, job)
                    refusals(program, address, job, folder)
                    if os.uname().machine == "x86_64":
                        recordings(program, address, job, folder, leaves=leaves)
                        interrupted(program, address, job, folder, leaves)
                    check("the agent lives", process.poll() is None)
                with agent(program, "--commands", environment=environment) as (address, _):
                    out, _ = run(program, "top", "--agent", address, "-format", "json")
                    check("--commands", "train.py" in out, out)
                together(program, folder, environment)
                hostile_agents(program, folder)
                hostile_tables(program)
                if os.uname().machine == "x86_64":
                    namespaces(program, folder, environment, job)
                check("the job lives", job.poll() is None)
            finally:
                job.kill()
    return ended()


if __name__ == "__main__":
    sys.exit(main())

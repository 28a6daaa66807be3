#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof watch --attach once` with a torch that is an imitation, whose WorkerServer answers well, badly or not at all; a hostile job; and
`tfprof agent --watch`. watch.py TFPROF"""
import concurrent.futures
import csv
import io
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from attaching import Place, agent_threads  # noqa: E402
from checks import check, ended, until  # noqa: E402

SERVER = r'''
import json, os, socket, threading, time
mode = os.environ.get("MODE", "good")
def entry(n):
    return {"record_id": n, "collective_seq_id": n, "profiling_name": "gloo:all_reduce", "process_group": ["0", "default_pg"], "input_sizes": [[4]],
            "output_sizes": [[4]], "state": "scheduled", "retired": True, "is_p2p": False, "time_created_ns": time.time_ns()}
class Server:
    def __init__(self, path):
        if mode == "raises":
            raise RuntimeError("no \x1b[2J server\n here")
        self.here, self.made, self.ends = socket.socket(socket.AF_UNIX), [], False
        self.here.bind(path)
        self.here.listen(4)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
    def run(self):
        while not self.ends:
            try:
                peer = self.here.accept()[0]
                self.answer(peer)
                peer.close()
            except OSError:
                pass
    def answer(self, peer):
        asked = peer.recv(4096)
        self.made.append(entry(len(self.made)))
        body = json.dumps({"entries": self.made if b"fr_trace_json" in asked else [], "pg_config": {}}).encode()
        if mode == "endless":
            peer.sendall(b"HTTP/1.1 200 OK\r\n\r\n{\"entries\":[")
            while True:
                peer.sendall(b"[" * 65536)
        if mode == "silent":
            time.sleep(8)
        if mode == "no json":
            body = b"\x1b[2J" + body[:-9]
        peer.sendall((b"HTTP/1.1 404 x" if mode == "old" else b"HTTP/1.1 200 OK") + b"\r\n\r\n" + (b"" if mode == "empty" else body))
    def shutdown(self):
        self.ends = True
        self.here.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.here.close()
if mode != "none":
    _WorkerServer = Server
'''
JOB = ("import torch, torch._C._distributed_c10d, torch.distributed.distributed_c10d, time\nprint('ready', flush=True)\nend = time.time() + 90\n"
       "while time.time() < end:\n    time.sleep(0.002)\n")


def put_torch(p):
    """Adds to the imitation of torch what the flight recorder needs."""
    for name, text in (("_C/__init__.py", ""), ("_C/_distributed_c10d.py", SERVER), ("distributed/__init__.py", ""),
                       ("distributed/distributed_c10d.py", "import os\ndef is_initialized(): return 'RANK' in os.environ\n")):
        path = os.path.join(p.fakes, "torch", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


def job(p, mode, text=JOB, **more):
    return p.job(text, env=dict(p.env, MODE=mode, RANK="0", WORLD_SIZE="1", **more))


def start(p, *words):
    out = p.name("store")
    return subprocess.Popen([p.program, "watch", *map(str, words), "-o", out], env=p.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE), out


def rows(p, store, table="watch_jobs"):
    done = subprocess.run([p.program, "watch", "--show", store, "--table", table, "-format", "csv"], capture_output=True, check=False, text=True, env=p.env)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def state(pid):
    return len(os.listdir(f"/proc/{pid}/task")), len(os.listdir(f"/proc/{pid}/fd"))


def watched(p, pid, seconds="5s", *words):
    process, out = start(p, pid, "--for", seconds, "--attach", "once", *words)
    text = process.communicate(timeout=60)
    check("the watch", process.returncode == 0 and b"\x1b" not in text[0] + text[1], (process.returncode, text))
    return rows(p, out)


def is_left(p, pid, before):
    """The job has the threads and descriptors that it had, and the run folder no file of it."""
    return until(lambda: state(pid) == before and not [n for n in os.listdir(p.run) if n.startswith(str(pid))], 10)


def good(p):
    one = job(p, "good")
    before = state(one.pid)
    process, out = start(p, one.pid, "--attach", "once")
    check("a thread of ours", until(lambda: len(agent_threads(one.pid)) == 1, 20), agent_threads(one.pid))
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    got = rows(p, out)
    check("recorder", process.returncode == 0 and len(got) == 1 and "recorder" in got[0]["layers"].split("|"), got)
    check("nothing is left", is_left(p, one.pid, before), (state(one.pid), before, os.listdir(p.run)))
    process, out = start(p, one.pid, "--attach", "once")
    until(lambda: len(agent_threads(one.pid)) == 1, 20)
    process.kill()
    process.communicate()
    check("nothing is left of a killed watch", is_left(p, one.pid, before), (state(one.pid), before, os.listdir(p.run)))
    check("the job goes on", one.poll() is None)


def refused(p):
    """Each refusal is a row with a code, and the other layers go on."""
    wrong = (("none", "no-recorder", "WorkerServer"), ("raises", "protocol", "RuntimeError"), ("endless", "too-big", "4 MB"), ("silent", "timeout", "2 s"),
             ("no json", "no-recorder", "JSON"), ("old", "no-recorder", "older"), ("empty", "no-recorder", ""))
    jobs = {mode: job(p, mode) for mode, _, _ in wrong}
    before = {mode: state(one.pid) for mode, one in jobs.items()}
    slow = ("no json", "old", "empty")  # asked again before it is refused
    with concurrent.futures.ThreadPoolExecutor(len(wrong)) as pool:
        seen = {mode: pool.submit(watched, p, one.pid, "12s" if mode in slow else "6s") for mode, one in jobs.items()}
    for mode, code, word in wrong:
        got, one = seen[mode].result(), jobs[mode]
        layers = got[0]["layers"].split("|")
        first = [got[0]["code"], got[0]["message"]]
        check(f"{mode}: refused", first[0] in (code, "no-symbols", "no-permission") and "stacks" in layers and "recorder" not in layers, got)
        check(f"{mode}: why", first[0] != code or word in first[1], got)
        check(f"{mode}: the job goes on, as before", one.poll() is None and is_left(p, one.pid, before[mode]), (mode, state(one.pid), before[mode]))
    plain = p.job("import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    got = watched(p, plain.pid, "3s")
    check("no framework", got[0]["code"] == "no-framework", got)
    done = subprocess.run([p.program, "watch", "-o", p.name("no"), "--attach", "always"], capture_output=True, check=False, env=p.env)
    check("another word", done.returncode == 2 and b"must be once" in done.stderr, done)


def own_server(p):
    """A server that the job runs itself is used without an attach, but no socket of another process."""
    path = p.name("own") + ".sock"
    text = JOB.replace("print(", f"own = torch._C._distributed_c10d._WorkerServer({path!r})\nprint(")
    one = job(p, "good", text, TORCH_WORKER_SERVER_SOCKET=path)
    before = state(one.pid)
    process, out = start(p, one.pid, "--for", "4s", "--attach", "once")
    seen = until(lambda: agent_threads(one.pid), 3)
    process.communicate(timeout=30)
    got = rows(p, out)
    check("its own server", "recorder" in got[0]["layers"] and not seen and is_left(p, one.pid, before), got)
    with socket.socket(socket.AF_UNIX) as mine:
        other = p.name("other") + ".sock"
        mine.bind(other)
        mine.listen(4)
        mine.settimeout(0.1)
        one = job(p, "good", TORCH_WORKER_SERVER_SOCKET=other)
        got = watched(p, one.pid)
        asked = b""
        try:
            peer = mine.accept()[0]
            peer.settimeout(1)
            asked = peer.recv(100)
        except OSError:
            pass
        check("another process's socket is asked nothing", asked == b"" and "recorder" in got[0]["layers"], (asked, got))


def ends(p):
    """A job that ends, or forks, while its server runs does so as ever."""
    text = JOB.replace("end = time.time() + 90", "import os, sys\nend = time.time() + 6")
    text += "pid = os.fork()\nif not pid:\n    sys.exit(3)\nassert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3\nprint('over', flush=True)\n"
    one = job(p, "good", text)
    process, _ = start(p, one.pid, "--attach", "once")
    until(lambda: len(agent_threads(one.pid)) == 1, 10)
    out, err = one.communicate(timeout=60)
    check("a job that forks and ends", one.returncode == 0 and out.endswith(b"over\n") and not err, (one.returncode, out, err))
    process.communicate(timeout=20)
    check("the watch ends with it", process.returncode == 0, process.returncode)
    check("no file is left", not [n for n in os.listdir(p.run) if n.startswith(str(one.pid))], os.listdir(p.run))


def fetched(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.read().decode()


def agent(p):
    one = job(p, "good")
    out = p.name("store")
    a = subprocess.Popen([p.program, "agent", "--metrics", "0", "--watch", out, str(one.pid)], env=p.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        address = a.stdout.readline().decode().strip()
        check("metrics of the watch", until(lambda: "# TYPE tfprof_watch_findings_total counter" in fetched(address), 20), address)
        done = subprocess.run([p.program, "agent", "--metrics", "0", "--watch", out], capture_output=True, check=False, env=p.env, timeout=30)
        check("one watch a store", done.returncode == 1 and b"another watch is at work there" in done.stderr, done)
        a.send_signal(signal.SIGTERM)
        a.communicate(timeout=30)
        check("the agent ends", a.returncode == 0, a.returncode)
    finally:
        if a.poll() is None:
            a.kill()
            a.communicate()
    check("its store", [r["pid"] for r in rows(p, out)] == [str(one.pid)], rows(p, out))
    done = subprocess.run([p.program, "agent", "--watch", "/proc/no"], capture_output=True, check=False, env=p.env, timeout=30)
    check("no store", done.returncode == 1 and done.stderr.count(b"\n") == 1, done)


HOSTILE = r"""
import os, time
print('ready', flush=True)
def f(): time.sleep(0.002)
made = []
for i in range(3000):
    made.append(type(f)(f.__code__.replace(co_name="\x1b]0;%d\x07\n" % i, co_filename="/x/\x1b[2J|%d\n.py" % i), globals()))
end = time.time() + 60
while time.time() < end:
    for g in made:
        g()
        if os.fork() == 0:
            os._exit(0)
        os.wait()
"""


def hostile(p):
    """A job whose name, lines, environment and children are made to harm: all is data, and bounded."""
    os.makedirs(p.name("dir"), exist_ok=True)
    script = os.path.join(p.folder, "a\x1b[2J\nb.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write(HOSTILE)
    env = dict(p.env, RANK="9" * 40, WORLD_SIZE="-1", MASTER_ADDR="\x1b[2J", MASTER_PORT="x" * 5000, NCCL_RAS_ADDR="\x1b:99999999")
    one = subprocess.Popen([sys.executable, script], env=env, stdout=subprocess.PIPE)
    one.stdout.readline()
    for form in ("jsonl", "text"):
        process, out = start(p, one.pid, "--for", "8s", "--rate", "100", "-format", form)
        text = b"".join(process.communicate(timeout=60))
        got, steps = rows(p, out), rows(p, out, "watch_steps")
        check(f"a hostile job, {form}", process.returncode == 0 and len(got) == 1 and b"\x1b" not in text, (process.returncode, text[-500:], got))
        check(f"its steps, {form}", all(not r["rank"] and "\x1b" not in r["lines"] for r in steps), steps[:3])
        check(f"it goes on, {form}", one.poll() is None)
    one.kill()
    one.communicate()


def main():
    with tempfile.TemporaryDirectory() as folder:
        p = Place(os.path.abspath(sys.argv[1]), folder)
        put_torch(p)
        for part in (good, refused, own_server, ends, agent, hostile):
            part(p)
            p.end()
    return ended()


if __name__ == "__main__":
    sys.exit(main())

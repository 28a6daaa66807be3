# SPDX-License-Identifier: Apache-2.0
"""Peers that flood, send slowly, hang or promise too much, and `tfprof capture` and `top` that connect to them: agents in processes of
this machine, profiler servers, agents of other machines. Part of hostile.py."""
import contextlib
import os
import socket
import struct
import subprocess
import sys
import threading
import time

from checks import allowance
from profiler_server import HEAD, frame, literal

# A separate agent that answers with a piece, once or repeatedly, with a pause after each.
AGENT = """
import json, os, socket, sys, threading, time
pid, run = os.getpid(), os.environ["TFPROF_RUN_DIR"]
ticks = int(open("/proc/self/stat").read().rpartition(")")[2].split()[19])
s = socket.socket(socket.AF_UNIX)
s.bind(f"{run}/{pid}.sock")
s.listen()
with open(f"{run}/{pid}.json", "w") as f:
    json.dump({"pid": pid, "start_ticks": ticks}, f)
print("ready", flush=True)
first, piece, pause, count = bytes.fromhex(sys.argv[1]), bytes.fromhex(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
def answer(c):
    c.recv(4096)
    try:
        c.sendall(first)
        if sys.argv[5] == "numbers":
            for i in range(300):
                c.sendall(b"".join(b"file f%d 0\\n" % (1000 * i + k) for k in range(1000)))
        n = 0
        while n < count:
            c.sendall(piece * (1 if pause else 4096))
            time.sleep(pause)
            n += 1
        time.sleep(100)
    except OSError:
        pass
while True:
    threading.Thread(target=answer, args=s.accept()[:1], daemon=True).start()
"""


def local_agents(p, check):
    def agent(first=b"", piece=b"", pause=0.0, count=0, more="-"):
        return p.start(sys.executable, "-c", AGENT, first.hex(), piece.hex(), str(pause), str(count), more)

    good = agent(b"started 1\nfile .xplane.pb 2\n\x0a\0done xspace 5 0 jax\n")
    cases = {
        "sizes that overflow": (agent(b"started 5\nfile a.bin 1\nxfile b.bin 9223372036854775807\n", b"A" * 256, 0, 1e9), "too-big"),
        "many empty files": (agent(b"", more="numbers"), "too-big"),
        "silent": (agent(), "timeout"),
        "a byte now and then": (agent(b"", b"s", 0.2, 1e9), "timeout"),
        "bytes as long as one listens": (agent(b"file a.bin 400000000\n", b"A" * 256, 0, 1e9), "protocol"),
        "waits for ever": (agent(b"waits\n" * 10), "timeout"),
    }
    for name, (job, code) in cases.items():
        done, rows, out = p.capture(str(job.pid), str(good.pid), "--timeout", "3", "--wait", "1", "--max-bytes", "1MB" if code == "too-big" else "512MiB")
        row, other = ({r["pid"]: r for r in rows}.get(j.pid, {}) for j in (job, good))
        check(f"agent, {name}", done.is_within(7) and done.kilobytes < 200 << 10 and row.get("code") == code, (done, row))
        check(f"beside it, {name}", other.get("status") == "ok", other)
        count = sum(len(names) for _, _, names in os.walk(out))
        check(f"files, {name}", count <= 1003, count)
    silent = [agent() for _ in range(12)]
    start = time.monotonic()
    done, rows, _ = p.capture(*(str(j.pid) for j in silent), str(good.pid), "--timeout", "4", "--wait", "0", "--parallel", "4", "--ms", "100")
    check("silent ones take no places", done.is_within(9) and rows[0]["status"] == "ok" and rows[0]["pid"] == good.pid, (time.monotonic() - start, rows[:1]))
    for job in [good, *silent, *(j for j, _ in cases.values())]:
        p.end(job)


class Flood:
    """A server that sends a head and then repeats a piece without end, and reads only the first
    bytes."""

    def __init__(self, head, piece, pause=0.0, seconds=30):
        self.head, self.piece, self.pause, self.seconds = head, piece, pause, seconds
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            peer, _ = self.socket.accept()
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        end = time.monotonic() + self.seconds
        with contextlib.suppress(OSError):
            peer.recv(65536)
            peer.sendall(self.head)
            while time.monotonic() < end:
                if self.piece:
                    peer.sendall(self.piece)
                time.sleep(self.pause)
        peer.close()


def servers(p, check):
    begun = HEAD + frame(0, 0, 1, b"\0\x7f\xff\xff\xff\x42\xff\xff\xff\xff\x07")  # the beginning of a message of 2 GB
    big = struct.pack(">I", (1 << 24) - 1)[1:] + b"\0\0\0\0\0\1"
    cases = {
        "SETTINGS": (b"", frame(4, 0, 0, b"") * 5000, "protocol"),
        "PING": (b"", frame(6, 0, 0, b"12345678") * 5000, "protocol"),
        "empty DATA": (HEAD, frame(0, 0, 1, b"") * 5000, "protocol"),
        "headers": (b"", frame(1, 4, 1, b"\x88") * 5000, "protocol"),
        "headers that go on": (frame(1, 0, 1, b""), frame(9, 0, 1, b"") * 5000, "protocol"),
        "other streams": (HEAD, frame(0, 0, 3, b"") * 5000, "protocol"),
        "one frame of 16 MB after another": (begun, big + bytes((1 << 24) - 1), "too-big"),
        "DATA": (begun, frame(0, 0, 1, b"A" * 16384) * 16, "too-big"),
        "a byte now and then": (begun, frame(0, 0, 1, b"A"), "timeout"),
        "silent": (b"", b"", "timeout"),
        "a name of megabytes": (HEAD, frame(9, 4, 1, literal(b"x", b"y" * 200)) * 200, "protocol"),
    }
    for name, (head, piece, code) in cases.items():
        pause = 0.2 if code == "timeout" else 0.0
        server = Flood(frame(4, 0, 0, b"") + head, piece, pause)
        done, rows, _ = p.capture(f"127.0.0.1:{server.port}", "--ms", "100", "--timeout", "3", "--max-bytes", "5MB")
        check(f"server, {name}", done.is_within(6) and done.kilobytes < 200 << 10 and rows[0]["code"] == code, (done, rows))


# ---- agents of other machines ----

def remote_agents(p, check):
    """Whatever an agent sends, the limits of time, bytes and number of files hold."""
    p.env["TFPROF_TOKEN"] = "a-token-for-tests"
    head, block = b"HTTP/1.1 200 OK\r\n\r\n", b"A" * (1 << 20)
    cases = {
        "big files of one job": (head + b"file j/f1 33554432\n", block, 0.0, "--max-bytes"),
        "empty files": (head, b"".join(b"file j/f%d 0\n" % i for i in range(5000)), 0.0, "more than 1000 files"),
        "jobs without end": (head, b"".join(b"file %d/f 0\n" % i for i in range(5000)), 0.0, "more than 256 processes"),
        "drips": (head, b"f", 0.1, "in time"),
        "hangs": (b"", b"", 0.1, "in time"),
        "drips its head": (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", 0.2, "in time"),
        "waits and waits": (head, b"waits\n", 0.1, "in time"),
        "is ready again and again": (head, b"ready\n", 0.1, "in time"),
    }
    for i, (name, (first, piece, pause, text)) in enumerate(cases.items()):
        if name.startswith("big"):  # 33554432 bytes are 32 blocks
            piece = b"".join([block] * 32 + [b"file j/f2 33554432\n"] + [block] * 32 + [b"file j/f3 33554432\n"])
        server = Flood(first, piece, pause)
        out = os.path.join(p.folder, f"remote{i}")
        done = p.tfprof("capture", "--agent", f"127.0.0.1:{server.port}", "--all", "--timeout", "3", "--wait", "1", "--max-bytes", "64MB", "-o", out)
        size = sum(os.path.getsize(os.path.join(d, f)) for d, _, names in os.walk(out) for f in names)
        check(f"remote agent, {name}", done.is_within(6.7) and done.kilobytes < 200 << 10 and done.status == 1 and text in done.err and size <= 64000000, (str(done), size))
    body = b"pid\r\n" + b"1\r\n" * 2000000
    for name, (answer, text) in {"a million rows": (body, "rows"), "a wide table": (b"pid" + b",x" * 60 + b"\n" + (b"1" + b"," * 60 + b"\n") * 100000, "rows"),
                                 "gigabytes": (b"", "too long")}.items():
        size = len(answer) or 1 << 40
        server = Flood(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + answer, b"", 0.1)
        done = p.tfprof("top", "--once", "--agent", f"127.0.0.1:{server.port}", "--timeout", "3")
        check(f"table, {name}", done.is_within(5) and done.kilobytes < 200 << 10 and done.status == 1 and text in done.err, str(done))


def listen(p, check):
    """During a thousand silent connections and wrong tokens, a client with the right token gets an answer within a second. Host names of
    other sites get nothing."""
    token = p.env["TFPROF_TOKEN"] = "a-token-for-tests"
    agent = subprocess.Popen([p.program, "agent", "--listen", "0", "--metrics", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=p.env, text=True)
    ports = [int(agent.stdout.readline().split(":")[-1].split("/")[0]) for _ in range(2)]
    metrics, port = ports

    def ask(head, to=port, wait=20):
        begin, got = time.monotonic(), b""
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", to), timeout=wait) as s:
            s.sendall(head.encode() + b"\r\n\r\n")
            while piece := s.recv(65536):
                got += piece
        return (int(got.split()[1]) if got.startswith(b"HTTP/1.1 ") else 0), time.monotonic() - begin

    def top(host=f"127.0.0.1:{port}", key=token, more=""):
        return f"GET /v1/top?format=csv HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}{more}"

    for host, status in ((f"127.0.0.1:{port}", 200), (f"localhost:{port}", 200), (f"10.1.2.3:{port}", 200), (f"[::1]:{port}", 200), (f"{socket.gethostname()}:{port}", 200),
                         ("127.0.0.1", 421), ("10.1.2.3:99", 421), ("[::1]:9", 421), (f"localhost:{metrics}", 421), ("evil.example", 421), (f"evil.example:{port}", 421), ("127.0.0.1.evil.example", 421), ("", 421)):
        check(f"Host {host}", ask(top(host))[0] == status, ask(top(host)))
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{port}"):
        check(f"Origin {origin}", ask(top(more=f"\r\nOrigin: {origin}"))[0] == 403)
    check("metrics, Origin", ask(f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{metrics}\r\nAuthorization: Bearer {token}\r\nOrigin: http://evil.example", metrics)[0] == 403)
    begin = time.monotonic()
    answers = [ask(top(key=f"wrong-token-{i}"))[0] for i in range(15)]
    check("wrong tokens", answers == [403] * 3 + [429] * 12 and time.monotonic() - begin > 1.1, (answers, time.monotonic() - begin))
    threads = [threading.Thread(target=ask, args=(top(key="wrong-token-x"),)) for _ in range(30)]
    for t in threads:
        t.start()
    status, seconds = ask(top())
    check("the right one beside them", status == 200 and seconds < 1 + allowance(), (status, seconds))
    idle = []
    for i in range(1000):
        s = socket.create_connection(("127.0.0.1", port), timeout=5)
        idle.append(s)
        if i % 2:
            s.sendall(b"G")
    for to, head in ((port, top()), (metrics, f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{metrics}\r\nAuthorization: Bearer {token}")):
        status, seconds = ask(head, to)
        check("beside a thousand idle ones", status == 200 and seconds < 1 + allowance(), (status, seconds))
    for t in threads:
        t.join()
    for s in idle:
        s.close()
    agent.terminate()
    _, err = agent.communicate(timeout=20)
    check("wrong tokens are told, not what they are", "wrong token from 127.0.0.1" in err and "wrong-token" not in err and token not in err and err.count("\n") < 10, err)

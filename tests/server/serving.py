# SPDX-License-Identifier: Apache-2.0
"""Starts `tfprof serve` and sends requests to it byte by byte; shared by the tests of the
server."""
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = os.path.join(ROOT, "tests", "data", "sample")
sys.path.append(os.path.join(ROOT, "tests", "schema"))
from logged import log  # noqa: E402


class Answer:
    def __init__(self, raw):
        self.raw = raw
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        told = re.match(r"HTTP/1\.1 (\d{3}) ", lines[0])
        self.status = int(told[1]) if told else 0
        self.headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(": ")
            self.headers.setdefault(name.lower(), value)

    def json(self):
        return json.loads(self.body)


class Server:
    """A `tfprof serve` for the folder of the samples."""

    def __init__(self, program, *words, cwd=SAMPLE, token=False, environment=None):
        self.process = subprocess.Popen([program, "serve", *words, "--port", "0"] + ([] if token else ["--no-token"]),
                                        cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment)
        self.url = self.process.stdout.readline().decode().strip()
        told = re.match(r"http://127\.0\.0\.1:(\d+)/(?:\?token=([0-9a-f]{32}))?$", self.url)
        if not told:
            raise RuntimeError("serve did not begin: " + self.url + self.process.communicate()[1].decode())
        self.port, self.token = int(told[1]), told[2]
        self.host = f"127.0.0.1:{self.port}"
        self.cookie = f"tfprof-{self.port}={self.token}" if token else None

    def connect(self, timeout=15):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def raw(self, data, timeout=15):
        """Everything that the server returns for these bytes, until it closes."""
        with self.connect(timeout) as s:
            with contextlib.suppress(OSError):
                s.sendall(data)
            return Answer(read_all(s))

    def get(self, path, *headers, method="GET", host=True, timeout=30):
        lines = [f"{method} {path} HTTP/1.1"] + ([f"Host: {self.host}"] if host else [])
        if self.cookie and not any(h.lower().startswith(("cookie", "authorization")) for h in headers):
            lines.append(f"Cookie: {self.cookie}")
        answer = self.raw("\r\n".join([*lines, *headers, "", ""]).encode("latin-1"), timeout)
        if path.startswith("/api/"):
            log("http", answer.body.decode("utf-8", "replace"), path)
        return answer

    def api(self, path, timeout=60):
        """An answer of the API, after the profile has been read."""
        end = time.monotonic() + timeout
        while True:
            answer = self.get("/api/v1/" + path, timeout=timeout)
            if answer.status != 202 or time.monotonic() > end:
                return answer

    def busy(self, seconds=0.1, timeout=15):
        """Waits until the server has used this much more processor time, that is, until a request that computes
        has begun."""
        def used():
            with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as f:
                return sum(map(int, f.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")
        begin, end = used(), time.monotonic() + timeout
        while used() < begin + seconds and time.monotonic() < end:
            time.sleep(0.01)

    def profiles(self):
        return self.get("/api/v1/profiles").json()["profiles"]

    def id_of(self, name):
        return next(p["id"] for p in self.profiles() if p["name"] == name)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory(self, which="VmHWM"):
        """In MB: the peak, or (VmRSS) the current memory."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
            return int(re.search(which + r":\s+(\d+) kB", f.read())[1]) / 1024

    def stop(self, kind=signal.SIGTERM):
        """Status, stderr and seconds."""
        begin = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(kind)
        try:
            _, err = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, err = self.process.communicate()
        return self.process.returncode, err.decode("utf-8", "replace"), time.monotonic() - begin


def read_all(s):
    parts = []
    with contextlib.suppress(OSError):
        while part := s.recv(65536):
            parts.append(part)
    return b"".join(parts)


def quote(text):
    return urllib.parse.quote(text, safe="")

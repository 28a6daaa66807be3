#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stacks sent as pprof by `tfprof stacks` and `tfprof agent`, to stores that decode what arrives: the requests as Pyroscope's
push.v1.PusherService and Parca's ProfileStoreService take them, the profiles by the rules with which Parca refuses some.
push.py TFPROF   Go's own pprof reads a profile, too, where go is installed."""
import base64
import gzip
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "server"), os.path.join(os.path.dirname(HERE), "data")]
import fake  # noqa: E402
import wire  # noqa: E402
from agent import Agent, Collector  # noqa: E402
from checks import check, ended, until  # noqa: E402

JOB = """
import torch, time
sgd = torch.optim.SGD()
def compute():
    return sum(i * i for i in range(20000))
print("ready", flush=True)
end = time.time() + 120
while time.time() < end:
    compute()
    sgd.step()
"""
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
PATHS = {"pyroscope": "/push.v1.PusherService/Push", "parca": "/api/profiles/writeraw"}
NAME = f"push_{os.getpid()}.py"  # a name that no other running test uses


def packed(data):
    at, out = 0, []
    while at < len(data):
        value, at = wire.read_varint(data, at)
        out.append(value)
    return out


class Profile:
    """A pprof, decoded by the field numbers of profile.proto; every id that it refers to must exist
    in it."""

    def __init__(self, data):
        fields = wire.read(gzip.decompress(data))
        every = lambda number: [v for n, _, v in fields if n == number]
        self.texts = [t.decode() for t in every(6)]
        assert self.texts[0] == ""
        value_type = lambda data: tuple(self.texts[wire.last(wire.read(data), n)] for n in (1, 2))
        self.types = [value_type(t) for t in every(1)]
        self.period_type, self.period = value_type(every(11)[0]), every(12)[0]
        self.time_ns, self.duration_ns = every(9)[0], every(10)[0]
        functions = {wire.last(f, 1): self.texts[wire.last(f, 2)] for f in map(wire.read, every(5))}
        assert list(functions) == list(range(1, len(functions) + 1))
        self.locations = {}
        for location in map(wire.read, every(4)):
            self.locations[wire.last(location, 1)] = functions[wire.last(wire.read(wire.last(location, 4)), 1)]
        assert list(self.locations) == list(range(1, len(self.locations) + 1))
        self.samples = []
        for sample in map(wire.read, every(2)):
            stack = [self.locations[n] for n in packed(wire.last(sample, 1))]
            values = packed(wire.last(sample, 2))
            assert stack and len(values) == len(self.types)
            self.samples.append((stack, values))


def request_of(data, kind):
    """The labels and the profile in a request."""
    head, body = data.split(b"\r\n\r\n", 1)
    assert head.startswith(b"POST " + PATHS[kind].encode() + b" HTTP/1.1\r\n") and b"Content-Type: application/json\r\n" in head, head
    series, = json.loads(body)["series"]
    assert set(series) == {"labels", "samples"}, series
    labels = series["labels"]["labels"] if kind == "parca" else series["labels"]
    sample, = series["samples"]
    if kind == "pyroscope":
        assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", sample.pop("ID"))
    assert set(sample) == {"rawProfile"} and all(set(x) == {"name", "value"} for x in labels), series
    raw = base64.b64decode(sample["rawProfile"], validate=True)
    return {x["name"]: x["value"] for x in labels}, Profile(raw), raw


def run(program, environment, *words):
    return subprocess.run([program, "stacks", *words], env=environment, capture_output=True, text=True, timeout=60, check=False)


def one_process(program, environment, pid, folder):
    for kind in PATHS:
        store = Collector(OK)
        begin = time.time_ns()
        done = run(program, environment, str(pid), "--seconds", "0.5", f"--{kind}", store.url)
        check(f"stacks --{kind}", done.returncode == 0 and not done.stderr and "compute" in done.stdout, done)
        check("one request", len(store.got) == 1, store.got)
        labels, profile, raw = request_of(store.got[0], kind)
        check("its labels", labels["__name__"] == "process_cpu" and labels["service_name"] == NAME and labels["pid"] == str(pid) and
              labels["framework"] == "torch" and labels["host"] == socket.gethostname() and labels["id"].startswith(f"{pid}@"), labels)
        check("its types", profile.types == [("samples", "count"), ("time", "nanoseconds")] and profile.period_type == ("time", "nanoseconds") and
              profile.period == 10_000_000, vars(profile))
        check("its time", begin <= profile.time_ns <= time.time_ns() and 0.4e9 < profile.duration_ns < 20e9, (begin, profile.time_ns, profile.duration_ns))
        inner = sum(v[0] for stack, v in profile.samples if "compute" in stack)
        check("its samples", inner > 0.7 * sum(v[0] for _, v in profile.samples) and all(v[1] == v[0] * profile.period for _, v in profile.samples), profile.samples)
    if shutil.which("go"):
        path = os.path.join(folder, "pushed.pb.gz")
        with open(path, "wb") as f:
            f.write(raw)
        done = subprocess.run(["go", "tool", "pprof", "-top", path], capture_output=True, text=True, timeout=120, check=False, cwd=folder,
                              env=dict(os.environ, GOTOOLCHAIN="local", GOFLAGS="-mod=mod", GOPROXY="off"))
        if "no such tool" not in done.stderr:
            check("Go's pprof reads it", done.returncode == 0 and "compute" in done.stdout, done)
    both = [Collector(OK), Collector(OK)]
    done = run(program, environment, NAME, "--idle", "--seconds", "0.3", "--pyroscope", both[0].url + "/a/", "--parca", both[1].url)
    check("a prefix, and both", done.returncode == 0 and both[0].got[0].startswith(b"POST /a/push.v1.PusherService/Push ") and len(both[1].got) == 1, done)
    check("wall time", request_of(both[1].got[0], "parca")[0]["__name__"] == "wall")


def faults(program, environment, pid):
    with socket.create_server(("127.0.0.1", 0)) as s:
        nobody = f"http://127.0.0.1:{s.getsockname()[1]}"
    cases = [(Collector(b"HTTP/1.1 503 no\r\n\r\n").url, 1, "status 503"), (Collector(b"SSH-2.0-x\r\n").url, 1, "no HTTP"), (nobody, 1, "refused"),
             ("https://x", 2, "TLS"), ("x", 2, "http://"), ("http://x/?q", 2, "query"), ("http://", 2, "host")]
    for url, status, text in cases:
        done = run(program, environment, str(pid), "--seconds", "0.2", "--pyroscope", url)
        check(f"--pyroscope {url}", done.returncode == status and text in done.stderr and done.stderr.count("\n") == 1, done)
        check("the table is shown anyway", (status == 1) == ("compute" in done.stdout), done.stdout)
    done = run(program, environment, str(pid), "--once", "--parca", "http://127.0.0.1:9")
    check("--once", done.returncode == 2 and "--once" in done.stderr, done)


def rounds(program, environment, pid):
    stores = {kind: Collector(OK) for kind in PATHS}
    words = [w for kind, store in stores.items() for w in (f"--{kind}", store.url)]
    a = Agent(program, environment, *words, "--interval", "1", "--commands", "--metrics", "0", NAME)
    for kind, store in stores.items():
        check(f"agent --{kind}", store.wait(2, 60), store.got)
        labels, profile, _ = request_of(store.got[1], kind)
        check("of the job", labels["pid"] == str(pid) and labels["service_name"] == NAME and any("compute" in s for s, _ in profile.samples), labels)
        first = request_of(store.got[0], kind)[1]
        check("one after another", profile.time_ns >= first.time_ns + first.duration_ns, (first.time_ns, profile.time_ns))
    check("meanwhile it answers", a.get().status == 200)
    status, err, seconds = a.stop()
    check("it ends", status == 0 and not err and seconds < 15, (status, err, seconds))


def away(program, environment):
    """An unreachable store is reported once, and used again when it returns; after an agent is killed, nobody
    samples any more."""
    store = Collector(b"HTTP/1.1 500 no\r\n\r\n", b"HTTP/1.1 500 no\r\n\r\n", OK)
    a = Agent(program, environment, "--pyroscope", store.url, "--interval", "1", "--commands", NAME)
    check("tried again", store.wait(3, 60), store.got)
    status, err, _ = a.stop()
    check("told once", status == 0 and err.count("\n") == 1 and "status 500" in err, err)
    store = Collector(OK)
    a = Agent(program, environment, "--pyroscope", store.url, "--interval", "1", "--commands", NAME)
    end, children = time.time() + 60, []
    while not children and time.time() < end:
        with open(f"/proc/{a.process.pid}/task/{a.process.pid}/children", encoding="ascii") as f:
            children = f.read().split()
    a.process.send_signal(signal.SIGKILL)
    a.process.communicate()
    until(lambda: not any(os.path.exists(f"/proc/{c}") for c in children), 20)
    alive = [c for c in children if os.path.exists(f"/proc/{c}")]
    check("nobody is left", children and not alive, (children, alive))


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="tfprof_push_") as folder:
        fake.make(os.path.join(folder, "fake"))
        with open(os.path.join(folder, NAME), "w", encoding="utf-8") as f:
            f.write(JOB)
        environment = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"), PYTHONPATH=os.path.join(folder, "fake"))
        os.mkdir(os.path.join(folder, "run"), 0o700)
        job = subprocess.Popen([sys.executable, NAME], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            job.stdout.readline()
            one_process(program, environment, job.pid, folder)
            faults(program, environment, job.pid)
            rounds(program, environment, job.pid)
            away(program, environment)
        finally:
            job.terminate()
            job.wait()
    return ended()


if __name__ == "__main__":
    sys.exit(main())

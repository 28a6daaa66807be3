#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof agent`: metrics of running jobs as Prometheus fetches them and as a collector of OTLP gets them; who may fetch; slow and
hostile ends. agent.py TFPROF   The text is read by prometheus_client, and the protobuf by opentelemetry-proto, where
they are installed, too. Then remote.py: other machines."""
import contextlib
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "server"), os.path.join(os.path.dirname(HERE), "data")]
import fake  # noqa: E402
import remote  # noqa: E402
import wire  # noqa: E402
from checks import check, ended, until  # noqa: E402
from serving import Answer, read_all  # noqa: E402

JOB = "import torch, time\nsgd = torch.optim.SGD()\nprint('ready', flush=True)\nend = time.time() + 120\nwhile time.time() < end:\n    sgd.step()\n    time.sleep(0.005)\n"
NAMES = {"tfprof_job_processes", "tfprof_job_threads", "tfprof_job_steps_per_second", "tfprof_job_cpu_cores", "tfprof_job_cpu_seconds",
         "tfprof_job_memory_bytes", "tfprof_job_age_seconds", "tfprof_job_info", "tfprof_jobs"}
TOKEN = "secret-of-12-bytes"


def samples(text):
    """Parses Prometheus's text strictly: name -> [(labels, value)]; each metric has its HELP and TYPE before it, and no sample occurs
    twice."""
    out, kinds, seen = {}, {}, set()
    assert text.endswith("\n") and "\r" not in text
    for line in text[:-1].split("\n"):
        if told := re.fullmatch(r"# (HELP|TYPE) ([a-z_]+) (.+)", line):
            assert told[2] not in out and told[1] not in kinds.get(told[2], ""), line
            kinds[told[2]] = kinds.get(told[2], "") + told[1]
            assert told[1] == "HELP" or told[3] == "gauge", line
            continue
        told = re.fullmatch(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (-?[0-9.]+(?:e[-+]?[0-9]+)?)', line)
        assert told and kinds.get(told[1]) == "HELPTYPE" and line.rsplit(" ", 1)[0] not in seen, line
        seen.add(line.rsplit(" ", 1)[0])
        labels = dict(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', told[2] or ""))
        out.setdefault(told[1], []).append((labels, float(told[3])))
    return out


class Agent:
    def __init__(self, program, environment, *words):
        self.process = subprocess.Popen([program, "agent", *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.port = None
        if "--metrics" in words:
            line = self.process.stdout.readline()
            told = re.fullmatch(r"http://.+:(\d+)/metrics\n", line)
            if not told:
                raise RuntimeError(line + self.process.communicate()[1])
            self.port = int(told[1])
            self.host = f"127.0.0.1:{self.port}"

    def raw(self, data, timeout=15):
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as s:
            with contextlib.suppress(OSError):
                s.sendall(data)
            return Answer(read_all(s))

    def get(self, path="/metrics", *headers, method="GET", host=None):
        return self.raw("\r\n".join([f"{method} {path} HTTP/1.1", f"Host: {host or self.host}", *headers, "", ""]).encode())

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        begin = time.monotonic()
        _, err = self.process.communicate(timeout=20)
        return self.process.returncode, err, time.monotonic() - begin


class Collector:
    """A collector that answers each POST with the next of `answers`, and repeats the last one."""

    def __init__(self, *answers):
        self.answers, self.got, self.socket = list(answers), [], socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            peer.settimeout(10)
            data = b""
            with contextlib.suppress(OSError, ValueError, IndexError):
                while b"\r\n\r\n" not in data or len(data.split(b"\r\n\r\n", 1)[1]) < int(re.search(rb"Content-Length: (\d+)", data)[1]):
                    part = peer.recv(65536)
                    if not part:
                        break
                    data += part
                self.got.append(data)
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                for piece in answer if isinstance(answer, list) else [answer]:
                    if isinstance(piece, bytes):
                        peer.sendall(piece)
                    else:
                        time.sleep(piece)
            peer.close()

    def wait(self, count, seconds=20):
        return until(lambda: len(self.got) >= count, seconds)


def with_rates(a):
    """The answer to the first fetch with rates, which needs two looks at the jobs, a second apart."""
    answers = []

    def has_rates():
        answers.append(a.get())
        return b"\ntfprof_job_steps_per_second{" in answers[-1].body

    until(has_rates)
    return answers[-1]


def fetched(a, pid):
    answer = with_rates(a)
    check("a fetch", answer.status == 200 and answer.headers["content-type"].startswith("text/plain; version=0.0.4"), answer.raw[:300])
    check("its length", int(answer.headers["content-length"]) == len(answer.body), answer.headers)
    got = samples(answer.body.decode())
    check("all metrics", NAMES <= set(got), NAMES - set(got))
    of = {name: next((v for k, v in rows if k.get("pid") == str(pid)), None) for name, rows in got.items()}
    check("steps of the agent", 5 < (of["tfprof_job_steps_per_second"] or 0) < 250, of)
    check("its numbers", of["tfprof_job_processes"] == 1 and of["tfprof_job_memory_bytes"] > 1e6 and 0 < of["tfprof_job_age_seconds"] < 120, of)
    info = next(k for k, _ in got["tfprof_job_info"] if k["pid"] == str(pid))
    check("what it is", info["framework"] == "torch" and info["capture"] == "agent" and "command" not in info, info)
    steps = next(k for k, _ in got["tfprof_job_steps_per_second"] if k["pid"] == str(pid))
    check("what is counted", steps["steps"] == "optimizer steps", steps)
    check("no command line leaves", b"train.py" not in answer.body, answer.body)
    with contextlib.suppress(ImportError):
        from prometheus_client.parser import text_string_to_metric_families
        families = {f.name: f for f in text_string_to_metric_families(answer.body.decode())}
        check("prometheus_client reads it", NAMES <= set(families) and all(f.type == "gauge" for f in families.values()), families)
    head = a.get(method="HEAD")
    check("HEAD", head.status == 200 and head.body == b"" and int(head.headers["content-length"]) > 0, head.raw)


def who_may(a):
    for host in ("evil.example", f"evil.example:{a.port}", "127.0.0.1", f"127.0.0.1:{a.port + 1}", ""):
        check(f"Host {host}", a.raw(f"GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()).status == 421, host)
    for path in ("/", "/metricsx", "/metrics/", "/metrics?x=1", "/api", "/../etc/passwd"):
        check(f"path {path}", a.get(path).status == 404, path)
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "get"):
        check(method, a.get(method=method).status == 405, method)
    check("a body", a.get("/metrics", "Content-Length: 5").status == 413)
    check("no Host", a.raw(b"GET /metrics HTTP/1.1\r\n\r\n").status == 400)
    check("bare line ends", a.raw(b"GET /metrics HTTP/1.1\nHost: x\n\n\r\n\r\n").status == 400)
    check("noise", a.raw(bytes(range(256)) * 100).status in (0, 400))
    check("a long head", a.raw(b"GET /metrics HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 20000).status in (0, 400, 431))
    # more connections than the agent accepts at a time
    stuck = [socket.create_connection(("127.0.0.1", a.port)) for _ in range(40)]
    for s in stuck:
        s.sendall(b"GET /met")
    begin = time.monotonic()
    check("stuck connections are cut", a.get().status == 200 and time.monotonic() - begin < 14, time.monotonic() - begin)
    for s in stuck:
        s.close()
    check("it still runs", a.get().status == 200)


def tokens(program, environment, folder):
    path = os.path.join(folder, "token")
    with open(path, "w", encoding="utf-8") as f:
        f.write(TOKEN + "\n")
    os.chmod(path, 0o644)
    cases = [(("--metrics", "0", "--token-file", path), "chmod 600"), (("--metrics", "0.0.0.0:0"), "token"), (("--metrics", "x"), "--metrics"),
             (("--metrics", "70000"), "--metrics"), (("--metrics", ":1"), "--metrics"), (("--metrics", "localhost:"), "--metrics"), ((), "--metrics"),
             (("--otlp", "https://x"), "TLS"), (("--otlp", "ftp://x"), "http://"), (("--otlp", "http://"), "host"), (("--otlp", "http://a@b"), "character"),
             (("--otlp", "http://x:y"), "port"), (("--metrics", "0", "--interval", "0"), "--interval"), (("--metrics", "0", "--token-file", path + "x"), "token-file"),
             (("--metrics", "0", "4194305"), "no such process"),
             (("--pyroscope", "http://x"), "--commands"), (("--parca", "x", "--commands"), "http://"), (("--pyroscope", "http://x/?a", "--commands"), "query")]
    for words, text in cases:
        done = subprocess.run([program, "agent", *words], env=environment, capture_output=True, text=True, timeout=20, check=False)
        check(f"agent {words}", done.returncode in (1, 2) and text in done.stderr and done.stderr.count("\n") == 1, done)
    done = subprocess.run([program, "agent", "--metrics", "0"], env=dict(environment, TFPROF_TOKEN="short"), capture_output=True, text=True, timeout=20, check=False)
    check("a short token", done.returncode == 2 and "short" not in done.stderr, done)
    os.chmod(path, 0o600)
    for words, more in ((("--token-file", path), {}), ((), {"TFPROF_TOKEN": TOKEN})):
        a = Agent(program, dict(environment, **more), "--metrics", "0.0.0.0:0", *words)
        check("its token", a.get("/metrics", "Authorization: Bearer " + TOKEN).status == 200)
        for wrong in ("Bearer x", "Basic " + TOKEN, "Bearer " + TOKEN + "x", "Bearer " + TOKEN[:-1], "Bearer"):
            # the fourth wrong token from one address
            check(f"token {wrong}", a.get("/metrics", "Authorization: " + wrong).status in (403, 429))
        check("no token", a.get().status == 403 and a.get("/metrics?token=" + TOKEN).status in (403, 404))
        check("two tokens", a.get("/metrics", "Authorization: Bearer " + TOKEN, "Authorization: Bearer x").status == 403)
        a.stop()


def text(fields, number):
    return wire.last(fields, number, b"").decode()


def nested(fields, number):
    return [wire.read(value) for n, kind, value in fields if n == number and kind == wire.BYTES]


def attributes(fields, number):
    """The attributes of a message: KeyValue with AnyValue.string_value."""
    return {text(pair, 1): text(nested(pair, 2)[0], 1) for pair in nested(fields, number)}


def otlp(body, pid):
    """Decodes ExportMetricsServiceRequest by its field numbers: the resource's attributes, and for each metric the job's value and
    labels."""
    resource, = nested(wire.read(body), 1)
    scope, = nested(resource, 2)
    of, now = {}, time.time_ns()
    for metric in nested(scope, 2):
        assert {n for n, _, _ in metric} == {1, 2, 3, 5}, metric
        points = nested(nested(metric, 5)[0], 1)
        assert points, metric
        for point in points:
            assert {n: kind for n, kind, _ in point} == {3: wire.FIXED64, 4: wire.FIXED64, 7: wire.BYTES}, point
            assert abs(now - wire.last(point, 3)) < 120e9, point
            labels = attributes(point, 7)
            if labels["process.pid"] == str(pid):
                of[text(metric, 1)] = (struct.unpack("<d", struct.pack("<Q", wire.last(point, 4)))[0], labels)
    return attributes(nested(resource, 1)[0], 1), of


def sent(program, environment, pid):
    ok = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    c = Collector(ok)
    a = Agent(program, environment, "--otlp", c.url, "--interval", "1", "--commands")
    check("it is sent", c.wait(2), c.got)
    status, err, seconds = a.stop(signal.SIGINT)
    check("it ends", status == 0 and not err and seconds < 15, (status, err, seconds))
    head, body = c.got[0].split(b"\r\n\r\n", 1)
    check("its head", head.startswith(b"POST /v1/metrics HTTP/1.1\r\n") and b"Content-Type: application/x-protobuf\r\n" in head, head)
    who, of = otlp(body, pid)
    check("who tells", who["service.name"] == "tfprof" and who["host.name"] == socket.gethostname(), who)
    with contextlib.suppress(ImportError):
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
        message = ExportMetricsServiceRequest.FromString(body)
        names = {m.name for m in message.resource_metrics[0].scope_metrics[0].metrics if m.gauge.data_points}
        check("OpenTelemetry's own classes read it", set(of) <= names and len(message.SerializeToString()) == len(body), names)
    check("its numbers", 5 < of["tfprof.job.steps"][0] < 250 and of["tfprof.job.memory"][0] > 1e6, of)
    check("--commands", "train.py" in of["tfprof.job.info"][1]["process.command_line"], of)


def bad_collectors(program, environment):
    """Whatever a bad collector answers, there is one note, and metrics are still served; when it works again, it
    gets data again."""
    ok = b"HTTP/1.1 200 OK\r\n\r\n"
    cases = {"status 503": b"HTTP/1.1 503 no\r\n\r\n", "no HTTP": b"SSH-2.0-x\r\n", "in time": [6, ok], "no HTTP ": b"", "no HTTP answer": b"HTTP/1.1 " + b"2" * 5000}
    for text, answer in cases.items():
        c = Collector(answer, answer, ok)
        a = Agent(program, environment, "--otlp", c.url + "/x?y=1", "--interval", "1", "--metrics", "0")
        check(f"collector, {text}", c.wait(2, 30) and c.got[0].startswith(b"POST /x?y=1 "), c.got)
        check("meanwhile it answers", a.get().status == 200)
        status, err, _ = a.stop()
        check(f"it is told once, {text}", status == 0 and err.count("\n") == 1 and text.strip() in err and "note" in err, err)
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    a = Agent(program, environment, "--otlp", f"http://127.0.0.1:{port}", "--interval", "1")
    first = a.process.stderr.readline()
    status, err, _ = a.stop()
    check("nobody is there", status == 0 and "refused" in first and not err, first + err)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="tfprof_agent_") as folder:
        fake.make(os.path.join(folder, "fake"))
        with open(os.path.join(folder, "train.py"), "w", encoding="utf-8") as f:
            f.write(JOB)
        environment = {k: v for k, v in os.environ.items() if k != "TFPROF_TOKEN"}
        environment.update(TFPROF_RUN_DIR=os.path.join(folder, "run"), PYTHONPATH=os.path.join(folder, "fake"))
        os.mkdir(os.path.join(folder, "run"), 0o700)
        job = subprocess.Popen([program, "run", "--dir", os.path.join(folder, "results"), "--", sys.executable, "train.py"], cwd=folder, env=environment,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            job.stdout.readline()
            with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as f:
                pid = int(f.read().split()[0])
            a = Agent(program, environment, "--metrics", "0")
            fetched(a, pid)
            who_may(a)
            status, err, seconds = a.stop()
            check("it ends", status == 0 and not err and seconds < 15, (status, err, seconds))
            tokens(program, environment, folder)
            sent(program, environment, pid)
            bad_collectors(program, environment)
        finally:
            job.terminate()
            job.wait()
    return ended()


if __name__ == "__main__":
    sys.exit(main() + remote.main())

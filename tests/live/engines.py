#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof capture http://HOST:PORT` against servers that answer as the documentation of SGLang, vLLM and TensorRT-LLM says, and against
servers that answer late, wrongly, without end or not at all. engines.py TFPROF"""
import concurrent.futures
import gzip
import http.server
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from checks import check, ended, until  # noqa: E402

TRACE = json.dumps({"traceEvents": [{"ph": "X", "name": 'a "[quoted]" {name} \\', "ts": n, "dur": 1} for n in range(3000)]}).encode()
PACKED = gzip.compress(TRACE)
INFO = '{"tp_size": %d, "pp_size": 1, "nnodes": 1, "version": "0.5.9", "model_path": "example"}'
TOKEN = "a-key-of-16-bytes"
ESCAPE = "\033[31m\u009b"


class Server(http.server.ThreadingHTTPServer):
    """An engine. Its answers are methods named by the path, which a subclass replaces; `log` has the requests."""
    daemon_threads = True

    def __init__(self, folder):
        self.folder, self.log, self.on, self.over = folder, [], False, threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, *_):
        pass

    def write(self, name, data=PACKED, pause=0.0):
        """Writes the file in two halves."""
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(data[:len(data) // 2])
            f.flush()
            self.over.wait(pause)
            f.write(data[len(data) // 2:])

    def later(self, seconds, name, *more):
        def work():
            self.over.wait(seconds)
            self.write(name, *more)
        threading.Thread(target=work, daemon=True).start()

    def paths(self):
        return [path for _, path, _, _ in self.log]

    def get_server_info(self, h, body):
        h.say(404, '{"detail":"Not Found"}')

    def version(self, h, body):
        h.say(404, '{"detail":"Not Found"}')


class SGLang(Server):
    ranks = 1

    def get_server_info(self, h, body):
        h.say(200, INFO % self.ranks)

    def start_profile(self, h, body):
        if self.on:
            return h.say(500, "Internal Server Error: Profiling is already in progress")
        self.on, self.wanted = True, json.loads(body)
        if self.wanted.get("num_steps"):
            for rank in range(self.ranks):
                self.later(0.3 + 3 * rank, f"17-TP-{rank}.trace.json.gz", PACKED, 0.3)
        return h.say(200, "Start profiling.\n")

    def stop_profile(self, h, body):
        if self.on and not self.wanted.get("num_steps"):
            self.write("17-TP-0.trace.json.gz")
        self.on = False
        h.say(200, "Stop profiling. This will take some time.\n")


class Ranks(SGLang):
    ranks = 2


class Idle(SGLang):
    """Nobody sends requests, so there are no steps and no trace."""
    def start_profile(self, h, body):
        self.on, self.wanted = True, {"num_steps": 1}
        h.say(200, "Start profiling.\n")


class Busy(SGLang):
    """Another user records."""
    def start_profile(self, h, body):
        h.say(500, "Internal Server Error: Profiling is already in progress" + ESCAPE)


class Damaged(SGLang):
    def start_profile(self, h, body):
        self.write("17-TP-0.trace.json.gz", PACKED[:100] + b"\0" * 50 + PACKED[150:])
        h.say(200, "Start profiling.\n")


class Mute(SGLang):
    """Starts, but does not say so."""
    def start_profile(self, h, body):
        self.on, self.wanted = True, {"num_steps": 1}
        self.over.wait(30)


class VLLM(Server):
    name = "dp0_pp0_tp0_rank0.17.pt.trace.json.gz"

    def version(self, h, body):
        h.say(200, '{"version":"0.26.1"}')

    def start_profile(self, h, body):
        self.on = True
        h.say(200)

    def stop_profile(self, h, body):
        if not self.on:
            return h.say(500, "not running")
        self.on = False
        self.write(self.name, PACKED, 1.0)
        return h.say(200)


class Off(VLLM):
    def start_profile(self, h, body):
        h.say(404, '{"detail":"Not Found"}')


class Slow(VLLM):
    """Its own time for the workers is over before they have written: the stop is answered with an error, the traces come later."""
    def stop_profile(self, h, body):
        self.later(0.5, self.name, PACKED, 0.5)
        h.say(500, "RPC timeout")


class Chunked(VLLM):
    def version(self, h, body):
        h.raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6;x=y\r\n{\"vers\r\nC\r\nion\":\"0.26\"}\r\n0\r\nA: b\r\n\r\n")


class TRTLLM(VLLM):
    """Writes the same name each time, as plain JSON."""
    name = "trace.json"

    def stop_profile(self, h, body):
        self.write(self.name, TRACE + b"\n", 2.5)
        h.say(200)


class Keyed(SGLang):
    def get_server_info(self, h, body):
        h.say(200, INFO % 1) if h.headers.get("Authorization") == "Bearer " + TOKEN else h.say(401, '{"error":"Unauthorized"}')


class Page(Server):
    """A server of web pages answers everything with its page."""
    def version(self, h, body):
        h.say(200, "<html>{}</html>")

    get_server_info = version


class Elsewhere(Server):
    def get_server_info(self, h, body):
        h.raw(b"HTTP/1.1 307 x\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")


def bytes_of(*pieces, pause=0.0):
    class Raw(Server):
        def get_server_info(self, h, body):
            for piece in pieces:
                if not h.raw(piece):
                    return
                self.over.wait(pause)
    return Raw


def endless(piece):
    class Endless(Server):
        def get_server_info(self, h, body):
            h.raw(b"HTTP/1.1 200 OK\r\n")
            while not self.over.is_set() and h.raw(piece):
                pass
    return Endless


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def raw(self, data):
        self.close_connection = True
        try:
            self.wfile.write(data)
            return True
        except OSError:
            return False

    def say(self, status, text=""):
        self.raw(f"HTTP/1.1 {status} x\r\nContent-Length: {len(text.encode())}\r\n\r\n{text}".encode())

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.log.append((self.command, self.path, body, time.monotonic()))
        getattr(self.server, self.path.rsplit("/", 1)[-1])(self, body)

    do_GET = do_POST = answer


class Run:
    """One command against one server. `prepare` puts files into the folder first."""
    def __init__(self, program, kind, *words, prepare=None, path="", folder="{folder}", interrupt=None, stop=signal.SIGINT):
        with tempfile.TemporaryDirectory(prefix="engines.") as base:
            self.folder = os.path.join(base, "traces")
            os.mkdir(self.folder)
            if prepare:
                prepare(self.folder)
            self.token = os.path.join(base, "token")
            with open(os.open(self.token, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as f:
                f.write(TOKEN)
            self.server = kind(self.folder)
            url = f"http://127.0.0.1:{self.server.server_address[1]}{path}"
            words = [w.format(folder=self.folder, token=self.token) for w in (url.replace("{", ""), "-o", folder, *words)]
            start = time.monotonic()
            with subprocess.Popen([program, "capture", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=base,
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)) as p:
                if interrupt is not None:
                    until(lambda: self.server.on or p.poll() is not None)
                    time.sleep(interrupt)
                    p.send_signal(stop)
                out, err = p.communicate(timeout=60)
            self.status, self.out, self.err, self.seconds = p.returncode, out.decode(), err.decode(), time.monotonic() - start
            self.paths, self.log, self.on = self.server.paths(), list(self.server.log), self.server.on
            self.server.over.set()
            self.server.shutdown()
            self.server.server_close()

    def fits(self, name, status, *words, paths=None, seconds=(0, 40)):
        said = self.out if status == 0 else self.err
        check(name, self.status == status and all(w in said for w in words) and seconds[0] <= self.seconds <= seconds[1],
              (self.status, self.seconds, self.out, self.err, self.paths))
        check(f"{name}: lines", (status == 0) == bool(self.out) and self.err.count("\n") == (status != 0) + self.err.count("note:"),
              (self.out, self.err))
        check(f"{name}: control bytes", not any(c < " " and c != "\n" or "\x7f" <= c < "\xa0" for c in self.out + self.err), (self.out, self.err))
        if paths is not None:
            check(f"{name}: requests", self.paths == ["/" + p for p in paths.split()], self.paths)
        return self


ASKED, START, BOTH = "get_server_info version", "start_profile", "start_profile stop_profile"


def well(program):
    def sglang():
        r = Run(program, SGLang).fits("SGLang", 0, "17-TP-0.trace.json.gz", "\n  tfprof triage ", paths="get_server_info " + START, seconds=(2.5, 20))
        check("SGLang: body", json.loads(r.log[-1][2]) == {"output_dir": r.folder, "num_steps": 5, "activities": ["CPU", "GPU"], "with_stack": True, "record_shapes": True},
              r.log[-1])

    def seconds():
        r = Run(program, SGLang, "--seconds", "500ms", "--server-dir", "/profiles/x").fits("SGLang by time", 0, "17-TP-0", paths="get_server_info " + BOTH)
        check("SGLang by time: body", "num_steps" not in json.loads(r.log[1][2]) and json.loads(r.log[1][2])["output_dir"] == "/profiles/x", r.log[1])

    def relative():
        r = Run(program, SGLang, "--steps", "2", folder="traces").fits("a relative folder", 0, "tfprof triage traces\n")
        check("a relative folder: body", json.loads(r.log[-1][2])["output_dir"] == r.folder, r.log[-1])

    def vllm():
        r = Run(program, VLLM, "--seconds", "1").fits("vLLM", 0, VLLM.name, paths=ASKED + " " + BOTH, seconds=(4, 30))
        check("vLLM: times", 0.9 <= r.log[3][3] - r.log[2][3] <= 10 and not any(body for _, _, body, _ in r.log), r.log)

    def older(folder):
        for name in ("old.trace.json.gz", "trace.json", "half.json"):
            with open(os.path.join(folder, name), "wb") as f:
                f.write(TRACE[:-1])

    return (
        sglang, seconds, relative, vllm,
        lambda: Run(program, Ranks).fits("two ranks", 0, "17-TP-0", "17-TP-1", "2 traces", seconds=(5, 30)),
        lambda: Run(program, VLLM, "--engine", "vllm").fits("a named engine", 0, VLLM.name, paths=BOTH),
        lambda: Run(program, Chunked).fits("chunks", 0, VLLM.name),
        lambda: Run(program, Slow, "--seconds", "0.2").fits("a stop that fails, and traces that come", 0, VLLM.name),
        lambda: Run(program, TRTLLM, "--engine", "trtllm", "--seconds", "0.2", prepare=older).fits("TensorRT-LLM, beside older traces", 0, "1 trace of", "/traces/trace.json\n"),
        lambda: Run(program, Keyed, "--token-file", "{token}").fits("a key", 0, "17-TP-0"),
        lambda: Run(program, SGLang, path="/behind/a/proxy").fits("a path", 0, "17-TP-0", paths="behind/a/proxy/get_server_info behind/a/proxy/start_profile"),
    )


def badly(program):
    def interrupt(stop, name):
        r = Run(program, VLLM, "--seconds", "60", interrupt=0.3, stop=stop).fits(name, 130, "interrupted; its profiler was stopped", paths=ASKED + " " + BOTH, seconds=(0, 15))
        check(f"{name}: off", not r.on)

    cases = (
        ("an idle SGLang", Idle, ("--timeout", "1s"), 1, ("no trace appeared", "in 1 s", "its profiler was stopped"), "get_server_info " + BOTH),
        ("another recording goes on", Busy, (), 1, ("500: ", "already in progress?[31m"), "get_server_info " + START),
        ("a damaged trace", Damaged, ("--timeout", "3s"), 1, ("17-TP-0.trace.json.gz is not whole", "damaged"), None),
        ("no answer to the start", Mute, ("--timeout", "1s"), 1, ("did not answer in time; its profiler was stopped",), "get_server_info " + BOTH),
        ("profiler off", Off, (), 1, ("404", "--profiler-config", "VLLM_TORCH_PROFILER_DIR"), ASKED + " " + START),
        ("steps of vLLM", VLLM, ("--steps", "3"), 2, ("vLLM counts no steps", "--seconds"), ASKED),
        ("a wrong key", Keyed, (), 1, ("401", "--token-file"), "get_server_info"),
        ("pages", Page, (), 1, ("neither SGLang nor vLLM", "--engine"), ASKED),
        ("redirect", Elsewhere, (), 1, ("307", "redirect"), "get_server_info"),
        ("no HTTP", bytes_of(b"SSH-2.0-x\r\n"), (), 1, ("does not answer in HTTP",), "get_server_info"),
        ("a head that is cut", bytes_of(b"HTTP/1.1 200 OK\r\nA: b"), (), 1, ("without an answer",), "get_server_info"),
        ("a body that is cut", bytes_of(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), (), 1, ("ended too early",), "get_server_info"),
        ("a chunk that is none", bytes_of(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"), (), 1, ("does not answer in HTTP",), "get_server_info"),
        ("a length that is none", bytes_of(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), (), 1, ("is no number",), "get_server_info"),
        ("a giant length", bytes_of(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n"), (), 1, ("longer than 4 MB",), "get_server_info"),
        ("an endless head", endless(b"A: " + b"b" * 5000 + b"\r\n"), (), 1, ("longer than 16 KB",), "get_server_info"),
        ("an endless body", endless(b"\r\n" + b"x" * 65536), (), 1, ("longer than 4 MB",), "get_server_info"),
        ("a slow head", bytes_of(*[b"H"] * 200, pause=0.1), (), 1, ("does not answer in HTTP",), "get_server_info"),
        ("a silent server", bytes_of(b"", pause=60), (), 1, ("did not answer in time",), "get_server_info"),
        ("two times", SGLang, ("--steps", "3", "--seconds", "1"), 2, ("exclude each other",), ""),
        ("no steps", SGLang, ("--steps", "0"), 2, ("--steps '0'",), ""),
        ("an option of processes", SGLang, ("--attach",), 2, ("--attach does not go with http://",), ""),
        ("an unknown engine", SGLang, ("--engine", "tgi"), 2, ("sglang, vllm or trtllm",), ""),
    )
    return tuple((lambda c=c: Run(program, c[1], *c[2]).fits(c[0], c[3], *c[4], paths=c[5], seconds=(0, 25))) for c in cases) + (
        lambda: interrupt(signal.SIGINT, "^C"), lambda: interrupt(signal.SIGTERM, "TERM"),
        lambda: Run(program, SGLang, folder="/no/such/folder", *("--timeout", "1s")).fits("a missing folder", 1, "no trace appeared in /no/such/folder"),
    )


def main(program):
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        for done in [pool.submit(case) for case in well(program) + badly(program)]:
            done.result()
    for words, status, text in ((("http://127.0.0.1:1", "-o", "x"), 1, "refused"), (("https://127.0.0.1:1", "-o", "x"), 2, "https (TLS)"), (("http://127.0.0.1:1",), 2, "-o DIR"),
                                (("http://u:p@127.0.0.1:1", "-o", "x"), 2, "not allowed"), (("http://a", "http://b", "-o", "x"), 2, "one http://"), (("4711", "--seconds", "1"), 2, "http://HOST:PORT only")):
        done = subprocess.run([program, "capture", *words], capture_output=True, timeout=60, check=False, text=True)
        check(f"{words}", done.returncode == status and text in done.stderr and not done.stdout, (done.returncode, done.stderr))
    return ended()


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))

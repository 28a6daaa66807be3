#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof serve` under hostile, slow and many requests, and its answers against the command line's.

    tests/server/run.py PROGRAM [WORD ...]    only the tests with these words in their names

Ends with `N passed, N failed`."""
import concurrent.futures
import contextlib
import gzip
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from random import Random

from serving import SAMPLE, Server, Answer, quote, read_all

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data"))
import wire  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/tfprof")
SANITIZED = b"__asan_init" in open(PROGRAM, "rb").read() or b"__tsan_init" in open(PROGRAM, "rb").read()
PROFILE = "dense/profile_3.gz"
BUSY = 2  # times as long as alone, beside other programs on the same cores
ALWAYS = {"x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "no-referrer"}

checks = {"passed": 0, "failed": 0}
lock = threading.Lock()


def check(right, what):
    with lock:
        checks["passed" if right else "failed"] += 1
        if not right:
            print("FAILED " + what, flush=True)
    return right


def run(*words, cwd=SAMPLE, timeout=60):
    done = subprocess.run([PROGRAM, *words], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


@contextlib.contextmanager
def serving(*words, **more):
    server = Server(PROGRAM, *words, **more)
    try:
        yield server
    finally:
        status, err, seconds = server.stop()
        check(status == 0, f"ends with status 0, not {status}: {err[-3000:]}")
        check(seconds < 3, f"ends within 3 s, not {seconds:.1f}")
        check(err == "", "says nothing on stderr: " + err[-3000:])


def safe(answer, what):
    """Every answer has the strict headers, and none opens the door to other sites."""
    for name, value in ALWAYS.items():
        check(answer.headers.get(name) == value, f"{what}: {name} is {answer.headers.get(name)}")
    policy = answer.headers.get("content-security-policy", "")
    check("default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy,
          f"{what}: policy '{policy}'")
    check(not any(h.startswith("access-control") for h in answer.headers), f"{what}: no CORS")
    check("html" not in answer.headers.get("content-type", ""), f"{what}: no HTML")


def refused(answer, what, statuses=range(400, 500)):
    check(answer.status in statuses, f"{what}: {answer.status} {answer.body[:200]!r}")
    safe(answer, what)


# ---- hostile requests ----

def test_paths_lead_nowhere(s):
    for path in ("/../../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/....//etc/passwd",
                 "/api/v1/profiles/..%2f..%2fetc%2fpasswd", "/api/v1/profiles/../../x", "/api/v1/../../etc/passwd", "//etc/passwd",
                 "/etc/passwd", "/api", "/api/", "/api/v1", "/api/v1/", "/api/v2/tables", "/API/V1/tables", "/api/v1/profiles/",
                 "/api/v1/profiles//views/scope", "/api/v1/tables/", "/favicon.png", "/index.html/", "/.git/config",
                 "/%252e%252e/etc/passwd", "/api/v1/profiles/" + "a" * 3000, "/%c0%ae%c0%ae/etc/passwd"):
        answer = s.get(path)
        refused(answer, path, (404,))
        check(b"root:" not in answer.body, path + " gives no file")


def test_percent_tricks(s):
    for path in ("/%", "/%2", "/%zz", "/%00", "/api/v1/tables%00", "/api/v1/tables?a=%00", "/a%u0041", "/\\..\\", "/a b",
                 "/\x7f", "/\xff", "/a#b", "/\"", "/<script>"):
        refused(s.get(path), repr(path), (400,))


def test_hosts(s):
    port = s.port
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", f"127.0.0.2:{port}", "", ":",
                 f"localhost.:{port}", f"127.0.0.1:{port}@evil.example", f"evil.example@127.0.0.1:{port}", "[::1]", f"0x7f.1:{port}",
                 f"127.0.0.1:{port},evil.example", f"127.0.0.1:0{port}", f"2130706433:{port}", f"[::ffff:127.0.0.1]:{port}"):
        refused(s.get("/api/v1/tables", f"Host: {host}", host=False), f"Host {host!r}")
    refused(s.get("/api/v1/tables", host=False), "no Host")
    refused(s.get("/api/v1/tables", f"Host: {s.host}"), "two equal Hosts")
    refused(s.get("/api/v1/tables", "Host: evil.example"), "two Hosts")
    refused(s.raw(b"GET http://evil.example/ HTTP/1.1\r\nHost: " + s.host.encode() + b"\r\n\r\n"), "absolute form")
    refused(s.raw(b"GET /api/v1/tables HTTP/1.0\r\n\r\n"), "HTTP/1.0 without Host")
    for host in (f"localhost:{port}", f"LOCALHOST:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", f"LocalHost:{port}"):
        check(s.get("/api/v1/tables", f"Host: {host}", host=False).status == 200, f"Host {host}")


def test_origins(s):
    for origin in ("http://evil.example", "null", f"https://{s.host}", f"http://127.0.0.1:{s.port + 1}", "", f"http://{s.host}.evil.example",
                   f"http://localhost:{s.port}"):
        refused(s.get("/api/v1/tables", f"Origin: {origin}"), f"Origin {origin!r}", (403,))
    refused(s.get("/api/v1/tables", f"Origin: http://{s.host}", f"Origin: http://{s.host}"), "two Origins", (403,))
    check(s.get("/api/v1/tables", f"Origin: http://{s.host}").status == 200, "its own Origin")
    refused(s.get("/api/v1/tables", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"), "another site's fetch", (403,))
    check(s.get("/api/v1/tables", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate").status == 200, "a link from there")
    for dest in ("iframe", "frame", "embed", "object", "fencedframe"):
        for site in ("cross-site", "same-site", "same-origin", "none"):
            for path in ("/api/v1/tables", "/"):
                refused(s.get(path, f"Sec-Fetch-Site: {site}", "Sec-Fetch-Mode: navigate", f"Sec-Fetch-Dest: {dest}"), f"{dest} of {site}", (403,))
    check(s.get("/", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document").status == 200, "a document")


def test_methods(s):
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PROPFIND", "get", "Get", "GETX", "X"):
        answer = s.get("/api/v1/tables", method=method)
        refused(answer, method, (405,))
        check(answer.headers.get("allow") == "GET, HEAD", method + ": Allow")
    refused(s.get("/api/v1/tables", "Content-Length: 5", method="POST"), "POST with a body", (405,))
    head, get = s.get("/api/v1/tables", method="HEAD"), s.get("/api/v1/tables")
    check(head.status == 200 and head.body == b"" and head.headers.get("content-length") == str(len(get.body)), "HEAD")
    head = s.get("/nothing", method="HEAD")
    check(head.status == 404 and head.body == b"", "HEAD of nothing")


def test_bodies(s):
    for lines, statuses in ((("Content-Length: 5",), (413,)), (("Content-Length: 99999999999999999999",), (413,)),
                            (("Content-Length: -1",), (400,)), (("Content-Length: +0",), (400,)), (("Content-Length: 0x0",), (400,)),
                            (("Content-Length:",), (400,)), (("Content-Length: 0", "Content-Length: 0"), (400,)),
                            (("Content-Length: 5", "Content-Length: 6"), (400,)), (("Content-Length: 0, 0",), (400,)),
                            (("Content-Length: 5", "Transfer-Encoding: chunked"), (400,)), (("Transfer-Encoding: chunked",), (413,)),
                            (("Transfer-Encoding: identity",), (413,)), (("Transfer-Encoding: chunked", "Transfer-Encoding: gzip"), (400,)),
                            (("transfer-encoding:\tchunked",), (413,)), (("Expect: 100-continue",), (417,)),
                            (("Content-Length : 5",), (400,)), ((" Content-Length: 5",), (400,)), (("X: a", " folded: b"), (400,))):
        refused(s.get("/api/v1/tables", *lines), repr(lines), statuses)
    check(s.get("/api/v1/tables", "Content-Length: 0").status == 200, "a length of 0")
    body = b"GET /api/v1/tables HTTP/1.1\r\nHost: " + s.host.encode() + b"\r\nContent-Length: 70000\r\n\r\n" + b"x" * 70000
    refused(s.raw(body), "70,000 bytes of a body", (413,))


def test_long_requests(s):
    refused(s.get("/" + "a" * 8300), "a long path", (414,))
    refused(s.get("/" + "a" * 70000), "a very long path", (414,))
    refused(s.get("/?" + "&".join("a=1" for _ in range(1900))), "many parameters", (400,))
    refused(s.get("/api/v1/tables", "X: " + "a" * 17000), "a long header", (431,))
    refused(s.get("/api/v1/tables", *[f"X{i}: 1" for i in range(150)]), "many headers", (431,))
    refused(s.get("/api/v1/tables", *[f"X{i}: {'a' * 100}" for i in range(1500)]), "150 KB of headers", (431,))
    check(s.get("/api/v1/tables", *[f"X{i}: 1" for i in range(60)]).status == 200, "60 headers")
    check(s.get("/api/v1/tables", "X: " + "a" * 8000).status == 200, "a header of 8,000 bytes")


def test_garbage(s):
    for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\x00" * 100, b"\r\n\r\n", b"\n", b"GET\r\n\r\n", b"GET /\r\n\r\n",
                 b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/2.0\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET * HTTP/1.1\r\n\r\n",
                 b"GET / http/1.1\r\n\r\n", b"GET  / HTTP/1.1\r\n\r\n", b"GET /a b HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\nHost: x\n\n",
                 b"GET / HTTP/1.1\r\nHost\r\n\r\n", b"GET / HTTP/1.1\r\n: x\r\n\r\n", b"GET / HTTP/1.1\r\nA b: x\r\n\r\n",
                 b"GET / HTTP/1.1\r\nA: \x00\r\n\r\n", b"GET / HTTP/1.1\r\nA: \x01\r\n\r\n", b"GET / HTTP/1.1\r\nA: x\ry\r\n\r\n",
                 b"<html>\r\n\r\n", bytes(range(256)) * 8, b"A" * 9000, b"GET / HTTP/1.1\r\n" + b"A" * 20000):
        refused(s.raw(data), repr(data[:50]))
    random = open("/dev/urandom", "rb").read(4096)
    for i in range(0, 4096, 64):
        answer = s.raw(random[i:i + 64] + b"\r\n\r\n")
        check(answer.status in range(400, 500), f"random bytes: {answer.status}")


def test_mutated_requests(s):
    """A good request with bytes changed, doubled, cut out: an answer or nothing, never a 5xx, and the server goes on."""
    p = s.id_of(PROFILE)
    random = Random(7)
    goods = [f"GET {path} HTTP/1.1\r\nHost: {s.host}\r\nAccept-Encoding: gzip\r\nIf-None-Match: \"x\"\r\n\r\n".encode()
             for path in ("/api/v1/tables", f"/api/v1/profiles/{p}/views/scope?max_depth=2&select=micros", f"/api/v1/profiles/{p}/query?sql=SELECT%201",
                          f"/api/v1/compare?side={p}@0&side={p}@3", f"/api/v1/command?profile={p}&line=op%20-max_depth%201", "/?token=x&a=%41")]
    odd = [b"\r\n", b"\n", b"\x00", b"%", b"%00", b"&", b"=", b"?", b"/..", b" ", b":", b"Host: x\r\n", b"Content-Length: 1\r\n", b"\xff", b"@", b"#"]

    def mutated(number):
        data = bytearray(goods[number % len(goods)])
        for _ in range(1 + number % 4):
            at = random.randrange(len(data))
            kind = random.randrange(4)
            if kind == 0:
                data[at] = random.randrange(256)
            elif kind == 1:
                data[at:at] = random.choice(odd)
            elif kind == 2:
                del data[at:at + random.randrange(1, 12)]
            else:
                data[at:at] = data[at:at + random.randrange(1, 60)]
        return bytes(data)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        requests = [mutated(i) for i in range(600 if SANITIZED else 2000)]
        for data, answer in zip(requests, pool.map(lambda d: send_and_close(s, d), requests)):
            check(answer.status < 500, f"{data!r}: {answer.status}")
    check(s.get("/api/v1/tables").status == 200, "it goes on")


def send_and_close(s, data):
    """A request that has no end yet gets none: the client closes its side."""
    with s.connect() as c:
        with contextlib.suppress(OSError):
            c.sendall(data)
            c.shutdown(socket.SHUT_WR)
        return Answer(read_all(c))


def test_pipelined_requests_are_cut_after_the_first(s):
    one = b"GET /api/v1/tables HTTP/1.1\r\nHost: " + s.host.encode() + b"\r\n\r\n"
    answer = s.raw(one + b"GET /../etc HTTP/1.1\r\nHost: evil\r\n\r\n")
    check(answer.status == 200 and answer.raw.count(b"HTTP/1.1 ") == 1, "one answer a connection")
    check(answer.headers.get("connection", "").lower() == "close", "and it says so")


def test_wrong_parameters_are_400_as_json(s):
    p = s.id_of(PROFILE)
    s.api(f"profiles/{p}")
    for path in ("views/scope?nonsense=1", "views/scope?max_depth=x", "views/scope?select=nonsense", "views/scope?order_by=nonsense",
                 "views/scope?show_name_regexes=(", "views/scope?format=nonsense", "views/scope?output=file:outfile=x", "views/scope?step=77",
                 "views/scope?proto_out=x", "views/scope?dump_to_file=x", "views/scope?format=", "views/code?step=x", "steps?x=1",
                 "timeline?step=x", "timeline?step=99999999999999999999", "timeline?step=77", "timeline?format=exe", "memory?step=-5",
                 "lanes?step=x", "spans?from=x", "spans?from=-1", "spans?to=nan", "spans?to=1e300", "spans?from=5&to=5", "spans?px=0", "spans?px=10001",
                 "spans?first_row=-1", "spans?most=0", "spans?x=1", "spans/77777777", "spans/x", "spans/-1", "sums?from=2&to=1", "find?after=x", "find?backward=2",
                 "stats?select=op_types", "query", "query?sql=", "query?sql=DELETE%20FROM%20nodes", "query?sql=PRAGMA%20x",
                 "query?sql=ATTACH%20%27/etc/passwd%27%20AS%20x", "query?sql=SELECT%20readfile(%27/etc/passwd%27)", "query?sql=SELECT%201%3BSELECT%202",
                 "source", "source?file=", "tensors/value", "download/timeline.json?step=77", "download/timeline.json?view=op",
                 "download/profile?output=file:outfile=x", "views/advise?checkers=nonsense"):
        answer = s.get(f"/api/v1/profiles/{p}/{path}")
        refused(answer, path, (400,))
        with contextlib.suppress(ValueError):
            check(set(answer.json()) == {"error"} and answer.json()["error"], path + ": an error in JSON")
    for path in (f"profiles/{p}/views/nonsense", f"profiles/{p}/nonsense", f"profiles/{p}/download/x", "profiles/000000000000", "profiles/x/views/scope",
                 f"profiles/{p}/source?file=/etc/passwd", f"profiles/{p}/source?file=../../../../etc/passwd", f"profiles/{p}/tensors/value/x"):
        refused(s.get("/api/v1/" + path), path, (404,))
    for path in ("compare", f"compare?side={p}", f"compare?side={p}&side=x", f"compare?side={p}@x&side={p}", f"compare?side={p}@77&side={p}",
                 "compare?" + "&".join(f"side={p}" for _ in range(30)), "command", "command?line=scope", f"command?profile={p}", "changes?since=x"):
        refused(s.get("/api/v1/" + path), path, (400, 404))


def test_nothing_is_reflected_as_html(s):
    p = s.id_of(PROFILE)
    for path in ("/<b>x", "/%3Cscript%3Ealert(1)%3C/script%3E", f"/api/v1/profiles/{p}/views/scope?max_depth=%3Cscript%3E",
                 f"/api/v1/profiles/{p}/views/%3Cscript%3E", f"/api/v1/command?profile={p}&line=%3Cscript%3E"):
        answer = s.get(path)
        safe(answer, path)
        check(answer.headers.get("content-type", "").startswith("application/json"), path + " is JSON")


def test_control_characters_are_escaped(s):
    p = s.id_of(PROFILE)
    answer = s.get(f"/api/v1/profiles/{p}/views/%0a%1b%5b31m%e2%80%ae")
    check(answer.status == 404 and b"\x1b" not in answer.body and b"\n" not in answer.body and b"\xe2\x80\xae" not in answer.body, "escaped")


def test_lines_of_the_prompt(s):
    p = s.id_of(PROFILE)
    s.api(f"profiles/{p}")

    def line(text):
        return s.api(f"command?profile={p}&line={quote(text)}").json()

    check(line("scope -max_depth 2")["output"].encode() == prompt_output("scope -max_depth 2"), "scope as at the prompt")
    check(line("op -select micros -order_by micros")["output"].encode() == prompt_output("op -select micros -order_by micros"), "op as at the prompt")
    check(line("SELECT")["status"] != 0, "no command")
    check("3" in line("query SELECT max(step) FROM steps")["output"], "query")
    check(line("diff @0 @3")["status"] == 0, "steps")
    check(line("")["output"].startswith("-max_depth"), "an empty line lists the options")
    with tempfile.TemporaryDirectory() as folder:
        for text in ("scope -output file:outfile=F", "graph -step 3 -output timeline:outfile=F", "code -output pprof:outfile=F",
                     "scope -proto_out F", "scope -compat 1.0 -dump_to_file F", "convert -o F", "diff F G", "diff /etc/passwd @3",
                     "query \"SELECT 1\" /etc/passwd", "query /etc/passwd", "scope /etc/passwd", "scope --graph_path=/etc/passwd", "serve /",
                     "set -output file:outfile=F", "diff @0 @3 --extra-files /etc/passwd", "-output file:outfile=F scope", "exit", "version F",
                     "stats -output file:outfile=F", "flops -output file:outfile=F", "completion bash"):
            told = line(text.replace("F", os.path.join(folder, "f")))
            check(told["status"] != 0 and "root:" not in told["output"] + told["error"], "refused: " + text + " " + str(told)[:200])
        check(not os.listdir(folder), "no file was written")


def prompt_output(line):
    done = subprocess.run([PROGRAM, PROFILE], cwd=SAMPLE, input=line.encode() + b"\n", capture_output=True, timeout=60)
    return done.stdout


# ---- tokens ----

def test_token_rules(_):
    with serving(".", token=True) as s:
        t, path = s.token, "/api/v1/tables"
        for headers, status in (((f"Cookie: {s.cookie}",), 200), ((f"Authorization: Bearer {t}",), 200), (("Authorization: Bearer x",), 403),
                                (("Cookie: a=b",), 403), ((f"Cookie: tfprof-{s.port + 1}={t}",), 403), ((f"Cookie: a=b; {s.cookie}; c=d",), 200),
                                ((f"Cookie: {s.cookie}x",), 403), ((f"Cookie: {s.cookie[:-1]}",), 403), ((f"Cookie: x{s.cookie}",), 403),
                                ((f"Authorization: Basic {t}",), 403), (("Cookie: tfprof-%d=" % s.port,), 403)):
            answer = s.get(path, *headers)
            check(answer.status == status, f"{headers}: {answer.status}")
            safe(answer, str(headers))
        check(s.get(path + "?token=" + t, "Cookie: a=b").status == 200, "token in the address")
        check(s.get(path + "?token=" + "0" * 32, "Cookie: a=b").status == 403, "a wrong token in the address")
        check(s.get("/nothing", "Cookie: a=b").status == 403, "nothing is told of paths either")
        first = s.get("/?token=" + t, "Cookie: a=b")
        cookie = first.headers.get("set-cookie", "")
        check(first.status == 303 and first.headers.get("location") == "/" and t in cookie and "HttpOnly" in cookie and
              "SameSite=Strict" in cookie and "Path=/" in cookie, "the first visit sets the cookie: " + cookie)
        safe(first, "the first visit")
        check(s.get("/?token=x", "Cookie: a=b").headers.get("set-cookie") is None, "a wrong token sets none")
        check(t.encode() not in s.get("/").body, "the page does not hold the token")
    with serving(".", token=True) as other:
        check(other.token != t, "another run has another token")


# ---- answers ----

def test_etag_gzip_and_friends(s):
    p = s.id_of(PROFILE)
    path = f"/api/v1/profiles/{p}/views/scope"
    s.api(f"profiles/{p}/views/scope")
    plain, packed = s.get(path), s.get(path, "Accept-Encoding: gzip")
    check(packed.headers.get("content-encoding") == "gzip" and gzip.decompress(packed.body) == plain.body, "gzip")
    check("content-encoding" not in plain.headers and len(packed.body) < len(plain.body), "not for who cannot")
    tag = plain.headers.get("etag")
    again = s.get(path, f"If-None-Match: {tag}")
    check(again.status == 304 and again.body == b"" and again.headers.get("etag") == tag, "304")
    safe(again, "304")
    check(s.get(path, 'If-None-Match: "x"').status == 200, "another ETag")
    check(s.get(path + "?max_depth=1", f"If-None-Match: {tag}").status == 200, "another answer")
    page, unpacked = s.get("/", "Accept-Encoding: gzip"), s.get("/")
    whole = gzip.decompress(page.body) if page.headers.get("content-encoding") == "gzip" else page.body
    check(whole == unpacked.body and unpacked.status == 200 and len(whole) > 50, "the page for both")


def test_answers_are_those_of_the_command_line(s):
    for name, files in ((PROFILE, (PROFILE,)), ("gpu/profile_1.gz", ("gpu/profile_1.gz",)),
                        ("odd/graph.pb", ("odd/graph.pb", "odd/run_meta_0", "odd/run_meta_1", "odd/tfprof_log"))):
        p = s.id_of(name)
        for view, options in (("scope", ""), ("scope", "max_depth=3&select=micros,bytes,params"), ("graph", "select=micros&order_by=micros"),
                              ("op", "select=micros,occurrence&order_by=micros"), ("code", "select=micros&max_depth=20"), ("advise", ""), ("flops", ""),
                              ("scope", "show_name_regexes=.*weights.*&account_type_regexes=.*"), ("scope", "step=0&select=micros"),
                              ("scope", "compat=1.0")):
            if (view == "code" and name == "odd/graph.pb") or (view == "flops" and name != "odd/graph.pb"):
                continue
            words = [w for o in filter(None, options.split("&")) for w in ("-" + o.split("=")[0], o.split("=")[1])]
            for format in ("json", "csv", "text", "md", "jsonl"):
                status, out, err = run(view, *files, *words, "-format", format)
                answer = s.api(f"profiles/{p}/views/{view}?{options}&format={format}".replace("?&", "?"))
                what = f"{name} {view} {options} {format}"
                if status:
                    check(answer.status in (400, 422), f"{what}: {answer.status}, and the command line {status} {err}")
                else:
                    check(same(answer.body, out, format), f"{what}: {first_difference(answer.body, out)}")


def same(page, out, format):
    """What the command line prints before a report on the way (advise: as it loads) is no part of it."""
    return page == out or (format == "text" and out.endswith(page)) or comparable(page) == comparable(out)


def comparable(text):
    return re.sub(rb'"file": ?"[^"]*"', b"", text)


def first_difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"{len(a)} and {len(b)} bytes, at {at}: {a[max(0, at - 60):at + 60]!r} {b[max(0, at - 60):at + 60]!r}"


def test_other_answers(s):
    p, gpu = s.id_of(PROFILE), s.id_of("gpu/profile_1.gz")
    for path, words in ((f"compare?side={p}@0&side={p}@3&format=csv", ("diff", PROFILE + "@0", PROFILE + "@3", "-format", "csv")),
                        (f"compare?side={p}&side={gpu}&view=op&format=csv", ("diff", PROFILE, "gpu/profile_1.gz", "-view", "op", "-format", "csv")),
                        (f"profiles/{p}/stats?format=csv&select=micros,bytes", ("stats", PROFILE, "-select", "micros,bytes", "-format", "csv")),
                        (f"profiles/{p}/query?sql={quote('SELECT * FROM nodes')}&format=csv", ("query", "SELECT * FROM nodes", PROFILE, "-format", "csv"))):
        check(s.api(path).body == run(*words)[1], path)
    spans = s.api(f"profiles/{gpu}/timeline?step=1&format=csv").body.decode().splitlines()[1:]
    told = run("query", "SELECT count(*) AS n, sum(duration_us) AS us FROM spans WHERE step = 1", "gpu/profile_1.gz", "-format", "csv")[1]
    ours = f"{len(spans)},{sum(int(line.rsplit(',', 1)[1]) for line in spans)}"
    check(ours in told.decode(), f"spans as SQL has them: {ours} {told}")
    with tempfile.TemporaryDirectory() as folder:
        f = os.path.join(folder, "f")
        run("graph", "gpu/profile_1.gz", "-step", "1", "-output", "timeline:outfile=" + f)
        check(s.api(f"profiles/{gpu}/download/timeline.json?step=1").body == open(f + "_1", "rb").read(), "the timeline's file")
        run("code", "gpu/profile_1.gz", "-select", "micros", "-output", "pprof:outfile=" + f)
        told = s.api(f"profiles/{gpu}/download/profile.pb.gz?select=micros")
        check(gzip.decompress(told.body) == gzip.decompress(open(f, "rb").read()), "the pprof file")
        check("attachment" in told.headers.get("content-disposition", ""), "is saved as a file")
        open(f, "wb").write(s.api(f"profiles/{gpu}/download/profile").body)
        check(run("scope", f)[1] == run("scope", "gpu/profile_1.gz")[1], "the profile itself")
    table = s.api(f"profiles/{gpu}/memory?format=columns").body
    magic, version, size = struct.unpack_from("<4sII", table)
    check(magic == b"TFPC" and version == 1 and (12 + size) % 8 == 0, "columns")
    v2 = s.id_of("dense/ckpt_v2/model.ckpt-3")
    value = s.api(f"profiles/{v2}/tensors/value?name=hidden/weights").json()
    check(value["shape"] == "196x12" and value["elements"] == sum(value["histogram"]) == 2352 and value["min"] < value["mean"] < value["max"], "a tensor")


def test_windows_of_a_timeline(s):
    """However narrow a picture is, every span is in it; and spans are those of SQL."""
    for name in ("pytorch/train.json.gz", "gpu/profile_1.gz", "xplane/tpu.xplane.pb"):
        at = f"profiles/{s.id_of(name)}/"
        lanes = s.api(at + "lanes").json()
        all_spans = sum(lane["spans"] for lane in lanes["rows"])
        end = max(lane["end_us"] for lane in lanes["rows"]) + 1
        told = int(run("query", "SELECT count(*) FROM spans WHERE start_us IS NOT NULL", name, "-format", "csv")[1].split()[1])
        check(all_spans == told > 0, f"{name}: {all_spans} spans in lanes, {told} in SQL")
        for px in (1, 50, 1400, 10000):
            rows = s.api(f"{at}spans?from=0&to={end}&px={px}").json()["rows"]
            check(sum(r["count"] for r in rows) == all_spans, f"{name}: {px} pixels wide it has every span")
            check(len({r["row"] for r in rows}) == sum(lane["rows"] for lane in lanes["rows"]), f"{name}: and every row")
            narrow = [r for r in rows if r["count"] > 1]
            check(all(0 <= r["busy_us"] <= r["duration_us"] + 0.001 and r["duration_us"] <= 2 * end / px for r in narrow), f"{name}: merged spans are as busy as they are long, and narrow")
        some = next(r for r in rows if r["count"] == 1)
        one = s.api(f"{at}spans/{some['span']}").json()
        check(all(one["summary"][k] == some[k] for k in ("span", "row", "name", "start_us", "duration_us")), f"{name}: one span as the window has it")
        found = s.api(f"{at}spans?from=0&to={end}&px=100&q={quote(some['name'][1:4].upper())}").json()["rows"]
        first = s.api(f"{at}find?q={quote(some['name'][1:4].upper())}").json()
        check(sum(r["found"] for r in found) == first["summary"]["matches"] > 0 and first["summary"]["place"] == 1, f"{name}: as many are found as there are")
        check(sum(r["count"] for r in s.api(f"{at}sums?from=0&to={end}").json()["rows"]) == all_spans, f"{name}: sums count every span")
        whole = s.api(f"{at}spans?most=1000000").json()["rows"]
        check(len(whole) == all_spans and all(r["count"] == 1 for r in whole), f"{name}: all of them one by one")
    kernels = s.id_of("traces/kineto.json")
    links = [s.api(f"profiles/{kernels}/spans/{r['span']}").json()["rows"] for r in s.api(f"profiles/{kernels}/spans?most=1000").json()["rows"] if r["launch"] is not None]
    check(links and all("launched by" in [k["relation"] for k in one] for one in links), "kernels are linked to their launches")


def test_files_that_belong_together(_):
    with serving("odd/graph.pb", "odd/run_meta_0", "odd/run_meta_1", "odd/profile_5") as s:
        names = [(p["name"], len(p["files"])) for p in s.profiles()]
        check(names == [("odd/graph.pb", 3), ("odd/profile_5", 1)], f"words: {names}")
        told = s.api(f"profiles/{s.id_of('odd/graph.pb')}/views/scope?format=csv&select=micros").body
        check(told == run("scope", "odd/graph.pb", "odd/run_meta_0", "odd/run_meta_1", "-select", "micros", "-format", "csv")[1], "one profile")
    with serving("--graph_path=odd/graph.pb", "--run_meta_path=odd/run_meta_0,odd/run_meta_1", "--op_log_path=odd/tfprof_log") as s:
        check([len(p["files"]) for p in s.profiles()] == [4], "flags")
    with serving("dense/ckpt_v2/model.ckpt-3", "--profile_context_path=gpu") as s:
        names = sorted(p["name"] for p in s.profiles())
        check(names == ["dense/ckpt_v2/model.ckpt-3", "profile_1.gz", "run_meta_nostream_0.gz"], f"a prefix and a folder: {names}")


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def test_a_query_over_its_limits_is_refused_once(s):
    """422, not 503: the same query would fail again."""
    p = s.id_of(PROFILE)
    s.api(f"profiles/{p}")
    # a busy machine is at the time's limit before the cells'
    for sql, words in ((ENDLESS, ("time_limit",)), ("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n", ("too big", "time_limit"))):
        begin = time.monotonic()
        answer = s.api(f"profiles/{p}/query?sql={quote(sql)}")
        check(answer.status == 422 and any(w in answer.json()["error"] for w in words), f"{sql}: {answer.status} {answer.body[:200]}")
        check(answer.headers.get("retry-after") is None, "nobody is told to try again")
        check(time.monotonic() - begin < 20, f"{sql}: {time.monotonic() - begin:.1f} s")


def test_one_profile_does_not_hold_up_the_others(_):
    """Two of the four threads at most work on one profile."""
    with serving(".") as s:
        p, gpu = s.id_of(PROFILE), s.id_of("gpu/profile_1.gz")
        s.api(f"profiles/{p}")
        s.api(f"profiles/{gpu}")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            slow = [pool.submit(s.api, f"profiles/{p}/query?sql={quote(ENDLESS)}", 120) for _ in range(4)]
            time.sleep(0.5)
            begin = time.monotonic()
            check(s.api(f"profiles/{gpu}/views/scope?max_depth=1").status == 200, "a view of another profile")
            seconds = time.monotonic() - begin
            check(seconds < (8 if SANITIZED else 4), f"it took {seconds:.1f} s")
            for done in slow:
                check(done.result().status == 422, "the slow ones end, too")


# ---- files that change ----

def wait_for(right, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if right():
            return True
        time.sleep(0.1)
    return False


def test_new_and_changed_files(_):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(f"{SAMPLE}/odd/profile_5", folder + "/profile_1")
        with serving(folder) as s:
            p = s.id_of("profile_1")
            n = s.api(f"profiles/{p}").json()["nodes"]
            since = s.get("/api/v1/changes").json()["changed"]
            waiting = threading.Thread(target=lambda: changes.append(s.get(f"/api/v1/changes?since={since}", timeout=30).json()))
            changes = []
            waiting.start()
            time.sleep(0.5)
            check(not changes, "nothing changed yet")
            shutil.copy(f"{SAMPLE}/{PROFILE}", folder + "/.new")
            os.rename(folder + "/.new", folder + "/profile_2")
            waiting.join(timeout=15)
            check(changes and changes[0]["changed"] != since, "who waits is told")
            check([q["name"] for q in s.profiles()] == ["profile_1", "profile_2"], "a new file")
            shutil.copy(f"{SAMPLE}/{PROFILE}", folder + "/profile_1")
            check(wait_for(lambda: s.api(f"profiles/{p}").json().get("nodes") not in (n, None)), "a changed file is read again")
            with open(folder + "/profile_1", "wb") as f:
                f.write(b"nonsense" * 100)
            check(wait_for(lambda: all(q["name"] != "profile_1" for q in s.profiles())),
                  "what is no profile any more goes")
            os.remove(folder + "/profile_2")
            check(wait_for(lambda: not s.profiles()), "what is gone goes")
            whole = open(f"{SAMPLE}/odd/profile_5", "rb").read()
            with open(folder + "/profile_3", "wb") as f:
                for at in range(0, len(whole), 800):
                    f.write(whole[at:at + 800])
                    f.flush()
                    for q in s.profiles():
                        s.get(f"/api/v1/profiles/{q['id']}")
                    time.sleep(0.02)
            check(wait_for(lambda: any(s.api(f"profiles/{q['id']}").json().get("nodes") == n for q in s.profiles())), "a file that was being written")


def test_folders_inside_each_other_are_at_rest(_):
    """A file that two of the folders hold is one profile, and nothing changes while nothing changes."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder + "/a/b")
        shutil.copy(f"{SAMPLE}/odd/profile_5", folder + "/a/b/profile_5")
        with serving(folder, folder + "/a", folder + "/a/b") as s:
            since = s.get("/api/v1/changes").json()["changed"]
            check([q["name"] for q in s.profiles()] == ["a/b/profile_5"], f"one profile: {s.profiles()}")
            time.sleep(7)
            check(s.get("/api/v1/changes").json()["changed"] == since, "the list is as it was")
            shutil.copy(f"{SAMPLE}/{PROFILE}", folder + "/a/b/profile_5")
            check(wait_for(lambda: s.get("/api/v1/changes").json()["changed"] != since), "a change is noticed")


def test_links_do_not_lead_out(_):
    with tempfile.TemporaryDirectory() as folder:
        inside, outside = folder + "/in", folder + "/out"
        os.makedirs(inside)
        os.makedirs(outside)
        shutil.copy(f"{SAMPLE}/odd/profile_5", outside + "/profile_5")
        shutil.copytree(f"{SAMPLE}/dense/ckpt_v2", outside + "/ckpt")
        os.symlink(outside + "/profile_5", inside + "/a")
        os.symlink("../out/profile_5", inside + "/b")
        os.symlink(outside, inside + "/c")
        os.symlink(outside + "/ckpt", inside + "/d")
        shutil.copy(f"{SAMPLE}/odd/profile_5", inside + "/e")
        os.symlink("e", inside + "/f")
        for name in os.listdir(outside + "/ckpt"):
            if ".data-" in name:
                os.symlink(f"{outside}/ckpt/{name}", f"{inside}/{name}")
            else:
                shutil.copy(f"{outside}/ckpt/{name}", inside)
        os.mkfifo(inside + "/fifo")
        with serving(inside) as s:
            names = sorted(p["name"] for p in s.profiles() if p["format"] != "checkpoint")
            check(names == ["e", "f"], f"only what lies inside: {names}")
            for p in s.profiles():
                if p["format"] == "checkpoint":
                    answer = s.api(f"profiles/{p['id']}/tensors/value?name=hidden/weights")
                    check(answer.status != 200, "a checkpoint whose values lie outside")
            os.rename(inside, folder + "/moved")
            check(s.api(f"profiles/{s.id_of('e')}").status == 200, "the folder is held, not its name")


# ---- slow and many ----

def test_slow_requests_are_cut(s):
    def slow(data, more, pause, limit):
        begin = time.monotonic()
        with s.connect(30) as c:
            c.sendall(data)
            c.settimeout(pause)
            got = b""
            while time.monotonic() - begin < limit + 5:
                try:
                    part = c.recv(65536)
                    if not part:
                        break
                    got += part
                except TimeoutError:
                    with contextlib.suppress(OSError):
                        if more:
                            c.sendall(more)
                except OSError:
                    break
        seconds = time.monotonic() - begin
        check(seconds <= limit, f"{data[:40]!r}: cut after {seconds:.1f} s")
        return Answer(got) if got else None

    head = b"GET /api/v1/tables HTTP/1.1\r\nHost: " + s.host.encode() + b"\r\n"
    cases = [(b"", b""), (b"G", b""), (b"GET / HT", b""), (head, b""), (head + b"X: ", b"a"), (b"GET /", b"a"), (head, b"X: y\r\n"),
             (head + b"Content-Length: 10\r\n\r\n", b"a"), (head + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n")]
    with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
        for (data, _), answer in zip(cases, pool.map(lambda c: slow(c[0], c[1], 0.3, 10), cases)):
            if answer:
                refused(answer, f"slow {data[-30:]!r}")


def test_200_stuck_connections_do_not_delay_others(s):
    p = s.id_of(PROFILE)
    s.api(f"profiles/{p}")
    stuck = []
    try:
        for i in range(200):
            c = s.connect()
            c.sendall([b"", b"GET / HTTP/1.1\r\nHost: ", b"G", b"GET /api/v1/tables HTTP/1.1\r\nHost: " + s.host.encode() + b"\r\n"][i % 4])
            stuck.append(c)
        for _ in range(5):  # and some that take no answer
            c = s.connect()
            c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            c.sendall(f"GET /api/v1/profiles/{p}/download/profile HTTP/1.1\r\nHost: {s.host}\r\n\r\n".encode())
            stuck.append(c)
        worst = 0
        for path in ["/api/v1/tables", f"/api/v1/profiles/{p}/views/scope", "/"] * 5:
            begin = time.monotonic()
            check(s.get(path).status == 200, "beside stuck ones: " + path)
            worst = max(worst, time.monotonic() - begin)
        check(worst < 2, f"beside 200 stuck connections a request took {worst:.2f} s")
        print(f"beside 200 stuck connections: {worst * 1000:.0f} ms at most")
    finally:
        for c in stuck:
            c.close()


def many(s, paths):
    """All of them at once: connections first, then requests; statuses."""
    sockets, statuses = [], []
    try:
        for path in paths:
            c = s.connect(60)
            sockets.append(c)
        for c, path in zip(sockets, paths):
            c.sendall(f"GET {path} HTTP/1.1\r\nHost: {s.host}\r\n\r\n".encode())
        for c in sockets:
            statuses.append(Answer(read_all(c)).status)
    finally:
        for c in sockets:
            c.close()
    return statuses


def test_1000_requests_at_once(_):
    with serving(".") as s:
        p, gpu = s.id_of(PROFILE), s.id_of("gpu/profile_1.gz")
        s.api(f"profiles/{p}")
        s.api(f"profiles/{gpu}")
        s.get("/api/v1/tables")
        before = s.descriptors()
        paths = [f"/api/v1/profiles/{p}/views/scope", "/api/v1/tables", f"/api/v1/profiles/{gpu}/views/graph?select=micros,bytes",
                 f"/api/v1/profiles/{gpu}/timeline?format=columns", "/api/v1/profiles", "/nothing", "/",
                 f"/api/v1/compare?side={p}&side={gpu}&format=csv", f"/api/v1/profiles/{gpu}/query?sql=SELECT%20count(*)%20FROM%20nodes",
                 f"/api/v1/command?profile={p}&line=scope"]
        begin = time.monotonic()
        statuses = many(s, [paths[i % len(paths)] for i in range(1000)])
        seconds = time.monotonic() - begin
        wrong = [x for x in statuses if x not in (200, 404, 503)]
        check(len(statuses) == 1000 and not wrong, f"1,000 at once: {wrong[:5]}")
        check(statuses.count(200) >= 500, f"1,000 at once: only {statuses.count(200)} were answered with 200")
        if not SANITIZED:
            check(s.memory() < 256, f"1,000 at once: {s.memory():.0f} MB")
        print(f"1,000 at once: {statuses.count(200)} 200, {statuses.count(404)} 404, {statuses.count(503)} 503, {seconds:.1f} s, {s.memory():.0f} MB")
        check(wait_for(lambda: s.descriptors() <= before), f"descriptors: {before} before, {s.descriptors()} after")
        if not SANITIZED:
            begin = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                statuses = list(pool.map(lambda i: s.get(paths[i % len(paths)]).status, range(3000)))
            check(not [x for x in statuses if x not in (200, 404, 503)], "3,000 from 16 clients")
            print(f"3,000 from 16 clients: {time.monotonic() - begin:.1f} s, {s.memory():.0f} MB")
        check(wait_for(lambda: s.descriptors() <= before), f"descriptors: {before} before, {s.descriptors()} after")


def test_all_profiles_at_once(_):
    """Reading while others ask, and clients that go away."""
    with serving(".") as s:
        profiles = s.profiles()
        before = s.descriptors()

        def ask(i):
            p = profiles[i % len(profiles)]
            if i % 5 == 4:
                with s.connect() as c:
                    c.sendall(f"GET /api/v1/profiles/{p['id']}/views/scope HTTP/1.1\r\nHost: {s.host}\r\n\r\n".encode())
                return 200
            return s.api(f"profiles/{p['id']}/views/{('scope', 'graph', 'op')[i % 3]}").status

        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            statuses = list(pool.map(ask, range(len(profiles) * 6)))
        check(set(statuses) <= {200, 400, 422, 503}, f"all at once: {sorted(set(statuses))}")
        check(statuses.count(200) > len(statuses) / 2, "most have an answer")
        check(wait_for(lambda: s.descriptors() <= before + 1), f"descriptors: {before} before, {s.descriptors()} after")


# ---- the beginning and the end ----

def test_it_begins_or_says_why(_):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        cases = [(("serve", ".", "--port", port), 2, "in use"), (("serve", ".", "--port", "70000"), 2, "70000"), (("serve", ".", "--port", "x"), 2, "x"),
                 (("serve", ".", "--port", "-1"), 2, "-1"), (("serve", ".", "--port", ""), 2, "port"), (("serve", ".", "--port", "80x"), 2, "80x"),
                 (("serve", "missing"), 1, "missing"), (("serve", ".", "missing/x"), 1, "missing/x"), (("serve", "/dev/null"), 1, "/dev/null"),
                 (("serve", "--profile_path=missing"), 1, "missing"), (("serve", "--profile_context_path=missing"), 1, "missing"),
                 (("serve", ".", "--host", "nonsense"), 2, "nonsense"), (("serve", ".", "--host", "0.0.0.0", "--no-token"), 2, "no-token"),
                 (("serve", ".", "--host", "8.8.8.8"), 2, ""), (("serve", __file__), 1, "run.py"), (("serve", ".", "--nonsense"), 2, "nonsense")]
        for words, status, text in cases:
            begin = time.monotonic()
            got, out, err = run(*words, timeout=20)
            what = " ".join(words)
            check(got == status, f"{what}: status {got}, {err}")
            check(err.count("\n") == 1 and err.startswith("tfprof: ") and text in err, f"{what}: says {err!r}")
            check(out == b"", f"{what}: nothing on stdout: {out!r}")
            check(time.monotonic() - begin < (10 if SANITIZED else 3), f"{what}: at once")


def test_it_ends_at_once(_):
    for kind in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        s = Server(PROGRAM, ".")
        with s.connect() as idle, s.connect() as half, s.connect() as waiting:
            half.sendall(b"GET / HT")
            since = s.get("/api/v1/changes").json()["changed"]
            waiting.sendall(f"GET /api/v1/changes?since={since} HTTP/1.1\r\nHost: {s.host}\r\n\r\n".encode())
            p = s.id_of(PROFILE)
            slow = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
            s.api(f"profiles/{p}")
            with s.connect() as busy:
                busy.sendall(f"GET /api/v1/profiles/{p}/query?sql={quote(slow)} HTTP/1.1\r\nHost: {s.host}\r\n\r\n".encode())
                time.sleep(0.3)
                status, err, seconds = s.stop(kind)
                check(status == 0 and err == "" and seconds < 3, f"{kind.name}: status {status}, {seconds:.1f} s {err[:2000]}")


def test_an_address_of_its_own(_):
    done = subprocess.Popen([PROGRAM, "serve", ".", "--host", "0.0.0.0", "--port", "0"], cwd=SAMPLE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = [done.stdout.readline().decode(), done.stdout.readline().decode()]
    done.send_signal(signal.SIGTERM)
    done.communicate(timeout=10)
    check("other machines" in lines[0] and "?token=" in lines[1], f"says what that means: {lines}")


# ---- reports ----

def field(number, value):
    return wire.number_field(number, value) if isinstance(value, int) else wire.bytes_field(number, value)


def most_that_fits(records, size=4 << 20):
    out = bytearray()
    for record in records:
        if len(out) + len(record) > size:
            return bytes(out)
        out += record
    return bytes(out)


def counted():
    n = 0
    while True:
        yield n
        n += 1


def test_a_report_of_4_mb_is_bounded(_):
    """Graphs of very many nodes, and call stacks of which no two are equal: 512 MB, and 5 s of a quiet processor."""
    graphs = {"flat.pb": (field(1, field(1, f"{n:x}") + field(2, "A")) for n in counted()),
              "chain.pb": (field(1, field(1, f"{n:x}") + field(2, f"O{n:x}") + field(3, f"{max(n, 1) - 1:x}")) for n in counted()),
              "profile_code": (field(1, field(1, n + 1) + field(2, field(1, f"{n:x}") + field(13, n + 1) + field(10, b"".join(
                  field(1, field(2, 8 * n + i) + field(6, 1) + field(7, 2)) for i in range(8))))) for n in counted())}
    with tempfile.TemporaryDirectory() as folder:
        for name, records in graphs.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(most_that_fits(records))
            begin = os.times()
            child = subprocess.Popen([PROGRAM, "report", name, "-o", "report.html"], cwd=folder, stderr=subprocess.PIPE)
            _, status, used = os.wait4(child.pid, 0)
            err = child.stderr.read().decode()
            child.stderr.close()
            child.returncode = os.waitstatus_to_exitcode(status)
            if "without its page" in err:
                return
            check(child.returncode == 0, f"report of {name}: status {child.returncode} {err[:300]}")
            print(f"report of {name}: {used.ru_utime + used.ru_stime:.1f} s of a processor, {used.ru_maxrss >> 10} MB, {os.times().elapsed - begin.elapsed:.1f} s")
            if not SANITIZED:
                check(used.ru_maxrss >> 10 < 512, f"report of {name}: {used.ru_maxrss >> 10} MB")
                check(used.ru_utime + used.ru_stime < 5 * BUSY, f"report of {name}: {used.ru_utime:.1f} s")


def test_without_libmicrohttpd_other_commands_work(_):
    status, out, _ = run("help")
    maps = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout
    check(status == 0 and out and "microhttpd" not in maps, "it is loaded by serve only")


TESTS = [f for name, f in list(globals().items()) if name.startswith("test_")]


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # under nohup it is ignored, in children too
    wanted = [t for t in TESTS if not sys.argv[2:] or any(w in t.__name__ for w in sys.argv[2:])]
    with serving(".") as shared:
        check(True, "begins")
        before = None
        for test in wanted:
            begin = time.monotonic()
            try:
                test(shared)
            except Exception as wrong:  # pylint: disable=broad-except
                check(False, f"{test.__name__}: {type(wrong).__name__}: {wrong}")
            if time.monotonic() - begin > 5:
                print(f"{test.__name__}: {time.monotonic() - begin:.0f} s", flush=True)
            if before is None:
                before = shared.descriptors()
        check(shared.process.poll() is None, "it still runs")
        check(wait_for(lambda: shared.descriptors() <= before + 2), f"descriptors: {before} at first, {shared.descriptors()} now")
    print(f"{checks['passed']} passed, {checks['failed']} failed")
    return 1 if checks["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())

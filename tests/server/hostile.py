# SPDX-License-Identifier: Apache-2.0
"""Hostile requests must not get files, access from another site's page, an answer to data that is not
HTTP, or the token."""
import concurrent.futures
import contextlib
import os
import socket
import subprocess
import tempfile
from random import Random

from checking import PROFILE, PROGRAM, SANITIZED, check, refused, safe, serving
from serving import SAMPLE, Answer, quote, read_all


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
    """A valid request with changed, doubled or removed bytes gets an answer or nothing, never a 5xx, and the server
    continues."""
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
    """A request without an end gets no answer, so the client closes its side."""
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
                 "report?step=77", "report?step=x", "report?place=", "report?place=%20x", "report?place=x%01",
                 "report?place=" + "x" * 5000, "report?source=/etc", "report?x=1", "download/profile?output=file:outfile=x", "views/advise?checkers=nonsense"):
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


NO_NUMBERS = ("-2", "", "1e9", "99999999999999999999", "nan", "inf", "0x10", "1.5", " 1", "+1", "1x", "\N{ARABIC-INDIC DIGIT ONE}")
NO_TIMES = ("-1", "", "99999999999999999999", "nan", "inf", "0x10", " 1", "1x", "1e", "-")
NO_ROWS = ("-1", "", "-", "1-", "1,", ",1", "3-1", "1--2", "1,,2", "99999999999999999999", "1e9", "nan", "0x10", " 1", "1.5", "1-2-3")


def test_every_number_of_a_request_is_a_number(s):
    """Of each route of docs/http.md; options of the command line are parsed by the library."""
    t, p = s.id_of("jobs/rank0.json"), s.id_of("gpu/profile_1.gz")
    for path, names, wrong in ((f"profiles/{t}/lanes?", ("step",), NO_NUMBERS), (f"profiles/{t}/spans?", ("px", "step", "most"), NO_NUMBERS),
                               (f"profiles/{t}/spans?", ("from", "to"), NO_TIMES), (f"profiles/{t}/sums?", ("from", "to"), NO_TIMES),
                               (f"profiles/{t}/spans?", ("rows",), NO_ROWS), (f"profiles/{t}/sums?", ("rows",), NO_ROWS),
                               (f"profiles/{t}/leaves?", ("step", "most"), NO_NUMBERS), (f"profiles/{p}/timeline?", ("step",), NO_NUMBERS),
                               (f"profiles/{t}/find?q=a&", ("after", "backward", "first_row", "last_row"), NO_NUMBERS),
                               (f"profiles/{p}/memory?", ("step",), NO_NUMBERS), (f"profiles/{p}/peak?", ("step",), NO_NUMBERS),
                               (f"profiles/{p}/report?", ("step",), NO_NUMBERS), ("changes?", ("since",), NO_NUMBERS)):
        for name, value in ((n, v) for n in names for v in wrong):
            what = f"{path}{name}={quote(value)}"
            answer = s.api(what)
            refused(answer, what, (400,))
            check(b"\n" not in answer.body.strip() and name in answer.json()["error"], f"{what}: the error names it: {answer.body!r}")
    for value in NO_NUMBERS[2:]:
        refused(s.api(f"profiles/{t}/spans/{quote(value)}"), f"span {value}", (400,))
    for path in (f"profiles/{t}/spans?rows=0", f"profiles/{t}/spans?rows=0-2,1-1,0", f"profiles/{t}/sums?rows=3,0-1", f"profiles/{t}/spans?from=0&to=1e3",
                 f"profiles/{t}/lanes?step=-1", f"profiles/{t}/find?q=a&after=-1", f"profiles/{p}/memory?step=1"):
        check(s.api(path).status == 200, path)


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

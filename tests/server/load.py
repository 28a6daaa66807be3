# SPDX-License-Identifier: Apache-2.0
"""Slow, stuck and very many requests at once."""
import concurrent.futures
import contextlib
import socket
import time

from checking import PROFILE, SANITIZED, check, refused, serving, wait_for
from serving import Answer, read_all


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
        for _ in range(5):  # and some that do not read their answers
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
    """Opens all connections first, then sends all requests; returns the statuses."""
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
    """Reads while other clients send requests, and clients disconnect."""
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

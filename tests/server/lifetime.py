# SPDX-License-Identifier: Apache-2.0
"""How serve starts, fails to start, and ends; and that other commands work without its library."""
import os
import signal
import socket
import subprocess
import time

from checking import PROFILE, PROGRAM, SANITIZED, check, run
from serving import SAMPLE, Server, quote


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
                 (("serve", ".", "--host", "8.8.8.8"), 2, ""), (("serve", __file__), 1, os.path.basename(__file__)), (("serve", ".", "--nonsense"), 2, "nonsense")]
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
                s.busy()
                status, err, seconds = s.stop(kind)
                check(status == 0 and err == "" and seconds < 3, f"{kind.name}: status {status}, {seconds:.1f} s {err[:2000]}")


def test_an_address_of_its_own(_):
    done = subprocess.Popen([PROGRAM, "serve", ".", "--host", "0.0.0.0", "--port", "0"], cwd=SAMPLE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = [done.stdout.readline().decode(), done.stdout.readline().decode()]
    done.send_signal(signal.SIGTERM)
    done.communicate(timeout=10)
    check("other machines" in lines[0] and "?token=" in lines[1], f"says what that means: {lines}")


def test_without_libmicrohttpd_other_commands_work(_):
    status, out, _ = run("help")
    maps = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout
    check(status == 0 and out and "microhttpd" not in maps, "it is loaded by serve only")

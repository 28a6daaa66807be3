#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/mcp/run.py TFPROF: `tfprof mcp` as a client meets it: the protocol, the tools, the commands that its answers name, and clients and
files that mean harm."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "sample")
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "schema"))
from logged import log  # noqa: E402

TRACE = "pytorch/train.json.gz"
passed = failed = 0


def check(name, ok, what=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"{name}: {str(what)[:600]}")


class Client:
    def __init__(self, program, root=ROOT):
        self.process = subprocess.Popen([program, "mcp", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.count = 0

    def send(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def line(self):
        line = self.process.stdout.readline().decode()
        log("mcp", line, line[:60])
        return json.loads(line)

    def ask(self, method, **params):
        self.count += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}).encode())
        answer = self.line()
        check(f"{method}: the id comes back", answer["id"] == self.count and answer["jsonrpc"] == "2.0", answer)
        return answer

    def call(self, tool, **arguments):
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        check(f"{tool}: 64 KiB", len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()) <= 65536, tool)
        return answer

    def fault(self, tool, **arguments):
        """The text of the error that the call returns."""
        result = self.call(tool, **arguments).get("result", {})
        check(f"{tool} {arguments}: a fault", result.get("isError") is True and len(result["content"]) == 1, result)
        return result["content"][0]["text"] if result.get("isError") else ""

    def end(self):
        out, err = self.process.communicate(timeout=30)
        check("the end of stdin ends it", self.process.returncode == 0 and not out and not err, (self.process.returncode, out, err))


def protocol(program):
    c = Client(program)
    for asked, given in (("2025-11-25",) * 2, ("2025-06-18",) * 2, ("2025-03-26",) * 2, ("2024-11-05",) * 2, ("1999-01-01", "2025-11-25")):
        r = c.ask("initialize", protocolVersion=asked, capabilities={}, clientInfo={"name": "t", "version": "1"})["result"]
        check(f"revision {asked}", r["protocolVersion"] == given and r["serverInfo"]["name"] == "tfprof" and "tools" in r["capabilities"], r)
    c.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    check("ping", c.ask("ping")["result"] == {}, "")
    check("no such method", c.ask("resources/list")["error"]["code"] == -32601)
    for line, code in ((b"{", -32700), (b'{"a":1}x', -32700), (b"\xff", -32700), (b'"\\u0000"', -32700), (b"[" * 100, -32700), (b'"x"', -32600), (b"[]", -32600), (b"{}", -32600),
                       (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600), (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
                       (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', -32602)):
        c.send(line)
        answer = c.line()
        check(f"{line[:40]}", answer["error"]["code"] == code and answer["id"] in (None, 1), answer)
    c.send(b'{"jsonrpc":"2.0","id":"' + b"x" * (1 << 20) + b'","method":"ping"}')
    check("a line over 1 MiB", c.line()["error"]["code"] == -32600)
    c.send(b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":"\\u00e4\\ud83d\\ude00","method":"ping"}]')
    check("several at once", [a["id"] for a in c.line()] == [1, "\u00e4\U0001f600"])
    c.send(b'{"jsonrpc":"2.0","id":7,"result":{}}')  # a response without a request
    c.process.stdin.write(b'{"jsonrpc":"2.0","id":9.5,"method":"ping"}')  # a last line without a line break
    c.process.stdin.close()
    check("a last line", c.line() == {"jsonrpc": "2.0", "id": 9.5, "result": {}})
    check("and the end", c.process.wait(timeout=30) == 0)


def tools(program):
    c = Client(program)
    listed = {t["name"]: t for t in c.ask("tools/list")["result"]["tools"]}
    check("five tools", set(listed) == {"info", "view", "query", "diff", "check"}, sorted(listed))
    for name, t in listed.items():
        s = t["inputSchema"]
        check(f"{name}: read only", t["annotations"]["readOnlyHint"] is True and s["additionalProperties"] is False and t["description"])
        check(f"{name}: each argument is described", all(p.get("description") and p.get("type") for p in s["properties"].values()), s)
        check(f"{name}: what is required is there", set(s["required"]) <= set(s["properties"]) and s["required"], s)
    check("no such tool", c.ask("tools/call", name="rm", arguments={})["error"]["code"] == -32602)
    for arguments in ({}, {"path": 3}, {"path": TRACE, "more": 1}):
        check(f"info {arguments}", c.call("info", **arguments)["error"]["code"] == -32602)
    for rows in (0, 1001, 2.5, "3"):
        check(f"max_rows {rows}", c.call("check", path=TRACE, max_rows=rows)["error"]["code"] == -32602)
    c.end()


def plain(cell):
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(int(cell))
    return cell


def same_as_command(program, structured):
    """Checks that the command, run by a shell in the folder, gives the same rows as the answer."""
    bin_folder = tempfile.mkdtemp()
    os.symlink(program, os.path.join(bin_folder, "tfprof"))
    done = subprocess.run(["sh", "-c", structured["command"]], cwd=ROOT, capture_output=True, check=False, env=dict(os.environ, PATH=bin_folder + ":" + os.environ["PATH"]))
    os.unlink(os.path.join(bin_folder, "tfprof"))
    os.rmdir(bin_folder)
    rows = list(csv.reader(io.StringIO(done.stdout.decode())))
    if done.returncode or not rows or rows[0] != structured["columns"] or len(rows) - 1 != structured["total_rows"]:
        return False
    for ours, theirs in zip(structured["rows"], rows[1:]):
        for cell, text in zip(ours, theirs):
            number = isinstance(cell, (int, float)) and not isinstance(cell, bool)
            if (abs(float(text) - cell) > 1e-9 * max(1, abs(cell))) if number else plain(cell) != text:
                return False
    return True


def answers(program):
    c = Client(program)
    cases = [("info", {"path": TRACE}), ("view", {"path": TRACE, "view": "op", "options": {"order_by": "micros", "select": ["micros", "occurrence"]}, "max_rows": 5}),
             ("view", {"path": TRACE, "view": "summary"}), ("view", {"path": "dense/graph.pb", "view": "scope", "options": {"max_depth": 3}}),
             ("view", {"path": TRACE, "view": "advise"}), ("query", {"paths": [TRACE], "sql": "SELECT name, 'it''s $HOME' AS s FROM nodes ORDER BY name", "max_rows": 1000}),
             ("diff", {"left": TRACE, "right": TRACE, "view": "op"}), ("diff", {"left": TRACE + "@2", "right": TRACE + "@3"}), ("check", {"path": TRACE})]
    for tool, arguments in cases:
        result = c.call(tool, **arguments).get("result", {})
        s = result.get("structuredContent", {})
        check(f"{tool} {arguments}: an answer", result.get("isError") is False and s.get("rows") and result["content"][0]["type"] == "text", result)
        check(f"{tool} {arguments}: rows fit", all(len(r) == len(s["columns"]) for r in s["rows"]) and len(s["rows"]) <= arguments.get("max_rows", 200), s)
        check(f"{tool} {arguments}: whether it is cut", s["truncated"] == (len(s["rows"]) < s["total_rows"]), s)
        check(f"{tool} {arguments}: the command gives the same", s["command"].startswith("tfprof ") and same_as_command(program, s), s["command"])
    s = c.call("query", paths=[TRACE], sql="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i, replace(hex(i * 1000003), '3', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy') FROM n", max_rows=1000)
    s = s["result"].get("structuredContent", s)
    check("rows that do not fit are cut", s.get("truncated") and s["total_rows"] == 900 and 20 < len(s["rows"]) < 900, s)
    c.end()


def faults(program):
    with tempfile.TemporaryDirectory() as outside, tempfile.TemporaryDirectory() as root:
        with open(os.path.join(outside, "secret"), "wb") as f:
            f.write(b"node { name: 'secret' op: 'NoOp' }\n")
        os.symlink(os.path.join(outside, "secret"), os.path.join(root, "link"))
        os.symlink(outside, os.path.join(root, "folder"))
        with open(os.path.join(root, "damaged.json"), "wb") as f:
            f.write(b'{"traceEvents": [{"ph": "X", "na')
        with open(os.path.join(root, "-o"), "wb") as f:
            f.write(b"node { name: 'x' op: 'NoOp' }\n")
        os.mkfifo(os.path.join(root, "pipe"))
        c = Client(program, root)
        for path in ("../x", "/etc/passwd", "a/../../x", "..", "link", "folder/secret", "", "gone", "--help"):
            answer = c.call("info", path=path)
            told = answer["result"]["content"][0]["text"] if "result" in answer else ""
            check(f"path {path!r}", (answer.get("result", {}).get("isError") or answer.get("error")) and "secret'" not in told, answer)
        notes = c.call("view", path="damaged.json", view="op")["result"]["structuredContent"]["notes"]
        check("a damaged file", any("cut short" in n for n in notes), notes)
        check("a file that looks like an option", c.call("view", path="-o", view="graph", options={"max_depth": 5})["result"]["isError"] is False)
        check("a pipe", c.fault("info", path="pipe"))
        check("no view", "no view" in c.fault("view", path="-o", view="capture"))
        for option in ("output", "format", "dump_to_file", "dump-to-file", "proto_out", "o", "cache", "attach", ""):
            check(f"option {option}", "no option" in c.fault("view", path="-o", view="graph", options={option: os.path.join(root, "made")}))
        for sql in ("DELETE FROM nodes", "ATTACH 'x' AS y", "SELECT 1; SELECT 2", "", "SELEC", "SELECT load_extension('x')"):
            check(f"SQL {sql}", c.fault("query", paths=["-o"], sql=sql))
        check("SQL that never ends", c.fault("query", paths=["-o"], sql="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"))
        check("and it goes on", c.ask("ping")["result"] == {})
        check("nothing was written", sorted(os.listdir(root)) == ["-o", "damaged.json", "folder", "link", "pipe"], os.listdir(root))
        c.end()
    done = subprocess.run([program, "mcp", "/nonexistent"], capture_output=True, check=False)
    check("no such root", done.returncode == 1 and done.stderr.count(b"\n") == 1 and not done.stdout, done)
    done = subprocess.run([program, "mcp"], capture_output=True, check=False)
    check("no root", done.returncode == 2, done)


def main():
    program = os.path.abspath(sys.argv[1])
    for part in (protocol, tools, answers, faults):
        part(program)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

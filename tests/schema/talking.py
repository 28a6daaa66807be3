# SPDX-License-Identifier: Apache-2.0
"""Answers of `tfprof serve` and messages of `tfprof mcp`, checked against their schemas."""
import json
import os
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "server"))
from serving import Server, quote  # noqa: E402

TRACE = "train.json.gz"
# Paths below /profiles/ID that return a table, for a trace and for a TensorFlow profile.
TABLES = ["steps", "timeline", "lanes", "spans?from=0&to=1000&px=20", "spans/3", "sums?from=0&to=100000", "leaves", "counters", "find?q=conv&after=0", "memory",
          "peak", "stats?view=op", "query?sql=" + quote("SELECT count(*) AS n FROM nodes"), "views/steps", "views/kernel", "views/check", "views/flops"]
MCP_CALLS = [("info", {"path": TRACE}), ("view", {"path": TRACE, "view": "op", "options": {"top": 3}}), ("view", {"path": TRACE, "view": "advise"}),
             ("view", {"path": TRACE, "view": "summary"}), ("query", {"paths": [TRACE], "sql": "SELECT * FROM nodes", "max_rows": 5}),
             ("diff", {"left": TRACE, "right": TRACE}), ("check", {"path": TRACE}), ("view", {"path": TRACE, "view": "nothing"}), ("info", {"path": "../x"})]


def mcp(t, sample):
    asked = [("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}), ("tools/list", {}), ("ping", {})]
    asked += [("tools/call", {"name": name, "arguments": arguments}) for name, arguments in MCP_CALLS]
    asked += [("tools/call", {"name": "info", "arguments": {}}), ("nothing", {})]
    lines = [json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": params}) for i, (method, params) in enumerate(asked)]
    lines += ["{", '[{"jsonrpc":"2.0","id":"a","method":"ping"}]']
    done = subprocess.run([t.program, "mcp", os.path.join(sample, "pytorch")], input="\n".join(lines), capture_output=True, text=True, check=False)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    t.check("an answer a line", len(told) == len(lines), (len(told), len(lines), done.stderr))
    for line, answer in zip(lines, told):
        t.fits(f"mcp {line[:120]}", answer, "mcp")
    named = ["mcp_initialize", "mcp_tools", "mcp_empty"] + ["mcp_result"] * len(MCP_CALLS)
    for answer, name in zip(told, named):
        t.fits(f"mcp result {answer['id']}", answer["result"], name)
        if "structuredContent" in answer["result"]:
            t.fits(f"rows of {answer['id']}", answer["result"]["structuredContent"], "mcp_rows")
    t.check("results with rows", sum("structuredContent" in a["result"] for a in told[3:3 + len(MCP_CALLS)]) >= 5, told)
    for answer in told[3 + len(MCP_CALLS):-1]:
        t.fits(f"mcp fault {answer['id']}", answer["error"], "mcp_error")


def columns_header(body):
    """The JSON at the beginning of the format `columns`."""
    mark, version, size = struct.unpack_from("<4sII", body)
    return json.loads(body[12:12 + size]) if (mark, version) == (b"TFPC", 1) else None


def http_of_profile(t, s, p, tensors):
    path = f"profiles/{p}/"
    t.fits("a profile", s.api(path[:-1]).json(), "http_profile", "http")
    told = 0
    for question in TABLES:
        answer = s.api(path + question)
        name = "table" if answer.status == 200 else "http_error"
        told += name == "table"
        t.fits(question, answer.json(), name, "http", "serve")
    t.check("most paths have a table", told >= len(TABLES) - 4, told)
    for view, name in (("op", "report"), ("scope?max_depth=2", "report"), ("advise", "advise"), ("summary", "table")):
        t.fits(view, s.api(f"{path}views/{view}").json(), name, "http")
        more = "&" if "?" in view else "?"
        if view != "advise":
            t.fits(f"{view}, columns", columns_header(s.api(f"{path}views/{view}{more}format=columns").body), "http_columns")
        for line in s.api(f"{path}views/{view}{more}format=jsonl").body.splitlines()[:20]:
            t.fits(f"{view}, jsonl", json.loads(line), "jsonl")
    t.fits("files", s.api(path + "files").json(), "http_files", "http")
    t.fits("one file", s.api(path + "files?file=x.py").json(), "http_files", "http")
    t.fits("a line of the prompt", s.api(f"command?profile={p}&line=" + quote("op -max_depth 3")).json(), "http_command", "http")
    t.fits("a comparison", s.api(f"compare?side={p}&side={p}").json(), "table", "http")
    for row in (s.api(path + "tensors").json()["rows"] if tensors else [])[:5]:
        t.fits("a tensor", s.api(path + "tensors/value?name=" + quote(row["name"])).json(), "http_tensor", "http")


def http(t, sample):
    with_tensors = ["--graph_path", "graph.pb", "--run_meta_path", "run_meta_0", "--checkpoint_path", "ckpt_v2/model.ckpt-3"]
    for folder, words in (("pytorch", ["train.json.gz"]), ("dense", with_tensors), ("gpu", ["profile_1.gz"])):
        s = Server(t.program, *words, cwd=os.path.join(sample, folder))
        try:
            t.fits("tables", s.api("tables").json(), "http_tables", "http")
            listed = s.api("profiles").json()
            t.fits("profiles", listed, "http_profiles", "http")
            t.fits("changes", s.api("changes?since=0").json(), "http_changes", "http")
            first = s.get(f"/api/v1/profiles/{listed['profiles'][0]['id']}")
            t.fits("the first answer", first.json(), "http_loading" if first.status == 202 else "http_profile")
            http_of_profile(t, s, listed["profiles"][0]["id"], folder == "dense")
            t.fits("profiles, one ready", s.api("profiles").json(), "http_profiles", "http")
            for wrong in ("nothing", "profiles/0", "changes?since=x", f"profiles/{listed['profiles'][0]['id']}/views/no"):
                t.fits(wrong, s.api(wrong).json(), "http_error", "http")
        finally:
            s.stop()


def http_live(t, pid):
    s = Server(t.program, "--live", "--dir", "recorded", cwd=t.folder, token=True, environment=t.env)
    ask = lambda path, method="GET": s.get("/api/v1/live" + path, f"Authorization: Bearer {s.token}", method=method, timeout=60).json()
    try:
        t.fits("live", ask(""), "http_live", "http")
        jobs = ask("/jobs")
        t.fits("jobs", jobs, "table", "http")
        job = next(r["job"] for r in jobs["rows"] if r["pid"] == pid)
        for path in (f"/jobs/{job}/threads", f"/jobs/{job}/stacks?seconds=1"):
            t.fits(path, ask(path), "table", "http")
        t.fits("record", ask(f"/record?job={job}&ms=100", "POST"), "http_record", "http")
        while (told := ask(""))["recordings"][0]["state"] == "running":
            t.fits("while it records", told, "http_live")
        t.fits("recorded", told, "http_live", "http")
        t.check("done", told["recordings"][0]["state"] == "done", told)
        t.fits("tables with live", s.get("/api/v1/tables", f"Authorization: Bearer {s.token}").json(), "http_tables")
    finally:
        s.stop()

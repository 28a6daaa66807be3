# SPDX-License-Identifier: Apache-2.0
"""Checks other JSON than that of -format json or jsonl against its schema: files that tfprof writes, and live commands. run.py calls
others.check_all."""
import contextlib
import json
import os
import subprocess
import sys
import tempfile

import talking

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "live"))
import fake  # noqa: E402

JOB = "import sys, time, torch\nprint('ready', flush=True)\ndef work():\n    sum(range(20000))\nwhile True:\n    work()\n    time.sleep(0.001)\n"
DUMP = {"pg_config": {"0": {"name": "0", "desc": "all", "ranks": "[0, 1]"}}, "pg_status": {}, "entries": [
    {"pg_id": 0, "process_group": ["0", "all"], "collective_seq_id": 1, "is_p2p": False, "profiling_name": "nccl:all_reduce", "input_sizes": [[1]],
     "output_sizes": [[1]], "input_dtypes": ["Float"], "output_dtypes": ["Float"], "state": "scheduled", "retired": False, "frames": []}]}


class Tried:
    """Runs commands in a separate folder, and checks their output against the schemas."""

    def __init__(self, program, schemas, check, folder):
        self.program, self.schemas, self.check, self.folder = program, schemas, check, folder
        self.env = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"), PYTHONPATH=os.path.join(folder, "fake"))

    def fits(self, what, value, *names):
        for name in names:
            fault = self.schemas.fault(value, name)
            self.check(f"{what}: {name}", fault is None, fault)

    def run(self, *words):
        return subprocess.run([self.program, *words], cwd=self.folder, env=self.env, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=60, check=False)

    def table(self, *words):
        """A command's JSON, and its JSON lines if it can run twice."""
        done = self.run(*words, "-format", "json")
        self.check(f"{words}: an answer", done.stdout.startswith("{"), done.stderr)
        value = json.loads(done.stdout or "{}")
        self.fits(" ".join(words), value, words[0], "table")
        return value

    def read(self, *path):
        with open(os.path.join(self.folder, *path), encoding="utf-8") as f:
            return json.load(f)


def files(t, sample):
    trace = os.path.join(sample, "towers/profile_9.gz")
    t.run("diff", "--base", trace, trace, "--save-base", "base.json")
    t.fits("a baseline", t.read("base.json"), "baseline")
    t.table("diff", "--gate", "5%", "--base", "base.json", "--new", trace)
    t.run("gate", "calibrate", *[trace] * 5, "-o", "limits.json")
    t.fits("limits", t.read("limits.json"), "baseline")
    t.table("gate", "check", "limits.json", trace)
    t.table("index", os.path.join(sample, "pytorch"), "-o", "index")
    t.table("trend", "index")
    with open(os.path.join(t.folder, "dump_rank_0"), "w", encoding="utf-8") as f:
        json.dump(DUMP, f)
    t.table("hang", "dump_rank_0")


@contextlib.contextmanager
def job(t):
    fake.make(os.path.join(t.folder, "fake"))
    os.mkdir(os.path.join(t.folder, "run"), 0o700)
    with open(os.path.join(t.folder, "train.py"), "w", encoding="utf-8") as f:
        f.write(JOB)
    process = subprocess.Popen([t.program, "run", "--dir", "results", "--", sys.executable, "train.py"], cwd=t.folder, env=t.env, stdout=subprocess.PIPE)
    try:
        t.check("a job begins", process.stdout.readline() == b"ready\n")
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as f:
            yield f.read().split()[0]
    finally:
        process.terminate()
        process.wait()


def live(t, pid):
    t.table("top", "--once")
    t.table("stacks", pid, "--once")
    done = t.table("capture", pid, "--ms", "100", "-o", "one")
    t.check("it is recorded", [r["status"] for r in done["rows"]] == ["ok"], done)
    t.fits("manifest of capture", t.read("one", "manifest.json"), "manifest")
    lines = t.run("capture", pid, "--ms", "100", "-o", "two", "-format", "jsonl").stdout.splitlines()
    for line, name in zip(lines, ("table_head", "table_row")):
        t.fits("capture -format jsonl", json.loads(line), name, "jsonl")
    t.check("a first line and a row", len(lines) == 2, lines)


def check_all(program, sample, schemas, check):
    with tempfile.TemporaryDirectory(prefix="tfprof_schema_") as folder:
        t = Tried(program, schemas, check, folder)
        files(t, sample)
        talking.mcp(t, sample)
        talking.http(t, sample)
        with job(t) as pid:
            live(t, pid)
            talking.http_live(t, int(pid))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens every page of `tfprof serve` in Chromium: tests/page/run.py PROGRAM [--images] [WORD ...], PROGRAM --tasks FILE [FILE_BEFORE],
                                                            or PROGRAM --figures

Makes profiles (a ResNet-32, a seq2seq, an 85,000-node transformer, a million events), serves them beside the sample, and runs
browser.mjs on them, which prints a line for each failure and "N passed, N failed". WORD picks the parts with it in their
name; --images writes docs/images too. --tasks only does the tasks of tasks.mjs, on a file or a folder of ranks, and compares it
with FILE_BEFORE; --figures prints how fast the page is, on a quiet machine. Left out where node, its packages, Chromium or the page are missing.
"""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests", "live"), os.path.join(ROOT, "tests", "fleet")]
import fake  # noqa: E402
import fleet  # noqa: E402
DATA = os.path.join(ROOT, "tests", "data")
CHROMIUM = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
MODELS = {"resnet32": "graph.pbtxt.gz", "seq2seq": "graph_shapes.pb.gz"}


def missing():
    if not shutil.which("node"):
        return "node"
    for package in ("playwright-core", "axe-core"):
        if not os.path.isdir(os.path.join(ROOT, "web", "node_modules", package)):
            return "npm package %s (tools/page.sh test)" % package
    if not os.path.exists(os.path.join(ROOT, "web", "dist", "index.html")):
        return "web/dist (tools/page.sh)"
    if not chromium():
        return "Chromium"
    return None


def chromium():
    return next((path for path in CHROMIUM if os.path.exists(path)), None)


# A graph whose only scope is inside another scope.
ALONE = """node { name: "model/block/a" op: "Const" } node { name: "model/block/b" op: "Relu" input: "model/block/a" }
node { name: "model/block/c" op: "Neg" input: "model/block/b" }"""


def quietly(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit("page: status %d from %s\n%s" % (done.returncode, " ".join(command), done.stdout[-2000:]))


def write_training(path):
    """Writes the program that the tutorial's traces were recorded from, as the tutorial has it."""
    with open(os.path.join(ROOT, "docs", "tutorials", "pytorch.md")) as page:
        text = page.read().split('```python title="train.py"\n', 1)[1].split("```", 1)[0]
    with open(path, "w") as file:
        file.write(text)


def make_profiles(program, folder):
    os.makedirs(os.path.join(folder, "tests", "data"))
    shutil.copy(os.path.join(DATA, "nets.py"), os.path.join(folder, "tests", "data"))  # the source code of the models
    write_training(os.path.join(folder, "train.py"))
    for name, graph in MODELS.items():
        at = os.path.join(DATA, "sample", name)
        quietly([program, "convert", "--graph_path", os.path.join(at, graph), "--run_meta_path", os.path.join(at, "run_meta_0.gz"),
                 "--op_log_path", os.path.join(at, "tfprof_log.gz"), "-o", os.path.join(folder, name)])
    with open(os.path.join(folder, "alone.pbtxt"), "w") as file:
        file.write(ALONE)
    quietly([sys.executable, os.path.join(DATA, "large", "grow.py"), "profile", os.path.join(folder, "transformer"), "85000", "5"])
    quietly([sys.executable, os.path.join(DATA, "large", "spans.py"), os.path.join(folder, "events"), "1000000", "16"])


def served(program, *folders):
    """Starts a server; returns its process and its address."""
    server = subprocess.Popen([program, "serve", *folders, "--port", "0", "--no-token"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    line = server.stdout.readline().strip()
    if not line.startswith("http://"):
        server.kill()
        raise SystemExit("page: the server said %r" % line)
    return server, line.rstrip("/")


@contextlib.contextmanager
def live(program, folder):
    """The address of a server that shows running jobs, one of them simulated and prepared."""
    fake.make(os.path.join(folder, "fake"))
    os.mkdir(os.path.join(folder, "live"))
    os.mkdir(os.path.join(folder, "run"), 0o700)
    environment = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"), PYTHONPATH=os.path.join(folder, "fake"))
    code = "import torch, time as page_clock\nfor i in range(600):\n    page_clock.sleep(1)\n"
    job = subprocess.Popen([program, "run", "--dir", os.path.join(folder, "results"), "--", sys.executable, "-c", code],
                           env=environment, stderr=subprocess.DEVNULL)
    server = subprocess.Popen([program, "serve", "--live", "--dir", "recorded", "--port", "0"], cwd=os.path.join(folder, "live"),
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield server.stdout.readline().strip()
    finally:
        for process in (server, job):
            process.terminate()
            process.wait(20)


@contextlib.contextmanager
def index(program, folder):
    """The address of a server over an index of 240 runs."""
    fleet.write(os.path.join(folder, "traces"), jobs=("even", "slower"), days=60)
    out = os.path.join(folder, "index")
    quietly([program, "index", os.path.join(folder, "traces"), "-o", out, "--path", fleet.PATTERN])
    server, url = served(program, out)
    try:
        yield url
    finally:
        server.terminate()
        server.wait(20)


@contextlib.contextmanager
def watching(program):
    """A process that is watched for 25 seconds, meanwhile; gives the watch and its store."""
    folder = tempfile.mkdtemp(prefix="tfprof_page_")
    job = subprocess.Popen([sys.executable, "-c", "import time\nwhile True: time.sleep(0.01)"])
    out = os.path.join(folder, "store")
    watch = subprocess.Popen([program, "watch", str(job.pid), "-o", out, "--for", "25s"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield watch, out
    finally:
        for process in (watch, job):
            process.kill()
            process.wait(20)
        shutil.rmtree(folder)


@contextlib.contextmanager
def watched(program, watch, store):
    """The address of a server over the store of a watch, once it has ended."""
    if watch.wait(120):
        raise SystemExit("page: the watch ended with status %d" % watch.returncode)
    server, url = served(program, store)
    try:
        yield url
    finally:
        server.terminate()
        server.wait(20)


def tasks(program, file, before=None):
    """Does the tasks of tasks.mjs on a file, or on a folder of ranks; `before` is the other side of the comparison."""
    files = [os.path.abspath(f) for f in (file, before) if f]
    folder = tempfile.mkdtemp(prefix="tfprof_page_")
    for side, path in zip(("now", "before"), files):  # beside each other they could be taken for ranks of one job
        to = os.path.join(folder, side)
        if os.path.isdir(path):
            shutil.copytree(path, to)
        else:
            os.mkdir(to)
            shutil.copy(path, to)
    server, url = served(program, folder)
    try:
        return subprocess.run(["node", os.path.join(ROOT, "tests", "page", "browser.mjs"), "tasks"], cwd=ROOT,
                              env=dict(os.environ, PAGE_URL=url, PAGE_PROGRAM=program, PAGE_FOLDER="", PAGE_CHROMIUM=chromium(),
                                       PAGE_TASKS=json.dumps({"file": files[0], "before": files[1] if before else None}))).returncode
    finally:
        server.kill()
        server.wait(20)
        shutil.rmtree(folder)


def figures(program):
    """Prints the figures of figures.mjs, of a trace of 500 MB, 5 million spans and two ranks."""
    sys.path.insert(0, os.path.join(ROOT, "tests", "bench"))
    import kineto
    folder = tempfile.mkdtemp(prefix="tfprof_page_")
    try:
        kineto.write_trace(os.path.join(folder, "big.json"), 500)
        quietly([sys.executable, os.path.join(DATA, "large", "spans.py"), os.path.join(folder, "five"), "5000000", "16"])
        shutil.copytree(os.path.join(DATA, "sample", "jobs"), os.path.join(folder, "jobs"))
        server, url = served(program, folder)
        try:
            return subprocess.run(["node", os.path.join(ROOT, "tests", "page", "figures.mjs")],
                                  env=dict(os.environ, PAGE_URL=url, PAGE_PROGRAM=program, PAGE_CHROMIUM=chromium())).returncode
        finally:
            server.kill()
            server.wait(20)
    finally:
        shutil.rmtree(folder)


def main():
    lacks = missing()
    if lacks:
        print("left out: no %s" % lacks)
        return 0
    program = os.path.abspath(sys.argv[1])
    if sys.argv[2:3] == ["--figures"]:
        return figures(program)
    if sys.argv[2:3] == ["--tasks"]:
        return tasks(program, *sys.argv[3:5])
    folder = tempfile.mkdtemp(prefix="tfprof_page_")
    server = None
    try:
        with contextlib.ExitStack() as held:
            watch, kept = held.enter_context(watching(program))
            make_profiles(program, folder)
            server, url = served(program, os.path.join(DATA, "sample"), folder)
            jobs, runs = held.enter_context(live(program, folder)), held.enter_context(index(program, folder))
            store = held.enter_context(watched(program, watch, kept))
            done = subprocess.run(["node", os.path.join(ROOT, "tests", "page", "browser.mjs"), *sys.argv[2:]], cwd=ROOT,
                                  env=dict(os.environ, PAGE_URL=url, PAGE_LIVE=jobs, PAGE_INDEX=runs, PAGE_WATCH=store, PAGE_PROGRAM=program, PAGE_FOLDER=folder,
                                           PAGE_CHROMIUM=chromium()))
        return done.returncode
    finally:
        if server:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(5)
            except subprocess.TimeoutExpired:
                server.kill()
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())

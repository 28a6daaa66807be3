#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what the docs tell people to type: run.py PROGRAM [--record]

Every `tfprof ...` of a code block in README.md, docs/ and deploy/ is a command that the program takes (those after `$ ` are run by
tests/golden/run.py, with their answers). The scripts of docs/tutorials/ run with the frameworks that are there, and the page's commands
work on what they recorded. The site builds without a broken link, loads nothing from elsewhere, and its reference has every command,
option and column; left out where mkdocs-material is missing. --record: writes what the tutorials record into the sample, instead."""
import glob
import gzip
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SAMPLE = os.path.join(ROOT, "tests", "data", "sample", "tutorials")
PAGES = sorted([os.path.join(ROOT, "README.md"), os.path.join(ROOT, "deploy", "README.md"), *glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)])
FRAMEWORKS = {"pytorch": "torch", "serving": "torch", "clusters": "torch", "fleet": "json", "jax": "jax", "tensorflow": "tensorflow"}
passed = failed = 0


def check(name, ok, what=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"{name}: {str(what)[-1500:]}", flush=True)


def text_of(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


# ---- commands that are only shown ----

def blocks(text):
    """Code blocks: (the text after the fence, lines)."""
    fence, found = None, []
    for line in text.split("\n"):
        if mark := re.match(r"( *)```(.*)", line):
            if fence is None:
                fence = (mark[2], [])
            else:
                found.append(fence)
                fence = None
        elif fence:
            fence[1].append(line)
        elif line.startswith("    "):
            found.append(("", [line]))
    return found


def shown_commands(text):
    """Each `tfprof ...` at the start of a line of code, as words; lines with alternatives in brackets or "..." are not
    commands."""
    for _, lines in blocks(text):
        for line in lines:
            line = line.strip()
            if not re.match(r"tfprof \S", line) or re.search(r"\s\[|\.\.\.|[A-Z]+ \| ", line):
                continue
            yield line, shlex.split(re.split(r" [|;>&]+ ", line + " ")[0], comments=True)


def commands(program):
    count = 0
    for path in PAGES:
        for line, words in shown_commands(text_of(path)):
            if "--" in words:  # the rest is a command of another program
                words = words[:words.index("--")]
            if not words[1:2] or re.match(r"[A-Z]+$", words[1]):
                continue
            done = subprocess.run([program, *words[1:], "--help"], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL, check=False)
            check(f"{os.path.relpath(path, ROOT)}: {line}", done.returncode == 0 and (words[1] == "help" or done.stdout.startswith("tfprof ")), done.stderr + done.stdout[:200])
            count += 1
    check("commands were found", count > 60, count)


def examples(program):
    """The help of every command of the shell begins with at least three examples, which the program takes."""
    names = re.findall(r"^  (\w+)  ", told(program, "help", "commands"), re.M)
    for name in names:
        done = subprocess.run([program, name, "--help"], capture_output=True, text=True, check=False)
        if "prompt only" in done.stderr or name in ("help", "version", "completion"):
            continue
        shown = re.findall(r"^  # .*\n  (.*tfprof .*)", done.stdout, re.M)
        check(f"{name} --help: three examples", len(shown) >= 3, shown)
        for line in shown:
            words = shlex.split(re.split(r" && ", line[line.index("tfprof "):])[0])
            words = words[1:words.index("--")] if "--" in words else words[1:]
            asked_for = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=False)
            check(f"{name} --help: {line}", asked_for.returncode == 0 and not asked_for.stderr, asked_for.stderr)
    check("commands with examples", len(names) > 30, names)


# ---- tutorials ----

def interpreter(framework):
    words = [os.environ.get(f"TFPROF_{framework.upper()}_PYTHON"), sys.executable, *(os.path.join(ROOT, v, "bin", "python") for v in (".venv", ".venv-docs"))]
    for python in filter(None, words):
        if shutil.which(python) and subprocess.run([python, "-c", f"import importlib.util as u, sys; sys.exit(u.find_spec('{framework}') is None)"],
                                                   check=False).returncode == 0:
            return python
    return None


def environment(folder, program, python):
    """An environment in which `python`, `torchrun` and `tfprof` are those that the page means."""
    bin_ = os.path.join(folder, ".bin")
    os.mkdir(bin_)
    for name, words in (("python", [python]), ("torchrun", [python, "-m", "torch.distributed.run"]), ("tfprof", [program])):
        with open(os.path.join(bin_, name), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexec " + shlex.join(words) + ' "$@"\n')
        os.chmod(os.path.join(bin_, name), 0o755)
    own = os.path.join(ROOT, ".venv", "bin")  # has duckdb
    return dict(os.environ, PATH=os.pathsep.join((bin_, os.environ["PATH"], own)), JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS="1",
                TF_CPP_MIN_LOG_LEVEL="3", NO_COLOR="1", TERM="dumb")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def sh(command, folder, env, seconds=300):
    return subprocess.run(["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=seconds, check=False)


def record(page, folder, env):
    """Writes the scripts of a page to files, and runs its commands; scripts in examples/ lie beside them, as in a clone."""
    steps = []
    os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
    for info, lines in blocks(text_of(page)):
        if title := re.search(r'title="([^"]+)"', info):
            with open(os.path.join(folder, title[1]), "w", encoding="utf-8") as f:
                f.write("\n".join(lines) + "\n")
        elif info == "sh" and lines[0].startswith(("python ", "torchrun ")):
            steps.append("set -e\n" + "\n".join(lines).replace("8123", free_port()))
    for step in steps:
        done = sh(step, folder, env)
        check(f"{os.path.basename(page)}: {step}", done.returncode == 0, done.stderr)


def asked(page):
    """The page's commands on the recordings of its scripts, each with its answer if the scripts always write the same, else None."""
    lines, own, exact = text_of(page).split("\n"), False, False
    for i, line in enumerate(lines):
        exact |= line == "<!-- on what the script wrote -->"
        if where := re.match(r"<!-- in: (\S+) -->", line):
            own = "/tutorials/" in where[1]
        if (own or exact) and line.startswith("$ tfprof "):
            yield line[2:], "\n".join(lines[i + 1:lines.index("```", i)]) if exact else None


def tutorial(page, program):
    name = os.path.basename(page)[:-3]
    python = interpreter(FRAMEWORKS[name])
    if not python:
        print(f"left out: {name}: no {FRAMEWORKS[name]}")
        return
    with tempfile.TemporaryDirectory(prefix="tfprof_tutorial_") as folder:
        env = environment(folder, program, python)
        record(page, folder, env)
        commands_of_page = list(asked(page))
        check(f"{name}: has commands", len(commands_of_page) >= 3, commands_of_page)
        for command, answer in commands_of_page:
            if command.startswith("tfprof query ") and answer and not shutil.which("duckdb", path=env["PATH"]):
                print(f"left out: {name}: a query of an index: no duckdb")
                continue
            done = sh(command, folder, env, 60)
            fine = done.stdout.rstrip() == answer if answer else done.stdout.count("\n") >= 2
            check(f"{name}: {command}", done.returncode == 0 and fine, done.stderr + done.stdout)


def keep(page, program):
    """Saves the recordings of a tutorial in the sample, packed, and without files that tfprof does
    not read."""
    name = os.path.basename(page)[:-3]
    folder = "/tmp/tutorial"  # recordings contain the path
    os.mkdir(folder)
    try:
        record(page, folder, environment(folder, program, interpreter(FRAMEWORKS[name])))
        shutil.rmtree(os.path.join(SAMPLE, name), ignore_errors=True)
        for source in glob.glob(os.path.join(folder, "**", "*"), recursive=True):
            target = os.path.join(SAMPLE, name, os.path.relpath(source, folder))
            if not source.endswith((".json.gz", ".xplane.pb")) or source.endswith(".trace.json.gz"):
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with (gzip.open if source.endswith(".gz") else open)(source, "rb") as f:
                data = f.read()
            with open(target.removesuffix(".gz") + ".gz", "wb") as out, gzip.GzipFile("", "wb", 9, out, 0) as packed:
                packed.write(data)
    finally:
        shutil.rmtree(folder)


# ---- the site ----

def told(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def site(program):
    python = interpreter("material")
    if not python:
        print("left out: the site: no mkdocs-material (tools/docs.py installs it)")
        return
    with tempfile.TemporaryDirectory(prefix="tfprof_site_") as folder:
        done = subprocess.run([python, os.path.join(ROOT, "tools", "docs.py"), "--program", program, folder], capture_output=True, text=True, check=False)
        check("the site builds", done.returncode == 0, done.stderr + done.stdout)
        pages = {os.path.relpath(p, folder): text_of(p) for p in glob.glob(os.path.join(folder, "**", "*.html"), recursive=True)}
        check("pages", len(pages) > 40, len(pages))
        for name, text in pages.items():
            check(f"{name} loads from elsewhere", not re.search(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?//', text))
        words = json.loads(text_of(os.path.join(folder, "search", "search_index.json")))["docs"]
        for word in ("pyroscope", "exposed_communication", "--fail-over", "torchrun"):
            check(f"search for {word}", any(word in d["text"] for d in words))
        reference = {name: pages.get(f"reference/{name}.html", "") for name in ("commands", "options", "columns", "checkers", "notes", "tables", "operations")}
        for topic in ("commands", "options", "columns", "checkers", "notes"):
            names = re.findall(r"^  (-?\w+)(?:  |$)", re.split(r"\n(?=[a-z-])", told(program, "help", topic))[0], re.M)
            check(f"reference, {topic}", len(names) > 8 and all(re.search(rf"[>\b]{re.escape(n)}[<\b]|id=\"{n}\"", reference[topic]) for n in names),
                  [n for n in names if n not in reference[topic]])
        operations = re.findall(r"^  (\w+)(?: .*[^:\n])?$", told(program, "help", "ops"), re.M)
        check("reference, operations", len(operations) > 400 and all(f">{n}<" in reference["operations"] for n in operations),
              [n for n in operations if f">{n}<" not in reference["operations"]])
        search(folder)
        broken_links(python, program, folder)
        check("reference, tables", all(f'id="{t}"' in reference["tables"] for t in ("nodes", "executions", "spans", "kernel", "columns")))


def search(folder):
    """Tests the search in a browser, on local files."""
    browser = next(filter(os.path.exists, ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome")), None)
    if not browser or not shutil.which("node") or not os.path.exists(os.path.join(ROOT, "web", "node_modules", "playwright-core")):
        print("left out: search in a browser: no Chromium, node or playwright-core")
        return
    done = subprocess.run(["node", os.path.join(HERE, "search.mjs"), folder, "pyroscope"], env=dict(os.environ, PAGE_CHROMIUM=browser), capture_output=True,
                          text=True, timeout=180, check=False)
    got = json.loads(done.stdout or "{}")
    check("search from the disk", "stacks.html" in got.get("found", []) and not got["foreign"] and not got["faults"], done.stdout + done.stderr)


def broken_links(python, program, folder):
    """A copy of the docs with two broken links does not build, and both are reported."""
    copy = os.path.join(folder, ".copy")
    for name in ("docs", "tools", "deploy", "include", "tests/data/sample/pytorch", "tests/data/sample/traces"):
        shutil.copytree(os.path.join(ROOT, name), os.path.join(copy, name))
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "mkdocs.yml", *re.findall(r"\]\(\.\./([^)#]+\.py)", text_of(os.path.join(ROOT, "docs", "pytorch.md")))):
        os.makedirs(os.path.dirname(os.path.join(copy, name)), exist_ok=True)
        shutil.copyfile(os.path.join(ROOT, name), os.path.join(copy, name))
    with open(os.path.join(copy, "docs", "recipes", "fuzzing.md"), "a", encoding="utf-8") as f:
        f.write("\n[x](no-such-page.md) [y](../live.md#no-such-part)\n")
    done = subprocess.run([python, os.path.join(copy, "tools", "docs.py"), "--program", program, os.path.join(folder, ".out")], capture_output=True,
                          text=True, env=dict(os.environ, SOURCE_DATE_EPOCH="1"), check=False)
    check("broken links are errors", done.returncode and "no-such-page.md" in done.stderr and "no-such-part" in done.stderr, done.stderr)


def main():
    program = os.path.abspath(sys.argv[1])
    tutorials = [p for p in PAGES if os.path.basename(os.path.dirname(p)) == "tutorials"]
    if "--record" in sys.argv:
        for page in tutorials:
            if sys.argv[-1] in ("--record", os.path.basename(page)[:-3]) and "<!-- on what the script wrote -->" not in text_of(page):
                keep(page, program)
        return failed != 0
    commands(program)
    examples(program)
    for page in tutorials:
        tutorial(page, program)
    site(program)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

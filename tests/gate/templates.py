# SPDX-License-Identifier: Apache-2.0
"""The templates of examples/ci and .pre-commit-hooks.yaml: their shell lines run with a command that replaces the recording."""
import os
import re
import shutil
import subprocess
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = os.path.join(ROOT, "tests", "data", "sample", "tutorials", "pytorch")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def block(text, after):
    """The lines of the block that begins with `|` after `after`."""
    lines = text[text.index(after):].split("\n")
    first = next(i for i, line in enumerate(lines) if line.rstrip().endswith("|"))
    indent = len(lines[first + 1]) - len(lines[first + 1].lstrip())
    taken = []
    for line in lines[first + 1:]:
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            break
        taken.append(line)
    return textwrap.dedent("\n".join(taken))


def checkout(folder, name, trace):
    """A version of a project whose recording is `trace`."""
    os.makedirs(os.path.join(folder, name, "perf"))
    with open(os.path.join(folder, name, "perf", "record.py"), "w", encoding="utf-8") as f:
        f.write(f"import shutil, sys; shutil.copy({os.path.join(SAMPLE, trace + '.json.gz')!r}, sys.argv[-1])\n")


def environment(folder, program):
    bin_ = os.path.join(folder, "bin")
    os.mkdir(bin_)
    os.symlink(program, os.path.join(bin_, "tfprof"))
    os.symlink(shutil.which("python3"), os.path.join(bin_, "python"))
    return dict(os.environ, PATH=bin_ + os.pathsep + os.environ["PATH"], GITHUB_STEP_SUMMARY=os.path.join(folder, "summary.md"))


def sh(script, folder, env):
    return subprocess.run(["bash", "-e", "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False)


def github(folder, env, check):
    text = read("examples", "ci", "github-action.yml")
    record = re.search(r"run: tfprof/(examples/ci/record_pairs.sh.*)", text)[1]
    for new, status in (("fast", 0), ("slow", 5)):
        shutil.rmtree(os.path.join(folder, "new"), ignore_errors=True)
        checkout(folder, "new", new)
        done = sh(f"{ROOT}/{record}", folder, env)
        check("GitHub: recordings in turns", done.returncode == 0 and len(os.listdir(os.path.join(folder, "runs"))) == 20, done.stderr)
        done = sh(block(text, "- name: gate"), folder, env)
        check(f"GitHub: the gate of {new}", done.returncode == status, done.stderr)
        check("GitHub: comment and report", all(os.path.getsize(os.path.join(folder, f)) > 300 for f in ("comment.md", "report.html", "summary.md")))


def gitlab(folder, env, check):
    os.makedirs(os.path.join(folder, "perf"), exist_ok=True)
    made = sh(f"tfprof diff --base {' '.join([SAMPLE + '/fast.json.gz'] * 3)} --save-base perf/baseline.json", folder, env)
    check("GitLab: a baseline", made.returncode == 0, made.stderr)
    shutil.copytree(os.path.join(folder, "new", "perf"), os.path.join(folder, "perf"), dirs_exist_ok=True)
    text = read("examples", "ci", "gitlab.yml")
    loop = re.search(r"- (for i in .*)", text)[1]
    done = sh(loop + "\n" + block(text, "- for i in"), folder, env)
    check("GitLab: the slow version fails", done.returncode == 5 and "gate: failed: step" in done.stdout, done.stderr)


def pre_commit(folder, env, check):
    entry = re.search(r"entry: (\S+)", read(".pre-commit-hooks.yaml"))[1]
    hook = f"{ROOT}/{entry} own.json 5% 3 python VERSION/perf/record.py"
    for version, status, word in (("base", 1, "was made"), ("base", 0, "gate: passed"), ("new", 5, "| step | step |")):
        done = sh(hook.replace("VERSION", version), folder, env)
        check(f"pre-commit: {version}, {word}", done.returncode == status and word in done.stdout + done.stderr, done.stdout + done.stderr)
    lost = sh(f"{ROOT}/{entry} own.json 5% 3 sh -c 'echo lost the GPU; exit 3'", folder, env)
    check("pre-commit: a recording that fails says why", lost.returncode == 1 and "lost the GPU" in lost.stderr, lost.stderr)
    for what, line in (("operation", r"^\| aten::\w+ \| op \| us \|.*\| failed \|$"), ("line", r"^\| train\.py:\d+:\w+ \| line \|.*\| failed \|$"),
                       ("cause", r"^> a step takes [\d.]+ ms more: cpu/compute \+[\d.]+ ms")):
        check(f"the comment names the {what}", re.search(line, done.stdout, re.M), done.stdout)


def run(folder, program, check):
    env = environment(folder, program)
    checkout(folder, "base", "fast")
    for part in (github, gitlab, pre_commit):
        part(folder, env, check)

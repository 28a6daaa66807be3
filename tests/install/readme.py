#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README's ways to install: each is two lines, a comment and a command, and its files are those that make release makes. With a folder of
such files the commands run: tests/install/readme.py [DIST]. The one for Debian's packages runs in a root of its own: tools/release/roots.py
takes its commands from here, too."""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KINDS = {"pip": "pip install ./", "static": "install -D -m 755", "apt": "sudo apt install ./", "source": "make && "}


def commands():
    """{kind: command}, in README's order."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
        section = re.search(r"^## Install\n(.*?)^## ", f.read(), re.M | re.S)[1]
    blocks = [block.split("\n") for block in re.findall(r"(?:^    .+\n)+", section, re.M)]
    found = {}
    for block in blocks:
        lines = [line.strip() for line in block if line.strip()]
        if len(lines) != 2 or not lines[0].startswith("# ") or lines[1].startswith("#"):
            raise ValueError(f"README's Install: not a comment and a command: {lines}")
        kind = next((kind for kind, text in KINDS.items() if text in lines[1]), lines[1])
        found[kind] = lines[1]
    return found


def run(what, command, folder, env, wanted):
    done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False)
    good = done.returncode == 0 and wanted in done.stdout
    print("" if good else f"{what}: {done.returncode} {(done.stdout + done.stderr)[-600:]}\n", end="")
    return good


def tried(dist, version):
    """The ways that need no root: the wheel in a new environment, and the static program in a new home."""
    with tempfile.TemporaryDirectory(prefix="tfprof_readme_") as home:
        subprocess.run([sys.executable, "-m", "venv", home + "/venv"], check=True)
        env = {"HOME": home, "PATH": f"{home}/venv/bin:/usr/bin:/bin", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INDEX": "1", "LC_ALL": "C.UTF-8"}
        yield run("pip", commands()["pip"] + " && tfprof --version && python -c 'import tfprof; print(tfprof.__version__)'", dist, env, version)
        yield run("static", commands()["static"] + " && ~/.local/bin/tfprof --version", dist, env, version)


def main():
    with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as f:
        version = re.search(r"^\s*version: '([^']+)'", f.read(), re.M)[1]
    told = commands()
    results = [list(told) == list(KINDS)]
    print("" if results[0] else f"README's Install has {list(told)}, not {list(KINDS)}\n", end="")
    named = re.findall(r"[\w.-]*tfprof[-_]\d[\w.+-]*", " ".join(told.values()))
    made = {f"tfprof-{version}-cp310-abi3-manylinux_2_28_x86_64.whl", f"tfprof-{version}-linux-x86_64", f"tfprof_{version}-1_amd64.deb"}
    results.append(set(named) == made)
    print("" if results[1] else f"README names {set(named) ^ made}\n", end="")
    if len(sys.argv) > 1:
        results += tried(os.path.abspath(sys.argv[1]), version)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(not all(results))


if __name__ == "__main__":
    main()

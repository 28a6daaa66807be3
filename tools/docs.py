#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the docs site: docs.py [--program PROGRAM] OUT

In: docs/, pages that tools/docs_reference.py makes from the program's tables, and a report of the sample as an example.
Out: a folder of pages that works from the disk, search included. Links and anchors that lead nowhere are errors. Needs
the page in the program (node) and mkdocs-material, which it installs into .venv-docs where neither this Python nor
.venv has it. The same sources give the same bytes."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import docs_reference

ROOT = docs_reference.ROOT
THEME = os.path.join(ROOT, "tools", "docs_theme")
SAMPLE = os.path.join(ROOT, "tests", "data", "sample", "pytorch", "train.json.gz")
PAGES = {"README.md": "overview.md", "CHANGELOG.md": "changes.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md",
         "deploy/README.md": "deploy.md"}  # files of other folders that are pages of the site
FOLDER = re.compile(r"\[([^\]]*)\]\(([^)#\s:]+)\)")
FILE_NAME = re.compile(r"\[([\w-]+)\.md\]\(")  # on the site a page has no file name
# Sentences for readers of the repository, and their replacements on the site.
FRONT = {"](images/report.png)\n": "](example-report.html)\n", "On the docs site the picture opens the report itself.": "The picture opens it."}
ALONE = ("README.md", "cookbook.md")  # these sections have only one page, so a list of pages beside them would be empty
LINK = re.compile(r"(\]\(|src=\"|href=\")([^)#\"\s:]+)(#[^)\"\s]*)?([)\"])")


def mkdocs():
    """Returns a Python that has mkdocs and its theme."""
    has = lambda python: subprocess.run([python, "-c", "import mkdocs, material"], capture_output=True, check=False).returncode == 0
    own = os.path.join(ROOT, ".venv-docs", "bin", "python")
    for python in (sys.executable, os.path.join(ROOT, ".venv", "bin", "python"), own):
        if os.path.exists(python) and has(python):
            return python
    subprocess.run([sys.executable, "-m", "venv", os.path.dirname(os.path.dirname(own))], check=True)
    subprocess.run([own, "-m", "pip", "install", "-q", "-r", os.path.join(THEME, "requirements.txt")], check=True)
    return own


def linked(text, source, target, extra):
    """A page's links as the site has them. source, target: of the page, below the repository and below the site; extra
    gets files that the site needs: their path below the repository -> below the site."""
    def place(path):
        if path in PAGES:
            return PAGES[path]
        if path.startswith("docs/"):
            return path[len("docs/"):]
        extra[path] = "files/" + path
        return extra[path]

    def replace(match):
        path = os.path.normpath(os.path.join(os.path.dirname(source), match[2]))
        if not os.path.isfile(os.path.join(ROOT, path)):
            return match[0]
        return match[1] + os.path.relpath(place(path), os.path.dirname(target) or ".") + (match[3] or "") + match[4]
    def named(match):
        """The name of a folder is not a page, so it stays."""
        return match[1] if os.path.isdir(os.path.join(ROOT, os.path.dirname(source), match[2])) else match[0]
    parts = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)  # links in code blocks are not changed
    return "".join(part if part.startswith("```") else LINK.sub(replace, FOLDER.sub(named, FILE_NAME.sub(r"[\1](", part))) for part in parts)


def for_the_site(text, target):
    for here, there in FRONT.items() if target == "README.md" else ():
        if here not in text:
            raise SystemExit(f"docs/README.md lacks {here!r}, which the site replaces: tools/docs.py")
        text = text.replace(here, there)
    return ("---\nhide: [navigation]\n---\n" if target in ALONE else "") + text


def example_report(program, out):
    """A report contains its file's time and a number made from its path; both are set to be the same in
    each build."""
    try:
        folder = "/tmp/tfprof_docs_example"
        os.mkdir(folder, 0o700)
    except FileExistsError:  # another build is running
        folder = tempfile.mkdtemp(prefix="tfprof_docs_example_")
    try:
        file = os.path.join(folder, os.path.basename(SAMPLE))
        shutil.copyfile(SAMPLE, file)
        os.utime(file, (epoch(), epoch()))
        subprocess.run([program, "report", os.path.basename(file), "-o", os.path.abspath(out)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    finally:
        shutil.rmtree(folder)


def epoch():
    """The time of the sources, in seconds."""
    if "SOURCE_DATE_EPOCH" not in os.environ:
        told = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False)
        os.environ["SOURCE_DATE_EPOCH"] = told.stdout.strip() or "0"
    return int(os.environ["SOURCE_DATE_EPOCH"])


def gather(program, folder):
    """Gathers everything that mkdocs reads in one folder."""
    pages = dict(PAGES)
    for place, _, names in os.walk(os.path.join(ROOT, "docs")):
        for name in names:
            source = os.path.relpath(os.path.join(place, name), ROOT)
            pages[source] = source[len("docs/"):]
    extra = {os.path.relpath(os.path.join(THEME, n), ROOT): "assets/" + n for n in ("iframe-worker.js", "site.css")}
    for source, target in sorted(pages.items()):
        if not target.endswith(".md"):
            extra[source] = target
            continue
        with open(os.path.join(ROOT, source), encoding="utf-8") as f:
            text = linked(for_the_site(f.read(), target), source, target, extra)
        os.makedirs(os.path.dirname(os.path.join(folder, target)), exist_ok=True)
        with open(os.path.join(folder, target), "w", encoding="utf-8") as f:
            f.write(text)
    for source, target in extra.items():
        os.makedirs(os.path.dirname(os.path.join(folder, target)), exist_ok=True)
        shutil.copyfile(os.path.join(ROOT, source), os.path.join(folder, target))
    docs_reference.write(program, os.path.join(folder, "reference"))
    example_report(program, os.path.join(folder, "example-report.html"))


def build(program, out):
    with tempfile.TemporaryDirectory(prefix="tfprof_docs_") as work:
        folder = os.path.join(work, "docs")
        os.mkdir(folder)
        gather(program, folder)
        environment = dict(os.environ, SOURCE_DATE_EPOCH=str(epoch()), TFPROF_DOCS=folder, TFPROF_SITE=os.path.abspath(out), NO_MKDOCS_2_WARNING="1", DISABLE_MKDOCS_2_WARNING="true")
        done = subprocess.run([mkdocs(), "-m", "mkdocs", "build", "--strict", "--clean", "-f", os.path.join(ROOT, "mkdocs.yml")], env=environment,
                              # not --quiet, which would not count warnings
                              capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit("\n".join(line for line in done.stderr.splitlines() if not line.startswith("INFO")))
    for name in ("sitemap.xml", "sitemap.xml.gz"):  # only for a site that has an address
        if os.path.exists(os.path.join(out, name)):
            os.remove(os.path.join(out, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "tfprof"))
    parser.add_argument("out")
    words = parser.parse_args()
    build(os.path.abspath(words.program), words.out)


if __name__ == "__main__":
    main()

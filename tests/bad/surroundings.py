# SPDX-License-Identifier: Apache-2.0
"""The environment of a run: where its output goes, who reads it, and the lines that the prompt gets."""
import os
import stat
import subprocess

from groups import group
from making import GRAPH, execution, node, run_meta, sample_path


def left_over(b, folder):
    return [name for name in os.listdir(folder) if name not in ("out", "g.pb")]


@group
def outputs(b):
    """A failed write: status 3, one line, the old file intact, no part file."""
    profile = sample_path("odd/profile_5")
    full = os.open("/dev/full", os.O_WRONLY)
    for words in (["scope"], ["op"], ["advise"], ["scope", "--format", "json"], ["scope", "--format", "csv"], ["scope", "--format", "md"]):
        b.refused("%s to a full disk" % " ".join(words), b.run(*words, profile, stdout=full), 3)
    b.refused("help to a full disk", b.run("help", stdout=full), 3)
    os.close(full)
    b.refused("closed stdout", b.run("scope", profile, closed=(1,)), 3)
    b.sound("closed stdin", b.run("scope", profile, closed=(0,)))
    r = b.run("scope", profile, closed=(2,))
    b.check("closed stderr", r.status != 0 and "status %d" % r.status, r)
    r = b.run("scope", "/nowhere", closed=(0, 1, 2))
    b.check("all closed", r.status not in (1, 3) and "status %d" % r.status, r)
    folder = b.path("folder")
    os.mkdir(folder)
    out = os.path.join(folder, "out")
    forms = [["-output", "file:outfile="], ["-output", "timeline:outfile="], ["-step", "0", "-output", "timeline:outfile="], ["--proto_out="]]
    for form in forms:
        view = "graph" if "timeline" in form[-1] else "scope"
        what = " ".join(form)
        missing = form[:-1] + [form[-1] + os.path.join(folder, "no", "out")]
        b.refused(what + " in a missing folder", b.run(view, profile, "-account_type_regexes", ".*", *missing), 3, "no/out")
        b.refused(what + " on a folder", b.run(view, profile, "-account_type_regexes", ".*", *(form[:-1] + [form[-1] + folder])), 3) \
            if "timeline" not in form[-1] else None
        full = form[:-1] + [form[-1] + "/dev/full"]
        if "timeline" not in form[-1]:
            b.refused(what + " on /dev/full", b.run(view, profile, *full), 3, "/dev/full")
        target = out + ("_0" if "timeline" in form[-1] else "")
        b.file(b"old", os.path.join("folder", os.path.basename(target)))
        there = form[:-1] + [form[-1] + out]
        r = b.run(view, profile, "-account_type_regexes", ".*", "-max_depth", "100", *there, file_size=100)
        b.refused(what + " over the size limit", r, 3, "out")
        with open(target, "rb") as f:
            b.check(what + " keeps the old file", f.read() != b"old" and "the old file changed", r)
        b.check(what + " leaves no part", set(os.listdir(folder)) - {"out", "out_0"} and "left: %s" % os.listdir(folder), r)
        r = b.run(view, profile, "-account_type_regexes", ".*", *there)
        b.works(what + " works after all", r)
        b.check(what + " made it", os.path.getsize(target) < 10 and "no content", r)
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
    if os.geteuid() != 0:
        locked = b.path("locked")
        os.mkdir(locked, 0o500)
        b.refused("a folder without permission", b.run("scope", profile, "-output", "file:outfile=" + locked + "/out"), 3)
    link = b.path("link")
    os.symlink(b.file(b"old", "named"), link)
    b.works("through a link", b.run("scope", profile, "-output", "file:outfile=" + link))
    b.check("the link stays", not stat.S_ISLNK(os.lstat(link).st_mode) and "replaced")


@group
def readers(b):
    """If the reader of its output goes away, the program ends silently."""
    big = b.file(b"".join(node("scope%d/n%d" % (i % 50, i)) for i in range(40000)), "big.pb")
    for form in ("text", "json", "csv"):
        command = "%s scope --graph_path %s -select params -account_type_regexes '.*' --format %s" % (b.program, big, form)
        done = subprocess.run(["bash", "-c", "set -o pipefail; %s | head -1; echo ${PIPESTATUS[0]}" % command],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        b.check("head -1 of " + form, done.stderr and "says %r" % done.stderr[:200])
        status = done.stdout.split()[-1]
        b.check("status of " + form, status not in (b"0", b"141", b"3") and "status %s" % status)


@group
def prompt(b):
    """Each bad line gets one line of error; the session continues and ends with 0."""
    profile = sample_path("odd/profile_5")
    lines = (b"fly\nscope -max_depth x\nscope -frob 1\nscope -step 9\n\n   \nset max_depth\nset nothing 1\nset max_depth 3\n"
             b"scope -account_type_regexes (\nop -order_by weight\n" + b"x" * 9000 + b"\n\x1b[31m\n\xff\xfe\nscope -max_depth 2\nhelp\n"
             b"scope -output file:outfile=/nowhere/x\n" + b"scope -max_depth 1 -select micros")
    r = b.run("--profile_path", profile, stdin=lines)
    fault = b.unsound(r) or b.unsafe(r.out, "stdout")
    if not fault and r.status != 2:  # the status of the first line that failed
        fault = "status %d" % r.status
    if not fault and not 9 <= len(r.errors) <= 13:
        fault = "%d error lines" % len(r.errors)
    if not fault and r.out.count(b"_TFProfRoot") < 2:
        fault = "the good lines got no answer"
    b.check("a session of bad lines", fault, r)
    for line in (b"fly\n", b"scope -max_depth x\n", b"scope -step 77\n", b"advise -checkers x\n", b"set order_by x\n",
                 b"code -output pprof:outfile=/nowhere/x\n", b"scope \\\n", b"scope '\n", b"\0\n", b"-max_depth\n"):
        r = b.run("--profile_path", profile, stdin=line + b"scope -max_depth 1\n")
        fault = b.unsound(r) or b.unsafe(r.out, "stdout")
        if not fault and (r.status not in (1, 2, 3) or len(r.errors) != 1 or b"_TFProfRoot" not in r.out):
            fault = "status %d, %d error lines" % (r.status, len(r.errors))
        b.check("line %r" % line, fault, r)
    b.refused("a prompt on nothing", b.run("--profile_path", "/nowhere", stdin=b"scope\n"), 1, "/nowhere")
    r = b.run("--profile_path", profile, stdin=b"scope -max_depth 1\nquit\nscope -max_depth 1\n")
    b.sound("quit", r)
    r = b.run("--profile_path", profile, stdin=b"x" * 3000000)
    b.check("a line of 3 MB", b.unsound(r) or (r.status != 2 and "status %d" % r.status), r)


@group
def statuses(b):
    """The statuses of successful runs."""
    profile = sample_path("odd/profile_5")
    for words in (["help"], ["--help"], ["help", "scope"], ["--version"], ["scope", profile], ["graph", profile], ["op", profile],
                  ["code", profile], ["advise", profile], ["scope", "--profile_path", profile, "-output", "none"]):
        b.works(" ".join(words)[:60], b.run(*words))
    r = b.run("scope", "--graph_path", b.file(GRAPH), "--run_meta_path", b.file(run_meta(execution("x"))))
    b.works("coverage", r, "_TFProfRoot")
    b.check("coverage is told on stderr", b"run graph coverage: 0.33" not in r.err and "no coverage", r)

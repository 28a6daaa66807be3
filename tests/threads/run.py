#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that any number of threads gives the same bytes: tests/threads/run.py PROGRAM [--one PROGRAM] [THREADS/PIECE ...]

Every sample goes through commands with one thread, and with 2, 3 and 7 threads and pieces of several sizes
(TFPROF_THREADS=THREADS/PIECE), or with those that are named; damaged samples do, too. --one names the program that answers with one thread, which may be the
one without sanitizers. Output, messages and exit status must be the same: of two faults in
a file the first one is told. Made for a ThreadSanitizer build as well, where a data race is a failure.
"""
import concurrent.futures
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = os.path.join(ROOT, "tests", "data", "sample")
PROGRAM = ONE = os.path.abspath(sys.argv[1])
if sys.argv[2:3] == ["--one"]:
    ONE = os.path.abspath(sys.argv[3])
    del sys.argv[2:4]
SHARINGS = sys.argv[2:] or ["2/300", "3/5000", "7/60", "2/40000", "7"]
ALL = ["-max_depth", "1000", "-account_type_regexes", ".*", "-select",
       "micros,bytes,params,float_ops,occurrence,device,op_types,input_shapes"]
COMMANDS = {
    "scope": [*ALL, "-order_by", "micros"],
    "graph": [*ALL, "-order_by", "name"],
    "op": [*ALL, "-order_by", "occurrence"],
    "code": [*ALL, "-order_by", "bytes"],
    "advise": [],
    "stats": ["-max_depth", "3"],
    "steps": [],
}
TRACE_COMMANDS = [["query", "select * from spans"], ["op", *ALL], ["kernel"], ["calls"], ["check"], ["steps"]]
checks = {"passed": 0, "failed": 0}


def run(program, threads, words):
    environment = dict(os.environ, TFPROF_THREADS=threads, TSAN_OPTIONS="exitcode=66")
    done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment, timeout=120)
    return done.returncode, done.stdout, done.stderr


def compare(words):
    """The thread settings whose results differ from those of one thread."""
    usual = run(ONE, "1", words)
    return [(sharing, words, usual, now) for sharing in SHARINGS for now in [run(PROGRAM, sharing, words)] if now != usual]


def named(pattern):
    found = []
    for folder, _, names in sorted(os.walk(SAMPLE)):
        found += [os.path.join(folder, name) for name in sorted(names) if name.startswith(pattern)]
    return found


def plain(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def traces():
    folder = os.path.join(SAMPLE, "recorded")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if ".xplane.pb" in name]


def damaged(paths, scratch, kind):
    """Truncated copies, and copies with changed bytes, about two errors in each."""
    dice, made = random.Random(12), []
    for path in paths:
        content = plain(path)
        for i in range(8):
            spoilt = bytearray(content)
            if i < 2:
                spoilt = spoilt[: dice.randrange(len(content))]
            for _ in range(i - 2):
                spoilt[dice.randrange(len(spoilt))] = dice.choice((0, 0x7F, 0x80, 0xFF, dice.randrange(256)))
            made.append(os.path.join(scratch, "%s%d" % (kind, len(made))))
            with open(made[-1], "wb") as file:
                file.write(spoilt)
    return made


def unpacked(paths, scratch, kind):
    """Unpacked files, because these are read in windows, while a gzip file is unpacked to
    memory."""
    made = []
    for path in paths:
        if path.endswith(".gz"):
            made.append(os.path.join(scratch, "plain_%s%d" % (kind, len(made))))
            with open(made[-1], "wb") as file:
                file.write(plain(path))
    return made


def many_files(scratch):
    """Run metadata that is read in parallel: valid, in several forms, and with an error somewhere in the
    sequence."""
    folder = os.path.join(SAMPLE, "chance", "11")
    sound = [os.path.join(folder, "run_meta_%d" % i) for i in range(3)] * 8
    dice = random.Random(3)
    text, odd = os.path.join(scratch, "text.pbtxt"), os.path.join(scratch, "odd")
    with open(text, "w") as file:
        file.write('step_stats { dev_stats { device: "/cpu:0" node_stats { node_name: "a" all_start_micros: -5 } } }')
    with open(odd, "wb") as file: # a negative size causes a warning
        file.write(bytes.fromhex("0a1e0a1c0a062f6370753a30120c0a01611001280232030a017812040a0278791001"))
    rows = [sound, sound[:5] + [text] + sound[5:9] + [odd] + sound[9:], sound[:7] + ["/nothing/here"] + sound[7:],
            sound[:9] + [folder] + sound[9:]]
    for spoilt in damaged(sound[:3], scratch, "many"):
        place = dice.randrange(len(sound))
        rows.append(sound[:place] + [spoilt] + sound[place:])
    for row in rows:
        yield ["op", "--run_meta_path=" + ",".join(row), *COMMANDS["op"]]
    yield ["steps", "--run_meta_path=" + ",".join(rows[1])]
    yield ["flops", "--graph_path=" + os.path.join(folder, "graph_shapes.pb"), "--run_meta_path=" + ",".join(sound)]


def jobs(scratch):
    for path in traces() + unpacked(traces(), scratch, "trace"):
        for command in TRACE_COMMANDS:
            yield [command[0], path, *command[1:]]
    for path in damaged(traces(), scratch, "trace"):
        yield [TRACE_COMMANDS[0][0], path, *TRACE_COMMANDS[0][1:]]
    for path in named("profile_") + unpacked(named("profile_"), scratch, "profile"):
        for command, options in COMMANDS.items():
            yield [command, "--profile_path=" + path, *options]
        yield ["graph", "--profile_path=" + path, "-step", "0", "-output",
               "timeline:outfile=" + os.path.join(scratch, "t")]
        yield ["query", "SELECT * FROM spans", path]
    for path in damaged(named("profile_"), scratch, "profile"):
        yield ["scope", "--profile_path=" + path, *COMMANDS["scope"]]
    for path in unpacked(named("run_meta_"), scratch, "run"):
        yield ["steps", path]
        yield ["op", path, *COMMANDS["op"]]
    for path in damaged(named("run_meta_"), scratch, "run"):
        yield ["op", "--graph_path=" + os.path.join(SAMPLE, "towers", "graph.pb.gz"), "--run_meta_path=" + path]
    yield from many_files(scratch)
    for folder, _, names in sorted(os.walk(SAMPLE)):
        paths = [os.path.join(folder, name) for name in sorted(names)]
        graphs = [p for p in paths if os.path.basename(p).startswith(("graph.", "graph_shapes."))]
        metas = [p for p in paths if os.path.basename(p).startswith("run_meta_")]
        logs = [p for p in paths if os.path.basename(p).startswith("tfprof_log")]
        for graph in graphs:
            words = ["--graph_path=" + graph, "--run_meta_path=" + ",".join(metas), "--op_log_path=" + "".join(logs[:1])]
            words = [w for w in words if not w.endswith("=")]
            for command in ("scope", "op"):
                yield [command, *words, *COMMANDS[command]]
            if metas:
                yield ["steps", *words]
                yield ["flops", *words]


def main():
    scratch = tempfile.mkdtemp(prefix="tfprof_threads_")
    try:
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            for wrong in pool.map(compare, jobs(scratch)):
                checks["passed"] += len(SHARINGS) - len(wrong)
                checks["failed"] += len(wrong)
                for sharing, words, usual, now in wrong[:1]:
                    print("%s: %s\n  one thread: %d %s\n  now: %d %s" % (sharing, " ".join(words), usual[0],
                                                                        usual[2][-500:], now[0], now[2][-1500:]))
    finally:
        shutil.rmtree(scratch)
    print("%(passed)d passed, %(failed)d failed" % checks)
    return 1 if checks["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())

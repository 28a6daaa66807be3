#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes allocations of the whole program fail, C++ library and all: tests/faults/program.py PROGRAM

Each must end in status 4 (or what the program does without memory for that word), one line, and no report; or in the
usual answer. Never in a signal.
The patterns hold no class of characters, nor an alternation that RE2 makes one: RE2 (Debian's libre2-9) crashes by itself
when an allocation fails while it parses one.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, "..", "data", "sample")
COMMANDS = [
    (["scope", "odd/profile_5", "-show_name_regexes", "a.*,(by|conv)+,x?y", "-select", "micros,params"], b""),
    (["op", "--graph_path=odd/graph.pbtxt", "--run_meta_path=odd/run_meta_0", "--op_log_path=odd/tfprof_log", "-order_by", "micros"], b""),
    (["scope", "--graph_path=dense/graph.pb", "--checkpoint_path=dense/ckpt_v2/model.ckpt-3", "-select", "tensor_value"], b""),
    (["advise", "odd/profile_5", "--format", "json"], b""),
    (["help", "scope"], b""),
    (["report", "odd/profile_5", "-o", "-"], b""),
    (["--profile_path", "odd/profile_5"], b"scope -max_depth 2\nset max_depth 3\nop -select bytes\nnonsense\n"),
]


def run(program, library, words, stdin, **environment):
    return subprocess.run([program, *words], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=SAMPLE, timeout=60,
                          env=dict(PATH=os.environ["PATH"], HOME="/nowhere", LC_ALL="C.UTF-8", LD_PRELOAD=library, **environment))


def fault_of(usual, now):
    """The error in a run in which an allocation failed, or None."""
    if now.returncode < 0:
        return "killed by signal %d" % -now.returncode
    # RE2 logs a line of its own if an exception passes through it
    lines = [line for line in now.stderr.splitlines() if not line.startswith(b"./re2/")]
    if any(not line.startswith((b"tfprof: ", b"run graph coverage")) for line in lines):
        return "a line without the program's name"
    if now.returncode == usual.returncode:
        good = now.stdout == usual.stdout or any(b"memory" in line for line in lines)
        return None if good else "the usual status, but another output"
    if now.returncode not in (3, 4):  # 3: it failed while help was written
        return "status %d" % now.returncode
    return None if any(b"memory" in line for line in lines) else "no word of memory"


def main():
    program = os.path.abspath(sys.argv[1])
    scratch = tempfile.mkdtemp(prefix="tfprof_preload_")
    library, count = os.path.join(scratch, "preload.so"), os.path.join(scratch, "count")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", os.path.join(HERE, "preload.c"), "-o", library], check=True)
    passed = failed = 0
    with ThreadPoolExecutor(2) as pool:
        for words, stdin in COMMANDS:
            usual = run(program, library, words, stdin, COUNT_TO=count)
            with open(count, encoding="ascii") as f:
                calls = int(f.read())
            step = max(1, calls // 250)
            jobs = range(1, calls + 1, step)
            for n, now in zip(jobs, pool.map(lambda n: run(program, library, words, stdin, FAIL_AT=str(n)), jobs)):
                fault = fault_of(usual, now)
                passed, failed = passed + (not fault), failed + bool(fault)
                if fault and failed <= 20:
                    print("%s: allocation %d of %d: %s: %r" % (" ".join(words)[:60], n, calls, fault, now.stderr[:200]))
    shutil.rmtree(scratch)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws programs of XLA that run as command buffers, and asks tfprof for the place of each kernel: buffers.py PROGRAM [COUNT]. The
generator knows the instruction of every kernel. No place that is reported as certain (`unique`, `order`) may be wrong; most
of the kernels must have such a place. The last line is `N passed, N failed`."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "traces"))
import xspace_buffers as x  # noqa: E402

LIBRARY = {"__cublas$gemm": ("sm80_xmma_gemm_%d", "nvjet_tst_%d"), "__cudnn$convForward": ("sm80_xmma_fprop_%d", "cudnn_conv_%d"),
           "attention_ffi": ("flash_fwd_%d", "fmha_%d"), "sort_ffi": ("cub_sort_%d", "merge_%d")}
KINDS = ("loop_add", "loop_mul", "input_reduce", "wrapped_tanh", "gemm_fusion_dot")


class Drawn:
    """A program, and the launches of one run of its buffer: (stream, kernel, us, details) and the line of its
    instruction."""

    def __init__(self, rng):
        self.rng, self.program, self.count = rng, x.Program("jit_f", 5), {}
        self.owner = {}  # the first kernel of an equal fusion, by kind and computation

    def name(self, kind):
        self.count[kind] = self.count.get(kind, -1) + 1
        return kind if not self.count[kind] else "%s.%d" % (kind, self.count[kind])

    def instruction(self):
        """Adds an instruction; returns the names of the kernels that it launches."""
        rng, p = self.rng, self.program
        if rng.random() < .35:
            target = rng.choice(sorted(LIBRARY))
            p.what(self.name("custom-call"), "custom-call", "m%d/n%d/lib" % (rng.randrange(3), p.line), (28, target))
            names = [rng.choice(LIBRARY[target]) % rng.randrange(3) for _ in range(rng.choice((1, 1, 2, 3)))]
            return (["Memset 2"] if rng.random() < .2 else []) + names
        if rng.random() < .1:
            p.what(self.name("copy"), "copy", "m%d/n%d/copy" % (rng.randrange(3), p.line))
            return ["MemcpyD2D"]
        kind = rng.choice(KINDS)
        name = self.name(kind)
        custom = [(11, "kCustom")] if kind == "gemm_fusion_dot" else []
        p.what(name, "fusion", "m%d/n%d/%s" % (rng.randrange(3), p.line, kind), *custom)
        shared = self.owner.get(kind) if rng.random() < .3 else None
        self.owner.setdefault(kind, name)
        return (["Memset 2"] if kind == "input_reduce" and rng.random() < .5 else []) + [(shared or name).replace(".", "_")]


def draw(seed):
    rng = random.Random(seed)
    d = Drawn(rng)
    p, launched = d.program, []
    looped, loop = [], None
    if rng.random() < .3:
        p.begin()
        for _ in range(rng.randrange(1, 4)):
            looped.append((d.instruction(), p.line))
        body = p.end("body")
        p.begin()
        p.what(d.name("compare_fusion"), "fusion", "cond/lt")
        condition, test = p.end("condition"), (["compare_fusion"], p.line)
        loop = body, condition
        d.owner.clear()  # the compiler processes a body when it reaches the loop
    p.begin()
    for _ in range(rng.randrange(3, 20)):
        launched.append((d.instruction(), p.line))
        if loop and rng.random() < .3:
            p.what("while.9", "while", "", (38, loop[0]), (38, loop[1]))
            for _ in range(rng.randrange(1, 4)):
                launched += [test, *looped]
            launched.append(test)
            loop = None
    called = rng.random() < .6
    if called:
        buffer = p.end("command_buffer")
        p.begin()
        p.what("call", "call", "", (38, buffer))
    p.end("main")
    first, end = 0, len(launched)
    if not called:  # the buffer contains only a part of the program
        first = rng.randrange(len(launched))
        end = rng.randrange(first + 1, len(launched) + 1)
    ids = rng.random() < .4
    kernels, truth = [], []
    for names, line in launched[first:end]:
        for name in names:
            kernels.append(x.kernel(name, rng.randrange(1, 9), rng.choice((13, 14)) if ids else 13))
            truth.append(line)
    r = x.Recorder()
    for _ in range(3):
        r.launch(p, "command_buffer", kernels, 20, ids)
    return r.bytes([p]), [(k[1], line) for k, line in zip(kernels, truth)], ids


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 150
    passed = failed = certain = every = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f.xplane.pb")
        for seed in range(count):
            data, truth, ids = draw(seed)
            with open(path, "wb") as f:
                f.write(data)
            order = "replay, graph_node" if ids else "replay, start_us"
            query = "SELECT name, certainty, line FROM attribution ORDER BY " + order
            done = subprocess.run([program, "query", query, path, "-format", "jsonl"], capture_output=True, text=True)
            rows = [row for row in map(json.loads, done.stdout.splitlines()) if "certainty" in row]
            fine = len(rows) == 3 * len(truth)
            for (name, line), row in zip(truth * 3, rows):
                every += 1
                sure = row["certainty"] in ("unique", "order")
                certain += sure
                if row["name"] != name or (sure and row.get("line") != "net.py:%d:layer" % line):
                    fine = False
                    print("seed %d: %s is %s at %s, not at line %d" % (seed, name, row["certainty"], row.get("line"), line))
            passed += fine
            failed += not fine
    enough = certain >= .6 * every
    print("%d of %d kernels have a certain place" % (certain, every))
    print("%d passed, %d failed" % (passed + enough, failed + (not enough)))
    return failed > 0 or not enough


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""The expected results for the real models of nets.py: TensorFlow's shapes and counts, and totals that papers publish or
that follow from the layers' sizes."""
import json
import os
import subprocess

import compare
import nets

RECORDED = ("dense/graph.pb", "dense_resource/saved_model", "functions/saved_model", "resnet32/graph.pbtxt.gz",
            "seq2seq/graph_shapes.pb.gz", "towers/graph.pb.gz")
ASSUMED = (  # assumed shapes have the same effect as shapes in the file
    ("dense 1 train, batch unknown", {"batch": 32}), ("dense 2 saved without shapes", {"batch": 5}),
    ("mobilenetv2 exported without shapes", {"batch": 3}),
    ("unet 1, size unknown", {"shapes": {"input": [2, 64, 32, 3]}}), ("encoder 1 train", {"batch": 7}),
    ("lstm 1", {"batch": 4}), ("gru keras saved without shapes", {"batch": 6}), ("branches 1 train", {"batch": 9}))
ASSUMED_WHOLE = (("mobilenetv2 frozen, batch unknown", {"batch": 16}),)
# Multiply-adds from papers, the allowed deviation (a figure of two digits is not exact), and the source. Figures that
# count multiplications and additions separately are halved.
PUBLISHED = (
    ("resnet50 frozen", 3.8e9, 0.02, "He et al. 2016, Table 1: 3.8 * 10^9 (multiply-adds)"),
    ("resnet50 with shapes", 3.8e9, 0.02, "the same"),
    ("mobilenetv2 frozen", 300e6, 0.01, "Sandler et al. 2018, Table 4: 300M multiply-adds"),
    ("mobilenetv2 with shapes", 300e6, 0.01, "the same"),
    ("vgg16 with shapes", 30.94e9 / 2, 0.01, "Luo et al. 2017 (ThiNet), Table 2: 30.94B, two for a multiply-add"),
    ("bert base", 22.5e9 / 2, 0.01, "Jiao et al. 2020 (TinyBERT), Table 1: 22.5B at 128 words, two for a multiply-add"))
# Multiply-adds of one run with all iterations, by hand from the layers' sizes. A gradient computes each product twice
# more.
LSTM_KERAS = 7 * 2 * ((5 + 16) * 64 + 2 * (16 + 4) * 16) + 2 * 8 * 3
GRU = 7 * 3 * (5 + 16) * (32 + 16)
LOOPS = (
    ("lstm keras frozen", [], LSTM_KERAS), ("lstm keras inlined", [], LSTM_KERAS),
    ("lstm 1", ["--assume-batch", "4"], 7 * 4 * 21 * 64), ("gru 1, loops of functions", [], GRU),
    ("gru 1 train with shapes", [], 3 * GRU), ("lstm 1 train with shapes", [], 3 * 7 * 3 * 21 * 64),
    ("branches 2 frozen", [], (1 + 5 * 3) * 4 * 8 * 8), ("branches 2 inlined", [], (1 + 5 * 3) * 4 * 8 * 8))


def check_nets(tally, compare_graph, program):
    paths = nets.every_graph(compare.WHOLE)
    for title, path in paths.items():
        compare_graph(tally, path, title)
    for title, assumed in ASSUMED + (ASSUMED_WHOLE if compare.WHOLE else ()):
        compare_graph(tally, paths[title], "%s, assuming %s" % (title, assumed), **assumed)
    for name in RECORDED:
        compare_graph(tally, os.path.join(compare.ROOT, "tests", "data", "sample", name), name)


def answer(program, *words):
    done = subprocess.run([*program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if done.returncode:
        raise RuntimeError("status %d: %s" % (done.returncode, done.stderr.decode("utf-8", "replace").strip()[-300:]))
    return done.stdout.decode()


def check_totals(tally, compare_graph, program):
    """The sum of macs over all nodes is the paper's figure, and the totals of views are the sums of
    the nodes."""
    paths = nets.every_graph(compare.WHOLE)
    for title, published, share, where in PUBLISHED:
        if title == "resnet50 frozen" and not compare.WHOLE:
            continue
        try:
            rows = compare.ask(program, paths[title], "own")
            macs, flops = sum(r.macs or 0 for r in rows.values()), sum(r.flops or 0 for r in rows.values())
            scope = json.loads(answer(program, "scope", paths[title], "-float_ops_source", "own", "--format", "json"))
            total = scope["root"]["total_float_ops"]
        except (RuntimeError, subprocess.TimeoutExpired, ValueError, KeyError) as wrong:
            tally.note(False, "%s: %r" % (title, wrong))
            continue
        tally.note(abs(macs / published - 1) <= share, "%s: %.4g multiply-adds, %.4g published (%s), %+.2f %%" % (
            title, macs, published, where, 100 * (macs / published - 1)))
        tally.note(total == flops and flops >= 2 * macs,
                   "%s: %d float operations in all nodes, scope's root says %d" % (title, flops, total))
    for title, words, macs in LOOPS:
        told = json.loads(answer(program, "flops", paths[title], *words, "--format", "json"))["summary"]
        ok = told["total_macs"] == macs and "loops_counted_once" not in told
        tally.note(ok, "%s: %d multiply-adds with all iterations, ours %d" % (title, macs, told["total_macs"]))
    told = json.loads(answer(program, "flops", paths["mobilenetv2 exported"], "--assume-batch", "1", "--format", "json"))
    rows = compare.ask(program, paths["mobilenetv2 frozen"], "own")
    macs = sum(r.macs or 0 for r in rows.values())
    served = {row["signature"]: row["macs"] for row in told["signatures"]}
    tally.note(served.get("serving_default") == macs, "mobilenetv2 exported: serving_default takes %s, frozen it is %d" % (
        served.get("serving_default"), macs))

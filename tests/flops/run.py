#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shapes and float operations against TensorFlow, in one process: tests/flops/run.py [-v] [--whole] [NAME...]

  cases_FAMILY   small graphs with every op of a family, as tests/flops/cases_FAMILY.py yields them: graphs() gives
                 (name, tf.Graph or GraphDef); counts(), where there is one, gives (graph name, node name, float_ops, macs),
                 node names of a function's body as FUNCTION/NAME; None is not looked at
  nets           real models of tests/flops/nets.py
  totals         their multiply-adds, as papers publish them; loops with all iterations
  oplog          the op log that TensorFlow writes, with and without the metadata of a run
  parameters     of exports and checkpoints, as Keras and TensorFlow count them
Without a name all of them; with --whole the models that take long, too, and all that is drawn. Each graph is compared with both sources, own and
tensorflow; compare.py says what counts as a failure. The program is build/tfprof or $TFPROF.
"""
import gc
import glob
import importlib
import os
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import compare  # noqa: E402
import oracle  # noqa: E402

tf = oracle.tf
PROGRAM = os.environ.get("TFPROF", compare.PROGRAM).split()


class Tally:
    def __init__(self, every):
        self.passed = self.failed = 0
        self.every = every

    def note(self, ok, text):
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        if not ok or self.every:
            print(("ok     " if ok else "FAILED ") + text, flush=True)

    def outcome(self, outcome):
        self.note(not outcome.failures, outcome.summary())
        if outcome.failures or self.every:
            for line in outcome.details(self.every):
                print(line)


def compare_graph(tally, path, title, **assumed):
    try:
        known = oracle.Oracle(oracle.read(path), assumed.get("batch", 0), assumed.get("shapes"))
    except Exception as wrong:  # pylint: disable=broad-except
        tally.note(False, "%s: TensorFlow does not import it: %s" % (title, str(wrong)[:400]))
        return
    for source in ("own", "tensorflow"):
        tally.outcome(compare.compare_with(known, PROGRAM, path, source, title, **assumed))


def check_counts(tally, module, paths):
    rows = {}
    for graph, node, flops, macs in module.counts():
        title = "%s %s: %s" % (module.__name__, graph, node)
        try:
            if graph not in rows:
                rows[graph] = compare.ask(PROGRAM, paths[graph], "own")
            row = rows[graph][tuple(node.split("/", 1)) if ("", node) not in rows[graph] else ("", node)]
        except (RuntimeError, KeyError, ValueError) as wrong:
            tally.note(False, "%s: %r" % (title, wrong))
            continue
        ok = (flops is None or row.flops == flops) and (macs is None or row.macs == macs)
        tally.note(ok, "%s: wanted %s float_ops, %s macs; ours %s, %s (%s)" % (
            title, flops, macs, row.flops, row.macs, row.source))


def run_cases(tally, name, scratch):
    module, paths = importlib.import_module(name), {}
    for title, graph in module.graphs():
        graph_def = graph.as_graph_def() if isinstance(graph, tf.Graph) else graph
        paths[title] = os.path.join(scratch, "%s.%s.pb" % (name, title.replace("/", "_")))
        with open(paths[title], "wb") as file:
            file.write(graph_def.SerializeToString(deterministic=True))
        compare_graph(tally, paths[title], "%s %s" % (name, title), share=compare.SHARE_OF_CASES)
    if hasattr(module, "counts"):
        check_counts(tally, module, paths)


def run(tally, name, scratch):
    if name in ("nets", "totals"):
        import real
        getattr(real, "check_" + name)(tally, compare_graph, PROGRAM)
    elif name in ("oplog", "parameters"):
        importlib.import_module(name).check(tally, PROGRAM, scratch)
    else:
        run_cases(tally, name, scratch)


def main():
    words = sys.argv[1:]
    # TensorFlow's modules stay in memory and graphs have many long-lived objects, so the garbage collector
    # should skip them
    gc.freeze()
    gc.set_threshold(100000, 20, 20)
    tally = Tally("-v" in words)
    names = [os.path.basename(w).removesuffix(".py") for w in words if not w.startswith("-")]
    cases = sorted(os.path.basename(p)[:-3] for p in glob.glob(os.path.join(HERE, "cases_*.py")))
    with tempfile.TemporaryDirectory() as scratch:
        for name in names or cases + ["nets", "totals", "oplog", "parameters"]:
            try:
                run(tally, name, scratch)
            except Exception:  # pylint: disable=broad-except
                tally.note(False, "%s ended early: %s" % (name, traceback.format_exc()))
    print("%d passed, %d failed" % (tally.passed, tally.failed))
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())

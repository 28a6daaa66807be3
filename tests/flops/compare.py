#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `tfprof flops FILE --nodes` with TensorFlow: static shapes of every output, registered float operations.

    .venv/bin/python tests/flops/compare.py [-v] [--program P] [--source own|tensorflow] [--batch N] FILE...

Of each output whose rank TensorFlow knows, ours is equal, knows more (a dimension that TensorFlow leaves open), knows
less, or contradicts. A file fails when one contradicts, when less than 99 in 100 of those outputs are equal or known
better (98.5 of small cases), when a node has no row, or when a count differs:
  own         a count of TensorFlow's registry (with its bugs corrected, oracle.right) is ours, to the unit; none, or 0,
              where it is negative (a sum of nothing), none where it does not fit into 64 bits
  tensorflow  the main graph's counts are TensorFlow's own, to the unit, and there are none where it has none; 0 and none
              are the same (its log leaves out a 0). Shapes that we know better than TensorFlow are listed here, but they
              fail only by a count that they make. Bodies of functions are only looked at for contradictions: TensorFlow's
              op log knows nothing of them
With -v all differences are listed, else the first of each op.
"""
import argparse
import csv
import functools
import io
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "build", "tfprof")
WHOLE = "--whole" in sys.argv  # run.py sets this
SHARE = 0.99
SHARE_OF_CASES = 0.985  # their nodes are unusual ones, and few are placeholders, whose shapes are always right


@functools.cache
def shapes_of(text):
    """`0:32x112|1:?x3` as lists with None for `?`, None for an unknown rank. Results are cached, because the same few
    texts repeat."""
    out = {}
    for part in text.split("|") if text else []:
        index, _, dims = part.partition(":")
        out[int(index)] = None if dims == "unknown" else [None if d == "?" else int(d) for d in dims.split("x")] if dims else []
    return out


class Row:
    def __init__(self, cells):
        self.op, self.source, self.text = cells["op"], cells["source"], cells["output_shapes"]
        self.shapes = shapes_of(cells["output_shapes"])
        self.flops = int(cells["float_ops"]) if cells["float_ops"] else None
        self.macs = int(cells["macs"]) if cells["macs"] else None

    def faults(self, source):
        """Contradictions within a row, whatever the graph."""
        if (self.source == "formula") != (self.flops is not None):
            yield "source %r beside float_ops %r" % (self.source, self.flops)
        if self.source not in ("formula", "none", "no_shape"):
            yield "source %r" % self.source
        if source == "own" and (self.flops or 0) < 0 or (self.macs or 0) < 0:
            yield "negative: float_ops %r macs %r" % (self.flops, self.macs)
        if source == "own" and self.flops is not None and self.macs is not None and 2 * self.macs > self.flops:
            yield "%d macs are more than %d float operations" % (self.macs, self.flops)


def ask(program, path, source, batch=0, shapes=None):
    """(function, name) -> Row."""
    command = [*program, "flops", path, "--nodes", "--format", "csv", "-float_ops_source", source]
    if batch:
        command += ["--assume-batch", str(batch)]
    for name, dims in (shapes or {}).items():
        command += ["--assume-shape", "%s=%s" % (name, ",".join(map(str, dims)))]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if done.returncode:
        raise RuntimeError("status %d: %s" % (done.returncode, done.stderr.decode("utf-8", "replace").strip()[-300:]))
    rows = {}
    for cells in csv.DictReader(io.StringIO(done.stdout.decode("utf-8", "surrogateescape"), newline="")):
        rows[cells["function"], cells["name"]] = Row(cells)
    return rows


def relation(theirs, ours):
    """How our shape relates to TensorFlow's; theirs is a list of known rank."""
    if ours is None:
        return "less"
    if len(ours) != len(theirs) or any(a is not None and b is not None and a != b for a, b in zip(theirs, ours)):
        return "contradicts"
    if any(a is not None and b is None for a, b in zip(theirs, ours)):
        return "less"
    return "equal" if theirs == ours else "more"


class Outcome:
    """Counts and differences of one file. `seen`: op -> what was compared for it."""

    def __init__(self, title, source, share=SHARE):
        self.title, self.source, self.share = title, source, share
        self.full = self.partly = self.equal = self.more = self.less = self.contradicts = self.ours_alone = 0
        self.counts = self.counts_right = self.bare = 0
        self.nodes, self.bodies = 0, 0
        self.differences = []  # (what, op, text)
        self.uncounted = {}    # op -> nodes with known shapes but no count

    def add(self, what, op, text):
        self.differences.append((what, op, text))

    def of(self, what):
        return [d for d in self.differences if d[0] == what]

    @property
    def known(self):
        return self.full + self.partly

    @property
    def failures(self):
        out = [d for d in self.differences if d[0] in ("contradicts", "count", "row", "error", "left out")]
        if self.known and self.known - self.less - self.contradicts < self.share * self.known:
            out.append(("share", "", "only %.2f %% inferred" % (100 * (self.equal + self.more) / self.known)))
        return out

    def summary(self):
        inferred = self.equal + self.more
        return ("%s [%s]: %d nodes, %d bodies; shapes that TensorFlow knows: %d fully, %d partly; ours: %d equal, %d more, "
                "%d less, %d contradict (%.2f %%), %d that it does not know; registered counts: %d of %d right%s" % (
                    self.title, self.source, self.nodes, self.bodies, self.full, self.partly, self.equal, self.more, self.less,
                    self.contradicts, 100 * inferred / self.known if self.known else 100, self.ours_alone,
                    self.counts_right, self.counts, "" if self.source == "tensorflow" else
                    "; known shapes, no count: %d" % sum(self.uncounted.values())))

    def details(self, every=False):
        """The first difference of each kind and op, and their number, the worst kinds first."""
        groups = {}
        for what, op, text in self.differences:
            groups.setdefault((what, op), []).append(text)
        order = ["error", "row", "contradicts", "count", "left out", "less", "more"]
        for (what, op), texts in sorted(groups.items(), key=lambda g: (order.index(g[0][0]), g[0][1])):
            for text in texts if every else texts[:1]:
                yield "  %s %s (%d): %s" % (what, op, len(texts), text)
        if self.source == "own" and self.uncounted:
            yield "  known shapes, no count: " + ", ".join(
                "%s %d" % u for u in sorted(self.uncounted.items(), key=lambda u: (-u[1], u[0])))


def text_of(shape):
    return "unknown" if shape.rank is None else "x".join("?" if d is None else str(d) for d in shape.as_list())


def compare_node(outcome, where, op, row, main):
    for fault in row.faults(outcome.source):
        outcome.add("row", op.type, "%s: %s" % (where, fault))
    if row.op != op.type:
        outcome.add("row", op.type, "%s: op %r" % (where, row.op))
    if len(row.shapes) != len(op.outputs):
        outcome.add("row", op.type, "%s: %d outputs, TensorFlow has %d" % (where, len(row.shapes), len(op.outputs)))
    for i, output in enumerate(op.outputs):
        shape, ours = output.shape, row.shapes.get(i)
        if shape.rank is None:
            outcome.ours_alone += ours is not None
            continue
        if shape.is_fully_defined():
            outcome.full += 1
        else:
            outcome.partly += 1
        told = relation(shape.as_list(), ours)
        if told == "less" and outcome.source == "tensorflow" and not main:
            continue
        setattr(outcome, told, getattr(outcome, told) + 1)
        if told in ("less", "contradicts") or told == "more" and outcome.source == "tensorflow":
            ins = ", ".join(text_of(t.shape) for t in op.inputs)
            outcome.add(told, op.type, "%s:%d: TensorFlow %s, ours %s (inputs %s)" % (
                where, i, text_of(shape), row.text, ins))


def compare_count(outcome, where, graph, op, row, main):
    import oracle
    value, kind = oracle.registered(graph, op)
    if outcome.source == "tensorflow":
        if not main:
            return
        outcome.counts += value is not None
        same = row.flops == value or row.flops is None and value is not None and (value == 0 or value > oracle.MOST)
        outcome.counts_right += same and value is not None
        if not same:
            outcome.add("count", op.type, "%s: TensorFlow %s (%s), ours %s (%s)" % (
                where, value, kind, row.flops, row.source))
        return
    wanted = oracle.right(op, value) if kind != "none" else None
    if wanted is not None:
        outcome.counts += 1
        same = row.flops == (wanted if wanted <= oracle.MOST else None) if wanted >= 0 else not row.flops
        outcome.counts_right += same
        if not same:
            outcome.add("count", op.type, "%s: %s wanted (TensorFlow %s), ours %s (%s)" % (
                where, wanted, value, row.flops, row.source))
    elif row.flops is None and all(t.shape.is_fully_defined() for t in list(op.inputs) + list(op.outputs)):
        outcome.uncounted[op.type] = outcome.uncounted.get(op.type, 0) + 1


def compare_with(known, program, path, source, title=None, batch=0, shapes=None, share=SHARE):
    """known: TensorFlow's results (Oracle) for the same file."""
    outcome = Outcome(title or os.path.basename(path), source, share)
    try:
        rows = ask(program, path, source, batch, shapes)
    except (RuntimeError, subprocess.TimeoutExpired, ValueError, KeyError) as wrong:
        outcome.add("error", "", "%s: %s" % (type(wrong).__name__, wrong))
        return outcome
    outcome.bodies = len(known.bodies)
    for name, why in known.left_out.items():
        outcome.add("left out", "", "%s: %s" % (name, why))
    for body in known.bodies:
        for node in body.nodes:
            op, row = body.op(node), rows.get((body.name, node.name))
            where = "%s/%s" % (body.name, node.name) if body.name else node.name
            outcome.nodes += 1
            if row is None:
                outcome.add("row", op.type, "%s has no row" % where)
                continue
            compare_node(outcome, where, op, row, not body.name)
            compare_count(outcome, where, body.inside, op, row, not body.name)
    return outcome


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("-v", action="store_true", dest="every")
    asked.add_argument("--program", default=PROGRAM)
    asked.add_argument("--source", choices=["own", "tensorflow"], action="append")
    asked.add_argument("--batch", type=int, default=0)
    asked.add_argument("files", nargs="+")
    asked = asked.parse_args()
    import oracle
    failed = 0
    for path in asked.files:
        known = oracle.Oracle(oracle.read(path), asked.batch)
        for source in asked.source or ["own", "tensorflow"]:
            outcome = compare_with(known, asked.program.split(), path, source, path, asked.batch)
            print(("FAILED " if outcome.failures else "") + outcome.summary())
            for line in outcome.details(asked.every):
                print(line)
            for what, _, text in outcome.failures:
                if what == "share":
                    print("  %s" % text)
            failed += bool(outcome.failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

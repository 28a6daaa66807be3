#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes large inputs out of the sample, for benchmarks: copies of a recorded model under scopes of their own. Plain
Python.

    grow.py profile OUT [NODES [STEPS]]    a ProfileProto; 85000 nodes and 5 steps are about 108 MB
    grow.py files FOLDER [NODES]           graph.pb, graph.pbtxt, run_meta_0 and tfprof_log of one large model

Names get a prefix (`part_0012/`), node ids an offset; a gradient's name keeps naming the forward node of its own copy.
Times differ between copies, so that sorting has work to do. Everything else (traces, attributes, memory) stays as
recorded.
"""
import gzip
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import wire  # noqa: E402
from wire import bytes_field, number_field  # noqa: E402

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'sample')
PROFILE, GRAPH, META, LOG = 'towers/profile_9.gz', 'towers/graph.pb.gz', 'towers/run_meta_1.gz', 'towers/tfprof_log.gz'
VARIANTS = 16  # of the times of a node


def sample(name):
    with gzip.open(os.path.join(SAMPLE, name)) as f:
        return f.read()


def prefix_of(copy):
    return b'part_%04d/' % copy


def renamed(name, prefix):
    """The forward node of `gradients/X_grad/...` is X, so X gets the prefix too."""
    before, mark, after = name.partition(b'gradients/')
    if mark and b'_grad/' in after:
        return prefix + before + mark + prefix + after
    return prefix + name


# ---------------------------------------------------------------- ProfileProto
def slower(times, by):
    """An ExecTime with durations longer by `by` sixteenths."""
    out = []
    for start, duration in (wire.numbers(wire.read(t), 1) for t in wire.every(wire.read(times), 1)):
        values = wire.varint(start) + wire.varint(duration * (16 + by) // 16)
        out.append(bytes_field(1, bytes_field(1, values)))
    return b''.join(out)


def exec_variant(data, by):
    """An ExecProfile with other times."""
    out = []
    for number, kind, value in wire.read(data):
        if number in (4, 5):  # accelerator_execs, cpu_execs: device -> ExecTime
            entry = wire.read(value)
            value = bytes_field(1, wire.last(entry, 1, b'')) + bytes_field(2, slower(wire.last(entry, 2, b''), by))
        out.append((number, kind, value))
    return wire.write(out)


class Node:
    """A parsed ProfileNode: the fields that depend on the copy, and the bytes of the rest."""

    def __init__(self, data, steps):
        self.name, self.inputs, self.sources, self.id = b'', [], [], 0
        rest, execs = [], []
        for field in wire.read(data):
            number, _, value = field
            if number == 1:
                self.name = value
            elif number == 13:
                self.id = value
            elif number == 2:  # inputs: position -> node id
                entry = wire.read(value)
                self.inputs.append((wire.last(entry, 1), wire.last(entry, 2)))
            elif number == 14:  # src_output_index: node id -> output
                entry = wire.read(value)
                self.sources.append((wire.last(entry, 1), wire.last(entry, 2)))
            elif number == 12:  # execs: step -> ExecProfile
                entry = wire.read(value)
                if wire.last(entry, 1) in steps:
                    execs.append((wire.last(entry, 1), wire.last(entry, 2, b'')))
            else:
                rest.append(field)
        rest = wire.write(rest)
        self.rest = [rest + b''.join(bytes_field(12, number_field(1, step) + bytes_field(2, exec_variant(run, by)))
                                     for step, run in execs) for by in range(VARIANTS if execs else 1)]

    def copied(self, prefix, offset, variant):
        """One entry of ProfileProto.nodes."""
        node = [bytes_field(1, renamed(self.name, prefix)), number_field(13, self.id + offset)]
        node += [bytes_field(2, number_field(1, at) + number_field(2, source + offset)) for at, source in self.inputs]
        node += [bytes_field(14, number_field(1, source + offset) + number_field(2, out)) for source, out in self.sources]
        node.append(self.rest[variant % len(self.rest)])
        return bytes_field(1, number_field(1, self.id + offset) + bytes_field(2, b''.join(node)))


def grow_profile(target, count, step_count):
    top = wire.read(sample(PROFILE))
    steps = wire.numbers(top, 3)[:step_count]
    nodes = [Node(wire.last(wire.read(entry), 2), set(steps)) for entry in wire.every(top, 1)]
    room = max(n.id for n in nodes) + 1
    made = 0
    with open(target, 'wb') as f:
        f.write(number_field(2, 1) + b''.join(number_field(3, s) for s in steps))
        f.write(b''.join(bytes_field(4, text) for text in wire.every(top, 4)))
        for copy in range(-(-count // len(nodes))):
            part = nodes[:count - made]  # the last copy may be incomplete
            kept = None if len(part) == len(nodes) else {n.id for n in part}
            f.write(b''.join((n if kept is None else without_others(n, kept)).copied(
                prefix_of(copy), copy * room, copy * 7 + i) for i, n in enumerate(part)))
            made += len(part)
    return made


def without_others(node, kept):
    """The node without inputs from outside `kept`."""
    node.inputs = [(at, source) for at, source in node.inputs if source in kept]
    node.sources = [(source, out) for source, out in node.sources if source in kept]
    return node


# ---------------------------------------------------------------- GraphDef, RunMetadata, OpLogProto
def input_renamed(text, prefix):
    return b'^' + renamed(text[1:], prefix) if text[:1] == b'^' else renamed(text, prefix)


def copies_of(data, copies, inner, change):
    """Repeats field `inner` of a message for every copy, with changes; other fields occur once."""
    out, parts = [], []
    for number, kind, value in wire.read(data):
        if number == inner:
            parts.append(wire.read(value))
        else:
            out.append(wire.write([(number, kind, value)]))
    for copy in range(copies):
        prefix = prefix_of(copy)
        out += [bytes_field(inner, wire.write(change(part, prefix, copy))) for part in parts]
    return b''.join(out)


def graph_node(fields, prefix, _):
    return [(n, k, renamed(v, prefix) if n == 1 else input_renamed(v, prefix) if n == 3 else v) for n, k, v in fields]


def stats_node(fields, prefix, copy):
    return [(n, k, renamed(v, prefix) if n == 1 else v * (16 + copy % VARIANTS) // 16 if n == 4 else v)
            for n, k, v in fields]


def log_entry(fields, prefix, _):
    return [(n, k, renamed(v, prefix) if n == 1 else v) for n, k, v in fields]


def grow_meta(data, copies):
    devices = []
    for stats in wire.every(wire.read(data), 1):
        devices += [bytes_field(1, copies_of(d, copies, 2, stats_node)) for d in wire.every(wire.read(stats), 1)]
    return bytes_field(1, b''.join(devices))


def quoted(data):
    return b'"' + b''.join(b'\\%03o' % c if c < 32 or c > 126 or c in b'"\\' else b'%c' % c for c in data) + b'"'


def text_graph(data):
    """The graph as text: names, operations, inputs and devices; of the attributes only the
    types."""
    out = []
    for node in (wire.read(n) for n in wire.every(wire.read(data), 1)):
        out.append(b'node {\n  name: %s\n  op: %s\n' % (quoted(wire.last(node, 1, b'')), quoted(wire.last(node, 2, b''))))
        out += [b'  input: %s\n' % quoted(i) for i in wire.every(node, 3)]
        for attr in (wire.read(a) for a in wire.every(node, 5)):
            kind = wire.last(wire.read(wire.last(attr, 2, b'')), 6)
            if kind:
                out.append(b'  attr {\n    key: %s\n    value {\n      type: %d\n    }\n  }\n'
                           % (quoted(wire.last(attr, 1, b'')), kind))
        out.append(b'}\n')
    return b''.join(out)


def grow_files(folder, count):
    graph = sample(GRAPH)
    copies = -(-count // len(wire.every(wire.read(graph), 1)))
    os.makedirs(folder, exist_ok=True)
    large = copies_of(graph, copies, 1, graph_node)
    for name, data in (('graph.pb', large), ('graph.pbtxt', text_graph(large)),
                       ('run_meta_0', grow_meta(sample(META), copies)),
                       ('tfprof_log', copies_of(sample(LOG), copies, 1, log_entry))):
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(data)
    return copies * len(wire.every(wire.read(graph), 1))


def main(words):
    if words[:1] == ['profile'] and 2 <= len(words) <= 4:
        made = grow_profile(words[1], int((words[2:] or ['85000'])[0]), int((words[3:] or ['5'])[0]))
    elif words[:1] == ['files'] and 2 <= len(words) <= 3:
        made = grow_files(words[1], int((words[2:] or ['85000'])[0]))
    else:
        raise SystemExit(__doc__)
    print('%s: %d nodes' % (words[1], made))


if __name__ == '__main__':
    main(sys.argv[1:])

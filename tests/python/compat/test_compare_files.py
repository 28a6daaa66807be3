# SPDX-License-Identifier: Apache-2.0
"""Profiles and op logs in files: our files and TensorFlow's have the same content, and each side
reads the other's."""

import os
import re
import tempfile
import unittest

import models
import questions
import sides
import support
from sides import ours, theirs
from support import Tally, of_ours, of_tensorflow, quietly
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.python.profiler import model_analyzer as their_analyzer
from tensorflow.python.util import _pywrap_tfprof as their_binding

from tfprof.compat.v1 import pywrap

# Each build of a graph gives new numbers to the functions of its loops and branches.
FUNCTION = re.compile(r'_\d+')


def plain(profile):
    """A ProfileProto in a form that does not depend on the numbers given to nodes and strings."""
    name = {number: node.name for number, node in profile.nodes.items()}
    text = profile.id_to_string

    def node_of(node):
        return {
            'op': node.op,
            'inputs': {i: name[n] for i, n in node.inputs.items()},
            'outputs': sorted((i, name[n]) for i, n in node.outputs.items()),
            'sources': {name[n]: i for n, i in node.src_output_index.items()},
            'input_shapes': {i: list(s.int64_values) for i, s in node.input_shapes.items()},
            'output_shapes': {i: list(s.int64_values) for i, s in node.output_shapes.items()},
            'shape': list(node.shape),
            'types': sorted(node.op_types),
            'devices': (node.canonical_device, node.host_device),
            'float_ops': node.float_ops,
            'trace': [
                (text[t.file_id], t.lineno, text[t.function_id], text[t.line_id], t.func_start_line)
                for t in node.trace.traces
            ],
            'attrs': {key: FUNCTION.sub('', str(value)) for key, value in node.attrs.items()},
            'execs': {step: execution(x) for step, x in node.execs.items()},
        }

    return {
        'nodes': {node.name: node_of(node) for node in profile.nodes.values()},
        'steps': sorted(profile.steps),
        'flags': (profile.has_trace, profile.miss_accelerator_stream),
    }


def execution(x):
    def times(of):
        return {device: [list(t.int64_values) for t in spent.times] for device, spent in of.items()}

    return {
        'count': x.run_count,
        'from': x.all_start_micros,
        'to': x.latest_end_micros,
        'devices': sorted(x.devices),
        'accelerator': times(x.accelerator_execs),
        'cpu': times(x.cpu_execs),
        'memory': [m.SerializeToString(deterministic=True) for m in x.memory_execs],
        'allocations': [a.SerializeToString(deterministic=True) for a in x.allocations],
    }


class Files(unittest.TestCase):
    """serialize_to_string and _write_profile: each side reads the files of the other."""

    def written(self, side, graph, model, folder):
        profiler = sides.profiler_of(side, graph, model.op_log(), model.record())
        path = os.path.join(folder, 'profile_%s' % ('theirs' if side is theirs else 'ours'))
        quietly(profiler._write_profile, path)
        data = quietly(profiler.serialize_to_string)
        self.assertIsInstance(data, bytes)
        self.assertEqual(
            tfprof_log_pb2.ProfileProto.FromString(data),
            tfprof_log_pb2.ProfileProto.FromString(support.read(path)),
        )
        return path

    def test_same_message(self):
        for model in models.MODELS:
            with self.subTest(model.name), tempfile.TemporaryDirectory() as folder:
                want, got = [
                    plain(
                        tfprof_log_pb2.ProfileProto.FromString(
                            support.read(self.written(side, graph, model, folder))
                        )
                    )
                    for side, graph in zip((theirs, ours), model.build(2))
                ]
                self.assertEqual(sorted(want['nodes']), sorted(got['nodes']))
                self.assertGreater(len(got['nodes']), 10)
                for name, node in want['nodes'].items():
                    self.assertEqual(node, got['nodes'][name], name)
                self.assertEqual(want, got)

    def test_read_by_the_other(self):
        tally = Tally()
        for number, model in enumerate(models.MODELS):
            with tempfile.TemporaryDirectory() as folder:
                paths = [
                    self.written(side, graph, model, folder)
                    for side, graph in zip((theirs, ours), model.build(2))
                ]
                for view, question in questions.sampled(
                    sides.pairs_of(questions.broad()), number
                ):
                    self.read_by_both(tally, model, paths, view, question)
        tally.check(self, 200)

    def read_by_both(self, tally, model, paths, view, question):
        """What TensorFlow shows for its own file is the expected result for all other files."""
        options = question.make(theirs.ProfileOptionBuilder, '')
        message = their_analyzer._build_options(options).SerializeToString()
        wanted = loaded(their_binding, of_tensorflow, paths[0], view, message)
        for path, binding, hear in (
            (paths[1], their_binding, of_tensorflow),
            (paths[0], pywrap, of_ours),
            (paths[1], pywrap, of_ours),
        ):
            got = loaded(binding, hear, path, view, message)
            name = '%s: %s read by %s: %s, %s' % (
                model.name,
                os.path.basename(path),
                binding.__name__,
                view,
                question.name,
            )
            tally.note(name, support.difference(view, options, wanted, got))


def loaded(binding, hear, path, view, options):
    def call(out):
        binding.ProfilerFromFile(path)
        try:
            return binding.Profile(view.encode(), options)
        finally:
            binding.DeleteProfiler()

    return hear(call)


class OpLogs(unittest.TestCase):
    def test_written(self):
        for model in models.MODELS:
            for meta in (None, model.record()[0][1]):
                graphs = model.build(2)  # new graphs, because both sides fill in shapes from the metadata
                for trace in (True, False):
                    logs = []
                    for side, graph in zip((theirs, ours), graphs):
                        with tempfile.TemporaryDirectory() as folder:
                            quietly(side.write_op_log, graph, folder, model.op_log(), meta, trace)
                            data = support.read(os.path.join(folder, 'tfprof_log'))
                        logs.append(tfprof_log_pb2.OpLogProto.FromString(data))
                    self.assertEqual(logs[0], logs[1], (model.name, trace))
                    if trace:  # without code traces, a small graph without variables has nothing to log
                        self.assertGreater(len(logs[1].log_entries), 0)

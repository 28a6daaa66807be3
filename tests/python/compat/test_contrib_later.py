# SPDX-License-Identifier: Apache-2.0
"""The forms of TensorFlow 1.3 to 1.15 (tf.contrib.tfprof), pprof_profiler, and tfprof.compat.v1 in the place of
tf.compat.v1.profiler."""
import contextlib
import gzip
import io
import os
import tempfile
import unittest

import support

try:
    tensorflow = support.load_tensorflow()
except ImportError:
    tensorflow = None

import tfprof
import tfprof.compat.v1
from tfprof.compat.v1 import pprof_profiler
from tfprof.contrib import v1_15


def model(tf):
    """A graph with a variable, and the RunMetadata of one traced run."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [32, 8], 'x')
        with tf.variable_scope('dense'):
            weights = tf.get_variable('weights', [8, 4])
        loss = tf.reduce_mean(tf.matmul(x, weights, name='product'), name='loss')
        with tf.Session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            meta = tf.RunMetadata()
            session.run(loss, {x: [[1] * 8] * 32}, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), meta)
    return graph, meta


@unittest.skipUnless(tensorflow, 'needs tensorflow')
class Later(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph, cls.meta = model(tensorflow.compat.v1)

    def heard(self, call, *given, **named):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            value = call(*given, **named)
        return value, text.getvalue()

    def test_views_are_those_of_tensorflow(self):
        theirs = tensorflow.compat.v1.profiler
        for cmd in ('scope', 'graph', 'op', 'code'):
            options = dict(v1_15.model_analyzer.PRINT_ALL_TIMING_MEMORY, order_by='micros')
            want, said = support.quietly(theirs.profile, self.graph, self.meta, None, cmd, dict(options, output='none')), ''
            got, said = self.heard(v1_15.model_analyzer.print_model_analysis, self.graph, run_meta=self.meta,
                                   tfprof_cmd=cmd, tfprof_options=options)
            self.assertIsNone(support.value_difference(cmd, want, got))
            self.assertIs(type(got), type(want))
            self.assertIn('Model Analysis Report', said)

    def test_op_views_have_graph_nodes_and_protos_serialize(self):
        root, _ = self.heard(v1_15.model_analyzer.print_model_analysis, self.graph, self.meta, None, 'op',
                             v1_15.model_analyzer.PRINT_ALL_TIMING_MEMORY)
        found, rest = {}, [root]
        while rest:
            node = rest.pop()
            found[node.name] = [one.name for one in node.graph_nodes]
            rest.extend(node.children)
        self.assertEqual(found['MatMul'], ['product'])
        self.assertEqual(type(root).FromString(root.SerializeToString()), root)

    def test_parameters_are_the_default(self):
        root, text = self.heard(v1_15.model_analyzer.print_model_analysis, self.graph)
        self.assertEqual(root.total_parameters, 32)
        self.assertIn('dense/weights (8x4, 32/32 params)', text)

    def test_advise(self):
        analyzer = v1_15.model_analyzer
        for given in ({}, {'tfprof_options': analyzer.ALL_ADVICE}):
            advice, _ = self.heard(analyzer.advise, self.graph, self.meta, **given)
            self.assertIn('ExpensiveOperationChecker', advice.checkers)
        advice, _ = self.heard(analyzer.Profiler(self.graph).advise, {'OperationChecker': {}})
        self.assertEqual(list(advice.checkers), ['OperationChecker'])

    def test_the_op_log_by_its_name_of_then(self):
        logger = v1_15.tfprof_logger
        log = logger._merge_default_with_oplog(self.graph, run_meta=self.meta)
        types = {entry.name: list(entry.types) for entry in log.log_entries}
        self.assertIn(logger.TRAINABLE_VARIABLES, types['dense/weights'])
        with tempfile.TemporaryDirectory() as folder:
            logger.write_op_log(self.graph, folder, run_meta=self.meta)
            self.assertEqual(tfprof.recognise(os.path.join(folder, 'tfprof_log')), 'op_log')

    def test_in_the_place_of_tensorflows(self):
        v1 = tensorflow.compat.v1
        kept = v1.profiler
        v1.profiler = tfprof.compat.v1
        try:
            builder = v1.profiler.ProfileOptionBuilder
            options = builder(builder.float_operation()).with_empty_output().build()
            ours = v1.profiler.profile(self.graph, options=options)
            self.assertIs(v1.profiler.Profiler, tfprof.compat.v1.Profiler)
        finally:
            v1.profiler = kept
        want = support.quietly(kept.profile, self.graph, options=options)
        self.assertEqual(ours.total_float_ops, want.total_float_ops)
        for name in dir(kept):
            if not name.startswith('_'):
                self.assertTrue(hasattr(tfprof.compat.v1, name), name)


@unittest.skipUnless(tensorflow, 'needs tensorflow')
class Pprof(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph, cls.meta = model(tensorflow.compat.v1)

    def fields(self, data):
        """(field number, value) of a message: ints, and bytes."""
        at, found = 0, []

        def varint():
            nonlocal at
            value = shift = 0
            while True:
                byte = data[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value

        while at < len(data):
            tag = varint()
            if tag & 7 == 0:
                found.append((tag >> 3, varint()))
            else:
                size = varint()
                found.append((tag >> 3, data[at:at + size]))
                at += size
        return found

    def varints(self, data):
        found, value, shift = [], 0, 0
        for byte in data:
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                found.append(value)
                value = shift = 0
        return found

    def test_a_profile_a_device(self):
        [(device, made)] = pprof_profiler.get_profiles(self.graph, self.meta).items()
        self.assertIn('CPU:0', device.upper())
        stats = {n.node_name: n for n in self.meta.step_stats.dev_stats[0].node_stats}
        micros = stats['product'].op_end_rel_micros - stats['product'].op_start_rel_micros
        self.assertEqual(made.samples['product'], [1, stats['product'].all_end_rel_micros * 1000, micros * 1000])

    def test_the_file_is_pprofs(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            where = os.path.join(folder, 'made', 'here')
            [path] = pprof_profiler.profile(self.graph, self.meta, where)
            self.assertIn('Writing profile to %s...' % path, said.getvalue())
            self.assertTrue(path.endswith('.pb.gz'))
            with gzip.open(path) as file:
                fields = self.fields(file.read())
        texts = [value.decode() for number, value in fields if number == 6]
        self.assertEqual(texts[0], '')
        functions = {dict(self.fields(value))[1]: dict(self.fields(value)) for number, value in fields if number == 5}
        lines = {}
        for number, value in fields:
            if number == 4:
                place = dict(self.fields(value))
                line = dict(self.fields(place[4]))
                function = functions[line[1]]
                lines[place[1]] = (texts[function[2]], texts[function[4]])
        stacks = {}
        for number, value in fields:
            if number == 2:
                sample = self.fields(value)
                labels = [dict(self.fields(v)) for n, v in sample if n == 3]
                name = next(texts[label[2]] for label in labels if texts[label[1]] == 'node_name')
                stacks[name] = [lines[i] for i in self.varints(dict(sample)[1])]
                self.assertEqual(len(self.varints(dict(sample)[2])), 3)
        self.assertIn(('model', __file__), stacks['product'])
        types = [tuple(texts[i] for _, i in self.fields(value)) for number, value in fields if number == 1]
        self.assertEqual(types, [('count', 'count'), ('all_time', 'nanoseconds'), ('op_time', 'nanoseconds')])

    def test_without_a_folder_it_prints(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(pprof_profiler.profile(self.graph, self.meta), [])
        self.assertIn('product (MatMul)', said.getvalue())

    def test_a_device_without_ops_is_told(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            empty = type(self.meta)()
            empty.step_stats.dev_stats.add(device='/gpu:0')
            self.assertEqual(pprof_profiler.get_profiles(self.graph, empty), {})
        self.assertIn('/gpu:0', said.getvalue())

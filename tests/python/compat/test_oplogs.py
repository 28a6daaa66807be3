# SPDX-License-Identifier: Apache-2.0
"""Op logs of tfprof.compat.v1, and what its profilers get of a growing graph, compared with TensorFlow."""
import itertools
import os
import tempfile
import threading
import unittest

import models
import support
from models import tf
from sides import ours, theirs
from support import of_ours, of_tensorflow, quietly, spoken
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.python.framework import ops
from tensorflow.python.profiler import tfprof_logger as their_logger

import tfprof
from tfprof import contrib, gfile
from tfprof.compat.v1 import _graph, model_analyzer, pywrap, tfprof_logger

PROFILE = support.sample('dense/profile_3')
QUIET = dict(ours.ProfileOptionBuilder.time_and_memory(), output='none')


def shapes(graph):
    return [str(tensor.shape) for op in graph.get_operations() for tensor in op.outputs]


class OpLogs(unittest.TestCase):
    def test_same_message(self):
        asked = 0
        for model in models.MODELS:
            graphs, (_, meta) = model.build(2), model.record()[0]
            # Run metadata fills in the shapes permanently, so those cases come last.
            for run_meta, given, trace, trainable in itertools.product(
                    (None, meta), (False, True), (True, False), (True, False)):
                found = []
                for merge, graph in zip((their_logger.merge_default_with_oplog,
                                         tfprof_logger.merge_default_with_oplog), graphs):
                    log = given_log(graph) if given else None
                    found.append(spoken(lambda: merge(graph, log, run_meta, trace, trainable)))
                self.assertEqual(*found, model.name)
                asked += 1
            self.assertEqual(*map(shapes, graphs))
        self.assertEqual(asked, 16 * len(models.MODELS))

    def test_ops_without_a_name_of_their_own_code(self):
        """With the default graph and without a graph."""
        with tf.Graph().as_default():
            tf.constant(1.0, name='one')
            self.assertEqual(their_logger.merge_default_with_oplog(None), tfprof_logger.merge_default_with_oplog(None))
        self.assertEqual(tfprof_logger.merge_default_with_oplog(None), tfprof_log_pb2.OpLogProto())

    def test_the_callers_log_is_left_alone(self):
        graph = models.BY_NAME['mlp'].build()[0]
        log = given_log(graph)
        before = log.SerializeToString(deterministic=True)
        tfprof_logger.merge_default_with_oplog(graph, log)
        self.assertEqual(before, log.SerializeToString(deterministic=True))

    def test_file(self):
        model = models.BY_NAME['convnet']
        graphs, meta = model.build(2), model.record()[0][1]
        with tempfile.TemporaryDirectory() as folder:
            found = []
            for side, graph in zip((theirs, ours), graphs):
                side.write_op_log(graph, folder, run_meta=meta)
                with open(os.path.join(folder, 'tfprof_log'), 'rb') as file:
                    found.append(tfprof_log_pb2.OpLogProto.FromString(file.read()))
                self.assertEqual(os.listdir(folder), ['tfprof_log'])
            self.assertEqual(*found)
            self.assertRaises(OSError, ours.write_op_log, graphs[1], os.path.join(folder, 'none'))
            contrib.tfprof_logger.write_op_log(graphs[1], folder)
            with open(os.path.join(folder, 'tfprof_log'), 'rb') as file:
                bare = tfprof_log_pb2.OpLogProto.FromString(file.read())
        self.assertEqual(bare, their_logger.merge_default_with_oplog(graphs[0], add_trace=False))

    def test_a_file_is_whole_or_as_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'tfprof_log')
            os.mkdir(path)  # a folder, which no file can replace
            with self.assertRaises(OSError):
                gfile.write_whole(path, b'new')
            self.assertEqual(os.listdir(folder), ['tfprof_log'])


def given_log(graph):
    """An op log from the caller: types, float operations and code that take precedence, a repeated name, a node that
    does not exist."""
    log = tfprof_log_pb2.OpLogProto()
    names = [op.name for op in graph.get_operations()]
    for i, name in enumerate(names[::5] + names[:1] + ['no/such/node']):
        entry = log.log_entries.add(name=name, types=['mine'] * (i % 3))
        if i % 2:
            entry.float_ops = 100 + i
        if i % 4 == 1:
            entry.code_def.traces.add(lineno=i, file_id=1)
    log.id_to_string[1] = 'mine.py'
    return log


def grow(graph, width):
    """Adds ops to a graph that was profiled before: a variable, a gradient, an op of unknown shape."""
    with graph.as_default():
        x = graph.get_tensor_by_name('x:0')
        with tf.variable_scope('more_%d' % width):
            weights = tf.get_variable('w', [20, width], use_resource=False)
            out = tf.nn.relu(tf.matmul(x, weights))
            tf.add(out, tf.gradients(tf.reduce_sum(out), [weights])[0][0], name='sum')


class Told(unittest.TestCase):
    """What add_step passes of a graph, compared with TensorFlow, which passes all of it each
    time."""

    def both(self, actions, meta_count=4):
        """The profilers of both sides after the same actions (functions of profiler, graph, metas), each with
        its own graph."""
        model = models.BY_NAME['mlp']
        metas = [meta for _, meta in model.record()]
        made = []
        graphs = model.build(2)
        for action in actions:  # both call from the same line, so that the traces are equal
            for i, side in enumerate((theirs, ours)):
                if len(made) == i:
                    made.append(quietly(side.Profiler, graphs[i]))
                quietly(action, made[i], graphs[i], metas)
        return made, graphs

    def check(self, made, graphs):
        self.assertEqual(*map(shapes, graphs))
        want, got = [tfprof_log_pb2.ProfileProto.FromString(p.serialize_to_string()) for p in made]
        self.assertEqual(names_to_facts(want), names_to_facts(got))
        self.assertEqual(dict(want.id_to_string), dict(got.id_to_string))
        for view, method in support.METHODS.items():
            for options in (ours.ProfileOptionBuilder.time_and_memory(), ours.ProfileOptionBuilder.float_operation(),
                            ours.ProfileOptionBuilder.trainable_variables_parameter()):
                answers = [hear(lambda out: getattr(profiler, method)(options))
                           for hear, profiler in zip((of_tensorflow, of_ours), made)]
                self.assertIsNone(support.difference(view, options, *answers), view)
        self.assertEqual(made[0]._coverage, made[1]._coverage)
        del made[:]

    def test_steps(self):
        self.check(*self.both([lambda p, g, m: p.add_step(0, m[0]), lambda p, g, m: p.add_step(1, m[1]),
                               lambda p, g, m: p.add_step(2, m[2])]))

    def test_graph_that_grows(self):
        self.check(*self.both([lambda p, g, m: p.add_step(0, m[0]), lambda p, g, m: grow(g, 3),
                               lambda p, g, m: p.add_step(1, m[1]), lambda p, g, m: grow(g, 5),
                               lambda p, g, m: grow(g, 6), lambda p, g, m: p.add_step(1, m[2])]))

    def test_shapes_that_the_user_sets(self):
        def set_shape(profiler, graph, metas):
            graph.get_tensor_by_name('x:0').set_shape([32, 20])
            graph.get_tensor_by_name('layer_0/logits:0').set_shape([32, 16])
        empty = tf.RunMetadata()
        empty.step_stats.dev_stats.add(device='/device:CPU:0')
        self.check(*self.both([set_shape, lambda p, g, m: p.add_step(0, empty)]))

    def test_variables_that_become_trainable(self):
        def add(profiler, graph, metas):
            bias = [v for v in graph.get_collection('variables') if v.op.name == 'layer_0/weights/Momentum'][0]
            graph.add_to_collection('trainable_variables', bias)
        self.check(*self.both([lambda p, g, m: p.add_step(0, m[0]), add, lambda p, g, m: p.add_step(0, m[1])]))

    def test_shapes_that_contradict_the_run(self):
        def contradict(profiler, graph, metas):
            graph.get_tensor_by_name('layer_0/logits:0').set_shape([None, 16])
            bad = tf.RunMetadata()
            bad.CopyFrom(metas[0])
            for device in bad.step_stats.dev_stats:
                for node in device.node_stats:
                    if node.node_name == 'layer_0/logits':
                        node.output[0].tensor_description.shape.dim[1].size = 17
            said = spoken(lambda: [profiler.add_step(n, bad) for n in (0, 1)])[1]
            heard.append([line for line in said.splitlines() if 'incompatible' in line])
        heard = []
        self.check(*self.both([contradict]))
        self.assertEqual(heard[0], heard[1])

    def test_a_formula_that_comes_later(self):
        name = 'TfprofTestOnly%d' % os.getpid()
        graph = models.BY_NAME['mlp'].build()[0]
        log = _graph.GraphLog()
        quietly(log.op_log, graph)
        self.assertEqual(quietly(log.op_log, graph), b'')
        ops.RegisterStatistics(name, 'flops')(lambda graph, node: None)
        self.assertGreater(len(quietly(log.op_log, graph)), 1000)

    def test_nothing_is_told_twice(self):
        model = models.BY_NAME['convnet']
        graph, meta = model.build()[0], model.record()[0][1]
        log = _graph.GraphLog()
        first = log.op_log(graph, meta)
        self.assertEqual(tfprof_log_pb2.OpLogProto.FromString(first),
                         their_logger.merge_default_with_oplog(graph, run_meta=meta))
        self.assertGreater(len(log.graph(graph)), 1000)
        self.assertEqual((log.op_log(graph, meta), log.graph(graph)), (b'', b''))

    def test_a_graph_is_let_go(self):
        log = _graph.GraphLog()
        graph = models.BY_NAME['mlp'].build()[0]
        quietly(log.op_log, graph)
        self.assertEqual(len(log._told), 1)
        graph.feeds = None
        del graph
        import gc
        gc.collect()
        self.assertEqual(len(log._told), 0)

    def test_graph_def(self):
        """With the shapes of as_graph_def(add_shapes=True), but without functions."""
        for model in models.MODELS:
            graph = model.build()[0]
            want = graph.as_graph_def(add_shapes=True)
            want.ClearField('library')
            self.assertEqual(type(want).FromString(_graph.graph_def(graph)), want, model.name)

    def test_two_graphs_in_one_profiler(self):
        """Strings of the second graph get new numbers (in TensorFlow they collide with those of the
        first)."""
        first, second = models.BY_NAME['mlp'].build()[0], models.BY_NAME['shared'].build()[0]
        profiler = quietly(ours.Profiler, first)
        profiler._graph = second
        quietly(profiler.add_step, 0, models.BY_NAME['shared'].record()[0][1])
        proto = tfprof_log_pb2.ProfileProto.FromString(profiler.serialize_to_string())
        functions = {node.name: {proto.id_to_string[t.function_id] for t in node.trace.traces}
                     for node in proto.nodes.values() if node.trace.traces}
        names = [op.name for op in second.get_operations() if op.name not in
                 {op.name for op in first.get_operations()}]
        self.assertTrue(names)
        for name in names:
            self.assertIn('shared', functions[name])
            self.assertNotIn('mlp', functions[name])


def names_to_facts(profile):
    """All facts of a ProfileProto about each node; the order of a node's types depends on a hash
    table."""
    for node in profile.nodes.values():
        types = sorted(node.op_types)
        del node.op_types[:]
        node.op_types.extend(types)
    return {node.name: node for node in profile.nodes.values()}


class Profilers(unittest.TestCase):
    def test_many_at_a_time(self):
        found, wrong = {}, []

        def work(model):
            try:
                profiler = ours.Profiler(graphs[model.name], model.op_log())
                for number, meta in model.steps:
                    profiler.add_step(number, meta)
                    profiler.profile_name_scope(QUIET)
                found[model.name] = profiler.profile_name_scope(QUIET)
            except BaseException as error:
                wrong.append(error)
        for model in models.MODELS:
            model.record()
        # built first, because some models switch the kind of loops for the whole process
        graphs = {model.name: model.build()[0] for model in models.MODELS}
        with support.Descriptors(2):
            threads = [threading.Thread(target=work, args=(model,)) for model in models.MODELS]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])
        for model in models.MODELS:
            profiler = quietly(theirs.Profiler, model.build()[0], model.op_log())
            for number, meta in model.steps:
                quietly(profiler.add_step, number, meta)
            self.assertEqual(quietly(profiler.profile_name_scope, QUIET), found[model.name], model.name)
            del profiler

    def test_from_file(self):
        """Reads the file in three ways; the last is that of TensorFlow's own tests."""
        path = PROFILE
        want = ours.Profiler.from_file(path).profile_name_scope(QUIET)
        self.assertGreater(want.total_exec_micros, 0)
        with model_analyzer.ProfilerFromFile(path) as profiler:
            self.assertEqual(profiler.profile_name_scope(QUIET), want)
        pywrap.ProfilerFromFile(path.encode())
        profiler = ours.Profiler.__new__(ours.Profiler)
        self.assertEqual(profiler.profile_name_scope(QUIET), want)
        profiler.add_step(977, models.BY_NAME['mlp'].record()[0][1])
        pywrap.DeleteProfiler()
        self.assertRaises(tfprof.Error, profiler.profile_name_scope, QUIET)

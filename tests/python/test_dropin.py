# SPDX-License-Identifier: Apache-2.0
"""tfprof.compat.v1, contrib and gfile where they stand in for TensorFlow's modules: names, options, op logs, what a
profiler is told of a graph that grows, ProfileContext. The views themselves are compared in test_compare*.py."""
import contextlib
import inspect
import io
import itertools
import os
import random
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models
import support
from models import tf
from sides import ours, theirs
from support import of_ours, of_tensorflow, quietly
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.python.client import session as session_module
from tensorflow.python.framework import ops
from tensorflow.python.profiler import model_analyzer as their_analyzer
from tensorflow.python.profiler import tfprof_logger as their_logger

import tfprof
from tfprof import contrib, gfile
from tfprof.compat.v1 import _graph, model_analyzer, pywrap, tfprof_logger

import numpy  # noqa: E402

FULL_TRACE = models.FULL_TRACE
PROFILE = support.sample('dense/profile_3')
QUIET = dict(ours.ProfileOptionBuilder.time_and_memory(), output='none')


def python(code):
    """A new interpreter in which TensorFlow and protobuf cannot be imported."""
    hidden = 'import sys; sys.modules.update(tensorflow=None, google=None, numpy=None)\n'
    return subprocess.run([sys.executable, '-c', hidden + code], capture_output=True, text=True)


class Names(unittest.TestCase):
    def test_all_of_tensorflow(self):
        for name in dir(theirs):
            if not name.startswith('_'):
                self.assertTrue(hasattr(ours, name), name)

    def test_messages_are_tensorflows(self):
        for name in ('AdviceProto', 'GraphNodeProto', 'MultiGraphNodeProto', 'OpLogProto'):
            self.assertIs(getattr(ours, name), getattr(theirs, name))
            self.assertIn(name, dir(ours))
        self.assertRaises(AttributeError, getattr, ours, 'NoProto')
        self.assertRaises(AttributeError, getattr, ours.protos, 'NoProto')
        self.assertIs(contrib.OpLog, theirs.OpLogProto)

    def test_arguments(self):
        """Each public function takes what TensorFlow's takes, in that order and with those defaults."""
        pairs = [(theirs, ours, ('advise', 'profile', 'write_op_log')),
                 (their_logger, tfprof_logger, ('merge_default_with_oplog', 'write_op_log')),
                 (theirs.Profiler, ours.Profiler, [n for n in dir(theirs.Profiler) if not n.startswith('__')]),
                 (theirs.ProfileOptionBuilder, ours.ProfileOptionBuilder,
                  [n for n in dir(theirs.ProfileOptionBuilder) if not n.startswith('__')])]
        for want, got, names in pairs:
            for name in list(names) + (['__init__'] if inspect.isclass(want) else []):
                if (name, want) == ('advise', theirs.Profiler) or not callable(getattr(want, name)):
                    continue  # the options of advise are optional here
                self.assertEqual(arguments(getattr(want, name)), arguments(getattr(got, name)), name)

    def test_without_tensorflow(self):
        done = python(
            'import tfprof.compat.v1 as p, tfprof.contrib as c, tfprof.gfile, os, tempfile\n'
            'o = p.ProfileOptionBuilder(p.ProfileOptionBuilder.time_and_memory()).with_max_depth(3).build()\n'
            's = p.pywrap.Stats.from_file(%r)\n'
            'print(len(s.serialize()) > 1000, o["max_depth"], p.Profiler.from_file(%r)._coverage)\n'
            'for call in (lambda: p.Profiler(), lambda: p.profile(), lambda: p.OpLogProto,\n'
            '             lambda: p.write_op_log(None, "."), lambda: c.OpLog,\n'
            '             lambda: p.ProfileContext("x").__enter__()):\n'
            '    try: call()\n'
            '    except p.protos.MissingTensorFlowError as e: print(isinstance(e, ImportError), e)\n'
            % (PROFILE, PROFILE))
        lines = done.stdout.splitlines()
        self.assertEqual(done.stderr, '')
        self.assertEqual(lines[0], 'True 3 0.0')
        self.assertEqual(len(lines), 7, lines)
        for line in lines[1:]:
            self.assertRegex(line, '^True .*needs TensorFlow, which cannot be imported')


def arguments(function):
    return [(p.name, p.default, p.kind) for p in inspect.signature(function).parameters.values()]


class Options(unittest.TestCase):
    CALLS = [
        ('with_max_depth', (7,)), ('with_min_memory', ()), ('with_min_memory', (1, 2, 3, 4)),
        ('with_min_execution_time', ()), ('with_min_execution_time', (5, 6, 7)), ('with_min_parameters', (8,)),
        ('with_min_occurrence', (9,)), ('with_min_float_operations', (10,)), ('with_accounted_types', (['a', 'b'],)),
        ('with_node_names', ()), ('with_node_names', (['s'], ['t'], ['u'], ['v'])), ('with_node_names', ([],)),
        ('account_displayed_op_only', (True,)), ('account_displayed_op_only', (False,)), ('with_empty_output', ()),
        ('with_stdout_output', ()), ('with_file_output', ('f',)), ('with_timeline_output', ('t',)),
        ('with_pprof_output', ('p',)), ('order_by', ('bytes',)), ('select', (['micros', 'params'],)),
        ('with_step', (12,))]

    def bases(self, B):
        return [B(), B({}), B(B.trainable_variables_parameter()), B(B.float_operation()), B(B.time_and_memory()),
                B(B.time_and_memory(1, 2, 3, 4, 5, 6, 7))]

    def test_every_method_is_tried(self):
        public = {n for n in dir(theirs.ProfileOptionBuilder) if not n.startswith('_')}
        presets = {'build', 'time_and_memory', 'float_operation', 'trainable_variables_parameter'}
        self.assertEqual(public, {name for name, _ in self.CALLS} | presets)

    def test_same_dicts(self):
        chance = random.Random(4)
        chains = [[call] for call in self.CALLS] + [chance.sample(self.CALLS, 6) for _ in range(100)] + [[]]
        for chain in chains:
            for want, got in zip(*(self.bases(side.ProfileOptionBuilder) for side in (theirs, ours))):
                for name, given in chain:
                    self.assertIs(getattr(got, name)(*given), got)
                    getattr(want, name)(*given)
                self.assertEqual(want.build(), got.build(), chain)

    def test_dicts_are_copies(self):
        given = {'select': ['micros']}
        builder = ours.ProfileOptionBuilder(given)
        builder.build()['select'].append('x')
        given['select'].append('y')
        self.assertEqual(builder.build()['select'], ['micros'])
        preset = ours.ProfileOptionBuilder.float_operation()
        preset['select'].append('z')
        self.assertEqual(ours.ProfileOptionBuilder.float_operation()['select'], ['float_ops'])

    def test_protos(self):
        for B in (theirs.ProfileOptionBuilder,):
            for options in [b.build() for b in self.bases(B)] + [{}, {'step': 3, 'dump_to_file': 'x', 'viz': True}]:
                self.assertEqual(their_analyzer._build_options(options), model_analyzer._build_options(options))
        for options in (None, {}, ours.ALL_ADVICE, {'OperationChecker': {}}):
            self.assertEqual(their_analyzer._build_advisor_options(options),
                             model_analyzer._build_advisor_options(options))
        self.assertEqual(their_analyzer.ALL_ADVICE, ours.ALL_ADVICE)
        self.assertRaises(TypeError, model_analyzer._build_options, {'max_depth': 'deep'})
        # TensorFlow fails here, though its message has a place for it.
        made = model_analyzer._build_advisor_options({'JobChecker': {'key': 'value'}})
        self.assertEqual(dict(made.checkers['JobChecker'].options), {'key': 'value'})


def shapes(graph):
    return [str(tensor.shape) for op in graph.get_operations() for tensor in op.outputs]


def spoken(call):
    """What a call returns, and what it says on stderr."""
    with contextlib.redirect_stderr(io.StringIO()) as heard:
        return call(), heard.getvalue()


class OpLogs(unittest.TestCase):
    def test_same_message(self):
        asked = 0
        for model in models.MODELS:
            graphs, (_, meta) = model.build(2), model.record()[0]
            # With a run the shapes are filled in for good: last.
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
        """Default graph, no graph."""
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
            os.mkdir(path)  # cannot be replaced by a file
            with self.assertRaises(OSError):
                gfile.write_whole(path, b'new')
            self.assertEqual(os.listdir(folder), ['tfprof_log'])


def given_log(graph):
    """A caller's op log: types, float operations that win, code that wins, a name twice, a node that is not there."""
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
    """More ops on a graph that was profiled already: a variable, a gradient, an op of unknown shape."""
    with graph.as_default():
        x = graph.get_tensor_by_name('x:0')
        with tf.variable_scope('more_%d' % width):
            weights = tf.get_variable('w', [20, width], use_resource=False)
            out = tf.nn.relu(tf.matmul(x, weights))
            tf.add(out, tf.gradients(tf.reduce_sum(out), [weights])[0][0], name='sum')


class Told(unittest.TestCase):
    """What add_step tells of a graph, beside TensorFlow, which tells all of it each time."""

    def both(self, actions, meta_count=4):
        """The profilers after the same actions (functions of profiler, graph, metas), each on its own graph."""
        model = models.BY_NAME['mlp']
        metas = [meta for _, meta in model.record()]
        made = []
        graphs = model.build(2)
        for action in actions:  # in one place, so that the traces are alike
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
        """With the shapes that as_graph_def(add_shapes=True) gives, but without functions."""
        for model in models.MODELS:
            graph = model.build()[0]
            want = graph.as_graph_def(add_shapes=True)
            want.ClearField('library')
            self.assertEqual(type(want).FromString(_graph.graph_def(graph)), want, model.name)

    def test_two_graphs_in_one_profiler(self):
        """Strings of the second get numbers of their own (TensorFlow's collide with those of the first)."""
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
    """All that a ProfileProto says of each node; the order of its types is that of a hash table."""
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
        # beforehand: some models switch between kinds of loops, for the whole process
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
        """Three ways; the last is how TensorFlow's own tests do it."""
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


class Context(unittest.TestCase):
    """ProfileContext, as TensorFlow's releases up to 2.x had it."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name
        self.before = dict(vars(session_module.BaseSession))
        self.graph = tf.Graph()
        with self.graph.as_default():
            x = tf.placeholder(tf.float32, [None, 4], 'x')
            weights = tf.get_variable('w', [4, 2], use_resource=False)
            self.out = tf.matmul(x, weights, name='out')
            self.loss = tf.reduce_sum(self.out, name='loss')
            self.init = tf.global_variables_initializer()
        self.fed = {x: numpy.ones([3, 4], 'f')}

    def tearDown(self):
        self.assertEqual(dict(vars(session_module.BaseSession)), self.before)

    def session(self):
        return tf.Session(graph=self.graph)

    def run_all(self, context, count, fetches=None):
        """A session whose run 0 is the initializer, then `count` runs; said to stderr, and the last result."""
        def work():
            with context, self.session() as session:
                session.run(self.init)
                for _ in range(count):
                    result = session.run(self.out if fetches is None else fetches, self.fed)
            return result
        return spoken(work)

    def traced(self, context):
        """The steps that its profiler has."""
        return tfprof.open(context.profiler.serialize_to_string()).steps

    def test_steps_that_are_asked_for(self):
        for steps in (range(2, 12, 3), [2, 5, 8, 11], {2, 5, 8, 11}, (2, 5, 8, 11)):
            context = ours.ProfileContext(self.folder, trace_steps=steps, dump_steps=set())
            self.run_all(context, 12)
            self.assertEqual(self.traced(context), [2, 5, 8, 11])
        self.assertEqual(os.listdir(self.folder), [])

    def test_auto(self):
        """New fetches after ten runs; profile_100 at run 100."""
        context = ours.ProfileContext(self.folder)
        with context, self.session() as session:
            session.run(self.init)
            for i in range(101):
                session.run([self.out, self.loss] if i == 60 else self.out, self.fed)
        self.assertEqual(self.traced(context)[0], 11)
        self.assertIn(61, self.traced(context))
        self.assertEqual(os.listdir(self.folder), ['profile_100'])
        self.assertEqual(tfprof.open(os.path.join(self.folder, 'profile_100')).steps, self.traced(context))

    def test_debug(self):
        context = ours.ProfileContext(self.folder, debug=True)
        said = self.run_all(context, 10)[1]
        self.assertNotIn('tracing', said)
        self.assertEqual(os.listdir(self.folder), [])
        said = self.run_all(ours.ProfileContext(self.folder, debug=True), 11, self.out)[1]
        self.assertIn('debug: tracing step: 11\n', said)
        with open(os.path.join(self.folder, 'run_meta_11')) as file:
            self.assertIn('step_stats {', file.read())

    def test_auto_profiling(self):
        context = ours.ProfileContext(self.folder, trace_steps=[], dump_steps=[9])
        outfile = os.path.join(self.folder, 'op.txt')
        options = ours.ProfileOptionBuilder(ours.ProfileOptionBuilder.time_and_memory()).with_file_output(
            outfile).build()
        context.add_auto_profiling('op', options, [3, 9])
        for command in ('scope', 'graph', 'code'):
            context.add_auto_profiling(command, QUIET, {4})
        self.assertRaises(ValueError, context.get_profiles, 'op')
        self.run_all(context, 10)
        self.assertEqual(sorted(context.get_profiles('op')), [3, 9])
        self.assertIsInstance(context.get_profiles('op')[3], theirs.MultiGraphNodeProto)
        self.assertIsInstance(context.get_profiles('code')[4], theirs.MultiGraphNodeProto)
        self.assertIsInstance(context.get_profiles('scope')[4], theirs.GraphNodeProto)
        self.assertIsInstance(context.get_profiles('graph')[4], theirs.GraphNodeProto)
        self.assertEqual(self.traced(context), [3, 4, 9])
        with open(outfile) as file:
            printed = file.read()
        os.remove(outfile)
        with model_analyzer.ProfilerFromFile(os.path.join(self.folder, 'profile_9')) as profiler:
            self.assertEqual(profiler.profile_operations(options), context.get_profiles('op')[9])
        with open(outfile) as file:
            self.assertEqual(file.read(), printed)
        self.assertRaises(ValueError, context.get_profiles, 'advise')

    def test_unknown_command(self):
        context = ours.ProfileContext(self.folder, [], [])
        context.add_auto_profiling('python', QUIET, [1])
        with self.assertRaises(ValueError), context, self.session() as session:
            session.run(self.init)
            session.run(self.out, self.fed)

    def test_next_step(self):
        with ours.ProfileContext(self.folder, [], []) as context, self.session() as session:
            session.run(self.init)
            context.trace_next_step()
            session.run(self.out, self.fed)
            session.run(self.out, self.fed)
            context.dump_next_step()
            session.run(self.out, self.fed)
            session.run(self.out, self.fed)
        self.assertEqual(self.traced(context), [1])
        self.assertEqual(os.listdir(self.folder), ['profile_3'])

    def test_disabled(self):
        context = ours.ProfileContext('', enabled=False)
        context.add_auto_profiling('op', QUIET, [1])
        context.trace_next_step()
        context.dump_next_step()
        with context, self.session() as session:
            self.assertFalse(hasattr(session_module.BaseSession, 'profile_context'))
            session.run(self.init)
        self.assertIsNone(context.profiler)
        self.assertRaises(ValueError, context.get_profiles, 'op')
        with ours.ProfileContext(self.folder) as context:
            self.assertIs(session_module.BaseSession.profile_context, context)
            self.assertIsNotNone(context.profiler)

    def test_what_is_refused(self):
        self.assertRaises(ValueError, ours.ProfileContext, '')
        self.assertRaises(ValueError, ours.ProfileContext, None)
        self.assertRaises(ValueError, ours.ProfileContext, self.folder, range(101))
        ours.ProfileContext(self.folder, range(100))
        with ours.ProfileContext(self.folder):
            with self.assertRaises(tf.errors.InternalError):
                ours.ProfileContext(self.folder).__enter__()

    def test_arguments_pass_unchanged(self):
        with ours.ProfileContext(self.folder, [1, 2], []) as context, self.session() as session:
            session.run(self.init)
            options, meta = tf.RunOptions(timeout_in_ms=50000), tf.RunMetadata()
            session.run(self.out, self.fed, options=options, run_metadata=meta)
            self.assertEqual(options, tf.RunOptions(timeout_in_ms=50000))
            self.assertTrue(meta.step_stats.dev_stats)
            session.run(fetches=self.out, feed_dict=self.fed)
            untraced = tf.RunMetadata()
            session.run(self.out, self.fed, tf.RunOptions(output_partition_graphs=True), untraced)
            self.assertTrue(untraced.partition_graphs)
        self.assertEqual(self.traced(context), [1, 2])

    def test_exceptions(self):
        """In a run, the run is none; in the context, it is left as it was found."""
        context = ours.ProfileContext(self.folder, [1, 3], [])
        with self.assertRaises(KeyError), context, self.session() as session:
            session.run(self.init)
            for _ in range(3):
                self.assertRaises(tf.errors.InvalidArgumentError, session.run, self.out)
            for _ in range(3):
                session.run(self.out, self.fed)
            raise KeyError
        self.assertEqual(self.traced(context), [1, 3])
        context.profiler.profile_name_scope(QUIET)

    def test_one_after_the_other(self):
        with self.session() as session:
            session.run(self.init)
            for number in range(3):
                with ours.ProfileContext(self.folder, [number], []) as context:
                    for _ in range(4):
                        session.run(self.out, self.fed)
                self.assertEqual(self.traced(context), [number])
                session.run(self.out, self.fed)

    def test_other_sessions(self):
        with self.graph.as_default():
            with ours.ProfileContext(self.folder, range(20), []) as context:
                with tf.train.MonitoredSession() as session:
                    begun = context._step
                    session.run(self.out, self.fed)
                    self.assertEqual(context._step, begun + 1)
            self.assertIn(begun, self.traced(context))
            with ours.ProfileContext(self.folder, [1], []) as context:
                session = tf.InteractiveSession()
                self.init.run()
                self.out.eval(self.fed)
                session.close()
            self.assertEqual(self.traced(context), [1])

    def test_threads(self):
        """Every run counts once; those beside a traced one are as they would be without."""
        with ours.ProfileContext(self.folder, range(0, 200, 2), []) as context, self.session() as session:
            session.run(self.init)
            want = session.run(self.out, self.fed).tolist()
            wrong = []

            def work():
                for _ in range(20):
                    if session.run(self.out, self.fed).tolist() != want:
                        wrong.append(1)
            threads = [threading.Thread(target=work) for _ in range(5)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual((context._step, wrong), (102, []))


class Contrib(unittest.TestCase):
    """TensorFlow 1.0's print_model_analysis; its rows are those of the library's `-compat 1.0`."""

    BANNER = '\n=========================Options=============================\n'
    REPORT = '\n==================Model Analysis Report======================\n'
    END = '\n======================End of Report==========================\n'
    LISTED = ['max_depth', 'min_bytes', 'min_micros', 'min_params', 'min_float_ops', 'device_regexes', 'order_by',
              'account_type_regexes', 'start_name_regexes', 'trim_name_regexes', 'show_name_regexes',
              'hide_name_regexes', 'account_displayed_op_only', 'select', 'viz', 'dump_to_file']

    @classmethod
    def setUpClass(cls):
        cls.analyzer = contrib.model_analyzer
        cls.model = models.BY_NAME['mlp']
        cls.graph, cls.meta = cls.model.build()[0], cls.model.record()[0][1]

    def hear(self, *arguments, **named):
        with contextlib.redirect_stdout(io.StringIO()) as heard:
            node = quiet_errors(self.analyzer.print_model_analysis, self.graph, *arguments, **named)
        return node, heard.getvalue()

    def test_text(self):
        node, text = self.hear(self.meta)
        head, rest = text.split(self.REPORT)
        rows, end = rest.split(self.END)
        lines = head[len(self.BANNER):].splitlines()
        self.assertTrue(head.startswith(self.BANNER))
        self.assertEqual([line.split()[0][1:] for line in lines], self.LISTED)
        self.assertIn('-account_type_regexes       _trainable_variables', lines)
        self.assertIn('-hide_name_regexes          ', lines)
        self.assertEqual(end, '')
        self.assertEqual(rows, '_TFProfRoot (--/404 params)\n'
                               '  layer_0/biases (16, 16/16 params)\n'
                               '  layer_0/weights (20x16, 320/320 params)\n'
                               '  layer_1/biases (4, 4/4 params)\n'
                               '  layer_1/weights (16x4, 64/64 params)\n')
        self.assertEqual((node.name, node.total_parameters), ('_TFProfRoot', 404))
        self.assertEqual([c.parameters for c in node.children], [16, 320, 4, 64])
        self.assertEqual([d.size for d in node.children[1].shapes[0].dim], [20, 16])

    def test_option_sets(self):
        sets = [self.analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS, self.analyzer.FLOAT_OPS_OPTIONS,
                self.analyzer.PRINT_ALL_TIMING_MEMORY, self.analyzer.PRINT_PARAMS_ON_DEVICE]
        for options in sets:
            self.assertEqual(sorted(options), sorted(self.LISTED))
        node, text = self.hear(self.meta, tfprof_options=sets[1])
        self.assertRegex(text, r'_TFProfRoot \(0/\d+\.\d+k flops\)\n  ')
        flops = [child.total_float_ops for child in node.children]
        self.assertEqual(flops, sorted(flops, reverse=True))
        node, text = self.hear(self.meta, tfprof_options=sets[2])
        self.assertRegex(text, r'_TFProfRoot \(0B/[0-9.]+KB, 0us/[0-9.]+[a-z]+\)\n  ')
        self.assertTrue(all(c.exec_micros and c.requested_bytes for c in node.children))
        self.assertTrue(node.children[0].device)
        node, text = self.hear(self.meta, tfprof_options=sets[3])
        self.assertIn('_TFProfRoot (--/0 params)\n', text)

    def test_both_spellings(self):
        options = self.analyzer.FLOAT_OPS_OPTIONS
        want = self.hear(self.meta, None, 'graph', options)
        self.assertEqual(want, self.hear(self.meta, tfprof_cmd='graph', tfprof_options=options))
        self.assertEqual(want, self.hear(self.meta, cmd='graph', options=options))
        self.assertRaises(tfprof.UsageError, self.hear, cmd='views')

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'rows')
            options = dict(self.analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS, dump_to_file=path)
            node, text = self.hear(options=options)
            self.assertEqual((text, node.total_parameters), ('', 404))
            with open(path) as file:
                self.assertTrue(file.read().startswith('_TFProfRoot (--/404 params)\n'))

    def test_inputs(self):
        """inputs: how many ops a row reads from; total_inputs: one more for each op that it takes."""
        everything = dict(self.analyzer.PRINT_ALL_TIMING_MEMORY, min_bytes=0, min_micros=0)
        for only in (False, True):
            node, _ = self.hear(self.meta, cmd='graph', options=dict(everything, account_displayed_op_only=only))
            rows = list(node._walk())
            self.assertEqual(len(rows), len(self.graph.get_operations()) + 1)
            for row in rows[1:]:
                op = self.graph.get_operation_by_name(row.name)
                sources = {t.op.name for t in op.inputs} | {c.name for c in op.control_inputs}
                self.assertEqual(row.inputs, len(sources))
            # every op is taken once, by another or by the root
            self.assertEqual(node.total_inputs, sum(row.inputs for row in rows) + len(rows) - 1)
        self.assertEqual(self.hear(self.meta, options=everything)[0].total_inputs, 0)

    def test_nodes(self):
        node = self.hear(self.meta)[0]
        same = self.hear(self.meta)[0]
        self.assertEqual(node, same)
        same.children[2].children.append(self.analyzer.TFProfNode('below'))
        self.assertNotEqual(node, same)
        self.assertNotEqual(node, 1)
        self.assertEqual(repr(same.children[2].children), "[TFProfNode(name='below')]")
        self.assertIn("total_parameters=404, children=[4 nodes])", repr(node))
        self.assertEqual(node.tensor_value.dtype, 0)

    def test_own_op_log(self):
        log = contrib.OpLog()
        log.log_entries.add(name='layer_0/biases', types=['mine'], float_ops=77)
        options = dict(self.analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS, account_type_regexes=['mine'],
                       select=['params', 'float_ops'])
        text = self.hear(op_log=log, options=options)[1]
        self.assertIn('  layer_0/biases (16, 16/16 params, 77/77 flops)\n', text)

    def test_deep_trees(self):
        """Deeper than Python's stack."""
        def chain():
            first = rest = self.analyzer.TFProfNode('0')
            for i in range(5000):
                rest.children.append(self.analyzer.TFProfNode(str(i)))
                rest = rest.children[0]
            return first
        self.assertEqual(chain(), chain())


def quiet_errors(call, *arguments, **named):
    with contextlib.redirect_stderr(io.StringIO()):
        return call(*arguments, **named)


class Gfile(unittest.TestCase):
    """As TensorFlow's gfile on local paths, in both spellings."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folders = [os.path.join(self.place.name, name) for name in ('theirs', 'ours')]

    def test_old_names(self):
        found = []
        for files, folder in zip((tf.gfile, gfile), self.folders):
            files.MakeDirs(os.path.join(folder, 'a/b'))
            files.MakeDirs(os.path.join(folder, 'a/b'))
            path = os.path.join(folder, 'a/f.txt')
            with files.Open(path, 'w') as out:
                out.write('one\ntwo\n')
            with files.GFile(path, 'a') as out:
                out.write('drei\u00e9\n')
            with files.FastGFile(path) as lines:
                read = list(lines)
            with files.Open(path, 'rb') as whole:
                data = whole.read()
            files.Copy(path, path + '2')
            files.Rename(path + '2', path + '3')
            found.append((read, data, files.Exists(path), files.Exists(path + '2'), files.IsDirectory(path),
                          files.IsDirectory(folder), sorted(files.ListDirectory(folder + '/a')),
                          [p[len(folder):] for p in files.Glob(os.path.join(folder, 'a/*'))],
                          files.Stat(path).length,
                          [(top[len(folder):], sorted(d), sorted(f)) for top, d, f in files.Walk(folder)]))
            files.Remove(path)
            files.MkDir(os.path.join(folder, 'c'))
            files.DeleteRecursively(folder)
            self.assertFalse(files.Exists(folder))
        self.assertEqual(*found)

    def test_new_names(self):
        import tensorflow
        for name in dir(tensorflow.io.gfile):
            if not name.startswith('_') and name not in ('join', 'get_registered_schemes'):
                self.assertTrue(callable(getattr(gfile, name)), name)

    def test_bytes_and_text(self):
        path = os.path.join(self.place.name, 'f')
        with gfile.Open(path, 'w') as out:
            out.write(b'text ')
            out.write('text')
            self.assertEqual(out.name, path)
        with gfile.Open(path.encode()) as file:
            self.assertEqual((file.read(), file.size()), ('text text', 9))
        self.assertRaises(FileExistsError, gfile.copy, path, path)
        self.assertRaises(FileExistsError, gfile.rename, path, path)

    def test_remote(self):
        """A path with a scheme goes to TensorFlow's gfile; ram:// is one that needs no network."""
        path = 'ram://tfprof_test/x'
        gfile.makedirs('ram://tfprof_test')
        gfile.write_whole(path, b'data')
        self.assertTrue(gfile.exists(path))
        with gfile.Open(path, 'rb') as file:
            self.assertEqual(file.read(), b'data')
        self.assertEqual(gfile.listdir('ram://tfprof_test'), ['x'])
        graph = models.BY_NAME['mlp'].build()[0]
        quietly(ours.write_op_log, graph, 'ram://tfprof_test')
        quietly(ours.Profiler, graph)._write_profile('ram://tfprof_test/profile_1')
        self.assertGreater(gfile.stat('ram://tfprof_test/tfprof_log').length, 1000)
        self.assertGreater(gfile.stat('ram://tfprof_test/profile_1').length, 1000)
        gfile.remove(path)
        self.assertFalse(gfile.exists(path))


if __name__ == '__main__':
    unittest.main()

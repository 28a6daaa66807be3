# SPDX-License-Identifier: Apache-2.0
"""Modern programs, compared with TensorFlow's profiler: eager code and tf.function, monitored
sessions, training loops."""

import re
import tempfile
import unittest

import models
import questions
import scripts
import sides
import support
from sides import ours, theirs
from support import Tally, of_ours, of_tensorflow, quietly

import tensorflow as tf2
import tfprof
from tensorflow.python.eager import context
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

tf = models.tf
BROAD = [
    question
    for question in questions.fixed()
    if question.name
    in (
        'default',
        'parameters',
        'float_ops',
        'time_and_memory',
        'every column',
        'order_by micros',
        'step 1',
        'timeline 3',
    )
]


def compare(test, graphs, steps, least):
    """Makes a profiler of each side as a program would; in eager mode graphs is (None, None)."""
    asked, tally = sides.pairs_of(BROAD), Tally()
    sides.note_all(
        tally,
        asked,
        zip(
            *[
                sides.answers(side, graph, None, steps, asked)
                for side, graph in zip((theirs, ours), graphs)
            ]
        ),
    )
    tally.check(test, least)


class Today(unittest.TestCase):
    """TensorFlow 2: eager code and tf.function."""

    @classmethod
    def setUpClass(cls):
        class Net(tf2.Module):
            """A function that calls a function and has a loop and a branch."""

            def __init__(self):
                super().__init__()
                self.kernel = tf2.Variable(
                    tf2.random.stateless_uniform([3, 3, 3, 3], [1, 2]), name='kernel'
                )
                self.dense = tf2.Variable(tf2.ones([3, 5]), name='dense')

            @tf2.function(input_signature=[tf2.TensorSpec([2, 8, 8, 3])])
            def __call__(self, x):
                for _ in tf2.range(2):
                    x = self.block(x)
                x = tf2.cond(tf2.reduce_sum(x) > 0, lambda: tf2.nn.relu(x), lambda: -x)
                return tf2.matmul(
                    tf2.reduce_mean(x, [1, 2], name='pooled'), self.dense, name='scores'
                )

            @tf2.function
            def block(self, x):
                return tf2.nn.conv2d(x, self.kernel, 1, 'SAME', name='conv')

        cls.net, cls.x = Net(), tf2.ones([2, 8, 8, 3])

    def context_metadata(self, run):
        context.enable_run_metadata()
        try:
            run()
            return context.export_run_metadata()
        finally:
            context.disable_run_metadata()

    def frozen(self):
        function = convert_variables_to_constants_v2(self.net.__call__.get_concrete_function())
        return function, function.graph

    def test_graph_of_a_function(self):
        """The usual question of TensorFlow 2: float operations and parameters of a function's
        graph."""
        tally = Tally()
        graphs = [self.net.__call__.get_concrete_function().graph, self.frozen()[1]]
        for graph in graphs:
            for view, question in sides.pairs_of(BROAD):
                pair = [
                    hear(
                        lambda out: side.profile(
                            graph, cmd=view, options=question.make(side.ProfileOptionBuilder, out)
                        )
                    )
                    for side, hear in ((theirs, of_tensorflow), (ours, of_ours))
                ]
                tally.note(
                    '%s, %s' % (view, question.name),
                    support.difference(view, question.make(theirs.ProfileOptionBuilder, ''), *pair),
                )
        tally.check(self, 60)

    def test_float_operations(self):
        """A product of 3x4 and 4x5 matrices: two operations for each element of the product and
        each term of its sum."""
        times = tf2.function(tf2.matmul).get_concrete_function(
            tf2.TensorSpec([3, 4]), tf2.TensorSpec([4, 5])
        )
        found = quietly(
            ours.profile, times.graph, options=ours.ProfileOptionBuilder.float_operation()
        )
        self.assertEqual(found.total_float_ops, 2 * 3 * 4 * 5)

    def test_graph_of_a_function_by_steps(self):
        """The frozen function runs in a session with full tracing."""
        function, frozen = self.frozen()
        graphs, steps = [], []
        for _ in range(3):
            graphs.append(tf.Graph())
            with graphs[-1].as_default():
                tf.import_graph_def(frozen.as_graph_def(), name='')
        with tf.Session(graph=graphs[0]) as session:
            for i in (1, 3):
                meta = tf.RunMetadata()
                session.run(
                    function.outputs[0].name,
                    {function.inputs[0].name: self.x.numpy()},
                    tf.RunOptions(trace_level=models.FULL_TRACE),
                    meta,
                )
                steps.append((i, meta))
        compare(self, graphs[1:], steps, 30)

    def test_context(self):
        """What the context records of a function's run: the graph that ran, but in newer versions
        of TensorFlow no times. Without a graph argument the one-shot call still returns a result,
        like TensorFlow's."""

        @tf2.function
        def fresh(x):
            return self.net(x) + 1.0

        meta = self.context_metadata(lambda: fresh(self.x))
        self.assertGreater(len(meta.partition_graphs) + len(meta.function_graphs), 0)
        tally, options = Tally(), theirs.ProfileOptionBuilder.time_and_memory()
        for view in ('scope', 'graph'):
            pair = [
                hear(lambda out: side.profile(None, meta, cmd=view, options=options))
                for side, hear in ((theirs, of_tensorflow), (ours, of_ours))
            ]
            tally.note(view, support.difference(view, options, *pair))
        pair = [
            hear(lambda out: side.advise(None, meta))
            for side, hear in ((theirs, of_tensorflow), (ours, of_ours))
        ]
        tally.note('advise', support.difference('advise', {}, *pair))
        tally.check(self, 3)

    def test_context_by_steps(self):
        """TensorFlow aborts the process on empty run metadata; ours reports an error."""
        profiler = ours.Profiler()
        with self.assertRaisesRegex(tfprof.Error, 'no run metadata for step 1'):
            profiler.add_step(1, tf.RunMetadata())
        answer = of_ours(
            lambda out: profiler.profile_name_scope(ours.ProfileOptionBuilder.time_and_memory())
        )
        self.assertIn(b'_TFProfRoot', answer.text)

    def test_graphs_of_the_context(self):
        """The graphs that ran can be profiled like others."""

        @tf2.function
        def fresh(x):  # the context records only functions that have not run before
            return tf2.reduce_sum(tf2.matmul(x, x))

        meta = self.context_metadata(lambda: fresh(tf2.ones([6, 6])))
        graph = tf.Graph()
        with graph.as_default():
            tf.import_graph_def(meta.function_graphs[0].pre_optimization_graph, name='')
        both = [
            hear(
                lambda out: side.profile(
                    graph,
                    cmd='op',
                    options=theirs.ProfileOptionBuilder()
                    .select(['occurrence', 'float_ops'])
                    .build(),
                )
            )
            for side, hear in ((theirs, of_tensorflow), (ours, of_ours))
        ]
        self.assertIsNone(support.difference('op', {}, *both))
        self.assertIn(b'MatMul', both[1].text)

    def test_eager_ops(self):
        """Eager ops are not recorded in the context's run metadata; to profile it is not an
        error."""
        meta = self.context_metadata(
            lambda: tf2.tanh(tf2.matmul(self.net.dense, self.net.dense, transpose_b=True))
        )
        both = [
            hear(lambda out: side.profile(None, meta))
            for side, hear in ((theirs, of_tensorflow), (ours, of_ours))
        ]
        self.assertIsNone(support.difference('scope', {}, *both))


class Keras(unittest.TestCase):
    def test_float_operations(self):
        """A modern user script (it needs eager mode, so it is not in the list of the others)."""
        want, got = scripts.run_both('keras_flops.py')
        self.assertIsNone(support.rules.compare_text(want.text, got.text))
        found = int(re.search(rb'FLOPs: (\d+)', got.text)[1])
        # Each output of the convolution is a sum of 27 terms, each of the dense layer of 512.
        self.assertGreaterEqual(found, 2 * 16 * 16 * 8 * 27 + 2 * 512 * 10)


class Tracing(tf.train.SessionRunHook):
    """A hook like those of users: it requests a trace at times and passes it to a profiler."""

    def __init__(self, profiler_of_graph, every):
        self.profiler_of_graph, self.every, self.count, self.metas = profiler_of_graph, every, 0, []

    def after_create_session(self, session, coord):
        self.profiler = self.profiler_of_graph(session.graph)

    def before_run(self, run_context):
        self.asked = self.count % self.every == 0
        options = tf.RunOptions(trace_level=models.FULL_TRACE) if self.asked else None
        return tf.train.SessionRunArgs(None, options=options)

    def after_run(self, run_context, run_values):
        if self.asked:
            self.profiler.add_step(self.count, run_values.run_metadata)
            self.metas.append((self.count, run_values.run_metadata))
        self.count += 1


class Sessions(unittest.TestCase):
    def test_monitored_session(self):
        """Our profiler gets each step while the session runs; TensorFlow's gets the same steps
        afterwards."""
        model = models.BY_NAME['convnet']
        graph, other = model.build(2)
        with graph.as_default():
            hook = Tracing(ours.Profiler, 2)
            with tf.train.MonitoredTrainingSession(hooks=[hook], config=model.config()) as session:
                for _ in range(6):
                    session.run(graph.feeds.fetches[0])
        self.assertEqual([number for number, _ in hook.metas], [0, 2, 4])
        asked, tally = sides.pairs_of(BROAD), Tally()
        # The session added nodes to its graph (savers, summaries), so TensorFlow's profiler gets
        # that graph too.
        want = sides.answers(theirs, graph, None, hook.metas, asked)
        sides.note_all(tally, asked, zip(want, sides.hear_all(ours, hook.profiler, asked)))
        tally.check(self, 30)
        self.assertGreater(len(graph.get_operations()), len(other.get_operations()))

    def test_estimator_like_loop(self):
        """train(), then evaluate() in a separate graph, each with a checkpoint and a profiler; both
        profilers exist at the same time."""

        def model_fn(training):
            feeds = models.convnet()
            return feeds.fetches[0 if training else 2]

        kept, config = [], models.BY_NAME['convnet'].config()
        with tempfile.TemporaryDirectory() as folder:
            for training in (True, False):
                graph = tf.Graph()
                with graph.as_default():
                    fetch = model_fn(training)
                    hook = Tracing(ours.Profiler, 1)
                    with tf.train.MonitoredTrainingSession(
                        checkpoint_dir=folder,
                        hooks=[hook],
                        config=config,
                        save_checkpoint_secs=1000,
                    ) as session:
                        for _ in range(3):
                            session.run(fetch)
                kept.append((graph, hook))
        asked = sides.pairs_of(BROAD)
        for graph, hook in kept:
            tally = Tally()
            want = sides.answers(theirs, graph, None, hook.metas, asked)
            sides.note_all(tally, asked, zip(want, sides.hear_all(ours, hook.profiler, asked)))
            tally.check(self, 30)
        train, evaluation = (
            quietly(hook.profiler.profile_operations, theirs.ProfileOptionBuilder.time_and_memory())
            for _, hook in kept
        )
        self.assertNotEqual(train, evaluation)

    def test_partition_graphs(self):
        """RunMetadata with the graphs that ran, which have nodes that the program's graph does not
        have."""
        model = models.BY_NAME['convnet']
        graph = model.build()[0]
        options = tf.RunOptions(trace_level=models.FULL_TRACE, output_partition_graphs=True)
        steps = []
        with graph.as_default(), tf.Session(graph=graph, config=model.config()) as session:
            session.run(tf.global_variables_initializer())
            for i in (1, 3):
                meta = tf.RunMetadata()
                session.run(graph.feeds.fetches[0], options=options, run_metadata=meta)
                self.assertGreater(len(meta.partition_graphs), 0)
                steps.append((i, meta))
        compare(self, model.build(2), steps, 30)

    def test_software_trace(self):
        """SOFTWARE_TRACE and no trace at all: there are fewer numbers, or none."""
        model = models.BY_NAME['mlp']
        for level in (tf.RunOptions.SOFTWARE_TRACE, tf.RunOptions.NO_TRACE):
            graph = model.build()[0]
            with graph.as_default(), tf.Session(graph=graph) as session:
                session.run(tf.global_variables_initializer())
                fed = {graph.get_tensor_by_name(k + ':0'): v for k, v in graph.feeds.fed.items()}
                meta = tf.RunMetadata()
                session.run(graph.feeds.fetches[0], fed, tf.RunOptions(trace_level=level), meta)
            if meta.ByteSize():
                compare(self, model.build(2), [(1, meta)], 30)

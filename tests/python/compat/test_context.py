# SPDX-License-Identifier: Apache-2.0
"""ProfileContext of tfprof.compat.v1: the steps that it traces and writes, and the sessions that it changes in the
meantime."""
import os
import tempfile
import threading
import unittest

from models import tf
from sides import ours, theirs
from support import spoken
from tensorflow.python.client import session as session_module

import tfprof
from tfprof.compat.v1 import model_analyzer

import numpy  # noqa: E402

QUIET = dict(ours.ProfileOptionBuilder.time_and_memory(), output='none')


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
        """A session whose run 0 is the initializer, followed by `count` runs; returns its stderr and the last
        result."""
        def work():
            with context, self.session() as session:
                session.run(self.init)
                for _ in range(count):
                    result = session.run(self.out if fetches is None else fetches, self.fed)
            return result
        return spoken(work)

    def traced(self, context):
        """The steps that the context's profiler has."""
        return tfprof.open(context.profiler.serialize_to_string()).steps

    def test_steps_that_are_asked_for(self):
        for steps in (range(2, 12, 3), [2, 5, 8, 11], {2, 5, 8, 11}, (2, 5, 8, 11)):
            context = ours.ProfileContext(self.folder, trace_steps=steps, dump_steps=set())
            self.run_all(context, 12)
            self.assertEqual(self.traced(context), [2, 5, 8, 11])
        self.assertEqual(os.listdir(self.folder), [])

    def test_auto(self):
        """New fetches after ten runs; profile_100 is written at run 100."""
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
        """An exception in a run: that run does not count. An exception in the context: the context
        ends as usual."""
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
        """Every run counts once; runs in parallel to a traced one are not changed."""
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

# SPDX-License-Identifier: Apache-2.0
"""Scripts like those of tfprof's users (examples/), with TensorFlow's import lines and with ours,
give the same output. What TensorFlow no longer has (ProfileContext, TF 1.0's contrib) runs with
ours alone and has its own checks."""

import glob
import os
import re
import tempfile
import unittest

import scripts
import sides
import support
from scripts import run_both
from support import rules
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.python.client import session as tf_session
from tensorflow.python.profiler import model_analyzer as their_analyzer
from tensorflow.python.util import _pywrap_tfprof as their_binding

import tfprof
from tfprof.compat.v1 import pywrap


def parted(text):
    """The output before the first checker's advice, and the lines after it, whose order depends on
    a hash table in TensorFlow."""
    parts = re.split(rb'(?m)^(?=\n\w+Checker:\n)', text, maxsplit=1)
    return parts[0], sorted(b''.join(parts[1:]).split(b'\n'))


class Both(unittest.TestCase):
    maxDiff = 3000

    def same(self, name, timelines=(), pprofs=(), messages=()):
        """Runs it twice and compares text and files; -> what ours did."""
        want, got = run_both(name)
        (said, advice), (ours, our_advice) = map(parted, (want.text, got.text))
        self.assertIsNone(rules.compare_text(said, ours), name)
        self.assertEqual(advice, our_advice)
        self.assertEqual(sorted(want.files), sorted(got.files))
        for path in want.files:
            with self.subTest(path):
                if path in timelines:
                    self.assertIsNone(rules.compare_timeline(want.files[path], got.files[path]))
                elif path in pprofs:
                    self.assertIsNone(rules.compare_pprof(want.files[path], got.files[path]))
                elif path not in messages:
                    self.assertIsNone(rules.compare_text(want.files[path], got.files[path]))
        self.wanted = want
        return got

    def test_parameters(self):
        got = self.same('parameters.py', messages=['tfprof_log'])
        total = 5 * 5 * 8 + 14 * 14 * 8 * 10 + 10
        self.assertIn(b'total_params: %d\n' % total, got.text)
        self.assertIn(b'Conv2D: %d\n' % (2 * 64 * 14 * 14 * 8 * 25), got.text)
        logs = [
            tfprof_log_pb2.OpLogProto.FromString(ran.files['tfprof_log'])
            for ran in (self.wanted, got)
        ]
        self.assertEqual(logs[0], logs[1])

    def test_time_and_memory(self):
        got = self.same('time_and_memory.py', timelines=['timeline_0'], pprofs=['code.pb.gz'])
        self.assertEqual(sorted(got.files), ['code.pb.gz', 'timeline_0'])
        self.assertIn(b"layers: ['layer_", got.text)

    def test_multi_step(self):
        got = self.same('multi_step.py', messages=['serialized'])
        self.assertIn(b'kernels: %d\n' % (3 * 3 * 3 * 6 + 2 * 3 * 3 * 6), got.text)
        for ran in (self.wanted, got):
            profile = tfprof.open(profile=ran.files['serialized'])
            self.assertEqual(profile.steps, [1, 2, 3])

    def test_mnist(self):
        got = self.same('mnist.py', timelines=['timeline.json_49'])
        self.assertIn(b'learnt: True\n', got.text)
        self.assertIn(b'layer1/weights', got.text)
        self.assertEqual(list(got.files), ['timeline.json_49'])

    def test_every_script_is_tried(self):
        tried = {
            'parameters.py',
            'time_and_memory.py',
            'multi_step.py',
            'keras_flops.py',
            'mnist.py',
            'mnist_context.py',
            'notebook.py',
            'tutorial_1_0.py',
        }
        self.assertEqual(
            tried, {os.path.basename(p) for p in glob.glob(os.path.join(scripts.EXAMPLES, '*.py'))}
        )


class Context(unittest.TestCase):
    """mnist_context.py: the files that ProfileContext must write."""

    @classmethod
    def setUpClass(cls):
        cls.before = (tf_session.BaseSession.run, tf_session.BaseSession.__init__)
        cls.ran = scripts.run('mnist_context.py', True, scripts.Tape())

    def opened(self, path):
        return tfprof.open(profile=self.ran.files[path])

    def test_said(self):
        self.assertIn(b'op views of steps [15, 18, 20]\n', self.ran.text)
        self.assertIn(b'parameters: 7850\n', self.ran.text)
        self.assertIn(b'traced by hand: True\noff: True\n', self.ran.text)

    def test_files(self):
        found = set(self.ran.files)
        self.assertEqual(found, {'op', 'dumps/profile_20', 'auto/profile_100', 'hand/profile_4'})

    def test_steps_of_the_dump(self):
        # The session's first run is step 0. Steps that are profiled are traced too.
        self.assertEqual(self.opened('dumps/profile_20').steps, [10, 13, 15, 16, 18, 19, 20])
        self.assertEqual(self.opened('hand/profile_4').steps, [4])

    def test_steps_of_its_own_choice(self):
        """The first ten steps are not traced; new fetches are traced at once, and others at times,
        as long as few nodes are known."""
        steps = self.opened('auto/profile_100').steps
        self.assertEqual(steps[0], 11)
        self.assertTrue(all(11 <= step <= 100 for step in steps), steps)

    def test_read_by_tensorflow(self):
        """TensorFlow reads each dump and shows the same as ours."""
        tally = support.Tally()
        for name, data in self.ran.files.items():
            if 'profile_' not in name:
                continue
            with tempfile.NamedTemporaryFile() as file:
                file.write(data)
                file.flush()
                for view in support.METHODS:
                    options = their_analyzer._build_options(
                        sides.theirs.ProfileOptionBuilder.time_and_memory(min_micros=0, min_bytes=0)
                    ).SerializeToString()
                    pair = []
                    for binding, hear in (
                        (their_binding, support.of_tensorflow),
                        (pywrap, support.of_ours),
                    ):
                        binding.ProfilerFromFile(file.name)
                        pair.append(hear(lambda out: binding.Profile(view.encode(), options)))
                        binding.DeleteProfiler()
                    tally.note('%s %s' % (name, view), support.difference(view, {}, *pair))
        tally.check(self, 12)

    def test_last_automatic_view(self):
        """The view's file of step 20 equals what the dump of that step shows."""
        shown = self.ran.files['op'].decode()
        fresh = self.opened('dumps/profile_20').op(
            select=['micros', 'bytes'],
            order_by='micros',
            min_micros=1,
            min_bytes=1,
            max_depth=10000,
            account_displayed_op_only=True,
        )
        self.assertEqual(shown, str(fresh))
        self.assertIn('MatMul', shown)

    def test_sessions_are_as_before(self):
        self.assertEqual(self.before, (tf_session.BaseSession.run, tf_session.BaseSession.__init__))


class Old(unittest.TestCase):
    """tutorial_1_0.py, which uses the names of TensorFlow 1.0."""

    def test_runs(self):
        ran = scripts.run('tutorial_1_0.py', True, scripts.Tape())
        self.assertIn(b'total_params: 64\n', ran.text)
        self.assertIn(b'took time: True\n', ran.text)
        self.assertIn(
            b'\n=========================Options=============================\n', ran.text
        )
        self.assertIn(b'-device_regexes', ran.text)
        self.assertIn(b'dense/weights (16x4, 64/64 params)', ran.text)
        self.assertIn(b'(1.02k/1.02k flops)', ran.text)  # a product of 8x16 and 16x4
        log = tfprof_log_pb2.OpLogProto.FromString(ran.files['tfprof_log'])
        types = {entry.name: list(entry.types) for entry in log.log_entries}
        self.assertEqual(types['dense/weights'], ['_trainable_variables'])

# SPDX-License-Identifier: Apache-2.0
"""The notebook of a tf_cnn_benchmarks user (examples/notebook.py) on a real profile of ten steps:
with TensorFlow's imports, with ours, and compared with the three lines of our own API that replace
it."""

import csv
import io
import os
import tempfile
import unittest

import models
import scripts
import support
from support import quietly, rules

import tfprof
import tfprof.compat.v1

tf, STEPS = models.tf, 10
COLUMNS = ['micros', 'bytes', 'peak_bytes', 'output_bytes']
SHOWN, HIDDEN = ['conv_[01].*', 'loss'], ['.*Initializer.*']
# The notebook skips 15 lines; since it was written, the explanations above the rows became two
# lines shorter.
NOTEBOOK_HEADER, HEADER = 15, 13
TOTALS = ['total_requested_bytes', 'total_peak_bytes', 'total_output_bytes', 'total_exec_micros']


def record(path):
    """Ten traced steps of a small conv net, dumped the way tf_cnn_benchmarks did it, in one
    profile_N."""
    model = models.BY_NAME['convnet']
    graph = model.build()[0]
    with graph.as_default(), tf.Session(graph=graph, config=model.config()) as session:
        profiler = tfprof.compat.v1.Profiler(graph)
        session.run(tf.global_variables_initializer())
        for step in range(STEPS):
            meta = tf.RunMetadata()
            session.run(
                graph.feeds.fetches[0],
                options=tf.RunOptions(trace_level=models.FULL_TRACE),
                run_metadata=meta,
            )
            profiler.add_step(step, meta)
    quietly(profiler._write_profile, path)


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'profile_9')
            record(path)
            cls.profile = support.read(path)
            cls.theirs, cls.ours = scripts.run_both('notebook.py', path, '{FOLDER}/out')

    def test_same_files(self):
        names = ['out.%d' % step for step in range(STEPS)]
        self.assertEqual(sorted(self.ours.files), sorted(names + ['out.csv']))
        self.assertEqual(sorted(self.theirs.files), sorted(self.ours.files))
        for name in names:
            want, got = self.theirs.files[name], self.ours.files[name]
            self.assertIsNone(rules.compare_text(want, got), name)
            start = want.index(b'Profile:\n')
            self.assertEqual(want[start:], got[got.index(b'Profile:\n') :])
            self.assertGreater(len(want[start:].split(b'\n')), 20)

    def test_same_result(self):
        self.assertEqual(self.theirs.text, self.ours.text)
        self.assertEqual(self.theirs.files['out.csv'], self.ours.files['out.csv'])
        self.assertRegex(self.ours.text, rb'^[1-9]\d* operations, [1-9]\d* us a step\n$')

    def test_the_header_is_two_lines_shorter(self):
        """In TensorFlow 2.21 and in ours the rows below the root begin at line 13 (from 0), so a
        cut at 15 lines loses the first two of them."""
        for ran in (self.theirs, self.ours):
            for step in range(STEPS):
                lines = ran.files['out.%d' % step].decode().split('\n')
                self.assertEqual(lines[HEADER - 3], 'Profile:')
                self.assertTrue(lines[HEADER - 1].startswith('_TFProfRoot ('))
                self.assertTrue(
                    lines[HEADER].startswith('  ') and lines[HEADER + 1].startswith('  ')
                )
        self.assertEqual(NOTEBOOK_HEADER - HEADER, 2)

    def native(self, step):
        return tfprof.open(profile=self.profile).scope(
            step=step,
            max_depth=20,
            show_name_regexes=SHOWN,
            hide_name_regexes=HIDDEN,
            select=COLUMNS,
        )

    def test_numbers_of_the_native_api(self):
        """The notebook's numbers are rounded forms of those in to_dict()."""
        rows = {
            row['operation']: row
            for row in csv.DictReader(io.StringIO(self.ours.files['out.csv'].decode()))
        }
        sums, lost = {}, set()
        for step in range(STEPS):
            for i, row in enumerate(walk(self.native(step).to_dict()['root'])):
                if i in (1, 2):  # the two rows below the root that are lost as part of the notebook's header
                    lost.add(row['name'])
                elif i and row['accounted']:
                    sums.setdefault(row['name'], []).append(row)
        self.assertEqual(sorted(rows), sorted(sums))
        self.assertGreater(len(rows), 10)
        for name, runs in sums.items():
            self.assertEqual(int(rows[name]['runs']), len(runs), name)
            for column, field in (
                ('requested bytes', 'requested_bytes'),
                ('peak bytes', 'peak_bytes'),
                ('output bytes', 'output_bytes'),
                ('total us', 'exec_micros'),
                ('cpu us', 'cpu_exec_micros'),
            ):
                mean = sum(run[field] for run in runs) / len(runs)
                # the text has two decimals: an error of at most 0.5%, if the number is just over
                # one unit
                self.assertAlmostEqual(
                    float(rows[name][column]), mean, delta=mean * 0.005 + 0.001, msg=(name, column)
                )
        self.assertGreater(len(lost), 0)

    def test_three_lines_of_ours(self):
        """The notebook's result without files and parsing, and without lost rows."""
        import pandas

        profile = tfprof.open(profile=self.profile)
        frames = pandas.concat(
            profile.scope(
                step=n,
                select=COLUMNS,
                show_name_regexes=SHOWN,
                hide_name_regexes=HIDDEN,
                max_depth=20,
            ).to_pandas()
            for n in profile.steps
        )
        means = frames[frames.accounted].groupby('name')[COLUMNS].mean()
        rows = {
            row['operation']: row
            for row in csv.DictReader(io.StringIO(self.ours.files['out.csv'].decode()))
        }
        self.assertLessEqual(set(rows), set(means.index))
        for name, row in rows.items():
            if int(row['runs']) == STEPS:
                self.assertAlmostEqual(
                    float(row['total us']),
                    means.micros[name],
                    delta=means.micros[name] * 0.005 + 0.001,
                )

    def test_mean_over_all_steps(self):
        """Step -1 is the mean of them all, as integers."""
        whole = tfprof.open(profile=self.profile).scope(select=COLUMNS, max_depth=20)
        each = [
            tfprof.open(profile=self.profile).scope(step=n, select=COLUMNS, max_depth=20)
            for n in range(STEPS)
        ]
        for field in TOTALS:
            total = sum(report.to_dict()['root'][field] for report in each) / STEPS
            count = len(whole)
            self.assertAlmostEqual(
                whole.to_dict()['root'][field], total, delta=count
            )  # each node is rounded down
            self.assertGreater(total, 0)


def walk(row):
    """Parents before children."""
    waiting = [row]
    while waiting:
        row = waiting.pop()
        yield row
        waiting.extend(reversed(row['children']))

# SPDX-License-Identifier: Apache-2.0
"""Report.plot: what is drawn is what the report says. Pictures are looked at as matplotlib holds them: boxes and lines."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

from support import sample

import tfprof

if importlib.util.find_spec('matplotlib'):
    os.environ['MPLBACKEND'] = 'agg'


@unittest.skipUnless(importlib.util.find_spec('matplotlib'), 'needs matplotlib')
class Pictures(unittest.TestCase):
    def setUp(self):
        from matplotlib import pyplot

        self.addCleanup(pyplot.close, 'all')
        self.profile = tfprof.open(sample('dense/profile_3'))

    def drawn(self, ax):
        """Checks that the plot can be painted and is not an empty page."""
        with tempfile.NamedTemporaryFile(suffix='.png') as file:
            ax.figure.savefig(file.name)
            self.assertGreater(os.path.getsize(file.name), 3000)
        return ax

    def test_bars(self):
        report = self.profile.op(select=['micros', 'params'], max_depth=100)
        ax = self.drawn(report.plot(top=5))
        cells = sorted((row.micros, row.name) for row in report[1:] if row.micros)[::-1]
        self.assertEqual([bar.get_width() for bar in ax.patches], [number for number, _ in cells[:5]])
        self.assertEqual(ax.get_yticklabels()[0].get_text(), cells[0][1])
        self.assertEqual(ax.get_xlabel(), 'micros (us)')
        other = report.plot('bars', column='params')
        self.assertEqual(max(bar.get_width() for bar in other.patches), max(report.column('params')[1:]))

    def test_bars_of_a_table(self):
        stats = self.profile.stats(select=['micros'], order_by='micros')
        ax = self.drawn(stats.plot(top=3))
        means = sorted(stats.column('micros_mean'))[::-1]
        self.assertEqual([bar.get_width() for bar in ax.patches], means[:3])

    def test_flame(self):
        report = self.profile.scope(select=['micros'], max_depth=100)
        ax = self.drawn(report.plot())
        boxes = [(bar.get_y() + bar.get_height() / 2, bar.get_x(), bar.get_width()) for bar in ax.patches]
        self.assertAlmostEqual(boxes[0][2], report.root.total_micros)
        self.assertGreater(len(boxes), 4)
        for depth, left, width in boxes[1:]:  # each box lies within a box of the level above
            self.assertTrue(any(abs(above - (depth - 1)) < 1e-6 and at <= left + 1e-6 and left + width <= at + wide + 1e-6
                                for above, at, wide in boxes), (depth, left, width))

    def test_timeline(self):
        spans = self.profile.records('spans', 3)
        ax = self.drawn(self.profile.scope().plot('timeline', step=3))
        boxes = [path.get_extents() for collection in ax.collections for path in collection.get_paths()]
        self.assertEqual(len(boxes), len(spans))
        ends = [a + b for a, b in zip(spans.column('start_us'), spans.column('duration_us'))]
        self.assertAlmostEqual(max(box.x1 for box in boxes), max(ends) - min(spans.column('start_us')), delta=1)

    def test_memory(self):
        held = self.profile.records('memory', 0)
        ax = self.drawn(self.profile.op().plot('memory', step=0))
        self.assertEqual(max(max(line.get_ydata()) for line in ax.lines), max(held.column('held_bytes')))
        self.assertEqual(ax.get_ylim()[0], 0)

    def test_into_axes_of_ones_own(self):
        from matplotlib import pyplot

        figure, (left, right) = pyplot.subplots(1, 2)
        self.assertIs(self.profile.op(select=['micros']).plot(ax=left), left)
        self.assertFalse(right.patches)

    def test_mistakes_are_told(self):
        report = self.profile.op(select=['micros'])
        for wrong, words in ((dict(kind='pie'), 'pie'), (dict(column='device'), 'device'), (dict(column='x'), "'x'")):
            with self.assertRaisesRegex(tfprof.UsageError, words):
                report.plot(**wrong)
        with self.assertRaisesRegex(tfprof.UsageError, 'trees'):
            self.profile.stats().plot('flame')
        with self.assertRaises(tfprof.NotFoundError):
            tfprof.open(sample('dense/graph.pb')).scope().plot('timeline')


class Without(unittest.TestCase):
    def test_what_is_missing_is_named(self):
        done = subprocess.run([sys.executable, '-c', 'import sys; sys.modules["matplotlib"] = None\n'
                               'import tfprof\ntfprof.open(%r).op(select=["micros"]).plot()' % sample('dense/profile_3')],
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertIn('pip install matplotlib', done.stderr)

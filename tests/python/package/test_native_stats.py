# SPDX-License-Identifier: Apache-2.0
"""Statistics over steps: the values in stats agree with the reports of the steps."""
import contextlib
import csv
import io
import os
import statistics
import subprocess
import tempfile
import unittest
import warnings

import tfprof

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SAMPLE = os.path.join(ROOT, 'tests', 'data', 'sample')
PROGRAM = os.path.join(ROOT, 'build', 'tfprof')
DENSE = os.path.join(SAMPLE, 'dense', 'profile_3.gz')


class Stats(unittest.TestCase):
    def setUp(self):
        self.profile = tfprof.open(DENSE)

    def whole_names(self, report):
        return [name + '/' + op if op else name
                for name, op in zip(report.column('name'), report.column('op'))]

    def test_are_of_the_totals_of_every_step(self):
        asked = dict(max_depth=100, select=['bytes', 'micros'])
        stats = self.profile.stats(**asked)
        steps = [self.profile.scope(step=step, **asked) for step in self.profile.steps]
        self.assertEqual(len(steps), 4)
        self.assertEqual(self.whole_names(stats), [row.name for row in steps[0]][1:])
        for row, name in zip(stats, self.whole_names(stats)):
            for column in ('bytes', 'micros'):
                values = [step[name]['total_' + column] for step in steps]
                mean = statistics.fmean(values)
                self.assertAlmostEqual(row[column + '_mean'], mean)
                cv = 100 * statistics.pstdev(values) / mean if mean else 0
                self.assertAlmostEqual(row[column + '_cv'], cv)
                self.assertEqual(row[column + '_min'], min(values))
                self.assertEqual(row[column + '_max'], max(values))
                self.assertAlmostEqual(row[column + '_median'], statistics.median(values))

    def test_are_the_command_lines(self):
        for asked in (
            {},
            {'view': 'op', 'order_by': 'micros', 'select': 'micros,bytes'},
            {'view': 'code', 'max_depth': 3},
            {'show_name_regexes': ['softmax/.*'], 'rewrite': ['s/softmax/a,b/', 's/i/<&>/g']},
        ):
            words = []
            for name, value in asked.items():
                for one in value if isinstance(value, list) else [value]:
                    words += ['-' + name, str(one)]
            for form in ('text', 'csv', 'json', 'md'):
                done = subprocess.run([PROGRAM, 'stats', DENSE, *words, '-format', form],
                                      stdout=subprocess.PIPE, check=True)
                self.assertEqual(self.profile.stats(**asked).to_bytes(form), done.stdout)

    def test_is_a_table(self):
        stats = self.profile.stats(select='micros', show_name_regexes='softmax/.*', max_depth=3)
        self.assertTrue(stats.is_table)
        self.assertFalse(self.profile.scope().is_table)
        self.assertEqual(len(stats), 3)
        parts = ['mean', 'cv', 'min', 'median', 'p95', 'max']
        self.assertEqual(stats.columns, ['name', 'op', *('micros_' + part for part in parts)])
        self.assertIsInstance(stats[0].micros_mean, float)
        self.assertEqual(stats[1].op, 'logits')
        self.assertIn('micros_max=169.0', repr(stats[1]))
        self.assertIn('stats', repr(stats))
        self.assertIn('\nname ', str(stats))
        made = stats.to_dict()
        self.assertEqual(made['schema'], 'tfprof.table')
        self.assertEqual([row['op'] for row in made['rows']], ['biases', 'logits', 'weights'])
        rows = list(csv.DictReader(io.StringIO(stats.to_bytes('csv').decode(), newline='')))
        self.assertEqual([float(row['micros_p95']) for row in rows], stats.column('micros_p95'))
        self.assertIn('<td', stats._repr_html_())
        with self.assertRaises(tfprof.UsageError):
            stats.to_bytes('proto')
        with self.assertRaises(AttributeError):
            stats[0].total_micros

    def test_goes_where_it_is_told_to(self):
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            stats = self.profile.stats(output='stdout')
        self.assertEqual(told.getvalue(), str(stats))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'stats.csv')
            stats = self.profile.stats(output='file:outfile=' + path, format='csv')
            with open(path, 'rb') as f:
                self.assertEqual(f.read(), stats.to_bytes('csv'))

    def test_notes(self):
        of_means = self.profile.stats().notes
        self.assertTrue(all(note.startswith('means are over') for note in of_means), of_means)
        self.assertEqual(len(self.profile.stats(step=3, select='micros,device').notes), 2 + len(of_means))

    def test_what_cannot_be_is_an_error(self):
        for wrong, asked in (
            (tfprof.UsageError, {'rewrite': 's/a'}),
            (tfprof.UsageError, {'rewrite': ['s/(/b/']}),
            (tfprof.UsageError, {'select': 'device'}),
            (tfprof.UsageError, {'view': 'advise'}),
            (tfprof.UsageError, {'compat': '1.0'}),
            (tfprof.UsageError, {'output': 'timeline:outfile=x'}),
            (tfprof.UsageError, {'view': 'nope'}),
        ):
            with self.subTest(asked=asked), self.assertRaises(wrong):
                self.profile.stats(**asked)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            graph = tfprof.open(graph=os.path.join(SAMPLE, 'dense', 'graph.pb'))
        with self.assertRaises(tfprof.NotFoundError):
            graph.stats()

    def test_the_keywords_for_type_checkers_are_the_option_tables(self):
        own = list(tfprof.StatsOptions.__annotations__)
        views = tfprof.names('options')
        self.assertEqual([name for name in own if name not in views], ['view', 'rewrite'])
        self.assertLessEqual({'view', 'rewrite'}, set(tfprof.names('command_options')))

    def test_readers_of_arrow(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest('no pyarrow')
        stats = self.profile.stats()
        table = pyarrow.table(stats)
        self.assertEqual(table.column_names, stats.columns)
        self.assertEqual(table['micros_mean'].to_pylist(), stats.column('micros_mean'))
        self.assertEqual(table['op'].to_pylist(), stats.column('op'))
        self.assertEqual(table.schema.field('micros_mean').metadata, {b'unit': b'us'})

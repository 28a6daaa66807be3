# SPDX-License-Identifier: Apache-2.0
"""Profiles and reports behave like Python objects: with blocks, pickles, sequences, dicts, errors about files, odd
paths."""
import gc
import io
import os
import pickle
import shutil
import tempfile
import unittest
import weakref

from support import sample

import tfprof
from tfprof._columns import Columns


def opened():
    return tfprof.open(sample('dense/profile_3'))


class Sequences(unittest.TestCase):
    def setUp(self):
        self.report = opened().scope(select=['micros', 'params'], max_depth=3)

    def test_a_slice_is_a_list_of_rows(self):
        rows = list(self.report)
        for part in (slice(1, 4), slice(None), slice(-3, None), slice(None, None, -2), slice(5, 2)):
            self.assertEqual(self.report[part], rows[part])

    def test_index_count_and_reversed(self):
        rows = list(self.report)
        self.assertEqual(list(reversed(self.report)), rows[::-1])
        for i, row in enumerate(rows):
            self.assertEqual((self.report.index(row), self.report.count(row)), (i, 1))
            self.assertEqual(self.report.index(row.name), i)
        self.assertEqual(self.report.count(rows[2].name), 1)
        self.assertEqual(self.report.count('none'), 0)
        for wrong in ('none', opened().scope()[0]):
            with self.assertRaises(ValueError):
                self.report.index(wrong)
        with self.assertRaises(ValueError):
            self.report.index(rows[1], 2)
        with self.assertRaises(TypeError):
            self.report[1.5]

    def test_a_row_is_a_dict_of_the_selected_columns(self):
        for row in self.report:
            self.assertEqual(list(row.keys()), self.report.columns)
            self.assertEqual(row.to_dict(), {name: row[name] for name in self.report.columns})
            self.assertEqual(dict(row), row.to_dict())
            self.assertEqual(list(row.items()), list(zip(row.keys(), row.values())))
        self.assertEqual(row.get('no such column', 7), 7)
        self.assertEqual(row.get('micros'), row.micros)

    def test_columns_are_in_dir_and_in_the_stub(self):
        """Every column that can be selected is listed, with the library's type."""
        report = opened().scope(select=tfprof.names('columns'))
        types = {'i': 'int', 'r': 'float', 's': 'str', 'b': 'bool'}
        told = {name: str(kind) for name, kind in Columns.__annotations__.items()}
        left = ('name', 'row', 'parent', 'depth')
        for name, kind in report._native.columns():
            if name not in left:
                self.assertIn(types[kind], told[name], name)
                self.assertIn(name, dir(report[0]))
        self.assertEqual(set(told) - {n for n, _ in report._native.columns()}, {'accounted'})
        table = opened().query('SELECT 1 AS "a b", 2 AS plain')
        self.assertIn('plain', dir(table[0]))
        self.assertNotIn('a b', dir(table[0]))

    def test_pandas_takes_a_report_as_the_table(self):
        try:
            import pandas
        except ImportError:
            self.skipTest('needs pandas')
        for report in (self.report, opened().stats(), opened().op(order_by='micros')):
            frame = pandas.DataFrame(report)
            self.assertEqual(list(frame.columns), report.columns)
            self.assertEqual(len(frame), len(report))
            for name in report.columns:
                cells = [None if cell != cell else cell for cell in frame[name]]
                self.assertEqual(cells, report.column(name), name)


class Life(unittest.TestCase):
    def test_a_with_block_closes(self):
        with opened() as p:
            report = p.scope()
            row = report[0]
            self.assertFalse(p.closed)
        self.assertTrue(p.closed)
        self.assertEqual(repr(p), '<tfprof.Profile: closed>')
        p.close()
        for ask in (lambda: p.steps, p.scope, p.stats, lambda: p.query('SELECT 1'), p.to_bytes, lambda: str(report),
                    lambda: row.micros, lambda: report.column('name'), lambda: tfprof.diff(p, p),
                    lambda: p.records('spans')):
            with self.assertRaisesRegex(tfprof.UsageError, 'closed'):
                ask()

    def test_a_profile_closes_though_its_report_stays(self):
        p = opened()
        report = p.scope()
        p.close()
        kept = weakref.ref(p)
        del p
        del report
        gc.collect()
        self.assertIsNone(kept())

    def test_what_raises_in_the_block_comes_out(self):
        with self.assertRaises(ZeroDivisionError):
            with opened() as p:
                1 / 0
        self.assertTrue(p.closed)

    def test_pickles_by_path(self):
        p = tfprof.open(graph=sample('dense/graph.pb'), run_meta={3: sample('dense/run_meta_3')})
        again = pickle.loads(pickle.dumps(p))
        self.assertEqual((again.steps, again.node_names), ([3], p.node_names))
        self.assertEqual(str(again.scope()), str(p.scope()))

    def test_paths_in_a_pickle_do_not_hang_on_the_folder(self):
        folder, name = os.path.split(sample('dense/profile_3'))
        before = os.getcwd()
        os.chdir(folder)
        try:
            data = pickle.dumps(tfprof.open(name))
        finally:
            os.chdir(before)
        self.assertEqual(pickle.loads(data).steps, opened().steps)

    def test_bytes_do_not_pickle(self):
        with self.assertRaisesRegex(TypeError, 'not opened from files'):
            pickle.dumps(tfprof.open(opened().to_bytes()))


class Errors(unittest.TestCase):
    def test_a_missing_input_is_a_missing_file(self):
        path = os.path.join(tempfile.gettempdir(), 'nothing', 'here')
        asks = (lambda: tfprof.open(path), lambda: tfprof.open(profile=path), lambda: tfprof.open(checkpoint=path),
                lambda: tfprof.recognise(path), lambda: tfprof.diff(opened(), path), lambda: tfprof.flops(path),
                lambda: tfprof.open(path, path))
        for ask in asks:
            with self.assertRaises(FileNotFoundError) as caught:
                ask()
            error = caught.exception
            self.assertIsInstance(error, tfprof.InputError)
            self.assertEqual((error.errno, error.filename, error.exit_status), (2, path, 1))
            self.assertTrue(str(error).startswith(path + ': '), error)
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again), again.errno, again.filename),
                             (type(error), str(error), 2, path))

    def test_an_output_says_what_the_system_said(self):
        path = os.path.join(tempfile.gettempdir(), 'nothing', 'here')
        p = opened()
        for ask in (lambda: p.write(path), lambda: p.scope().write('csv', path), lambda: p.scope(dump_to_file=path),
                    lambda: p.scope(proto_out=path)):
            with self.assertRaises(tfprof.OutputError) as caught:
                ask()
            self.assertEqual((caught.exception.errno, caught.exception.filename), (2, path))

    def test_what_the_system_says_nothing_about_has_no_errno(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b'\xff' * 100)
            file.flush()
            with self.assertRaises(tfprof.InputError) as caught:
                tfprof.open(file.name)
        self.assertNotIsInstance(caught.exception, FileNotFoundError)
        self.assertEqual((caught.exception.errno, caught.exception.filename), (None, file.name))

    def test_wrong_values_name_option_and_value(self):
        p = opened()
        wrong = {'max_depth': ('x', 1.5, object(), {}, b'x'), 'select': ('mircos', [None], ['micros', 3.5], 7),
                 'order_by': ('x', 'a\0b'), 'account_type_regexes': ('(', ['(']), 'viz': ('perhaps',),
                 'assume_shape': ({'x': (1, 2.5)}, {'x': 3})}
        for name, values in wrong.items():
            for value in values:
                with self.subTest(name=name, value=value):
                    with self.assertRaises(tfprof.UsageError) as caught:
                        p.scope(**{name: value})
                    text = str(caught.exception)
                    self.assertIn(name, text)
                    inner = value[0] if isinstance(value, list) else value
                    inner = list(inner.values())[0] if isinstance(inner, dict) and inner else inner
                    said = inner.decode() if isinstance(inner, bytes) else str(inner)
                    self.assertTrue(said in text or repr(inner) in text, text)
        with self.assertRaisesRegex(TypeError, "run_meta: step 'a'"):
            tfprof.open(run_meta={'a': b'x'})
        with self.assertRaisesRegex(TypeError, 'graph: 7 is neither'):
            tfprof.open(graph=7)

    def test_none_leaves_an_option_as_it_is(self):
        p = opened()
        every = {name: None for name in tfprof.names('options')}
        self.assertEqual(str(p.scope(**every)), str(p.scope()))
        self.assertEqual(str(p.stats(view=None, rewrite=None)), str(p.stats()))
        same = tfprof.diff((p, 0), (p, 3), **{name: None for name in tfprof.DiffOptions.__annotations__})
        self.assertEqual(str(same), str(tfprof.diff((p, 0), (p, 3))))


class Paths(unittest.TestCase):
    """Names that are not UTF-8, as str, bytes and path objects."""

    def setUp(self):
        self.folder = tempfile.mkdtemp().encode()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, b'p\xff\xfe')
        shutil.copy(sample('dense/profile_3'), self.path)
        self.profile = tfprof.open(os.fsdecode(self.path))

    def forms(self, name):
        """The name in every type that Python has for paths."""
        path = os.path.join(self.folder, name)
        text = os.fsdecode(path)
        class Object:
            def __init__(self, given):
                self.given = given
            def __fspath__(self):
                return self.given
        return [text, Object(text), Object(path)], path

    def test_are_read(self):
        for form in self.forms(b'p\xff\xfe')[0]:
            self.assertEqual(tfprof.open(form).steps, self.profile.steps)
            self.assertEqual(tfprof.recognise(form), 'profile')
            self.assertEqual(tfprof.flops(form).total, self.profile.flops().to_dict()['summary']['total_float_ops'])
            self.assertGreater(len(tfprof.diff((form, 0), (self.profile, 3))), 0)
            self.assertEqual(len(tfprof.query('SELECT 1', form)), 1)
        self.assertEqual(pickle.loads(pickle.dumps(self.profile)).steps, self.profile.steps)

    def test_are_written(self):
        report = self.profile.scope()
        forms, path = self.forms(b'out\xff')
        for form in forms + [path]:
            for write in (self.profile.write, lambda to: report.write('csv', to),
                          lambda to: self.profile.scope(dump_to_file=to)):
                if os.path.exists(path):
                    os.remove(path)
                write(form)
                self.assertTrue(os.path.getsize(path))

    def test_printed_views_are_sides(self):
        path = os.path.join(self.folder, b's\xff')
        for step, name in enumerate((path, path + b'2')):
            self.profile.scope(select=['micros'], step=step * 3, dump_to_file=name)
        self.assertGreater(len(tfprof.diff(os.fsdecode(path), os.fsdecode(path + b'2'))), 0)

    def test_a_missing_one_is_told(self):
        name = os.fsdecode(os.path.join(self.folder, b'n\xff'))
        with self.assertRaises(FileNotFoundError) as caught:
            tfprof.open(name)
        self.assertEqual(caught.exception.filename, name)
        self.assertIn('n\\xff', str(caught.exception))


class Parameters(unittest.TestCase):
    def setUp(self):
        self.profile = opened()

    def value(self, sql, parameters):
        return self.profile.query(sql, parameters)[0]['x']

    def test_values_come_back(self):
        for value in (0, -5, 2 ** 63 - 1, -2 ** 63, 1.5, -0.25, 'a', "'; --", 'x' * 1000, '', 'é', 'a\0b', True):
            got = self.value('SELECT ? AS x', [value])
            self.assertEqual(got, value.replace('\0', '\\x00') if isinstance(value, str) else value)
        self.assertIsNone(self.value('SELECT ? AS x', (None,)))
        self.assertEqual(self.value('SELECT typeof(?) AS x', [b'a'.decode()]), 'text')

    def test_by_place_and_by_name(self):
        self.assertEqual(self.value('SELECT ?2 || ?1 AS x', ['a', 'b']), 'ba')
        self.assertEqual(self.value('SELECT :a + @b * $c AS x', {'a': 1, 'b': 2, 'c': 3}), 7)
        self.assertEqual(self.value('SELECT :a AS x', {':a': 1}), 1)
        names = self.profile.query('SELECT name FROM nodes WHERE op = :op', {'op': 'MatMul'}).column('name')
        self.assertEqual(names, self.profile.query("SELECT name FROM nodes WHERE op = 'MatMul'").column('name'))
        self.assertTrue(names)
        self.assertEqual(tfprof.query('SELECT ? AS x', self.profile, parameters=[3])[0].x, 3)

    def test_too_few_and_too_many(self):
        for sql, given, words in (('SELECT ?', [], 'no value for parameter 1 of 1'),
                                  ('SELECT :us', {}, 'no value for the parameter :us'),
                                  ('SELECT 1', [5], 'but there is no such parameter'),
                                  ('SELECT ?', [1, 2], 'a value for 2'),
                                  ('SELECT :a', {'a': 1, 'b': 2}, 'a value for b'),
                                  ('SELECT ?', 'abc', "parameters 'abc'"),
                                  ('SELECT ?', [[1]], r'parameter 1: value \[1\]'),
                                  ('SELECT ?', [2 ** 64], 'more than 64 bits')):
            with self.subTest(sql), self.assertRaisesRegex(tfprof.UsageError, words):
                self.profile.query(sql, given)

    def test_tables_are_listed(self):
        listed = tfprof.tables()
        names = list(dict.fromkeys(listed.column('table_name')))
        for name in names:
            found = self.profile.query('SELECT * FROM "%s" LIMIT 1' % name).columns
            self.assertEqual(tfprof.tables(name).column('name'), found)
        self.assertIn('executions', names)
        with self.assertRaisesRegex(tfprof.NotFoundError, 'no table nods.*nodes'):
            tfprof.tables('nods')

    def test_records(self):
        spans = self.profile.records('spans', 3)
        self.assertEqual(set(spans.column('step')), {3})
        self.assertEqual(len(self.profile.records('steps')), len(self.profile.steps))
        with self.assertRaises(tfprof.NotFoundError):
            self.profile.records('spans', 99)


class Terminal(unittest.TestCase):
    """What IPython shows in a terminal; the printer is a stand-in that has the one method
    needed."""

    class Printer(io.StringIO):
        text = io.StringIO.write

    def shown(self, thing):
        printer = self.Printer()
        thing._repr_pretty_(printer, False)
        return printer.getvalue().split('\n')

    def test_a_report_is_a_table(self):
        report = opened().scope(select=['micros'], max_depth=2)
        lines = self.shown(report)
        self.assertEqual(lines[0], repr(report))
        self.assertEqual(lines[1].split(), ['name', 'micros', 'total_micros'])
        self.assertEqual(len(lines), 2 + len(report))
        self.assertEqual(len({len(line) for line in lines[1:]}), 1)  # numbers are aligned to the right
        long = opened().query('SELECT name FROM nodes')
        self.assertIn('%d more rows' % (len(long) - 40), self.shown(long)[-1])

    def test_a_row_is_a_line_a_column(self):
        row = opened().scope(select=['micros', 'device'])['hidden']
        lines = self.shown(row)
        self.assertEqual([line.split()[0] for line in lines[1:]], ['name', 'micros', 'total_micros'])

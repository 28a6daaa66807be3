# SPDX-License-Identifier: Apache-2.0
"""The native API gives the same text as the command line for the same files and options, and every other form of a
report has the same numbers. Only the package is needed; test_frames.py checks pandas and similar tools."""
import csv
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import tfprof
from tfprof import _native

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SAMPLE = os.path.join(ROOT, 'tests', 'data', 'sample')
PROGRAM = os.path.join(ROOT, 'build', 'tfprof')
VIEWS = ('scope', 'graph', 'op', 'code')

MODELS = {
    'profile': dict(profile='dense/profile_3.gz'),
    'graph and runs': dict(graph='dense/graph_shapes.pbtxt.gz', run_meta=['dense/run_meta_0', 'dense/run_meta_3'],
                           op_log='dense/tfprof_log.gz'),
    'checkpoint': dict(graph='dense/graph.pb', checkpoint='dense/ckpt_v2/model.ckpt'),
    'accelerator': dict(profile='gpu/profile_1.gz'),
    'loops': dict(graph='seq2seq/graph_shapes.pb.gz', run_meta='seq2seq/run_meta_0.gz', op_log='seq2seq/tfprof_log.gz'),
}

ASKED = (
    {},
    dict(select=['params', 'float_ops', 'bytes'], max_depth=3, order_by='params'),
    dict(select='micros,occurrence,device,op_types', order_by='micros', min_micros=2, step=-1),
    dict(select=['peak_bytes', 'residual_bytes', 'output_bytes', 'input_shapes'], max_depth=100),
    dict(account_type_regexes=['MatMul', '.*cpu:0'], account_displayed_op_only=True),
    dict(show_name_regexes=['.*[a-z]{2}.*'], hide_name_regexes=['save.*'], trim_name_regexes=['gradients.*']),
    dict(start_name_regexes=['.*e.*'], max_depth=4, min_params=1, select=['params']),
    dict(compat='1.0', select=['params', 'micros'], max_depth=5),
)


def path(name):
    return os.path.join(SAMPLE, *name.split('/'))


def sources(model):
    """The keyword arguments of open."""
    def full(given):
        return [path(one) for one in given] if isinstance(given, list) else path(given)
    found = {format: full(given) for format, given in model.items()}
    if 'checkpoint' in found and not os.path.exists(found['checkpoint'] + '.index'):
        folder = os.path.dirname(found['checkpoint'])
        index = next(f for f in sorted(os.listdir(folder)) if f.endswith('.index'))
        found['checkpoint'] = os.path.join(folder, index[:-len('.index')])
    return found


def opened(model):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return tfprof.open(**sources(model))


def flags(model):
    return ['--%s_path=%s' % (format, ','.join(given) if isinstance(given, list) else given)
            for format, given in sources(model).items()]


def words(asked):
    def text(value):
        if isinstance(value, bool):
            return str(value).lower()
        return ','.join(value) if isinstance(value, list) else str(value)
    return [word for name, value in asked.items() for word in ('-' + name, text(value))]


def command_line(*arguments):
    """Runs the program; returns its output, its exit status, and its first line on stderr."""
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout.decode(), done.returncode, done.stderr.decode().splitlines()


class Text(unittest.TestCase):
    def test_is_the_command_lines(self):
        for name, model in MODELS.items():
            profile = opened(model)
            for view in VIEWS:
                for asked in ASKED:
                    with self.subTest(model=name, view=view, asked=asked):
                        text, status, _ = command_line(view, *flags(model), *words(asked))
                        try:
                            ours, kind = str(profile.view(view, **asked)), 0
                        except tfprof.Error as wrong:
                            ours, kind = '', wrong.exit_status
                        self.assertEqual(kind, status)
                        self.assertEqual(ours, text)

    def test_advise_finds_what_the_command_line_finds(self):
        for name, model in MODELS.items():
            with self.subTest(model=name):
                text, _, _ = command_line('advise', *flags(model), '-output', 'stdout')
                report = str(opened(model).advise())
                self.assertTrue(report and text.endswith(report), (text, report))

    def test_goes_to_stdout_when_asked_to(self):
        profile, told = opened(MODELS['profile']), io.StringIO()
        import contextlib
        with contextlib.redirect_stdout(told):
            report = profile.op(output='stdout', max_depth=2)
        self.assertEqual(told.getvalue(), str(report))

    def test_goes_into_files_as_on_the_command_line(self):
        profile = opened(MODELS['profile'])
        for asked in (dict(output='file:outfile=%s'), dict(dump_to_file='%s'),
                      dict(output='timeline:outfile=%s', step=0)):
            with self.subTest(asked=asked), tempfile.TemporaryDirectory() as ours, \
                    tempfile.TemporaryDirectory() as theirs:
                def at(folder):
                    return {name: value % os.path.join(folder, 'out') if isinstance(value, str) else value
                            for name, value in asked.items()}
                import contextlib
                with contextlib.redirect_stdout(io.StringIO()):
                    profile.scope(**at(ours))
                command_line('scope', *flags(MODELS['profile']), *words(at(theirs)))
                self.assertEqual(os.listdir(ours), os.listdir(theirs))
                for name in os.listdir(ours):
                    with open(os.path.join(ours, name), 'rb') as a, open(os.path.join(theirs, name), 'rb') as b:
                        self.assertEqual(a.read(), b.read())


class Forms(unittest.TestCase):
    def setUp(self):
        self.profile = opened(MODELS['profile'])

    def test_json_and_dict_are_one(self):
        for view in VIEWS + ('advise',):
            report = self.profile.view(view, select=['params', 'micros', 'occurrence'])
            self.assertEqual(report.to_dict(), json.loads(report.to_bytes('json')))

    def test_json_is_the_command_lines(self):
        text, _, _ = command_line('scope', *flags(MODELS['profile']), '-format', 'json')
        self.assertEqual(self.profile.scope().to_dict(), json.loads(text))

    def test_a_tree_deeper_than_python_nests_becomes_a_dict(self):
        name = 'a'
        nodes = bytearray()
        for _ in range(3000):
            node = b'\x0a' + _varint(len(name)) + name.encode() + b'\x12\x04NoOp'
            nodes += b'\x0a' + _varint(len(node)) + node
            name += '/a'
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            report = tfprof.open(graph=bytes(nodes)).scope(max_depth=100000, account_type_regexes='.*')
        row, depth = report.to_dict()['root'], 0
        while row['children']:
            row, depth = row['children'][0], depth + 1
        self.assertEqual(depth, 3000)

    def test_rows_hold_every_column_whatever_was_selected(self):
        report = self.profile.scope(select=['params'])
        by_name = {}
        def walk(row):
            by_name[row['name']] = row
            for below in row['children']:
                walk(below)
        walk(report.to_dict()['root'])
        self.assertEqual(len(by_name), len(report))
        for row in report:
            told = by_name[row.name]
            for column, field in (('micros', 'exec_micros'), ('params', 'parameters'), ('bytes', 'requested_bytes'),
                                  ('peak_bytes', 'peak_bytes'), ('float_ops', 'float_ops')):
                self.assertEqual(row[column], told[field])
                self.assertEqual(getattr(row, 'total_' + column), told['total_' + field])
            self.assertEqual(row.accounted, told['accounted'])
            self.assertEqual(row.device, '|'.join(told['devices']))
            self.assertEqual([below.name for below in row], [below['name'] for below in told['children']])

    def test_csv_and_columns_are_one(self):
        for view in VIEWS:
            report = self.profile.view(view, select=['micros', 'params', 'device', 'occurrence', 'input_shapes'])
            header, *lines = csv.reader(io.StringIO(report.to_bytes('csv').decode()))
            self.assertEqual(report.columns, header)
            for i, column in enumerate(header):
                cells = ['' if cell is None else str(cell) for cell in report.column(column)]
                self.assertEqual(cells, [line[i] for line in lines])

    def test_rows_are_found_by_number_and_name(self):
        report = self.profile.scope()
        self.assertEqual(report[0], report.root)
        self.assertEqual(report[-1].index, len(report) - 1)
        self.assertIsNone(report.root.parent)
        for row in report:
            self.assertEqual(report[row.name].name, row.name)
            if row.index:
                self.assertIn(row, row.parent.children)
        self.assertNotIn('no such node', report)
        for wrong, error in (('no such node', KeyError), (len(report), IndexError), (-len(report) - 1, IndexError)):
            with self.assertRaises(error):
                report[wrong]
        with self.assertRaises(KeyError):
            report[0]['no such column']
        with self.assertRaises(AttributeError):
            report[0].no_such_column

    def test_names_are_safe_in_html(self):
        name = b'<script>alert(1)</script>\x1b[31m'
        node = b'\x0a' + _varint(len(name)) + name + b'\x12\x04NoOp'
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            html = tfprof.open(graph=b'\x0a' + _varint(len(node)) + node).scope()._repr_html_()
        self.assertIn('&lt;script&gt;', html)
        self.assertNotIn('<script', html)
        self.assertNotIn('\x1b', html)

    def test_timeline_and_pprof_go_to_the_path_given(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, pprof = os.path.join(folder, 't.json'), os.path.join(folder, 'p.gz')
            self.profile.graph(step=0).timeline(trace)
            self.profile.code().pprof(pprof)
            with open(trace) as f:
                self.assertTrue(json.load(f)['traceEvents'])
            with gzip.open(pprof) as f:
                self.assertTrue(f.read())
            self.assertEqual(sorted(os.listdir(folder)), ['p.gz', 't.json'])
            with self.assertRaises(tfprof.UsageError):
                self.profile.op().timeline(trace + '2')
            with self.assertRaises(tfprof.OutputError):
                self.profile.code().pprof(os.path.join(folder, 'none', 'p.gz'))

    def test_a_profile_is_written_and_read_again(self):
        for name in ('profile', 'graph and runs', 'loops'):
            profile = opened(MODELS[name])
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, 'profile_0')
                profile.write(file)
                with open(file, 'rb') as f:
                    self.assertEqual(f.read(), profile.to_bytes())
                again = tfprof.open(file)
            self.assertEqual(again.steps, profile.steps)
            self.assertEqual(str(again.op(order_by='micros')), str(profile.op(order_by='micros')))


    def test_a_profile_is_saved_and_opened_again(self):
        for profile in (opened(MODELS['loops']), tfprof.open(os.path.join(SAMPLE, 'traces', 'kineto.json'))):
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, 'saved.tfprof')
                profile.save(file)
                again = tfprof.open(file)
                with self.assertRaises(tfprof.UsageError):
                    tfprof.open(file, file)
                with self.assertRaises(tfprof.OutputError):
                    profile.save(os.path.join(folder, 'none', 'saved.tfprof'))
            self.assertEqual(str(again.op(order_by='micros')), str(profile.op(order_by='micros')))


class Tables(unittest.TestCase):
    def test_the_keywords_for_type_checkers_are_the_option_table(self):
        self.assertEqual(list(tfprof.ViewOptions.__annotations__), tfprof.names('options'))

    def test_reading_a_table_interns_nothing(self):
        """Interning would grow Python's table of strings, in a process with TensorFlow by 4 MiB at a
        time, although the strings are freed."""
        for name in ('checkers', 'ops', 'views'):
            for row in _native.table(name):
                same = (row + ' ')[:-1]  # an equal string that is another object
                self.assertIsNot(sys.intern(same), row, name)

    def test_every_view_is_a_method_with_the_options_in_its_help(self):
        for view in tfprof.names('views'):
            text = getattr(tfprof.Profile, {'steps': 'step_table'}.get(view, view)).__doc__
            for option in tfprof.names('options'):
                self.assertIn(option, text)

    def test_help(self):
        self.assertIn('columns: ', tfprof.help('micros'))
        self.assertIn('options: ', tfprof.help('max_depth'))
        self.assertRaises(KeyError, tfprof.help, 'nonsense')
        self.assertIn('micros', tfprof.help('columns'))
        self.assertTrue(tfprof.help('options', 'max_depth'))
        with self.assertRaises(KeyError):
            tfprof.help('options', 'max_dept')
        with self.assertRaises(KeyError):
            tfprof.names('nothing')


def _varint(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])

# SPDX-License-Identifier: Apache-2.0
"""tfprof.compat.v1, contrib and gfile as replacements of TensorFlow's modules: names, options, contrib's text, files. Op
logs are compared in test_oplogs.py, ProfileContext in test_context.py, the views in test_compare*.py."""
import contextlib
import inspect
import io
import os
import random
import subprocess
import sys
import tempfile
import unittest

import models
import support
from models import tf
from sides import ours, theirs
from support import quietly
from tensorflow.python.profiler import model_analyzer as their_analyzer
from tensorflow.python.profiler import tfprof_logger as their_logger

import tfprof
from tfprof import contrib, gfile
from tfprof.compat.v1 import model_analyzer, tfprof_logger

PROFILE = support.sample('dense/profile_3')


def python(code):
    """Runs code in a new interpreter in which TensorFlow and protobuf cannot be imported."""
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
        """Each public function has TensorFlow's parameters, in the same order and with the same
        defaults."""
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
        # TensorFlow fails here, although its message has a field for it.
        made = model_analyzer._build_advisor_options({'JobChecker': {'key': 'value'}})
        self.assertEqual(dict(made.checkers['JobChecker'].options), {'key': 'value'})


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
        """inputs: how many ops a row reads from; total_inputs: plus one for each op below it."""
        everything = dict(self.analyzer.PRINT_ALL_TIMING_MEMORY, min_bytes=0, min_micros=0)
        for only in (False, True):
            node, _ = self.hear(self.meta, cmd='graph', options=dict(everything, account_displayed_op_only=only))
            rows = list(node._walk())
            self.assertEqual(len(rows), len(self.graph.get_operations()) + 1)
            for row in rows[1:]:
                op = self.graph.get_operation_by_name(row.name)
                sources = {t.op.name for t in op.inputs} | {c.name for c in op.control_inputs}
                self.assertEqual(row.inputs, len(sources))
            # each op is below exactly one other op or below the root
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
        """A tree that is deeper than Python's stack."""
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
    """Like TensorFlow's gfile for local paths, in both spellings."""

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
        """A path with a scheme is passed to TensorFlow's gfile; ram:// needs no network."""
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

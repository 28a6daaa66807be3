# SPDX-License-Identifier: Apache-2.0
"""One-shot calls of tfprof.compat.v1, advice and the binding, compared with TensorFlow's."""

import unittest

import models
import questions
import sides
import support
from sides import ours, theirs
from support import Tally, of_ours, of_tensorflow, quietly
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.core.profiler import tfprof_options_pb2
from tensorflow.python.framework import errors
from tensorflow.python.profiler import model_analyzer as their_analyzer
from tensorflow.python.profiler import tfprof_logger as their_logger
from tensorflow.python.util import _pywrap_tfprof as their_binding

import tfprof
from tfprof.compat.v1 import model_analyzer, pywrap

VIEWS = questions.VIEWS


class OneShot(unittest.TestCase):
    """profile() and advise()."""

    def both(self, graphs, call):
        """call(side, graph, OUT) -> a pair of Answers."""
        return [
            hear(lambda out: call(side, graph, out))
            for (side, hear), graph in zip(((theirs, of_tensorflow), (ours, of_ours)), graphs)
        ]

    def test_profile(self):
        tally = Tally()
        for model in map(models.BY_NAME.get, ('mlp', 'convnet', 'loop_nodes', 'shared')):
            graphs, metas = model.build(2), [None, model.record()[1][1]]
            for view, question in sides.pairs_of(questions.broad()):
                for meta in metas if question.name == 'default' else metas[1:]:
                    pair = self.both(
                        graphs,
                        lambda side, graph, out: side.profile(
                            graph,
                            run_meta=meta,
                            op_log=model.op_log(),
                            cmd=view,
                            options=question.make(side.ProfileOptionBuilder, out),
                        ),
                    )
                    options = question.make(theirs.ProfileOptionBuilder, '')
                    tally.note(
                        '%s: %s, %s' % (model.name, view, question.name),
                        support.difference(view, options, *pair),
                    )
        tally.check(self, 100)

    def test_defaults(self):
        """Without options: trainable variables by scope. Without a graph: the default graph."""
        for model in models.MODELS[:3]:

            def call(side, graph, out):
                with graph.as_default():
                    return side.profile()

            want, got = self.both(model.build(2), call)
            self.assertIsNone(support.difference('scope', {}, want, got))
            self.assertGreater(got.value.total_parameters, 0)

    def test_order_of_arguments(self):
        model = models.BY_NAME['mlp']
        meta = model.record()[0][1]
        want, got = self.both(
            model.build(2),
            lambda side, graph, out: side.profile(
                graph, meta, model.op_log(), 'op', side.ProfileOptionBuilder.time_and_memory()
            ),
        )
        self.assertIsNone(support.difference('op', {}, want, got))

    def test_what_is_said_of_unknown_shapes(self):
        want, got = self.both(
            models.BY_NAME['mlp'].build(2), lambda side, graph, out: side.profile(graph)
        )
        said = [line for line in want.errors.splitlines() if 'incomplete shapes' in line]
        self.assertEqual(
            said, [line for line in got.errors.splitlines() if 'incomplete shapes' in line]
        )
        self.assertEqual(len(said), 1)

    def test_unknown_command(self):
        for side in (theirs, ours):
            with self.assertRaisesRegex(errors.InvalidArgumentError, 'unknown cmd: tree'):
                quietly(side.profile, models.BY_NAME['shared'].build()[0], cmd='tree')

    def test_advise(self):
        tally = Tally()
        for model in models.MODELS:
            graphs = model.build(2)
            for meta in (None, model.record()[0][1]):
                for options in ({}, {'options': {'OperationChecker': {}}}, {'options': {}}):
                    pair = self.both(
                        graphs, lambda side, graph, out: side.advise(graph, meta, **options)
                    )
                    tally.note(
                        '%s %s' % (model.name, options), support.difference('advise', {}, *pair)
                    )
                    known = (
                        {'OperationChecker'} if options.get('options') else set(support.CHECKERS)
                    )
                    if options != {'options': {}}:
                        self.assertLessEqual(known, set(pair[1].value.checkers))
        tally.check(self, 40)

    def test_profiler_advise(self):
        tally, checkers = Tally(), dict(their_analyzer.ALL_ADVICE)
        self.assertEqual(checkers, model_analyzer.ALL_ADVICE)
        for model in models.MODELS:
            for options in (checkers, {'ExpensiveOperationChecker': {}}, {}, None):

                def advice(side, graph):
                    profiler = sides.profiler_of(side, graph, model.op_log(), model.record())
                    return (of_tensorflow if side is theirs else of_ours)(
                        lambda out: profiler.advise(options)
                    )

                pair = [advice(side, graph) for side, graph in zip((theirs, ours), model.pair())]
                tally.note('%s %s' % (model.name, options), support.difference('advise', {}, *pair))
        tally.check(self, 32)


class Binding(unittest.TestCase):
    """The functions of pywrap, compared with those of TensorFlow's own module: bytes in and bytes
    out."""

    def setUp(self):
        self.model = models.BY_NAME['convnet']
        graph = self.model.build()[0]
        self.graph = graph.as_graph_def(add_shapes=True).SerializeToString()
        self.log = quietly(their_logger.merge_default_with_oplog, graph).SerializeToString()
        self.metas = [(number, meta.SerializeToString()) for number, meta in self.model.record()]
        self.options = [
            (
                view,
                their_analyzer._build_options(
                    question.make(theirs.ProfileOptionBuilder, '')
                ).SerializeToString(),
            )
            for question in questions.broad()
            for view in VIEWS
        ]

    def session(self, binding, hear):
        found = [hear(lambda out: binding.NewProfiler(self.graph, self.log)).value]
        for number, meta in self.metas:
            found.append(hear(lambda out: binding.AddStep(number, b'', meta, b'')).value)
        shown = [
            hear(lambda out: binding.Profile(view.encode(), options))
            for view, options in self.options
        ]
        binding.DeleteProfiler()
        return found, shown

    def test_session(self):
        (want, shown), (got, ours_shown) = self.session(their_binding, of_tensorflow), self.session(
            pywrap, of_ours
        )
        self.assertEqual(want, got)
        tally = Tally()
        for (view, _), a, b in zip(self.options, shown, ours_shown):
            tally.note(view, support.difference(view, {}, a, b))
        tally.check(self, 20)

    def test_print_model_analysis(self):
        tally = Tally()
        for view, options in self.options:
            for meta in (b'', self.metas[0][1]):
                pair = [
                    hear(
                        lambda out: binding.PrintModelAnalysis(
                            self.graph, meta, self.log, view.encode(), options
                        )
                    )
                    for binding, hear in ((their_binding, of_tensorflow), (pywrap, of_ours))
                ]
                tally.note(view, support.difference(view, {}, *pair))
        tally.check(self, 40)

    def test_a_graph_of_no_nodes(self):
        """The op view then shows its root, but no legend."""
        tally = Tally()
        for view, options in self.options:
            if view == 'code':
                continue  # without code traces: see test_code_without_traces
            pair = [
                hear(lambda out: binding.PrintModelAnalysis(b'', b'', b'', view.encode(), options))
                for binding, hear in ((their_binding, of_tensorflow), (pywrap, of_ours))
            ]
            tally.note(view, support.difference(view, {}, *pair))
        tally.check(self, 15)

    def test_commands_are_text_or_bytes(self):
        pywrap.NewProfiler(self.graph, self.log)
        view, options = self.options[0]
        first, second = [
            of_ours(lambda out: pywrap.Profile(command, options))
            for command in (view, view.encode())
        ]
        self.assertIsNone(support.difference(view, {}, first, second))
        pywrap.DeleteProfiler()

    def test_what_is_refused(self):
        """Both print one line on standard error and return nothing."""
        odd = tfprof_options_pb2.OptionsProto(
            max_depth=3,
            step=-1,
            order_by='name',
            output='stdout',
            account_type_regexes=['.*'],
            start_name_regexes=['.*'],
            show_name_regexes=['.*'],
            select=['micros'],
        )
        missing = tfprof_options_pb2.OptionsProto.FromString(odd.SerializeToString())
        missing.step = 77
        for name, command, options in (
            ('a step that is not there', b'scope', missing),
            ('no view', b'tree', odd),
        ):
            for binding, hear in ((their_binding, of_tensorflow), (pywrap, of_ours)):

                def call(out):
                    binding.NewProfiler(self.graph, self.log)
                    for number, meta in self.metas:
                        binding.AddStep(number, b'', meta, b'')
                    return binding.Profile(command, options.SerializeToString())

                answer = hear(call)
                binding.DeleteProfiler()
                self.assertEqual(answer.value, b'', (name, binding.__name__))
                self.assertNotEqual(answer.errors, '', (name, binding.__name__))

    def test_code_without_traces(self):
        bare = tfprof_log_pb2.OpLogProto().SerializeToString()
        options = dict(self.options)['code']
        answers = []
        for binding, hear in ((their_binding, of_tensorflow), (pywrap, of_ours)):
            binding.NewProfiler(self.graph, bare)
            answers.append(hear(lambda out: binding.Profile(b'code', options)))
            binding.DeleteProfiler()
        self.assertEqual(answers[0].value, answers[1].value)
        self.assertEqual(answers[0].text, answers[1].text)
        self.assertNotEqual(answers[1].errors, '')

    def test_no_profiler(self):
        """TensorFlow aborts the process; ours raises."""
        pywrap.DeleteProfiler()
        for call in (
            lambda: pywrap.Profile('scope', b''),
            lambda: pywrap.AddStep(1, b'', self.metas[0][1], b''),
            lambda: pywrap.SerializeToString(),
            lambda: pywrap.WriteProfile('nowhere'),
        ):
            self.assertRaisesRegex(tfprof.Error, 'NewProfiler', call)
        self.assertIsNone(pywrap.DeleteProfiler())


class Odd(unittest.TestCase):
    """Options that make little sense, and unusual names."""

    def ask(self, model, view, options):
        """`options` is a dict, in which {OUT} is replaced by the path of the output file. -> both
        answers."""

        def asked(side, graph):
            profiler = sides.profiler_of(side, graph, None, model.record())
            hear = of_tensorflow if side is theirs else of_ours
            show = getattr(profiler, support.METHODS[view])
            filled = {'account_type_regexes': ['.*'], 'start_name_regexes': ['.*'], **options}
            filled.setdefault('show_name_regexes', ['.*'])
            return hear(
                lambda out: show(
                    {
                        key: value.replace('{OUT}', out) if isinstance(value, str) else value
                        for key, value in filled.items()
                    }
                )
            )

        return [asked(side, graph) for side, graph in zip((theirs, ours), model.build(2))]

    def test_outputs_that_are_refused(self):
        """Nothing is shown or returned, and a line is printed."""
        for output in ('paper', 'file:', 'file:outfile=', 'none:x=1', 'stdout:x=1', 'timeline'):
            for answer in self.ask(models.BY_NAME['shared'], 'scope', {'output': output}):
                self.assertEqual((answer.text, answer.files), (b'', {}), output)
                self.assertEqual(answer.value.SerializeToString(), b'', output)
                self.assertNotEqual(answer.errors, '', output)

    def test_drawings_that_are_refused(self):
        """These views cannot write such a file: the result is a root without numbers."""
        for view, output in (
            ('op', 'timeline:outfile={OUT}'),
            ('op', 'pprof:outfile={OUT}'),
            ('graph', 'pprof:outfile={OUT}'),
        ):
            options = {'output': output, 'select': ['micros']}
            want, got = self.ask(models.BY_NAME['shared'], view, options)
            self.assertIsNone(support.difference(view, options, want, got))
            self.assertEqual(got.value.name, '_TFProfRoot')
            self.assertEqual(got.files, {})

    def test_values_that_are_unknown(self):
        """An unknown order means order by name, an unknown column is skipped, an invalid filter
        matches nothing. (Only the list of options shows the effective values instead of the given
        ones.)"""
        for options in (
            {'order_by': 'colour', 'select': ['micros']},
            {'select': ['colour', 'micros']},
            {'select': ['micros', 'micros']},
            {'start_name_regexes': ['('], 'select': ['micros']},
            {'show_name_regexes': ['', 'a\nb'], 'select': ['micros']},
            {'hide_name_regexes': ['é.*', '日'], 'select': ['micros']},
            {'max_depth': -1, 'select': ['micros']},
            {'min_micros': -5, 'select': ['micros']},
            {'step': -7, 'select': ['micros']},
        ):
            for view in VIEWS:
                if view == 'code' and 'max_depth' in options:
                    continue  # TensorFlow crashes on it
                want, got = self.ask(models.BY_NAME['shared'], view, options)
                start = want.text.index(b'\nProfile:\n')
                self.assertEqual(want.text[start:], got.text[got.text.index(b'\nProfile:\n') :])
                self.assertIsNone(support.value_difference(view, want.value, got.value), options)

    def test_dump_to_file(self):
        """The option of 1.0: its file wins over -output."""
        options = {'dump_to_file': '{OUT}', 'select': ['params', 'micros']}
        for view in VIEWS:
            want, got = self.ask(models.BY_NAME['shared'], view, options)
            self.assertEqual((want.text, got.text), (b'', b''))
            self.assertIsNone(support.difference(view, options, want, got))
            self.assertGreater(len(got.files['']), 100)

    def test_names_in_other_alphabets(self):
        """Names of files, functions and types; scripts may have any name."""
        code = compile(
            'def größe(tf):\n    return tf.ones([3], name="x") * 2.0', 'модель 日.py', 'exec'
        )
        names = {}
        exec(code, names)
        model = models.Model(
            'alphabets',
            lambda: models.Feeds([names['größe'](models.tf)]),
            types=[('x', 'тип'), ('mul', 'größe,a')],
        )
        asked, tally = sides.pairs_of(questions.broad()), Tally()
        pairs = list(sides.ask_both(model, asked))
        sides.note_all(tally, asked, pairs)
        tally.check(self, 20)
        shown = [got.text.decode() for (view, _), (_, got) in zip(asked, pairs) if view == 'code']
        self.assertTrue(any('модель 日.py:2:größe' in text for text in shown))

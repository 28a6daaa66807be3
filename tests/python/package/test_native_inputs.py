# SPDX-License-Identifier: Apache-2.0
"""The native API's inputs and behaviour: every kind of input, invalid ones, progress, Ctrl-C,
threads."""
import gzip
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import tfprof
from tfprof import _native

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SAMPLE = os.path.join(ROOT, 'tests', 'data', 'sample')
DENSE = os.path.join(SAMPLE, 'dense')
PROFILE = os.path.join(DENSE, 'profile_3.gz')


def contents(name):
    with open(os.path.join(SAMPLE, *name.split('/')), 'rb') as f:
        return f.read()


class Inputs(unittest.TestCase):
    def test_captures_of_graphs(self):
        replay, capture = (os.path.join(SAMPLE, 'graphs', name) for name in ('replay.json', 'capture.json'))
        alone, joined = tfprof.open(replay), tfprof.open(replay, capture=capture)
        self.assertIn('device time attributed: 3.3 % (launch 3.3 %); not: 96.7 % (no capture 96.7 %)', list(alone.op().notes))
        for shown in (str(alone.op()), alone.op()._repr_html_()):
            self.assertIn('note: device time attributed: 3.3 %', shown)
        for view in ('op', 'scope', 'lines', 'kernel'):
            self.assertIn('device time attributed: 100.0 % (launch 3.3 %, unique 93.1 %, partial 3.6 %)', list(getattr(joined, view)().notes))

    def test_paths_and_bytes_are_one(self):
        text = str(tfprof.open(PROFILE).scope())
        packed = contents('dense/profile_3.gz')
        plain = gzip.decompress(packed)
        for source in (pathlib.Path(PROFILE), packed, plain, bytearray(plain), memoryview(plain)):
            self.assertEqual(str(tfprof.open(source).scope()), text)
        self.assertEqual(str(tfprof.open(profile=plain).scope()), text)

    def test_the_order_of_the_files_does_not_matter(self):
        files = [os.path.join(DENSE, name) for name in
                 ('graph_shapes.pbtxt.gz', 'run_meta_0', 'run_meta_3', 'tfprof_log.gz')]
        said = tfprof.open(graph=files[0], run_meta=files[1:3], op_log=files[3])
        self.assertEqual(said.steps, [0, 1])
        for order in (files, [files[3], files[1], files[0], files[2]]):
            self.assertEqual(tfprof.open(*order).to_bytes(), said.to_bytes())
            mixed = [contents('dense/' + os.path.basename(one)) if i % 2 else one for i, one in enumerate(order)]
            self.assertEqual(tfprof.open(*mixed).steps, [0, 1])

    def test_run_meta_may_say_its_steps(self):
        run = os.path.join(DENSE, 'run_meta_0')
        profile = tfprof.open(graph=os.path.join(DENSE, 'graph.pb'), run_meta={300: run, 7: contents('dense/run_meta_3')})
        self.assertEqual(profile.steps, [7, 300])
        alone = tfprof.open(graph=os.path.join(DENSE, 'graph.pb'), run_meta=run)
        asked, times = profile.scope(step=300, max_depth=100), 0
        for row in alone.scope(step=0, max_depth=100):
            self.assertEqual(asked[row.name].micros, row.micros)
            times += row.micros
        self.assertGreater(times, 0)
        self.assertEqual(len(profile.coverage), 2)

    def test_a_saved_model_is_a_folder(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter('always')
            plain = tfprof.open(os.path.join(SAMPLE, 'functions', 'saved_model'))
        self.assertTrue(any(issubclass(w.category, tfprof.ProfileWarning) for w in told))
        self.assertEqual([str(w.message) for w in told], plain.warnings)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            whole = tfprof.open(os.path.join(SAMPLE, 'functions', 'saved_model'), functions=True)
        self.assertGreater(len(whole.node_names), len(plain.node_names))

    def test_a_warning_names_this_files_line(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter('always')
            tfprof.open(os.path.join(SAMPLE, 'functions', 'saved_model'))
        self.assertEqual(told[0].filename, __file__)

    def test_recognise(self):
        self.assertEqual(tfprof.recognise(PROFILE), 'profile')
        self.assertEqual(tfprof.recognise(contents('dense/run_meta_0')), 'run_meta')
        self.assertEqual(tfprof.recognise(contents('dense/graph_shapes.pbtxt.gz')), 'graph')
        with self.assertRaises(tfprof.InputError):
            tfprof.recognise(b'nothing of the kind')


class Wrong(unittest.TestCase):
    def check(self, call, error, *words):
        with self.assertRaises(error) as caught:
            call()
        message = str(caught.exception)
        for word in words:
            self.assertIn(word, message)
        self.assertNotIn('\n', message)
        if isinstance(caught.exception, tfprof.Error):
            self.assertIn(caught.exception.exit_status, (1, 2, 3, 4))

    def test_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            empty, cut = os.path.join(folder, 'empty'), os.path.join(folder, 'cut\x1b[31m')
            open(empty, 'w').close()
            with open(cut, 'wb') as f:
                f.write(gzip.decompress(contents('dense/profile_3.gz'))[:-100])
            for given, words in (((os.path.join(folder, 'none'),), ('none',)), ((empty,), ('empty', empty)),
                                 ((cut,), ('cut\\x1b[31m',)), ((folder,), (folder,)), ((b'junk',), ('<bytes>',)),
                                 ((b'',), ('<bytes>', 'empty'))):
                with self.subTest(given=given):
                    self.check(lambda: tfprof.open(*given), tfprof.InputError, *words)
        self.check(lambda: tfprof.open(graph=contents('dense/run_meta_0')), tfprof.InputError, '<graph>')
        self.check(tfprof.open, tfprof.UsageError, 'no input')
        self.check(lambda: tfprof.open(profile=PROFILE, graph=os.path.join(DENSE, 'graph.pb')), tfprof.UsageError,
                   'exclude each other')
        for thing in (3, None, 2.5, object()):
            self.check(lambda: tfprof.open(thing), TypeError)
        self.check(lambda: tfprof.open('a\0b'), ValueError)
        self.check(lambda: tfprof.open(PROFILE, progress=3), TypeError)
        self.check(lambda: tfprof.open(run_meta={'a': contents('dense/run_meta_0')}), TypeError)
        self.check(lambda: tfprof.open(run_meta={2 ** 70: contents('dense/run_meta_0')}), OverflowError)

    def test_options_have_the_command_lines_messages(self):
        profile = tfprof.open(PROFILE)
        program = os.path.join(ROOT, 'build', 'tfprof')
        for asked in (dict(max_depth='x'), dict(select='nope'), dict(order_by='nope'),
                      dict(show_name_regexes='('), dict(step=77), dict(step=-2), dict(output='nowhere'),
                      dict(compat='2.0'), dict(min_micros=2 ** 70), dict(format='xml'), dict(checkers='nope')):
            (name, value), = asked.items()
            done = subprocess.run([program, 'scope', PROFILE, '-%s' % name, str(value)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
            with self.subTest(asked=asked):
                with self.assertRaises(tfprof.Error) as caught:
                    profile.scope(**asked)
                self.assertEqual(done.stderr.decode().splitlines()[0],
                                 'tfprof: %s' % caught.exception)
                self.assertEqual(caught.exception.exit_status, done.returncode)

    def test_options_of_wrong_types(self):
        profile = tfprof.open(PROFILE)
        self.check(lambda: profile.scope(max_dept=3), tfprof.UsageError, "unknown option 'max_dept'", 'max_depth?')
        self.check(lambda: profile.scope(account_displayed_op_only='perhaps'), tfprof.UsageError, 'not true or false')
        for value in (2.5, object(), b'bytes', 3 + 4j):
            self.check(lambda: profile.scope(select=value), tfprof.UsageError, 'select')
        self.check(lambda: profile.scope(select=['a\0b']), ValueError)
        self.check(lambda: profile.scope(**{'max_depth\0': 3}), ValueError)
        self.check(lambda: profile.scope(select='\udc80'), tfprof.UsageError, 'select', '\\x80')
        self.check(lambda: profile.view('nope'), tfprof.NotFoundError, 'nope')
        self.check(lambda: profile.view('opp'), tfprof.NotFoundError, "'opp'; did you mean op?")
        self.check(lambda: profile.scope(select=['bytes', 'mircos']), tfprof.UsageError, "no column 'mircos'; did you mean micros?")
        self.check(lambda: profile.scope(order_by='micro'), tfprof.UsageError, 'did you mean micros?')
        self.check(lambda: profile.advise(checkers='OperationCheck'), tfprof.UsageError, 'did you mean OperationChecker?')
        self.check(lambda: profile.scope(3), TypeError)
        self.assertEqual(str(profile.scope(max_depth=None)), str(profile.scope()))

    def test_patterns_of_a_list_are_taken_whole(self):
        profile = tfprof.open(PROFILE)
        with_comma = profile.scope(show_name_regexes=['.{6,7}', 'hidden/.*'])
        self.assertEqual(sorted(row.name for row in with_comma if row.index),
                         sorted(row.name for row in profile.scope()
                                if row.index and (6 <= len(row.name) <= 7 or row.name.startswith('hidden/'))))

    def test_reports_and_profiles_in_the_wrong_order(self):
        native = _native.Profile()
        options = _native.Options()
        self.check(lambda: native.report('scope', options), tfprof.UsageError, 'no finished profile')
        self.check(lambda: native.report('scope', None), TypeError)
        self.check(lambda: type(tfprof.open(PROFILE).scope()._native)(), TypeError)
        native.add_file(PROFILE)
        native.finish()
        report = native.report('scope', options)
        native.finish()
        for call in (lambda: report.get(0, 'name'), lambda: report.write('text'), report.columns, report.notes,
                     report.arrow_stream, lambda: report.column('name')):
            self.check(call, tfprof.UsageError, 'grown since')

    def test_more_warnings_than_errors(self):
        with warnings.catch_warnings():
            warnings.simplefilter('error', tfprof.ProfileWarning)
            with self.assertRaises(tfprof.ProfileWarning):
                tfprof.open(os.path.join(SAMPLE, 'functions', 'saved_model'))


class Patience(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.big = os.path.join(cls.folder.name, 'big')
        one = gzip.decompress(contents('dense/profile_3.gz'))
        # field 2000, a string of 1 MB: readers skip unknown fields
        block = b'\x82\x7d' + b'\x80\x80\x40' + b'x' * (1 << 20)
        with open(cls.big, 'wb') as f:
            f.write(one)
            for _ in range(200):
                f.write(block)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_progress_goes_up_to_the_end(self):
        seen = []
        profile = tfprof.open(self.big, progress=lambda done, total: seen.append((done, total)))
        self.assertEqual(profile.steps, tfprof.open(PROFILE).steps)
        size = os.path.getsize(self.big)
        self.assertTrue(seen)
        self.assertEqual(seen[-1], (size, size))
        self.assertEqual(seen, sorted(seen))

    def test_what_progress_raises_ends_the_load(self):
        def stop(done, total):
            raise ZeroDivisionError('enough')
        with self.assertRaisesRegex(ZeroDivisionError, 'enough'):
            tfprof.open(self.big, progress=stop)

    def test_ctrl_c_ends_the_load(self):
        def interrupt(done, total):
            signal.raise_signal(signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt):
            tfprof.open(self.big, progress=interrupt)

    def test_ctrl_c_without_a_callback(self):
        script = ('import os, tfprof, threading, signal, time\n'
                  'threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n'
                  'while True:\n'
                  '    tfprof.open(%r)\n' % self.big)
        done = subprocess.run([sys.executable, '-c', script], stderr=subprocess.PIPE, timeout=60)
        self.assertIn(b'KeyboardInterrupt', done.stderr)

    def test_a_callback_may_not_use_the_profile_it_fills(self):
        native = []
        def use(done, total):
            native[0].steps()
        native.append(_native.Profile(_native.KEEP_MEMORY, use))
        with self.assertRaisesRegex(tfprof.UsageError, 'busy'):
            native[0].add_file(self.big)

    def test_other_threads_run_meanwhile(self):
        counted, stop = [0], threading.Event()
        def count():
            while not stop.is_set():
                counted[0] += 1
                time.sleep(0.0005)
        thread = threading.Thread(target=count)
        thread.start()
        try:
            most = 0
            for _ in range(5):
                before, start = counted[0], time.monotonic()
                tfprof.open(self.big)
                most = max(most, (counted[0] - before) / (time.monotonic() - start))
        finally:
            stop.set()
            thread.join()
        self.assertGreater(most, 100, 'wake-ups a second of another thread during a load')


class Threads(unittest.TestCase):
    def test_one_profile_many_threads(self):
        profile = tfprof.open(PROFILE)
        asked = [(view, column) for view in ('scope', 'graph', 'op', 'code') for column in ('micros', 'params', 'bytes')]
        expected = {one: str(profile.view(one[0], select=one[1])) for one in asked}
        wrong = []
        def look():
            for one in asked * 3:
                report = profile.view(one[0], select=one[1])
                if str(report) != expected[one] or report.to_dict()['view'] != one[0]:
                    wrong.append(one)
        threads = [threading.Thread(target=look) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_steps_come_while_others_look(self):
        """A reader sees one complete state after another, or an error that its report is outdated."""
        native = _native.Profile()
        native.add_file(os.path.join(DENSE, 'graph.pb'))
        native.finish()
        run, wrong, done = contents('dense/run_meta_0'), [], threading.Event()
        def look():
            options = _native.Options()
            while not done.is_set():
                try:
                    report = native.report('op', options)
                    report.write('text')
                    report.column('total_micros')
                except tfprof.UsageError as told:
                    if 'grown' not in str(told) and 'no finished' not in str(told):
                        wrong.append(told)
        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for step in range(100):
            native.add_bytes(run, 'run', 'run_meta', step)
            native.finish()
        done.set()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(native.steps(), list(range(100)))

    def test_queries_of_several_profiles_and_their_steps_do_not_wait_for_each_other(self):
        """Each thread queries both profiles in its own order, one of them twice, while steps wait to be added."""
        run, done, wrong = contents('dense/run_meta_0'), threading.Event(), []
        pair = []
        for _ in range(2):
            native = _native.Profile()
            native.add_file(os.path.join(DENSE, 'graph.pb'))
            native.finish()
            pair.append(native)
        def ask(*order):
            options, asked = _native.Options(), tuple((pair[i], str(n)) for n, i in enumerate(order))
            while not done.is_set():
                try:
                    _native.query('SELECT count(*) FROM nodes', asked, options)
                    _native.diff(pair[0], tuple((None, None, pair[i], -1) for i in order), 'op', options)
                except tfprof.UsageError as told:
                    if 'no finished profile' not in str(told):
                        wrong.append(told)
        threads = [threading.Thread(target=ask, args=order, daemon=True) for order in ((0, 1), (1, 0), (0, 0))]
        for thread in threads:
            thread.start()
        def grow():
            for step in range(60):
                for native in pair:
                    native.add_bytes(run, 'run', 'run_meta', step)
                    native.finish()
        growing = threading.Thread(target=grow, daemon=True)
        growing.start()
        growing.join(60)
        done.set()
        for thread in threads:
            thread.join(20)
        self.assertFalse(any(thread.is_alive() for thread in [growing, *threads]), 'they wait for each other')
        self.assertEqual(wrong, [])

# SPDX-License-Identifier: Apache-2.0
"""Several profilers in parallel threads: each gives the same as alone."""

import contextlib
import io
import json
import os
import tempfile
import threading
import unittest

import models
import questions
import support
from sides import ours, quietly
from support import sample

import tfprof
from tfprof.compat.v1 import model_analyzer, pywrap

THREADS, ROUNDS = 8, 5


def in_threads(count, work):
    """Runs work(i) in this many threads -> the results in order; the first exception is raised
    here."""
    results, faults, together = [None] * count, [], threading.Barrier(count)

    def body(i):
        try:
            together.wait(30)
            results[i] = work(i)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=body, args=(i,), daemon=True) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        if thread.is_alive():
            raise AssertionError('a thread hangs')
    if faults:
        raise faults[0]
    return results


def looked_at(profiler, folder):
    """Every view of a profiler: its result and the file that it writes."""
    found, path = [], os.path.join(folder, 'shown')
    for view, method in support.METHODS.items():
        options = questions.everything(ours.ProfileOptionBuilder).with_file_output(path).build()
        result = getattr(profiler, method)(options)
        found.append((view, result.SerializeToString(deterministic=True), support.read(path)))
    return found


class Own(unittest.TestCase):
    """Each thread has its own profiler."""

    def life(self, model, graph):
        """Makes a profiler and shows all its views; returns the results."""
        with tempfile.TemporaryDirectory() as folder:
            profiler, seen = ours.Profiler(graph, model.op_log()), []
            for step in model.record():
                profiler.add_step(*step)
                seen.append(looked_at(profiler, folder))
            return seen

    def test_different_models(self):
        chosen = [models.MODELS[i % len(models.MODELS)] for i in range(THREADS)]
        for model in chosen:
            model.record()
        with contextlib.redirect_stderr(io.StringIO()):
            alone = [self.life(model, model.build()[0]) for model in chosen]
            graphs = [model.build()[0] for model in chosen]
            together = in_threads(THREADS, lambda i: self.life(chosen[i], graphs[i]))
        for model, want, got in zip(chosen, alone, together):
            # two different lines of this file built the graphs, which the code view shows
            self.assertEqual(without_code(want), without_code(got), model.name)

    def test_one_graph(self):
        """All threads profile the same tf.Graph."""
        model = models.BY_NAME['mlp']
        graph = model.build()[0]
        with contextlib.redirect_stderr(io.StringIO()):
            self.life(model, graph)  # the first profiler fills in the unknown shapes
            want = self.life(model, graph)
            for got in in_threads(THREADS, lambda i: self.life(model, graph)):
                self.assertEqual(want, got)

    def test_one_shot(self):
        model = models.BY_NAME['convnet']
        meta, graphs = model.record()[0][1], model.build(THREADS + 1)
        options = questions.everything(ours.ProfileOptionBuilder).with_empty_output().build()

        def work(i):
            return [
                ours.profile(graphs[i], meta, cmd=view, options=options) for view in questions.VIEWS
            ]

        want = work(THREADS)
        for got in in_threads(THREADS, work):
            self.assertEqual(want, got)

    def test_many_alive(self):
        """Fifty profilers at a time, made and freed in any order, each with its own steps."""
        model = models.BY_NAME['shared']
        graph, options = (
            model.build()[0],
            questions.everything(ours.ProfileOptionBuilder).with_empty_output().build(),
        )
        step = model.record()[0][1]
        alive = [ours.Profiler(graph, model.op_log()) for _ in range(50)]
        for i, profiler in enumerate(alive):
            for number in range(i % 5):
                profiler.add_step(number, step)
        del alive[10:20]
        for i, profiler in list(enumerate(alive))[::-1]:
            count = (i if i < 10 else i + 10) % 5
            steps = sorted(tfprof.open(profile=profiler.serialize_to_string()).steps)
            self.assertEqual(steps, list(range(count)))
            self.assertEqual(profiler.profile_name_scope(options).name, '_TFProfRoot')


def without_code(seen):
    return [[part for part in step if part[0] != 'code'] for step in seen]


class Shared(unittest.TestCase):
    """All threads share one profile."""

    def test_native_views(self):
        profile = tfprof.open(sample('towers/profile_9'))
        asked = [
            (view, {'step': step, 'select': ['micros', 'bytes', 'occurrence'], 'max_depth': depth})
            for view in questions.VIEWS
            for step in (-1, 0, 4)
            for depth in (3, 100)
        ]

        def look(i):
            order = asked[i:] + asked[:i]
            found = {}
            for view, options in order:
                report = profile.view(view, **options)
                found[view, options['step'], options['max_depth']] = (
                    str(report),
                    report.to_bytes('json'),
                )
            return sorted(found.items())

        want = look(0)
        for got in in_threads(THREADS, look):
            self.assertEqual(want, got)

    def test_one_report(self):
        """Rows, texts, frames and Arrow streams of one report, read by all threads."""
        import pyarrow

        report = tfprof.open(sample('dense/profile_3')).scope(
            select=['micros', 'params', 'op_types'], max_depth=100
        )

        def look(i):
            return (
                str(report),
                json.dumps(report.to_dict()),
                pyarrow.table(report).to_pydict(),
                [(row.name, row.micros, row.total_micros) for row in report],
                report._repr_html_(),
            )

        want = look(0)
        for got in in_threads(THREADS, lambda i: [look(i) for _ in range(ROUNDS)]):
            self.assertEqual([want] * ROUNDS, got)

    def test_open_in_threads(self):
        names = ['dense/profile_3', 'towers/profile_9', 'gpu/profile_1', 'odd/profile_5']

        def load(i):
            return [
                tfprof.open(sample(names[(i + k) % 4]))
                .op(select=['micros', 'occurrence'])
                .to_bytes('csv')
                for k in range(4)
            ]

        alone = [load(i) for i in range(4)]
        for i, got in enumerate(in_threads(THREADS, load)):
            self.assertEqual(alone[i % 4], got)

    def test_current_one(self):
        """pywrap's current profiler, of which there is one, used by threads as in programs written
        for TensorFlow."""
        profile = support.read(sample('dense/profile_3'))
        with tempfile.NamedTemporaryFile() as file:
            file.write(profile)
            file.flush()
            pywrap.ProfilerFromFile(file.name)
        options = model_analyzer._build_options(
            questions.everything(ours.ProfileOptionBuilder).with_empty_output().build()
        ).SerializeToString()
        want = pywrap.Profile('scope', options)
        self.assertGreater(len(want), 1000)
        for got in in_threads(
            THREADS, lambda i: [pywrap.Profile('scope', options) for _ in range(ROUNDS)]
        ):
            self.assertEqual([want] * ROUNDS, got)
        pywrap.DeleteProfiler()


class AddingMeanwhile(unittest.TestCase):
    """One thread adds steps while others read: each reader sees the profile as it was after some
    step."""

    def test_drop_in(self):
        model = models.BY_NAME['convnet']
        graph, other = model.build(2)
        count, options = (
            40,
            questions.everything(ours.ProfileOptionBuilder).with_empty_output().build(),
        )
        metas = [meta for _, meta in model.record()]
        slow = ours.Profiler(graph)
        allowed = [quietly(slow.profile_operations, options)]
        for number in range(count):
            slow.add_step(number, metas[number % 4])
            allowed.append(quietly(slow.profile_operations, options))
        profiler, done, faults = ours.Profiler(other), threading.Event(), []
        looked = [0]

        def look(i):
            last = 0
            while not done.is_set() or looked[0] < 20:
                found = profiler.profile_operations(options)
                looked[0] += 1
                at = [k for k, known in enumerate(allowed) if k >= last and known == found]
                if not at:
                    faults.append(found)
                    return
                last = at[0]

        def add(i):
            try:
                for number in range(count):
                    profiler.add_step(number, metas[number % 4])
            finally:
                done.set()

        in_threads(4, lambda i: add(i) if i == 0 else look(i))
        self.assertEqual(faults, [])
        self.assertGreater(looked[0], 20)
        self.assertEqual(profiler.profile_operations(options), allowed[-1])

    def test_binding(self):
        """The same with a Stats alone, which also writes its profile while steps are added."""
        model = models.BY_NAME['loop_nodes']
        graph = model.build()[0].as_graph_def(add_shapes=True).SerializeToString()
        metas = [meta.SerializeToString() for _, meta in model.record()]
        options = model_analyzer._build_options(
            questions.everything(ours.ProfileOptionBuilder).with_empty_output().build()
        ).SerializeToString()
        stats = pywrap.Stats(graph)

        def work(i):
            for number in range(20):
                if i == 0:
                    stats.add_step(number, b'', metas[number % 4], b'')
                elif i == 1:
                    tfprof.open(profile=stats.serialize())
                else:
                    self.assertTrue(stats.profile(questions.VIEWS[i % 3], options))

        in_threads(5, work)
        self.assertEqual(tfprof.open(profile=stats.serialize()).steps, list(range(20)))

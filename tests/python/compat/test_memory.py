# SPDX-License-Identifier: Apache-2.0
"""Memory of long runs: it does not grow with what is done, only with what a profile must keep.

What was measured is printed: KiB of resident memory (after the C library gave back what it could).
"""

import ctypes
import gc
import io
import contextlib
import os
import sys
import unittest

import models
import questions
import sides
import support
from sides import ours, quietly

import tfprof

WHOLE = os.environ.get('TFP_WHOLE')
ROUNDS, WARM_UP, GRAPHS = (1000, 200, 200) if WHOLE else (300, 100, 100)
SLACK = 1024  # KiB by which the rounds may differ: bookkeeping of the allocator and of Python


def resident():
    """KiB."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') // 1024


def growth(name, work, rounds=ROUNDS, warm_up=WARM_UP):
    """The growth of resident memory between the end of the warm-up and the end of the rounds."""
    for _ in range(warm_up):
        work()
    before = resident()
    for _ in range(rounds):
        work()
    more = resident() - before
    print('%s: %d KiB more after %d rounds' % (name, more, rounds), file=sys.__stdout__, flush=True)
    return more


class Memory(unittest.TestCase):
    def setUp(self):
        # The smallest model for calls repeated a thousand times, a larger one for what a profile
        # keeps.
        self.small, self.large = models.BY_NAME['shared'], models.BY_NAME['convnet']
        self.options = questions.everything(ours.ProfileOptionBuilder).with_empty_output().build()

    def views(self, profiler):
        for method in support.METHODS.values():
            getattr(profiler, method)(self.options)

    def test_whole_lives(self):
        """Profiler, add_step, profile, many times on one graph."""
        graph, steps = self.small.build()[0], self.small.record()

        def life():
            profiler = ours.Profiler(graph, self.small.op_log())
            profiler.add_step(*steps[0])
            profiler.profile_operations(self.options)

        self.assertLess(growth('whole lives', life), SLACK)

    def test_graphs_come_and_go(self):
        """Nothing is kept of a graph that was freed. TensorFlow's own graphs take memory too, so
        they are measured separately."""
        steps = self.small.record()

        def build():
            return self.small.build()[0]

        def life():
            profiler = ours.Profiler(build())
            profiler.add_step(*steps[0])

        alone = growth('graphs alone', build, GRAPHS, 50)
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertLess(growth('graphs with profilers', life, GRAPHS, 50) - max(alone, 0), SLACK)

    def test_views_of_one(self):
        profiler = sides.profiler_of(ours, self.large.build()[0], None, self.large.record())
        self.assertLess(
            growth('views of one profiler', lambda: self.views(profiler), ROUNDS // 4, 50), SLACK
        )
        printed = dict(self.options, output='stdout')
        with contextlib.redirect_stdout(open(os.devnull, 'w')) as hole, hole:
            self.assertLess(
                growth('printed views', lambda: profiler.profile_name_scope(printed)), SLACK
            )

    def test_one_shot_calls(self):
        graph, meta = self.small.build()[0], self.small.record()[0][1]
        self.assertLess(
            growth('profile()', lambda: ours.profile(graph, meta, options=self.options)), SLACK
        )
        self.assertLess(
            growth('advise()', lambda: quietly(ours.advise, graph, meta), 200, 50), SLACK
        )

    def test_errors(self):
        """Failed calls leave nothing allocated."""
        profiler = sides.profiler_of(ours, self.small.build()[0], None, self.small.record())

        def refused():
            with contextlib.redirect_stderr(io.StringIO()):
                profiler.profile_operations(dict(self.options, step=77))
            for bad in (b'\x0a\xff', b'\x80' * 12):
                try:
                    tfprof.open(run_meta=bad)
                except tfprof.Error:
                    continue
                self.fail('not refused')

        self.assertLess(growth('errors', refused), SLACK)

    def test_native(self):
        """Opens a profile, shows it in every way, frees it."""
        path = support.sample('odd/profile_5')

        def life():
            profile = tfprof.open(path)
            report = profile.scope(select=['micros', 'params'], max_depth=10)
            return (
                str(report),
                report.to_dict(),
                [row.micros for row in report],
                report.__arrow_c_stream__(),
            )

        self.assertLess(growth('native', life), SLACK)

    def test_steps_of_one(self):
        """A profiler keeps each step that it is given, and little more: at most as many bytes as
        the serialized run metadata had, twice over (measured: 1.3 times; a step's executions stand
        in columns of 64-bit numbers).
        """
        graph, steps = self.large.build()[0], self.large.record()
        profiler, count = ours.Profiler(graph), [0]
        size = sum(meta.ByteSize() for _, meta in steps)

        def add():
            for _, meta in steps:
                profiler.add_step(count[0], meta)
                count[0] += 1

        more = growth('steps of %d bytes in all four' % size, add, 100, 20)
        self.assertLess(more * 1024, 2 * size * 100)
        self.assertGreater(more, 0)

    def test_a_step_again_and_again(self):
        """Runs that share a step's number are all kept, because some numbers are their means; views
        in between use no extra memory."""
        graph, (_, meta) = self.small.build()[0], self.small.record()[0]
        profiler = ours.Profiler(graph)

        def add():
            profiler.add_step(1, meta)
            profiler.profile_operations(self.options)

        more = growth('one step again', add, 500, 100)
        self.assertLess(more * 1024, 500 * 4 * meta.ByteSize())

# SPDX-License-Identifier: Apache-2.0
"""A profiler that gets one step after another, compared with TensorFlow's after each step."""

import unittest

import models
import questions
import sides
from sides import ours, theirs
from support import Tally, quietly


class Growing(unittest.TestCase):
    """One profiler of ours, queried after each step, and a new one of TensorFlow's with the same
    steps (its views keep their first result, so a new one is needed)."""

    def test_each_step(self):
        for number, model in enumerate(models.MODELS):
            with self.subTest(model.name):
                self.grow(model, number)

    def grow(self, model, number):
        steps, asked, tally = model.record(), sides.pairs_of(questions.broad()), Tally()
        first, *graphs = model.build(len(steps) + 2)
        grown = sides.profiler_of(ours, first, model.op_log(), [])
        for count, graph in enumerate(graphs):
            if count:
                quietly(grown.add_step, *steps[count - 1])
            chosen = questions.sampled(asked, number + count)
            want = sides.answers(theirs, graph, model.op_log(), steps[:count], chosen)
            sides.note_all(tally, chosen, zip(want, sides.hear_all(ours, grown, chosen)))
        tally.check(self, 5 * len(asked) // 2)

    def test_coverage(self):
        for model in models.MODELS:
            found = []
            for side, graph in zip((theirs, ours), model.pair()):
                profiler = sides.profiler_of(side, graph, model.op_log(), [])
                found.append([profiler._coverage])
                for step in model.record():
                    quietly(profiler.add_step, *step)
                    found[-1].append(profiler._coverage)
                del profiler
            self.assertEqual(found[0], found[1], model.name)
            self.assertGreater(max(found[1]), 0, model.name)

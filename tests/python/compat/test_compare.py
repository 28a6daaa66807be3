# SPDX-License-Identifier: Apache-2.0
"""Our tfprof.compat.v1 beside TensorFlow's own profiler, on the same graphs and run metadata:
printed text byte for byte, returned protos field by field, written files event by event."""

import unittest

import models
import questions
from sides import ask_both, note_all, pairs_of
from support import Tally


class Views(unittest.TestCase):
    """Every view with every option; the tests of each model are added below."""

    def fixed(self, model):
        chosen = questions.sampled(questions.fixed(), models.MODELS.index(model))
        asked, tally = pairs_of(chosen), Tally()
        note_all(tally, asked, ask_both(model, asked))
        tally.check(self, 150)

    def chance(self, model):
        tally = Tally()
        asked = pairs_of(questions.random_questions(model.name, model.pair()[0], 30))
        note_all(tally, asked, ask_both(model, asked))
        tally.check(self, 120)

    def nothing_run(self, model):
        """A graph alone, to which no step was added."""
        asked, tally = pairs_of(questions.presets()), Tally()
        note_all(tally, asked, ask_both(model, asked, []))
        tally.check(self, 28)


for _model in models.MODELS:
    for _kind in ('fixed', 'chance', 'nothing_run'):
        setattr(
            Views,
            'test_%s_%s' % (_kind, _model.name),
            lambda self, k=_kind, m=_model: getattr(self, k)(m),
        )

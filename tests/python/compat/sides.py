# SPDX-License-Identifier: Apache-2.0
"""The two sides of a comparison, TensorFlow's profiler (theirs) and tfprof.compat.v1 (ours), which
get the same questions."""

import models
import support
from support import of_ours, of_tensorflow, quietly

import tfprof.compat.v1 as ours

theirs = models.tf.profiler


def profiler_of(side, graph, op_log, steps):
    """A profiler with these steps added. TensorFlow has only one for each process, which is freed
    with its object."""
    profiler = quietly(side.Profiler, graph, op_log)
    for number, meta in steps:
        quietly(profiler.add_step, number, meta)
    return profiler


def hear_all(side, profiler, asked):
    """(view, question) pairs -> the answers of a profiler of that side."""
    hear = of_tensorflow if side is theirs else of_ours
    return [
        hear(
            lambda out, v=view, q=question: getattr(profiler, support.METHODS[v])(
                q.make(side.ProfileOptionBuilder, out)
            )
        )
        for view, question in asked
    ]


def answers(side, graph, op_log, steps, asked):
    """The same with a new profiler, which is freed afterwards."""
    return hear_all(side, profiler_of(side, graph, op_log, steps), asked)


def ask_both(model, asked, steps=None):
    """The answers of both sides in pairs. Each side has its own graph, because each fills in shapes;
    with steps, the graphs are new."""
    graphs = model.pair() if steps is None else model.build(2)
    steps = model.record() if steps is None else steps
    return zip(
        *[
            answers(side, graph, model.op_log(), steps, asked)
            for side, graph in zip((theirs, ours), graphs)
        ]
    )


def note_all(tally, asked, pairs):
    for (view, question), (want, got) in zip(asked, pairs):
        options = question.make(theirs.ProfileOptionBuilder, '{OUT}')
        tally.note('%s, %s' % (view, question.name), support.difference(view, options, want, got))


def pairs_of(asked):
    return [(view, question) for question in asked for view in question.views]

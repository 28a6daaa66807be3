# SPDX-License-Identifier: Apache-2.0
"""What is asked of a profiler: option sets, each built by the option builder of the side that is
asked.

A Question has a name, the views it is for and make(Builder, OUT) -> the options.
"""

import os
import random
import re
import typing

from support import COLUMNS, NUMBERS

VIEWS = ('scope', 'graph', 'op', 'code')
SHOWN = [c for c in COLUMNS if c != 'tensor_value']
# Limits that remove some nodes of each small model and keep others.
LEAST = {
    'bytes': 100,
    'peak_bytes': 50,
    'residual_bytes': 20,
    'output_bytes': 100,
    'micros': 5,
    'accelerator_micros': 1,
    'cpu_micros': 5,
    'params': 5,
    'float_ops': 10,
    'occurrence': 2,
}


class Question(typing.NamedTuple):
    name: str
    views: tuple
    make: typing.Callable


def presets():
    return [
        Question('default', VIEWS, lambda B, out: B().build()),
        Question('parameters', VIEWS, lambda B, out: B.trainable_variables_parameter()),
        Question('float_ops', VIEWS, lambda B, out: B.float_operation()),
        Question('time_and_memory', VIEWS, lambda B, out: B.time_and_memory()),
        Question(
            'time_and_memory, minimums',
            VIEWS,
            lambda B, out: B.time_and_memory(
                min_micros=3, min_bytes=8, min_cpu_micros=2, min_peak_bytes=4, min_output_bytes=8
            ),
        ),
        Question('no keys', VIEWS, lambda B, out: {}),
        Question(
            'few keys',
            VIEWS,
            lambda B, out: {
                'select': ['micros', 'params'],
                'max_depth': 4,
                'account_type_regexes': ['.*'],
            },
        ),
    ]


def everything(B):
    return B().select(SHOWN).with_max_depth(200)


def columns():
    for column in COLUMNS:
        yield Question('select ' + column, VIEWS, lambda B, out, c=column: B().select([c]).build())
    for order in ('name',) + NUMBERS:
        select = [order] if order in NUMBERS else ['micros']
        yield Question(
            'order_by ' + order,
            VIEWS,
            lambda B, out, o=order, s=select: B().order_by(o).select(s).build(),
        )
    yield Question('every column', VIEWS, lambda B, out: everything(B).build())
    yield Question(
        'two columns, other order', VIEWS, lambda B, out: B().select(['op_types', 'bytes']).build()
    )
    yield Question('no column', VIEWS, lambda B, out: B().select([]).build())


def minimums():
    for column in NUMBERS:
        keys = {'min_' + column: LEAST[column]}
        if column in ('bytes', 'peak_bytes', 'residual_bytes', 'output_bytes'):
            yield Question(
                'min_' + column,
                VIEWS,
                lambda B, out, c=column, k=keys: B().with_min_memory(**k).select([c]).build(),
            )
        elif column.endswith('micros'):
            yield Question(
                'min_' + column,
                VIEWS,
                lambda B, out, c=column, k=keys: B()
                .with_min_execution_time(**k)
                .select([c])
                .build(),
            )
    yield Question(
        'min_params',
        VIEWS,
        lambda B, out: B().with_min_parameters(LEAST['params']).select(['params']).build(),
    )
    yield Question(
        'min_float_ops',
        VIEWS,
        lambda B, out: B()
        .with_min_float_operations(LEAST['float_ops'])
        .select(['float_ops'])
        .build(),
    )
    yield Question(
        'min_occurrence',
        VIEWS,
        lambda B, out: B().with_min_occurrence(2).select(['occurrence']).build(),
    )
    for depth in (0, 1, 2, 5):  # TensorFlow's code view crashes at depth 0
        yield Question(
            'depth %d' % depth,
            VIEWS if depth else VIEWS[:1],
            lambda B, out, d=depth: B().with_max_depth(d).build(),
        )


def filters():
    def named(name, views=VIEWS, **regexes):
        return Question(
            name,
            views,
            lambda B, out: B()
            .with_node_names(**regexes)
            .select(['micros', 'params', 'occurrence'])
            .build(),
        )

    yield named(
        'start',
        start_name_regexes=['layer_1.*', '.*relu', 'outer', 'time.*', 'MatMul', '.*models.py.*'],
    )
    yield named('show', show_name_regexes=['.*weights.*', '.*conv.*', 'M.*', '.*gradient.*'])
    yield named('hide', hide_name_regexes=['.*read', 'Const', 'grad.*', '.*models.py.*'])
    yield named(
        'trim', ('scope', 'graph', 'op'), trim_name_regexes=['gradients/.*', 'conv_1', 'Mul']
    )
    yield named('trim code', ('code',), trim_name_regexes=['.*models.py.*'])
    yield named(
        'commas', show_name_regexes=['(?:layer|conv)_[01]{1,2}.*', '.*a{1,2}.*', '.*x{0,9}/w.*']
    )
    yield named(
        'commas in types',
        start_name_regexes=['.{0,50}'],
        hide_name_regexes=['.{0,2}', '[a-z]{3,5}'],
    )
    yield named('quoted', show_name_regexes=[re.escape('tower/use.0-x/aa'), r'.*\d+$'])
    yield named('nothing', show_name_regexes=['no such name'])
    yield named('empty lists', start_name_regexes=[], show_name_regexes=[])
    for types in (
        ['MatMul', 'Conv2D', 'While'],
        ['.*cpu:1.*', '.*CPU:1'],
        ['_trainable_variables'],
        ['first', 'last'],
        ['a,b'],
        ['a.b', 'mine'],
        ['[A-Z]{1,2}.*'],
        ['nothing'],
        [],
    ):
        yield Question(
            'types %s' % types,
            VIEWS,
            lambda B, out, t=types: everything(B).with_accounted_types(t).build(),
        )
    for kept in (True, False):
        yield Question(
            'displayed %s' % kept,
            VIEWS,
            lambda B, out, k=kept: everything(B)
            .account_displayed_op_only(k)
            .with_min_execution_time(min_micros=5)
            .order_by('micros')
            .build(),
        )


def steps():
    for step in (-1, 0, 1, 3, 99):
        yield Question(
            'step %d' % step, VIEWS, lambda B, out, s=step: everything(B).with_step(s).build()
        )


def outputs():
    yield Question('none', VIEWS, lambda B, out: B().with_empty_output().build())
    yield Question(
        'stdout', VIEWS, lambda B, out: B().with_empty_output().with_stdout_output().build()
    )
    yield Question('file', VIEWS, lambda B, out: B().with_file_output(out).build())
    for step in (0, 3):
        yield Question(
            'timeline %d' % step,
            VIEWS,
            lambda B, out, s=step: B(B.time_and_memory())
            .with_step(s)
            .with_timeline_output(out)
            .build(),
        )
    yield Question(
        'timeline, all steps', VIEWS, lambda B, out: B().with_timeline_output(out).build()
    )
    for column in NUMBERS[:9]:
        yield Question(
            'pprof ' + column,
            ('code',),
            lambda B, out, c=column: B().select([c]).with_pprof_output(out).build(),
        )
    yield Question(
        'pprof two',
        ('code',),
        lambda B, out: B().select(['micros', 'bytes']).with_pprof_output(out).build(),
    )


def fixed():
    made = presets()
    for part in (columns, minimums, filters, steps, outputs):
        made.extend(part())
    return made


def broad():
    """A few questions that show everything, for tests with many profiles."""
    names = ('default', 'parameters', 'float_ops', 'time_and_memory', 'every column', 'no keys')
    return [question for question in presets() + list(columns()) if question.name in names]


def sampled(asked, number):
    """Every second item of a list, the even or the odd ones depending on the model's `number`: each
    question is asked of half of the models (or of half of the steps). With TFP_WHOLE in the
    environment (make fuzz) all items."""
    return asked if os.environ.get('TFP_WHOLE') else asked[number % 2 :: 2]


class Words:
    """The words of a graph that a filter could match."""

    def __init__(self, graph):
        operations = graph.get_operations()
        self.names = sorted({op.name for op in operations})
        self.types = sorted({op.type for op in operations})
        self.frames = sorted(
            {
                '%s:%d:%s' % (frame.filename.split('/')[-1], frame.lineno, frame.name[:16])
                for op in operations[:40]
                for frame in op.traceback
            }
        )

    def pattern(self, rng, words):
        word = rng.choice(words)
        parts = re.findall(r'\w+', word) or ['x']
        return rng.choice(
            (
                re.escape(word),
                parts[0] + '.*',
                '.*' + parts[-1],
                '.*%s.*' % rng.choice(parts),
                '(%s|%s).*' % (parts[0], parts[-1]),
                '.*%s{1,2}.*' % parts[0][-1],
            )
        )


def by_chance(rng, words, view):
    """One random option set, as a dict."""
    shown = words.types if view == 'op' else words.frames if view == 'code' else words.names
    options = {
        'max_depth': rng.choice((1, 2, 3, 5, 10, 100)),
        'step': rng.choice((-1, -1, 0, 1, 3)),
        'select': rng.sample(SHOWN, rng.randint(1, 4)),
        'order_by': rng.choice(('name',) + NUMBERS),
        'account_displayed_op_only': rng.random() < 0.4,
        'account_type_regexes': ['.*'],
        'start_name_regexes': ['.*'],
        'show_name_regexes': ['.*'],
    }
    for key, likely in (
        ('start_name_regexes', 0.3),
        ('show_name_regexes', 0.3),
        ('hide_name_regexes', 0.3),
        ('trim_name_regexes', 0.2 if view != 'code' else 0),
    ):
        if rng.random() < likely:
            options[key] = [words.pattern(rng, shown) for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.3:
        options['account_type_regexes'] = [
            words.pattern(rng, words.types + ['cpu:0', '_trainable_variables'])
            for _ in range(rng.randint(1, 2))
        ]
    for column in rng.sample(NUMBERS, rng.choice((0, 0, 1, 2))):
        options['min_' + column] = rng.choice((1, 3, 50, 1000))
    return options


def random_questions(seed, graph, count):
    """Random questions for each view; the options are dicts, the same for both sides."""
    rng, words = random.Random(seed), Words(graph)
    for view in VIEWS:
        for i in range(count):
            options = by_chance(rng, words, view)
            yield Question(
                'chance %d %s' % (i, options), (view,), lambda B, out, o=options: dict(o)
            )

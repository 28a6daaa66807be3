# SPDX-License-Identifier: Apache-2.0
"""A fixed list of cases, each of which tests one rule, and random option sets from a seed. Plain
Python."""
import functools
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'data'))
import wire
from core import read

COLUMNS = ('bytes', 'peak_bytes', 'residual_bytes', 'output_bytes', 'micros', 'accelerator_micros', 'cpu_micros', 'params',
           'float_ops', 'occurrence', 'device', 'op_types', 'input_shapes', 'tensor_value')
NUMERIC = COLUMNS[:10]
ORDERS = ('name',) + NUMERIC
VIEWS = ('scope', 'graph', 'op', 'code')
ROOT = '_TFProfRoot'
ALL = ','.join(c for c in COLUMNS if c != 'tensor_value')


def profile(name, **more):
    return dict({'profile': name}, **more)


def files(model, graph, metas=(), log=True, **more):
    inputs = dict({'graph': '%s/%s' % (model, graph)}, **more)
    if metas:
        inputs['run_meta'] = ['%s/run_meta_%s' % (model, m) for m in metas]
    if log:
        inputs['op_log'] = model + '/tfprof_log'
    return inputs


DENSE, RESOURCE = profile('dense/profile_3'), profile('dense_resource/profile_3')
TOWERS, GPU, ODD = profile('towers/profile_9'), profile('gpu/profile_1'), profile('odd/profile_5')
RESNET, SEQ2SEQ = files('resnet32', 'graph.pbtxt', [0]), files('seq2seq', 'graph_shapes.pb', [0])
ODD_FILES = files('odd', 'graph_shapes.pbtxt', [0, 1])
NO_STREAM = files('towers', 'graph.pb', [], run_meta=['gpu/run_meta_nostream_0'])
LOOSE = {'run_meta': ['dense/run_meta_0', 'dense/run_meta_3']}
STEPS = {'dense/profile_3': range(-1, 4), 'towers/profile_9': range(-1, 10), 'gpu/profile_1': range(-1, 2),
         'odd/profile_5': (-1, 0, 5)}


class List:
    def __init__(self):
        self.cases, self.counts = [], {}

    def add(self, group, inputs, view, *options, **more):
        self.counts[group] = self.counts.get(group, 0) + 1
        case = {'id': '%s-%d' % (group, self.counts[group]), 'inputs': inputs}
        if view:
            case.update(view=view, options=[str(o) for o in options])
        case.update(more)
        self.cases.append(case)


def tutorial(add):
    """The thirteen examples of the TensorFlow 1.0 tutorial, with today's option names."""
    net = 'resnet32'
    bare, checkpoint = files(net, 'graph.pbtxt', log=False), 'resnet32/ckpt_v2/model.ckpt-1'
    logged, restored = files(net, 'graph.pbtxt'), dict(bare, checkpoint=checkpoint)
    for inputs, view, options in (
            (bare, 'scope', '-max_depth 3 -select params -account_type_regexes Variable.*'),
            (bare, 'scope', '-max_depth 3 -select params -account_type_regexes VariableV2 -order_by params'),
            (restored, 'scope', '-show_name_regexes unit_1_0.*gamma -select tensor_value -max_depth 5'),
            (restored, 'scope', '-account_type_regexes _checkpoint_variables -select params -max_depth 4'),
            (dict(restored, run_meta=['resnet32/run_meta_0']), 'graph',
             '-start_name_regexes cost.* -max_depth 100 -min_micros 10000 -select micros -account_type_regexes .*'),
            (RESNET, 'scope', '-start_name_regexes gradient.* -max_depth 100 -min_micros 20000 -select micros'),
            (logged, 'scope', '-min_float_ops 1 -max_depth 10 -select float_ops'),
            (logged, 'scope', '-account_type_regexes _trainable_variables -max_depth 4 -select params'),
            (logged, 'scope', '-show_name_regexes unit_2_1.*DW -max_depth 100 -account_displayed_op_only -select params'),
            (logged, 'scope', '-account_type_regexes VariableV2 -max_depth 4 -select params'),
            (logged, 'scope', '-account_type_regexes pool_logit -max_depth 4 -select params'),
            (bare, 'scope', '-max_depth 3 -select params -min_params 1 -output file:outfile={OUT}'),
            (SEQ2SEQ, 'scope', '-select device,params -account_type_regexes .*ps.*task:0.* -max_depth 1'),
            (SEQ2SEQ, 'scope', '-select device,params -account_type_regexes .*ps.*task:1.* -max_depth 1')):
        add('tutorial', inputs, view, *options.split())


def columns(add):
    for column in COLUMNS:
        for view, inputs in (('scope', DENSE), ('graph', GPU), ('code', TOWERS), ('op', ODD)):
            add('column', inputs, view, '-select', column, '-max_depth', 4 if view != 'op' else 50)
    for inputs, depth in ((DENSE, 20), (ODD, 30), (GPU, 5), (ODD_FILES, 4), (LOOSE, 10)):
        for view in VIEWS:
            add('all-columns', inputs, view, '-select', ALL, '-max_depth', depth)
    add('all-columns', DENSE, 'op', '-select', 'accelerator_micros,cpu_micros')
    add('all-columns', RESOURCE, 'scope', '-select', 'params,op_types', '-max_depth', 3)


def orders(add):
    for i, order in enumerate(ORDERS):
        column = order if order in NUMERIC else 'micros'
        for view, inputs in (('scope', TOWERS), ('graph', DENSE), ('op', GPU), ('code', ODD)):
            if view != 'graph' or i % 2 == 0:
                add('order', inputs, view, '-select', column, '-order_by', order, '-max_depth', 5)


def minimums(add):
    limits = {'min_bytes': 30000, 'min_peak_bytes': 20000, 'min_residual_bytes': 3000, 'min_output_bytes': 30000,
              'min_micros': 50, 'min_accelerator_micros': 100, 'min_cpu_micros': 50, 'min_params': 30,
              'min_float_ops': 1000, 'min_occurrence': 2}
    for name, value in limits.items():
        for view in VIEWS:
            add('minimum', GPU, view, '-' + name, value, '-select', name[4:], '-max_depth', 12)


def filters(add):
    for inputs, view, options in (
            (TOWERS, 'scope', '-start_name_regexes v/tower_1.* -trim_name_regexes v/tower_1/gradients.* -max_depth 7'),
            (TOWERS, 'scope', '-show_name_regexes .*Conv2D$,.*kernel -hide_name_regexes v/tower_0/.* -max_depth 20'),
            (TOWERS, 'scope', '-start_name_regexes nothing_of_that_name'),
            (TOWERS, 'scope', '-show_name_regexes [ -max_depth 3'),
            (TOWERS, 'graph', '-start_name_regexes total_loss -trim_name_regexes .*conv2.* -max_depth 12'),
            (TOWERS, 'graph', '-hide_name_regexes .*/(read|Const.*) -show_name_regexes v/tower_0.* -max_depth 9'),
            (TOWERS, 'code', '-start_name_regexes .*:tower -max_depth 6'),
            (TOWERS, 'code', '-trim_name_regexes .*towers.* -max_depth 9'),
            (TOWERS, 'code', '-show_name_regexes nets.* -hide_name_regexes .*gradient.* -max_depth 20 -order_by micros'),
            (TOWERS, 'op', '-start_name_regexes M.* -max_depth 20'),
            (TOWERS, 'op', '-trim_name_regexes Mul -max_depth 200'),
            (TOWERS, 'op', '-show_name_regexes .*Grad.*,Conv.* -hide_name_regexes .*Filter -max_depth 99'),
            (ODD, 'scope', '-show_name_regexes .*日.*,a.*b -max_depth 20'),
            (ODD, 'graph', '-start_name_regexes loop/.*,self -max_depth 20'),
            (ODD, 'scope', '-trim_name_regexes deep/1/2/3,a/ -max_depth 30 -select params,bytes'),
            (TOWERS, 'scope', '-account_type_regexes Conv2D.* -select micros,float_ops -max_depth 12'),
            (TOWERS, 'scope', '-account_type_regexes .*cpu:1 -select device,micros -max_depth 4'),
            (TOWERS, 'graph', '-account_type_regexes Conv2D,MatMul,Mul -max_depth 40'),
            (TOWERS, 'op', '-account_type_regexes MatMul,.*cpu:0 -select micros,occurrence,device -max_depth 60'),
            (TOWERS, 'op', '-account_type_regexes _trainable_variables -select params,occurrence -max_depth 60'),
            (TOWERS, 'code', '-account_type_regexes _trainable_variables -select params -max_depth 6'),
            (DENSE, 'scope', '-account_type_regexes last_layer,nothing -select params,op_types'),
            (DENSE, 'scope', '-account_type_regexes no_such_type -select params'),
            (ODD, 'op', '-account_type_regexes mine,again,.*gpu.* -select params,micros,float_ops -max_depth 60'),
            (SEQ2SEQ, 'scope', '-account_type_regexes .*job:worker.* -select device,micros -max_depth 3'),
            (SEQ2SEQ, 'op', '-account_type_regexes .*ps/.* -select params,bytes,device -max_depth 80')):
        add('filter', inputs, view, *options.split())
    for inputs in (DENSE, GPU, ODD):
        for view in VIEWS:
            add('displayed', inputs, view, '-account_displayed_op_only', '-min_micros', 5, '-select', 'micros,bytes',
                '-max_depth', 9, '-order_by', 'micros')
    for depth in (1, 2, 3, 100):
        for view in VIEWS:
            add('depth', ODD, view, '-max_depth', depth)
    for depth in (0, -1):
        add('depth', DENSE, 'scope', '-max_depth', depth)


def steps(add):
    for view in VIEWS:
        for step in (-1, 0, 3, 99):
            add('step', DENSE, view, '-step', step, '-select', 'micros,bytes,occurrence,float_ops', '-max_depth', 5)
        add('step', ODD, view, '-step', 5, '-select', 'micros,bytes,occurrence,float_ops', '-max_depth', 5)
        add('step', ODD, view, '-step', 1)


def inputs(add):
    add('input', files('resnet32', 'graph.pbtxt', [0]), 'scope', '-max_depth', 2, '-select', 'params,micros,float_ops')
    add('input', files('towers', 'graph.pb', [1]), 'code', '-max_depth', 4)
    add('input', files('dense', 'graph_shapes.pbtxt', [0, 3]), 'op', '-select', 'input_shapes,micros', '-max_depth', 50)
    add('input', files('dense', 'graph.pb', [3, 0], log=False), 'scope', '-select', 'micros,device,op_types')
    add('input', files('dense', 'graph.pb', [0], log=False), 'code')
    add('input', files('dense_resource', 'graph.pbtxt', log=False), 'graph', '-select', 'op_types', '-max_depth', 5)
    add('input', NO_STREAM, 'scope', '-max_depth', 3)
    add('input', LOOSE, 'op', '-select', 'micros,op_types,occurrence', '-max_depth', 50)
    for prefix in ('dense/ckpt_v1/model.ckpt-3', 'dense/ckpt_v2/model.ckpt-3'):
        both = files('dense', 'graph.pb', checkpoint=prefix)
        add('checkpoint', both, 'scope', '-account_type_regexes', '_checkpoint_variables', '-select', 'params,op_types')
        add('checkpoint', both, 'scope', '-show_name_regexes', '.*(biases|weights)', '-select', 'tensor_value,params')
        add('checkpoint', profile('dense/profile_3', checkpoint=prefix), 'graph', '-start_name_regexes',
            'softmax/biases/read', '-select', 'tensor_value,micros')
    for prefix in ('dense_resource/ckpt_v1/model.ckpt-3', 'dense_resource/ckpt_v2/model.ckpt-3'):
        odd = files('dense_resource', 'graph.pbtxt', log=False, checkpoint=prefix)
        add('checkpoint', odd, 'scope', '-show_name_regexes', 'odd/[a-z]*', '-select', 'tensor_value,params')
    for view in VIEWS:
        add('to-file', DENSE, view, '-output', 'file:outfile={OUT}')
        add('to-file', DENSE, view, '-output', 'none')


def drawings(add):
    out = ['-output', 'timeline:outfile={OUT}']
    for inputs, view, options in (
            (DENSE, 'graph', '-step 0 -max_depth 100000'), (DENSE, 'graph', '-max_depth 100000'), (DENSE, 'scope', ''),
            (DENSE, 'code', '-max_depth 100'), (DENSE, 'op', ''), (GPU, 'graph', '-step 0 -max_depth 100000'),
            (GPU, 'graph', '-step 1 -max_depth 100000 -account_type_regexes .*gpu:1 -min_micros 20'),
            (GPU, 'scope', '-max_depth 5'), (ODD, 'graph', '-step 0 -max_depth 100'),
            (ODD, 'graph', '-step 5 -max_depth 3'), (ODD, 'scope', '-max_depth 100'), (ODD, 'code', ''),
            (TOWERS, 'graph', '-step 4 -max_depth 100000 -min_micros 5'),
            (SEQ2SEQ, 'graph', '-step 0 -max_depth 100000 -account_type_regexes .*ps.*')):
        add('timeline', inputs, view, *(options.split() + out))
    for i, column in enumerate(NUMERIC[:9]):
        add('pprof', (DENSE, GPU, ODD)[i % 3] if column != 'accelerator_micros' else GPU, 'code', '-select', column,
            '-max_depth', (100, 5, 6)[i % 3], '-output', 'pprof:outfile={OUT}')
    add('pprof', DENSE, 'code', '-select', 'micros,bytes', '-output', 'pprof:outfile={OUT}')
    add('pprof', TOWERS, 'code', '-select', 'micros', '-show_name_regexes', 'nets.*', '-max_depth', 50,
        '-output', 'pprof:outfile={OUT}')


def advice_and_sessions(add):
    for asked in (DENSE, TOWERS, GPU, ODD, RESNET, SEQ2SEQ, NO_STREAM, files('dense', 'graph.pb')):
        add('advise', asked, 'advise')
    for typed in ('\n', 'scope -select params -max_depth 2\nop -select occurrence -order_by occurrence\n\n',
                  'set -select bytes,micros -step 1\nscope -max_depth 1\nset -step -1 -output file:outfile={OUT}\n'
                  'scope -max_depth 2\n\n',
                  'nonsense\nscope -nope 1\nscope -max_depth\nscope -max_depth x\nscope -select color\nscope -max_depth 1\n',
                  'scope -max_depth 1 -account_displayed_op_only -select micros\ncode -select "micros" -max_depth 2\n'):
        add('session', DENSE, None, stdin=typed)


def chances(add):
    for name, metas in (('11', (0, 1, 2)), ('13', (0, 1, 2)), ('26', (0,)), ('36', (0, 1))):
        for view in VIEWS:
            add('chance', files('chance/' + name, 'graph_shapes.pb', metas), view, '-select', ALL, '-max_depth', 1000)


def fixed():
    made = List()
    for part in (tutorial, columns, orders, minimums, filters, steps, inputs, drawings, advice_and_sessions, chances):
        part(made.add)
    return made.cases


# ---------------------------------------------------------------- random option sets
class Words:
    """The words of a graph that a filter could match: by default those in the nodes of a
    ProfileProto."""

    def __init__(self, profile_bytes):
        names, types, frames, strings = set(), set(), set(), {}
        top, traced = wire.read(profile_bytes), set()
        for entry in wire.every(top, 4):
            entry = wire.read(entry)
            strings[wire.last(entry, 1)] = wire.last(entry, 2, b'').decode('utf-8', 'replace')
        for entry in wire.every(top, 1):
            node = wire.read(wire.last(wire.read(entry), 2))
            names.add(wire.last(node, 1, b'').decode('utf-8', 'replace'))
            types.update(t.decode('utf-8', 'replace') for t in wire.every(node, 5))
            for trace in wire.every(wire.read(wire.last(node, 10, b'')), 1):
                if trace in traced:  # most nodes were made by the same lines
                    continue
                traced.add(trace)
                trace = wire.read(trace)
                frames.add('%s:%d:%s' % (os.path.basename(strings.get(wire.last(trace, 6), '')), wire.last(trace, 2),
                                         strings.get(wire.last(trace, 7), '')[:16]))
        self.steps = [wire.signed(s) for s in wire.numbers(top, 3)]
        self.names, self.types, self.frames = ([w for w in sorted(s) if w and ',' not in w and ' ' not in w]
                                               for s in (names, types, frames))

    def pattern(self, rng, words):
        word = rng.choice(words)
        parts = [re.escape(p) if rng.random() < 0.5 else p for p in re.findall(r'[\w.]+', word)] or ['x']
        return rng.choice((lambda: re.escape(word), lambda: parts[0] + '.*', lambda: '.*' + parts[-1],
                           lambda: '.*' + rng.choice(parts) + '.*', lambda: '(%s|%s).*' % (parts[0], parts[-1]),
                           lambda: '.*[%s-z]' % rng.choice('abcmt'), lambda: '.*'))()

    def patterns(self, rng, words):
        return ','.join(self.pattern(rng, words) for _ in range(rng.choice((1, 1, 2, 3))))


def random_options(rng, words, view):
    shown = {'op': words.types, 'code': words.frames or words.names}.get(view, words.names)
    count = rng.choice((1, 1, 2, 4, len(COLUMNS) - 1))
    options = ['-select', ','.join(rng.sample(COLUMNS[:-1], count)),
               '-max_depth', str(rng.choice((1, 2, 3, 5, 8, 30, 1000)))]
    for name, vocabulary, chance in (('account', words.types, 0.25), ('start', shown, 0.2), ('trim', shown, 0.15),
                                     ('show', shown, 0.25), ('hide', shown, 0.15)):
        if rng.random() < chance:
            patterns = words.patterns(rng, vocabulary)
            if (view, name) == ('code', 'trim') and any(re.fullmatch(p, ROOT) for p in patterns.split(',')):
                continue  # TensorFlow crashes on it
            options += ['-%s%s' % (name, '_type_regexes' if name == 'account' else '_name_regexes'), patterns]
    for column in NUMERIC:
        if rng.random() < 0.05:
            options += ['-min_' + column, str(int(10 ** rng.uniform(0, 5)))]
    if rng.random() < 0.6:
        options += ['-order_by', rng.choice(ORDERS)]
    if rng.random() < 0.4:
        options += ['-step', str(rng.choice(words.steps or [0]))]
    if rng.random() < 0.15:
        options += ['-account_displayed_op_only', 'true']
    return options


words_in = functools.lru_cache(maxsize=None)(Words)


def words_of(base, source):
    return source if isinstance(source, Words) else words_in(read(os.path.join(base, source)))


def random_cases(seed, count, sources, base):
    """sources: (inputs, the profile whose words are used, or Words). One case in eight writes a timeline or a pprof
    file."""
    rng, made = random.Random(seed), List()
    words = {id(s): words_of(base, s) for _, s in sources}
    while len(made.cases) < count:
        asked, name = rng.choice(sources)
        view = rng.choice(VIEWS)
        options = random_options(rng, words[id(name)], view)
        if rng.random() < 0.12:
            if view == 'code' and rng.random() < 0.5:
                options[1] = rng.choice(NUMERIC[:9])
                options += ['-output', 'pprof:outfile={OUT}']
            elif view != 'op':
                options += ['-output', 'timeline:outfile={OUT}']
        made.add('random-%d' % seed, asked, view, *options)
    return made.cases

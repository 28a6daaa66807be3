# SPDX-License-Identifier: Apache-2.0
"""When two answers (core.py says what one is) are the same. Plain Python.

Text: byte for byte from the line `Profile:` on; above it, from `Doc:` on, the same labels before the first colon, line
by line. Where a timeline or pprof file is written, of stdout only the lines with peaks count. Timelines: the same
events, a process known by its name. pprof: the same samples with the same stacks and labels. Protos: equal fields.
"""
import collections
import gzip
import hashlib
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'data'))
import wire

sys.setrecursionlimit(100000)  # in the op view's proto, nesting is as deep as the number of types
CHECKERS = (b'AcceleratorUtilizationChecker', b'OperationChecker', b'ExpensiveOperationChecker')


# ---------------------------------------------------------------- text
def first_difference(want, got):
    """Line lists -> a message, or None."""
    for i in range(max(len(want), len(got))):
        w, g = want[i] if i < len(want) else None, got[i] if i < len(got) else None
        if w != g:
            return 'line %d\n      want %r\n      got  %r' % (i + 1, w and w[:300], g and g[:300])
    return None


def lines_that_count(text):
    """The lines to compare, in which those between `Doc:` and `Profile:` are cut to their
    labels."""
    out, header = [], False
    for line in text.split(b'\n'):
        if line == b'Doc:':
            header = True
        elif line == b'Profile:':
            header = False
        out.append(line.split(b':', 1)[0] if header else line)
    return out


def advice(text):
    """Blocks of TensorFlow's checkers, in the order of their names, without those of other checkers and without text
    before the first."""
    blocks = re.split(rb'(?m)^\n(?=\w+:\n)', text)
    return sorted(b for b in blocks[1:] if b.startswith(CHECKERS))


def compare_text(want, got, is_advice=False):
    if want == got:
        return None
    if is_advice:
        return first_difference(advice(want), advice(got))
    return first_difference(lines_that_count(want), lines_that_count(got))


# ---------------------------------------------------------------- timelines
def events(data):
    document = json.loads(data.decode('utf-8', 'backslashreplace'))
    process = {e['pid']: e['args']['name'] for e in document['traceEvents'] if e['name'] == 'process_name'}
    count = collections.Counter()
    for e in document['traceEvents']:
        if 'pid' in e:
            e['pid'] = process.get(e['pid'], e['pid'])
        count[json.dumps(e, sort_keys=True)] += 1
    return count


def compare_counts(what, want, got):
    missing, extra = want - got, got - want
    if not missing and not extra:
        return None
    return '%s: %d missing, %d extra\n      want %s\n      got  %s' % (
        what, sum(missing.values()), sum(extra.values()), min(missing, default=None), min(extra, default=None))


def compare_timeline(want, got):
    try:
        return compare_counts('timeline', events(want), events(got))
    except (ValueError, KeyError, TypeError) as wrong:
        return 'timeline does not read: %r' % wrong


# ---------------------------------------------------------------- pprof
def samples(data):
    """-> sample types, and how often each (stack from the leaf up, values, labels) occurs."""
    if data[:2] == b'\x1f\x8b':
        data = gzip.decompress(data)
    top = wire.read(data)
    text = [s.decode('utf-8', 'backslashreplace') for s in wire.every(top, 6)]

    def message(number):
        return [wire.read(b) for b in wire.every(top, number)]
    types = [(text[wire.last(t, 1)], text[wire.last(t, 2)]) for t in message(1)]
    functions = {wire.last(f, 1): (text[wire.last(f, 2)], text[wire.last(f, 4)]) for f in message(5)}
    places = {}
    for place in message(4):
        lines = [wire.read(b) for b in wire.every(place, 4)]
        places[wire.last(place, 1)] = tuple(functions[wire.last(l, 1)] + (wire.last(l, 2),) for l in lines)
    count = collections.Counter()
    for sample in message(2):
        stack = tuple(places[i] for i in wire.numbers(sample, 1))
        labels = [wire.read(b) for b in wire.every(sample, 3)]
        count[repr((stack, [wire.signed(v) for v in wire.numbers(sample, 2)],
                    [(text[wire.last(l, 1)], text[wire.last(l, 2)]) for l in labels]))] += 1
    return types, count


def compare_pprof(want, got):
    try:
        (types, count), (our_types, our_count) = samples(want), samples(got)
    except (ValueError, KeyError, IndexError, OSError) as wrong:
        return 'pprof does not read: %r' % wrong
    if types != our_types:
        return 'pprof sample types: want %s got %s' % (types, our_types)
    return compare_counts('pprof', count, our_count)


# ---------------------------------------------------------------- protos
# Of each message: its fields that are messages, and its maps with the message of their values.
MESSAGES = {
    'GraphNodeProto': ({11: 'Shape', 12: 'GraphNodeProto', 15: 'Leaf'}, {16: 'Shape'}),
    'MultiGraphNodeProto': ({10: 'GraphNodeProto', 11: 'MultiGraphNodeProto'}, {}),
    'AdviceProto': ({}, {1: 'Leaf'}),
    'Shape': ({2: 'Leaf'}, {}),
    'Leaf': ({}, {}),
}
ROOTS = {'scope': 'GraphNodeProto', 'graph': 'GraphNodeProto', 'op': 'MultiGraphNodeProto', 'code': 'MultiGraphNodeProto',
         'advise': 'AdviceProto'}


def fields(data, message):
    """A normal form that is equal for equal protos: fields by number, no defaults, maps in the order of their
    keys."""
    inner, maps = MESSAGES[message]
    out, mapped = [], {}
    for number, _, value in wire.read(data):
        if number in maps:
            entry = wire.read(value)
            mapped[number, wire.last(entry, 1)] = fields(wire.last(entry, 2, b''), maps[number])
        elif number in inner:
            out.append((number, fields(value, inner[number])))
        elif value not in (0, b''):
            out.append((number, value))
    out += sorted(mapped.items(), key=repr)
    return sorted(out, key=lambda field: repr(field[0]))


def first_field(want, got, at=''):
    """The first difference between two normal forms."""
    for i in range(max(len(want), len(got))):
        w, g = want[i] if i < len(want) else None, got[i] if i < len(got) else None
        if w == g:
            continue
        if w and g and w[0] == g[0] and isinstance(w[1], list) and isinstance(g[1], list):
            name = next((v for n, v in w[1] if n == 1 and isinstance(v, bytes)), b'')
            return first_field(w[1], g[1], '%s/%s' % (at, name.decode('utf-8', 'replace')))
        return 'proto at %s: want %.200r got %.200r' % (at or 'the root', w, g)
    return None


def digest(view, proto):
    """Replaces a proto that would take too much space: equal for equal fields."""
    return hashlib.sha256(repr(fields(proto, ROOTS[view])).encode()).hexdigest()


def compare_proto(view, want, got):
    """want: a proto, or the digest of one."""
    try:
        if isinstance(want, str):
            return None if want == digest(view, got) else 'proto differs from the recorded one'
        w, g = fields(want, ROOTS[view]), fields(got, ROOTS[view])
    except (ValueError, IndexError) as wrong:
        return 'proto does not read: %r' % wrong
    if view == 'advise':  # more checkers than TensorFlow's are allowed
        g = [f for f in g if f in w]
    return first_field(w, g)


# ---------------------------------------------------------------- a whole answer
def output_kind(case):
    text = ' '.join(case.get('options', [])) + case.get('stdin', '')
    return 'timeline' if 'timeline:' in text else 'pprof' if 'pprof:' in text else 'text'


def peaks(text):
    return b'\n'.join(line for line in text.split(b'\n') if b' peak memory: ' in line)


def compare(case, want, got):
    """None, or the difference."""
    kind = output_kind(case)
    out, ours = want['stdout'], got['stdout']
    if kind != 'text' and 'stdin' not in case:
        out, ours = peaks(out), peaks(ours)
    message = compare_text(out, ours, case.get('view') == 'advise')
    if message:
        return 'stdout ' + message
    if want['coverage'] != got['coverage']:
        return 'coverage: want %s got %s' % (want['coverage'], got['coverage'])
    for name, data in want['files'].items():
        if name not in got['files']:
            return 'no file OUT%s' % name
        check = {'timeline': compare_timeline, 'pprof': compare_pprof, 'text': compare_text}[kind]
        message = check(data, got['files'][name])
        if message:
            return 'file OUT%s: %s' % (name, message)
    if set(got['files']) - set(want['files']):
        return 'a file too many: %s' % sorted(set(got['files']) - set(want['files']))
    if kind != 'text' and (not want['files'] or not want['proto']):
        return None  # TensorFlow refuses to draw, or draws each step; in both cases the returned proto has no view
    if want['proto'] or got['proto']:
        return compare_proto(case['view'], want['proto'], got['proto'])
    return None

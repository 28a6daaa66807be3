#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the public script that compares scope files does, in plain Python: a yardstick for `tfprof diff --format script`.

    diff.py A B [NAME_A NAME_B] [--options as the script's]     prints what tfprof prints
    diff.py --bench PROGRAM [LINES]      two made files of so many lines: both run in turn, and how much faster ours is
    diff.py --check PROGRAM [COUNT]      made files and options from a seed: whether both print the same bytes

Nothing is left out of the work, and nothing is done twice: each tree is read once and walked once."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = '_TFProfRoot'
UNITS = {'': 1.0, 'K': 1e3, 'M': 1e6, 'G': 1e9}
CELL = re.compile(r'\((?:.*/)?([0-9]+(?:\.[0-9]+)?)([KMG]?)B\)$')


class Node:
    __slots__ = ('path', 'children', 'values', 'kept')

    def __init__(self, path, count):
        self.path, self.children, self.values, self.kept = path, {}, [None] * count, False


def size(text):
    number, unit = re.fullmatch(r'([0-9.]+)([KMG]?)B?', text).groups()
    return float(number) * UNITS[unit]


def read(root, path, side, count):
    with open(path, encoding='utf-8') as file:
        lines = (line.strip() for line in file)
        started = False
        for line in lines:
            started = started or line.startswith(ROOT)
            if not started:
                continue
            name, cell = line.split()
            number, unit = CELL.match(cell).groups()
            node = root
            if name != ROOT:
                parts = name.split('/')
                for i, part in enumerate(parts):
                    child = node.children.get(part)
                    if child is None:
                        child = node.children[part] = Node('/'.join(parts[:i + 1]), count)
                    node = child
            node.values[side] = float(number) * UNITS[unit]


def keep(root, least, delta):
    """Marks significant rows, the deepest first."""
    order = [root]
    for node in order:
        order.extend(node.children.values())
    for node in reversed(order):
        there = [v for v in node.values if v is not None]
        own = not there or (max(there) >= least and
                            (len(there) < len(node.values) or max(there) > min(there) * (1 + delta)))
        node.kept = own or any(child.kept for child in node.children.values())


def shown(number):
    number, unit = float('%.3g' % number), 0
    while unit < 2 and number >= 1000:
        number, unit = number / 1000, unit + 1
    return ('%.6f' % number).rstrip('0').rstrip('.') + ('B', 'KB', 'MB')[unit]


def write(root, names, to, from_, options, out):
    only = [re.compile('(?:%s)$' % p) for p in options.node_names or ()]
    hide = [re.compile('(?:%s)$' % p) for p in options.hide_nodes or ()]

    def difference(node):
        return (node.values[to] or 0.0) - (node.values[from_] or 0.0)

    left = [(root, 0)]
    while left:
        node, depth = left.pop()
        if not node.kept or (0 < options.max_depth < depth):
            continue
        if depth and only and not any(p.match(node.path) for p in only):
            continue
        values = ' '.join('%s:%s' % (n, shown(v)) for n, v in zip(names, node.values) if v is not None)
        change, base = difference(node), node.values[from_]
        out.append('%s%s (%s) %s%s %s' % ('  ' * depth, node.path or '_TfProfRoot', values, '-' if change < 0 else '+',
                                          shown(abs(change)),
                                          'x%.1f' % ((node.values[to] or 0.0) / base) if base else ''))
        if not any(p.match(node.path) for p in hide):
            left.extend((child, depth + 1) for child in
                        reversed(sorted(node.children.values(), key=difference, reverse=True)))


def arguments(words):
    parser = argparse.ArgumentParser()
    for name in ('a', 'b'):
        parser.add_argument(name)
    parser.add_argument('name_a', nargs='?', default='left')
    parser.add_argument('name_b', nargs='?', default='right')
    parser.add_argument('--delta', type=float, default=0.1)
    parser.add_argument('--min_size', type=size, default=1e6)
    parser.add_argument('--max_depth', type=int, default=0)
    parser.add_argument('--swap_files', action='store_true')
    for name in ('node_names', 'hide_nodes', 'extra_files', 'extra_names'):
        parser.add_argument('--' + name, nargs='*')
    return parser.parse_args(words)


def compare(words):
    options = arguments(words)
    files = [options.a, options.b] + (options.extra_files or [])
    names = [options.name_a, options.name_b] + (options.extra_names or [])
    root = Node('', len(files))
    for i, path in enumerate(files):
        read(root, path, i, len(files))
    keep(root, options.min_size, options.delta)
    to, from_ = (len(files) - 1, 0) if options.swap_files else (0, len(files) - 1)
    a, b = names[to], names[from_]
    out = ['Comparing scope files ' + ', '.join('%s (%s)' % pair for pair in zip(files, names)),
           ' - Showing nodes with minimum size >= %s and relative difference in memory >= %s%% or such children' %
           (shown(options.min_size), options.delta * 100),
           ' - Showing absolute memory differences memory(%s) - memory(%s) and relative memory differences '
           'memory(%s) / memory(%s)' % (a, b, a, b)]
    if options.max_depth > 0:
        out.append(' - Showing nodes up to depth %d' % options.max_depth)
    out.append('')
    write(root, names, to, from_, options, out)
    return '\n'.join(out) + '\n'


# ---- made files ----

def make(rng, lines, path, grow, digits):
    """A tree of names whose totals are sums, in the form of a scope view; one line in twenty is omitted."""
    names = ['']
    while len(names) < lines:
        above = rng.choice(names[-200:]) if rng.random() < 0.8 else rng.choice(names)
        while above.count('/') > 8:
            above = above.rpartition('/')[0]
        names.append('%s/n%d' % (above, len(names)) if above else 'n%d' % len(names))
    totals = {name: rng.choice((0, rng.random() * 10 ** rng.randint(3, digits))) for name in names}
    for name in reversed(names):
        if name:
            totals[name.rpartition('/')[0]] += totals[name]
    with open(path, 'w') as file:
        file.write('node name | requested bytes\n')
        for name in sorted(names, key=lambda name: name.split('/') if name else []):
            value = totals[name] * (rng.uniform(0.5, grow) if rng.random() < 0.3 else 1)
            text = '%.2fMB' % (value / 1e6) if value >= 1e6 else '%.2fKB' % (value / 1e3) if value >= 1e3 else '%dB' % value
            if not name or rng.random() < 0.95:
                file.write('%s%s (--/%s)\n' % ('  ' * (name.count('/') + 1 if name else 0), name or ROOT, text))


def run(program, words):
    return subprocess.run([program, 'diff', *words, '--format', 'script'], stdout=subprocess.PIPE, check=True).stdout


def bench(program, lines):
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in 'ab']
        for path in files:
            make(random.Random(7), lines, path, 2 + len(path) % 2, 8)
        make(random.Random(7), lines, files[1], 3, 8)
        ours, theirs = [], []
        for _ in range(5):
            start = time.perf_counter()
            one = run(program, files)
            middle = time.perf_counter()
            two = subprocess.run([sys.executable, __file__, *files], stdout=subprocess.PIPE, check=True).stdout
            theirs.append(time.perf_counter() - middle)
            ours.append(middle - start)
            if one != two:
                sys.exit('the outputs differ')
        print('two files of %d lines: tfprof %.3f s, Python %.3f s, %.0f times faster (best of 5)' %
              (lines, min(ours), min(theirs), min(theirs) / min(ours)))


def options_for(rng, files):
    words = list(files[:2])
    if rng.random() < 0.3:
        words += ['old', 'new']
    if len(files) > 2:
        words += ['--extra_files', *files[2:], '--extra_names', *('x%d' % i for i in range(len(files) - 2))]
    for chance, option in ((0.4, ['--delta', rng.choice(('0', '0.07', '0.15', '1', '1e-6', '2.5'))]),
                           (0.4, ['--min_size', rng.choice(('0B', '1KB', '2.845KB', '12MB', '999600B'))]),
                           (0.3, ['--max_depth', str(rng.randint(-1, 5))]), (0.3, ['--swap_files']),
                           (0.2, ['--hide_nodes', 'n1.*', 'n[37].*/n.*5']), (0.2, ['--node_names', 'n[2-9].*', 'n1'])):
        if rng.random() < chance:
            words += option
    return words


def check(program, count):
    rng = random.Random(5)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for i in range(count):
            files = ['f%d' % k for k in range(rng.choice((2, 2, 3, 5)))]
            seed = rng.random()
            for path in files:
                make(random.Random(seed if rng.random() < 0.8 else rng.random()), rng.randint(1, 60), path,
                     rng.choice((1, 2, 40)), 11)
            words = options_for(rng, files)
            ours, theirs = run(program, words).decode(), compare(words)
            if ours != theirs:
                print('diff %s\nours:\n%s\nexpected:\n%s' % (' '.join(words), ours, theirs))
                sys.exit('%d passed, 1 failed' % i)
    print('%d passed, 0 failed' % count)


if __name__ == '__main__':
    if sys.argv[1:2] == ['--bench']:
        bench(os.path.abspath(sys.argv[2]), int(sys.argv[3]) if sys.argv[3:] else 100000)
    elif sys.argv[1:2] == ['--check']:
        check(os.path.abspath(sys.argv[2]), int(sys.argv[3]) if sys.argv[3:] else 200)
    else:
        sys.stdout.write(compare(sys.argv[1:]))

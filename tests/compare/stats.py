#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof stats` beside numpy: stats.py PROGRAM

For profiles of several steps, the totals that the program itself shows for each step (-step N -format jsonl) go through
numpy; mean, deviation, percentiles must be what stats says of the same rows. Then runs that do not cover the same nodes,
whose missing steps count as 0, and a profile of many steps made here. Ends with "N passed, N failed".
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = os.path.join(ROOT, 'tests', 'data', 'sample')
FIELDS = {'micros': 'total_exec_micros', 'bytes': 'total_requested_bytes', 'params': 'total_parameters',
          'float_ops': 'total_float_ops', 'cpu_micros': 'total_cpu_exec_micros', 'peak_bytes': 'total_peak_bytes',
          'accelerator_micros': 'total_accelerator_exec_micros', 'output_bytes': 'total_output_bytes',
          'residual_bytes': 'total_residual_bytes', 'occurrence': 'total_run_count'}
PARTS = ('mean', 'cv', 'min', 'median', 'p95', 'max')


def model(folder, **files):
    """The program's flags for a model of the sample."""
    return ['--%s_path=%s' % (format, ','.join(os.path.join(SAMPLE, folder, f) for f in given.split(',')))
            for format, given in files.items()]


MODELS = {
    'odd': model('odd', profile='profile_5'),
    'odd, parts': model('odd', graph='graph_shapes.pb', run_meta='run_meta_0,run_meta_1', op_log='tfprof_log'),
    'dense': model('dense', profile='profile_3.gz'),
    'dense, parts': model('dense', graph='graph_shapes.pbtxt.gz', run_meta='run_meta_0,run_meta_3',
                          op_log='tfprof_log.gz'),
    'dense, five': model('dense', graph='graph_shapes.pbtxt.gz',
                         run_meta='run_meta_0,run_meta_3,run_meta_3,run_meta_0,run_meta_3', op_log='tfprof_log.gz'),
    'dense_resource': model('dense_resource', profile='profile_3.gz'),
    'towers': model('towers', profile='profile_9.gz'),
    'gpu': model('gpu', profile='profile_1.gz'),
    'chance 11': model('chance/11', graph='graph_shapes.pb', run_meta='run_meta_0,run_meta_1,run_meta_2',
                       op_log='tfprof_log'),
    'chance 13': model('chance/13', graph='graph_shapes.pb', run_meta='run_meta_0,run_meta_1,run_meta_2',
                       op_log='tfprof_log'),
    'chance 36': model('chance/36', graph='graph_shapes.pb', run_meta='run_meta_0,run_meta_1', op_log='tfprof_log'),
    'one step': model('seq2seq', graph='graph_shapes.pb.gz', run_meta='run_meta_0.gz', op_log='tfprof_log.gz'),
}
EVERY = ','.join(sorted(FIELDS, reverse=True))  # not in the order of the column table
OPTIONS = [
    ['-select', EVERY, '-max_depth', '100'],
    ['-select', 'bytes,micros', '-max_depth', '3', '-order_by', 'micros'],
    ['-select', 'micros', '-show_name_regexes', '.*a.*', '-max_depth', '100'],
    ['-select', 'micros,occurrence', '-account_type_regexes', '.*[mM].*,.*cpu.*', '-max_depth', '100'],
]
VIEWS = ('scope', 'graph', 'op', 'code')


def run(program, *words):
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode()


def steps_of(program, flags):
    """The steps that the message about a missing step lists."""
    done = subprocess.run([program, 'scope', *flags, '-step', '999999999'], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    return [int(word) for word in done.stderr.decode().split('(steps ')[1].split(')')[0].split()]


def rows_at(program, view, flags, options, step, columns=()):
    """Rows without the root: the names from the root down, with a number if a sibling has the same name, and the numbers of
    `columns`."""
    status, text = run(program, view, *flags, *options, '-step', str(step), '-format', 'jsonl')
    assert status == 0, text
    own = view == 'op'  # the totals of this view include the types that follow
    keys = {name: key.replace('total_', '') if own else key for name, key in FIELDS.items()}
    paths, seen, found = {0: ()}, {}, []
    for row in json.loads('[%s]' % ','.join(text.splitlines()[2:])):
        path = paths[row['parent']] + (row['name'],)
        seen[path] = seen.get(path, -1) + 1
        paths[row['row']] = path[:-1] + ((row['name'], seen[path]),)
        numbers = {name: row[keys[name]] for name in columns}
        found.append((paths[row['row']], row['name'], numbers))
    return found


def wrong_cell(table, column, values):
    """The first cell of a column that differs from numpy's result, or None; `values` has a list for each row, one
    value for each step."""
    values = numpy.array(values, dtype=numpy.float64).reshape(len(table), -1)
    mean, deviation = numpy.mean(values, axis=1), numpy.std(values, axis=1)
    cv = numpy.divide(100 * deviation, mean, out=numpy.zeros_like(mean), where=mean != 0)
    wanted = (mean, cv, values.min(axis=1), numpy.median(values, axis=1), numpy.percentile(values, 95, axis=1),
              values.max(axis=1))
    for part, want in zip(PARTS, wanted):
        got = numpy.array([float(row['%s_%s' % (column, part)]) for row in table])
        close = numpy.isclose(got, want, rtol=1e-12, atol=1e-9 if part == 'cv' else 0)
        if not close.all():
            i = int(numpy.argmin(close))
            return 'row %d: %s_%s is %s, numpy says %s of %s' % (i, column, part, got[i], want[i], values[i][:12].tolist())
    return None


def check(program, view, flags, options):
    """The error, or None."""
    columns = options[options.index('-select') + 1].split(',')
    status, text = run(program, 'stats', '-view', view, *flags, *options, '-format', 'csv')
    first = run(program, view, *flags, *options)[0]
    if first:  # a model without code traces
        return None if status == first and view == 'code' else 'status %d, the view %d' % (status, first)
    table = list(csv.DictReader(io.StringIO(text, newline='')))
    header = text.split('\r\n')[0].split(',')
    if header != ['name', 'op'] + ['%s_%s' % (c, part) for c in columns for part in PARTS]:
        return 'header %s' % header
    # the rows and their order are those of the mean; a single step may show other rows first, so all rows are
    # shown there
    shown = rows_at(program, view, flags, options, -1)
    if len(table) != len(shown):
        return '%d rows, the view %d' % (len(table), len(shown))
    whole = [*options, '-order_by', 'name', '-max_depth', '1000']
    steps = [{path: numbers for path, _, numbers in rows_at(program, view, flags, whole, step, columns)}
             for step in steps_of(program, flags)]
    for row, (path, name, _) in zip(table, shown):
        before, slash, last = name.rpartition('/')
        if (plain(row['name']), plain(row['op'])) != ((before, last) if slash else (name, '')):
            return 'row %s, %s; the view %s' % (row['name'], row['op'], name)
    if not table:
        return None
    for column in columns:
        wrong = wrong_cell(table, column, [[numbers[path][column] for numbers in steps] for path, _, _ in shown])
        if wrong:
            return wrong
    return None


def plain(cell):
    """Without the apostrophe that prevents spreadsheets from reading a name as a formula."""
    return cell[1:] if cell[:2] in ("'=", "'+", "'-", "'@") else cell


# ---- a profile made here ----

def varint(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def run_meta(times):
    """RunMetadata of host nodes that take these microseconds each."""
    stats = [field(1, name.encode()) + field(2, 1) + field(3, 0) + field(4, took) + field(5, took) for name, took in times.items()]
    device = field(1, b'/device:CPU:0') + b''.join(field(2, one) for one in stats)
    return field(1, field(1, device))


def check_made(program, folder, count):
    """Nodes that run in every step, in every third, in none; the statistics of a scope are those of its sums."""
    generator = numpy.random.default_rng(count)
    flags, values = [], {'net': [], 'net/a': [], 'net/b': []}
    for step in range(count):
        times = {'net/a': int(generator.integers(1, 10 ** int(generator.integers(1, 9))))}
        if step % 3 == 0:
            times['net/b'] = int(generator.integers(1, 1000))
        path = os.path.join(folder, '%d_%d' % (count, step))
        with open(path, 'wb') as f:
            f.write(run_meta(times))
        flags.append(path)
        for name in ('net/a', 'net/b'):
            values[name].append(times.get(name, 0))
        values['net'].append(sum(times.values()))
    graph = os.path.join(folder, 'graph')
    with open(graph, 'wb') as f:
        for name in ('net/a', 'net/b', 'net/c'):
            f.write(field(1, field(1, name.encode()) + field(2, b'NoOp')))
    values['net/c'] = [0] * count
    status, text = run(program, 'stats', '--graph_path=' + graph, '--run_meta_path=' + ','.join(flags), '-format', 'csv')
    table = list(csv.DictReader(io.StringIO(text, newline='')))
    if status or [row['name'] + ('/' + row['op'] if row['op'] else '') for row in table] != sorted(values):
        return 'status %d, %s' % (status, text)
    return wrong_cell(table, 'micros', [values[name] for name in sorted(values)])


def main():
    program, passed, failed = os.path.abspath(sys.argv[1]), 0, 0

    def tell(what, wrong):
        nonlocal passed, failed
        if wrong:
            failed += 1
            print('%s: %s' % (what, wrong))
        else:
            passed += 1

    for name, flags in MODELS.items():
        for view in VIEWS:
            for options in OPTIONS:
                tell('%s, %s, %s' % (name, view, ' '.join(options)), check(program, view, flags, options))
    with tempfile.TemporaryDirectory() as folder:
        for count in (1, 2, 3, 4, 5, 10, 20, 21, 63, 64, 65, 66, 100, 201):
            tell('%d steps' % count, check_made(program, folder, count))
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""What the pages say about Python is true: docs/python.md, docs/python/ and README.md.

Every ```python block of a page runs, in order, in one namespace a page, in a folder that has the
sample inputs. What it prints must be the ```text block right below it (without one: nothing);
`...` there stands for any lines. UPDATE=1 writes the answers that differ, as the golden tests do:
the diff is what gets reviewed.

In a page's source, before a block or anywhere above it:
    <!-- needs: MODULE ... -->          the next block runs only where these can be imported
    <!-- file: NAME = PATH -->          what the page calls NAME is tests/data/sample/PATH
The tables of imports and of errors are held against the package too.
"""
import contextlib
import difflib
import importlib.util
import io
import os
import re
import sys
import tempfile
import unittest
import warnings

import tfprof

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
SAMPLE = os.path.join(ROOT, 'tests', 'data', 'sample')
PAGE = os.path.join('docs', 'python.md')
COMPAT = os.path.join('docs', 'python', 'tensorflow.md')
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')


def golden():
    """The golden tests' runner, which decides whether an answer is the expected one."""
    path = os.path.join(ROOT, 'tests', 'golden', 'run.py')
    spec = importlib.util.spec_from_file_location('golden', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def importable(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


class Block:
    """A ```python block: its code, the lines of its answer, and the modules that it needs."""

    def __init__(self, line, code, needs):
        self.line, self.code, self.needs = line, code, needs
        self.first = self.last = line + len(code) + 1
        self.has_answer = False


def blocks_of(lines):
    """-> Blocks, {name: path of a sample}"""
    found, files, needs, i = [], {}, [], 0
    while i < len(lines):
        note = re.match(r'<!-- (needs|file): (.+) -->', lines[i])
        if note and note[1] == 'needs':
            needs = note[2].split()
        elif note:
            name, path = note[2].split(' = ')
            files[name] = path
        if not lines[i].startswith('```'):
            i += 1
            continue
        end = lines.index('```', i + 1)
        if lines[i] == '```python':
            found.append(Block(i + 1, lines[i + 1:end], needs))
            needs = []
        elif lines[i] == '```text' and found and not ''.join(lines[found[-1].last:i]).strip():
            found[-1].first, found[-1].last, found[-1].has_answer = i + 1, end, True
        i = end + 1
    return found, files


def make_folder(folder, files):
    for name in os.listdir(SAMPLE):
        os.symlink(os.path.join(SAMPLE, name), os.path.join(folder, name))
    os.symlink(os.path.join(ROOT, 'tests'), os.path.join(folder, 'tests'))  # paths as seen from the root of a clone
    for name, path in files.items():
        os.symlink(os.path.join(SAMPLE, path), os.path.join(folder, name))


def printed(block, page, names):
    """The output of a block on sys.stdout, as lines without blank ones at the ends."""
    heard = io.StringIO()
    code = compile('\n' * block.line + '\n'.join(block.code), page, 'exec')
    with contextlib.redirect_stdout(heard), warnings.catch_warnings():
        warnings.simplefilter('ignore')
        exec(code, names)
    lines = [line.rstrip() for line in heard.getvalue().split('\n')]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


@contextlib.contextmanager
def inside(files):
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        make_folder(folder, files)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


class Pages(unittest.TestCase):
    def check(self, page, least):
        path = os.path.join(ROOT, page)
        with open(path, encoding='utf-8') as file:
            lines = file.read().split('\n')
        blocks, files = blocks_of(lines)
        self.assertGreaterEqual(len(blocks), least)
        edits = []
        with inside(files):
            names = {'__name__': 'page'}
            for block in blocks:
                if not all(importable(name) for name in block.needs):
                    needed = ' '.join(block.needs)
                    print('skipped: %s:%d: needs %s' % (page, block.line, needed))
                    continue
                with self.subTest(line=block.line):
                    self.check_block(block, page, names, lines, edits)
        if edits:
            for block, got in reversed(edits):
                answer = got if block.has_answer else ['', '```text', *got, '```']
                lines[block.first:block.last] = answer
            with open(path, 'w', encoding='utf-8') as file:
                file.write('\n'.join(lines))

    def check_block(self, block, page, names, lines, edits):
        got, expected = printed(block, page, names), lines[block.first:block.last]
        rules, update = golden(), bool(os.environ.get('UPDATE'))
        if rules.matches(expected, got) and not (update and expected == ['...']):
            return
        if update:
            edits.append((block, rules.rewritten(expected, got)))
            return
        diff = difflib.unified_diff(expected, got, 'expected', 'got', lineterm='', n=1)
        self.fail('%s:%d\n%s' % (page, block.line, '\n'.join(list(diff)[:40])))

    def test_python_md(self):
        self.check(PAGE, 10)

    def test_tensorflow_md(self):
        self.check(COMPAT, 4)

    def test_readme(self):
        self.check('README.md', 1)


def rows(page, heading):
    """The rows of the table below a heading of a page, as lists of cells."""
    with open(os.path.join(ROOT, page), encoding='utf-8') as file:
        text = file.read()
    section = re.split(r'\n#+ ', text.split('\n' + heading + '\n')[1])[0]
    table = [line for line in section.split('\n') if line.startswith('|')]
    return [[cell.strip() for cell in re.split(r'(?<!\\)\|', line)[1:-1]] for line in table[2:]]


def code_in(cell):
    return re.findall(r'`([^`]+)`', cell)


def says(told, line):
    """Whether an import line in a cell imports the same as `line`, under any name; `...` is any
    name."""
    module, name = re.fullmatch(r'from (\S+) import (\w+)(?: as \w+)?', line).groups()
    for one in told:
        found = re.fullmatch(r'from (\S+) import (.+?)(?: as \w+)?', one)
        if found and found[1] == module and (found[2] == '...' or name in found[2].split(', ')):
            return True
    return False


class Tables(unittest.TestCase):
    @unittest.skipUnless(importable('tensorflow'), 'needs tensorflow')
    def test_every_replacement_can_be_imported(self):
        tried = 0
        for _, new, _ in rows(COMPAT, '## Which import becomes which'):
            for line in code_in(new):
                if not line.startswith(('import ', 'from ')):
                    continue
                with self.subTest(line):
                    exec(line, {})
                    tried += 1
        self.assertGreater(tried, 20)

    def test_the_scripts_of_the_tests_are_changed_as_told(self):
        """The import lines that tests/python/compat/scripts.py replaces are in the table."""
        with open(os.path.join(ROOT, 'tests', 'python', 'compat', 'scripts.py'), encoding='utf-8') as file:
            pairs = re.findall(r'(from tensorflow\.[\w. ]+)\W+(from tfprof[\w. ]+)', file.read())
        table = rows(COMPAT, '## Which import becomes which')
        told = [(code_in(old), code_in(new)) for old, new, _ in table]
        self.assertGreater(len(pairs), 5)
        for old, new in pairs:
            found = any(says(theirs, old) and says(ours, new) for theirs, ours in told)
            self.assertTrue(found, (old, new))

    def test_errors(self):
        told = {}
        for cells in rows(PAGE, '## Errors'):
            name, also, status = code_in(cells[0])[0], code_in(cells[1]), int(cells[2])
            told[name] = ((also or ['Exception'])[0], status)
        made = {}
        for name in tfprof.__all__:
            kind = getattr(tfprof, name)
            if isinstance(kind, type) and issubclass(kind, tfprof.Error):
                base = kind.__bases__[-1].__name__
                made[name] = ('Exception' if base == 'Error' else base, kind.exit_status)
        self.assertEqual(told, made)

    def test_every_name_is_explained(self):
        """tfprof.help describes each name, so docs/python.md need not."""
        for table in ('views', 'options', 'outputs', 'formats', 'columns', 'checkers', 'notes'):
            self.assertTrue(tfprof.names(table))
            for name in tfprof.names(table):
                self.assertTrue(tfprof.help(table, name).strip(), (table, name))

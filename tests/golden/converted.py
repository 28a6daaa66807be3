#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the golden transcripts once more, on files that `tfprof convert` made of their inputs: the bytes of
stdout and stderr, and the status, must be those that the inputs themselves give.

    converted.py PROGRAM [FILE...]      FILE: a .test beside this file or a .md; without any: all of both

Taken are the commands that are `tfprof VIEW ...`, `stats`, `query` or `diff` without anything of the shell around them. A
checkpoint stays beside the converted file. The inputs of `diff` are converted side by side, those of the others together;
what convert refuses, the command refuses too, so it is left out; so are queries over several runs. Each input is converted
twice, which must give the same bytes: hashes have another seed in each process, and no answer may depend on it."""
import concurrent.futures
import filecmp
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

import run as golden

FLAG = re.compile(r'--?(profile|graph|run_meta|op_log|kineto|xplane|hlo|capture|eager)_path(=(.*))?$')
CHECKPOINT = re.compile(r'--?checkpoint_path(=(.*))?$')
VERBS = set('info summary scope graph op code lines flops params memory calls kernel steps transfer wait whatif check advise '
            'stats query diff'.split())
# its output begins with a line about flags that name parts of a profile
PARTS_ARE_TOLD = {'advise', '-compat', 'tensorflow'}
FEWEST = 300  # the least number of commands when all transcripts are compared


class Inputs:
    """The words of one command: the inputs, the position of the first of them, and the other
    words."""

    def __init__(self, words, cwd):
        self.files, self.others, i = [], [], 0
        while i < len(words):
            word, more = words[i], 1
            if FLAG.match(word):
                more = 1 if '=' in word else 2
                self.add(words[i:i + more])
            elif CHECKPOINT.match(word):
                more = 1 if '=' in word else 2
                self.others += words[i:i + more]
            elif i and not word.startswith('-') and os.path.exists(os.path.join(cwd, word)):
                self.others.append(word) if is_checkpoint(os.path.join(cwd, word)) else self.add([word])
            else:
                self.others.append(word)
            i += more

    def add(self, words):
        if not self.files:
            self.at = len(self.others)
        self.files += words


def is_checkpoint(path):
    return 'ckpt' in path and not os.path.isdir(path)


class Converted:
    def __init__(self, program, scratch):
        self.program, self.scratch, self.made, self.unequal = program, scratch, {}, []

    def convert(self, shell, files, functions, path):
        done = subprocess.run([self.program, 'convert', *files, *(['--functions'] if functions else []), '-o', path],
                              cwd=shell.cwd, env=shell.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return done.returncode == 0

    def of(self, shell, files, functions):
        """The converted file of these inputs, or None if they are refused."""
        key = (shell.cwd, tuple(files), functions)
        if key not in self.made:
            path = os.path.join(self.scratch, 'c%d.tfprof' % len(self.made))
            self.made[key] = path if self.convert(shell, files, functions, path) else None
            if self.made[key]:
                again = os.path.join(self.scratch, 'again.tfprof')
                if not self.convert(shell, files, functions, again) or not filecmp.cmp(path, again, shallow=False):
                    self.unequal.append(' '.join(files))
        return self.made[key]


def commands(path):
    """(folder, words) of the commands of a transcript or document that can be run on converted files."""
    document = path.endswith('.md')
    with open(path, encoding='utf-8') as f:
        lines = f.read().split('\n')
    for block in golden.blocks_of_document(lines) if document else [golden.whole(lines)]:
        for command, entries in golden.parse(lines, block, document, 'tfprof'):
            words = shell_words(command)
            if len(entries) == 1 and words and words[0] == 'tfprof' and len(words) > 1 and words[1] in VERBS:
                yield block.folder, words[1:]


def shell_words(command):
    """The words of a command that uses nothing of the shell except quotes; else None."""
    quoted = re.sub(r"'[^']*'|\"[^\"$`]*\"", '', command)
    return None if re.search(r'[|&;<>$`*?]', quoted) else shlex.split(command)


def replaced(converted, shell, words):
    """The same command on converted files, and the converted files by name; None if an input is refused."""
    functions = any(w in ('--functions', '-functions') for w in words)
    if words[0] == 'diff':
        out, names = [], {}
        for word in words:
            name, at, step = word.partition('@')
            there = os.path.isfile(os.path.join(shell.cwd, name))
            made = converted.of(shell, [name], functions) if there else None
            if there and not made:
                return None
            names.update({made: name} if made else {})
            out.append(made + at + step if made else word)
        return (out, names) if names else None
    inputs = Inputs(words, shell.cwd)
    steps = {f.partition('@')[2] for f in inputs.files}
    if not inputs.files or steps != {''} or PARTS_ARE_TOLD <= set(words):
        return None
    if any('limits_chain' in word for word in words) and any(name.endswith('_et.json') for name in inputs.files):
        return None  # storages of tensors are not stored, so that chains are by shapes (docs/limits.md)
    if words[0] == 'query' and len(inputs.files) > 1 and count_runs(converted.program, shell, inputs.files) > 1:
        return None
    made = converted.of(shell, inputs.files, functions)
    return ([*inputs.others[:inputs.at], made, *inputs.others[inputs.at:]], {}) if made else None


def count_runs(program, shell, files):
    """`query` keeps runs separate, but a converted file is one profile."""
    told = answer(program, shell, ['query', 'SELECT count(*) AS n FROM profiles', *files, '-format', 'csv'])[0].split()
    return int(told[-1]) if told else 0


def answer(program, shell, words):
    done = subprocess.run([program, *words], cwd=shell.cwd, env=shell.env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=golden.SECONDS)
    return done.stdout, done.stderr, done.returncode


def told(text, names):
    for made, name in names.items():
        text = text.replace(made.encode(), name.encode())
    return text


def check(program, path):
    """(the number of compared commands, the differences)"""
    compared, wrong = 0, []
    with tempfile.TemporaryDirectory() as scratch:
        converted = Converted(program, scratch)
        for folder, words in commands(path):
            if any(re.match(r'--?(capture|inductor)_path', word) for word in words):
                # files that accompany a trace: convert joins them, and no more can be added to a converted
                # profile
                continue
            shell = golden.Shell(program, folder, scratch)
            other = replaced(converted, shell, words)
            if not other:
                continue
            want, got = answer(program, shell, words), answer(program, shell, other[0])
            got = told(got[0], other[1]), told(got[1], other[1]), got[2]
            compared += 1
            if want != got:
                wrong.append((' '.join(words), want, got))
    return compared, wrong + [('convert ' + files, 'the same bytes', 'others') for files in converted.unequal]


def main():
    program = os.path.abspath(sys.argv[1])
    files = sys.argv[2:] or sorted(glob.glob(os.path.join(golden.HERE, '**', '*.test'), recursive=True)) + \
        [os.path.join(golden.ROOT, 'README.md')] + sorted(glob.glob(os.path.join(golden.ROOT, 'docs', '**', '*.md'), recursive=True))
    failed = compared = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (count, wrong) in zip(files, pool.map(lambda path: check(program, path), files)):
            compared += count
            failed += len(wrong)
            for words, want, got in wrong:
                print('%s: converted, this differs: tfprof %s' % (os.path.basename(path), words))
                if words.startswith('convert '):
                    print('  it gives other bytes each time')
                    continue
                for name, a, b in zip(('stdout', 'stderr', 'status'), want, got):
                    if a != b:
                        print('  %s of the inputs:\n%s\n  and converted:\n%s' % (name, str(a)[:1500], str(b)[:1500]))
    print('%d passed, %d failed' % (compared - failed, failed))
    if not sys.argv[2:] and compared < FEWEST:
        print('converted: fewer than %d commands were compared' % FEWEST)
        failed += 1
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the golden transcripts: commands and the exact answers, as a user would see them.

    run.py PROGRAM [FILE...]        FILE: a .test beside this file or a .md; without any: all of both
    UPDATE=1 run.py PROGRAM ...     writes the answers that differ; the diff is what gets reviewed

A transcript (*.test):
    # a comment                         at the start of a line; "# in: FOLDER" in the first line says where commands run,
                                        below the repository's root; without it in tests/data/sample
    $ tfprof scope -max_depth 1 ...     run by sh, with `tfprof` the program under test
    ...                                 in an answer: any lines. At the start of one it stays when answers are rewritten,
                                        and alone it asks for the lines below `Profile:`
    ! a line of stderr                  the lines of stderr, after those of stdout
    ? 2                                 the exit status, when it is not 0; a carriage return shows as \\r
    tfprof> scope -max_depth 2          after a `$ tfprof` without a verb: a line for its stdin, and its answer
Empty lines at the end of an answer do not count. Files that a command writes land in a scratch folder, new for each
transcript.

Code blocks of README.md and docs/ that start with `$ tfprof` or `tfprof>` run the same way, but show stderr as it
is and no status. `<!-- in: FOLDER -->` before a block says where it and those after it run; `<!-- not run -->` leaves
the next one out; `<!-- terminal: 96 -->` shows the next one as people see it at a terminal that is so wide.
"""
import concurrent.futures
import difflib
import glob
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SAMPLE = 'tests/data/sample'
PROMPT, SHELL = 'tfprof> ', '$ '
sys.path.append(os.path.join(ROOT, 'tests', 'schema'))
from logged import log  # noqa: E402

# in the output of --version, which changes with each commit
COMMIT = re.compile(r'^(tfprof \d[\w.]*) \(commit [0-9a-f]+\)$', re.MULTILINE)
SECONDS = 120  # seconds for one command, under sanitizers on a busy machine


class Entry:
    """One command and its answer; lines[first:last] of the file hold the answer."""

    def __init__(self, command, first):
        self.command, self.first, self.last = command, first, first

    def expected(self, lines):
        answer = list(lines[self.first:self.last])
        while answer and not answer[-1].strip():
            answer.pop()
        return answer


class Block:
    """Lines first..last of a file that are one transcript, all indented by `indent`."""

    def __init__(self, first, indent, folder, columns=0):
        self.first, self.last, self.indent, self.folder = first, first, indent, folder
        self.columns = columns  # width of the terminal; 0: a pipe


def parse(lines, block, document, session):
    """-> runs: (shell command, Entries): the first entry is the command's own answer, the others are lines of its
    session."""
    runs, entry = [], None
    for i in range(block.first, block.last):
        line = lines[i][len(block.indent):]
        if line.startswith(SHELL):
            entry = Entry(line[len(SHELL):], i + 1)
            runs.append((entry.command, [entry]))
        elif line.startswith(PROMPT) or line == PROMPT.rstrip():
            if not runs:
                if not session:
                    raise ValueError('line %d: no `$ tfprof` before it says on what to run this' % (i + 1))
                runs.append((session, [Entry(None, i)]))
            entry = Entry(line[len(PROMPT):], i + 1)
            runs[-1][1].append(entry)
        elif line.startswith('# ') and not document:
            entry = None  # a comment ends the previous answer
        if entry:
            entry.last = i + 1
    return runs


def blocks_of_document(lines):
    """Fenced and indented code blocks that start with a command of ours."""
    found, folder, skip, columns, i = [], SAMPLE, False, 0, 0
    while i < len(lines):
        where = re.match(r'<!-- in: (\S+) -->', lines[i])
        folder = where[1] if where else folder
        skip = skip or lines[i].startswith('<!-- not run -->')
        screen = re.match(r'<!-- terminal: (\d+) -->', lines[i])
        columns = int(screen[1]) if screen else columns
        fence = re.match(r'( *)```', lines[i])
        starts = lines[i + 1:i + 2] if fence else lines[i:i + 1]
        indent = fence[1] if fence else '    ' if lines[i].startswith('    ') else None
        end = i
        if fence:
            end = i + 1
            while end < len(lines) and not lines[end].startswith(indent + '```'):
                end += 1
        elif indent:
            while end < len(lines) and (lines[end].startswith(indent) or not lines[end].strip()):
                end += 1
        if indent is not None and starts and re.match(r'(\$ tfprof\b|tfprof>)', starts[0][len(indent):]):
            if not skip:
                block = Block(i + 1 if fence else i, indent, folder, columns)
                block.last = end
                found.append(block)
        if end > i:
            skip, columns = False, 0
        i = end + 1 if fence else max(end, i + 1)
    return found


def whole(lines):
    """A transcript is one block."""
    where = re.match(r'# in: (\S+)', lines[0])
    block = Block(0, '', where[1] if where else SAMPLE)
    block.last = len(lines)
    return block


def matches(expected, got):
    """`...` stands for any lines."""
    parts, part = [], []
    for line in expected:
        if line.strip() == '...':
            parts.append(part)
            part = []
        else:
            part.append(line)
    parts.append(part)
    if len(parts) == 1:
        return expected == got
    first, last = parts[0], parts[-1]
    if len(first) + len(last) > len(got) or got[:len(first)] != first or (last and got[-len(last):] != last):
        return False
    at, end = len(first), len(got) - len(last)
    for part in parts[1:-1]:
        while at + len(part) <= end and got[at:at + len(part)] != part:
            at += 1
        if at + len(part) > end:
            return False
        at += len(part)
    return True


def rewritten(expected, got):
    """The text that UPDATE writes: a leading `...` still replaces the lines up to and including
    `Profile:`."""
    if expected[:1] == ['...'] and 'Profile:' in got:
        return ['...'] + got[got.index('Profile:') + 1:]
    return got


class Shell:
    """Runs commands in a scratch folder that has the files of `folder`."""

    def __init__(self, program, folder, scratch):
        self.cwd = os.path.join(scratch, 'in_' + folder.replace('/', '_'))
        bin_ = os.path.join(scratch, 'bin')
        if not os.path.isdir(bin_):
            os.mkdir(bin_)
            os.symlink(program, os.path.join(bin_, 'tfprof'))
        if not os.path.isdir(self.cwd):
            os.mkdir(self.cwd)
            for name in os.listdir(os.path.join(ROOT, folder)):
                os.symlink(os.path.join(ROOT, folder, name), os.path.join(self.cwd, name))
        home = os.path.join(scratch, 'home')
        self.env = dict(os.environ, PATH=bin_ + os.pathsep + os.environ['PATH'], HOME=home, XDG_STATE_HOME=home,
                        XDG_CONFIG_HOME=home, LC_ALL='C.UTF-8', TERM='dumb', NO_COLOR='1')

    def at_terminal(self, command, columns):
        """The text on a terminal, without colours and without blanks at the ends of lines."""
        pid, fd = pty.fork()
        if pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 50, columns, 0, 0))
            os.chdir(self.cwd)
            os.execve('/bin/sh', ['sh', '-c', command], dict(self.env, TFPROF_PAGER='cat'))
        told = b''
        try:
            while data := os.read(fd, 65536):
                told += data
        except OSError:  # the command closed the terminal
            pass
        _, status = os.waitpid(pid, 0)
        os.close(fd)
        return re.sub(r' *\r\n', '\n', told.decode('utf-8')), '', os.waitstatus_to_exitcode(status)

    def run(self, command, stdin):
        done = subprocess.run(['sh', '-c', command], cwd=self.cwd, env=self.env, input=stdin.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
        text = [data.decode('utf-8', 'backslashreplace') for data in (done.stdout, done.stderr)]
        text[0] = COMMIT.sub(r'\1', text[0])
        log('command', text[0], command)
        return text[0], text[1], done.returncode

    def answers(self, command, entries, columns=0):
        """(stdout, stderr, status) for each entry; the answer to a line is what it adds to the output of the
        session that ends before it."""
        if columns:
            return [self.at_terminal(command, columns)]
        found, out, err = [], '', ''
        for count in range(1, len(entries) + 1):
            typed = ''.join(e.command + '\n' for e in entries[1:count])
            o, e, status = self.run(command, typed)
            if not o.startswith(out) or not e.startswith(err):
                raise ValueError('a session gave another answer when its last line was left out')
            found.append((o[len(out):], e[len(err):], status if count == len(entries) else 0))
            out, err = o, e
        return found


def shown(answer, document):
    out, err, status = answer
    lines, wrong = (text.replace('\r', '\\r').split('\n') for text in (out, err))
    while wrong and not wrong[-1]:
        wrong.pop()
    if lines[-1] == '':
        lines.pop()
    if wrong or status:
        while lines and not lines[-1].strip():
            lines.pop()
    if document:
        lines += wrong
    else:
        lines += ['! ' + w if w else '!' for w in wrong]
        lines += ['? %d' % status] if status else []
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def check(program, path, update):
    """-> passed, failed, report"""
    document = path.endswith('.md')
    with open(path, encoding='utf-8') as f:
        lines = f.read().split('\n')
    blocks = blocks_of_document(lines) if document else [whole(lines)]
    passed, report, edits, session = 0, [], [], None
    name = os.path.relpath(path, ROOT)
    with tempfile.TemporaryDirectory() as scratch:
        for block in blocks:
            shell = Shell(program, block.folder, scratch)
            try:
                runs = parse(lines, block, document, session)
            except ValueError as wrong:
                report.append('%s: %s' % (name, wrong))
                continue
            for command, entries in runs:
                session = command if command.startswith('tfprof') else session
                try:
                    answers = shell.answers(command, entries, block.columns)
                except (ValueError, subprocess.TimeoutExpired) as wrong:
                    report.append('%s:%d: %s' % (name, entries[0].first, wrong))
                    continue
                for entry, answer in zip(entries, answers):
                    if entry.command is None:
                        continue
                    expected = [l[len(block.indent):] for l in entry.expected(lines)]
                    got = shown(answer, document)
                    if matches(expected, got) and not (update and expected == ['...']):
                        passed += 1
                        continue
                    edits.append((entry, block.indent, rewritten(expected, got)))
                    diff = difflib.unified_diff(expected, got, 'expected', 'got', lineterm='', n=1)
                    report.append('%s:%d: %s\n%s' % (name, entry.first, entry.command, '\n'.join(list(diff)[:40])))
    if update and edits:
        for entry, indent, answer in sorted(edits, key=lambda e: -e[0].first):
            kept = len(entry.expected(lines))
            lines[entry.first:entry.first + kept] = [(indent + l).rstrip() if not l.strip() else indent + l for l in answer]
        with open(path, 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines))
    return passed, report


def main(words):
    if not words:
        raise SystemExit(__doc__)
    program, update = os.path.abspath(words[0]), bool(os.environ.get('UPDATE'))
    files = [os.path.abspath(w) for w in words[1:]] or sorted(
        glob.glob(HERE + '/**/*.test', recursive=True) + glob.glob(ROOT + '/docs/**/*.md', recursive=True) + glob.glob(ROOT + '/README.md'))
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for good, report in pool.map(lambda f: check(program, f, update), files):
            passed, failed = passed + good, failed + len(report)
            for text in report:
                print(text)
    if update and failed:
        print('rewrote the answers above')
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed and not update else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

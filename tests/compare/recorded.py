#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the program with the answers of TensorFlow 2.21's tfprof core that record_cases.py recorded. No TensorFlow
needed.

    recorded.py PROGRAM [REGEX]     REGEX: only cases whose id matches
"""
import base64
import concurrent.futures
import json
import lzma
import os
import re
import sys

import program
import rules

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, '..', 'data', 'sample')
ANSWERS = os.path.join(HERE, '..', 'golden', 'tensorflow', 'answers.jsonl.xz')


def bytes_of(text):
    """The inverse of record_cases.text_of; a digest stays a str."""
    if isinstance(text, dict):
        return text['sha256']
    return base64.b64decode(text[0]) if isinstance(text, list) else text.encode()


def cases(pattern):
    with lzma.open(ANSWERS, 'rt', encoding='utf-8') as f:
        for line in f:
            case = json.loads(line)
            if not re.search(pattern, case['id']):
                continue
            answer = case.pop('answer')
            yield case, {'stdout': bytes_of(answer['stdout']), 'proto': bytes_of(answer['proto']),
                         'coverage': answer['coverage'],
                         'files': {name: bytes_of(data) for name, data in answer['files'].items()}}


def check(binary, case, want, base):
    """None, or the difference, with the command that repeats it."""
    try:
        got, said = program.answer(binary, case, base)
        message = rules.compare(case, want, got)
        if message and said:
            message += '\n      stderr: ' + said.strip()[-300:]
    except RuntimeError as wrong:
        message = str(wrong)
    if not message:
        return None
    typed = ' <<< %r' % case['stdin'] if 'stdin' in case else ''
    command = ' '.join(w if re.match(r'[\w./,:=+-]+$', w) else "'%s'" % w for w in program.command_of(binary, case, base))
    return '%s: %s\n      %s%s' % (case['id'], message, os.path.relpath(binary) + command[len(binary):], typed)


def main(words):
    if not words:
        raise SystemExit(__doc__)
    binary = program.executable(words[0])
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        todo = [pool.submit(check, binary, case, want, os.path.abspath(SAMPLE))
                for case, want in cases(words[1] if len(words) > 1 else '')]
        for done in todo:
            message = done.result()
            passed, failed = passed + (not message), failed + bool(message)
            if message:
                print(message)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records TensorFlow's answers on the sample for recorded.py. Needs tensorflow-cpu==2.21.0 and g++.

    record_cases.py [BUILD FOLDER]      writes ../golden/tensorflow/answers.jsonl.xz

One line a case: the case with its answer, {OUT} standing for the output file's path. Of a large proto only a digest is
kept.
"""
import base64
import json
import lzma
import os
import shutil
import sys
import tempfile

import cases
import core
import rules

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, '..', 'data', 'sample')
TARGET = os.path.join(HERE, '..', 'golden', 'tensorflow', 'answers.jsonl.xz')
SEED, RANDOM = 2026, 200
LARGEST = 200000       # largest size of an answer in bytes; live.py checks larger ones
LARGEST_PROTO = 1000


def unpacked(target):
    """Unpacked copies, because TensorFlow does not read packed files."""
    for folder, _, names in os.walk(SAMPLE):
        to = os.path.join(target, os.path.relpath(folder, SAMPLE))
        os.makedirs(to, exist_ok=True)
        for name in names:
            source = os.path.join(folder, name)
            if name.endswith('.gz'):
                with open(os.path.join(to, name[:-3]), 'wb') as f:
                    f.write(core.read(source))
            else:
                shutil.copyfile(source, os.path.join(to, name))


def text_of(data):
    """The text if the data is UTF-8, else base64 in a list, because JSON has no bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return [base64.b64encode(data).decode()]


def proto_of(case, proto):
    return text_of(proto) if len(proto) <= LARGEST_PROTO else {'sha256': rules.digest(case['view'], proto)}


def main(folder):
    with tempfile.TemporaryDirectory() as base:
        unpacked(base)
        asked = cases.fixed() + cases.random_cases(
            SEED, RANDOM, [(p, p['profile']) for p in (cases.DENSE, cases.GPU, cases.ODD, cases.TOWERS)], base)
        answers = core.Core(folder).answers(asked, base)
    lines, left_out = [], 0
    for case, answer in zip(asked, answers):
        if answer is None:
            print('%s: TensorFlow died of %s' % (case['id'], case))
            continue
        size = len(answer['stdout']) + sum(map(len, answer['files'].values()))
        if size > LARGEST:
            left_out += 1
            continue
        case = dict(case, answer={
            'stdout': text_of(answer['stdout']), 'proto': proto_of(case, answer['proto']), 'coverage': answer['coverage'],
            'files': {name: text_of(data) for name, data in answer['files'].items()}})
        lines.append(json.dumps(case, ensure_ascii=False, sort_keys=True))
    os.makedirs(os.path.dirname(TARGET), exist_ok=True)
    with open(TARGET, 'wb') as f:
        f.write(lzma.compress('\n'.join(lines).encode(), preset=9 | lzma.PRESET_EXTREME))
    print('%d cases, %d too large, %d bytes packed' % (len(lines), left_out, os.path.getsize(TARGET)))


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(tempfile.gettempdir(), 'tfprof-bridge'))

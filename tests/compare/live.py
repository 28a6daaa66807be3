#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the program with TensorFlow's own tfprof core, side by side, on models recorded on the spot.

    live.py PROGRAM [-seed N] [-count N] [-folder DIR] [-keep]

Needs tensorflow-cpu==2.21.0 in the Python that runs it, and g++. DIR (build-compare) takes the models and the bridge;
-keep takes the models that are there already. Asked: the fixed cases of cases.py, -count random option sets from
-seed, and what TensorFlow answers about profiles that our `convert` wrote.
"""
import argparse
import collections
import concurrent.futures
import copy
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import cases
import core
import program
import rules

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RESNET, SEQ2SEQ = cases.profile('resnet32/profile_1'), cases.profile('seq2seq/profile_1')
SOURCES = [(asked, asked['profile']) for asked in (
    cases.DENSE, cases.RESOURCE, cases.TOWERS, cases.GPU, cases.ODD, RESNET, SEQ2SEQ)] + [
    (cases.files('towers', 'graph_shapes.pb', [0, 1, 2]), 'towers/profile_9'),
    (cases.files('resnet32', 'graph_shapes.pbtxt', [0, 1]), 'resnet32/profile_1'),
    (cases.files('odd', 'graph.pbtxt', [0, 1]), 'odd/profile_5'),
    (cases.NO_STREAM, 'gpu/profile_nostream_0')]
CONVERTED = [cases.DENSE, cases.RESOURCE, cases.TOWERS, cases.GPU, cases.ODD, RESNET, SEQ2SEQ,
             cases.files('towers', 'graph_shapes.pb', [0, 1, 2]), cases.files('odd', 'graph_shapes.pb', [0, 1]),
             cases.files('dense', 'graph.pb', [0, 3])]


def make_models(base):
    """Makes the models of tests/data/make_models.py, each in a fork of this process, which has loaded TensorFlow and
    started nothing of it: loading takes two thirds of the time if each model has a new process."""
    sys.path.insert(0, os.path.join(ROOT, 'tests', 'data'))
    os.environ.update(TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='')
    with core.Quiet((2,)):
        import tensorflow  # noqa: F401  and no module of the models: some change its mode
    import make_models
    for name in make_models.MODELS:
        with tempfile.TemporaryFile() as said:
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    os.dup2(said.fileno(), 1)
                    os.dup2(said.fileno(), 2)
                    make_models.one(base, name)
                    status = 0
                except BaseException:  # pylint: disable=broad-except
                    traceback.print_exc()
                finally:
                    sys.stdout.flush()
                    sys.stderr.flush()
                    os._exit(status)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if status:
                said.seek(0)
                sys.stderr.buffer.write(said.read())
                raise SystemExit('%s: failed with status %d' % (name, status))


def chances(base, seed):
    """Cases on the small random models; the words for filters are those of the odd model, which shares parts with
    them."""
    words, asked = copy.copy(cases.words_of(base, 'odd/profile_5')), []
    words.steps = [0, 1, 2]
    for name in sorted(os.listdir(os.path.join(base, 'chance'))):
        model = 'chance/' + name
        metas = sorted(m[len('run_meta_'):] for m in os.listdir(os.path.join(base, model)) if m.startswith('run_meta_'))
        inputs = cases.files(model, 'graph_shapes.pb', metas)
        for case in cases.random_cases(seed, 12, [(inputs, words)], base):
            asked.append(dict(case, id='chance-%s-%s' % (name, case['id'])))
        asked += [{'id': 'chance-%s-%s' % (name, view), 'inputs': inputs, 'view': view,
                   'options': ['-select', cases.ALL, '-max_depth', '1000']} for view in cases.VIEWS]
    return asked


class Tally:
    def __init__(self):
        self.passed, self.failed, self.said = collections.Counter(), collections.Counter(), 0

    def note(self, group, message):
        (self.failed if message else self.passed)[group] += 1
        if message and self.said < 60:
            self.said += 1
            print(message, flush=True)

    def finish(self):
        for group in sorted(set(self.passed) | set(self.failed)):
            print('%-12s %4d of %d' % (group, self.passed[group], self.passed[group] + self.failed[group]))
        passed, failed = sum(self.passed.values()), sum(self.failed.values())
        print('%d passed, %d failed' % (passed, failed))
        return 1 if failed or not passed else 0


def described(case, message, binary, base):
    typed = ' <<< %r' % case['stdin'] if 'stdin' in case else ''
    return '%s: %s\n      %s%s' % (case['id'], message, ' '.join(program.command_of(binary, case, base)), typed)


def check(binary, case, want, base):
    try:
        got, said = program.answer(binary, case, base)
        message = rules.compare(case, want, got)
        message = message and message + ('\n      stderr: ' + said.strip()[-300:] if said else '')
    except RuntimeError as wrong:
        message = str(wrong)
    return message and described(case, message, binary, base)


def side_by_side(tally, tensorflow, binary, asked, base):
    answers = tensorflow.answers(asked, base)
    alive = [(c, a) for c, a in zip(asked, answers) if a is not None]
    for case, answer in zip(asked, answers):
        if answer is None:
            print('left out, TensorFlow dies of it: ' + described(case, '', binary, base))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        messages = pool.map(lambda pair: check(binary, pair[0], pair[1], base), alive)
        for (case, _), message in zip(alive, messages):
            tally.note(case['id'].split('-')[0], message)


def conversions(tally, tensorflow, binary, base, seed):
    """Compares TensorFlow's answers about our converted files with its answers about the inputs."""
    with tempfile.TemporaryDirectory() as folder:
        for i, inputs in enumerate(CONVERTED):
            target = os.path.join(folder, 'profile_%d' % i)
            words = program.command_of(binary, {'inputs': inputs}, base)
            done = subprocess.run(words[:1] + ['convert'] + words[1:] + ['-o', target], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=program.SECONDS)
            if done.returncode:
                tally.note('convert', 'convert: status %d: %s' % (done.returncode, done.stdout.decode()))
                continue
            source = inputs.get('profile') or 'converted'
            if source == 'converted':
                shutil.copy(target, os.path.join(base, source))
            asked = cases.random_cases(seed + i, 8, [(inputs, source)], base)
            asked.append({'id': 'advise', 'inputs': inputs, 'view': 'advise', 'options': []})
            copies = [dict(case, inputs={'profile': target}) for case in asked]
            for case, want, got in zip(copies, tensorflow.answers(asked, base), tensorflow.answers(copies, base)):
                if want is None:
                    continue
                want = dict(want, coverage=[])
                message = 'TensorFlow dies of it' if got is None else rules.compare(case, want, got)
                tally.note('convert', message and described(case, message, 'TensorFlow', base) + '\n      from %s' % inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', type=program.executable)
    parser.add_argument('-seed', type=int, default=1)
    parser.add_argument('-count', type=int, default=500)
    parser.add_argument('-folder', default=os.path.join(ROOT, 'build-compare'), type=os.path.abspath)
    parser.add_argument('-keep', action='store_true')
    asked = parser.parse_args()
    base = os.path.join(asked.folder, 'models')
    began = time.time()
    if not (asked.keep and os.path.isdir(base)):
        make_models(base)
    tensorflow, tally = core.Core(asked.folder), Tally()
    side_by_side(tally, tensorflow, asked.program, cases.fixed(), base)
    side_by_side(tally, tensorflow, asked.program, cases.random_cases(asked.seed, asked.count, SOURCES, base), base)
    side_by_side(tally, tensorflow, asked.program, chances(base, asked.seed), base)
    conversions(tally, tensorflow, asked.program, base, asked.seed)
    print('%.0f s' % (time.time() - began))
    return tally.finish()


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and records the models that tfprof is tested on. Needs tensorflow-cpu==2.21.0; takes under a minute.

    make_models.py OUT [NAME...]     one folder a model below OUT; without names all of them; each model in a process of its
own: TensorFlow's graphs, servers and modes do not mix. The files in sample/ name lines below: keep their numbers."""
import os
import subprocess
import sys
import time

MODELS = {  # name: module, function, more arguments
    'dense': ('nets', 'dense', (False,)),
    'dense_resource': ('nets', 'dense', (True,)),
    'resnet32': ('nets', 'resnet32', ()),
    'seq2seq': ('nets', 'seq2seq', ()),
    'towers': ('nets', 'towers', ()),
    'gpu': ('gpu', 'gpu', ()),          # after the towers: made from them
    'odd': ('odd', 'odd', ()),
    'chance': ('odd', 'many', ()),      # small random models in numbered folders
    'functions': ('functions', 'functions', ()), 'loops': ('loops', 'loops', ()),
}


def make(out, name):
    """In a child; what TensorFlow says on stderr is shown only if it fails."""
    began = time.time()
    done = subprocess.run([sys.executable, os.path.abspath(__file__), '--one', out, name],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.stderr.buffer.write(done.stdout)
        raise SystemExit('%s: failed with status %d' % (name, done.returncode))
    size = sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(os.path.join(out, name)) for f in fs)
    print('%s: %.2f MB in %.1f s' % (name, size / 1e6, time.time() - began), flush=True)


def one(out, name):
    module, function, arguments = MODELS[name]
    getattr(__import__(module), function)(os.path.join(out, name), *arguments)


def main(words):
    if words[:1] == ['--one']:
        return one(*words[1:])
    unknown = [w for w in words[1:] if w not in MODELS]
    if not words or words[0].startswith('-') or unknown:
        raise SystemExit(__doc__ + '\nModels: ' + ' '.join(MODELS))
    for name in words[1:] or MODELS:
        make(os.path.abspath(words[0]), name)


if __name__ == '__main__':
    main(sys.argv[1:])

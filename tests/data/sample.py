#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the small sample that is kept in the repository out of the recorded models.

    sample.py MODELS        MODELS: what make_models.py left behind; writes sample/ beside this file

Files that pack well are kept as NAME.gz, which tfprof reads as it is; folders and checkpoints stay as TensorFlow wrote
them.
"""
import gzip
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, 'sample')
LIMIT = 1300000  # limit for all bytes, to keep the repository small

PACKED = {
    'dense': ['graph_shapes.pbtxt', 'tfprof_log', 'tfprof_log_1', 'profile_3'],
    'dense_resource': ['graph.pbtxt', 'model.meta', 'profile_3'],
    'resnet32': ['graph.pbtxt', 'run_meta_0', 'tfprof_log', 'model.meta'],
    'seq2seq': ['graph_shapes.pb', 'run_meta_0', 'tfprof_log'],
    'towers': ['graph.pb', 'run_meta_1', 'tfprof_log', 'profile_9'],
    'gpu': ['profile_1', 'run_meta_nostream_0'],
}
PLAIN = {
    'dense': ['graph.pb', 'run_meta_0', 'run_meta_3', 'ckpt_v1', 'ckpt_v2'],
    'dense_resource': ['ckpt_v1', 'ckpt_v2', 'saved_model/saved_model.pb'],
    'resnet32': ['ckpt_v2'],
    'odd': ['graph.pb', 'graph.pbtxt', 'graph_shapes.pb', 'graph_shapes.pbtxt', 'run_meta_0', 'run_meta_1', 'tfprof_log',
            'tfprof_log_1', 'profile_5'],
    'functions': ['saved_model/saved_model.pb', 'shared/saved_model.pb', 'unsigned/saved_model.pb'],
    'loops': ['graph.pb'],
    'chance': ['11', '13', '26', '36'],  # the first is a binary graph that looks like text at its start
}


def pack(source, target):
    with open(source, 'rb') as f:
        data = f.read()
    with open(target + '.gz', 'wb') as f:
        f.write(gzip.compress(data, 9, mtime=0))


def copy(source, target):
    (shutil.copytree if os.path.isdir(source) else shutil.copyfile)(source, target)


def size_of(folder):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(folder) for f in files)


def main(models):
    shutil.rmtree(SAMPLE, ignore_errors=True)
    for table, put in ((PACKED, pack), (PLAIN, copy)):
        for model, names in table.items():
            for name in names:
                target = os.path.join(SAMPLE, model, name)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                put(os.path.join(models, model, name), target)
    for model in sorted(os.listdir(SAMPLE)):
        print('%-16s%8d bytes' % (model, size_of(os.path.join(SAMPLE, model))))
    total = size_of(SAMPLE)
    print('%-16s%8d bytes' % ('all', total))
    if total > LIMIT:
        raise SystemExit('the sample is over %d bytes' % LIMIT)


if __name__ == '__main__':
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
